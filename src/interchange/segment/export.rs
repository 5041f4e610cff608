//! Partitions out, as the files that a broker has of them: a zip archive of directories such as
//! `orders-3/`.
//!
//! Of each segment the `.log`, its two indexes and its `.txnindex`, as a broker leaves them when it
//! stops in good order; of each partition a `.snapshot` of its producers, `leader-epoch-checkpoint`
//! and `partition.metadata`. Put into a broker's
//! log directory they are a partition of it.

use super::zip::{MemberSum, ZipWriter};
use crate::cluster::Cluster;
use crate::error::{Error, ErrorCode, Result};
use crate::log::{PartitionLog, Segment};
use crate::topic::TopicId;

/// How many bytes of a segment are gone through or written in one piece.
const CHUNK_BYTES: usize = 1 << 20;

/// An archive that is being written.
#[derive(Debug)]
pub struct SegmentsExport {
    topic: String,
    partitions: Vec<i32>,
    /// What comes next.
    partition: usize,
    segment: usize,
    /// Of the segment's log: what stands in front of it in the archive is its size and CRC, so it is
    /// gone through twice.
    sum: MemberSum,
    /// How much of it is written; none before that is begun.
    written: Option<usize>,
    zip: ZipWriter,
    /// Bytes of segments that were gone through or written, and how many that will be in the end.
    done: u64,
    total: u64,
    is_over: bool,
}

impl SegmentsExport {
    /// Begins an archive of a topic, or of one partition of it.
    ///
    /// # Errors
    /// `UNKNOWN_TOPIC_OR_PARTITION` (3).
    ///
    /// ```
    /// use loglanes::interchange::segment::{LogFiles, SegmentsExport};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 2), 0)?;
    /// cluster.apply(&Command::produce("orders", Some(b"k"), None), 9)?;
    /// let mut export = SegmentsExport::begin(&cluster, "orders", None)?;
    /// let mut archive = Vec::new();
    /// while let Some(chunk) = export.next(&cluster)? {
    ///     archive.extend(chunk);
    /// }
    /// let files = LogFiles::from_zip(&archive)?;
    /// let directories: Vec<_> = files.partitions().map(|(directory, _)| directory).collect();
    /// assert_eq!(directories, ["orders-0", "orders-1"]);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn begin(cluster: &Cluster, topic: &str, partition: Option<i32>) -> Result<Self> {
        let known = cluster.topic(topic).ok_or_else(|| unknown(topic))?;
        let partitions: Vec<i32> = match partition {
            Some(partition) => vec![partition],
            None => (0..known.partition_count()).collect(),
        };
        let mut total = 0;
        for &partition in &partitions {
            let held = known.partition(partition).ok_or_else(|| unknown(topic))?;
            total += 2 * held.log.size_in_bytes();
        }
        Ok(Self {
            topic: topic.to_owned(),
            partitions,
            partition: 0,
            segment: 0,
            sum: MemberSum::default(),
            written: None,
            zip: ZipWriter::default(),
            done: 0,
            total,
            is_over: false,
        })
    }

    /// How much is done, of how much.
    #[must_use]
    pub fn progress(&self) -> (u64, u64) {
        (self.done, self.total)
    }

    /// The next piece, which may be of no bytes; none when the archive is whole. Nothing may be
    /// written to the topic meanwhile.
    ///
    /// # Errors
    /// The topic is gone; the archive is too large for a zip.
    pub fn next(&mut self, cluster: &Cluster) -> Result<Option<Vec<u8>>> {
        if self.is_over {
            return Ok(None);
        }
        let mut out = Vec::new();
        let Some(&number) = self.partitions.get(self.partition) else {
            self.zip.end(&mut out);
            self.is_over = true;
            return Ok(Some(out));
        };
        let topic = cluster.topic(&self.topic).ok_or_else(|| unknown(&self.topic))?;
        let log = &topic.partition(number).ok_or_else(|| unknown(&self.topic))?.log;
        let directory = format!("{}-{number}", self.topic);
        let Some(segment) = log.segments().get(self.segment) else {
            for (name, content) in checkpoints(log, topic.id) {
                self.file(&directory, name, content.as_bytes(), &mut out)?;
            }
            self.partition += 1;
            self.segment = 0;
            return Ok(Some(out));
        };
        let at = self.written.unwrap_or(self.sum.size() as usize);
        let rest = segment.bytes().get(at..).unwrap_or_default();
        let piece = rest.get(..CHUNK_BYTES).unwrap_or(rest);
        self.done += piece.len() as u64;
        let Some(written) = self.written else {
            self.sum.add(piece);
            if piece.len() == rest.len() {
                let path = format!("{directory}/{}", segment.file_name());
                self.zip.begin_summed(&path, &std::mem::take(&mut self.sum), &mut out)?;
                self.written = Some(0);
            }
            return Ok(Some(out));
        };
        out.extend_from_slice(piece);
        if piece.len() < rest.len() {
            self.written = Some(written + piece.len());
            return Ok(Some(out));
        }
        for (name, content) in indexes(segment, log) {
            self.file(&directory, &name, &content, &mut out)?;
        }
        self.written = None;
        self.segment += 1;
        Ok(Some(out))
    }

    fn file(&mut self, directory: &str, name: &str, content: &[u8], out: &mut Vec<u8>) -> Result {
        self.zip.begin(&format!("{directory}/{name}"), content, out)?;
        out.extend_from_slice(content);
        Ok(())
    }
}

/// What stands beside a segment's log, by file names: indexes; aborted transactions where there
/// are any; behind the last one what producers have sent, as of the log's end.
fn indexes(segment: &Segment, log: &PartitionLog) -> Vec<(String, Vec<u8>)> {
    let base = segment.base_offset();
    let mut files = vec![
        (format!("{base:020}.index"), segment.offset_index().to_bytes()),
        (format!("{base:020}.timeindex"), segment.closed_time_index().to_bytes()),
    ];
    let aborted: Vec<u8> = segment.aborted().iter().flat_map(|one| one.to_bytes()).collect();
    if !aborted.is_empty() {
        files.push((format!("{base:020}.txnindex"), aborted));
    }
    let end = log.log_end_offset();
    let is_last = log.segments().last().is_some_and(|last| last.base_offset() == base);
    if let (true, Some(snapshot)) = (is_last, log.snapshot_at_end()) {
        files.push((format!("{end:020}.snapshot"), snapshot));
    }
    files
}

/// The small text files of a partition. Source: `PartitionMetadataFile`.
fn checkpoints(log: &PartitionLog, id: TopicId) -> [(&'static str, String); 2] {
    [
        ("leader-epoch-checkpoint", log.leader_epoch_checkpoint()),
        ("partition.metadata", format!("version: 0\ntopic_id: {id}\n")),
    ]
}

fn unknown(topic: &str) -> Error {
    Error::code_alone(ErrorCode::UnknownTopicOrPartition)
        .with_hint(format!("Name a partition that {topic} has."))
}
