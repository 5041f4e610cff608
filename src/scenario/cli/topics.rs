//! Topics, their configs, and the beginnings of their logs.

use std::collections::BTreeMap;

use super::script::Helper;
use super::walk::Walk;
use crate::interchange::bundle::shell::{
    alter_configs, create_topic, create_topic_with, here_document, pattern, quoted, words,
};
use crate::topic::{AlterConfigOp, Partition, ReplicaAssignment};

impl Walk {
    pub(super) fn create_topic(&mut self, name: &str, configs: &BTreeMap<String, String>) {
        let Self { there, player, script, .. } = self;
        let cluster = player.session().cluster();
        let Some(topic) = cluster.topic(name) else { return };
        there.grown(cluster, name);
        let configs: Vec<(String, String)> = configs.clone().into_iter().collect();
        // Brokers may have other defaults: what is here is said.
        let count = topic.partition_count();
        create_topic(name, count, topic.replication_factor, &configs, &mut script.body);
        self.settled(name, count);
    }

    pub(super) fn create_assigned_topic(
        &mut self,
        name: &str,
        assignments: &[ReplicaAssignment],
        configs: &BTreeMap<String, String>,
    ) {
        if assignments.is_empty() {
            return self.create_topic(name, configs);
        }
        let Self { there, player, script, .. } = self;
        let cluster = player.session().cluster();
        let Some(topic) = cluster.topic(name) else { return };
        there.grown(cluster, name);
        let how = [format!("--replica-assignment {}", assignment(&topic.partitions))];
        let configs: Vec<(String, String)> = configs.clone().into_iter().collect();
        let count = topic.partition_count();
        create_topic_with(name, how, &configs, &mut script.body);
        self.settled(name, count);
    }

    /// Where a record goes depends on how many partitions the client is told of.
    fn settled(&mut self, topic: &str, count: i32) {
        self.script.needs(Helper::Settled);
        self.script.push(&format!("settled {} {count}\n", quoted(&pattern(topic))));
    }

    pub(super) fn delete_topic(&mut self, name: &str) {
        self.there.forget(name);
        self.script
            .push(&format!("tool kafka-topics --delete --topic {}\n", quoted(&pattern(name))));
    }

    /// With the brokers or without. The tool's list begins with the partitions that are there.
    pub(super) fn create_partitions(&mut self, topic: &str, total: i32, with_brokers: bool) {
        let held = self.player.session().cluster().topic(topic).filter(|_| with_brokers);
        let rows = held.map_or_else(String::new, |held| {
            format!(" --replica-assignment {}", assignment(&held.partitions))
        });
        let name = quoted(&pattern(topic));
        self.script.push(&format!(
            "tool kafka-topics --alter --topic {name} --partitions {total}{rows}\n"
        ));
        self.settled(topic, total);
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
        let call = alter_configs(topic, &values, &mut script.body);
        words(call, &mut script.body);
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

/// The brokers of partitions, as `kafka-topics --replica-assignment` takes them.
fn assignment(partitions: &[Partition]) -> String {
    let row = |(partition, held): (i32, &Partition)| ReplicaAssignment {
        partition,
        replicas: held.replicas.clone(),
    };
    ReplicaAssignment::print(&(0..).zip(partitions).map(row).collect::<Vec<_>>())
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
