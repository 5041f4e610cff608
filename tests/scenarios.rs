//! Scenarios as files: the examples of the documentation, and the lessons, each without the page.

use std::fs;
use std::path::{Path, PathBuf};

use loglanes::scenario::{Finding, Player, Report, Scenario, Statement, check};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The blocks of the page that begin with a word, and the lines at which they do.
fn blocks(page: &str, begin: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut lines = (1..).zip(page.lines());
    while let Some((number, line)) = lines.next() {
        if line == begin {
            let body = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
            blocks.push((number, body.map(|line| format!("{line}\n")).collect()));
        }
    }
    blocks
}

fn parse(what: &str, text: &str) -> Scenario {
    Scenario::parse(text).unwrap_or_else(|problems| {
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        panic!("{what}:\n{}", problems.join("\n"))
    })
}

/// A whole run; the solution comes with it if asked for.
fn play(scenario: &Scenario, with_solution: bool) -> (Player, Report) {
    let (mut player, first) = Player::new(scenario);
    if with_solution {
        player.solve();
    }
    let mut report = player.finish();
    report.add(first);
    (player, report)
}

fn told(report: &Report) -> String {
    let unmet = report.findings.iter().filter(|finding| !finding.met);
    let unmet = unmet
        .map(|finding| format!("line {}: {}, but {}", finding.line, finding.text, finding.found));
    let stopped = report.stopped.iter().map(|stopped| {
        format!("line {}: {} is refused: {}", stopped.line, stopped.text, stopped.refusal.message)
    });
    unmet.chain(stopped).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_example_of_the_documentation_holds() {
    let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let examples = blocks(&page, "```lanes");
    assert!(examples.len() > 15);
    let mut wrong = Vec::new();
    for (line, text) in examples {
        if text.contains("\nproducer ") && !loglanes::scenario::VERBS.contains(&"producer") {
            continue;
        }
        let what = format!("docs/scenarios.md, block at line {line}");
        let scenario = parse(&what, &text);
        assert_eq!(parse("printed", &scenario.to_string()), scenario, "{what}");
        let (player, report) = play(&scenario, true);
        if !report.is_met() {
            wrong.push(format!("{what}:\n{}", told(&report)));
        }
        let unmet: Vec<Finding> = check(&scenario, player.session(), player.now_ms())
            .into_iter()
            .filter(|finding| !finding.met)
            .collect();
        assert!(unmet.is_empty(), "{what}: {unmet:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_example_of_a_text_that_is_wrong_is_told_as_the_documentation_says() {
    let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let examples = blocks(&page, "```lanes wrong");
    assert!(!examples.is_empty());
    for (line, text) in examples {
        let want = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap_or_default();
        let problems = Scenario::parse(&text).unwrap_err();
        assert_eq!(problems[0].to_string(), want, "docs/scenarios.md, block at line {line}");
    }
}

#[test]
fn the_documentation_shows_every_act_and_everything_that_can_be_expected() {
    let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
    let examples: String = blocks(&page, "```lanes").into_iter().map(|(_, text)| text).collect();
    for verb in loglanes::scenario::VERBS {
        assert!(examples.lines().any(|line| line.split(' ').next() == Some(verb)), "{verb}");
    }
    for name in loglanes::scenario::MEASURES {
        let begin = format!("expect {name} ");
        assert!(examples.lines().any(|line| line.starts_with(&begin)), "{name} is not shown");
        assert!(page.contains(&format!("`{name}")), "{name} is not in the table");
    }
}

/// The languages that have lessons, and the files of each, in order.
fn lessons() -> Vec<(String, Vec<PathBuf>)> {
    let mut languages = Vec::new();
    for folder in fs::read_dir(root().join("www/lessons")).unwrap() {
        let folder = folder.unwrap().path();
        if folder.is_dir() {
            languages.push((name_of(&folder), files_of(&folder)));
        }
    }
    languages.sort();
    languages
}

fn files_of(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|end| end == "lanes")).collect();
    files.sort();
    files
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn each_lesson(mut of: impl FnMut(&str, &Scenario)) {
    for (language, files) in lessons() {
        for file in files {
            let what = format!("{language}/{}", name_of(&file));
            of(&what, &parse(&what, &fs::read_to_string(&file).unwrap()));
        }
    }
}

#[test]
fn there_is_a_lesson_for_each_claim() {
    let (language, files) = lessons().swap_remove(0);
    assert_eq!(language, "en");
    assert!(files.len() >= 12);
}

#[test]
fn a_lesson_holds_and_its_task_is_not_done_by_itself() {
    each_lesson(|what, lesson| {
        let (player, report) = play(lesson, false);
        assert!(report.is_met(), "{what}:\n{}", told(&report));
        let checks = check(lesson, player.session(), player.now_ms());
        assert!(checks.iter().any(|finding| !finding.met), "{what}: nothing is left to do");
    });
}

#[test]
fn the_solution_of_a_lesson_does_its_task() {
    each_lesson(|what, lesson| {
        let (player, report) = play(lesson, true);
        assert!(report.is_met(), "{what}:\n{}", told(&report));
        for finding in check(lesson, player.session(), player.now_ms()) {
            assert!(finding.met, "{what}: {}, but {}", finding.text, finding.found);
        }
    });
}

/// Each act of a solution alone is needed: without one of them something is left to do, or it is
/// an act that a line says is refused.
#[test]
fn half_of_a_solution_is_not_enough() {
    each_lesson(|what, lesson| {
        let (before, _) = lesson.split_solution();
        let mut lines = before.lines().to_vec();
        let solution = lesson.lines().get(lines.len()..).unwrap_or_default();
        let first = solution.iter().position(|line| matches!(line, Statement::Act(_)));
        let acts = solution.iter().filter(|line| matches!(line, Statement::Act(_))).count();
        if acts < 2 {
            return;
        }
        lines.extend_from_slice(&solution[..=first.unwrap()]);
        let cut = Scenario::of(lines);
        let (player, _) = play(&cut, true);
        let checks = check(&cut, player.session(), player.now_ms());
        assert!(checks.iter().any(|finding| !finding.met), "{what}: one act is enough");
    });
}

#[test]
fn a_lesson_is_short_has_a_title_a_task_checks_and_a_solution() {
    each_lesson(|what, lesson| {
        let lines = lesson.lines();
        assert!(lesson.title().is_some_and(|title| !title.is_empty()), "{what}: no title");
        let has = |of: fn(&Statement) -> bool| lines.iter().filter(|line| of(line)).count();
        assert_eq!(has(|line| matches!(line, Statement::Task(_))), 1, "{what}: tasks");
        assert!(has(|line| matches!(line, Statement::Check(_))) >= 1, "{what}: no check");
        assert!(!lesson.split_solution().1.is_empty(), "{what}: no solution");
        let words = lines.iter().map(|line| match line {
            Statement::Note(text) | Statement::Task(text) => text.split_whitespace().count(),
            _ => 0,
        });
        let words: usize = words.sum();
        assert!(words <= 200, "{what} has {words} words");
    });
}

#[test]
fn what_a_lesson_says_is_printed_as_it_stands() {
    for (_, files) in lessons() {
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let lesson = parse(&name_of(&file), &text);
            assert_eq!(parse("printed", &lesson.to_string()), lesson, "{}", name_of(&file));
        }
    }
}

#[test]
fn every_language_has_the_same_lessons() {
    let all = lessons();
    for (language, files) in &all {
        let names: Vec<String> = files.iter().map(|file| name_of(file)).collect();
        let english: Vec<String> = all[0].1.iter().map(|file| name_of(file)).collect();
        assert!(names.iter().all(|name| english.contains(name)), "{language}");
    }
}

/// Texts that are nearly right: those of the documentation and the lessons with slips in them.
mod slips {
    use loglanes::Command;
    use loglanes::scenario::Diagnostic;
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;

    fn corpus() -> Vec<String> {
        let page = fs::read_to_string(root().join("docs/scenarios.md")).unwrap();
        let lessons = lessons().into_iter().flat_map(|(_, files)| files);
        let lessons = lessons.map(|file| fs::read_to_string(file).unwrap());
        let examples = blocks(&page, "```lanes").into_iter().map(|(_, text)| text);
        examples.chain(lessons).collect()
    }

    #[derive(Debug, Clone)]
    enum Slip {
        Drop,
        Twice,
        Put(&'static str),
        DropLine,
        SwapLines(Index),
    }

    fn slip() -> impl Strategy<Value = (Index, Slip)> {
        let pieces = vec![
            " ", "=", ",", "\"", "-", "@", "\\", "x\"", "none", "0", "9", "-1", "+1h", "\u{301}",
            "\0", "#", "$ ", "\n",
        ];
        let slip = prop_oneof![
            Just(Slip::Drop),
            Just(Slip::Twice),
            select(pieces).prop_map(Slip::Put),
            Just(Slip::DropLine),
            any::<Index>().prop_map(Slip::SwapLines),
        ];
        (any::<Index>(), slip)
    }

    fn slipped(text: &str, (at, slip): &(Index, Slip)) -> String {
        let mut letters: Vec<char> = text.chars().collect();
        let mut lines: Vec<&str> = text.lines().collect();
        if letters.is_empty() || lines.is_empty() {
            return text.to_owned();
        }
        let letter = at.index(letters.len());
        let line = at.index(lines.len());
        match slip {
            Slip::Drop => drop(letters.remove(letter)),
            Slip::Twice => letters.insert(letter, letters[letter]),
            Slip::Put(piece) => drop(letters.splice(letter..letter, piece.chars())),
            Slip::DropLine => {
                lines.remove(line);
                return lines.join("\n");
            }
            Slip::SwapLines(other) => {
                let other = other.index(lines.len());
                lines.swap(line, other);
                return lines.join("\n");
            }
        }
        letters.into_iter().collect()
    }

    fn is_small(scenario: &Scenario) -> bool {
        scenario.lines().iter().all(|line| match line {
            Statement::Act(act) => match &act.command {
                Command::Generate { spec, .. } => spec.count <= 2_000 && spec.value_bytes <= 2_000,
                Command::CreateTopic { partitions, .. } => partitions.unwrap_or(1) <= 100,
                Command::CreatePartitions { total, .. } => *total <= 100,
                _ => true,
            },
            _ => true,
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn a_text_with_slips_is_told_or_runs_and_is_printed_as_it_was_read(
            text in select(corpus()),
            slips in proptest::collection::vec(slip(), 1..4),
        ) {
            let text = slips.iter().fold(text, |text, slip| slipped(&text, slip));
            match Scenario::parse(&text) {
                Err(problems) => {
                    let is_told = |problem: &Diagnostic| problem.column >= 1 && problem.hint.len() < 2_000;
                    prop_assert!(!problems.is_empty() && problems.iter().all(is_told));
                }
                Ok(scenario) => {
                    prop_assert_eq!(Scenario::parse(&scenario.to_string()), Ok(scenario.clone()));
                    if is_small(&scenario) {
                        let (player, _) = play(&scenario, true);
                        let found = check(&scenario, player.session(), player.now_ms());
                        prop_assert!(found.iter().all(|finding| !finding.text.is_empty()));
                    }
                }
            }
        }
    }
}
