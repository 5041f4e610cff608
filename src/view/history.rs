//! The history, as a page shows it: where the cluster stands in it, and its steps.

use serde::Serialize;

use crate::history::{Aside, History};
use crate::session::Session;

/// The history, but for its steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HistoryView {
    /// How many steps there are in all.
    pub length: f64,
    /// Those that are no longer kept.
    pub forgotten: f64,
    /// How many are done; the others lie ahead.
    pub position: f64,
    /// The first position that can be gone to.
    pub earliest: f64,
    /// Where the last act is undone; none: there is none.
    pub undo: Option<f64>,
    /// Where the next act is done again; none: nothing lies ahead.
    pub redo: Option<f64>,
    /// What the author of a scenario says at this position.
    pub notes: Vec<String>,
    /// What was set aside, the oldest first.
    pub asides: Vec<AsideView>,
    /// How many courses that were set aside are no longer kept.
    pub asides_forgotten: f64,
}

/// A course that was set aside.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AsideView {
    /// Its number.
    pub id: f64,
    /// After how many steps it begins.
    pub at: f64,
    /// How many steps it has.
    pub steps: f64,
    /// Its first step, a line.
    pub text: String,
}

impl HistoryView {
    /// The view of a session's history.
    ///
    /// ```
    /// use loglanes::view::HistoryView;
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 0)?;
    /// let view = HistoryView::of(&session);
    /// assert_eq!((view.length, view.position, view.undo, view.redo), (1.0, 1.0, Some(0.0), None));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn of(session: &Session) -> Self {
        let history = session.history();
        Self {
            length: history.len() as f64,
            forgotten: history.forgotten() as f64,
            position: history.position() as f64,
            earliest: session.earliest() as f64,
            undo: session.undo_position().map(|position| position as f64),
            redo: session.redo_position().map(|position| position as f64),
            notes: history.notes_at(history.position()).to_vec(),
            asides: history.asides().iter().map(AsideView::of).collect(),
            asides_forgotten: history.asides_forgotten() as f64,
        }
    }
}

impl AsideView {
    fn of(aside: &Aside) -> Self {
        Self {
            id: aside.id as f64,
            at: aside.at as f64,
            steps: aside.steps.len() as f64,
            text: aside.line.clone(),
        }
    }
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StepLine {
    /// Its number, from 0 at the cluster's beginning.
    pub step: f64,
    /// When it was applied, ms since 1970.
    pub at: f64,
    /// One line of a scenario, cut where it is long.
    pub text: String,
    /// Whether the line is all of it.
    pub whole: bool,
    /// The command's `type`.
    pub command: &'static str,
}

/// At most `limit` steps from number `from` on; forgotten ones are passed over.
///
/// ```
/// use loglanes::view::steps;
/// use loglanes::{Command, Session};
///
/// let mut session = Session::new(7);
/// session.apply(Command::create_topic("orders", 3), 0)?;
/// let lines = steps(session.history(), 0, 10);
/// assert_eq!((lines.len(), &*lines[0].text), (1, "topic orders partitions=3"));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn steps(history: &History, from: u64, limit: usize) -> Vec<StepLine> {
    let skipped = from.saturating_sub(history.forgotten());
    let first = history.forgotten() + skipped;
    (first..)
        .zip(history.steps().iter().skip(usize::try_from(skipped).unwrap_or(usize::MAX)))
        .take(limit)
        .map(|(number, step)| {
            let (text, whole) = step.command.brief();
            let command = step.command.kind();
            StepLine { step: number as f64, at: step.at_ms as f64, text, whole, command }
        })
        .collect()
}
