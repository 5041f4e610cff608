//! A session as a page that was opened again has it.

use loglanes::Session;
use loglanes::snapshot::Restorer;

/// The session as it is after it was saved and loaded; what was saved before counts for nothing.
pub fn reloaded(session: &mut Session) -> Session {
    session.forget_saved();
    let mut restorer = Restorer::default();
    while let Some(step) = session.changes().unwrap() {
        for (name, chunk) in &step.puts {
            restorer.add(name, chunk).unwrap();
        }
        session.saved(step.token);
    }
    restorer.finish().unwrap()
}
