//! Carries out a scenario, one act after the other or as a whole, and says what was found.

use serde::Serialize;

use super::expect::Expectation;
use super::measure::{Reads, measure, needs_reads};
use super::time::When;
use super::value::Value;
use super::{Act, Scenario, Statement};
use crate::outcome::Outcome;
use crate::session::Session;
use crate::view::RefusalView;

/// What an `expect` or a `check` line found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line, from 1.
    pub line: u32,
    /// The line as it is printed.
    pub text: String,
    /// Whether it holds.
    pub met: bool,
    /// What there is instead, or why that cannot be said; what there is where it holds.
    pub found: String,
}

/// A line of text for the reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NoteLine {
    /// The line, from 1.
    pub line: u32,
    /// The text.
    pub text: String,
}

/// The act that ended a run: it was refused, and no line expected that.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stopped {
    /// The line, from 1.
    pub line: u32,
    /// Where in the line, in characters, from 1.
    pub column: u32,
    /// The line as it is printed.
    pub text: String,
    /// What Kafka or one of its clients answers.
    pub refusal: RefusalView,
    /// What the author may do.
    pub hint: String,
}

/// What one act did, with the lines between it and the next one.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct StepReport {
    /// Which act, from 1; 0 for the lines before the first.
    pub act: u32,
    /// Its line, from 1; 0 for none.
    pub line: u32,
    /// The act as it is printed.
    pub text: String,
    /// What it did; none where it was refused.
    pub outcome: Option<Outcome>,
    /// Why it was refused, as a line expected.
    pub refusal: Option<RefusalView>,
    /// Text for the reader.
    pub notes: Vec<NoteLine>,
    /// What the lines behind it expect, and what there is.
    pub findings: Vec<Finding>,
}

/// What a run found.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// How many acts were carried out or refused as expected.
    pub acts: u32,
    /// Every `expect` line that was reached.
    pub findings: Vec<Finding>,
    /// Every `note` line that was reached.
    pub notes: Vec<NoteLine>,
    /// The act that ended the run before its end.
    pub stopped: Option<Stopped>,
}

impl Report {
    /// Whether the run came to its end and every line holds.
    #[must_use]
    pub fn is_met(&self) -> bool {
        self.stopped.is_none() && self.findings.iter().all(|finding| finding.met)
    }

    /// Adds what a step says.
    pub fn add(&mut self, step: StepReport) {
        self.acts = self.acts.max(step.act);
        self.findings.extend(step.findings);
        self.notes.extend(step.notes);
    }
}

/// A scenario on its way, with the session that it makes. The lines of the solution come only when
/// [`Player::solve`] is called.
///
/// ```
/// use loglanes::scenario::{Player, Scenario};
///
/// let scenario = Scenario::parse("note Hello.\ntopic orders\nexpect partitions orders = 1").unwrap();
/// let (mut player, first) = Player::new(&scenario);
/// assert_eq!((first.act, first.notes[0].text.as_str()), (0, "Hello."));
/// let step = player.step().unwrap().unwrap();
/// assert_eq!((step.act, step.line, step.findings[0].met), (1, 2, true));
/// assert!(player.step().unwrap().is_none());
/// assert!(player.session().cluster().topic("orders").is_some());
/// ```
#[derive(Debug)]
pub struct Player {
    lines: Vec<Statement>,
    next: usize,
    /// The line behind the last that is played.
    end: usize,
    session: Session,
    reads: Reads,
    now_ms: i64,
    acts: u32,
    is_stopped: bool,
}

impl Player {
    /// A new session, and what stands before the first act.
    #[must_use]
    pub fn new(scenario: &Scenario) -> (Self, StepReport) {
        let lines = scenario.lines().to_vec();
        let solution = lines.iter().position(|line| *line == Statement::Solution);
        let mut player = Self {
            end: solution.unwrap_or(lines.len()),
            lines,
            next: 0,
            session: Session::new(scenario.seed()),
            reads: Reads::default(),
            now_ms: scenario.start_ms(),
            acts: 0,
            is_stopped: false,
        };
        let mut report = StepReport::default();
        player.read_on(&mut report, None);
        (player, report)
    }

    /// The session as it is now.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The session, to go on with in another way.
    #[must_use]
    pub fn into_session(self) -> Session {
        self.session
    }

    /// The caller's clock: what is done next is done at this time or later.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Lets the lines of the solution follow.
    pub fn solve(&mut self) {
        self.end = self.lines.len();
    }

    /// Carries out the next act and reads on to the one after it; none at the end.
    ///
    /// # Errors
    ///
    /// The act that was refused without having been expected to be. The run ends there.
    pub fn step(&mut self) -> Result<Option<StepReport>, Box<Stopped>> {
        while !self.is_stopped && self.next < self.end {
            let line = self.next as u32 + 1;
            let statement = self.lines.get(self.next).cloned();
            self.next += 1;
            match statement {
                Some(Statement::At(When::At(ms))) => self.now_ms = ms,
                Some(Statement::At(When::After(ms))) => {
                    self.now_ms = self.now_ms.saturating_add(ms);
                }
                Some(Statement::Act(act)) => return self.act(&act, line).map(Some),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The rest of it.
    pub fn finish(&mut self) -> Report {
        let mut report = Report { acts: self.acts, ..Report::default() };
        loop {
            match self.step() {
                Ok(Some(step)) => report.add(step),
                Ok(None) => return report,
                Err(stopped) => {
                    report.stopped = Some(*stopped);
                    return report;
                }
            }
        }
    }

    fn act(&mut self, act: &Act, line: u32) -> Result<StepReport, Box<Stopped>> {
        let command = act.at(self.session.cluster().clock(self.now_ms));
        let text = act.to_string();
        let result = self.session.apply(command, self.now_ms);
        let expected = self.lines.iter().skip(self.next).find(|line| {
            !matches!(line, Statement::Blank | Statement::Comment(_) | Statement::Note(_))
        });
        if let (Err(error), false) = (&result, matches!(expected, Some(Statement::ExpectError(_))))
        {
            self.is_stopped = true;
            return Err(Box::new(Stopped {
                line,
                column: 1,
                text,
                refusal: RefusalView::from(error),
                hint: format!(
                    "Mend the line, or write below it that this is expected: expect error {}",
                    error.name()
                ),
            }));
        }
        self.acts += 1;
        let mut report = StepReport { act: self.acts, line, text, ..StepReport::default() };
        let name = result.as_ref().err().map(crate::Error::name);
        match result {
            Ok(outcome) => {
                self.reads.note(&outcome);
                report.outcome = Some(outcome);
            }
            Err(error) => report.refusal = Some(RefusalView::from(&error)),
        }
        self.read_on(&mut report, name);
        Ok(report)
    }

    /// Reads the lines up to the next act.
    fn read_on(&mut self, report: &mut StepReport, refused: Option<&str>) {
        while self.next < self.end
            && let Some(statement) = self.lines.get(self.next)
        {
            let line = self.next as u32 + 1;
            match statement {
                Statement::Act(_) | Statement::At(_) => return,
                Statement::Note(text) => {
                    self.session.add_note(text);
                    report.notes.push(NoteLine { line, text: text.clone() });
                }
                Statement::Expect(expectation) => report.findings.push(found(
                    expectation,
                    line,
                    statement.to_string(),
                    &self.session,
                    &self.reads,
                    self.now_ms,
                )),
                Statement::ExpectError(name) => report.findings.push(Finding {
                    line,
                    text: statement.to_string(),
                    met: refused == Some(name.as_str()),
                    found: refused.unwrap_or("the act was not refused").to_owned(),
                }),
                _ => {}
            }
            self.next += 1;
        }
    }
}

fn found(
    expectation: &Expectation,
    line: u32,
    text: String,
    session: &Session,
    reads: &Reads,
    now_ms: i64,
) -> Finding {
    let Expectation { measure: of, relation, wanted } = expectation;
    match measure(of, session.cluster(), reads, now_ms) {
        Ok(value) => {
            Finding { line, text, met: relation.holds(&value, wanted), found: shown(&value) }
        }
        Err(why) => Finding { line, text, met: false, found: why },
    }
}

/// The value as a finding tells it, cut where it is long.
fn shown(value: &Value) -> String {
    const MOST_VALUES: usize = 20;
    const MOST_CHARACTERS: usize = 500;
    let text = match value {
        Value::List(values) if values.len() > MOST_VALUES => {
            let first = values.iter().take(MOST_VALUES).cloned().collect();
            format!("{},… ({} in all)", Value::List(first), values.len())
        }
        value => value.to_string(),
    };
    if text.chars().count() <= MOST_CHARACTERS {
        return text;
    }
    text.chars().take(MOST_CHARACTERS).chain(['…']).collect()
}

/// Carries out a scenario without its solution.
#[must_use]
pub fn run(scenario: &Scenario) -> Report {
    let (mut player, first) = Player::new(scenario);
    let mut report = Report::default();
    report.add(first);
    let rest = player.finish();
    report.acts = rest.acts;
    report.findings.extend(rest.findings);
    report.notes.extend(rest.notes);
    report.stopped = rest.stopped;
    report
}

/// What the `check` lines of a scenario find in a session, however it came about. `now_ms` is the
/// caller's clock.
///
/// ```
/// use loglanes::scenario::{Scenario, check};
/// use loglanes::{Command, Session};
///
/// let lesson = Scenario::parse("task Make the topic orders.\ncheck topics = orders").unwrap();
/// let mut session = Session::new(1);
/// assert!(!check(&lesson, &session, 0)[0].met);
/// session.apply(Command::create_topic("orders", 3), 0)?;
/// assert!(check(&lesson, &session, 0)[0].met);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn check(scenario: &Scenario, session: &Session, now_ms: i64) -> Vec<Finding> {
    let checks = (1..).zip(scenario.lines()).filter_map(|(line, statement)| match statement {
        Statement::Check(expectation) => Some((line, statement, expectation)),
        _ => None,
    });
    let needs_them = scenario.lines().iter().any(
        |line| matches!(line, Statement::Check(expectation) if needs_reads(&expectation.measure)),
    );
    let reads = if needs_them { Reads::of(session) } else { Ok(Reads::default()) };
    checks
        .map(|(line, statement, expectation)| match &reads {
            Ok(reads) => found(expectation, line, statement.to_string(), session, reads, now_ms),
            Err(why) => {
                Finding { line, text: statement.to_string(), met: false, found: why.clone() }
            }
        })
        .collect()
}
