//! What lay ahead when something else was done in the past.
//!
//! Whoever goes back and acts begins another course. The steps that lay ahead are not lost: they
//! are set aside, as many courses as the limits allow, and can be taken up again where they began.

use super::{Step, size_of};

/// The most courses that are kept aside; past it the oldest is forgotten.
pub const MAX_ASIDES: usize = 8;

/// The most bytes of commands that are kept aside; past it the oldest courses are forgotten. As
/// much as a whole history may have, so that the latest is always kept.
pub const MAX_ASIDE_BYTES: usize = super::MAX_HISTORY_BYTES;

/// Steps that once lay ahead.
#[derive(Debug, Clone, PartialEq)]
pub struct Aside {
    /// Its number; none is given twice.
    pub id: u64,
    /// How many steps of the present course come before them.
    pub at: u64,
    /// The steps, oldest first.
    pub steps: Vec<Step>,
    /// The first of them that is an act, as a line of a scenario, cut where it is long. Made when they are
    /// set aside, as it is looked at often.
    pub line: String,
}

impl Aside {
    pub(crate) fn new(id: u64, at: u64, steps: Vec<Step>) -> Self {
        let acts = steps.iter().map(|step| &step.command);
        let first = acts.clone().find(|command| command.kind() != "tick").or(acts.clone().next());
        let line = first.map(|command| command.brief().0).unwrap_or_default();
        Self { id, at, steps, line }
    }

    fn bytes(&self) -> usize {
        self.steps.iter().map(size_of).sum()
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Asides {
    /// In the order of their ids.
    kept: Vec<Aside>,
    next: u64,
    forgotten: u64,
}

impl Asides {
    pub(super) fn restored(kept: Vec<Aside>, next: u64, forgotten: u64) -> Self {
        Self { kept, next, forgotten }
    }

    pub(super) fn kept(&self) -> &[Aside] {
        &self.kept
    }

    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Keeps what lay ahead after the first `at` steps. Courses that left it further on now leave
    /// the present one here, too: they begin with the part that they shared with it.
    pub(super) fn add(&mut self, at: u64, steps: Vec<Step>) {
        for index in 0..self.kept.len() {
            let Some(other) = self.kept.get_mut(index).filter(|other| other.at > at) else {
                continue;
            };
            let shared = usize::try_from(other.at - at).unwrap_or(usize::MAX).min(steps.len());
            let mut longer: Vec<Step> = steps.iter().take(shared).cloned().collect();
            longer.append(&mut other.steps);
            *other = Aside::new(self.next, at, longer);
            self.next += 1;
        }
        self.kept.sort_by_key(|aside| aside.id);
        self.kept.push(Aside::new(self.next, at, steps));
        self.next += 1;
        while self.kept.len() > MAX_ASIDES
            || (self.kept.len() > 1 && self.bytes() > MAX_ASIDE_BYTES)
        {
            self.kept.remove(0);
            self.forgotten += 1;
        }
    }

    pub(super) fn remove(&mut self, id: u64) -> Option<Aside> {
        let index = self.kept.iter().position(|aside| aside.id == id)?;
        Some(self.kept.remove(index))
    }

    /// Forgets what begins before the oldest step that is kept: no one gets there any more.
    pub(super) fn forget_before(&mut self, step: u64) {
        let before = self.kept.len();
        self.kept.retain(|aside| aside.at >= step);
        self.forgotten += (before - self.kept.len()) as u64;
    }

    fn bytes(&self) -> usize {
        self.kept.iter().map(Aside::bytes).sum()
    }
}
