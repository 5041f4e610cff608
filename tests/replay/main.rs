//! Histories, saves and files give back exactly what was: for any commands, in any order, with
//! saves at any moment and some of them lost.
#![cfg(not(target_arch = "wasm32"))]

mod acts;
mod travel;

use acts::{NOW, Run, Store, act, exported, imported, same};
use loglanes::generate::GenerateSpec;
use loglanes::group::OffsetReset;
use loglanes::scenario::{Player, Scenario, history_text};
use loglanes::snapshot::BLOCK_BYTES;
use loglanes::{Cluster, Command, Session};
use proptest::collection::vec;
use proptest::prelude::*;

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
        // The text has all of the steps.
        run.session.travel(run.session.history().len()).unwrap();
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
        let mut states = vec![(run.session.history().clone(), run.session.cluster().clone())];
        for act in acts {
            run.act(act);
            states.push((run.session.history().clone(), run.session.cluster().clone()));
            if run.store.0.contains_key("manifest") {
                let found = run.store.restore().unwrap();
                let (_, cluster) = states
                    .iter()
                    .rfind(|(history, _)| history == found.history())
                    .expect("a history that there was");
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
        let length = run.session.history().len();
        run.session.travel(length).unwrap();
        run.store.save_all(&mut run.session);
        // Chunks that nothing needs go with the first save after reading: damage to them is none.
        let mut restored = run.store.restore().unwrap();
        run.store.save_all(&mut restored);
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
        let command = Command::Generate { topic: "t".into(), producer: None, partitioner, spec };
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
    let fill = Command::Generate { topic: "t".into(), producer: None, partitioner: None, spec };
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
        producer: None,
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
