//! What a page may do with a session, at random, and where it keeps what it saves.

use std::collections::BTreeMap;

use loglanes::generate::GenerateSpec;
use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, GroupProtocol, OffsetReset, PartitionOffset, TopicPattern};
use loglanes::log::{IsolationLevel, NewRecord};
use loglanes::snapshot::{Export, FileReader, Restorer};
use loglanes::{
    Bytes, Command, ImportSpec, LogEnd, OwnedHeader, Produce, RecordSet, SeekTo, Session,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

pub const NOW: i64 = 1_700_000_000_000;

/// What a page may do with a session.
#[derive(Debug, Clone)]
pub enum Act {
    Apply(Command),
    /// The clock of the caller goes on; timers may run.
    Wait(i64),
    /// A save: so many steps at most, and whether each is told to be written.
    Save(Vec<bool>),
    /// A generation in pieces of so many records, ended early if they run out.
    Generate(Command, Vec<u64>),
    /// An import in pieces of so many bytes.
    Import(ImportSpec, Vec<u8>, usize),
    /// To some step of the history.
    Travel(Index),
    Undo,
    Redo,
    /// Takes something up that was set aside, or forgets it.
    Aside(Index, bool),
}

fn topic() -> impl Strategy<Value = String> {
    let often = select(vec!["a", "b", "c.d", "c_d"]).prop_map(str::to_owned);
    let seldom = select(vec!["", ".", "a b", "__consumer_offsets", "nope", "ä"]);
    prop_oneof![9 => often, 1 => seldom.prop_map(str::to_owned)]
}

fn group() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(vec!["g", "h"]), 1 => select(vec!["", " ", "none"])]
        .prop_map(str::to_owned)
}

fn member() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(vec!["m1", "m2", "m3"]), 1 => select(vec!["", "x"])]
        .prop_map(str::to_owned)
}

fn partition() -> impl Strategy<Value = i32> {
    prop_oneof![9 => 0..4i32, 1 => select(vec![-1, 4, i32::MAX, i32::MIN])]
}

fn offset() -> impl Strategy<Value = i64> {
    prop_oneof![6 => 0..12i64, 1 => any::<i64>(), 1 => Just(-1)]
}

fn bytes() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        3 => select(vec!["", "null", "k1", "k2", "k3"]).prop_map(Bytes::from),
        2 => vec(any::<u8>(), 0..20).prop_map(Bytes::from),
        1 => (0..40_000usize).prop_map(|size| Bytes::from(vec![b'x'; size])),
    ]
}

fn partitioner() -> impl Strategy<Value = Option<String>> {
    option::weighted(
        0.3,
        select(vec![
            "java/default",
            "java/round_robin",
            "sarama/hash",
            "librdkafka/consistent_random",
            "kafkajs/default",
            "no/such",
        ])
        .prop_map(str::to_owned),
    )
}

fn producer() -> impl Strategy<Value = String> {
    select(vec!["p1", "p2", "p3", "nobody"]).prop_map(str::to_owned)
}

/// A producer, a partitioner, neither, and now and then both.
fn sender() -> impl Strategy<Value = (Option<String>, Option<String>)> {
    prop_oneof![
        4 => producer().prop_map(|producer| (Some(producer), None)),
        6 => partitioner().prop_map(|partitioner| (None, partitioner)),
        1 => (producer(), partitioner()).prop_map(|(producer, one)| (Some(producer), one)),
    ]
}

/// What producers do beside sending. Two share a transactional id.
fn producing() -> impl Strategy<Value = Command> {
    let configs = btree_map(
        select(vec!["transactional.id", "transactional.id", "enable.idempotence", "acks", "x"]),
        select(vec!["x1", "x2", "false", "1", "all"]),
        0..2,
    );
    let at = (topic(), partition(), offset())
        .prop_map(|(topic, partition, offset)| PartitionOffset::new(&topic, partition, offset));
    let offsets = option::of(vec(at, 0..3));
    let details = (configs, partitioner(), group(), member(), offsets);
    (producer(), 0..20u32, details).prop_map(|(producer, kind, details)| {
        let (configs, partitioner, group, member, offsets) = details;
        let configs = configs.into_iter().map(|(name, value)| (name.into(), value.into()));
        match kind {
            0..=4 => Command::CreateProducer { producer, partitioner, configs: configs.collect() },
            5..=7 => Command::InitTransactions { producer },
            8..=11 => Command::BeginTransaction { producer },
            12 | 13 => Command::CommitTransaction { producer },
            14 | 15 => Command::AbortTransaction { producer },
            16 => Command::SendOffsets { producer, group, member, offsets },
            17 => Command::CloseProducer { producer },
            18 => Command::KillProducer { producer },
            _ => Command::Retry { producer: Some(producer).filter(|name| name != "nobody") },
        }
    })
}

fn timestamp() -> impl Strategy<Value = Option<i64>> {
    option::of(prop_oneof![
        4 => (-10_000_000..3_700_000i64).prop_map(|ago| NOW + ago),
        1 => any::<i64>(),
    ])
}

fn produce() -> impl Strategy<Value = Produce> {
    let header = (bytes(), option::of(bytes())).prop_map(|(key, value)| OwnedHeader { key, value });
    (
        (topic(), sender(), option::weighted(0.3, partition()), timestamp()),
        (option::of(bytes()), option::of(bytes()), vec(header, 0..3)),
    )
        .prop_map(|((topic, (producer, partitioner), partition, timestamp), details)| {
            let (key, value, headers) = details;
            Produce { topic, producer, partitioner, partition, timestamp, key, value, headers }
        })
}

fn record_set() -> impl Strategy<Value = RecordSet> {
    let sound =
        vec((timestamp(), option::of(bytes()), option::of(bytes())), 0..12).prop_map(|records| {
            let mut set = RecordSet::builder();
            for (timestamp, key, value) in &records {
                let timestamp = timestamp.unwrap_or(NOW).max(-1);
                let (key, value) = (key.as_deref(), value.as_deref());
                set.push(&NewRecord { timestamp, key, value, headers: &[] }).unwrap();
            }
            set.finish()
        });
    let junk = vec(any::<u8>(), 0..100).prop_map(RecordSet::from_bytes);
    prop_oneof![9 => sound, 1 => junk]
}

fn spec() -> impl Strategy<Value = GenerateSpec> {
    (
        prop_oneof![9 => 1..300u64, 1 => Just(0)],
        0..50u64,
        prop_oneof![2 => Just(0.0), 2 => 0.0..3.0f64, 1 => any::<f64>()],
        0..200u64,
        0..1_000u64,
    )
        .prop_map(|(count, keys, skew, value_bytes, seed)| GenerateSpec {
            count,
            keys,
            skew,
            value_bytes,
            seed,
            key_pattern: None,
        })
}

fn generate() -> impl Strategy<Value = Command> {
    (topic(), sender(), spec()).prop_map(|(topic, (producer, partitioner), spec)| {
        Command::Generate { topic, producer, partitioner, spec }
    })
}

fn create() -> impl Strategy<Value = Command> {
    let configs = btree_map(
        select(vec![
            "segment.bytes",
            "internal.segment.bytes",
            "max.message.bytes",
            "message.timestamp.type",
            "index.interval.bytes",
            "segment.ms",
            "foo",
            "retention.ms",
            "cleanup.policy",
            "min.cleanable.dirty.ratio",
        ])
        .prop_map(str::to_owned),
        select(vec!["1048576", "20000", "LogAppendTime", "1", "007", "x", "0", "compact"])
            .prop_map(str::to_owned),
        0..4,
    );
    let partitions = prop_oneof![8 => 1..5i32, 1 => select(vec![0, -1, -2, 10_000, i32::MAX])];
    let factor = prop_oneof![8 => 1..4i16, 1 => select(vec![0, -1, 4, i16::MAX])];
    (topic(), option::of(partitions), option::of(factor), configs).prop_map(
        |(name, partitions, replication_factor, configs)| Command::CreateTopic {
            name,
            partitions,
            replication_factor,
            configs,
        },
    )
}

fn consumer() -> impl Strategy<Value = ConsumerConfig> {
    let reset = select(vec![
        OffsetReset::Earliest,
        OffsetReset::Latest,
        OffsetReset::None,
        OffsetReset::ByDuration(1_000),
    ]);
    let assignors = prop_oneof![
        2 => Just(Assignor::DEFAULT.to_vec()),
        1 => vec(select(Assignor::ALL.to_vec()), 0..3),
    ];
    let instance = option::weighted(0.3, select(vec!["i1".to_owned(), "i2".to_owned()]));
    let fetch = select(vec![1_048_576, 150, 0, -1]);
    let protocol = select(vec![GroupProtocol::Classic, GroupProtocol::Consumer]);
    let remote = option::weighted(0.2, select(vec!["range".to_owned(), "uniform".to_owned()]));
    let isolation = select(vec![IsolationLevel::ReadUncommitted, IsolationLevel::ReadCommitted]);
    let how = (fetch, protocol, remote, isolation);
    let ms = || option::weighted(0.2, select(vec![0, 5_000, 6_000, 60_000, -1]));
    let times = (ms(), ms(), ms(), option::weighted(0.2, pattern()));
    (vec(topic(), 0..3), reset, assignors, instance, any::<bool>(), how, times).prop_map(
        |(topics, auto_offset_reset, assignors, instance_id, auto_commit, how, times)| {
            ConsumerConfig {
                topics: if times.3.is_some() { Vec::new() } else { topics },
                pattern: times.3,
                session_timeout_ms: times.0,
                heartbeat_interval_ms: times.1,
                max_poll_interval_ms: times.2,
                auto_offset_reset,
                assignors,
                instance_id,
                auto_commit,
                max_partition_fetch_bytes: how.0,
                protocol: how.1,
                remote_assignor: how.2,
                isolation_level: how.3,
                ..ConsumerConfig::default()
            }
        },
    )
}

fn pattern() -> impl Strategy<Value = TopicPattern> {
    let text = select(vec![".*", "[a-m].*", "t|u", "(", "x*+"]).prop_map(str::to_owned);
    prop_oneof![text.clone().prop_map(TopicPattern::Java), text.prop_map(TopicPattern::Re2)]
}

fn in_group() -> impl Strategy<Value = Command> {
    let to = prop_oneof![
        3 => offset().prop_map(SeekTo::Offset),
        1 => Just(SeekTo::End(LogEnd::Beginning)),
        1 => Just(SeekTo::End(LogEnd::End)),
    ];
    let place = (topic(), partition(), offset())
        .prop_map(|(topic, partition, offset)| PartitionOffset::new(&topic, partition, offset));
    let most = option::of(prop_oneof![8 => 1..20i32, 1 => select(vec![0, -1, i32::MAX])]);
    let details = (consumer(), most, option::of(vec(place, 0..3)));
    let seek = (topic(), partition(), to);
    (group(), member(), 0..35u32, details, seek).prop_map(
        |(group, member, kind, (config, max_records, offsets), seek)| {
            let (topic, partition, to) = seek;
            match kind {
                0..=4 => Command::Join { group, member, config },
                5 => Command::Leave { group, member },
                6 => Command::Crash { group, member },
                7 => Command::Restart { group, member },
                8..=13 => Command::Poll { group, member, max_records },
                14..=16 => Command::Commit { group, member, offsets },
                17..=19 => Command::Seek { group, member, topic, partition, to },
                20 => Command::RefreshMetadata { group },
                21 => Command::Pause { group, member, topic, partition },
                22 => Command::Resume { group, member, topic, partition },
                23..=24 => {
                    let (topics, pattern) = (config.topics, config.pattern);
                    Command::Subscribe { group, member, topics, pattern }
                }
                25 => Command::EnforceRebalance { group, member },
                26 => Command::ExceedPollInterval { group, member },
                27 => Command::RemoveMembers { group },
                28..=30 => {
                    let of = |at: PartitionOffset| at.topic_partition();
                    let partitions = offsets.unwrap_or_default().into_iter().map(of).collect();
                    let group = if partition % 2 == 0 { String::new() } else { group };
                    let config = ConsumerConfig { topics: Vec::new(), pattern: None, ..config };
                    Command::Assign { group, member, partitions, config }
                }
                31..=33 => {
                    let group = String::new();
                    Command::Poll { group, member, max_records }
                }
                _ => Command::DeleteGroup { group },
            }
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let growth = prop_oneof![6 => 1..8i32, 1 => select(vec![0, -1, 1_000_000_000, i32::MIN])];
    let many = (topic(), sender(), record_set()).prop_map(|(topic, sender, records)| {
        let (producer, partitioner) = sender;
        Command::ProduceMany { topic, producer, partitioner, records }
    });
    let clock = prop_oneof![6 => 0..400_000i64, 1 => any::<i64>()];
    prop_oneof![
        3 => create(),
        1 => topic().prop_map(|name| Command::DeleteTopic { name }),
        1 => (topic(), growth).prop_map(|(topic, total)| Command::CreatePartitions { topic, total }),
        8 => produce().prop_map(Command::Produce),
        2 => many,
        2 => generate(),
        12 => in_group(),
        10 => producing(),
        1 => clock.prop_map(|ms| Command::AdvanceClock { ms }),
        1 => Just(Command::Tick),
        1 => (topic(), partition(), offset())
            .prop_map(|(topic, partition, before)| Command::DeleteRecords { topic, partition, before }),
        1 => option::of(topic()).prop_map(|topic| Command::RunRetention { topic }),
        1 => option::of(topic()).prop_map(|topic| Command::RunCleaner { topic }),
    ]
}

pub fn act() -> impl Strategy<Value = Act> {
    let spec = (topic(), partitioner(), option::of(Just("k".to_owned()))).prop_map(
        |(topic, partitioner, key)| ImportSpec {
            partitioner,
            ..ImportSpec::ndjson(topic, key.as_deref())
        },
    );
    let line = select(vec![
        "{\"k\":\"a\",\"n\":1}\n",
        "{\"k\":null}\n",
        "{\"k\":\"\"}\r\n",
        "\n",
        "not json\n",
        "{\"n\":2}\n",
        "{\"k\":\"ü\"}",
    ]);
    let file = vec(line, 0..8).prop_map(|lines| lines.concat().into_bytes());
    prop_oneof![
        20 => command().prop_map(Act::Apply),
        2 => prop_oneof![9 => 0..100_000i64, 1 => -2 * NOW..2 * NOW].prop_map(Act::Wait),
        3 => vec(any::<bool>(), 1..4).prop_map(Act::Save),
        1 => (generate(), vec(0..200u64, 0..4)).prop_map(|(c, steps)| Act::Generate(c, steps)),
        1 => (spec, file, 1..40usize).prop_map(|(spec, file, piece)| Act::Import(spec, file, piece)),
        2 => any::<Index>().prop_map(Act::Travel),
        2 => Just(Act::Undo),
        2 => Just(Act::Redo),
        1 => (any::<Index>(), prop::bool::weighted(0.9)).prop_map(|(i, up)| Act::Aside(i, up)),
    ]
}

/// Where a page keeps what it saves.
#[derive(Default)]
pub struct Store(pub BTreeMap<String, Vec<u8>>);

impl Store {
    /// Whether there is more to save.
    pub fn save(&mut self, session: &mut Session, is_told: bool) -> bool {
        let Some(changes) = session.changes().unwrap() else { return false };
        self.0.extend(changes.puts);
        for name in &changes.deletes {
            self.0.remove(name);
        }
        if is_told {
            session.saved(changes.token);
        }
        true
    }

    pub fn save_all(&mut self, session: &mut Session) {
        while self.save(session, true) {}
    }

    pub fn restore(&self) -> loglanes::Result<Session> {
        let mut restorer = Restorer::default();
        for (name, bytes) in &self.0 {
            restorer.add(name, bytes)?;
        }
        restorer.finish()
    }
}

/// A session, its clock and its store.
pub struct Run {
    pub session: Session,
    pub now: i64,
    pub store: Store,
}

impl Run {
    pub fn new(seed: i64) -> Self {
        Self { session: Session::new(seed), now: NOW, store: Store::default() }
    }

    /// Does it, and checks that a refusal changed nothing.
    pub fn act(&mut self, act: Act) {
        let before = (self.session.cluster().clone(), self.session.history().clone());
        let refused = match act {
            Act::Apply(command) => self.session.apply(command, self.now).err(),
            Act::Wait(ms) => {
                self.now += ms;
                self.session.tick(self.now);
                None
            }
            Act::Travel(to) => {
                let length = self.session.history().len() as usize;
                self.session.travel(to.index(length + 1) as u64).unwrap();
                None
            }
            Act::Undo => {
                if let Some(to) = self.session.undo_position() {
                    self.session.travel(to).unwrap();
                }
                None
            }
            Act::Redo => {
                if let Some(to) = self.session.redo_position() {
                    self.session.travel(to).unwrap();
                }
                None
            }
            Act::Aside(which, taken_up) => {
                let asides = self.session.history().asides();
                if !asides.is_empty() {
                    let id = asides[which.index(asides.len())].id;
                    match taken_up {
                        true => self.session.take_up(id).unwrap(),
                        false => self.session.forget_aside(id),
                    }
                }
                None
            }
            Act::Save(told) => {
                for is_told in told {
                    self.store.save(&mut self.session, is_told);
                }
                None
            }
            Act::Generate(command, steps) => {
                let begun = self.session.begin_generate(command, self.now);
                if begun.is_ok() {
                    for step in steps {
                        self.session.step(step).unwrap();
                        self.refuses_all_else();
                    }
                    self.session.finish().unwrap();
                }
                begun.err()
            }
            Act::Import(spec, file, piece) => {
                let begun = self.session.begin_import(spec, self.now);
                if begun.is_ok() {
                    for piece in file.chunks(piece) {
                        self.session.feed(piece).unwrap();
                        self.refuses_all_else();
                    }
                    let (_, progress) = self.session.finish().unwrap();
                    assert_eq!(progress.bytes, file.len() as f64);
                }
                begun.err()
            }
        };
        if let Some(error) = refused {
            assert!(!error.message().is_empty());
            let now = (self.session.cluster().clone(), self.session.history().clone());
            assert!(now == before, "a refusal changed something: {error}");
        }
    }

    fn refuses_all_else(&mut self) {
        assert!(self.session.apply(Command::Tick, self.now).is_err());
        assert!(self.session.changes().unwrap().is_none());
        assert!(!self.session.tick(self.now));
    }
}

pub fn same(ours: &Session, other: &Session) {
    assert_eq!(ours.seed(), other.seed());
    assert!(ours.cluster() == other.cluster(), "the cluster differs");
    assert!(ours.history() == other.history(), "the history differs");
}

pub fn exported(session: &Session) -> Vec<u8> {
    let mut export = Export::default();
    let mut file = Vec::new();
    while let Some(part) = export.next_part(session).unwrap() {
        file.extend(part);
    }
    file
}

pub fn imported(file: &[u8], piece: usize) -> loglanes::Result<Session> {
    let mut reader = FileReader::default();
    for piece in file.chunks(piece) {
        reader.feed(piece)?;
    }
    reader.finish()
}
