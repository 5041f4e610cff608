//! Counts on their way to JS.

use serde::{Serialize, Serializer};

/// Writes a count as a number wherever it goes: the boundary makes a `bigint` of every 64-bit
/// integer, which is right for offsets and a nuisance for counts.
pub(super) fn as_number<S: Serializer>(count: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match u32::try_from(*count) {
        Ok(count) => serializer.serialize_u32(count),
        Err(_) => serializer.serialize_f64(*count as f64),
    }
}

/// The same for a list.
pub(super) fn as_numbers<S: Serializer>(counts: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(counts.iter().map(|&count| Count(count)))
}

struct Count(u64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        as_number(&self.0, serializer)
    }
}
