//! The cluster as a page shows it: what there is, in one answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::cluster::Cluster;
use crate::group::assignor::Assignor;
use crate::group::{
    AUTO_COMMIT_INTERVAL_MS, Change, ConsumerConfig, Group, MAX_PARTITION_FETCH_BYTES,
    MAX_POLL_RECORDS, Member, OffsetReset, TopicPartition, TopicPattern, WhyOutside,
};
use crate::job::JobProgress;
use crate::log::PartitionLog;
use crate::session::Session;
use crate::topic::{Partition, Topic};
use crate::view::{HistoryView, ProducerView};

/// All there is, but for the records.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClusterView {
    /// The cluster's clock, ms since 1970.
    pub now: f64,
    /// The brokers, by id.
    pub brokers: Vec<BrokerView>,
    /// The topics, by name.
    pub topics: Vec<TopicView>,
    /// The groups, by id.
    pub groups: Vec<GroupView>,
    /// The consumers that are assigned partitions by hand, with and without a group.
    pub by_hand: Vec<ByHandView>,
    /// The producers, by name.
    pub producers: Vec<ProducerView>,
    /// Records of all topics.
    pub records: f64,
    /// Bytes of all segments.
    pub bytes: f64,
    /// How many steps led here.
    pub history: HistoryView,
    /// The import or generation that runs.
    pub job: Option<JobProgress>,
}

/// A broker.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokerView {
    /// Its id.
    pub id: i32,
    /// How many partitions it leads.
    pub leads: u32,
}

/// A topic.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TopicView {
    /// Its name.
    pub name: String,
    /// Its id, as Kafka prints it.
    pub topic_id: String,
    /// How many brokers hold each partition.
    pub replication_factor: i16,
    /// What differs from the default.
    pub configs: BTreeMap<String, String>,
    /// Records that can be read.
    pub records: f64,
    /// Bytes of all segments.
    pub bytes: f64,
    /// The partitions, by number.
    pub partitions: Vec<PartitionView>,
}

/// A partition.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionView {
    /// Its number.
    pub partition: i32,
    /// The broker that leads it.
    pub leader: i32,
    /// The brokers that hold it, the leader first.
    pub replicas: Vec<i32>,
    /// The first offset that can be read.
    pub log_start_offset: i64,
    /// The offset up to which consumers may read.
    pub high_watermark: i64,
    /// The offset up to which consumers with `read_committed` may read.
    pub last_stable_offset: i64,
    /// The offset the next record gets.
    pub log_end_offset: i64,
    /// Records that can be read; gaps do not count.
    pub records: f64,
    /// Bytes of all segments.
    pub bytes: f64,
    /// The segments, oldest first.
    pub segments: Vec<SegmentView>,
    /// What the cleaner finds in it; none where the topic is not compacted.
    pub cleaner: Option<CleanerView>,
}

/// How dirty a compacted partition is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CleanerView {
    /// The first offset that no pass has looked at.
    pub first_dirty_offset: i64,
    /// Where a pass would end.
    pub first_uncleanable_offset: i64,
    /// Which part of the bytes below that is dirty; none: there are none.
    pub cleanable_ratio: Option<f64>,
    /// `min.cleanable.dirty.ratio`: a pass begins above it.
    pub min_cleanable_dirty_ratio: f64,
}

/// A segment.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SegmentView {
    /// The offset its file is named after.
    pub base_offset: i64,
    /// Its size.
    pub bytes: f64,
}

/// A consumer group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupView {
    /// `group.id`.
    pub id: String,
    /// As `kafka-consumer-groups --state` prints it.
    pub state: &'static str,
    /// `classic` or `consumer`: the protocol of its members, or of the last it had.
    pub protocol: &'static str,
    /// The assignor in use.
    pub assignor: &'static str,
    /// One more with every rebalance; with the consumer protocol the group's epoch.
    pub generation: i32,
    /// The members, by `client.id`.
    pub members: Vec<MemberView>,
    /// Every partition that is assigned or committed.
    pub partitions: Vec<GroupPartitionView>,
    /// Topics whose partitions have changed without the group having noticed.
    pub unnoticed: Vec<UnnoticedView>,
    /// The generations that the last rebalance went through.
    pub rounds: Vec<i32>,
    /// Consumers whose place another one with their `group.instance.id` has taken.
    pub fenced: Vec<String>,
    /// Consumers that run and are not in the group.
    pub outside: Vec<OutsideView>,
}

/// A consumer that runs and is not in its group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutsideView {
    /// `client.id`.
    pub member: String,
    /// How that came.
    pub why: WhyOutside,
    /// What it subscribes to.
    pub topics: Vec<String>,
    /// What it thinks it has.
    pub assignment: Vec<AssignmentView>,
}

/// A consumer that is assigned partitions by hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ByHandView {
    /// `group.id`; empty without one.
    pub group: String,
    /// `group.protocol`: it shows in the words of refused commits.
    pub protocol: &'static str,
    /// The rest, as of a member.
    pub consumer: MemberView,
    /// Its partitions, in the order in which it takes records from them.
    pub places: Vec<PlaceView>,
}

/// A partition that is assigned by hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlaceView {
    /// The topic.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// The next offset that it will fetch; none before its first poll.
    pub position: Option<i64>,
    /// How many offsets lie before the end that it knows of.
    pub lag: Option<i64>,
}

/// A config of a consumer, as text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetConfig {
    /// Kafka's name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// A member of a group.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemberView {
    /// `client.id`.
    pub member: String,
    /// `member.id`, as the coordinator gave it.
    pub member_id: String,
    /// What it subscribes to; by pattern, those topics that it has found.
    pub topics: Vec<String>,
    /// The pattern that it subscribes to.
    pub pattern: Option<TopicPattern>,
    /// The configs that it was given values of its own for, but for those that stand beside this.
    pub configs: Vec<SetConfig>,
    /// Where it starts without a usable committed offset.
    pub auto_offset_reset: OffsetReset,
    /// `partition.assignment.strategy`.
    pub assignors: Vec<Assignor>,
    /// `group.remote.assignor`.
    pub remote_assignor: Option<String>,
    /// The generation in which it got its partitions; with the consumer protocol its member epoch,
    /// -2 for a static member that is closed.
    pub epoch: i32,
    /// `group.instance.id`.
    pub instance_id: Option<String>,
    /// `enable.auto.commit`.
    pub auto_commit: bool,
    /// Whether its process was killed.
    pub crashed: bool,
    /// Whether it was closed, and only its static membership is left.
    pub closed: bool,
    /// When its session times out then, on the cluster's clock.
    pub session_ends: Option<f64>,
    /// Its partitions, topic by topic.
    pub assignment: Vec<AssignmentView>,
    /// With the consumer protocol: what the broker wants it to have.
    pub target: Vec<AssignmentView>,
    /// Those of them that it takes nothing from for now.
    pub paused: Vec<AssignmentView>,
    /// What the last rebalance, or its coming back as a static member, meant for it.
    pub last_rebalance: Option<ChangeView>,
}

/// What a rebalance meant for a member, all rounds together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangeView {
    /// Whether it kept reading what stayed with it.
    pub cooperative: bool,
    /// What it had to give up; of an eager member all that it had.
    pub revoked: Vec<AssignmentView>,
    /// What it had before and has after.
    pub kept: Vec<AssignmentView>,
    /// What it was given; of an eager member all that it has.
    pub assigned: Vec<AssignmentView>,
}

/// The partitions of one topic that a member has.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssignmentView {
    /// The topic.
    pub topic: String,
    /// The partitions' numbers, ascending.
    pub partitions: Vec<i32>,
}

/// A partition as a group sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupPartitionView {
    /// The topic.
    pub topic: String,
    /// The partition's number.
    pub partition: i32,
    /// The member that reads it.
    pub member: Option<String>,
    /// The next offset to read, as committed.
    pub committed_offset: Option<i64>,
    /// The text that was committed beside it; mostly empty.
    pub metadata: String,
    /// The next offset that the member will fetch.
    pub position: Option<i64>,
    /// The first offset that can be read.
    pub log_start_offset: i64,
    /// The offset the next record gets.
    pub log_end_offset: i64,
    /// Log end offset minus committed offset: offsets, not records. May be negative.
    pub lag: Option<i64>,
}

/// A topic that has changed without the group having noticed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnnoticedView {
    /// The topic.
    pub topic: String,
    /// How many partitions the group knows.
    pub known: i32,
    /// How many there are.
    pub now: i32,
    /// When the group notices at the latest, on the cluster's clock.
    pub noticed_at: f64,
}

impl ClusterView {
    /// The view of a session when the caller's clock shows `now_ms`. While steps lie ahead, the
    /// clock stands still: see [`Session::now`].
    ///
    /// ```
    /// use loglanes::view::ClusterView;
    /// use loglanes::{Command, Session};
    ///
    /// let mut session = Session::new(7);
    /// session.apply(Command::create_topic("orders", 3), 0)?;
    /// let view = ClusterView::of(&session, 0);
    /// assert_eq!(view.topics[0].partitions.len(), 3);
    /// assert_eq!(view.brokers.iter().map(|broker| broker.leads).sum::<u32>(), 3);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn of(session: &Session, now_ms: i64) -> Self {
        let cluster = session.cluster();
        let now = cluster.clock(session.now(now_ms));
        let topics: Vec<TopicView> =
            cluster.topics().map(|(name, topic)| TopicView::of(name, topic, now)).collect();
        Self {
            now: now as f64,
            brokers: brokers(cluster),
            groups: cluster.groups().map(|(id, group)| GroupView::of(id, group, cluster)).collect(),
            by_hand: cluster.by_hand().map(ByHandView::of).collect(),
            producers: cluster
                .producers()
                .map(|(name, producer)| ProducerView::of(name, producer, cluster))
                .collect(),
            records: topics.iter().map(|topic| topic.records).sum(),
            bytes: topics.iter().map(|topic| topic.bytes).sum(),
            topics,
            history: HistoryView::of(session),
            job: session.job(),
        }
    }
}

fn brokers(cluster: &Cluster) -> Vec<BrokerView> {
    let mut leads: BTreeMap<i32, u32> = cluster.brokers().iter().map(|&id| (id, 0)).collect();
    for partition in cluster.topics().flat_map(|(_, topic)| &topic.partitions) {
        *leads.entry(partition.leader()).or_default() += 1;
    }
    leads.into_iter().map(|(id, leads)| BrokerView { id, leads }).collect()
}

impl TopicView {
    fn of(name: &str, topic: &Topic, now_ms: i64) -> Self {
        let partitions: Vec<PartitionView> = (0..)
            .zip(&topic.partitions)
            .map(|(number, partition)| PartitionView::of(number, partition, now_ms))
            .collect();
        Self {
            name: name.to_owned(),
            topic_id: topic.id.to_string(),
            replication_factor: topic.replication_factor,
            configs: topic.config.given().clone(),
            records: partitions.iter().map(|partition| partition.records).sum(),
            bytes: partitions.iter().map(|partition| partition.bytes).sum(),
            partitions,
        }
    }
}

impl PartitionView {
    fn of(number: i32, partition: &Partition, now_ms: i64) -> Self {
        let log = &partition.log;
        Self {
            partition: number,
            leader: partition.leader(),
            replicas: partition.replicas.clone(),
            log_start_offset: log.log_start_offset(),
            high_watermark: log.high_watermark(),
            last_stable_offset: log.last_stable_offset(),
            log_end_offset: log.log_end_offset(),
            records: log.record_count() as f64,
            bytes: log.size_in_bytes() as f64,
            segments: log
                .segments()
                .iter()
                .map(|segment| SegmentView {
                    base_offset: segment.base_offset(),
                    bytes: segment.size_in_bytes() as f64,
                })
                .collect(),
            cleaner: log.config().cleanup_policy.compact.then(|| CleanerView::of(log, now_ms)),
        }
    }
}

impl CleanerView {
    fn of(log: &PartitionLog, now_ms: i64) -> Self {
        let plan = log.cleaner_plan(now_ms);
        Self {
            first_dirty_offset: plan.first_dirty_offset,
            first_uncleanable_offset: plan.first_uncleanable_offset,
            cleanable_ratio: plan.cleanable_ratio(),
            min_cleanable_dirty_ratio: log.config().min_cleanable_dirty_ratio.get(),
        }
    }
}

impl GroupView {
    fn of(id: &str, group: &Group, cluster: &Cluster) -> Self {
        let mut rows: Vec<TopicPartition> =
            group.members.values().flat_map(|member| member.assignment.iter().cloned()).collect();
        rows.extend(group.committed.keys().cloned());
        rows.sort();
        rows.dedup();
        Self {
            id: id.to_owned(),
            state: group.state(),
            protocol: group.protocol.name(),
            assignor: group.assignor_name(),
            generation: group.generation,
            members: group
                .members
                .iter()
                .map(|(name, member)| MemberView {
                    last_rebalance: ChangeView::of(name, group),
                    ..MemberView::of(name, member)
                })
                .collect(),
            partitions: rows.iter().map(|at| GroupPartitionView::of(at, group, cluster)).collect(),
            unnoticed: unnoticed(group, cluster),
            rounds: group.last_rebalance.iter().map(|round| round.generation).collect(),
            fenced: group.fenced.iter().cloned().collect(),
            outside: group
                .outside
                .iter()
                .map(|(name, outside)| OutsideView {
                    member: name.clone(),
                    why: outside.why,
                    topics: outside.member.config.topics.clone(),
                    assignment: by_topic(&outside.member.assignment),
                })
                .collect(),
        }
    }
}

impl MemberView {
    fn of(name: &str, member: &Member) -> Self {
        Self {
            member: name.to_owned(),
            member_id: member.member_id.clone(),
            topics: member.config.topics.clone(),
            pattern: member.config.pattern.clone(),
            configs: SetConfig::of(&member.config),
            auto_offset_reset: member.config.auto_offset_reset,
            assignors: member.config.assignors.clone(),
            remote_assignor: member.config.remote_assignor.clone(),
            epoch: member.epoch(),
            instance_id: member.config.instance_id.clone(),
            auto_commit: member.config.auto_commit,
            crashed: !member.is_alive() && !member.is_closed,
            closed: member.is_closed,
            session_ends: member.session_ends_ms.map(|at| at as f64),
            assignment: by_topic(&member.assignment),
            target: by_topic(&member.target),
            paused: by_topic(&member.paused),
            last_rebalance: None,
        }
    }
}

impl ByHandView {
    fn of((group, name, member): (&str, &str, &Member)) -> Self {
        let place = |at: &TopicPartition| PlaceView {
            topic: at.topic.clone(),
            partition: at.partition,
            position: member.positions.get(at).copied(),
            lag: member.current_lag(at),
        };
        Self {
            group: group.to_owned(),
            protocol: member.config.protocol.name(),
            consumer: MemberView::of(name, member),
            places: member.assignment.iter().map(place).collect(),
        }
    }
}

impl SetConfig {
    fn of(config: &ConsumerConfig) -> Vec<Self> {
        let unless = |name, value: i32, default: i32| {
            (value != default).then(|| Self { name, value: value.to_string() })
        };
        let given =
            |name, value: Option<i32>| value.map(|value| Self { name, value: value.to_string() });
        [
            given("session.timeout.ms", config.session_timeout_ms),
            given("heartbeat.interval.ms", config.heartbeat_interval_ms),
            given("max.poll.interval.ms", config.max_poll_interval_ms),
            unless("max.poll.records", config.max_poll_records, MAX_POLL_RECORDS),
            unless(
                "auto.commit.interval.ms",
                config.auto_commit_interval_ms,
                AUTO_COMMIT_INTERVAL_MS,
            ),
            unless(
                "max.partition.fetch.bytes",
                config.max_partition_fetch_bytes,
                MAX_PARTITION_FETCH_BYTES,
            ),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

impl ChangeView {
    fn of(client_id: &str, group: &Group) -> Option<Self> {
        let rounds: Vec<&Change> =
            group.last_rebalance.iter().filter_map(|round| round.changes.get(client_id)).collect();
        Some(Self {
            cooperative: group.members.get(client_id)?.config.is_cooperative(),
            revoked: by_topic(rounds.iter().flat_map(|change| &change.revoked)),
            // What a later round keeps beside this was assigned in an earlier one.
            kept: by_topic(&rounds.first()?.kept),
            assigned: by_topic(rounds.iter().flat_map(|change| &change.assigned)),
        })
    }
}

impl GroupPartitionView {
    fn of(at: &TopicPartition, group: &Group, cluster: &Cluster) -> Self {
        let log = cluster
            .topic(&at.topic)
            .and_then(|topic| topic.partition(at.partition))
            .map(|partition| &partition.log);
        let owner = group.owner(at);
        let committed_offset = group.committed.get(at).copied();
        let log_end_offset = log.map_or(0, |log| log.log_end_offset());
        let high_watermark = log.map_or(0, |log| log.high_watermark());
        Self {
            topic: at.topic.clone(),
            partition: at.partition,
            member: owner.map(str::to_owned),
            committed_offset,
            position: owner.and_then(|owner| group.members.get(owner)?.positions.get(at)).copied(),
            log_start_offset: log.map_or(0, |log| log.log_start_offset()),
            log_end_offset,
            metadata: group.note(at).map(|note| note.metadata.clone()).unwrap_or_default(),
            lag: committed_offset.map(|offset| high_watermark.saturating_sub(offset)),
        }
    }
}

fn by_topic<'a>(assignment: impl IntoIterator<Item = &'a TopicPartition>) -> Vec<AssignmentView> {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for at in assignment {
        topics.entry(&at.topic).or_default().push(at.partition);
    }
    topics
        .into_iter()
        .map(|(topic, mut partitions)| {
            partitions.sort_unstable();
            AssignmentView { topic: topic.to_owned(), partitions }
        })
        .collect()
}

fn unnoticed(group: &Group, cluster: &Cluster) -> Vec<UnnoticedView> {
    let Some(noticed_at) = group.metadata_ages_ms else { return Vec::new() };
    let fresh = group.fresh_partitions(&cluster.topics, true);
    let topics: BTreeSet<&String> = fresh.keys().chain(group.known_partitions.keys()).collect();
    topics
        .into_iter()
        .filter_map(|topic| {
            let known = group.known_partitions.get(topic).copied().unwrap_or(0);
            let now = fresh.get(topic).copied().unwrap_or(0);
            (known != now).then(|| UnnoticedView {
                topic: topic.clone(),
                known,
                now,
                noticed_at: noticed_at as f64,
            })
        })
        .collect()
}
