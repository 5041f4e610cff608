//! Counting what test runners say they ran, from their closing lines.

use std::ops::AddAssign;

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub passed: usize,
    pub failed: usize,
}

impl Tally {
    /// A check that is one thing: it holds or it does not.
    pub fn one(passed: bool) -> Self {
        Self { passed: passed.into(), failed: (!passed).into() }
    }

    /// What a line of a runner's output counts; none when it is not a closing line.
    ///
    /// Cargo's closing line is `test result: ok. 5 passed; 0 failed; ...`; Playwright's are
    /// `  5 passed (3.2s)`, `  1 failed` and `  1 flaky`, each alone. A flaky test is one that
    /// passed when it was tried again, which is done in CI alone, on machines that are busy with
    /// other things; its line is printed, to be looked into.
    pub fn of_line(line: &str) -> Option<Self> {
        if let Some(counts) = line.trim_start().strip_prefix("test result: ") {
            return Some(Self {
                passed: before(counts, "passed")?,
                failed: before(counts, "failed")?,
            });
        }
        let mut words = line.strip_prefix("  ")?.split(' ');
        let count = words.next()?.parse().ok()?;
        let word = words.next()?;
        let rest = words.next();
        let closes = rest.is_none_or(|rest| rest.starts_with('('));
        match word {
            "passed" | "flaky" if closes => Some(Self { passed: count, failed: 0 }),
            "failed" if closes => Some(Self { passed: 0, failed: count }),
            _ => None,
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// The number before a word, as in `5 passed`.
fn before(text: &str, word: &str) -> Option<usize> {
    let end = text.find(&format!(" {word}"))?;
    text.get(..end)?.rsplit(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted_and_others_are_not() {
        let counted = |passed, failed| Some(Tally { passed, failed });
        for (line, expected) in [
            ("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured", counted(5, 0)),
            ("test result: FAILED. 12 passed; 3 failed; 0 ignored", counted(12, 3)),
            ("  7 passed (3.2s)", counted(7, 0)),
            ("  1 failed", counted(0, 1)),
            ("  1 flaky", counted(1, 0)),
            ("  2 skipped", None),
            ("  2 passed by the door", None),
            ("test a ... ok", None),
            ("5 passed", None),
            ("", None),
        ] {
            assert_eq!(Tally::of_line(line), expected, "{line:?}");
        }
    }
}
