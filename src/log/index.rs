//! The two sparse indexes of a segment: offset to position, timestamp to offset.
//!
//! An index leads to a place shortly before the batch that is looked for; from there one scans.
//! Source: `org.apache.kafka.storage.internals.log.OffsetIndex` and `TimeIndex`. They are never
//! stored by Loglanes, only rebuilt; [`OffsetIndex::to_bytes`] and [`TimeIndex::to_bytes`] give
//! the files a broker would have.

/// Bytes of one entry in an `.index` file.
pub const OFFSET_ENTRY_LEN: usize = 8;
/// Bytes of one entry in a `.timeindex` file.
pub const TIME_ENTRY_LEN: usize = 12;

/// Where batches lie: (last offset of a batch, the byte it begins at).
///
/// ```
/// use loglanes::log::index::OffsetIndex;
/// let mut index = OffsetIndex::new(100, 10_485_760);
/// index.append(105, 4200);
/// assert_eq!(index.lookup(104), 0);
/// assert_eq!(index.lookup(105), 4200);
/// assert_eq!(index.to_bytes(), [0, 0, 0, 5, 0, 0, 0x10, 0x68]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetIndex {
    base_offset: i64,
    max_entries: usize,
    entries: Vec<(u32, u32)>,
}

impl OffsetIndex {
    /// An empty index of a segment; `max_bytes` is `segment.index.bytes`.
    #[must_use]
    pub fn new(base_offset: i64, max_bytes: i32) -> Self {
        let max_entries = usize::try_from(max_bytes).unwrap_or(0) / OFFSET_ENTRY_LEN;
        Self { base_offset, max_entries, entries: Vec::new() }
    }

    /// Gives it another size, as a broker does that starts again. What is in it stays.
    pub(crate) fn resize(&mut self, max_bytes: i32) {
        self.max_entries = Self::new(self.base_offset, max_bytes).max_entries;
    }

    /// Whether no entry fits any more: the segment then rolls.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.max_entries
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry. One whose offset does not rise, or lies 2^31 or more above the base, is
    /// left out: an index only ever shortens a search.
    pub fn append(&mut self, offset: i64, position: u32) {
        if let Some(relative) = relative(offset, self.base_offset)
            && self.entries.last().is_none_or(|&(last, _)| last < relative)
        {
            self.entries.push((relative, position));
        }
    }

    /// The position to scan from for `offset`: that of the greatest entry at or below it, or 0.
    #[must_use]
    pub fn lookup(&self, offset: i64) -> u32 {
        let Ok(target) = u64::try_from(offset.saturating_sub(self.base_offset)) else { return 0 };
        let above = self.entries.partition_point(|&(relative, _)| u64::from(relative) <= target);
        above
            .checked_sub(1)
            .and_then(|at| self.entries.get(at))
            .map_or(0, |&(_, position)| position)
    }

    /// The `.index` file, cut to its entries: big-endian i32 offset less the base, i32 position.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.entries.len() * OFFSET_ENTRY_LEN);
        for (relative, position) in &self.entries {
            out.extend_from_slice(&relative.to_be_bytes());
            out.extend_from_slice(&position.to_be_bytes());
        }
        out
    }
}

/// How far timestamps have come: (greatest timestamp so far, last offset of its batch).
///
/// ```
/// use loglanes::log::index::TimeIndex;
/// let mut index = TimeIndex::new(100, 10_485_760);
/// index.append(1_000, 105);
/// index.append(1_000, 109); // not greater: no entry
/// assert_eq!(index.lookup(999), 100);
/// assert_eq!(index.lookup(1_000), 105);
/// assert_eq!(index.to_bytes().len(), 12);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeIndex {
    base_offset: i64,
    max_entries: usize,
    entries: Vec<(i64, u32)>,
}

impl TimeIndex {
    /// An empty index of a segment; `max_bytes` is `segment.index.bytes`.
    #[must_use]
    pub fn new(base_offset: i64, max_bytes: i32) -> Self {
        let max_entries = usize::try_from(max_bytes).unwrap_or(0) / TIME_ENTRY_LEN;
        Self { base_offset, max_entries, entries: Vec::new() }
    }

    /// Gives it another size, as a broker does that starts again. What is in it stays.
    pub(crate) fn resize(&mut self, max_bytes: i32) {
        self.max_entries = Self::new(self.base_offset, max_bytes).max_entries;
    }

    /// Whether the segment must roll: one entry early, because the last place is kept for the
    /// entry that is forced when a segment closes.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.entries.len() >= self.max_entries.saturating_sub(1)
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry if `timestamp` is greater than that of every entry before, and than -1.
    pub fn append(&mut self, timestamp: i64, offset: i64) {
        let last = self.entries.last().map_or(super::record::NO_TIMESTAMP, |&(last, _)| last);
        if timestamp > last
            && let Some(relative) = relative(offset, self.base_offset)
        {
            self.entries.push((timestamp, relative));
        }
    }

    /// The offset to scan from for the first timestamp at or above `timestamp`: that of the
    /// greatest entry at or below it, or the base offset.
    #[must_use]
    pub fn lookup(&self, timestamp: i64) -> i64 {
        let above = self.entries.partition_point(|&(entry, _)| entry <= timestamp);
        let entry = above.checked_sub(1).and_then(|at| self.entries.get(at));
        self.base_offset.saturating_add(entry.map_or(0, |&(_, relative)| i64::from(relative)))
    }

    /// The `.timeindex` file, cut to its entries: big-endian i64 timestamp, i32 offset less the
    /// base.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.entries.len() * TIME_ENTRY_LEN);
        for (timestamp, relative) in &self.entries {
            out.extend_from_slice(&timestamp.to_be_bytes());
            out.extend_from_slice(&relative.to_be_bytes());
        }
        out
    }
}

/// `offset - base` where an index can hold it: 0 to `i32::MAX`.
pub(crate) fn relative(offset: i64, base: i64) -> Option<u32> {
    let relative = offset.checked_sub(base)?;
    i32::try_from(relative).ok().and_then(|relative| u32::try_from(relative).ok())
}
