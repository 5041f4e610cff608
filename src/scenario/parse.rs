//! From a text to its statements: every line is read, or told with its place and the way out.

use std::fmt;

use serde::Serialize;

use super::act::{Members, VERBS, act};
use super::expect::expectation;
use super::reader::Reader;
use super::suggest::nearest;
use super::time::When;
use super::{Problem, Statement};
use crate::command::Command;

/// The longest text, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 20;

/// The most lines of a text.
pub const MAX_LINES: usize = 400_000;

/// The longest line, in bytes.
pub const MAX_LINE_BYTES: usize = 16 << 20;

/// The most bytes of records that the lines of one text make by a rule, about: a text of a few
/// words could ask for more than any memory holds.
pub const MAX_MADE_BYTES: u64 = 2 << 30;

/// The most problems that are told of one text.
pub const MAX_DIAGNOSTICS: usize = 100;

/// The version of the language; a text that needs a later one says so in its first line.
pub const VERSION: u32 = 1;

/// The first words of lines that are no acts.
const WORDS: [&str; 9] =
    ["version", "seed", "start", "at", "note", "expect", "task", "check", "solution"];

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: u32,
    /// Where in the line, in characters, from 1.
    pub column: u32,
    /// How many characters are meant, at least 1.
    pub length: u32,
    /// What is wrong.
    pub message: String,
    /// The way out.
    pub hint: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column, message, hint, .. } = self;
        write!(f, "line {line}, column {column}: {message}")?;
        if hint.is_empty() { Ok(()) } else { write!(f, " {hint}") }
    }
}

pub(super) fn parse(text: &str) -> Result<Vec<Statement>, Vec<Diagnostic>> {
    if text.len() > MAX_TEXT_BYTES {
        let problem = Problem::new(
            0,
            format!("The text has {} bytes; {MAX_TEXT_BYTES} are read.", text.len()),
        );
        let hint = "Let large data come from a file instead (MAX_TEXT_BYTES).";
        return Err(vec![diagnostic(1, "", &problem.with_hint(hint))]);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reading = Reading::default();
    let mut statements = Vec::new();
    let mut problems = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if number as usize > MAX_LINES {
            let problem = Problem::new(0, format!("There are more than {MAX_LINES} lines."));
            problems.push(diagnostic(
                number,
                "",
                &problem.with_hint("That is MAX_LINES; make several texts of it."),
            ));
            break;
        }
        match reading.line(line) {
            Ok(statement) => statements.push(statement),
            Err(problem) => problems.push(diagnostic(number, line, &problem)),
        }
        if problems.len() == MAX_DIAGNOSTICS {
            break;
        }
    }
    if problems.is_empty() { Ok(statements) } else { Err(problems) }
}

fn diagnostic(line: u32, text: &str, problem: &Problem) -> Diagnostic {
    let characters = |end: usize| {
        let end = (0..=end.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
        text.get(..end.unwrap_or(0)).unwrap_or_default().chars().count() as u32
    };
    let column = characters(problem.at);
    Diagnostic {
        line,
        column: column + 1,
        length: characters(problem.end).saturating_sub(column).max(1),
        message: problem.message.clone(),
        hint: problem.hint.clone(),
    }
}

/// What earlier lines mean for later ones.
#[derive(Default)]
struct Reading {
    members: Members,
    /// An act was read: the cluster's seed and start are settled.
    has_acts: bool,
    /// The act before may still be expected to be refused.
    can_be_refused: bool,
    has_seed: bool,
    has_start: bool,
    has_solution: bool,
    /// How many bytes of records the lines make by a rule.
    made_bytes: u64,
    /// Anything but comments and blank lines was read.
    has_begun: bool,
}

impl Reading {
    fn line(&mut self, line: &str) -> Result<Statement, Problem> {
        if line.len() > MAX_LINE_BYTES {
            let problem = Problem::new(
                0,
                format!("The line has {} bytes; {MAX_LINE_BYTES} are read.", line.len()),
            );
            return Err(
                problem.with_hint("That is MAX_LINE_BYTES; let large data come from a file.")
            );
        }
        let trimmed = line.trim();
        if trimmed.is_empty() {
            return Ok(Statement::Blank);
        }
        let indent = line.len() - line.trim_start().len();
        if let Some(comment) = trimmed.strip_prefix('#') {
            return Ok(Statement::Comment(comment.trim().to_owned()));
        }
        if trimmed.starts_with(['$', '>']) {
            let problem = Problem::new(indent, "This is reserved for Kafka's own command lines.");
            return Err(problem.to(indent + 1).with_hint(
                "Lines that begin with $ or > are not read yet. Write the act in a scenario's \
                 words, or make it a comment with #.",
            ));
        }
        let verb = trimmed.split_whitespace().next().unwrap_or_default();
        let statement = match verb {
            "note" => Statement::Note(Reader::rest(line, verb).to_owned()),
            "task" => Statement::Task(Reader::rest(line, verb).to_owned()),
            _ => self.statement(line)?,
        };
        match statement {
            Statement::Note(_) => {}
            Statement::Act(_) => {
                self.has_acts = true;
                self.can_be_refused = true;
            }
            _ => self.can_be_refused = false,
        }
        self.has_begun = true;
        Ok(statement)
    }

    fn statement(&mut self, line: &str) -> Result<Statement, Problem> {
        let mut reader = Reader::new(line)?;
        let at = reader.place();
        let verb = reader.word("the name of an act").map_err(|problem| {
            problem.with_hint("A line begins with what is done: topic, produce, join, poll…")
        })?;
        let of_verb = |message: &str| Problem::new(at, message).to(at + verb.len());
        let early = |is_early: bool| {
            if is_early {
                return Ok(());
            }
            Err(of_verb(&format!("{verb} stands before the first act, and once."))
                .with_hint("Move it to the beginning of the text."))
        };
        let statement = match verb.as_str() {
            "version" => {
                early(!self.has_begun)?;
                let version: u32 = reader.loose_number("the version of the language")?;
                if version > VERSION || version == 0 {
                    return Err(of_verb(&format!(
                        "This text is for version {version} of the language; this is version {VERSION}."
                    ))
                    .with_hint("Nothing of it was loaded. Open it with a newer Loglanes."));
                }
                Statement::Version(version)
            }
            "seed" => {
                early(!self.has_acts && !self.has_seed)?;
                self.has_seed = true;
                Statement::Seed(reader.loose_number("a whole number")?)
            }
            "start" => {
                early(!self.has_acts && !self.has_start)?;
                let When::At(ms) = reader.loose_time()? else {
                    return Err(of_verb("A scenario starts at a time of its own.").with_hint(
                        "Write start 2023-11-14T22:13:20Z, or milliseconds since 1970.",
                    ));
                };
                self.has_start = true;
                Statement::Start(ms)
            }
            "at" => {
                self.has_acts = true;
                Statement::At(reader.loose_time()?)
            }
            "expect" if reader.keyword("error") => {
                let name = reader.name("the name of an error, as INVALID_PARTITIONS,")?;
                if !self.can_be_refused {
                    return Err(of_verb(
                        "There is no act right before this line that could be refused.",
                    )
                    .with_hint("expect error stands right below the act."));
                }
                Statement::ExpectError(name)
            }
            "expect" => Statement::Expect(expectation(&mut reader)?),
            "check" => Statement::Check(expectation(&mut reader)?),
            "solution" => {
                if std::mem::replace(&mut self.has_solution, true) {
                    return Err(of_verb("There is one solution in a scenario."));
                }
                Statement::Solution
            }
            _ => match act(&verb, &mut reader, &self.members) {
                Some(act) => {
                    let act = act?;
                    if let Command::Join { group, member, .. }
                    | Command::Assign { group, member, .. } = &act.command
                    {
                        self.members.entry(member.clone()).or_default().insert(group.clone());
                    }
                    if let Command::Generate { spec, .. } = &act.command {
                        let bytes = spec.count.saturating_mul(spec.value_bytes.saturating_add(30));
                        self.made_bytes = self.made_bytes.saturating_add(bytes);
                    }
                    if self.made_bytes > MAX_MADE_BYTES {
                        return Err(of_verb(
                            "With this line the text makes more than 2 GiB of records.",
                        )
                        .with_hint("That is MAX_MADE_BYTES: send fewer or smaller ones."));
                    }
                    Statement::Act(Box::new(act))
                }
                None => return Err(unknown(of_verb("There is no such act."), &verb)),
            },
        };
        reader.end()?;
        Ok(statement)
    }
}

fn unknown(mut problem: Problem, verb: &str) -> Problem {
    problem.message = format!("There is no act {verb}.");
    match nearest(verb, VERBS.into_iter().chain(WORDS)) {
        Some(meant) => problem.with_hint(format!("Is {meant} meant?")),
        None => problem.with_hint(format!(
            "A line begins with one of: {}. A comment begins with #.",
            VERBS.into_iter().chain(WORDS).collect::<Vec<_>>().join(", ")
        )),
    }
}
