//! Going back and forward in a history without doing all of it again.
//!
//! Now and then the cluster is remembered as it is, without the bytes of its logs: a checkpoint.
//! Those bytes only grow at their end, so the log of an earlier state is the beginning of the
//! present one; see [`crate::log`]. To go to a step, the last checkpoint before it gets its bytes
//! back, and the steps between are done again. What they append is there already, so that costs
//! little too. Segments that were deleted or written anew since are kept beside, as long as a
//! checkpoint needs them and a limit allows; without them the way leads over an earlier checkpoint,
//! in the end over the empty cluster.

use std::collections::BTreeMap;

use crate::cluster::Cluster;
use crate::command::Command;
use crate::error::{Error, Result};
use crate::history::History;
use crate::log::SharedBytes;
use crate::topic::TopicId;

/// The most checkpoints; when there are more, every second one goes.
pub const MAX_CHECKPOINTS: usize = 32;

/// The most bytes of segments that are deleted and kept for the sake of checkpoints.
pub const MAX_KEPT_SEGMENT_BYTES: usize = 64 << 20;

/// The most segments of a cluster with which a checkpoint is saved.
const MAX_SAVED_SEGMENTS: usize = 1_000;

/// So much work, about a record each, lies between two checkpoints at first.
const SPACING: u64 = 1_000;

/// A segment: topic, partition, base offset, how often it was written anew.
pub(crate) type SegmentId = (TopicId, usize, i64, u32);

/// A segment and its bytes.
pub(crate) type HeldSegment = (SegmentId, SharedBytes);

#[derive(Debug, Default)]
pub(crate) struct Timeline {
    /// By how many steps were done; clusters whose logs have lengths alone.
    checkpoints: BTreeMap<u64, Cluster>,
    /// Bytes that some checkpoint needs and the cluster no longer has.
    kept: BTreeMap<SegmentId, SharedBytes>,
    /// Work done since the last checkpoint.
    work: u64,
    /// How often every second checkpoint went.
    thinned: u32,
}

impl Timeline {
    /// The segments as they are now, if the command may remove some and a checkpoint needs them.
    pub(crate) fn before(&self, cluster: &Cluster, command: &Command) -> Vec<HeldSegment> {
        if self.checkpoints.is_empty() || !may_remove_segments(command) {
            return Vec::new();
        }
        segments(cluster).map(|(id, bytes)| (id, bytes.clone())).collect()
    }

    /// A command was applied; the cluster has come to `position`. `before` is from
    /// [`Timeline::before`].
    pub(crate) fn applied(
        &mut self,
        position: u64,
        cluster: &Cluster,
        command: &Command,
        before: Vec<HeldSegment>,
    ) {
        if !before.is_empty() {
            self.keep_removed(cluster, before);
            let bytes: usize = self.kept.values().map(SharedBytes::len).sum();
            if bytes > MAX_KEPT_SEGMENT_BYTES {
                let kept = std::mem::take(&mut self.kept);
                self.checkpoints
                    .retain(|_, at| !segments(at).any(|(id, _)| kept.contains_key(&id)));
            }
        }
        self.work = self.work.saturating_add(work(cluster, command));
        if self.work >= SPACING << self.thinned.min(32) {
            self.remember(position, cluster);
        }
    }

    /// Makes a checkpoint.
    pub(crate) fn remember(&mut self, position: u64, cluster: &Cluster) {
        self.work = 0;
        self.checkpoints.insert(position, without_bytes(cluster));
        if self.checkpoints.len() > MAX_CHECKPOINTS {
            self.thinned += 1;
            let mut number = 0;
            self.checkpoints.retain(|_, _| {
                number += 1;
                // The first one stays: beyond it there may be no way.
                number % 2 == 1
            });
        }
    }

    /// The last state before `position` whose logs those of this cluster begin with. None in a cluster
    /// of so many partitions that it would make every save of it much longer.
    pub(crate) fn checkpoint(&self, position: u64, cluster: &Cluster) -> Option<(u64, &Cluster)> {
        if segments(cluster).count() > MAX_SAVED_SEGMENTS {
            return None;
        }
        let here: BTreeMap<SegmentId, usize> =
            segments(cluster).map(|(id, bytes)| (id, bytes.len())).collect();
        let is_head = |there: &Cluster| {
            segments(there).all(|(id, bytes)| here.get(&id).is_some_and(|&len| len >= bytes.len()))
        };
        let before = self.checkpoints.range(..position).rev().map(|(&at, there)| (at, there));
        before.take_while(|&(at, _)| at > 0).find(|(_, there)| is_head(there))
    }

    /// The steps before `step` are forgotten: no way begins there any more.
    pub(crate) fn forget_before(&mut self, step: u64) {
        self.checkpoints = self.checkpoints.split_off(&step);
        self.drop_unneeded();
    }

    /// The first step to which a way leads from a checkpoint.
    pub(crate) fn first(&self) -> Option<u64> {
        self.checkpoints.keys().next().copied()
    }

    /// What lay behind `position` is no longer what comes.
    pub(crate) fn fork(&mut self, position: u64, cluster: &Cluster) {
        self.checkpoints.split_off(&position.saturating_add(1));
        // The cluster has these itself; what is kept here may be of the other course.
        for (id, _) in segments(cluster) {
            self.kept.remove(&id);
        }
        self.drop_unneeded();
    }

    /// Brings the cluster, which stands at `history.position()`, to the nearest state before
    /// `target` that can be had at once, and says after how many steps that is. From there on the
    /// steps are to be done again.
    pub(crate) fn jump(
        &mut self,
        seed: i64,
        history: &History,
        cluster: &mut Cluster,
        target: u64,
    ) -> Result<u64> {
        let position = history.position();
        let is_nearer = |at: u64| position > target || at > position;
        if !self.checkpoints.range(..=target).next_back().is_some_and(|(&at, _)| is_nearer(at))
            && position <= target
        {
            return Ok(position);
        }
        if history.ahead() == 0 {
            // The way back to the end.
            self.remember(position, cluster);
        }
        let have = self.have(cluster);
        loop {
            let nearest = self.checkpoints.range(..=target).next_back();
            let Some((&at, checkpoint)) = nearest.filter(|&(&at, _)| is_nearer(at)) else {
                if position <= target {
                    return Ok(position);
                }
                if history.forgotten() > 0 {
                    return Err(Error::loglanes(format!(
                        "There is no way back to step {target}: the first {} steps are forgotten.",
                        history.forgotten()
                    ))
                    .with_hint("Go to a later step."));
                }
                self.arrive(cluster, Cluster::new(seed), have);
                return Ok(0);
            };
            match with_bytes(checkpoint, &have) {
                Some(there) => {
                    self.arrive(cluster, there, have);
                    return Ok(at);
                }
                None => {
                    self.checkpoints.remove(&at);
                }
            }
        }
    }

    /// After steps were done again: what they wrote stands in the kept bytes as well, and one of the
    /// two is enough.
    pub(crate) fn settle(&mut self, cluster: &mut Cluster) {
        for_each_segment(cluster, |id, segment| {
            let Some(kept) = self.kept.remove(&id) else { return };
            if let Some(same) = kept.of(segment.len())
                && kept.buffered() > segment.buffered()
                && same == *segment
            {
                *segment = same;
            }
        });
    }

    /// The bytes of every segment there is, the longest of each.
    fn have(&self, cluster: &Cluster) -> BTreeMap<SegmentId, SharedBytes> {
        let mut have = self.kept.clone();
        for (id, bytes) in segments(cluster) {
            let longest = have.entry(id).or_default();
            if bytes.buffered() >= longest.buffered() {
                *longest = bytes.clone();
            }
        }
        have
    }

    fn arrive(
        &mut self,
        cluster: &mut Cluster,
        there: Cluster,
        have: BTreeMap<SegmentId, SharedBytes>,
    ) {
        *cluster = there;
        self.work = 0;
        self.kept = have;
        for (id, _) in segments(cluster) {
            self.kept.remove(&id);
        }
        self.drop_unneeded();
    }

    fn keep_removed(&mut self, cluster: &Cluster, before: Vec<HeldSegment>) {
        let left: std::collections::BTreeSet<SegmentId> =
            segments(cluster).map(|(id, _)| id).collect();
        let needed = self.needed();
        for (id, bytes) in before {
            if !left.contains(&id) && needed.contains(&id) {
                self.kept.insert(id, bytes);
            }
        }
    }

    fn drop_unneeded(&mut self) {
        let needed = self.needed();
        self.kept.retain(|id, _| needed.contains(id));
    }

    fn needed(&self) -> std::collections::BTreeSet<SegmentId> {
        self.checkpoints.values().flat_map(segments).map(|(id, _)| id).collect()
    }
}

fn segments(cluster: &Cluster) -> impl Iterator<Item = (SegmentId, &SharedBytes)> {
    cluster.topics.values().flat_map(|topic| {
        topic.partitions.iter().enumerate().flat_map(move |(partition, held)| {
            held.log.segments().iter().map(move |segment| {
                let id = (topic.id, partition, segment.base_offset(), segment.generation());
                (id, segment.shared())
            })
        })
    })
}

fn for_each_segment(cluster: &mut Cluster, mut each: impl FnMut(SegmentId, &mut SharedBytes)) {
    for topic in cluster.topics.values_mut() {
        for (partition, held) in topic.partitions.iter_mut().enumerate() {
            for segment in held.log.segments_mut() {
                let id = (topic.id, partition, segment.base_offset(), segment.generation());
                each(id, segment.shared_mut());
            }
        }
    }
}

/// The state of a checkpoint, if all its bytes are there.
fn with_bytes(checkpoint: &Cluster, have: &BTreeMap<SegmentId, SharedBytes>) -> Option<Cluster> {
    let mut there = checkpoint.clone();
    let mut is_whole = true;
    for_each_segment(&mut there, |id, segment| {
        match have.get(&id).and_then(|bytes| bytes.of(segment.len())) {
            Some(bytes) => *segment = bytes,
            None => is_whole &= segment.is_empty(),
        }
    });
    is_whole.then_some(there)
}

/// The same cluster, in whose logs there are lengths alone: small, and no state to go on from.
pub(crate) fn without_bytes(cluster: &Cluster) -> Cluster {
    let mut light = cluster.clone();
    for_each_segment(&mut light, |_, bytes| *bytes = bytes.detached());
    light
}

fn may_remove_segments(command: &Command) -> bool {
    matches!(
        command,
        Command::DeleteTopic { .. }
            | Command::RunRetention { .. }
            | Command::RunCleaner { .. }
            | Command::AdvanceClock { .. }
            | Command::Tick
    )
}

/// About how long a command takes, a record being 1.
fn work(cluster: &Cluster, command: &Command) -> u64 {
    match command {
        Command::Generate { spec, .. } => spec.count,
        Command::ProduceMany { .. } => 1 + command.weight() as u64 / 64,
        _ if may_remove_segments(command) => {
            let bytes: u64 = segments(cluster).map(|(_, bytes)| bytes.len() as u64).sum();
            1 + bytes / 4096
        }
        _ => 1 + command.weight() as u64 / 4096,
    }
}
