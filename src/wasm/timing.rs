//! How long jobs and restores took, where a browser's own tools show it: [User Timing].
//!
//! Nothing here is needed for anything to work, so a place without it, or a refusal, is passed over.
//!
//! [User Timing]: https://www.w3.org/TR/user-timing/

use web_sys::Performance;

/// The work named `loglanes` and this begins now.
pub(super) fn begin(work: &str) {
    if let Some(performance) = performance() {
        let _ = performance.mark(&name(work));
    }
}

/// It ends now: from here on the browser's performance panel has it as one bar.
pub(super) fn end(work: &str) {
    if let Some(performance) = performance() {
        let name = name(work);
        let _ = performance.measure_with_start_mark(&name, &name);
        performance.clear_marks_with_mark_name(&name);
    }
}

fn name(work: &str) -> String {
    format!("loglanes {work}")
}

fn performance() -> Option<Performance> {
    web_sys::window()?.performance()
}
