//! Random histories, from a seed.
//!
//! Each act is drawn with the product's state in view, so that most hit something: an offset that
//! is there, a count of partitions that is more. What cannot be the same on both sides is not
//! drawn: times are hours apart, and a keyless record that a broker refuses is sent to a partition
//! of its own, because a refused act changes nothing here, and a client's stay there.

use loglanes::group::{ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, ResetTo};
use loglanes::topic::{AlterConfigOp, ConfigOp, Topic};
use loglanes::{Bytes, Cluster, Command, Outcome, OwnedHeader, Produce};

use crate::act::{Act, plain_producer};
use crate::maker::Maker;
use crate::product;
use crate::resets;

const HOUR: i64 = 3_600_000;

/// Names that the acts choose from: hash orders differ from one to the next.
const TOPICS: [&str; 6] = ["orders", "t", "test", "clicks.eu", "clicks_eu", "Zähler"];

const GROUPS: [&str; 3] = ["billing", "audit", "größer"];

const PARTITIONERS: [&str; 3] = ["java/default", "java/round_robin", "java/ignore_keys"];

/// The cluster of the product that a history begins with.
pub fn empty_cluster(seed: u64) -> Cluster {
    let mut cluster = Cluster::with_brokers(i64::from_ne_bytes(seed.to_ne_bytes()), [1]);
    for create in producers() {
        cluster.apply(&create, 0).unwrap_or_else(|error| panic!("{create}: {error}"));
    }
    cluster
}

/// The producers that the records of a history go by.
pub fn producers() -> impl Iterator<Item = Command> {
    PARTITIONERS.into_iter().map(|partitioner| Command::CreateProducer {
        producer: plain_producer(partitioner),
        partitioner: Some(partitioner.to_owned()),
        configs: [("enable.idempotence".to_owned(), "false".to_owned())].into(),
    })
}

/// The history of a seed, its times before `now_ms`.
pub fn generate(seed: u64, now_ms: i64) -> Vec<Act> {
    let mut maker = Maker::new(seed, now_ms);
    let topics = maker.random.usize(1..=2);
    for _ in 0..topics {
        maker.create_topic();
    }
    for _ in 0..maker.random.usize(6..=24) {
        maker.any_act();
    }
    maker.acts
}

impl Maker {
    fn any_act(&mut self) {
        match self.random.u32(0..100) {
            0..46 => self.send(),
            46..53 => self.create_partitions(),
            53..61 => self.delete_records(),
            61..69 => self.alter_configs(),
            69..76 => self.push(Command::RunRetention { topic: None }),
            76..83 => self.push(Command::RunCleaner { topic: None }),
            83..90 => self.consume(),
            90..95 => self.reset_offsets(),
            95 => {
                let group = self.pick(&GROUPS).to_owned();
                self.push(Command::DeleteGroup { group });
            }
            96..98 => self.create_topic(),
            _ => {
                let name = self.topic();
                self.push(Command::DeleteTopic { name });
            }
        }
    }

    /// A topic that is there, but for one time in forty.
    fn topic(&mut self) -> String {
        let there: Vec<String> = self.cluster.topics().map(|(name, _)| name.to_owned()).collect();
        if there.is_empty() || self.one_in(40) {
            return self.pick(&["nowhere", "not a name", "orders"]).to_owned();
        }
        there[self.random.usize(0..there.len())].clone()
    }

    fn partition_of(&mut self, topic: &str) -> i32 {
        let count = self.cluster.topic(topic).map_or(1, Topic::partition_count);
        if self.one_in(40) { count } else { self.random.i32(0..count) }
    }

    fn create_topic(&mut self) {
        let name = self.pick(&TOPICS).to_owned();
        let partitions = match self.random.u32(0..20) {
            0 => None,
            1 => Some(self.pick(&[0, -1, -2])),
            _ => Some(self.random.i32(1..=6)),
        };
        let replication_factor = match self.random.u32(0..20) {
            0 => Some(self.pick(&[0, 2, -1])),
            1..8 => Some(1),
            _ => None,
        };
        let mut configs = std::collections::BTreeMap::new();
        for _ in 0..self.random.usize(0..=4) {
            let (name, value) = self.config();
            configs.insert(name.to_owned(), value);
        }
        self.push(Command::CreateTopic { name, partitions, replication_factor, configs });
    }

    fn config(&mut self) -> (&'static str, String) {
        let hours = self.random.i64(1..60) * HOUR + HOUR / 2;
        match self.random.u32(0..20) {
            0..5 => ("internal.segment.bytes", self.random.i32(150..3_000).to_string()),
            5..8 => {
                ("cleanup.policy", self.pick(&["compact", "compact,delete", "delete", ""]).into())
            }
            8 | 9 => ("retention.ms", hours.to_string()),
            10 => ("retention.bytes", self.random.i32(0..4_000).to_string()),
            11 => ("segment.ms", hours.to_string()),
            12 => ("min.cleanable.dirty.ratio", self.pick(&["0", "0.1", "0.5", "1"]).into()),
            13 => ("delete.retention.ms", self.pick(&["0", "86400000"]).into()),
            14 => ("min.compaction.lag.ms", hours.to_string()),
            15 => ("index.interval.bytes", self.pick(&["0", "100", "1000"]).into()),
            16 => ("message.timestamp.type", self.pick(&["LogAppendTime", "CreateTime"]).into()),
            17 => ("max.message.bytes", self.random.i32(400..4_000).to_string()),
            18 => ("message.timestamp.before.max.ms", hours.to_string()),
            _ => self.wrong_config(),
        }
    }

    fn wrong_config(&mut self) -> (&'static str, String) {
        let (name, value) = self.pick(&[
            ("retention.ms", "-2"),
            ("retention.ms", "a week"),
            ("retention.ms", " 7200000 "),
            ("cleanup.policy", "shred"),
            ("segment.bytes", "1000"),
            ("min.cleanable.dirty.ratio", "1.5"),
            ("message.timestamp.type", "createtime"),
            ("no.such.config", "1"),
            ("min.insync.replicas", "0"),
            ("max.compaction.lag.ms", "0"),
        ]);
        (name, value.to_owned())
    }

    fn alter_configs(&mut self) {
        let topic = self.topic();
        let ops = (0..self.random.usize(1..=2))
            .map(|_| {
                let (name, value) = self.config();
                let op = match self.random.u32(0..10) {
                    0 | 1 => ConfigOp::Delete,
                    2 => self.pick(&[ConfigOp::Append, ConfigOp::Subtract]),
                    _ => ConfigOp::Set,
                };
                let value = (op != ConfigOp::Delete).then_some(value);
                AlterConfigOp { op, name: name.to_owned(), value }
            })
            .collect::<Vec<_>>();
        // The client keeps the changes of a request in a hash set: of two for one config it is not
        // known which comes first.
        if ops.len() == 2 && ops[0].name == ops[1].name {
            return;
        }
        self.push(Command::AlterConfigs { topic, ops });
    }

    fn create_partitions(&mut self) {
        let topic = self.topic();
        let count = self.cluster.topic(&topic).map_or(3, Topic::partition_count);
        let more = if self.one_in(5) { self.pick(&[0, -1]) } else { self.random.i32(1..=3) };
        self.push(Command::CreatePartitions { topic, total: count + more });
    }

    fn delete_records(&mut self) {
        let topic = self.topic();
        let partition = self.partition_of(&topic);
        let held = self.cluster.topic(&topic).and_then(|topic| topic.partition(partition));
        // For a partition that is not there Kafka's client asks again until it gives up.
        let Some(held) = held else { return };
        let end = held.log.log_end_offset();
        let before = match self.random.u32(0..8) {
            0 => -1,
            1 => self.pick(&[-2, end + 1]),
            _ => self.random.i64(0..=end),
        };
        self.push(Command::DeleteRecords { topic, partition, before });
    }

    /// Topics that are there: a consumer would wait for others.
    fn subscription(&mut self) -> Vec<String> {
        let mut topics: Vec<String> =
            self.cluster.topics().map(|(name, _)| name.to_owned()).collect();
        self.random.shuffle(&mut topics);
        topics.truncate(self.random.usize(1..=2));
        topics
    }

    fn consume(&mut self) {
        let group = self.pick(&GROUPS).to_owned();
        let topics = self.subscription();
        if topics.is_empty() {
            return;
        }
        let commit = self.one_in(3).then(|| {
            let topic = topics[0].clone();
            let partition = self.cluster.topic(&topic).map_or(1, Topic::partition_count);
            let partition = self.random.i32(0..partition);
            let held = self.cluster.topic(&topic).and_then(|topic| topic.partition(partition));
            // Kafka takes any offset, and the next reader finds out.
            let end = held.map_or(0, |held| held.log.log_end_offset()) + 2;
            vec![PartitionOffset::new(&topic, partition, self.random.i64(0..=end))]
        });
        let config = ConsumerConfig {
            topics,
            auto_offset_reset: self.pick(&[
                OffsetReset::Earliest,
                OffsetReset::Earliest,
                OffsetReset::Latest,
            ]),
            protocol: self.pick(&[GroupProtocol::Classic, GroupProtocol::Consumer]),
            ..ConsumerConfig::default()
        };
        let (cluster, now_ms) = (&mut self.cluster, self.now_ms);
        let _answer = product::consume(cluster, &group, &config, commit.as_deref(), now_ms);
        self.acts.push(Act::Consume { group, config, commit });
    }

    fn reset_offsets(&mut self) {
        let group = self.pick(&GROUPS).to_owned();
        let topics = if self.one_in(3) {
            None
        } else if self.one_in(2) {
            let topic = self.topic();
            let partition = self.partition_of(&topic);
            Some(vec![format!("{topic}:{partition}")])
        } else {
            Some(vec![self.topic()])
        };
        let to = match self.random.u32(0..8) {
            6 => self.datetime(),
            7 => {
                let csv = self.plan(&group);
                self.push(Command::ResetOffsets { group, topics: None, to: ResetTo::File { csv } });
                return;
            }
            0 => ResetTo::Earliest,
            1 => ResetTo::Latest,
            2 => ResetTo::Current,
            3 => ResetTo::Offset { offset: self.random.i64(-1..40) },
            4 => ResetTo::Shift { by: self.random.i64(-20..20) },
            // Half an hour off every record.
            _ => ResetTo::Duration { duration: format!("PT{}H30M", self.random.u32(0..80)) },
        };
        self.push(Command::ResetOffsets { group, topics, to });
    }

    /// Half an hour off every record, in one zone or another.
    fn datetime(&mut self) -> ResetTo {
        let ms = self.now_ms - self.random.i64(-1..80) * HOUR - HOUR / 2;
        let zone = self.pick(&["", "Z", "+02", "-0530", "+01:00"]);
        ResetTo::Datetime { datetime: resets::datetime(ms, zone) }
    }

    /// A plan for the partitions of a topic that is there, some offsets outside their logs.
    fn plan(&mut self, group: &str) -> String {
        let topics: Vec<(String, i32)> = self
            .cluster
            .topics()
            .map(|(name, topic)| (name.to_owned(), topic.partition_count()))
            .collect();
        if topics.is_empty() {
            return "nowhere,0,0\n".to_owned();
        }
        let (topic, partitions) = &topics[self.random.usize(0..topics.len())];
        let with_group = self.one_in(3);
        (0..*partitions)
            .map(|partition| {
                let offset = self.random.i64(-2..40);
                let group = if with_group { format!("{group},") } else { String::new() };
                format!("{group}{topic},{partition},{offset}\n")
            })
            .collect()
    }

    fn send(&mut self) {
        let topic = self.topic();
        let partitioner =
            if self.one_in(3) { self.pick(&PARTITIONERS) } else { "java/default" }.to_owned();
        let count = match self.random.u32(0..10) {
            0..6 => 1,
            6..9 => self.random.usize(2..30),
            _ => self.random.usize(30..400),
        };
        let mut records: Vec<Produce> =
            (0..count).map(|number| self.record(&topic, &partitioner, number, count)).collect();
        if let [record] = records.as_mut_slice() {
            if self.one_in(8) {
                record.partition = Some(self.partition_of(&topic));
            }
            let command = Command::Produce(record.clone());
            if record.partition.is_none()
                && self.cluster.clone().apply(&command, self.now_ms).is_err()
            {
                record.partition = Some(self.partition_of(&topic));
            }
        }
        let mut act = Act::Send { topic, partitioner, records };
        if let Ok(Outcome::ProducedMany { refused, .. }) =
            self.cluster.clone().apply(&act.command(), self.now_ms)
            && refused > 0.0
            && let Act::Send { partitioner, records, .. } = &mut act
        {
            // Where the product had put those is not to be found out, so none may be drawn.
            "java/default".clone_into(partitioner);
            for record in records {
                record.key.get_or_insert_with(Bytes::default);
                record.partitioner.clone_from(&Some(partitioner.clone()));
            }
        }
        let mut after = self.cluster.clone();
        if let Ok(Outcome::ProducedMany { refusals, .. }) = after.apply(&act.command(), self.now_ms)
            && refusals.len() >= loglanes::MAX_REFUSALS_TOLD
        {
            // Some more were only counted: there is nothing to compare them by.
            return;
        }
        self.cluster = after;
        self.acts.push(act);
    }

    fn record(&mut self, topic: &str, partitioner: &str, number: usize, count: usize) -> Produce {
        let mut headers: Vec<OwnedHeader> = (0..self.random.usize(0..8).saturating_sub(5))
            .map(|_| OwnedHeader {
                key: self.pick(&["trace", "", "h", "über"]).into(),
                value: self.pick(&[None, Some(""), Some("1")]).map(Bytes::from),
            })
            .collect();
        if count > 1 {
            // By this one a record is found again in the log.
            headers.push(OwnedHeader {
                key: "n".into(),
                value: Some(number.to_string().as_str().into()),
            });
        }
        let key = match self.random.u32(0..10) {
            0..3 => None,
            3 => Some(Vec::new()),
            4 => Some((0..self.random.usize(1..40)).map(|_| self.random.u8(..)).collect()),
            _ => Some(format!("k{}", self.random.u32(0..12)).into_bytes()),
        };
        let large = count < 30 && self.one_in(12);
        let value = match self.random.u32(0..8) {
            0 => None,
            1 => Some(Vec::new()),
            _ if large => Some(vec![self.random.u8(..); self.random.usize(300..9_000)]),
            _ => Some((0..self.random.usize(1..90)).map(|_| self.random.u8(..)).collect()),
        };
        // Sometimes in the future, and sometimes too far. Hours apart, so that no limit is near.
        let hours = if self.one_in(30) { self.random.i64(-3..0) } else { self.random.i64(0..72) };
        Produce {
            producer: None,
            topic: topic.to_owned(),
            partitioner: Some(partitioner.to_owned()),
            partition: None,
            timestamp: Some(self.now_ms - hours * HOUR - self.random.i64(0..60_000)),
            key: key.map(Bytes),
            value: value.map(Bytes),
            headers,
        }
    }
}
