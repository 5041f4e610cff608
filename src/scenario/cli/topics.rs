//! Topics, their configs, and the beginnings of their logs.

use std::collections::BTreeMap;

use super::script::Helper;
use super::walk::Walk;
use crate::interchange::bundle::shell::{create_topic, here_document, pattern, quoted, words};
use crate::topic::AlterConfigOp;

impl Walk {
    pub(super) fn create_topic(&mut self, name: &str, configs: &BTreeMap<String, String>) {
        let Self { there, player, script, .. } = self;
        let cluster = player.session().cluster();
        let Some(topic) = cluster.topic(name) else { return };
        there.grown(cluster, name);
        let configs: Vec<(String, String)> = configs.clone().into_iter().collect();
        // Brokers may have other defaults: what is here is said.
        let call = create_topic(name, topic.partition_count(), topic.replication_factor, &configs);
        words(call, &mut script.body);
        script.push("\n");
    }

    pub(super) fn delete_topic(&mut self, name: &str) {
        self.there.forget(name);
        self.script
            .push(&format!("tool kafka-topics --delete --topic {}\n", quoted(&pattern(name))));
    }

    pub(super) fn create_partitions(&mut self, topic: &str, total: i32) {
        let name = quoted(&pattern(topic));
        self.script
            .push(&format!("tool kafka-topics --alter --topic {name} --partitions {total}\n"));
    }

    pub(super) fn alter_configs(&mut self, topic: &str, ops: &[AlterConfigOp]) {
        let Self { player, script, .. } = self;
        let Some(held) = player.session().cluster().topic(topic) else { return };
        // The tool has no += and -=: what comes of them is set.
        let value = |op: &AlterConfigOp| {
            let value = held.config.given().get(&op.name).cloned();
            (op.name.clone(), value)
        };
        let values: BTreeMap<String, Option<String>> = ops.iter().map(value).collect();
        words(alter_configs(topic, &values, &mut script.body), &mut script.body);
        script.push("\n");
    }

    pub(super) fn delete_records_before(&mut self, topic: &str, partition: i32, before: i64) {
        let Self { there, player, .. } = self;
        there.started(player.session().cluster(), topic);
        let before = match before {
            -1 => -1,
            before => there.offset(topic, partition, before),
        };
        self.delete_records(&[(topic.to_owned(), partition, before)]);
    }

    /// Records that went by themselves here.
    pub(super) fn starts_moved(&mut self) {
        let Self { there, player, .. } = self;
        let cluster = player.session().cluster();
        let mut moved = Vec::new();
        for (name, _) in cluster.topics() {
            for (partition, start) in there.started(cluster, name) {
                moved.push((name.to_owned(), partition, there.offset(name, partition, start)));
            }
        }
        if !moved.is_empty() {
            self.script.more("What went by it here goes there by:");
            self.delete_records(&moved);
        }
    }

    fn delete_records(&mut self, before: &[(String, i32, i64)]) {
        self.script.needs(Helper::DeleteRecords);
        self.script.push("delete_records <<'END'\n");
        here_document(delete_records_json(before).as_bytes(), &mut self.script.body);
    }
}

/// As `kafka-delete-records --offset-json-file` reads it, one line.
pub(super) fn delete_records_json(before: &[(String, i32, i64)]) -> String {
    let parts: Vec<serde_json::Value> = before
        .iter()
        .map(|(topic, partition, offset)| {
            serde_json::json!({"topic": topic, "partition": partition, "offset": offset})
        })
        .collect();
    format!("{}\n", serde_json::json!({"partitions": parts, "version": 1}))
}

/// A call that sets configs, or deletes those without a value. What a command line does not carry
/// goes by a file, which `before` writes.
pub(super) fn alter_configs(
    topic: &str,
    values: &BTreeMap<String, Option<String>>,
    before: &mut String,
) -> Vec<String> {
    let mut call = vec![format!(
        "tool kafka-configs --alter --entity-type topics --entity-name {}",
        quoted(topic)
    )];
    let added: Vec<(&String, &String)> =
        values.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))).collect();
    let deleted: Vec<&str> = values
        .iter()
        .filter_map(|(name, value)| value.is_none().then_some(name.as_str()))
        .collect();
    let is_plain = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-:*/,".contains(&byte))
    };
    if added.iter().all(|(name, value)| is_plain(name) && is_plain(value)) {
        let pairs = added.iter().map(|(name, value)| match value.contains(',') {
            true => format!("{name}=[{value}]"),
            false => format!("{name}={value}"),
        });
        let pairs: Vec<String> = pairs.collect();
        if !pairs.is_empty() {
            call.push(format!("--add-config {}", quoted(&pairs.join(","))));
        }
    } else {
        before.push_str("cat >\"$work/configs.properties\" <<'END'\n");
        let lines =
            added.iter().map(|(name, value)| format!("{}={}\n", property(name), property(value)));
        here_document(lines.collect::<String>().as_bytes(), before);
        call.push("--add-config-file \"$work/configs.properties\"".to_owned());
    }
    if !deleted.is_empty() {
        call.push(format!("--delete-config {}", quoted(&deleted.join(","))));
    }
    call
}

/// A piece of a Java properties file: everything that could mean something there in hex.
fn property(text: &str) -> String {
    let mut out = String::new();
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b"._-,[]".contains(&byte) => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configs_go_by_a_file_where_the_command_line_would_part_them() {
        let alter = |pairs: &[(&str, Option<&str>)]| {
            let values = pairs
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.map(str::to_owned)))
                .collect();
            let (mut before, mut out) = (String::new(), String::new());
            let call = alter_configs("orders", &values, &mut before);
            words(call, &mut out);
            (before, out)
        };
        let head = "tool kafka-configs --alter --entity-type topics --entity-name orders";
        let (before, call) =
            alter(&[("cleanup.policy", Some("compact,delete")), ("segment.ms", None)]);
        assert_eq!(before, "");
        assert_eq!(
            call,
            format!(
                "{head} \\\n  --add-config 'cleanup.policy=[compact,delete]' --delete-config segment.ms"
            )
        );
        let (before, call) = alter(&[("cleanup.policy", Some("")), ("a", Some("é=\\]\n"))]);
        assert_eq!(
            before,
            "cat >\"$work/configs.properties\" <<'END'\na=\\u00e9\\u003d\\u005c]\\u000a\ncleanup.policy=\nEND\n"
        );
        assert_eq!(call, format!("{head} \\\n  --add-config-file \"$work/configs.properties\""));
    }
}
