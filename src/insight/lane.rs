//! Each partition as a strip of tags, to draw from one record to ten million.

use super::tag::Tag;
use crate::log::PartitionLog;

/// The most pixels that [`LaneIndex::tags`] answers for in one go.
pub const MAX_PIXELS: usize = 1 << 16;

/// A gap of at most this many offsets is stored as [`Tag::NOTHING`]s; a wider one costs nothing
/// but the start of a new run.
pub const MAX_FILLED_GAP: i64 = 16;

/// A [`Tag`] for every offset of every partition of a topic.
///
/// Memory: 4 bytes an offset, control records and narrow gaps included. Following the log costs
/// as much as reading the new records; if records were removed from the middle, as by
/// compaction, the partition is read again.
///
/// ```
/// use loglanes::insight::{LaneIndex, Tag};
/// use loglanes::log::{BatchBuilder, LogConfig, NewRecord, PartitionLog};
///
/// let mut log = PartitionLog::new(LogConfig::default(), 0);
/// let mut batch = BatchBuilder::new();
/// batch.append(&NewRecord { timestamp: 0, key: Some(b"a"), value: Some(b"1"), headers: &[] })?;
/// log.append_batch(&mut batch, 0)?;
///
/// let mut lanes = LaneIndex::new();
/// lanes.update([&log]);
/// let a = Tag::of_key(b"a").0;
/// // Three pixels, half an offset each: offset 0 twice, then nothing.
/// assert_eq!(lanes.tags(0, 0, 0.5, 3, None), [a, a, 0]);
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct LaneIndex {
    lanes: Vec<Lane>,
}

/// One partition.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// In order, no two of them touching.
    runs: Vec<Run>,
    /// The first offset that has not been read.
    next: i64,
    /// How many of the tags are of records that a consumer can read.
    records: u64,
    /// Room for the first run.
    spare: Vec<Tag>,
}

/// Tags without a wide gap between them; never empty, and the last one is of a record.
#[derive(Debug, Clone)]
struct Run {
    first: i64,
    tags: Vec<Tag>,
}

impl Run {
    fn end(&self) -> i64 {
        self.first + self.tags.len() as i64
    }
}

impl LaneIndex {
    /// An index of nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Follows the partitions of a topic, given in order of their numbers: reads what is new and
    /// forgets what is gone.
    pub fn update<'a>(&mut self, partitions: impl IntoIterator<Item = &'a PartitionLog>) {
        let mut count = 0;
        for log in partitions {
            if self.lanes.len() == count {
                self.lanes.push(Lane::default());
            }
            if let Some(lane) = self.lanes.get_mut(count) {
                lane.update(log);
            }
            count += 1;
        }
        self.lanes.truncate(count);
    }

    /// Forgets what lies behind the end of the partitions' logs: another state of them may follow, in
    /// which something else was written there.
    pub fn cut<'a>(&mut self, partitions: impl IntoIterator<Item = &'a PartitionLog>) {
        let mut count = 0;
        for (lane, log) in self.lanes.iter_mut().zip(partitions) {
            lane.cut(log.log_end_offset());
            count += 1;
        }
        self.lanes.truncate(count);
    }

    /// For each of `width` pixels, at most [`MAX_PIXELS`], the tag of the first record in it; 0
    /// where there is none, or no such partition. Pixel `x` has the offsets from
    /// `from + floor(x * per_pixel)` up to where the next one begins, and at least one.
    ///
    /// With a `key`, a pixel that has a record of it has the tag of the first of those, so that no
    /// record of that key is hidden by its neighbours. The key's [`Tag::KEY`] bits count alone.
    ///
    /// `from` may be any offset, also before the log or behind it; `per_pixel` is a positive
    /// number of offsets. Only the distance from `from` is ever a floating-point number.
    #[must_use]
    pub fn tags(
        &self,
        partition: usize,
        from: i64,
        per_pixel: f64,
        width: usize,
        key: Option<Tag>,
    ) -> Vec<u32> {
        let width = width.min(MAX_PIXELS);
        let Some(lane) = self.lanes.get(partition) else { return vec![0; width] };
        // A float too large for an i64 becomes the largest, NaN becomes 0.
        let begin = |x: usize| from.saturating_add((x as f64 * per_pixel).floor() as i64);
        (0..width)
            .map(|x| {
                let start = begin(x);
                let end = begin(x + 1).max(start.saturating_add(1));
                let first = lane.first_in(start, end, Tag::is_something);
                match key {
                    // Where there is no record at all, there is none of the key either.
                    Some(key) if first.is_something() && !first.is_of_key(key) => {
                        let tag = lane.first_in(start, end, |tag| tag.is_of_key(key));
                        if tag.is_something() { tag.0 } else { first.0 }
                    }
                    _ => first.0,
                }
            })
            .collect()
    }

    /// The tag at one offset; [`Tag::NOTHING`] where there is no record.
    #[must_use]
    pub fn tag(&self, partition: usize, offset: i64) -> Tag {
        self.lanes.get(partition).map_or(Tag::NOTHING, |lane| {
            lane.first_in(offset, offset.saturating_add(1), Tag::is_something)
        })
    }

    /// How many bytes the tags take, for the page's account of memory.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        let runs = self.lanes.iter().flat_map(|lane| &lane.runs);
        runs.map(|run| size_of::<Run>() + run.tags.capacity() * size_of::<Tag>()).sum()
    }
}

impl Lane {
    fn update(&mut self, log: &PartitionLog) {
        if log.log_end_offset() < self.next {
            *self = Self::default();
        }
        self.forget_before(log.log_start_offset());
        self.read(log);
        if self.records != log.record_count() {
            // Something between was removed.
            *self = Self::default();
            self.read(log);
        }
    }

    fn read(&mut self, log: &PartitionLog) {
        let start = self.next.max(log.log_start_offset());
        let end = log.log_end_offset();
        if self.runs.is_empty() {
            // A gap may be any width, so room is made for records only.
            let room = (end - start).max(0).unsigned_abs().min(log.record_count());
            self.spare = Vec::with_capacity(usize::try_from(room).unwrap_or(0));
        }
        for batch in log.batches_from(start) {
            let header = batch.header();
            // Every record was decoded when it came in, so there are no errors to pass on.
            for record in batch.records().flatten().filter(|record| record.offset >= start) {
                self.push(record.offset, Tag::of_stored(&record, header));
                self.records += u64::from(!header.is_control());
            }
        }
        self.next = end;
    }

    #[inline]
    fn push(&mut self, offset: i64, tag: Tag) {
        if let Some(run) = self.runs.last_mut() {
            let gap = offset - run.end();
            if gap == 0 {
                return run.tags.push(tag);
            }
            if (1..=MAX_FILLED_GAP).contains(&gap) {
                run.tags.extend((0..gap).map(|_| Tag::NOTHING));
                return run.tags.push(tag);
            }
        }
        let mut tags = std::mem::take(&mut self.spare);
        tags.push(tag);
        self.runs.push(Run { first: offset, tags });
    }

    fn cut(&mut self, end: i64) {
        if self.next <= end {
            return;
        }
        self.next = end;
        let whole = self.runs.partition_point(|run| run.end() <= end);
        let split = self.runs.get_mut(whole).filter(|run| run.first < end);
        let mut gone: Vec<Tag> = Vec::new();
        let left = split.map_or(whole, |run| {
            gone = run.tags.split_off(usize::try_from(end - run.first).unwrap_or(0));
            // The last one must be of a record.
            while run.tags.last().is_some_and(|tag| !tag.is_something()) {
                run.tags.pop();
            }
            whole + usize::from(!run.tags.is_empty())
        });
        gone.extend(self.runs.drain(left..).flat_map(|run| run.tags));
        self.records -= gone.iter().filter(|tag| is_readable(**tag)).count() as u64;
    }

    fn forget_before(&mut self, start: i64) {
        let gone = self.runs.partition_point(|run| run.end() <= start);
        let whole = self.runs.drain(..gone).flat_map(|run| run.tags);
        let mut records = whole.filter(|tag| is_readable(*tag)).count();
        if let Some(run) = self.runs.first_mut().filter(|run| run.first < start) {
            let cut = usize::try_from(start - run.first).unwrap_or(0).min(run.tags.len());
            records += run.tags.drain(..cut).filter(|tag| is_readable(*tag)).count();
            run.first = start;
        }
        self.records = self.records.saturating_sub(records as u64);
    }

    /// The first tag at an offset of `from..to` that is wanted.
    #[inline]
    fn first_in(&self, from: i64, to: i64, is_wanted: impl Fn(Tag) -> bool) -> Tag {
        let after = self.runs.partition_point(|run| run.end() <= from);
        for run in self.runs.get(after..).unwrap_or_default() {
            if run.first >= to {
                break;
            }
            let place = |offset: i64| usize::try_from(offset - run.first).unwrap_or(0);
            let (start, end) = (place(from.max(run.first)), place(to.min(run.end())));
            let tags = run.tags.get(start..end).unwrap_or_default();
            if let Some(tag) = tags.iter().find(|tag| is_wanted(**tag)) {
                return *tag;
            }
        }
        Tag::NOTHING
    }
}

fn is_readable(tag: Tag) -> bool {
    tag.is_something() && !tag.is_control()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Pair, append, keyed, logs, replica};
    use super::*;
    use proptest::prelude::*;

    fn key_tag(key: &str) -> u32 {
        Tag::of_key(key.as_bytes()).0
    }

    #[test]
    fn each_record_is_at_its_offset() {
        let mut logs = logs(2);
        append(&mut logs[1], &[keyed("a"), (None, None), (Some(vec![]), Some(vec![]))]);
        let mut lanes = LaneIndex::new();
        lanes.update(&logs);
        assert_eq!(lanes.tags(0, 0, 1.0, 2, None), [0, 0]);
        let none = Tag::new(None, None, false).0;
        let empty = Tag::new(Some(b""), Some(b""), false).0;
        assert_eq!(lanes.tags(1, 0, 1.0, 4, None), [key_tag("a"), none, empty, 0]);
        assert_eq!(lanes.tags(1, -2, 1.0, 4, None), [0, 0, key_tag("a"), none]);
        assert_eq!(lanes.tags(1, 0, 2.0, 2, None), [key_tag("a"), empty]);
        assert_eq!(lanes.tags(2, 0, 1.0, 2, None), [0, 0]);
        assert_eq!(lanes.tag(1, 2).0, empty);
    }

    #[test]
    fn a_key_that_is_asked_for_comes_before_its_neighbours() {
        let mut logs = logs(1);
        let tombstone = (Some(b"b".to_vec()), None);
        append(&mut logs[0], &[keyed("a"), tombstone, keyed("b"), keyed("a"), (None, None)]);
        let mut lanes = LaneIndex::new();
        lanes.update(&logs);
        let b = Tag::new(Some(b"b"), Some(b"any"), true);
        let gone = Tag::new(Some(b"b"), None, false).0;
        let last = Tag::new(None, None, false).0;
        assert_eq!(lanes.tags(0, 0, 2.0, 4, Some(b)), [gone, key_tag("b"), last, 0]);
        let none = Tag::new(None, Some(b"v"), false);
        assert_eq!(lanes.tags(0, 0, 5.0, 1, Some(none)), [last]);
        assert_eq!(lanes.tags(0, 0, 5.0, 1, None), [key_tag("a")]);
    }

    #[test]
    fn only_what_is_new_is_read() {
        let mut logs = logs(1);
        let mut lanes = LaneIndex::new();
        for key in ["a", "b", "c"] {
            append(&mut logs[0], &[keyed(key), keyed(key)]);
            lanes.update(&logs);
        }
        let want = ["a", "a", "b", "b", "c", "c"].map(key_tag);
        assert_eq!(lanes.tags(0, 0, 1.0, 6, None), want);
        assert_eq!(lanes.lanes[0].runs.len(), 1);
    }

    #[test]
    fn what_is_cut_is_read_again_however_the_log_goes_on() {
        let wide = MAX_FILLED_GAP + 9;
        let first = (0, vec![keyed("a"), keyed("b")]);
        let (one, other) = ((2, vec![keyed("c"); 3]), (2, vec![keyed("d"); 4]));
        let before = replica(0, std::slice::from_ref(&first));
        let log = replica(0, &[first.clone(), one, (2 + wide, vec![keyed("e")])]);
        let then = replica(0, &[first, other, (2 + wide, vec![keyed("f")])]);
        let mut lanes = LaneIndex::new();
        lanes.update([&log]);
        lanes.cut([&before]);
        lanes.update([&then]);
        let mut fresh = LaneIndex::new();
        fresh.update([&then]);
        let width = usize::try_from(wide).unwrap() + 4;
        assert_eq!(lanes.tags(0, 0, 1.0, width, None), fresh.tags(0, 0, 1.0, width, None));
        lanes.cut([&before]);
        assert_eq!(lanes.tags(0, 0, 1.0, 4, None), [key_tag("a"), key_tag("b"), 0, 0]);
    }

    #[test]
    fn gaps_of_any_width_are_empty_and_cost_little() {
        let far = (1_i64 << 53) + 1;
        let log =
            replica(3, &[(5, vec![keyed("a")]), (9, vec![keyed("b")]), (far, vec![keyed("c")])]);
        let mut lanes = LaneIndex::new();
        lanes.update([&log]);
        assert_eq!(lanes.tags(0, 4, 1.0, 6, None), [0, key_tag("a"), 0, 0, 0, key_tag("b")]);
        assert_eq!(lanes.tags(0, far - 1, 1.0, 3, None), [0, key_tag("c"), 0]);
        assert_eq!(lanes.tags(0, 6, 4e15, 3, None), [key_tag("b"), 0, key_tag("c")]);
        assert!(lanes.memory_bytes() < 1000);
    }

    #[test]
    fn a_moved_log_start_forgets_and_another_log_is_read_anew() {
        let all: Vec<_> = ["a", "b", "c", "d"].map(keyed).into();
        let mut lanes = LaneIndex::new();
        lanes.update([&replica(0, &[(0, all.clone())])]);
        // The same log after its first two records were deleted.
        lanes.update([&replica(2, &[(2, all[2..].to_vec())])]);
        assert_eq!(lanes.tags(0, 0, 1.0, 5, None), [0, 0, key_tag("c"), key_tag("d"), 0]);
        // After compaction has removed one more.
        lanes.update([&replica(2, &[(3, all[3..].to_vec())])]);
        assert_eq!(lanes.tags(0, 0, 1.0, 5, None), [0, 0, 0, key_tag("d"), 0]);
        // A log that ends before.
        lanes.update([&replica(0, &[(0, all[..1].to_vec())])]);
        assert_eq!(lanes.tags(0, 0, 1.0, 5, None), [key_tag("a"), 0, 0, 0, 0]);
        lanes.update([]);
        assert_eq!(lanes.tags(0, 0, 1.0, 1, None), [0]);
    }

    #[test]
    fn no_numbers_make_it_panic() {
        let log = replica(i64::MAX - 9, &[(i64::MAX - 9, vec![keyed("a")])]);
        let mut lanes = LaneIndex::new();
        lanes.update([&log]);
        for from in [i64::MIN, -1, 0, i64::MAX - 9, i64::MAX] {
            for per_pixel in [0.0, -1.0, 0.3, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
                assert_eq!(lanes.tags(0, from, per_pixel, 3, None).len(), 3);
            }
        }
        assert_eq!(lanes.tags(0, i64::MAX - 9, 1.0, 1, None), [key_tag("a")]);
        assert_eq!(lanes.tags(0, 0, 1.0, MAX_PIXELS, None).len(), MAX_PIXELS);
        assert_eq!(lanes.tags(0, 0, 1.0, MAX_PIXELS + 1, None).len(), MAX_PIXELS);
    }

    proptest! {
        /// The oracle walks the log for every pixel.
        #[test]
        fn tags_are_those_of_the_first_record_in_each_pixel_or_the_first_of_the_key(
            gaps in proptest::collection::vec((0i64..40, 1usize..4), 0..12),
            from in -10i64..200,
            per_pixel in prop_oneof![Just(1.0), 0.05..30.0],
            steps in 1usize..4,
            asked in proptest::option::of(0usize..4),
        ) {
            // Few keys, so that one often stands behind another in a pixel.
            let key = |offset: i64| format!("key-{}", offset.wrapping_mul(offset) % 7 % 4);
            let asked = asked.map(|key| Tag::of_key(format!("key-{key}").as_bytes()));
            let (mut next, mut batches): (i64, Vec<(i64, Vec<Pair>)>) = (0, Vec::new());
            for (gap, count) in gaps {
                let base = next + gap;
                let records = (0..count as i64).map(|i| keyed(&key(base + i))).collect();
                batches.push((base, records));
                next = base + count as i64;
            }
            let mut lanes = LaneIndex::new();
            for step in 1..=steps {
                lanes.update([&replica(0, &batches[..batches.len() * step / steps])]);
            }
            let log = replica(0, &batches);
            for (x, tag) in lanes.tags(0, from, per_pixel, 50, asked).into_iter().enumerate() {
                let begin = |x: usize| from + (x as f64 * per_pixel).floor() as i64;
                let pixel = begin(x)..begin(x + 1).max(begin(x) + 1);
                let here: Vec<u32> = log
                    .records_from(0)
                    .filter(|record| pixel.contains(&record.offset))
                    .map(|record| Tag::of(&record).0)
                    .collect();
                let lit = here.iter().find(|tag| asked.is_some_and(|asked| **tag == asked.0));
                let want = lit.or(here.first()).copied().unwrap_or(0);
                prop_assert_eq!(tag, want, "pixel {}", x);
            }
        }
    }
}
