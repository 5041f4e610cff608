//! A history as a scenario.

use super::Statement;
use super::time::When;
use crate::error::{Error, Result};
use crate::scenario::{MAX_LINES, MAX_TEXT_BYTES};
use crate::session::Session;

/// What was done in a session as a scenario that does it again: its seed, its clock, its acts, and what
/// an author says of them.
///
/// ```
/// use loglanes::scenario::history_text;
/// use loglanes::{Command, Session};
///
/// let mut session = Session::new(7);
/// session.apply(Command::create_topic("orders", 3), 1_700_000_000_000)?;
/// session.apply(Command::Tick, 1_700_000_005_000)?;
/// assert_eq!(
///     history_text(&session)?,
///     "seed 7\nstart 2023-11-14T22:13:20Z\ntopic orders partitions=3\nat 2023-11-14T22:13:25Z\ntick\n",
/// );
/// # Ok::<(), loglanes::Error>(())
/// ```
///
/// # Errors
///
/// If the first steps are no longer kept, and the limits of a text.
pub fn history_text(session: &Session) -> Result<String> {
    use std::fmt::Write as _;
    let history = session.history();
    if history.forgotten() > 0 {
        return Err(Error::loglanes(format!(
            "The first {} steps are no longer kept: what is left is no whole scenario.",
            history.forgotten()
        ))
        .with_hint("Export the cluster to a file instead."));
    }
    let weight: usize = history.steps().iter().map(|step| step.command.weight()).sum();
    let too_long = |name: &'static str, what: String| {
        Error::limit(name, format!("The history is too long for a text: {what}."))
            .with_hint("Export the cluster to a file instead.")
    };
    if weight > MAX_TEXT_BYTES {
        return Err(too_long("MAX_TEXT_BYTES", format!("it has more than {MAX_TEXT_BYTES} bytes")));
    }
    let mut text = format!("{}\n", Statement::Seed(session.seed()));
    let mut now_ms = None;
    for (number, step) in history.steps().iter().enumerate() {
        if now_ms != Some(step.at_ms) {
            let line = match now_ms {
                None => Statement::Start(step.at_ms),
                Some(_) => Statement::At(When::At(step.at_ms)),
            };
            now_ms = Some(step.at_ms);
            let _ = writeln!(text, "{line}");
        }
        if number == 0 {
            write_notes(&mut text, history.notes_at(0));
        }
        let _ = writeln!(text, "{}", step.command);
        write_notes(&mut text, &step.notes);
        if text.len() > MAX_TEXT_BYTES {
            return Err(too_long(
                "MAX_TEXT_BYTES",
                format!("it has more than {MAX_TEXT_BYTES} bytes"),
            ));
        }
    }
    if history.steps().is_empty() {
        write_notes(&mut text, history.notes_at(0));
    }
    if text.lines().count() > MAX_LINES {
        return Err(too_long("MAX_LINES", format!("it has more than {MAX_LINES} lines")));
    }
    Ok(text)
}

fn write_notes(text: &mut String, notes: &[String]) {
    for note in notes {
        text.push_str(&Statement::Note(note.clone()).to_string());
        text.push('\n');
    }
}
