//! The manifest: all but the records and the history, as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::changes::Saved;
use super::courses::Courses;
use super::{RESTORE_HINT, SegmentKey};
use crate::bytes::Bytes;
use crate::cluster::{ByHand, Cluster, LogChecks, TransactionalId};
use crate::error::{Error, Result};
use crate::group::Group;
use crate::history::History;
use crate::java;
use crate::log::{
    AbortedTransaction, Cut, LeaderEpochs, LogConfig, PartitionLog, ProducerStates, Segment,
    SegmentParts,
};
use crate::producer::{Memory, Producer, ProducerSettings};
use crate::topic::{Partition, Topic, TopicConfig};

/// What this version writes. A reader takes its own version and all before.
pub(super) const VERSION: u32 = 5;

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
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    by_hand: ByHand,
    /// What versions before the third wrote of producers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    producers: Vec<SavedProducer>,
    #[serde(default)]
    clients: BTreeMap<String, Producer>,
    #[serde(default)]
    next_producer_id: i64,
    #[serde(default)]
    transactions: BTreeMap<String, TransactionalId>,
    pub(super) history: SavedHistory,
    /// The number of the present course; see [`super`]. 0 in what earlier versions wrote, as are the
    /// other numbers of courses.
    #[serde(default)]
    pub(super) course: u32,
    /// By how much the session's clock is ahead of the caller's.
    #[serde(default)]
    pub(super) skew_ms: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checkpoint: Option<SavedCheckpoint>,
}

/// The state at an earlier step, from which the way back to the last steps is short. Its logs are the
/// beginnings of the present ones, so it has no chunks of its own.
#[derive(Debug, Serialize, Deserialize)]
struct SavedCheckpoint {
    /// After how many steps.
    position: u64,
    state: Box<Manifest>,
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
    /// How many records it has; only in a checkpoint, as the present ones are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    records: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cleaner_checkpoint: Option<i64>,
    #[serde(default, skip_serializing_if = "ProducerStates::is_empty")]
    producers: ProducerStates,
    /// None where the first leader leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leader_epochs: Option<LeaderEpochs>,
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
    #[serde(default, skip_serializing_if = "Courses::is_default")]
    pub(super) courses: Courses,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedProducer {
    topic: String,
    partitioner: String,
    memory: Memory,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedHistory {
    pub(super) forgotten: u64,
    /// What the author of a scenario says before the first step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) opening: Vec<String>,
    pub(super) first_chunk: u64,
    pub(super) chunks: u64,
    pub(super) steps: u64,
    /// How many of the steps lie ahead.
    #[serde(default)]
    pub(super) ahead: u64,
    /// By the chunks' numbers, from 0 for the first that is kept.
    #[serde(default, skip_serializing_if = "Courses::is_default")]
    pub(super) courses: Courses,
    #[serde(default)]
    pub(super) asides: SavedAsides,
}

/// What was set aside.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedAsides {
    pub(super) next: u64,
    pub(super) forgotten: u64,
    pub(super) kept: Vec<SavedAside>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SavedAside {
    pub(super) id: u64,
    pub(super) at: u64,
    pub(super) steps: u64,
}

impl SavedHistory {
    /// The course in which a chunk was written.
    pub(super) fn course(&self, number: u64) -> u32 {
        let index = usize::try_from(number.saturating_sub(self.first_chunk)).unwrap_or(usize::MAX);
        self.courses.block(index).course
    }
}

impl Manifest {
    /// `saved` knows the names of the blocks.
    pub(super) fn of(
        seed: i64,
        skew_ms: i64,
        cluster: &Cluster,
        history: &History,
        checkpoint: Option<(u64, &Cluster)>,
        saved: &Saved,
    ) -> Self {
        let checkpoint = checkpoint.map(|(position, there)| {
            let mut state = Self::of_cluster(seed, there, &Saved::default());
            state.count_records(there);
            SavedCheckpoint { position, state: Box::new(state) }
        });
        Self {
            history: saved_history(history, saved),
            course: saved.course(),
            skew_ms,
            checkpoint,
            ..Self::of_cluster(seed, cluster, saved)
        }
    }

    fn of_cluster(seed: i64, cluster: &Cluster, saved: &Saved) -> Self {
        Self {
            version: VERSION,
            seed,
            random: cluster.random.clone(),
            clock_offset_ms: cluster.clock_offset_ms,
            log_checks: cluster.log_checks,
            brokers: cluster.brokers.clone(),
            topics: cluster
                .topics
                .iter()
                .map(|(name, topic)| saved_topic(name, topic, saved))
                .collect(),
            groups: cluster.groups.clone(),
            by_hand: cluster.by_hand.clone(),
            producers: Vec::new(),
            clients: cluster.producers.clone(),
            next_producer_id: cluster.next_producer_id,
            transactions: cluster.transactions.clone(),
            history: SavedHistory::default(),
            course: 0,
            skew_ms: 0,
            checkpoint: None,
        }
    }

    fn count_records(&mut self, cluster: &Cluster) {
        for (saved, topic) in self.topics.iter_mut().zip(cluster.topics.values()) {
            for (saved, held) in saved.partitions.iter_mut().zip(&topic.partitions) {
                saved.records = Some(held.log.record_count());
            }
        }
    }

    /// Every segment that it names.
    pub(super) fn segments(&self) -> impl Iterator<Item = (SegmentKey, &SavedSegment)> {
        self.topics.iter().flat_map(|topic| {
            topic.partitions.iter().enumerate().flat_map(move |(partition, held)| {
                held.segments.iter().map(move |segment| {
                    let (base_offset, generation) = (segment.base_offset, segment.generation);
                    let topic = topic.id.clone();
                    (SegmentKey { topic, partition, base_offset, generation }, segment)
                })
            })
        })
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

    /// What was saved. `segment` gives the bytes of a segment, by topic id and partition.
    pub(super) fn restore(
        &self,
        mut segment: impl FnMut(&str, usize, &SavedSegment) -> Result<Vec<u8>>,
    ) -> Result<Restored> {
        let mut heads: BTreeMap<(&str, usize), Vec<Segment>> = BTreeMap::new();
        let cluster = self.cluster(|topic, number, partition, config| {
            let parts = partition.segments.iter().map(|part| {
                Ok(SegmentParts {
                    base_offset: part.base_offset,
                    created_ms: part.created_ms,
                    last_modified_ms: part.last_modified_ms,
                    bytes: segment(&topic.id, number, part)?,
                })
            });
            let parts = parts.collect::<Result<Vec<_>>>()?;
            let earlier = self.checkpoint.as_ref().and_then(|at| at.state.partition(topic, number));
            let cut = earlier.and_then(|earlier| partition.cut(earlier));
            let start = partition.log_start_offset;
            let (log, head) = PartitionLog::restore_with_cut(config.clone(), start, parts, cut)?;
            heads.extend(head.map(|head| ((topic.id.as_str(), number), head)));
            Ok(log)
        })?;
        let checkpoint = self.checkpoint.as_ref().map(|SavedCheckpoint { position, state }| {
            let misfit = || {
                Error::corrupt(format!("The state after {position} steps does not fit the logs."))
                    .with_hint(RESTORE_HINT)
            };
            let there = state.cluster(|topic, number, partition, config| {
                let mut head = heads.remove(&(topic.id.as_str(), number)).ok_or_else(misfit)?;
                for (segment, part) in head.iter_mut().zip(&partition.segments) {
                    segment.touch(part.last_modified_ms);
                }
                let (start, records) = (partition.log_start_offset, partition.records);
                let records = records.ok_or_else(misfit)?;
                Ok(PartitionLog::of_segments(config.clone(), start, records, head))
            })?;
            let is_before = *position < self.history.forgotten + self.history.steps;
            if is_before { Ok((*position, there)) } else { Err(misfit()) }
        });
        Ok(Restored { seed: self.seed, cluster, checkpoint: checkpoint.transpose()? })
    }

    /// The partition of the same topic and number.
    fn partition(&self, topic: &SavedTopic, number: usize) -> Option<&SavedPartition> {
        let same = self.topics.iter().find(|other| other.id == topic.id)?;
        same.partitions.get(number)
    }

    /// The cluster, with logs by topic and partition.
    fn cluster<'a>(
        &'a self,
        mut log_of: impl FnMut(
            &'a SavedTopic,
            usize,
            &'a SavedPartition,
            &LogConfig,
        ) -> Result<PartitionLog>,
    ) -> Result<Cluster> {
        let mut topics = BTreeMap::new();
        for saved in &self.topics {
            let config = TopicConfig::parse(saved.configs.clone())?;
            let mut partitions = Vec::with_capacity(saved.partitions.len());
            for (number, partition) in saved.partitions.iter().enumerate() {
                let mut log = log_of(saved, number, partition, config.log())?
                    .named(format!("{}-{number}", saved.name));
                let generations: Vec<u32> =
                    partition.segments.iter().map(|part| part.generation).collect();
                log.resume(partition.cleaner_checkpoint, &generations);
                if let Some(leaders) = &partition.leader_epochs {
                    log.resume_leaders(leaders.clone())?;
                }
                if self.version >= KNOWS_PRODUCERS {
                    let segments = partition.segments.iter().map(|part| {
                        let snapshot = part.producer_snapshot.as_ref();
                        (part.aborted.clone(), snapshot.map(|bytes| bytes.to_vec()))
                    });
                    log.resume_producers(partition.producers.clone(), segments)?;
                }
                partitions.push(Partition { replicas: partition.replicas.clone(), log });
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
        let mut producers = self.clients.clone();
        for SavedProducer { topic, partitioner, memory } in &self.producers {
            let what = format!("A producer of {topic}");
            let producer = producers
                .entry(partitioner.clone())
                .or_insert_with(|| Producer::new(partitioner, ProducerSettings::default()));
            if producer.memories.insert(topic.clone(), memory.clone()).is_some() {
                return Err(twice(&what));
            }
        }
        let cluster = Cluster {
            brokers: self.brokers.clone(),
            random: self.random.clone(),
            clock_offset_ms: self.clock_offset_ms,
            log_checks: self.log_checks,
            topics,
            groups: self.groups.clone(),
            by_hand: self.by_hand.clone(),
            producers,
            next_producer_id: self.next_producer_id,
            transactions: self.transactions.clone(),
        };
        cluster.check()?;
        Ok(cluster)
    }
}

/// What a manifest and the segments that it names make.
pub(super) struct Restored {
    pub(super) seed: i64,
    pub(super) cluster: Cluster,
    /// The state after so many steps, earlier than the present one.
    pub(super) checkpoint: Option<(u64, Cluster)>,
}

impl SavedPartition {
    /// Where this log ended when it was the other one; none if it does not begin with that.
    fn cut(&self, earlier: &Self) -> Option<Cut> {
        let last = earlier.segments.len().checked_sub(1)?;
        for (number, head) in earlier.segments.iter().enumerate() {
            let here = self.segments.get(number)?;
            let is_same =
                here.base_offset == head.base_offset && here.generation == head.generation;
            let is_whole =
                if number == last { here.bytes >= head.bytes } else { here.bytes == head.bytes };
            if !is_same || !is_whole {
                return None;
            }
        }
        Some(Cut { segment: last, bytes: earlier.segments.get(last)?.bytes })
    }
}

fn twice(what: &str) -> Error {
    Error::corrupt(format!("{what} is there twice.")).with_hint(RESTORE_HINT)
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

fn saved_history(history: &History, saved: &Saved) -> SavedHistory {
    let chunks = history.chunk_numbers();
    let asides = history.asides().iter();
    SavedHistory {
        forgotten: history.forgotten(),
        opening: history.notes_at(0).to_vec(),
        first_chunk: chunks.start,
        chunks: chunks.end - chunks.start,
        steps: history.steps().len() as u64,
        ahead: history.ahead(),
        courses: saved.history_courses(history),
        asides: SavedAsides {
            next: history.next_aside(),
            forgotten: history.asides_forgotten(),
            kept: asides
                .map(|aside| SavedAside {
                    id: aside.id,
                    at: aside.at,
                    steps: aside.steps.len() as u64,
                })
                .collect(),
        },
    }
}

fn saved_topic(name: &str, topic: &Topic, saved: &Saved) -> SavedTopic {
    let id = topic.id.to_string();
    let partitions = topic.partitions.iter().enumerate();
    SavedTopic {
        name: name.to_owned(),
        replication_factor: topic.replication_factor,
        configs: topic.config.given().clone(),
        partitions: partitions.map(|(n, held)| saved_partition(&id, n, held, saved)).collect(),
        id,
    }
}

fn saved_partition(topic: &str, number: usize, held: &Partition, saved: &Saved) -> SavedPartition {
    SavedPartition {
        replicas: held.replicas.clone(),
        log_start_offset: held.log.log_start_offset(),
        records: None,
        cleaner_checkpoint: held.log.cleaner_checkpoint(),
        producers: held.log.producers().clone(),
        leader_epochs: held.log.stored_leaders(),
        segments: held
            .log
            .segments()
            .iter()
            .map(|segment| SavedSegment {
                base_offset: segment.base_offset(),
                created_ms: segment.created_ms(),
                last_modified_ms: segment.last_modified_ms(),
                bytes: segment.size_in_bytes(),
                generation: segment.generation(),
                aborted: segment.aborted().to_vec(),
                producer_snapshot: segment.producer_snapshot().map(Bytes::from),
                courses: saved.courses_of(&SegmentKey::of(topic, number, segment)),
            })
            .collect(),
    }
}
