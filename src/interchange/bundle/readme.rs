//! What the bundle is, and what it cannot carry, in words.

use std::fmt::Write as _;

use super::GroupPlan;
use super::plan::TopicPlan;

/// What holds for every bundle.
const HEAD: &str = "\
# Topics for a real cluster

`run.sh` makes the topics below anew, sends their records and commits the groups' offsets, with Kafka's own
command-line tools. It needs a shell, the tools of Apache Kafka, and kcat where it says so. Topics of the same
names must not be there yet, and groups must have no members.

    BOOTSTRAP=broker:9092 KAFKA_BIN=/opt/kafka/bin sh run.sh

What comes out the same: partitions, configs, keys, values, headers, the partition of every record, the order
within each partition.

What cannot be carried:

- **Offsets** begin at 0 and have no gaps: what retention or compaction has taken is not there. Committed
  offsets are moved along, so that each group goes on with the same record.
- **Timestamps**: no tool sets them. Records get the time at which they are sent.
- **Batches**: which records travelled together is up to the tools.
- **Producers**: ids, epochs, sequence numbers and transactions. Committed records are sent as plain ones,
  aborted and open ones are left out.
- **Segments**: where one ends, and how often the log was cleaned. Configs that retention and compaction go
  by are set, and act on the new timestamps.
- **Members of groups**: only what is committed.
- **Leaders**: the cluster places partitions by itself.
";

pub(super) fn readme(topics: &[TopicPlan], groups: &[GroupPlan]) -> String {
    let mut out = format!("{HEAD}\n## Topics\n\n| topic | partitions | records |\n|---|---|---|\n");
    for topic in topics {
        let records: u64 = topic.counts.iter().sum();
        row(&mut out, format_args!("| {} | {} | {records} |", topic.name, topic.partitions));
    }
    if topics.iter().any(TopicPlan::needs_kcat) {
        out.push_str(
            "\nkcat is needed: some records have no key, or lie in another partition than the Java client would\n\
             choose, or are no lines of UTF-8. `kafka-console-producer` cannot send those to their place.\n",
        );
    }
    if !groups.is_empty() {
        out.push_str("\n## Groups\n\n");
    }
    for (number, group) in groups.iter().enumerate() {
        row(&mut out, format_args!("- groups/{}.csv: {}", number + 1, group.id));
    }
    let left_out: u64 = topics.iter().map(|topic| topic.left_out_count).sum();
    if left_out > 0 {
        row(&mut out, format_args!("\n## Left out: {left_out} records\n"));
        for one in topics.iter().flat_map(|topic| &topic.left_out) {
            let (topic, partition, offset) = (&one.topic, one.partition, one.offset);
            row(&mut out, format_args!("- {topic}-{partition}, offset {offset}: {}", one.why));
        }
    }
    out
}

fn row(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a text does not fail.
    let _written = writeln!(out, "{text}");
}
