//! Any scenario becomes a script: `tests/scenario_commands.rs` says what stands in it.

use std::io::Write as _;
use std::process::{Command as Process, Stdio};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::Commands;
use crate::cluster::Cluster;
use crate::command::Command;
use crate::scenario::tests::command;
use crate::scenario::{Act, DEFAULT_SEED, DEFAULT_START_MS, Scenario, Statement};

/// A scenario that expects what is refused, and something odd in its notes.
fn scenario(commands: Vec<Command>, notes: &[String]) -> Scenario {
    let mut cluster = Cluster::new(DEFAULT_SEED);
    let mut lines = Vec::new();
    for (number, command) in commands.into_iter().enumerate() {
        let refused = cluster.apply(&command, DEFAULT_START_MS).err();
        lines.extend(notes.get(number).cloned().map(Statement::Note));
        lines.push(Statement::Act(Box::new(Act::from(command))));
        lines.extend(refused.map(|error| Statement::ExpectError(error.name().to_owned())));
    }
    Scenario::of(lines)
}

/// What bash says of a script that it only reads; none without a bash.
fn bash_says(script: &str) -> Option<String> {
    let mut bash = Process::new("bash")
        .args(["-n", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| eprintln!("SKIPPED: no bash reads the scripts: {error}"))
        .ok()?;
    let mut input = bash.stdin.take().unwrap();
    input.write_all(script.as_bytes()).unwrap();
    drop(input);
    let output = bash.wait_with_output().unwrap();
    Some(String::from_utf8_lossy(&output.stderr).into_owned())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_scenario_is_a_script_that_bash_reads_with_all_its_lines(
        commands in vec(
            prop_oneof![
                3 => command(),
                1 => select(vec!["a", "b.c", "b_c"]).prop_map(|name| Command::create_topic(name, 2)),
            ],
            0..30,
        ),
        notes in vec(any::<String>(), 0..10),
    ) {
        let scenario = scenario(commands, &notes);
        let commands = Commands::of(&scenario, false).unwrap();
        let script = commands.script();
        if let Some(said) = bash_says(script) {
            prop_assert_eq!(said, "", "{}", script);
        }
        for (line, statement) in (1..).zip(scenario.lines()) {
            if matches!(statement, Statement::Act(_) | Statement::ExpectError(_)) {
                let begin = format!("\n# [{line}] ");
                prop_assert!(script.contains(&begin), "{} is not there: {}", begin, script);
            }
        }
        let again = Commands::of(&scenario, false).unwrap();
        prop_assert_eq!(again.script(), script);
    }
}
