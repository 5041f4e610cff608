//! Histories of transactional producers: a few that take each other's transactional ids, send to a
//! topic among other records, commit, abort, close or die, while consumers of both levels read.

use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset};
use loglanes::log::IsolationLevel;
use loglanes::producer::TransactionState;
use loglanes::topic::{AlterConfigOp, ConfigOp};
use loglanes::{Bytes, Command, Produce};

use crate::act::{Act, MEMBER};
use crate::maker::Maker;
use crate::product;

const HOUR: i64 = 3_600_000;

const TOPIC: &str = "payments";

const PRODUCERS: [&str; 3] = ["p1", "p2", "p3"];

/// The group whose offsets are committed in transactions.
const SETTLEMENTS: &str = "settlements";

/// The history of a seed, its times before `now_ms`.
pub fn generate(seed: u64, now_ms: i64) -> Vec<Act> {
    let mut maker = Maker::new(seed, now_ms);
    maker.payments_topic();
    for producer in PRODUCERS {
        maker.create_producer(producer);
    }
    maker.settlement_member();
    for _ in 0..maker.random.usize(25..=60) {
        maker.payment_act();
    }
    maker.acts
}

impl Maker {
    fn payments_topic(&mut self) {
        let mut configs = std::collections::BTreeMap::new();
        let mut set = |name: &str, value: String| configs.insert(name.to_owned(), value);
        if self.random.bool() {
            set("internal.segment.bytes", self.random.i32(200..1_500).to_string());
        }
        if self.random.u32(0..3) == 0 {
            set("index.interval.bytes", self.random.i32(0..300).to_string());
        }
        if self.random.u32(0..3) == 0 {
            set("cleanup.policy", "compact".to_owned());
            set("min.cleanable.dirty.ratio", "0".to_owned());
        }
        let partitions = Some(self.random.i32(1..=3));
        self.push(Command::CreateTopic {
            name: TOPIC.to_owned(),
            partitions,
            replication_factor: None,
            configs,
        });
    }

    fn create_producer(&mut self, name: &str) {
        // Two of three share an id, so that one fences the other.
        let id = if self.random.u32(0..4) == 0 { "alone" } else { "shared" };
        let configs = [("transactional.id".to_owned(), id.to_owned())].into();
        let producer = name.to_owned();
        self.push(Command::CreateProducer { producer, partitioner: None, configs });
    }

    fn payment_act(&mut self) {
        let name = self.pick(&PRODUCERS).to_owned();
        let state = self.cluster.producer(&name).map(|producer| producer.transaction);
        let is_there = state.is_some();
        // Kafka's client keeps a record that it refuses outside of a transaction, and goes wrong by it
        // later: it sends it with the next one, or cannot close.
        let may_send = matches!(
            state,
            Some(TransactionState::InTransaction | TransactionState::AbortableError(_))
        );
        match self.random.u32(0..100) {
            // One that was closed is made anew sooner or later.
            0..8 if !is_there => self.create_producer(&name),
            0..50 if may_send => {
                let record = Produce { producer: Some(name), ..self.payment() };
                self.push(Command::Produce(record));
            }
            0..40 if state == Some(TransactionState::Uninitialized) => {
                self.push(Command::InitTransactions { producer: name });
            }
            0..48 => self.push(Command::BeginTransaction { producer: name }),
            48..50 => self.push(Command::InitTransactions { producer: name }),
            50..58 => self.send_plainly(),
            58..60 => self.push(Command::BeginTransaction { producer: name }),
            60..72 => self.push(Command::CommitTransaction { producer: name }),
            72..82 => self.push(Command::AbortTransaction { producer: name }),
            82..84 if is_there => self.push(Command::CloseProducer { producer: name }),
            84..86 if is_there => self.push(Command::KillProducer { producer: name }),
            86..88 => self.push(Command::RunCleaner { topic: None }),
            88..90 => self.delete_payments(),
            90..92 => self.alter_payments(),
            92..95 if may_send => self.settle(name),
            _ => self.read_payments(),
        }
    }

    fn payment(&mut self) -> Produce {
        let partitions = self.cluster.topic(TOPIC).map_or(1, |topic| topic.partition_count());
        // Hours ago: a record has no time of a marker, which is the broker's.
        let timestamp = self.now_ms - self.random.i64(1..72) * HOUR;
        Produce {
            topic: TOPIC.to_owned(),
            partition: Some(self.random.i32(0..partitions)),
            timestamp: Some(timestamp),
            key: Some(Bytes::from(format!("k{}", self.random.u32(0..5)).as_str())),
            value: Some(Bytes::from("v".repeat(self.random.usize(0..60)).as_str())),
            ..Produce::default()
        }
    }

    fn send_plainly(&mut self) {
        let partitioner = "java/default".to_owned();
        let record = Produce { partitioner: Some(partitioner.clone()), ..self.payment() };
        let act = Act::Send { topic: TOPIC.to_owned(), partitioner, records: vec![record] };
        let _answer = self.cluster.apply(&act.command(), self.now_ms);
        self.acts.push(act);
    }

    fn delete_payments(&mut self) {
        let record = self.payment();
        let partition = record.partition.unwrap_or_default();
        let held = self.cluster.topic(TOPIC).and_then(|topic| topic.partition(partition));
        let end = held.map_or(0, |held| held.log.log_end_offset());
        let before = self.random.i64(0..=end);
        self.push(Command::DeleteRecords { topic: TOPIC.to_owned(), partition, before });
    }

    /// A consumer whose offsets the producers commit: it stays, and reads nothing.
    fn settlement_member(&mut self) {
        let config = ConsumerConfig {
            topics: vec![TOPIC.to_owned()],
            assignors: vec![Assignor::CooperativeSticky],
            ..ConsumerConfig::default()
        };
        let (group, member) = (SETTLEMENTS.to_owned(), MEMBER.to_owned());
        self.push(Command::Join { group, member, config });
    }

    /// An offset that counts as committed when the transaction is.
    fn settle(&mut self, producer: String) {
        let record = self.payment();
        let partition = record.partition.unwrap_or_default();
        let offsets = Some(vec![PartitionOffset::new(TOPIC, partition, self.random.i64(0..40))]);
        let (group, member) = (SETTLEMENTS.to_owned(), MEMBER.to_owned());
        self.push(Command::SendOffsets { producer, group, member, offsets });
    }

    /// Another config in the middle of it all.
    fn alter_payments(&mut self) {
        let (name, values): (_, &[&str]) = self.pick(&[
            ("cleanup.policy", ["compact", "delete", "compact,delete"].as_slice()),
            ("internal.segment.bytes", &["250", "700", "1300"]),
            ("index.interval.bytes", &["0", "150"]),
            ("delete.retention.ms", &["0", "86400000"]),
            ("max.message.bytes", &["130", "5000"]),
        ]);
        let value = (!self.one_in(4)).then(|| self.pick(values).to_owned());
        let op = if value.is_some() { ConfigOp::Set } else { ConfigOp::Delete };
        let ops = vec![AlterConfigOp { op, name: name.to_owned(), value }];
        self.push(Command::AlterConfigs { topic: TOPIC.to_owned(), ops });
    }

    fn read_payments(&mut self) {
        let group = self.pick(&["billing", "audit"]).to_owned();
        let config = ConsumerConfig {
            topics: vec![TOPIC.to_owned()],
            auto_offset_reset: OffsetReset::Earliest,
            protocol: self.pick(&[GroupProtocol::Classic, GroupProtocol::Consumer]),
            isolation_level: self
                .pick(&[IsolationLevel::ReadCommitted, IsolationLevel::ReadUncommitted]),
            ..ConsumerConfig::default()
        };
        let _answer = product::consume(&mut self.cluster, &group, &config, None, self.now_ms);
        self.acts.push(Act::Consume { group, config, commit: None });
    }
}
