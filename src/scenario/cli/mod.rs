//! A scenario as commands of Kafka's own tools, for a real cluster.
//!
//! The scenario is carried out here, and each act is written down as what does the same there:
//! records go to the partitions that they have here, groups commit what they have committed here.
//! So what is drawn by chance, or depends on a clock, comes out the same. An act without a
//! counterpart stands in the script as a comment that says why, and what a real cluster does
//! instead.
//!
//! `counterpart` says what an act is there; `walk` goes from line to line; `topics`, `send` and
//! `groups` write the commands, `check` what is expected, `refused` what Kafka refuses. `there`
//! keeps what is different there: a record that no tool sends takes no offset.

mod check;
mod counterpart;
mod groups;
mod refused;
mod script;
mod send;
mod there;
mod topics;
mod walk;

use super::Scenario;
use crate::error::Result;
use crate::group::TopicPartition;
use crate::interchange::bundle::folder::Folder;

pub use counterpart::{COUNTERPARTS, Counterpart};

/// A scenario as a folder: `run.sh`, and in `data/` what is too long for it.
///
/// ```
/// use loglanes::scenario::{Commands, Scenario};
///
/// let scenario = Scenario::parse(
///     "topic orders partitions=3
/// produce orders key=\"user_42\" value=\"paid\"
/// clock +1h",
/// )
/// .unwrap();
/// let commands = Commands::of(&scenario, false)?;
/// assert!(commands.script().contains(
///     "tool kafka-console-producer --topic orders --property parse.key=true \
///      --property key.separator=: \\\n  <<'END'\nuser_42:paid\nEND\n"
/// ), "{}", commands.script());
/// assert_eq!(commands.not_carried()[0].text, "clock +1h");
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Commands {
    folder: Folder,
    script: String,
    not_carried: Vec<NotCarried>,
    there: there::There,
}

/// Something that a line does here and the script does not do there.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NotCarried {
    /// The line, from 1.
    pub line: u32,
    /// The line, cut where it is long.
    pub text: String,
    /// Why, and what a real cluster does instead.
    pub why: String,
}

impl Commands {
    /// The commands of a scenario, with or without its solution.
    ///
    /// # Errors
    /// More than [`MAX_BUNDLE_BYTES`](crate::interchange::bundle::MAX_BUNDLE_BYTES) of records.
    pub fn of(scenario: &Scenario, with_solution: bool) -> Result<Self> {
        walk::commands(scenario, with_solution)
    }

    /// The script: POSIX shell.
    #[must_use]
    pub fn script(&self) -> &str {
        &self.script
    }

    /// All files, by their paths.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.folder.files()
    }

    /// What is not carried over, in the order of the lines.
    #[must_use]
    pub fn not_carried(&self) -> &[NotCarried] {
        &self.not_carried
    }

    /// Where an offset of a partition lies there, once the script has run. It is the same as long
    /// as all that came before it was sent.
    #[must_use]
    pub fn offset_there(&self, topic: &str, partition: i32, offset: i64) -> i64 {
        self.there.offset(topic, partition, offset)
    }

    /// What a group has committed there, once the script has run: the next offset to read of each
    /// partition. The tool keeps an offset within the log.
    pub fn committed_there(&self, group: &str) -> impl Iterator<Item = (&TopicPartition, i64)> {
        let commits = self.there.commits_of(group).into_iter().flatten();
        commits.map(|(at, offset)| (at, *offset))
    }

    /// All of it as one zip archive.
    ///
    /// # Errors
    /// More than a zip archive holds.
    pub fn zip(&self) -> Result<Vec<u8>> {
        self.folder.zip("loglanes-commands")
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;
