//! A cluster's history as text, which people write and read: parse, print, run, expect.
//!
//! One act a line, in Kafka's words; `docs/scenarios.md` has the grammar. A line is what
//! [`Command`] prints of itself, so a history is a scenario. What a line leaves out takes Kafka's
//! default. Nothing is skipped: a line that cannot be read is a [`Diagnostic`], and an act that is
//! refused without having been expected to be ends the run.
//!
//! ```
//! use loglanes::scenario::{Scenario, run};
//!
//! let scenario = Scenario::parse(
//!     r#"# Orders, keyed by user
//! topic orders partitions=3
//! produce orders key="user_42" value="created"
//! expect records orders = 1
//! partitions orders 2
//! expect error INVALID_PARTITIONS
//! "#,
//! )
//! .unwrap();
//! let report = run(&scenario);
//! assert!(report.is_met(), "{report:?}");
//! ```

mod act;
mod cli;
mod expect;
mod history;
mod lex;
mod measure;
mod parse;
mod print;
mod reader;
mod run;
mod suggest;
mod time;
mod value;

use std::fmt;

use crate::command::{Command, Produce};

pub use act::{DEFAULT_VALUE_BYTES, VERBS};
pub use cli::{COUNTERPARTS, Commands, Counterpart, NotCarried};
pub use expect::{Expectation, MEASURES, Measure, Relation};
pub use history::history_text;
pub use parse::{
    Diagnostic, MAX_DIAGNOSTICS, MAX_LINE_BYTES, MAX_LINES, MAX_MADE_BYTES, MAX_TEXT_BYTES, VERSION,
};
pub(crate) use print::{Place, Setting, Value, Word, write_files, write_records};
pub use run::{Finding, NoteLine, Player, Report, StepReport, Stopped, check, run};
pub use time::{When, parse_span, print_span};
pub use value::Value as Measured;

/// The clock of a scenario that does not say when it starts: 2023-11-14T22:13:20Z.
pub const DEFAULT_START_MS: i64 = 1_700_000_000_000;

/// The seed of a scenario that does not say one.
pub const DEFAULT_SEED: i64 = 1;

/// What is wrong with a line, and where in it, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    at: usize,
    end: usize,
    message: String,
    hint: String,
}

impl Problem {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, end: at, message: message.into(), hint: String::new() }
    }

    fn to(mut self, end: usize) -> Self {
        self.end = end;
        self
    }

    fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }
}

/// An act, whose time may depend on when it is carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// What to do.
    pub command: Command,
    /// The command's timestamp is so long after the cluster's clock.
    pub after_ms: Option<i64>,
}

impl Act {
    /// The command at a time of the cluster's clock.
    #[must_use]
    pub fn at(&self, clock_ms: i64) -> Command {
        let mut command = self.command.clone();
        if let Some(after_ms) = self.after_ms {
            let ms = clock_ms.saturating_add(after_ms);
            match &mut command {
                Command::Produce(Produce { timestamp, .. }) => *timestamp = Some(ms),
                Command::SeekToTimestamp { timestamp, .. } => *timestamp = ms,
                _ => {}
            }
        }
        command
    }
}

impl From<Command> for Act {
    fn from(command: Command) -> Self {
        Self { command, after_ms: None }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.command, self.after_ms) {
            (Command::Produce(record), Some(ms)) => record.write(f, Some(print_span(ms))),
            (Command::SeekToTimestamp { group, member, .. }, Some(ms)) => {
                write!(f, "seek {} {} timestamp={}", Word(group), Word(member), print_span(ms))
            }
            (command, _) => command.fmt(f),
        }
    }
}

/// What a line is.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Statement {
    /// An empty line.
    Blank,
    /// `# ` and what follows it; the first of a scenario is its title.
    Comment(String),
    /// `version`: the language's.
    Version(u32),
    /// `seed`: of the cluster's random choices.
    Seed(i64),
    /// `start`: the clock at the beginning, milliseconds since 1970.
    Start(i64),
    /// `at`: the caller's clock from here on.
    At(When),
    /// `note`: text for the reader.
    Note(String),
    /// An act.
    Act(Box<Act>),
    /// `expect`: what has to hold here.
    Expect(Expectation),
    /// `expect error`: the act before has to be refused with this name.
    ExpectError(String),
    /// `task`: what the reader is asked to do.
    Task(String),
    /// `check`: what holds once the reader has done it.
    Check(Expectation),
    /// `solution`: the lines from here on do the task.
    Solution,
}

impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => Ok(()),
            Self::Comment(text) => write!(f, "{}", format!("# {text}").trim_end()),
            Self::Version(version) => write!(f, "version {version}"),
            Self::Seed(seed) => write!(f, "seed {seed}"),
            Self::Start(ms) => write!(f, "start {}", time::print_time(*ms)),
            Self::At(When::At(ms)) => write!(f, "at {}", time::print_time(*ms)),
            Self::At(When::After(ms)) => write!(f, "at {}", print_span(*ms)),
            Self::Note(text) => write!(f, "{}", format!("note {text}").trim_end()),
            Self::Act(act) => act.fmt(f),
            Self::Expect(expectation) => write!(f, "expect {expectation}"),
            Self::ExpectError(name) => write!(f, "expect error {name}"),
            Self::Task(text) => write!(f, "{}", format!("task {text}").trim_end()),
            Self::Check(expectation) => write!(f, "check {expectation}"),
            Self::Solution => f.write_str("solution"),
        }
    }
}

/// A scenario that was read: every line of its text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scenario {
    lines: Vec<Statement>,
}

impl Scenario {
    /// Reads a scenario.
    ///
    /// ```
    /// use loglanes::scenario::Scenario;
    ///
    /// let wrong = Scenario::parse("topic orders\nprodcue orders value=\"a\"").unwrap_err();
    /// assert_eq!((wrong[0].line, wrong[0].column), (2, 1));
    /// assert_eq!(wrong[0].hint, "Is produce meant?");
    /// ```
    ///
    /// # Errors
    ///
    /// What cannot be read, in the order of the lines, at most [`MAX_DIAGNOSTICS`].
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        parse::parse(text).map(|lines| Self { lines })
    }

    /// Of statements, such as those of a history.
    #[must_use]
    pub fn of(lines: Vec<Statement>) -> Self {
        Self { lines }
    }

    /// Its lines; the first is line 1.
    #[must_use]
    pub fn lines(&self) -> &[Statement] {
        &self.lines
    }

    /// The text of its first comment.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| match line {
            Statement::Comment(text) if !text.is_empty() => Some(text.as_str()),
            _ => None,
        })
    }

    /// The seed of the cluster's random choices.
    #[must_use]
    pub fn seed(&self) -> i64 {
        let seed =
            |line: &Statement| if let Statement::Seed(seed) = line { Some(*seed) } else { None };
        self.lines.iter().find_map(seed).unwrap_or(DEFAULT_SEED)
    }

    /// The clock at the beginning, milliseconds since 1970.
    #[must_use]
    pub fn start_ms(&self) -> i64 {
        let start =
            |line: &Statement| if let Statement::Start(ms) = line { Some(*ms) } else { None };
        self.lines.iter().find_map(start).unwrap_or(DEFAULT_START_MS)
    }

    /// How many acts it has, those of the solution included.
    #[must_use]
    pub fn act_count(&self) -> usize {
        self.lines.iter().filter(|line| matches!(line, Statement::Act(_))).count()
    }

    /// The scenario without its solution, and the lines of the solution alone.
    #[must_use]
    pub fn split_solution(&self) -> (Self, &[Statement]) {
        let at = self.lines.iter().position(|line| *line == Statement::Solution);
        let (lines, solution) = self.lines.split_at(at.unwrap_or(self.lines.len()));
        (Self { lines: lines.to_vec() }, solution.get(1..).unwrap_or_default())
    }
}

/// The canonical text: what [`Scenario::parse`] reads back as the same.
impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests;
