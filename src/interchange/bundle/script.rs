//! The script: POSIX shell, and Kafka's own tools.

use super::GroupPlan;
use super::plan::TopicPlan;
use super::shell::{self, Data, KCAT, SOUND, TOOL, pattern, quoted};

/// What every script begins with.
const HEAD: &str = r#"#!/bin/sh
# Makes topics, records and committed offsets anew on a real cluster. README.md says what it cannot.
#
#   BOOTSTRAP=broker:9092 KAFKA_BIN=/opt/kafka/bin sh run.sh
#
# KAFKA_BIN: where Kafka's tools are, if not on the PATH. REPLICATION_FACTOR: other than the topics had.
set -eu
cd "$(dirname "$0")"
"#;

/// Behind the tools.
const CHECK: &str = r#"
# check TOPIC PARTITION RECORDS: a record that a broker refuses is only logged by the tools.
check() {
  end=$(tool kafka-get-offsets --topic-partitions "$1:$2" --time latest)
  if [ "${end##*:}" != "$3" ]; then
    echo "$1-$2 should end at offset $3, and is: $end" >&2
    exit 1
  fi
}
"#;

pub(super) fn script(topics: &[TopicPlan], groups: &[GroupPlan]) -> String {
    let mut out = [HEAD, TOOL, SOUND, CHECK].concat();
    if topics.iter().any(TopicPlan::needs_kcat) {
        out.push_str(KCAT);
    }
    for topic in topics {
        topic_steps(topic, &mut out);
    }
    for (number, group) in (1..).zip(groups) {
        let id = quoted(&group.id);
        out.push_str(&format!(
            "\nsound tool kafka-consumer-groups --group {id} --reset-offsets \\\n  --from-file groups/{number}.csv --execute\n"
        ));
    }
    out.push_str("\necho done\n");
    out
}

fn topic_steps(topic: &TopicPlan, out: &mut String) {
    out.push('\n');
    let TopicPlan { name, partitions, replication_factor, configs, .. } = topic;
    shell::create_topic(name, *partitions, *replication_factor, configs, out);
    for (step, path) in &topic.steps {
        shell::send(name, step, &[], Data::File(path), out);
    }
    let name = quoted(&pattern(name));
    for (partition, count) in topic.counts.iter().enumerate() {
        out.push_str(&format!("check {name} {partition} {count}\n"));
    }
}
