//! How much the logs hold together. Kafka's end is that of its disks; here all lies in the memory
//! of one tab, and running out of that would take everything with it.

use super::Cluster;
use crate::command::Command;
use crate::error::{Error, Result};

/// The most bytes that the logs of all topics hold together, the unpacked records of compressed
/// batches included: 1.5 GiB. A limit of this model. What a producer has not sent yet, a batch for
/// each partition at the most, is not counted.
///
/// WebAssembly's memory ends at 4 GiB. A segment of 1 GiB that grows by a quarter is copied, so for
/// a moment it is there more than twice; beside the logs lie the history
/// ([`MAX_HISTORY_BYTES`](crate::history::MAX_HISTORY_BYTES)) and the indexes of the lanes.
pub const MAX_STORED_BYTES: u64 = 1536 << 20;

/// What a record takes in a batch beside key, value and headers, at the most: seven varints and
/// what stands for its attributes. A batch has a header as well, which many records share.
pub(crate) const RECORD_OVERHEAD: u64 = 48;

/// What a header takes beside its key and its value, at the most: two varints.
const HEADER_OVERHEAD: usize = 20;

/// How many bytes a record takes at the most, but for the header of its batch.
pub(crate) fn record_bytes<'a>(
    key: Option<&[u8]>,
    value: Option<&[u8]>,
    headers: impl Iterator<Item = (&'a [u8], Option<&'a [u8]>)>,
) -> u64 {
    let len = |bytes: Option<&[u8]>| bytes.map_or(0, <[u8]>::len);
    let headers = headers.map(|(key, value)| key.len() + len(value) + HEADER_OVERHEAD);
    (len(key) + len(value) + headers.sum::<usize>()) as u64 + RECORD_OVERHEAD
}

impl Cluster {
    /// How many bytes the logs of all topics hold together; see [`MAX_STORED_BYTES`].
    ///
    /// ```
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 3), 0)?;
    /// assert_eq!(cluster.stored_bytes(), 0);
    /// cluster.apply(&Command::produce("orders", None, Some(b"v")), 0)?;
    /// assert_eq!(cluster.stored_bytes(), 69);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let logs = self.topics.values().flat_map(|topic| &topic.partitions).map(|held| &held.log);
        logs.map(|log| log.size_in_bytes() + log.unpacked_bytes()).sum()
    }

    /// How many more bytes the logs may hold.
    #[must_use]
    pub fn room(&self) -> u64 {
        limit().saturating_sub(self.stored_bytes())
    }

    /// Whether the logs may hold what a command brings.
    pub(crate) fn check_room(&self, command: &Command) -> Result {
        self.check_room_for(command.incoming_bytes())
    }

    pub(super) fn check_room_for(&self, more: u64) -> Result {
        if more == 0 || more <= self.room() {
            return Ok(());
        }
        Err(full(format!(
            "This would bring up to {more} bytes, and of the {MAX_STORED_BYTES} that the logs may \
             hold together, {} are left.",
            self.room()
        )))
    }
}

#[cfg(not(test))]
fn limit() -> u64 {
    MAX_STORED_BYTES
}

/// For tests, which do not fill gigabytes, it may be less.
#[cfg(test)]
fn limit() -> u64 {
    tests::LIMIT.get()
}

/// That the logs are full, with the way out.
pub(crate) fn full(message: String) -> Error {
    Error::limit("MAX_STORED_BYTES", message).with_hint(
        "Loglanes keeps all in this tab's memory. Delete a topic or records that are not needed, \
         or take a part of the file.",
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::generate::GenerateSpec;
    use std::cell::Cell;

    thread_local! {
        pub(crate) static LIMIT: Cell<u64> = const { Cell::new(MAX_STORED_BYTES) };
    }

    fn generate(count: u64, value_bytes: u64) -> Command {
        let spec =
            GenerateSpec { count, keys: 0, skew: 0.0, value_bytes, seed: 1, key_pattern: None };
        Command::Generate { topic: "t".to_owned(), producer: None, partitioner: None, spec }
    }

    #[test]
    fn what_would_not_fit_is_refused_before_anything_is_done() {
        let mut cluster = Cluster::new(7);
        cluster.apply(&Command::create_topic("t", 1), 0).unwrap();
        let before = cluster.clone();
        // 10 TB: no record of it may be made.
        let refused = cluster.apply(&generate(10_000_000, 1_000_000), 0).unwrap_err();
        assert_eq!(refused.name(), "MAX_STORED_BYTES");
        assert!(refused.message().contains("1610612736"), "{refused}");
        assert_eq!(cluster, before);
        // At the edge: as many bytes as there is room for are let in, one more record is not.
        let each = RECORD_OVERHEAD + 1_000_000;
        let fits = MAX_STORED_BYTES / each;
        assert!(cluster.check_room(&generate(fits, 1_000_000)).is_ok());
        assert!(cluster.check_room(&generate(fits + 1, 1_000_000)).is_err());
        assert!(cluster.check_room(&Command::Tick).is_ok());
    }
}
