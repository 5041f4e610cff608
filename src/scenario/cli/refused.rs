//! Acts that Kafka refuses here: where a tool can ask for the same, it has to be refused there.

use std::collections::BTreeMap;

use super::groups;
use super::script::Helper;
use super::topics::delete_records_json;
use super::walk::{Line, Walk};
use crate::command::Command;
use crate::error::ErrorCode;
use crate::group::ResetTo;
use crate::interchange::bundle::shell::{
    alter_configs, config, fits, here_document, is_line_text, is_taken_by_topics, pattern, quoted,
    words,
};
use crate::topic::{ConfigOp, TopicConfig, check_name};
use crate::view::RefusalView;

/// How a tool asks for it.
struct Ask {
    call: Vec<String>,
    /// What the tool reads.
    input: Option<String>,
    /// What the tool itself says, where it does not ask the broker.
    words: Vec<String>,
}

impl Ask {
    fn of(call: Vec<String>) -> Self {
        Self { call, input: None, words: Vec::new() }
    }
}

/// Of a topic that is not there.
const NO_TOPIC: &str = "does not exist as expected";

/// The tool would not ask for the same.
const OTHER: &str = "It is refused here. The tool takes a name that is none for a regular expression, \
                     and would ask for something else.";

impl Walk {
    pub(super) fn refused(&mut self, command: &Command, refusal: &RefusalView, told: &Line<'_>) {
        let Line { line, text, .. } = *told;
        if !matches!(refusal.refusal, "broker" | "client") {
            let why = "It is refused here by Loglanes itself; a real cluster might take it.";
            self.script.lose(line, text, why);
            return;
        }
        let (texts, _) = command.texts();
        if !texts.into_iter().all(fits) {
            self.script.lose(line, text, "A command line takes no NUL.");
            return;
        }
        match self.ask(command) {
            Ok(ask) => self.ask_in_vain(&ask, refusal, line),
            Err(why) => self.script.lose(line, text, why),
        }
    }

    fn ask_in_vain(&mut self, ask: &Ask, refusal: &RefusalView, line: u32) {
        let exception = refusal.code.and_then(ErrorCode::from_code).map(ErrorCode::exception);
        let told = ask.words.iter().map(String::as_str);
        let told = told.chain([refusal.message.as_str(), exception.unwrap_or(refusal.name)]);
        let told: Vec<&str> = told.flat_map(str::lines).filter(|text| !text.is_empty()).collect();
        self.script.needs(Helper::Refused);
        let refused = format!("refused {line} {} {}", refusal.name, quoted(&told.join("\n")));
        let mut call = vec![refused];
        call.extend(ask.call.iter().cloned());
        if let Some(input) = &ask.input {
            call.push("<<'END'".to_owned());
            words(call, &mut self.script.body);
            self.script.push("\n");
            here_document(input.as_bytes(), &mut self.script.body);
        } else {
            words(call, &mut self.script.body);
            self.script.push("\n");
        }
    }

    /// How a tool asks for the same; or why none does.
    fn ask(&mut self, command: &Command) -> Result<Ask, &'static str> {
        match command {
            Command::CreateTopic { name, partitions, replication_factor, configs } => {
                let mut call = vec![format!("tool kafka-topics --create --topic {}", quoted(name))];
                call.extend(partitions.map(|count| format!("--partitions {count}")));
                call.extend(
                    replication_factor.map(|count| format!("--replication-factor {count}")),
                );
                call.extend(configs.iter().map(|(name, value)| config(name, value)));
                // What the tool itself looks at, before it asks.
                let mut words = Vec::new();
                if partitions.is_some_and(|count| count < 1) {
                    words.push("The partitions must be greater than 0".to_owned());
                }
                if replication_factor.is_some_and(|count| count < 1) {
                    words.push("The replication factor must be between 1 and".to_owned());
                }
                if !configs.values().all(|value| is_taken_by_topics(value)) {
                    words.push("all configs to be added must be in the format".to_owned());
                }
                if let Err(error) = TopicConfig::parse(configs.clone()) {
                    words.push(error.message().to_owned());
                }
                Ok(Ask { words, ..Ask::of(call) })
            }
            Command::CreateAssignedTopic { .. } | Command::CreateAssignedPartitions { .. } => Err(
                "It is refused here. The tool looks at an assignment itself, and has other words.",
            ),
            Command::DeleteTopic { name } => {
                check_name(name).map_err(|_| OTHER)?;
                let call = format!("tool kafka-topics --delete --topic {}", quoted(&pattern(name)));
                Ok(Ask { words: vec![NO_TOPIC.to_owned()], ..Ask::of(vec![call]) })
            }
            Command::CreatePartitions { topic, total } => {
                check_name(topic).map_err(|_| OTHER)?;
                let topic = quoted(&pattern(topic));
                let call =
                    format!("tool kafka-topics --alter --topic {topic} --partitions {total}");
                Ok(Ask { words: vec![NO_TOPIC.to_owned()], ..Ask::of(vec![call]) })
            }
            Command::AlterConfigs { topic, ops } => {
                let is_plain = |op: &ConfigOp| matches!(op, ConfigOp::Set | ConfigOp::Delete);
                if !ops.iter().all(|op| is_plain(&op.op)) {
                    return Err("It is refused here. The tool has no += and -=.");
                }
                let values: BTreeMap<String, Option<String>> =
                    ops.iter().map(|op| (op.name.clone(), op.value.clone())).collect();
                let call = alter_configs(topic, &values, &mut self.script.body);
                Ok(Ask::of(call))
            }
            Command::DeleteRecords { topic, partition, before } => {
                let json = delete_records_json(&[(topic.clone(), *partition, *before)]);
                self.script.needs(Helper::DeleteRecords);
                Ok(Ask { input: Some(json), ..Ask::of(vec!["delete_records".to_owned()]) })
            }
            Command::ResetOffsets { group, .. }
            | Command::DeleteOffsets { group, .. }
            | Command::DeleteGroup { group }
                if self.has_members(group) =>
            {
                Err(
                    "It is refused here because the group has members. There it has none, and the tool would do it.",
                )
            }
            Command::ResetOffsets { group, topics, to } => {
                let call = groups::reset(group, topics.as_deref(), to);
                let ResetTo::File { csv } = to else { return Ok(Ask::of(call)) };
                let csv = format!("{csv}\n");
                if !is_line_text(csv.as_bytes()) {
                    return Err("It is refused here. Its file is no plain text.");
                }
                self.script.push("cat >\"$work/offsets.csv\" <<'END'\n");
                here_document(csv.as_bytes(), &mut self.script.body);
                Ok(Ask::of(call))
            }
            Command::DeleteOffsets { group, topics } => {
                Ok(Ask::of(groups::delete_offsets(group, topics)))
            }
            Command::DeleteGroup { group } if self.there.commits_of(group).is_none() => {
                let call = format!("tool kafka-consumer-groups --group {} --delete", quoted(group));
                Ok(Ask::of(vec![call]))
            }
            Command::Produce(_) | Command::ProduceMany { .. } | Command::Generate { .. } => Err(
                "It is refused here. Kafka's tools only log why a record is refused, and end well.",
            ),
            _ => Err("It is refused here. No tool does it."),
        }
    }

    fn has_members(&self, group: &str) -> bool {
        let group = self.cluster().group(group);
        group.is_some_and(|group| !group.members.is_empty())
    }
}
