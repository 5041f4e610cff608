//! What the model knows of topics and of sending.

use loglanes::Produce;

use super::*;

impl Model {
    pub(super) fn create(
        &mut self,
        name: &str,
        partitions: Option<i32>,
        factor: Option<i16>,
        now: i64,
    ) -> Result<Answer, Refused> {
        let invalid = |text: String| Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
        let partitions = partitions.filter(|n| *n != -1).unwrap_or(1);
        let factor = factor.filter(|n| *n != -1).unwrap_or(1);
        if partitions > 10_000 {
            let text = "Excessively large number of partitions per request.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        if name.is_empty() {
            return invalid("The given topic name '' cannot be represented in a request.".into());
        }
        if name == "." || name == ".." {
            return invalid(format!("Topic name is invalid: '{name}' is not allowed"));
        }
        if !is_legal(name) {
            return invalid(format!(
                "Topic name is invalid: '{name}' contains one or more characters other than \
                 ASCII alphanumerics, '.', '_' and '-'"
            ));
        }
        if self.topics.contains_key(name) || name == "__consumer_offsets" {
            let text = format!("Topic '{name}' already exists.");
            return Err(kafka(36, "TOPIC_ALREADY_EXISTS", text));
        }
        let underscored = |name: &str| name.replace('.', "_");
        if let Some(other) = self.topics.keys().find(|at| underscored(at) == underscored(name)) {
            return invalid(format!("Topic '{name}' collides with existing topic: {other}"));
        }
        if factor < 1 {
            let text = "Replication factor must be larger than 0, or -1 to use the default value.";
            return Err(kafka(38, "INVALID_REPLICATION_FACTOR", text));
        }
        if partitions < 1 {
            let text = "Number of partitions was set to an invalid non-positive value.";
            return Err(kafka(37, "INVALID_PARTITIONS", text));
        }
        if factor > 3 {
            let text = format!(
                "Unable to replicate the partition {factor} time(s): The target replication \
                 factor of {factor} cannot be reached because only 3 broker(s) are registered or \
                 some brokers have all their log directories cordoned."
            );
            return Err(kafka(38, "INVALID_REPLICATION_FACTOR", text));
        }
        if partitions == 10_000 {
            let text = "Unable to perform excessively large batch operation.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        self.topics.insert(name.to_owned(), vec![Vec::new(); partitions as usize]);
        self.changed(now);
        Ok(Answer::Topic(partitions))
    }

    pub(super) fn grow(&mut self, topic: &str, total: i32, now: i64) -> Result<Answer, Refused> {
        let from = self.count(topic).ok_or_else(unknown_topic)?;
        let invalid = |text: String| Err(kafka(37, "INVALID_PARTITIONS", text));
        if total == from {
            return invalid(format!("Topic already has {from} partition(s)."));
        }
        if total < from {
            return invalid(format!(
                "The topic {topic} currently has {from} partition(s); {total} would not be an \
                 increase."
            ));
        }
        if total - from > 10_000 {
            let text = "Excessively large number of additional partitions per request.";
            return Err(kafka(44, "POLICY_VIOLATION", text));
        }
        self.topics.get_mut(topic).unwrap().resize(total as usize, Vec::new());
        self.changed(now);
        Ok(Answer::Grown(from, total))
    }

    pub(super) fn produce(&mut self, record: &Produce, now: i64) -> Result<Answer, Refused> {
        if let Some(time) = record.timestamp.filter(|time| *time < 0) {
            let text = format!(
                "Invalid timestamp: {time}. Timestamp should always be non-negative or null."
            );
            return Err(java("IllegalArgumentException", text));
        }
        if let Some(number) = record.partition.filter(|number| *number < 0) {
            let text = format!(
                "Invalid partition: {number}. Partition number should always be non-negative or null."
            );
            return Err(java("IllegalArgumentException", text));
        }
        let topic = &record.topic;
        if !is_legal(topic) {
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", format!("Invalid topics: [{topic}]")));
        }
        if topic == "__consumer_offsets" {
            let text = "The request attempted to perform an operation on an invalid topic.";
            return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
        }
        let Some(count) = self.count(topic) else {
            let text = format!("Topic {topic} not present in metadata after 60000 ms.");
            return Err(kafka(7, "REQUEST_TIMED_OUT", text));
        };
        if let Some(number) = record.partition.filter(|number| *number >= count) {
            let text = format!(
                "Partition {number} of topic {topic} with partition count {count} is not present \
                 in metadata after 60000 ms."
            );
            return Err(kafka(7, "REQUEST_TIMED_OUT", text));
        }
        let time = record.timestamp.unwrap_or(now);
        let (least, most) = (now - i64::MAX, now + 3_600_000);
        if time > most {
            let text = format!(
                "Timestamp {time} of message with offset 0 is out of range. The timestamp should \
                 be within [{least}, {most}]"
            );
            return Err(kafka(32, "INVALID_TIMESTAMP", text));
        }
        let key = record.key.as_deref();
        let by_key = key.map(|key| murmur2_partition(key, count));
        Ok(Answer::Sent(record.partition.or(by_key)))
    }

    /// The record is where the cluster says.
    pub(super) fn store(&mut self, record: &Produce, partition: i32, now: i64) -> i64 {
        let time = record.timestamp.unwrap_or(now + self.clock);
        let log = &mut self.topics.get_mut(&record.topic).unwrap()[partition as usize];
        log.push(Rec {
            timestamp: time,
            key: record.key.as_deref().map(<[u8]>::to_vec),
            value: record.value.as_deref().map(<[u8]>::to_vec),
        });
        log.len() as i64 - 1
    }
}
