//! The script: POSIX shell, and Kafka's own tools.

use std::fmt::Write as _;

use super::GroupPlan;
use super::plan::{Step, TopicPlan};

/// What every script begins with.
const HEAD: &str = r#"#!/bin/sh
# Makes topics, records and committed offsets anew on a real cluster. README.md says what it cannot.
#
#   BOOTSTRAP=broker:9092 KAFKA_BIN=/opt/kafka/bin sh run.sh
#
# KAFKA_BIN: where Kafka's tools are, if not on the PATH. REPLICATION_FACTOR: other than the topics had.
set -eu
cd "$(dirname "$0")"
BOOTSTRAP=${BOOTSTRAP:-localhost:9092}

tool() {
  name=$1
  shift
  for program in "${KAFKA_BIN:+$KAFKA_BIN/}$name.sh" "${KAFKA_BIN:+$KAFKA_BIN/}$name"; do
    if command -v "$program" >/dev/null 2>&1; then
      "$program" --bootstrap-server "$BOOTSTRAP" "$@"
      return
    fi
  done
  echo "$name is not on the PATH: set KAFKA_BIN to the folder of Kafka's tools" >&2
  exit 1
}

# check TOPIC PARTITION RECORDS: a record that a broker refuses is only logged by the tools.
check() {
  end=$(tool kafka-get-offsets --topic "$1" --partitions "$2" --time latest | tail -n 1)
  if [ "$end" != "$1:$2:$3" ]; then
    echo "$1-$2 should end at offset $3, and is: $end" >&2
    exit 1
  fi
}
"#;

pub(super) fn script(topics: &[TopicPlan], groups: &[GroupPlan]) -> String {
    let mut out = String::from(HEAD);
    if topics.iter().any(TopicPlan::needs_kcat) {
        out.push_str(
            "\n# For records that the console producer cannot place or hold.\n\
             command -v kcat >/dev/null 2>&1 || { echo \"kcat is not on the PATH\" >&2; exit 1; }\n",
        );
    }
    for topic in topics {
        topic_steps(topic, &mut out);
    }
    for (number, group) in groups.iter().enumerate() {
        line(
            &mut out,
            format_args!(
                "\ntool kafka-consumer-groups --group {} --reset-offsets --from-file groups/{}.csv --execute",
                quoted(&group.id),
                number + 1
            ),
        );
    }
    out.push_str("\necho done\n");
    out
}

fn topic_steps(topic: &TopicPlan, out: &mut String) {
    let name = quoted(&topic.name);
    line(
        out,
        format_args!(
            "\ntool kafka-topics --create --topic {name} --partitions {} \\\n  --replication-factor \"${{REPLICATION_FACTOR:-{}}}\"",
            topic.partitions, topic.replication_factor
        ),
    );
    for (config, value) in &topic.configs {
        out.pop();
        line(out, format_args!(" \\\n  --config {}", quoted(&format!("{config}={value}"))));
    }
    for step in &topic.steps {
        match step {
            Step::Console(console) => {
                line(out, format_args!("tool kafka-console-producer --topic {name} \\"));
                if console.one_by_one {
                    line(out, format_args!("  --max-partition-memory-bytes 1 \\"));
                }
                for (property, value) in [
                    ("parse.key", "true"),
                    ("parse.headers", "true"),
                    ("key.separator", &console.key_separator),
                    ("headers.delimiter", &console.headers_delimiter),
                    ("headers.separator", &console.headers_separator),
                    ("headers.key.separator", &console.headers_key_separator),
                    ("null.marker", &console.null_marker),
                ] {
                    line(
                        out,
                        format_args!("  --property {} \\", quoted(&format!("{property}={value}"))),
                    );
                }
                line(out, format_args!("  <{}", quoted(&console.path)));
            }
            Step::Kcat(kcat) => {
                line(
                    out,
                    format_args!(
                        "kcat -P -b \"$BOOTSTRAP\" -t {name} -p {}{} \\",
                        kcat.partition,
                        if kcat.empty_is_none { " -Z" } else { "" }
                    ),
                );
                if kcat.one_by_one {
                    line(out, format_args!("  -X batch.num.messages=1 \\"));
                }
                for header in &kcat.headers {
                    line(out, format_args!("  -H {} \\", quoted(header)));
                }
                line(
                    out,
                    format_args!(
                        "  -K {} -D {} <{}",
                        quoted(&kcat.key_delimiter),
                        quoted(&kcat.delimiter),
                        quoted(&kcat.path)
                    ),
                );
            }
        }
    }
    for (partition, count) in topic.counts.iter().enumerate() {
        line(out, format_args!("check {name} {partition} {count}"));
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _written = writeln!(out, "{text}");
}

/// In single quotes, where the shell changes nothing.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/=".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}
