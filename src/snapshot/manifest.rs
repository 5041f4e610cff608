//! The manifest: all but the records and the history, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bytes::Bytes;
use crate::cluster::{Cluster, LogChecks};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::history::History;
use crate::java;
use crate::log::{AbortedTransaction, PartitionLog, ProducerStates, Segment, SegmentParts};
use crate::producer::Memory;
use crate::snapshot::RESTORE_HINT;
use crate::topic::{Partition, Topic, TopicConfig};

/// What this version writes. A reader takes its own version and all before.
pub(super) const VERSION: u32 = 3;

/// The first that has what partitions know of producers.
const KNOWS_PRODUCERS: u32 = 3;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    version: u32,
    seed: i64,
    random: java::Random,
    clock_offset_ms: i64,
    #[serde(default)]
    log_checks: LogChecks,
    brokers: Vec<i32>,
    topics: Vec<SavedTopic>,
    groups: BTreeMap<String, Group>,
    producers: Vec<SavedProducer>,
    pub(super) history: SavedHistory,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedTopic {
    name: String,
    id: String,
    replication_factor: i16,
    configs: BTreeMap<String, String>,
    partitions: Vec<SavedPartition>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedPartition {
    replicas: Vec<i32>,
    log_start_offset: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cleaner_checkpoint: Option<i64>,
    #[serde(default, skip_serializing_if = "ProducerStates::is_empty")]
    producers: ProducerStates,
    segments: Vec<SavedSegment>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedSegment {
    pub(super) base_offset: i64,
    created_ms: i64,
    last_modified_ms: i64,
    pub(super) bytes: usize,
    /// None in what the first version wrote.
    #[serde(default)]
    pub(super) generation: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    aborted: Vec<AbortedTransaction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    producer_snapshot: Option<Bytes>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedProducer {
    topic: String,
    partitioner: String,
    memory: Memory,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedHistory {
    pub(super) forgotten: u64,
    pub(super) first_chunk: u64,
    pub(super) chunks: u64,
    pub(super) steps: u64,
}

impl Manifest {
    pub(super) fn of(seed: i64, cluster: &Cluster, history: &History) -> Self {
        let chunks = history.chunk_numbers();
        Self {
            version: VERSION,
            seed,
            random: cluster.random.clone(),
            clock_offset_ms: cluster.clock_offset_ms,
            log_checks: cluster.log_checks,
            brokers: cluster.brokers.clone(),
            topics: cluster.topics.iter().map(|(name, topic)| saved_topic(name, topic)).collect(),
            groups: cluster.groups.clone(),
            producers: cluster
                .producers
                .iter()
                .map(|((topic, partitioner), memory)| SavedProducer {
                    topic: topic.clone(),
                    partitioner: partitioner.clone(),
                    memory: memory.clone(),
                })
                .collect(),
            history: SavedHistory {
                forgotten: history.forgotten(),
                first_chunk: chunks.start,
                chunks: chunks.end - chunks.start,
                steps: history.steps().len() as u64,
            },
        }
    }

    /// # Errors
    ///
    /// If it cannot be written: an empty one must never be saved in its place.
    pub(super) fn to_json(&self) -> Result<Vec<u8>> {
        serde_json::to_vec(self).map_err(|error| {
            Error::loglanes(format!("The manifest cannot be written: {error}."))
                .with_hint("This is a fault of Loglanes: nothing was saved, please report it.")
        })
    }

    pub(super) fn from_json(json: &[u8]) -> Result<Self> {
        let unreadable = |error: serde_json::Error| {
            Error::corrupt(format!("The manifest cannot be read: {error}.")).with_hint(RESTORE_HINT)
        };
        // By way of a value, as arguments from JavaScript are read: see src/wasm/from_js.rs.
        let saved: serde_json::Value = serde_json::from_slice(json).map_err(unreadable)?;
        let version = Version::deserialize(&saved).map_err(unreadable)?;
        if version.version > VERSION {
            return Err(Error::corrupt(format!(
                "This was saved by a newer Loglanes: format {}, where this one reads up to \
                 {VERSION}.",
                version.version
            ))
            .with_hint("Open it with that version; nothing was loaded."));
        }
        Self::deserialize(saved).map_err(unreadable)
    }

    /// The cluster and its seed. `segment` gives the bytes of a segment, by topic id and
    /// partition.
    pub(super) fn restore(
        self,
        mut segment: impl FnMut(&str, usize, &SavedSegment) -> Result<Vec<u8>>,
    ) -> Result<(i64, Cluster)> {
        let mut topics = BTreeMap::new();
        for saved in self.topics {
            let config = TopicConfig::parse(saved.configs)?;
            let mut partitions = Vec::with_capacity(saved.partitions.len());
            for (number, partition) in saved.partitions.into_iter().enumerate() {
                let parts = partition
                    .segments
                    .iter()
                    .map(|part| {
                        Ok(SegmentParts {
                            base_offset: part.base_offset,
                            created_ms: part.created_ms,
                            last_modified_ms: part.last_modified_ms,
                            bytes: segment(&saved.id, number, part)?,
                        })
                    })
                    .collect::<Result<Vec<_>>>()?;
                let mut log =
                    PartitionLog::restore(config.log().clone(), partition.log_start_offset, parts)?
                        .named(format!("{}-{number}", saved.name));
                let generations: Vec<u32> =
                    partition.segments.iter().map(|part| part.generation).collect();
                log.resume(partition.cleaner_checkpoint, &generations);
                if self.version >= KNOWS_PRODUCERS {
                    let segments = partition.segments.into_iter().map(|part| {
                        (part.aborted, part.producer_snapshot.map(|bytes| bytes.to_vec()))
                    });
                    log.resume_producers(partition.producers, segments)?;
                }
                partitions.push(Partition { replicas: partition.replicas, log });
            }
            let topic = Topic {
                id: saved.id.parse()?,
                replication_factor: saved.replication_factor,
                config,
                partitions,
            };
            if topics.insert(saved.name.clone(), topic).is_some() {
                return Err(twice(&format!("The topic {}", saved.name)));
            }
        }
        let mut producers = BTreeMap::new();
        for SavedProducer { topic, partitioner, memory } in self.producers {
            let what = format!("A producer of {topic}");
            if producers.insert((topic, partitioner), memory).is_some() {
                return Err(twice(&what));
            }
        }
        let cluster = Cluster {
            brokers: self.brokers,
            random: self.random,
            clock_offset_ms: self.clock_offset_ms,
            log_checks: self.log_checks,
            topics,
            groups: self.groups,
            producers,
        };
        cluster.check()?;
        Ok((self.seed, cluster))
    }
}

fn twice(what: &str) -> Error {
    Error::corrupt(format!("{what} is there twice.")).with_hint(RESTORE_HINT)
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn saved_topic(name: &str, topic: &Topic) -> SavedTopic {
    SavedTopic {
        name: name.to_owned(),
        id: topic.id.to_string(),
        replication_factor: topic.replication_factor,
        configs: topic.config.given().clone(),
        partitions: topic.partitions.iter().map(saved_partition).collect(),
    }
}

fn saved_partition(partition: &Partition) -> SavedPartition {
    SavedPartition {
        replicas: partition.replicas.clone(),
        log_start_offset: partition.log.log_start_offset(),
        cleaner_checkpoint: partition.log.cleaner_checkpoint(),
        producers: partition.log.producers().clone(),
        segments: partition.log.segments().iter().map(saved_segment).collect(),
    }
}

fn saved_segment(segment: &Segment) -> SavedSegment {
    SavedSegment {
        base_offset: segment.base_offset(),
        created_ms: segment.created_ms(),
        last_modified_ms: segment.last_modified_ms(),
        bytes: segment.size_in_bytes(),
        generation: segment.generation(),
        aborted: segment.aborted().to_vec(),
        producer_snapshot: segment.producer_snapshot().map(Bytes::from),
    }
}
