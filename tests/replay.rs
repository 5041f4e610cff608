//! Histories, saves and files give back exactly what was: for any commands, in any order, with
//! saves at any moment and some of them lost.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::BTreeMap;

use loglanes::generate::GenerateSpec;
use loglanes::group::assignor::Assignor;
use loglanes::group::{ConsumerConfig, OffsetReset, PartitionOffset};
use loglanes::log::NewRecord;
use loglanes::scenario::{Player, Scenario, history_text};
use loglanes::snapshot::{BLOCK_BYTES, Export, FileReader, Restorer};
use loglanes::{
    Bytes, Cluster, Command, ImportSpec, LogEnd, OwnedHeader, Produce, RecordSet, SeekTo, Session,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

const NOW: i64 = 1_700_000_000_000;

/// What a page may do with a session.
#[derive(Debug, Clone)]
enum Act {
    Apply(Command),
    /// The clock of the caller goes on; timers may run.
    Wait(i64),
    /// A save: so many steps at most, and whether each is told to be written.
    Save(Vec<bool>),
    /// A generation in pieces of so many records, ended early if they run out.
    Generate(Command, Vec<u64>),
    /// An import in pieces of so many bytes.
    Import(ImportSpec, Vec<u8>, usize),
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

fn timestamp() -> impl Strategy<Value = Option<i64>> {
    option::of(prop_oneof![
        4 => (-10_000_000..3_700_000i64).prop_map(|ago| NOW + ago),
        1 => any::<i64>(),
    ])
}

fn produce() -> impl Strategy<Value = Produce> {
    let header = (bytes(), option::of(bytes())).prop_map(|(key, value)| OwnedHeader { key, value });
    (
        (topic(), partitioner(), option::weighted(0.3, partition()), timestamp()),
        (option::of(bytes()), option::of(bytes()), vec(header, 0..3)),
    )
        .prop_map(|((topic, partitioner, partition, timestamp), (key, value, headers))| {
            Produce { topic, partitioner, partition, timestamp, key, value, headers }
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
    (topic(), partitioner(), spec()).prop_map(|(topic, partitioner, spec)| Command::Generate {
        topic,
        partitioner,
        spec,
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
        ])
        .prop_map(str::to_owned),
        select(vec!["1048576", "20000", "LogAppendTime", "1", "007", "x", "0"])
            .prop_map(str::to_owned),
        0..2,
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
    (vec(topic(), 0..3), reset, assignors, instance, any::<bool>(), fetch).prop_map(
        |(topics, auto_offset_reset, assignors, instance_id, auto_commit, fetch)| ConsumerConfig {
            topics,
            auto_offset_reset,
            assignors,
            instance_id,
            auto_commit,
            max_partition_fetch_bytes: fetch,
        },
    )
}

fn in_group() -> impl Strategy<Value = Command> {
    let to = prop_oneof![
        3 => offset().prop_map(SeekTo::Offset),
        1 => Just(SeekTo::End(LogEnd::Beginning)),
        1 => Just(SeekTo::End(LogEnd::End)),
    ];
    let place = (topic(), partition(), offset())
        .prop_map(|(topic, partition, offset)| PartitionOffset { topic, partition, offset });
    let most = option::of(prop_oneof![8 => 1..20i32, 1 => select(vec![0, -1, i32::MAX])]);
    let details = (consumer(), most, option::of(vec(place, 0..3)));
    let seek = (topic(), partition(), to);
    (group(), member(), 0..24u32, details, seek).prop_map(
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
                _ => Command::DeleteGroup { group },
            }
        },
    )
}

fn command() -> impl Strategy<Value = Command> {
    let growth = prop_oneof![6 => 1..8i32, 1 => select(vec![0, -1, 1_000_000_000, i32::MIN])];
    let many = (topic(), partitioner(), record_set()).prop_map(|(topic, partitioner, records)| {
        Command::ProduceMany { topic, partitioner, records }
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
        1 => clock.prop_map(|ms| Command::AdvanceClock { ms }),
        1 => Just(Command::Tick),
    ]
}

fn act() -> impl Strategy<Value = Act> {
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
    ]
}

/// Where a page keeps what it saves.
#[derive(Default)]
struct Store(BTreeMap<String, Vec<u8>>);

impl Store {
    /// Whether there is more to save.
    fn save(&mut self, session: &mut Session, is_told: bool) -> bool {
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

    fn save_all(&mut self, session: &mut Session) {
        while self.save(session, true) {}
    }

    fn restore(&self) -> loglanes::Result<Session> {
        let mut restorer = Restorer::default();
        for (name, bytes) in &self.0 {
            restorer.add(name, bytes)?;
        }
        restorer.finish()
    }
}

/// A session, its clock and its store.
struct Run {
    session: Session,
    now: i64,
    store: Store,
}

impl Run {
    fn new(seed: i64) -> Self {
        Self { session: Session::new(seed), now: NOW, store: Store::default() }
    }

    /// Does it, and checks that a refusal changed nothing.
    fn act(&mut self, act: Act) {
        let before = (self.session.cluster().clone(), self.session.history().clone());
        let refused = match act {
            Act::Apply(command) => self.session.apply(command, self.now).err(),
            Act::Wait(ms) => {
                self.now += ms;
                self.session.tick(self.now);
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

fn same(ours: &Session, other: &Session) {
    assert_eq!(ours.seed(), other.seed());
    assert!(ours.cluster() == other.cluster(), "the cluster differs");
    assert!(ours.history() == other.history(), "the history differs");
}

fn exported(session: &Session) -> Vec<u8> {
    let mut export = Export::default();
    let mut file = Vec::new();
    while let Some(part) = export.next_part(session).unwrap() {
        file.extend(part);
    }
    file
}

fn imported(file: &[u8], piece: usize) -> loglanes::Result<Session> {
    let mut reader = FileReader::default();
    for piece in file.chunks(piece) {
        reader.feed(piece)?;
    }
    reader.finish()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 4_000, ..Default::default() })]

    #[test]
    fn a_refusal_changes_nothing_and_the_history_leads_back(
        seed in any::<i64>(),
        acts in vec(act(), 1..60),
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        let replayed = run.session.history().replay(seed).unwrap();
        prop_assert!(replayed == *run.session.cluster(), "the replay differs");
    }

    #[test]
    fn a_history_written_as_a_scenario_leads_back(
        seed: i64,
        acts in vec(act(), 0..60),
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        let text = history_text(&run.session).unwrap();
        let scenario = Scenario::parse(&text)
            .map_err(|problems| TestCaseError::fail(format!("{text}\n{problems:?}")))?;
        let (mut player, _) = Player::new(&scenario);
        let report = player.finish();
        prop_assert!(report.is_met(), "{:?}\n{}", report.stopped, text);
        prop_assert_eq!(player.session().cluster(), run.session.cluster());
        prop_assert_eq!(history_text(player.session()).unwrap(), text);
    }

    #[test]
    fn what_was_saved_in_many_moments_comes_back_the_same(
        seed in any::<i64>(),
        acts in vec(act(), 1..60),
        later in vec(act(), 0..10),
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        run.store.save_all(&mut run.session);
        let mut restored = run.store.restore().unwrap();
        same(&run.session, &restored);
        if let Some(changes) = restored.changes().unwrap() {
            // A save of which nobody heard that it was written may have left chunks that nothing
            // needs; they go with the first save after reading.
            prop_assert_eq!(changes.puts.len(), 1, "what was just read is saved");
            prop_assert!(!changes.deletes.is_empty(), "what was just read is saved");
            restored.saved(changes.token);
            changes.deletes.iter().for_each(|name| drop(run.store.0.remove(name)));
            prop_assert!(restored.changes().unwrap().is_none(), "once is enough");
            same(&run.session, &run.store.restore().unwrap());
        }

        // Life goes on in the restored one just as in the first, and is saved over the old.
        let mut second = Run { session: restored, now: run.now, store: Store(run.store.0.clone()) };
        for act in later {
            run.act(act.clone());
            second.act(act);
        }
        same(&run.session, &second.session);
        second.store.save_all(&mut second.session);
        same(&second.session, &second.store.restore().unwrap());
    }

    /// A page may be closed at any moment: what is in the store then is some earlier state, whole.
    #[test]
    fn a_store_that_was_left_at_any_moment_holds_a_state_there_was(
        seed in any::<i64>(),
        acts in vec(act(), 1..60),
    ) {
        let mut run = Run::new(seed);
        let mut lengths = vec![(0, run.session.cluster().clone())];
        for act in acts {
            run.act(act);
            lengths.push((run.session.history().len(), run.session.cluster().clone()));
            if run.store.0.contains_key("manifest") {
                let found = run.store.restore().unwrap();
                let (_, cluster) = lengths
                    .iter()
                    .rfind(|(length, _)| *length == found.history().len())
                    .expect("a length that there was");
                prop_assert!(found.cluster() == cluster, "the saved state is none there was");
            }
        }
    }

    #[test]
    fn a_file_gives_back_everything_whatever_its_pieces(
        seed in any::<i64>(),
        acts in vec(act(), 1..40),
        piece in 1..5_000usize,
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        let mut read = imported(&exported(&run.session), piece).unwrap();
        same(&run.session, &read);
        // It comes from a file: nothing of it is in the store yet.
        let mut store = Store::default();
        store.save_all(&mut read);
        same(&run.session, &store.restore().unwrap());
    }

    #[test]
    fn damage_is_told_and_never_loaded(
        seed in any::<i64>(),
        acts in vec(act(), 10..40),
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        bit in 0..8u32,
        kind in 0..4u32,
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        run.store.save_all(&mut run.session);
        let names: Vec<String> = run.store.0.keys().cloned().collect();
        let name = &names[which.index(names.len())];
        let mut damaged = Store(run.store.0.clone());
        let chunk = damaged.0.get_mut(name).unwrap();
        match kind {
            0 => chunk[at.index(run.store.0[name].len())] ^= 1 << bit,
            1 => chunk.truncate(at.index(run.store.0[name].len())),
            2 => chunk.push(0),
            _ => { damaged.0.remove(name); }
        }
        let error = damaged.restore().map(drop).unwrap_err();
        prop_assert_eq!(error.name(), "CORRUPT_BYTES");

        let mut file = exported(&run.session);
        let place = at.index(file.len());
        match kind {
            0 => file[place] ^= 1 << bit,
            1 => file.truncate(place),
            2 => file.push(0),
            _ => { file.remove(place); }
        }
        let error = imported(&file, 1_000).map(drop).unwrap_err();
        prop_assert_eq!(error.name(), "CORRUPT_BYTES");
    }
}

#[test]
fn a_generation_that_is_cancelled_before_its_first_record_can_be_replayed() {
    let mut session = Session::new(7);
    session.apply(Command::create_topic("t", 3), NOW).unwrap();
    for partitioner in [None, Some("kafkajs/default".to_owned())] {
        let spec = GenerateSpec {
            count: 10,
            keys: 3,
            skew: 0.0,
            value_bytes: 5,
            seed: 1,
            key_pattern: None,
        };
        let command = Command::Generate { topic: "t".into(), partitioner, spec };
        session.begin_generate(command, NOW).unwrap();
        session.finish().unwrap();
    }
    assert_eq!(session.history().replay(7).unwrap(), *session.cluster());
}

#[test]
fn after_one_more_record_a_save_writes_one_block_one_chunk_and_the_manifest() {
    let mut session = Session::new(7);
    session.apply(Command::create_topic("t", 2), NOW).unwrap();
    let spec = GenerateSpec {
        count: 40_000,
        keys: 100,
        skew: 0.0,
        value_bytes: 100,
        seed: 1,
        key_pattern: None,
    };
    let fill = Command::Generate { topic: "t".into(), partitioner: None, spec };
    session.apply(fill, NOW).unwrap();
    let mut store = Store::default();
    store.save_all(&mut session);
    for _ in 0..100 {
        session.apply(Command::produce("t", Some(b"k"), Some(b"v")), NOW).unwrap();
        let changes = session.changes().unwrap().unwrap();
        let names: Vec<&str> = changes.puts.iter().map(|(name, _)| name.as_str()).collect();
        let count = |head: &str| names.iter().filter(|name| name.starts_with(head)).count();
        // A batch that falls on the border of two blocks writes both.
        assert!((1..=2).contains(&count("log/")), "{names:?}");
        assert_eq!((count("history/"), count("manifest")), (1, 1), "{names:?}");
        assert_eq!(changes.puts.last().unwrap().0, "manifest");
        assert_eq!(changes.deletes, [""; 0]);
        assert!(changes.bytes() < count("log/") * BLOCK_BYTES + 40_000, "{}", changes.bytes());
        store.save(&mut session, true);
        assert!(session.changes().unwrap().is_none());
    }
    same(&session, &store.restore().unwrap());
}

#[test]
fn a_large_state_is_saved_in_steps_and_between_them_the_last_whole_one_is_there() {
    let mut session = Session::new(7);
    let mut store = Store::default();
    let fill = |topic: &str, seed| Command::Generate {
        topic: topic.into(),
        partitioner: None,
        spec: GenerateSpec {
            count: 60_000,
            keys: 100,
            skew: 0.0,
            value_bytes: 100,
            seed,
            key_pattern: None,
        },
    };
    session.apply(Command::create_topic("a", 2), NOW).unwrap();
    session.apply(Command::create_topic("b", 2), NOW).unwrap();
    store.save_all(&mut session);
    let mut whole = session.cluster().clone();
    for (round, topic) in [(1, "a"), (2, "b"), (3, "a")] {
        session.apply(fill(topic, round), NOW).unwrap();
        let mut steps = 0;
        loop {
            // Work goes on between the steps; in the last round a topic goes away meanwhile.
            session.apply(Command::produce("a", Some(b"k"), Some(b"v")), NOW).unwrap();
            if round == 3 && steps == 1 {
                session.apply(Command::DeleteTopic { name: "b".into() }, NOW).unwrap();
            }
            let Some(changes) = session.changes().unwrap() else {
                panic!("there is always one more")
            };
            let is_last = changes.puts.iter().any(|(name, _)| name == "manifest");
            assert_eq!(is_last, changes.puts.last().unwrap().0 == "manifest");
            // A step that is lost on the way is given again.
            let again = session.changes().unwrap().unwrap();
            assert_eq!((&again.puts, &again.deletes), (&changes.puts, &changes.deletes));
            session.saved(changes.token);
            store.0.extend(again.puts);
            again.deletes.iter().for_each(|name| drop(store.0.remove(name)));
            session.saved(again.token);
            steps += 1;
            if is_last {
                whole = session.cluster().clone();
            }
            assert!(*store.restore().unwrap().cluster() == whole, "round {round}, step {steps}");
            if is_last {
                break;
            }
        }
        assert!(steps > 1, "{steps}");
    }
    store.save_all(&mut session);
    same(&session, &store.restore().unwrap());
    let id = session.cluster().topic("a").unwrap().id.to_string();
    let stray = store.0.keys().find(|name| name.starts_with("log/") && !name.contains(&id));
    assert_eq!(stray, None);
}

#[test]
fn a_group_of_a_full_cluster_takes_another_member() {
    use loglanes::cluster::MAX_GROUPS;
    let mut cluster = Cluster::new(7);
    cluster.apply(&Command::create_topic("t", 1), NOW).unwrap();
    let join = |group: usize, member: &str| {
        Command::join(&format!("g{group}"), member, "t", OffsetReset::Earliest)
    };
    for group in 0..MAX_GROUPS {
        cluster.apply(&join(group, "m1"), NOW).unwrap();
    }
    let full = cluster.clone();
    let error = cluster.apply(&join(MAX_GROUPS, "m1"), NOW).unwrap_err();
    assert_eq!(error.name(), "MAX_GROUPS");
    assert_eq!(cluster, full);
    cluster.apply(&join(0, "m2"), NOW).unwrap();
}
