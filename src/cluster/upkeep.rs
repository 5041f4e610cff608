//! Configs that change, and what a broker does with old records: by hand or by the clock.
//!
//! A broker looks for old segments every `log.retention.check.interval.ms`; its cleaner looks for
//! a dirty log, and when it finds none, again after `log.cleaner.backoff.ms`. Here both count
//! from the cluster's first command. A check that would find nothing is passed over, so a clock
//! that is put forward by a year costs no more than what happens in it.
//!
//! Source: `LogManager`, `LogCleaner.CleanerThread`, `ControllerConfigurationValidator`, Apache
//! Kafka 4.4.0.

use serde::{Deserialize, Serialize};

use super::{Cluster, topics::unknown_topic};
use crate::error::{Error, ErrorCode, Result};
use crate::log::PartitionLog;
use crate::outcome::{ConfigChange, LeftAlone, Outcome, PartitionCleaning, PartitionRetention};
use crate::topic::{AlterConfigOp, INTERNAL_TOPICS, Topic, TopicConfig, check_name, check_request};

/// `log.retention.check.interval.ms`, Kafka's default.
pub const RETENTION_CHECK_INTERVAL_MS: i64 = 300_000;

/// `log.initial.task.delay.ms`: when the first check comes, Kafka's default.
pub const INITIAL_TASK_DELAY_MS: i64 = 30_000;

/// `log.cleaner.backoff.ms`, Kafka's default.
pub const CLEANER_BACKOFF_MS: i64 = 15_000;

/// `producer.id.expiration.check.interval.ms`: how often partitions forget producers; Kafka's
/// default.
pub const PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS: i64 = 600_000;

/// What the checks of the logs have to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct LogChecks {
    /// When the brokers began: the time of the first command.
    began_ms: Option<i64>,
    /// When a log or a config last changed by a command. What is due at once is found at the
    /// first check after that.
    changed_ms: i64,
    /// The last checks that found something.
    retention_ms: Option<i64>,
    cleaner_ms: Option<i64>,
    producers_ms: Option<i64>,
}

/// Which check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    Retention,
    Cleaner,
    Producers,
}

impl LogChecks {
    pub(super) fn began_ms(&self) -> Option<i64> {
        self.began_ms
    }

    pub(super) fn changed(&mut self, now_ms: i64) {
        self.began_ms.get_or_insert(now_ms);
        self.changed_ms = self.changed_ms.max(now_ms);
    }

    /// The first check at or after the time at which something is due.
    fn next(&self, check: Check, due_ms: i64) -> Option<i64> {
        let (delay, interval, last) = match check {
            Check::Retention => {
                (INITIAL_TASK_DELAY_MS, RETENTION_CHECK_INTERVAL_MS, self.retention_ms)
            }
            Check::Cleaner => (0, CLEANER_BACKOFF_MS, self.cleaner_ms),
            Check::Producers => (
                PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS,
                PRODUCER_ID_EXPIRATION_CHECK_INTERVAL_MS,
                self.producers_ms,
            ),
        };
        let first = self.began_ms?.checked_add(delay)?;
        let after = self.changed_ms.max(last.unwrap_or(i64::MIN)).checked_add(1)?;
        let waited = due_ms.max(after).max(first).checked_sub(first)?;
        let checks = waited.checked_add(interval - 1)? / interval;
        first.checked_add(checks.checked_mul(interval)?)
    }

    fn ran(&mut self, check: Check, at_ms: i64) {
        match check {
            Check::Retention => self.retention_ms = Some(at_ms),
            Check::Cleaner => self.cleaner_ms = Some(at_ms),
            Check::Producers => self.producers_ms = Some(at_ms),
        }
    }
}

impl Cluster {
    pub(super) fn alter_configs(&mut self, name: &str, ops: &[AlterConfigOp]) -> Result<Outcome> {
        check_request(ops)?;
        let held = self.topics.get(name).map(|topic| &topic.config);
        let given = held.unwrap_or(&TopicConfig::default()).altered(ops)?;
        if name.is_empty() {
            return Err(Error::broker(
                ErrorCode::InvalidRequest,
                "Default topic resources are not allowed.",
            )
            .with_hint("Name the topic."));
        }
        check_name(name)?;
        let config = TopicConfig::parse(given)?;
        let topic = self.topics.get_mut(name).ok_or_else(|| {
            Error::broker(
                ErrorCode::UnknownTopicOrPartition,
                format!("The topic '{name}' does not exist."),
            )
            .with_hint("Make it first, or choose one that is there.")
        })?;
        let configs = ops
            .iter()
            .map(|op| ConfigChange {
                name: op.name.clone(),
                from: topic.config.described(&op.name),
                to: config.described(&op.name),
            })
            .collect();
        for partition in &mut topic.partitions {
            partition.log.set_config(config.log().clone());
        }
        topic.config = config;
        Ok(Outcome::ConfigsAltered { topic: name.to_owned(), configs })
    }

    pub(super) fn delete_records(
        &mut self,
        name: &str,
        partition: i32,
        before: i64,
    ) -> Result<Outcome> {
        if INTERNAL_TOPICS.contains(&name) {
            return Err(Error::code_alone(ErrorCode::InvalidTopicException)
                .with_hint("The records of Kafka's own topics cannot be deleted."));
        }
        if check_name(name).is_err() {
            return Err(Error::broker(
                ErrorCode::InvalidTopicException,
                format!(
                    "Failed to fetch metadata for partition {name}-{partition} due to invalid \
                     topic `{name}`"
                ),
            )
            .with_hint("Use letters a-z and A-Z, digits, '.', '_' and '-', at most 249 of them."));
        }
        let topic = self.topics.get_mut(name).ok_or_else(|| unknown_topic(name))?;
        let held = topic.partition_mut(partition).ok_or_else(|| {
            Error::code_alone(ErrorCode::UnknownTopicOrPartition)
                .with_hint(format!("There is no partition {name}-{partition}."))
        })?;
        let (from, records) = (held.log.log_start_offset(), held.log.record_count());
        let log_start_offset = held.log.delete_records(before)?;
        Ok(Outcome::RecordsDeleted {
            topic: name.to_owned(),
            partition,
            from,
            log_start_offset,
            records: (records - held.log.record_count()) as f64,
        })
    }

    pub(super) fn run_retention(&mut self, topic: Option<&str>, now_ms: i64) -> Result<Outcome> {
        self.check_topic(topic)?;
        Ok(Outcome::RetentionRan { partitions: self.check_retention(topic, now_ms) })
    }

    pub(super) fn run_cleaner(&mut self, topic: Option<&str>, now_ms: i64) -> Result<Outcome> {
        self.check_topic(topic)?;
        Ok(Outcome::CleanerRan { partitions: self.check_dirt(topic, now_ms) })
    }

    fn check_topic(&self, topic: Option<&str>) -> Result {
        match topic {
            Some(name) if !self.topics.contains_key(name) => Err(unknown_topic(name)),
            _ => Ok(()),
        }
    }

    /// The partitions that have lost something.
    fn check_retention(&mut self, topic: Option<&str>, now_ms: i64) -> Vec<PartitionRetention> {
        let logs = self.logs_mut(topic, |topic| !topic.config.log().cleanup_policy.compact);
        logs.filter_map(|(topic, partition, log)| {
            let from = log.log_start_offset();
            let deleted = log.delete_old_segments(now_ms);
            (!deleted.is_empty()).then(|| PartitionRetention {
                topic: topic.to_owned(),
                partition,
                from,
                log_start_offset: log.log_start_offset(),
                deleted,
            })
        })
        .collect()
    }

    /// Every compacted partition, those left alone as well.
    fn check_dirt(&mut self, topic: Option<&str>, now_ms: i64) -> Vec<PartitionCleaning> {
        let logs = self.logs_mut(topic, |topic| topic.config.log().cleanup_policy.compact);
        logs.map(|(topic, partition, log)| {
            let plan = log.cleaner_plan(now_ms);
            let (passes, deleted) = log.run_cleaner(now_ms);
            PartitionCleaning {
                topic: topic.to_owned(),
                partition,
                left_alone: passes.is_empty().then(|| LeftAlone::of(&plan)),
                cleanable_ratio: plan.cleanable_ratio(),
                min_cleanable_dirty_ratio: log.config().min_cleanable_dirty_ratio.get(),
                passes,
                deleted,
            }
        })
        .collect()
    }

    /// The partitions of one topic or of all, if their configs are the ones asked for.
    fn logs_mut<'a>(
        &'a mut self,
        only: Option<&'a str>,
        is_wanted: impl Fn(&Topic) -> bool + 'a,
    ) -> impl Iterator<Item = (&'a str, i32, &'a mut PartitionLog)> {
        self.topics
            .iter_mut()
            .filter(move |(name, topic)| {
                only.is_none_or(|only| only == name.as_str()) && is_wanted(topic)
            })
            .flat_map(|(name, topic)| {
                let logs = topic.partitions.iter_mut().map(|partition| &mut partition.log);
                (0..).zip(logs).map(|(partition, log)| (name.as_str(), partition, log))
            })
    }

    /// When the next check finds something, and which one it is.
    pub(super) fn next_check(&self) -> Option<(i64, Check)> {
        let mut due = [None, None];
        let mut producers = None;
        for log in self.topics.values().flat_map(|topic| &topic.partitions).map(|p| &p.log) {
            let is_compacted = log.config().cleanup_policy.compact;
            let times = [
                log.deletion_due_ms(),
                if is_compacted { log.cleaning_due_ms(self.log_checks.changed_ms) } else { None },
            ];
            let slot = &mut due[usize::from(is_compacted)];
            *slot = times.into_iter().flatten().chain(*slot).min();
            producers = log.producers().expiry_due_ms().into_iter().chain(producers).min();
        }
        let next = |due: Option<i64>, check| Some((self.log_checks.next(check, due?)?, check));
        let [retention, cleaner] = due;
        let next = [
            next(retention, Check::Retention),
            next(cleaner, Check::Cleaner),
            next(producers, Check::Producers),
        ];
        next.into_iter().flatten().min_by_key(|(at_ms, _)| *at_ms)
    }

    /// Partitions forget producers that have sent nothing for a day.
    pub(super) fn expire_producers(&mut self, at_ms: i64) {
        self.log_checks.ran(Check::Producers, at_ms);
        for (_, _, log) in self.logs_mut(None, |_| true) {
            log.expire_producers(at_ms);
        }
    }

    pub(super) fn run_check(&mut self, check: Check, at_ms: i64) -> Outcome {
        self.log_checks.ran(check, at_ms);
        match check {
            Check::Producers => Outcome::Done,
            Check::Retention => {
                Outcome::RetentionRan { partitions: self.check_retention(None, at_ms) }
            }
            Check::Cleaner => {
                let mut partitions = self.check_dirt(None, at_ms);
                partitions.retain(|one| one.left_alone.is_none() || !one.deleted.is_empty());
                Outcome::CleanerRan { partitions }
            }
        }
    }
}
