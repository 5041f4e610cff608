//! Going back and forward: every step's state is the one that the steps before it lead to, and
//! what is done in the past loses nothing that lay ahead.

use loglanes::generate::GenerateSpec;
use loglanes::snapshot::BLOCK_BYTES;
use loglanes::{Cluster, Command, MAX_ASIDES, Session, Step};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::acts::{NOW, Run, Store, act, same};

/// The state after each number of steps, by doing them one after the other.
fn states(seed: i64, steps: &[Step]) -> Vec<Cluster> {
    let mut cluster = Cluster::new(seed);
    let mut states = vec![cluster.clone()];
    for step in steps {
        cluster.apply(&step.command, step.at_ms).unwrap();
        states.push(cluster.clone());
    }
    states
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 4_000, ..Default::default() })]

    #[test]
    fn at_every_step_the_state_is_that_of_the_steps_before(
        seed in any::<i64>(),
        acts in vec(act(), 1..60),
        visits in vec(any::<Index>(), 1..40),
        is_restored in any::<bool>(),
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        if is_restored {
            run.store.save_all(&mut run.session);
            run.session = run.store.restore().unwrap();
        }
        let states = states(seed, run.session.history().steps());
        let every = (0..states.len()).rev().chain(0..states.len());
        let visits = visits.iter().map(|visit| visit.index(states.len()));
        for step in visits.chain(every) {
            run.session.travel(step as u64).unwrap();
            prop_assert_eq!(run.session.history().position(), step as u64);
            prop_assert!(*run.session.cluster() == states[step], "step {} differs", step);
        }
    }

    #[test]
    fn looking_around_changes_nothing_that_is_saved(
        seed in any::<i64>(),
        acts in vec(act(), 1..40),
        visits in vec((any::<Index>(), vec(any::<bool>(), 0..3)), 1..10),
    ) {
        let mut run = Run::new(seed);
        for act in acts {
            run.act(act);
        }
        run.store.save_all(&mut run.session);
        let before = (run.session.cluster().clone(), run.session.history().clone());
        for (visit, saves) in visits {
            let length = run.session.history().len() as usize;
            run.session.travel(visit.index(length + 1) as u64).unwrap();
            for is_told in saves {
                run.store.save(&mut run.session, is_told);
            }
        }
        run.store.save_all(&mut run.session);
        let mut restored = run.store.restore().unwrap();
        same(&run.session, &restored);
        restored.travel(before.1.position()).unwrap();
        prop_assert!(*restored.cluster() == before.0);
        prop_assert!(*restored.history() == before.1);
    }
}

fn produce(session: &mut Session, value: &str) {
    session.apply(Command::produce("t", Some(b"k"), Some(value.as_bytes())), NOW).unwrap();
}

fn fill(session: &mut Session, count: u64) {
    let spec =
        GenerateSpec { count, keys: 100, skew: 0.0, value_bytes: 100, seed: 1, key_pattern: None };
    let fill = Command::Generate { topic: "t".into(), producer: None, partitioner: None, spec };
    session.apply(fill, NOW).unwrap();
}

fn session() -> Session {
    let mut session = Session::new(7);
    session.apply(Command::create_topic("t", 2), NOW).unwrap();
    session
}

#[test]
fn over_thousands_of_steps_and_cleaning_passes_the_way_is_right() {
    let mut session = session();
    let configs = [("cleanup.policy", "compact"), ("internal.segment.bytes", "20000")];
    let name = "c".to_owned();
    let configs = configs.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let create =
        Command::CreateTopic { name, partitions: Some(2), replication_factor: None, configs };
    session.apply(create, NOW).unwrap();
    for number in 0..6_000 {
        let key = format!("k{}", number % 7);
        let topic = if number % 3 == 0 { "t" } else { "c" };
        let value = number.to_string();
        let record = Command::produce(topic, Some(key.as_bytes()), Some(value.as_bytes()));
        session.apply(record, NOW + number).unwrap();
        if number % 1_500 == 0 {
            session.apply(Command::RunCleaner { topic: None }, NOW + number).unwrap();
        }
    }
    let states = states(7, session.history().steps());
    let length = states.len();
    for step in [length - 1, length - 2, 10, 4_000, 2_999, 3_001, 0, length - 1, 1_501, 5_999] {
        session.travel(step as u64).unwrap();
        assert!(*session.cluster() == states[step], "step {step} differs");
    }
}

#[test]
fn what_lay_ahead_is_set_aside_and_can_be_taken_up() {
    let mut session = session();
    produce(&mut session, "one");
    produce(&mut session, "two");
    let first = session.cluster().clone();
    session.travel(2).unwrap();
    assert_eq!((session.history().position(), session.history().ahead()), (2, 1));
    produce(&mut session, "other");
    assert_eq!((session.history().len(), session.history().ahead()), (3, 0));
    let other = session.cluster().clone();
    let aside = &session.history().asides()[0];
    assert_eq!((aside.at, aside.steps.len()), (2, 1));
    session.take_up(aside.id).unwrap();
    assert!(*session.cluster() == first);
    let aside = session.history().asides()[0].id;
    session.take_up(aside).unwrap();
    assert!(*session.cluster() == other);
    assert!(session.take_up(aside).is_err());
}

#[test]
fn a_course_that_left_later_is_whole_also_when_another_begins_before_it() {
    let mut session = session();
    for value in ["one", "two", "three"] {
        produce(&mut session, value);
    }
    session.travel(3).unwrap();
    produce(&mut session, "late fork");
    let late = session.cluster().clone();
    session.travel(1).unwrap();
    produce(&mut session, "early fork");
    let asides = session.history().asides();
    assert!(asides.iter().all(|aside| aside.at == 1), "{asides:?}");
    let ends: Vec<(u64, usize)> = asides.iter().map(|a| (a.id, a.steps.len())).collect();
    assert_eq!(ends.iter().map(|(_, steps)| *steps).collect::<Vec<_>>(), [3, 3]);
    session.take_up(ends[1].0).unwrap();
    assert!(*session.cluster() == late);
}

#[test]
fn only_so_many_courses_are_kept_and_the_others_are_counted() {
    let mut session = session();
    for number in 0..MAX_ASIDES as u64 + 3 {
        produce(&mut session, "gone");
        session.travel(1).unwrap();
        assert_eq!(session.history().asides().len() as u64, number.min(MAX_ASIDES as u64));
    }
    assert_eq!(session.history().asides_forgotten(), 2);
}

#[test]
fn a_refused_act_in_the_past_leaves_what_lies_ahead() {
    let mut session = session();
    produce(&mut session, "one");
    session.travel(1).unwrap();
    let refused = Command::create_topic("t", 1);
    assert!(session.apply(refused, NOW).is_err());
    assert_eq!((session.history().ahead(), session.history().asides().len()), (1, 0));
    let spec =
        GenerateSpec { count: 0, keys: 1, skew: 0.0, value_bytes: 1, seed: 1, key_pattern: None };
    let none = Command::Generate { topic: "t".into(), producer: None, partitioner: None, spec };
    assert!(session.begin_generate(none, NOW).is_err());
    assert_eq!(session.history().ahead(), 1);
}

#[test]
fn there_is_no_way_beyond_the_ends() {
    let mut session = session();
    for step in [2, u64::MAX] {
        let refused = session.travel(step).unwrap_err();
        assert!(refused.hint().contains("from 0 to 1"), "{refused}");
    }
    assert_eq!(session.undo_position(), Some(0));
    assert_eq!(session.redo_position(), None);
}

#[test]
fn undo_goes_before_the_last_act_and_the_timers_after_it() {
    let mut session = session();
    produce(&mut session, "one");
    session.apply(Command::Tick, NOW + 1).unwrap();
    session.apply(Command::Tick, NOW + 2).unwrap();
    assert_eq!(session.undo_position(), Some(1));
    session.travel(1).unwrap();
    assert_eq!(session.redo_position(), Some(4));
}

#[test]
fn a_step_back_over_a_large_log_and_another_course_write_little() {
    let mut session = session();
    fill(&mut session, 60_000);
    produce(&mut session, "one");
    produce(&mut session, "two");
    let mut store = Store::default();
    store.save_all(&mut session);
    let written = |session: &mut Session, store: &mut Store| {
        let before: Vec<String> = store.0.keys().cloned().collect();
        let mut bytes = 0;
        while let Some(changes) = session.changes().unwrap() {
            bytes += changes.bytes();
            store.0.extend(changes.puts);
            changes.deletes.iter().for_each(|name| drop(store.0.remove(name)));
            session.saved(changes.token);
        }
        assert!(!before.is_empty());
        same(session, &store.restore().unwrap());
        bytes
    };
    for step in [3, 2, 1, 0, 4] {
        session.travel(step).unwrap();
        assert!(written(&mut session, &mut store) < 10_000, "step {step}");
    }
    session.travel(3).unwrap();
    produce(&mut session, "other");
    assert!(written(&mut session, &mut store) < 2 * BLOCK_BYTES + 20_000);
    let aside = session.history().asides()[0].id;
    session.take_up(aside).unwrap();
    assert!(written(&mut session, &mut store) < 2 * BLOCK_BYTES + 20_000);
}
