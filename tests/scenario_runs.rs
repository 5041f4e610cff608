//! What a run of a scenario does, act by act.

#[path = "support/reload.rs"]
mod reload;

use loglanes::scenario::{
    DEFAULT_START_MS, Player, Report, Scenario, StepReport, history_text, run,
};
use loglanes::{Cluster, Command};
use reload::reloaded;

fn scenario(text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|problems| panic!("{}", problems[0]))
}

fn cluster(text: &str) -> Cluster {
    let (mut player, _) = Player::new(&scenario(text));
    let report = player.finish();
    assert!(report.is_met(), "{report:?}");
    player.session().cluster().clone()
}

fn unmet(report: &Report) -> Vec<(u32, &str)> {
    let unmet = report.findings.iter().filter(|finding| !finding.met);
    unmet.map(|finding| (finding.line, finding.found.as_str())).collect()
}

#[test]
fn the_lines_mean_what_the_commands_of_the_same_acts_mean() {
    let mut want = Cluster::new(7);
    for (command, at_ms) in [
        (Command::create_topic("orders", 3), 1_000),
        (Command::produce("orders", Some(b"k"), None), 1_000),
        (Command::AdvanceClock { ms: 90_000 }, 3_000),
        (Command::Tick, 3_000),
    ] {
        want.apply(&command, at_ms).unwrap();
    }
    let text = "seed 7\nstart 1000\ntopic orders partitions=3\nproduce orders key=\"k\"\nat +2s\nclock +90s\ntick";
    assert_eq!(cluster(text), want);
}

#[test]
fn the_same_text_gives_the_same_cluster_and_another_seed_another() {
    let text = "topic a partitions=5\nproduce a count=50 keys=7\njoin g m a reset=earliest\npoll m";
    assert_eq!(cluster(text), cluster(text));
    assert_ne!(cluster(text), cluster(&format!("seed 2\n{text}")));
    assert_eq!(cluster(text), cluster(&format!("seed 1\nstart 2023-11-14T22:13:20Z\n{text}")));
}

#[test]
fn an_act_that_is_refused_ends_the_run_and_has_changed_nothing() {
    let text = "topic a\n\nexpect partitions a = 1\npartitions a 1\ntopic b\nexpect topics = b";
    let (mut player, _) = Player::new(&scenario(text));
    let report = player.finish();
    let stopped = report.stopped.as_ref().unwrap();
    assert_eq!((stopped.line, stopped.column, stopped.text.as_str()), (4, 1, "partitions a 1"));
    assert_eq!(stopped.refusal.code, Some(37));
    assert_eq!(stopped.refusal.message, "Topic already has 1 partition(s).");
    assert!(stopped.hint.ends_with("expect error INVALID_PARTITIONS"), "{}", stopped.hint);
    assert_eq!((report.acts, report.findings.len(), report.is_met()), (1, 1, false));
    assert_eq!(player.session().history().len(), 1);
    assert!(player.step().unwrap().is_none(), "a run that has ended goes on");
}

#[test]
fn an_act_that_is_refused_as_expected_goes_by_whatever_is_said_in_between() {
    let text = "topic a\npartitions a 1\n\n# why\nnote Partitions are only ever added.\nexpect error INVALID_PARTITIONS\ntopic b";
    let report = run(&scenario(text));
    assert!(report.is_met(), "{report:?}");
    assert_eq!((report.acts, report.notes[0].line), (3, 5));
}

#[test]
fn a_refusal_that_does_not_come_or_is_another_one_is_told() {
    let report = run(&scenario("topic a\nexpect error TOPIC_ALREADY_EXISTS"));
    assert_eq!(unmet(&report), [(2, "the act was not refused")]);
    let report = run(&scenario("topic a\ntopic a\nexpect error INVALID_PARTITIONS\ntopic b"));
    assert_eq!(unmet(&report), [(3, "TOPIC_ALREADY_EXISTS")]);
    assert_eq!((report.acts, report.stopped), (3, None));
}

#[test]
fn an_expectation_that_does_not_hold_is_told_with_what_there_is_and_the_run_goes_on() {
    let report = run(&scenario(
        "topic a partitions=2\nexpect partitions a = 3\nexpect records b = 0\nexpect key a-0@0 = \"k\"\nexpect state g = Stable\ntopic c\nexpect topics = 2",
    ));
    assert_eq!(
        unmet(&report),
        [
            (2, "2"),
            (3, "There is no topic b."),
            (4, "There is no record at a-0@0."),
            (5, "There is no group g."),
        ]
    );
    assert_eq!(report.acts, 2);
}

#[test]
fn times_that_are_relative_go_by_the_clusters_clock() {
    let text = "topic a\nclock +1h\nproduce a timestamp=+5s\nproduce a timestamp=-5s\nproduce a\nat +10s\nproduce a";
    let cluster = cluster(text);
    let log = &cluster.topic("a").unwrap().partitions[0].log;
    let times: Vec<i64> = log.records_from(0).map(|record| record.timestamp).collect();
    let hour = DEFAULT_START_MS + 3_600_000;
    assert_eq!(times, [hour + 5_000, hour - 5_000, hour, hour + 10_000]);
}

#[test]
fn step_by_step_the_same_is_found_as_in_one_go() {
    let text = "note Before.\ntopic a partitions=2\nnote One.\nexpect records a = 0\nproduce a count=9 keys=3\nexpect records a = 9\npartitions a 1\nexpect error INVALID_PARTITIONS\nnote End.";
    let scenario = scenario(text);
    let (mut player, first) = Player::new(&scenario);
    let mut steps: Vec<StepReport> = vec![first];
    while let Some(step) = player.step().unwrap() {
        steps.push(step);
    }
    let places: Vec<(u32, u32)> = steps.iter().map(|step| (step.act, step.line)).collect();
    assert_eq!(places, [(0, 0), (1, 2), (2, 5), (3, 7)]);
    assert_eq!(steps[1].notes[0].text, "One.");
    assert_eq!(
        (steps[3].outcome.is_none(), steps[3].refusal.as_ref().unwrap().code),
        (true, Some(37))
    );
    let mut together = Report::default();
    steps.into_iter().for_each(|step| together.add(step));
    assert_eq!(together, run(&scenario));
}

#[test]
fn the_solution_comes_only_when_it_is_asked_for() {
    let scenario =
        scenario("topic a\ntask Make b.\ncheck topics = a,b\nsolution\ntopic b\nexpect topics = 2");
    let (mut player, _) = Player::new(&scenario);
    assert_eq!((player.finish().acts, player.session().history().len()), (1, 1));
    player.solve();
    let rest = player.finish();
    assert_eq!((rest.acts, rest.findings.len(), rest.is_met()), (2, 1, true));
}

#[test]
fn long_lists_are_told_in_short() {
    let report = run(&scenario("topic a\nproduce a count=1000\nexpect offsets a-0 = 1"));
    let [(_, found)] = unmet(&report)[..] else { panic!("{report:?}") };
    assert!(found.starts_with("0,1,2,") && found.ends_with("19,… (1000 in all)"), "{found}");
}

#[test]
fn the_sketch_of_the_language_runs() {
    let report = run(&scenario(
        r#"# Orders, keyed by user
topic orders partitions=3
produce orders key="user_42" value="created"
produce orders key="user_42" value="paid" header trace="a1"
produce orders key=none value=x"00ff" timestamp=+5s
produce orders count=1000 keys="user_{1..50}" seed=7

note Two consumers share the work.
join billing m1 orders
join billing m2 orders
poll m1 max=10
commit m1
crash m1

expect partition-of orders key="user_42" = 1
partitions orders 6
expect moved orders 3 6 = 26
partitions orders 6
expect error INVALID_PARTITIONS
"#,
    ));
    assert!(report.is_met(), "{report:?}");
}

#[test]
fn what_the_author_says_stays_with_the_history() {
    let text = "seed 7\nstart 1000\nnote Before all.\ntopic a\nnote One.\nnote \"Two\", # and a half.\n\
                produce a key=none value=\"x\"\n";
    let (mut player, _) = Player::new(&scenario(text));
    assert!(player.finish().is_met());
    let mut session = player.into_session();
    let printed = history_text(&session).unwrap();
    assert_eq!(printed, text.replace("start 1000", "start 1970-01-01T00:00:01Z"));
    let mut loaded = reloaded(&mut session);
    assert_eq!(loaded.history(), session.history());
    assert_eq!(history_text(&loaded).unwrap(), printed);
    loaded.travel(1).unwrap();
    assert_eq!(loaded.history().notes_at(1), ["One.", "\"Two\", # and a half."]);
    // What is set aside takes along what is said of it.
    loaded.apply(Command::produce("a", None, Some(b"other")), 2_000).unwrap();
    assert_eq!(loaded.history().notes_at(0), ["Before all."]);
    assert_eq!(history_text(&loaded).unwrap().matches("note ").count(), 3);

    let (player, _) = Player::new(&scenario("note Nothing else."));
    let mut session = player.into_session();
    assert_eq!(reloaded(&mut session).history().notes_at(0), ["Nothing else."]);
}
