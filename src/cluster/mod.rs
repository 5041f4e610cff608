//! The cluster: brokers, topics, groups and producers. The only thing that changes.
//!
//! [`Cluster::apply`] carries out one [`Command`]. Clock and randomness come from outside: the
//! time with each command, the seed once. So the same commands at the same times give the same
//! cluster, byte for byte.

mod bulk;
mod by_hand;
mod check;
mod consume;
#[cfg(test)]
mod consumer_tests;
mod coordinator;
mod copy_log;
mod produce;
pub(crate) mod room;
mod topics;
mod transactions;
mod upkeep;

use std::collections::{BTreeMap, BTreeSet};

use crate::command::Command;
use crate::error::{Error, Result};
use crate::group::Group;
use crate::java;
use crate::log::PartitionLog;
use crate::outcome::{ClockEvent, MAX_CLOCK_EVENTS, Outcome};
use crate::producer::Producer;
use crate::topic::Topic;

use upkeep::Check;

pub(crate) use bulk::BulkProducer;
pub(crate) use by_hand::ByHand;
pub(crate) use check::ensure;
pub use coordinator::{
    OpenTransaction, TRANSACTION_CHECK_INTERVAL_MS, TRANSACTION_MAX_TIMEOUT_MS, TransactionStatus,
    TransactionalId,
};
pub use room::MAX_STORED_BYTES;
pub(crate) use room::{RECORD_OVERHEAD, full, record_bytes};
pub use transactions::MAX_PRODUCERS;
pub(crate) use upkeep::LogChecks;
pub use upkeep::{
    CLEANER_BACKOFF_MS, INITIAL_TASK_DELAY_MS, PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS,
    RETENTION_CHECK_INTERVAL_MS,
};

/// The brokers of a new cluster.
pub const BROKERS: [i32; 3] = [1, 2, 3];

/// The most topics of a cluster. A limit of this model, to keep a page quick; Kafka has none.
pub const MAX_TOPICS: usize = 1_000;

/// The most partitions of all topics together. A limit of this model; Kafka has none, and
/// advice for it is a few thousand on a broker.
pub const MAX_PARTITIONS: usize = 20_000;

/// The most groups of a cluster, and the most members of a group. A limit of this model.
pub const MAX_GROUPS: usize = 1_000;

/// A Kafka cluster of a few brokers, none of which ever fails.
///
/// ```
/// use loglanes::{Cluster, Command, Outcome};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 6), 1_700_000_000_000)?;
/// let sent = cluster.apply(
///     &Command::produce("orders", Some(b"order-1007"), Some(b"paid")),
///     1_700_000_000_000,
/// )?;
/// assert!(matches!(sent, Outcome::Produced { partition: 0, offset: 0, .. }));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    pub(crate) brokers: Vec<i32>,
    pub(crate) random: java::Random,
    pub(crate) clock_offset_ms: i64,
    pub(crate) log_checks: LogChecks,
    pub(crate) topics: BTreeMap<String, Topic>,
    pub(crate) groups: BTreeMap<String, Group>,
    /// Consumers that are assigned partitions by hand.
    pub(crate) by_hand: ByHand,
    /// By name; those that nobody has named are called like their partitioner.
    pub(crate) producers: BTreeMap<String, Producer>,
    /// The producer id that is given out next.
    pub(crate) next_producer_id: i64,
    /// By `transactional.id`.
    pub(crate) transactions: BTreeMap<String, TransactionalId>,
}

impl Cluster {
    /// An empty cluster of [`BROKERS`]. All of its random choices follow from the seed.
    #[must_use]
    pub fn new(seed: i64) -> Self {
        Self::with_brokers(seed, BROKERS)
    }

    /// An empty cluster of other brokers, by their ids.
    ///
    /// ```
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::with_brokers(7, [1]);
    /// cluster.apply(&Command::create_topic("orders", 2), 0)?;
    /// assert!(cluster.topic("orders").unwrap().partitions.iter().all(|p| p.leader() == 1));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn with_brokers(seed: i64, ids: impl IntoIterator<Item = i32>) -> Self {
        let ids: BTreeSet<i32> = ids.into_iter().collect();
        Self {
            brokers: ids.into_iter().collect(),
            random: java::Random::new(seed),
            clock_offset_ms: 0,
            log_checks: LogChecks::default(),
            topics: BTreeMap::new(),
            groups: BTreeMap::new(),
            by_hand: ByHand::new(),
            producers: BTreeMap::new(),
            next_producer_id: 0,
            transactions: BTreeMap::new(),
        }
    }

    /// The same cluster with another log in one partition: for a state to which no command leads,
    /// such as a log whose beginning retention has taken.
    ///
    /// # Errors
    ///
    /// `UNKNOWN_TOPIC_OR_PARTITION` (3).
    ///
    /// ```
    /// use loglanes::log::{LogConfig, PartitionLog};
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(7);
    /// cluster.apply(&Command::create_topic("orders", 1), 0)?;
    /// let log = PartitionLog::with_base_offset(LogConfig::default(), 7, 0)?;
    /// let mut cluster = cluster.with_log("orders", 0, log)?;
    /// cluster.apply(&Command::produce("orders", None, None), 0)?;
    /// assert_eq!(cluster.topic("orders").unwrap().partitions[0].log.log_end_offset(), 8);
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    pub fn with_log(mut self, topic: &str, partition: i32, mut log: PartitionLog) -> Result<Self> {
        let held = self.topics.get_mut(topic).ok_or_else(|| topics::unknown_topic(topic))?;
        log.set_config(held.config.log().clone());
        held.partition_mut(partition).ok_or_else(|| topics::unknown_topic(topic))?.log =
            log.named(format!("{topic}-{partition}"));
        Ok(self)
    }

    /// Carries out a command at a time: milliseconds since 1970, by the caller's clock.
    ///
    /// # Errors
    ///
    /// What Kafka or one of its clients would answer; nothing has changed then.
    pub fn apply(&mut self, command: &Command, now_ms: i64) -> Result<Outcome> {
        let now_ms = self.clock(now_ms);
        command.check()?;
        self.check_room(command)?;
        let outcome = self.carry_out(command, now_ms)?;
        if changes_logs(command) {
            self.log_checks.changed(now_ms);
        }
        Ok(outcome)
    }

    fn carry_out(&mut self, command: &Command, now_ms: i64) -> Result<Outcome> {
        if let Some((group, member)) = command.consumer()
            && self.is_by_hand(group, member)
        {
            return self.act_by_hand(group, member, command, now_ms);
        }
        match command {
            Command::CreateTopic { name, partitions, replication_factor, configs } => {
                self.create_topic(name, *partitions, *replication_factor, configs, now_ms)
            }
            Command::CreateAssignedTopic { name, assignments, configs } => {
                self.create_assigned_topic(name, assignments, configs, now_ms)
            }
            Command::DeleteTopic { name } => self.delete_topic(name),
            Command::CreatePartitions { topic, total } => {
                self.create_partitions(topic, *total, None, now_ms)
            }
            Command::CreateAssignedPartitions { topic, total, assignments } => {
                self.create_partitions(topic, *total, Some(assignments), now_ms)
            }
            Command::Produce(record) => self.produce(record, now_ms),
            Command::ProduceMany { topic, producer, partitioner, records } => {
                let name = self.producer_name(producer.as_deref(), partitioner.as_deref())?;
                self.produce_many(topic, &name, records, now_ms)
            }
            Command::Generate { topic, producer, partitioner, spec } => {
                let name = self.producer_name(producer.as_deref(), partitioner.as_deref())?;
                self.generate(topic, &name, spec, now_ms)
            }
            Command::CopyLog { topic, partition, segments } => {
                self.copy_log(topic, *partition, segments, now_ms)
            }
            Command::CopyLogs { to, segments } => self.copy_logs(to, segments, now_ms),
            Command::CreateProducer { producer, partitioner, configs } => {
                self.create_producer(producer, partitioner.as_deref(), configs)
            }
            Command::CloseProducer { producer } => self.close_producer(producer, false, now_ms),
            Command::KillProducer { producer } => self.close_producer(producer, true, now_ms),
            Command::Retry { producer } => self.retry(producer.as_deref(), now_ms),
            Command::InitTransactions { producer } => self.init_transactions(producer, now_ms),
            Command::BeginTransaction { producer } => self.begin_transaction(producer),
            Command::SendOffsets { producer, group, member, offsets } => {
                self.send_offsets(producer, group, member, offsets.as_deref(), now_ms)
            }
            Command::CommitTransaction { producer } => self.end_transaction(producer, true, now_ms),
            Command::AbortTransaction { producer } => self.end_transaction(producer, false, now_ms),
            Command::Join { group, member, config } => self.join(group, member, config, now_ms),
            Command::Assign { group, member, partitions, config } => {
                self.assign(group, member, partitions, config, now_ms)
            }
            Command::Leave { group, member } => {
                self.in_group(group, |group, topics, _| group.leave(member, topics, now_ms))?;
                self.rebalanced(group)
            }
            Command::Crash { group, member } => {
                self.in_group(group, |group, _, _| group.crash(member, now_ms))?;
                Ok(Outcome::Done)
            }
            Command::Restart { group, member } => {
                self.in_group(group, |group, topics, uuid| {
                    group.restart(member, uuid, topics, now_ms)
                })?;
                self.rebalanced(group)
            }
            Command::Subscribe { group, member, topics, pattern } => {
                self.in_group(group, |group, cluster, uuid| {
                    group.subscribe(member, topics, pattern.as_ref(), uuid, cluster, now_ms)
                })?;
                self.rebalanced(group)
            }
            Command::EnforceRebalance { group, member } => {
                self.in_group(group, |group, topics, _| group.enforce_rebalance(member, topics))?;
                self.rebalanced(group)
            }
            Command::ExceedPollInterval { group, member } => {
                self.in_group(group, |group, topics, _| {
                    group.exceed_poll_interval(member, topics)
                })?;
                self.rebalanced(group)
            }
            Command::RemoveMembers { group } => {
                match self.groups.get(group) {
                    None => return Err(consume::no_members_of(group)),
                    Some(held) if held.members.is_empty() => return Err(consume::nobody_leaves()),
                    Some(_) => {}
                }
                self.in_group(group, |group, topics, _| {
                    group.remove_members(topics);
                    Ok(())
                })?;
                self.rebalanced(group)
            }
            Command::Poll { group, member, max_records } => {
                self.poll(group, member, *max_records, now_ms)
            }
            Command::Commit { group, member, offsets } => {
                let done = self.in_group(group, |group, topics, _| {
                    group.commit(member, offsets.as_deref(), topics)
                })?;
                Ok(consume::committed(group, done))
            }
            Command::Seek { group, member, topic, partition, to } => {
                self.seek(group, member, topic, *partition, *to)
            }
            Command::Pause { group, member, topic, partition } => {
                self.pause(group, member, topic, *partition, true)
            }
            Command::Resume { group, member, topic, partition } => {
                self.pause(group, member, topic, *partition, false)
            }
            Command::RefreshMetadata { group } => {
                self.in_group(group, |group, topics, _| Ok(group.refresh_metadata(topics)))?;
                self.rebalanced(group)
            }
            Command::ResetOffsets { group, topics, to } => {
                self.reset_offsets(group, topics.as_deref(), to, now_ms)
            }
            Command::DeleteOffsets { group, topics } => {
                self.in_group(group, |group, cluster, _| group.delete_offsets(topics, cluster))?;
                Ok(Outcome::Done)
            }
            Command::DeleteGroup { group } => self.delete_group(group),
            Command::SeekToTimestamp { group, member, timestamp } => {
                self.seek_to_timestamp(group, member, *timestamp)
            }
            Command::AlterConfigs { topic, ops } => self.alter_configs(topic, ops),
            Command::DeleteRecords { topic, partition, before } => {
                self.delete_records(topic, *partition, *before)
            }
            Command::RunRetention { topic } => self.run_retention(topic.as_deref(), now_ms),
            Command::RunCleaner { topic } => self.run_cleaner(topic.as_deref(), now_ms),
            Command::AdvanceClock { ms } => self.advance_clock(*ms, now_ms),
            Command::Tick => {
                self.run_timers(now_ms, |_, _| {});
                Ok(Outcome::Done)
            }
        }
    }

    /// The cluster's clock when the caller's shows `now_ms`. Before 1970 it stands still: a record
    /// cannot have a negative timestamp.
    #[must_use]
    pub fn clock(&self, now_ms: i64) -> i64 {
        now_ms.max(0).saturating_add(self.clock_offset_ms)
    }

    /// The topic of that name.
    #[must_use]
    pub fn topic(&self, name: &str) -> Option<&Topic> {
        self.topics.get(name)
    }

    /// Every topic, in order of the names.
    pub fn topics(&self) -> impl Iterator<Item = (&str, &Topic)> {
        self.topics.iter().map(|(name, topic)| (name.as_str(), topic))
    }

    /// The group of that id.
    #[must_use]
    pub fn group(&self, id: &str) -> Option<&Group> {
        self.groups.get(id)
    }

    /// Every group, in order of the ids.
    pub fn groups(&self) -> impl Iterator<Item = (&str, &Group)> {
        self.groups.iter().map(|(id, group)| (id.as_str(), group))
    }

    /// The ids of the brokers.
    #[must_use]
    pub fn brokers(&self) -> &[i32] {
        &self.brokers
    }

    /// Whether a timer is due when the caller's clock shows `now_ms`: then [`Command::Tick`] would
    /// change something.
    ///
    /// ```
    /// use loglanes::group::OffsetReset;
    /// use loglanes::{Cluster, Command};
    ///
    /// let mut cluster = Cluster::new(1);
    /// cluster.apply(&Command::create_topic("orders", 3), 0)?;
    /// cluster.apply(&Command::join("billing", "m1", "orders", OffsetReset::Earliest), 0)?;
    /// let crash = Command::Crash { group: "billing".into(), member: "m1".into() };
    /// cluster.apply(&crash, 0)?;
    /// assert!(!cluster.is_timer_due(44_999));
    /// assert!(cluster.is_timer_due(45_000));
    /// # Ok::<(), loglanes::Error>(())
    /// ```
    #[must_use]
    pub fn is_timer_due(&self, now_ms: i64) -> bool {
        self.next_timer().is_some_and(|(at_ms, _)| at_ms <= self.clock(now_ms))
    }

    /// Of those that are due at the same time, the brokers' come first.
    fn next_timer(&self) -> Option<(i64, Timer)> {
        let group = self
            .groups
            .iter()
            .filter_map(|(id, group)| Some((group.next_timer_ms()?, id)))
            .min()
            .map(|(at_ms, id)| (at_ms, Timer::Group(id.clone())));
        let check = self.next_check().map(|(at_ms, check)| (at_ms, Timer::Check(check)));
        let transaction =
            self.next_timeout().map(|(at_ms, id)| (at_ms, Timer::Transaction(id.to_owned())));
        check.into_iter().chain(transaction).chain(group).min_by_key(|(at_ms, _)| *at_ms)
    }

    /// In the order in which they are due, each by itself: a late look finds the same cluster as
    /// many early ones.
    fn run_timers(&mut self, now_ms: i64, mut told: impl FnMut(i64, Outcome)) {
        while let Some((at_ms, timer)) = self.next_timer().filter(|(at_ms, _)| *at_ms <= now_ms) {
            match timer {
                Timer::Group(id) => {
                    if let Some(group) = self.groups.get_mut(&id) {
                        group.run_timer(at_ms, &self.topics);
                        let generation = group.generation;
                        told(at_ms, Outcome::Rebalanced { group: id, generation });
                    }
                }
                Timer::Transaction(id) => {
                    let outcome = self.time_out(&id, at_ms);
                    told(at_ms, outcome);
                }
                Timer::Check(Check::Producers) => self.expire_producers(at_ms),
                Timer::Check(check) => {
                    let outcome = self.run_check(check, at_ms);
                    told(at_ms, outcome);
                }
            }
        }
    }

    fn advance_clock(&mut self, ms: i64, now_ms: i64) -> Result<Outcome> {
        let later = self.clock_offset_ms.checked_add(ms).filter(|_| ms >= 0);
        self.clock_offset_ms = later.ok_or_else(|| {
            Error::loglanes(format!("The clock cannot go by {ms} ms."))
                .with_hint("It goes forward only, by 0 or more milliseconds.")
        })?;
        let (mut events, mut more_events) = (Vec::new(), 0.0);
        self.run_timers(now_ms.saturating_add(ms), |at_ms, outcome| {
            if events.len() < MAX_CLOCK_EVENTS {
                events.push(ClockEvent { at: at_ms as f64, outcome });
            } else {
                more_events += 1.0;
            }
        });
        Ok(Outcome::ClockAdvanced { ms: ms as f64, events, more_events })
    }

    /// A random UUID, printed. Source: `java.util.UUID.randomUUID`.
    fn uuid(&mut self) -> String {
        let hex: String = self.uuid_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        [0..8, 8..12, 12..16, 16..20, 20..32]
            .map(|part| hex.get(part).unwrap_or_default().to_owned())
            .join("-")
    }

    fn uuid_bytes(&mut self) -> [u8; 16] {
        let mut bytes = [0; 16];
        for four in bytes.chunks_exact_mut(4) {
            four.copy_from_slice(&self.random.next_int().to_be_bytes());
        }
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        bytes
    }
}

enum Timer {
    Group(String),
    Transaction(String),
    Check(Check),
}

/// Whether a command that was carried out may have made a check of the logs due.
fn changes_logs(command: &Command) -> bool {
    matches!(
        command,
        Command::CreateTopic { .. }
            | Command::CreateAssignedTopic { .. }
            | Command::DeleteTopic { .. }
            | Command::CreatePartitions { .. }
            | Command::CreateAssignedPartitions { .. }
            | Command::Produce(_)
            | Command::ProduceMany { .. }
            | Command::Generate { .. }
            | Command::CopyLog { .. }
            | Command::CopyLogs { .. }
            | Command::CloseProducer { .. }
            | Command::Retry { .. }
            | Command::InitTransactions { .. }
            | Command::CommitTransaction { .. }
            | Command::AbortTransaction { .. }
            | Command::AlterConfigs { .. }
            | Command::DeleteRecords { .. }
    )
}
