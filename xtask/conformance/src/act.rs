//! An act of a history, and what came of it: on both sides in one JSON form.

use loglanes::group::{ConsumerConfig, PartitionOffset, ResetTo};
use loglanes::{Command, Error, Outcome, Produce, RecordSet, log};
use serde_json::{Value, json};

/// Something that is done to a cluster.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Any command but those that send records.
    Command(Command),
    /// Records that a producer sends as fast as they come, then flushes.
    Send {
        /// To where.
        topic: String,
        /// The producer's partitioner, by its id.
        partitioner: String,
        /// One, or several without a partition of their own.
        records: Vec<Produce>,
    },
    /// A consumer joins a group alone, reads to the ends of its partitions, commits and closes.
    Consume {
        /// `group.id`.
        group: String,
        /// How it is set up.
        config: ConsumerConfig,
        /// What it commits; none: its positions.
        commit: Option<Vec<PartitionOffset>>,
    },
}

/// The `client.id` of the consumer.
pub const MEMBER: &str = "m1";

/// The name of the producer that is not idempotent, as the driver's are, and places like this.
pub fn plain_producer(partitioner: &str) -> String {
    partitioner.replace('/', ".")
}

impl Act {
    /// As the product is given it.
    pub fn command(&self) -> Command {
        match self {
            Self::Command(command) => command.clone(),
            Self::Consume { group, config, .. } => Command::Join {
                group: group.clone(),
                member: MEMBER.to_owned(),
                config: config.clone(),
            },
            Self::Send { partitioner, records, .. } if records.len() == 1 => {
                Command::Produce(Produce {
                    producer: Some(plain_producer(partitioner)),
                    partitioner: None,
                    ..records[0].clone()
                })
            }
            Self::Send { topic, partitioner, records } => Command::ProduceMany {
                producer: Some(plain_producer(partitioner)),
                topic: topic.clone(),
                partitioner: None,
                records: record_set(records),
            },
        }
    }

    /// As the driver is given it. `draws`: for each record without a key the partition that it
    /// has here, and that of the next one.
    pub fn request(&self, draws: &[[i32; 2]]) -> Value {
        match self {
            Self::Command(command) => {
                let mut request = serde_json::to_value(command).unwrap_or_default();
                if let Command::ResetOffsets { to, .. } = command {
                    request["arguments"] = json!(reset_arguments(to));
                    if let ResetTo::File { csv } = to {
                        request["plan"] = json!(csv);
                    }
                }
                request
            }
            Self::Consume { group, config, commit } => json!({
                "type": "consume", "group": group, "topics": config.topics, "commit": commit,
                "reset": config.auto_offset_reset, "protocol": config.protocol.name(),
                "isolation": config.isolation_level.name(),
            }),
            Self::Send { topic, partitioner, records } => {
                let records: Vec<Value> = records
                    .iter()
                    .zip(draws)
                    .map(|(record, draw)| {
                        let mut record = serde_json::to_value(record).unwrap_or_default();
                        record["draw"] = json!(draw);
                        record
                    })
                    .collect();
                json!({
                    "type": "send", "topic": topic, "partitioner": partitioner, "records": records,
                })
            }
        }
    }
}

impl std::fmt::Display for Act {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Send { topic, partitioner, records } if records.len() > 1 => {
                writeln!(
                    f,
                    "send {} records to {topic} with {partitioner}, at once:",
                    records.len()
                )?;
                for record in records.iter().take(SHOWN) {
                    writeln!(f, "      {}", Command::Produce(record.clone()))?;
                }
                if records.len() > SHOWN {
                    write!(f, "      ...")?;
                }
                Ok(())
            }
            Self::Consume { group, config, commit } => {
                let (topics, reset) = (&config.topics, config.auto_offset_reset);
                let protocol = config.protocol.name();
                let isolation = config.isolation_level.name();
                write!(
                    f,
                    "consume {topics:?} in {group}, {protocol}, {reset}, {isolation}; commit {commit:?}"
                )
            }
            _ => write!(f, "{}", self.command()),
        }
    }
}

/// How many records of an act are shown one by one.
const SHOWN: usize = 12;

/// A mode as the tool's command line has it.
fn reset_arguments(to: &ResetTo) -> Vec<String> {
    match to {
        ResetTo::Earliest => vec!["--to-earliest".to_owned()],
        ResetTo::Latest => vec!["--to-latest".to_owned()],
        ResetTo::Current => vec!["--to-current".to_owned()],
        ResetTo::Offset { offset } => vec!["--to-offset".to_owned(), offset.to_string()],
        ResetTo::Shift { by } => vec!["--shift-by".to_owned(), by.to_string()],
        ResetTo::Datetime { datetime } => vec!["--to-datetime".to_owned(), datetime.clone()],
        ResetTo::Duration { duration } => vec!["--by-duration".to_owned(), duration.clone()],
        // The driver makes a file of the plan.
        ResetTo::File { .. } => Vec::new(),
    }
}

fn record_set(records: &[Produce]) -> RecordSet {
    let mut set = RecordSet::builder();
    for record in records {
        let headers: Vec<log::Header<'_>> = record
            .headers
            .iter()
            .map(|header| log::Header { key: &header.key, value: header.value.as_deref() })
            .collect();
        let record = log::NewRecord {
            timestamp: record.timestamp.unwrap_or_default(),
            key: record.key.as_deref(),
            value: record.value.as_deref(),
            headers: &headers,
        };
        // A record that no batch holds is one that the generator does not make.
        let pushed = set.push(&record);
        debug_assert!(pushed.is_ok(), "{pushed:?}");
    }
    set.finish()
}

/// What the product answers.
pub fn product_answer(act: &Act, outcome: &Result<Outcome, Error>) -> Value {
    match outcome {
        Err(error) => json!({"error": refusal(error.code(), error.name(), error.message())}),
        Ok(Outcome::Produced { partition, offset, .. }) => {
            json!({"sent": {partition.to_string(): [1, offset, offset]}, "refused": {}})
        }
        Ok(Outcome::ProducedMany { partitions, refusals, .. }) => {
            let mut answer = json!({"sent": {}, "refused": {}});
            for sent in partitions {
                answer["sent"][sent.partition.to_string()] =
                    json!([sent.records, sent.first_offset, sent.last_offset]);
            }
            for refused in refusals {
                let why = refusal(refused.code, refused.name, &refused.message).to_string();
                // Reasons with other hints are one to Kafka.
                let count = &mut answer["refused"][why];
                *count = json!(count.as_u64().unwrap_or(0) + refused.count as u64);
            }
            answer
        }
        Ok(Outcome::ProducerFailed { error, .. }) => {
            json!({"error": refusal(error.code, error.name, &error.message)})
        }
        Ok(Outcome::TransactionsInitialized { producer_id, epoch, .. }) => {
            json!({"id": producer_id, "epoch": epoch})
        }
        Ok(Outcome::RecordsDeleted { log_start_offset, .. }) => {
            json!({"logStartOffset": log_start_offset})
        }
        Ok(Outcome::OffsetsReset { plan, .. }) => {
            let rows = plan.rows.iter();
            let rows = rows.map(|row| (format!("{}-{}", row.topic, row.partition), row.offset));
            json!({"reset": rows.collect::<std::collections::BTreeMap<_, _>>()})
        }
        Ok(_) => {
            debug_assert!(!matches!(act, Act::Send { .. }));
            json!({})
        }
    }
}

/// What the driver answered, in the form of [`product_answer`].
pub fn broker_answer(act: &Act, answer: &Value) -> Value {
    if let Some(error) = answer.get("error") {
        return json!({"error": broker_refusal(error)});
    }
    let (Act::Send { .. }, Some(records)) = (act, answer["ok"].as_array()) else {
        return answer["ok"].clone();
    };
    if let [only] = records.as_slice()
        && let Some(error) = only.get("error")
    {
        return json!({"error": broker_refusal(error)});
    }
    let mut tally = json!({"sent": {}, "refused": {}});
    for record in records {
        if let Some(error) = record.get("error") {
            let count = &mut tally["refused"][broker_refusal(error).to_string()];
            *count = json!(count.as_u64().unwrap_or(0) + 1);
        } else {
            let offset = &record["ok"]["offset"];
            let sent = &mut tally["sent"][record["ok"]["partition"].to_string()];
            if sent.is_null() {
                *sent = json!([0, offset, offset]);
            }
            sent[0] = json!(sent[0].as_u64().unwrap_or(0) + 1);
            sent[2] = offset.clone();
        }
    }
    tally
}

fn broker_refusal(error: &Value) -> Value {
    let code = error["code"].as_i64().and_then(|code| i16::try_from(code).ok());
    refusal(
        code,
        error["name"].as_str().unwrap_or_default(),
        error["message"].as_str().unwrap_or_default(),
    )
}

pub fn refusal(code: Option<i16>, name: &str, message: &str) -> Value {
    json!({"code": code, "name": name, "message": without_times(message)})
}

/// A message without what must differ: how long a client waited, and what time the broker's clock
/// showed.
fn without_times(message: &str) -> String {
    let mut left = String::new();
    let mut words = message.split(' ').peekable();
    let mut in_range = false;
    while let Some(word) = words.next() {
        in_range |= word.starts_with('[') && left.ends_with("within ");
        let is_wait = words.peek().is_some_and(|next| next.starts_with("ms"));
        let number = word.rsplit(':').next().unwrap_or(word);
        if is_wait && number.parse::<u64>().is_ok() {
            left.push_str(word.strip_suffix(number).unwrap_or_default());
            left.push_str("<ms>");
        } else if in_range {
            left.push_str("<time>");
            in_range = !word.contains(']');
        } else {
            left.push_str(word);
        }
        left.push(' ');
    }
    left.pop();
    left
}

#[cfg(test)]
mod tests {
    use super::without_times;

    #[test]
    fn only_times_are_left_out_of_a_message() {
        assert_eq!(
            without_times("Topic t not present in metadata after 60000 ms."),
            "Topic t not present in metadata after <ms> ms."
        );
        assert_eq!(
            without_times("Expiring 2 record(s) for t-0:120000 ms has passed"),
            "Expiring 2 record(s) for t-0:<ms> ms has passed"
        );
        assert_eq!(
            without_times("The timestamp should be within [12, 34] or so, 7 of them"),
            "The timestamp should be within <time> <time> or so, 7 of them"
        );
    }
}
