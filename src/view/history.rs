//! Steps of the history, as a page lists them.

use serde::Serialize;

use crate::history::History;

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
