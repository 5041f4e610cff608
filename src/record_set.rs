//! Records that a command carries: Kafka's own batches, so that there is no second format.

use crate::error::Result;
use crate::log::{BatchBuilder, Batches, NewRecord, RecordView};

/// How many bytes of records are put into one batch of a set.
const BATCH_BYTES: usize = 256 << 10;

/// Records in the order of sending, as record batches back to back. The offsets in them count
/// the records of the set; a log gives them offsets of its own. Where a record's partition is
/// given, the leader epoch of its batch names it: nothing else in a set means a partition, and the
/// CRC does not cover the field. -1 leaves it to the partitioner.
///
/// ```
/// use loglanes::RecordSet;
/// use loglanes::log::NewRecord;
///
/// let mut set = RecordSet::builder();
/// set.push(&NewRecord { timestamp: 0, key: Some(b"k"), value: None, headers: &[] })?;
/// let set = set.finish();
/// assert_eq!(set.len(), 1);
/// assert!(set.iter().next().unwrap().is_tombstone());
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordSet(Vec<u8>);

impl RecordSet {
    /// An empty set to fill.
    #[must_use]
    pub fn builder() -> RecordSetBuilder {
        RecordSetBuilder {
            bytes: Vec::new(),
            batch: BatchBuilder::new(),
            records: 0,
            partition: ANY_PARTITION,
        }
    }

    /// A set from its bytes; [`RecordSet::check`] says whether they are one.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The batches.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// How many records, by the headers of the batches. Counted anew with each call.
    #[must_use]
    pub fn len(&self) -> u64 {
        Batches::new(&self.0)
            .map_while(std::result::Result::ok)
            .map(|batch| u64::from(batch.header().record_count.unsigned_abs()))
            .sum()
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether every batch and every record can be read.
    ///
    /// ```
    /// use loglanes::RecordSet;
    ///
    /// assert!(RecordSet::default().check().is_ok());
    /// assert!(RecordSet::from_bytes(vec![0; 61]).check().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Refusal::Corrupt`] for the first that cannot.
    pub fn check(&self) -> Result {
        for batch in Batches::new(&self.0) {
            let batch = batch?;
            batch.verify_crc()?;
            batch.records().try_for_each(|record| record.map(drop))?;
        }
        Ok(())
    }

    /// The records, as far as they can be read.
    pub fn iter(&self) -> impl Iterator<Item = RecordView<'_>> {
        self.placed().map(|(_, record)| record)
    }

    /// The records with the partition that each is for; none: the partitioner chooses.
    pub fn placed(&self) -> impl Iterator<Item = (Option<i32>, RecordView<'_>)> {
        Batches::new(&self.0).map_while(std::result::Result::ok).flat_map(|batch| {
            let partition = Some(batch.header().partition_leader_epoch).filter(|&p| p >= 0);
            batch
                .records()
                .map_while(std::result::Result::ok)
                .map(move |record| (partition, record))
        })
    }
}

/// The leader epoch of a batch whose records go where the partitioner says.
const ANY_PARTITION: i32 = -1;

/// Collects records into a [`RecordSet`].
#[derive(Debug)]
pub struct RecordSetBuilder {
    bytes: Vec<u8>,
    batch: BatchBuilder,
    records: i64,
    /// Of the open batch.
    partition: i32,
}

impl RecordSetBuilder {
    /// Adds a record.
    ///
    /// # Errors
    ///
    /// A record that no batch can hold; the set is as before then.
    pub fn push(&mut self, record: &NewRecord<'_>) -> Result {
        self.push_to(record, None)
    }

    /// Adds a record for a given partition, or for the one that the partitioner chooses.
    ///
    /// # Errors
    ///
    /// As [`RecordSetBuilder::push`].
    pub fn push_to(&mut self, record: &NewRecord<'_>, partition: Option<i32>) -> Result {
        let partition = partition.unwrap_or(ANY_PARTITION);
        if partition != self.partition || !self.batch.has_room_for(record, BATCH_BYTES) {
            self.close();
            self.partition = partition;
        }
        self.batch.append(record)
    }

    /// How many bytes the set has so far, but for its last batch.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The set of what was pushed.
    #[must_use]
    pub fn finish(mut self) -> RecordSet {
        self.close();
        RecordSet(self.bytes)
    }

    fn close(&mut self) {
        self.bytes.extend_from_slice(self.batch.finish(self.records, self.partition));
        self.records += self.batch.count() as i64;
        self.batch.clear();
    }
}
