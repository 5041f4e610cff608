//! Groups. No tool keeps a member alive, so groups there have no members: what is committed here is
//! set there, and what a poll brings is read by a consumer of its own.

use super::script::Helper;
use super::there::Committed;
use super::walk::{Line, Walk};
use crate::cluster::Cluster;
use crate::command::Command;
use crate::group::{
    ConsumerConfig, Group, Member, OffsetReset, PartitionOffset, ResetTo, TopicPartition,
};
use crate::interchange::bundle::shell::{
    fits, here_document, is_line_text, pattern, quoted, words,
};
use crate::outcome::{Outcome, PolledRecord};

/// A member that reads as a consumer would that is started now: alone in its group, from what is
/// committed.
#[derive(Debug)]
pub(super) struct Fresh {
    config: ConsumerConfig,
}

/// So many commands read what a poll brings; more are not written.
const MAX_READS: usize = 20;

/// Before a poll: whether a consumer that is started now would read the same.
pub(super) fn fresh(walk: &Walk, command: &Command) -> Option<Fresh> {
    let Command::Poll { group: id, member, .. } = command else { return None };
    let cluster = walk.cluster();
    let group = cluster.group(id)?;
    let held = group.members.get(member)?;
    let is_alone = group.members.len() == 1 && held.is_alive() && group.outside.is_empty();
    let is_plain = held.paused.is_empty() && held.sought.is_empty() && held.fetched.is_empty();
    let there = walk.there.commits_of(id);
    let is_committed = |at: &TopicPartition, here: i64| {
        there.and_then(|there| there.get(at)).copied()
            == Some(walk.there.offset(&at.topic, at.partition, here))
    };
    let is_found_again = |at: &TopicPartition| {
        let position = held.positions.get(at).copied();
        match group.committed.get(at).copied() {
            Some(here) => position.is_none_or(|it| it == here) && is_committed(at, here),
            None => position.is_none_or(|it| Some(it) == reset_position(cluster, held, at)),
        }
    };
    // What a time finds is another offset there.
    let has_choice = matches!(
        held.config.auto_offset_reset,
        OffsetReset::Earliest | OffsetReset::Latest | OffsetReset::None
    );
    (is_alone && is_plain && has_choice && held.assignment.iter().all(is_found_again))
        .then(|| Fresh { config: held.config.clone() })
}

fn reset_position(cluster: &Cluster, member: &Member, at: &TopicPartition) -> Option<i64> {
    let log = &cluster.topic(&at.topic)?.partition(at.partition)?.log;
    match member.config.auto_offset_reset {
        OffsetReset::Earliest => Some(log.log_start_offset()),
        OffsetReset::Latest => Some(log.high_watermark()),
        _ => None,
    }
}

/// Whether what was read does not depend on which partition comes first: all is read of each, or
/// there was something in one alone.
fn is_any_order(cluster: &Cluster, group: &Group, member: &str, records: &[PolledRecord]) -> bool {
    let Some(held) = group.members.get(member) else { return false };
    let is_unread = |at: &&TopicPartition| {
        let log = cluster.topic(&at.topic).and_then(|topic| topic.partition(at.partition));
        let end = log.map(|partition| partition.log.high_watermark());
        held.positions.get(*at).copied() != end
    };
    let mut unread = held.assignment.iter().filter(is_unread).peekable();
    unread.peek().is_none()
        || unread.all(|at| {
            records
                .iter()
                .all(|record| record.topic == at.topic && record.partition == at.partition)
        })
}

impl Walk {
    pub(super) fn poll(
        &mut self,
        id: &str,
        member: &str,
        outcome: &Outcome,
        fresh: Option<&Fresh>,
    ) {
        let Outcome::Polled { records, .. } = outcome else { return };
        if records.is_empty() {
            self.script.more("It brings nothing.");
            return;
        }
        let cluster = self.cluster();
        let all_there = records.iter().all(|record| self.is_there(record));
        let in_group = fresh.filter(|_| {
            let group = cluster.group(id);
            all_there
                && fits(id)
                && group.is_some_and(|group| is_any_order(cluster, group, member, records))
        });
        let mut call = Vec::new();
        if let Some(Fresh { config }) = in_group {
            call.push(format!("tool kafka-console-consumer --group {}", quoted(id)));
            call.push(match config.topics.as_slice() {
                [topic] => format!("--topic {}", quoted(topic)),
                topics => {
                    let patterns: Vec<String> = topics.iter().map(|topic| pattern(topic)).collect();
                    format!("--include {}", quoted(&patterns.join("|")))
                }
            });
            call.push(format!("--max-messages {} --timeout-ms 20000", records.len()));
            call.push("--consumer-property enable.auto.commit=false".to_owned());
            call.push(format!(
                "--consumer-property auto.offset.reset={}",
                config.auto_offset_reset
            ));
            call.push("--property print.key=true".to_owned());
            words(call, &mut self.script.body);
            self.script.push("\n");
            return;
        }
        let reads = self.reads(records);
        if reads.is_empty() {
            self.script.more("What it brings is not there: no tool has sent it.");
        }
        if reads.len() > MAX_READS {
            let count = reads.len();
            self.script.more(&format!(
                "Not read there: what it brings lies apart, and would take {count} commands."
            ));
            return;
        }
        for (at, offset, count) in reads {
            let call = vec![
                format!("tool kafka-console-consumer --topic {}", quoted(&at.topic)),
                format!("--partition {} --offset {offset} --max-messages {count}", at.partition),
                "--timeout-ms 20000 --property print.key=true".to_owned(),
            ];
            words(call, &mut self.script.body);
            self.script.push("\n");
        }
    }

    /// Whether a record that is here is there as well.
    fn is_there(&self, record: &PolledRecord) -> bool {
        let offset = |here| self.there.offset(&record.topic, record.partition, here);
        offset(record.offset) < offset(record.offset + 1)
    }

    /// Records of one partition in a row: its first offset there, and how many.
    fn reads(&self, records: &[PolledRecord]) -> Vec<(TopicPartition, i64, i64)> {
        let mut reads: Vec<(TopicPartition, i64, i64)> = Vec::new();
        for record in records.iter().filter(|record| self.is_there(record)) {
            let at = TopicPartition::new(&record.topic, record.partition);
            let offset = self.there.offset(&at.topic, at.partition, record.offset);
            match reads.iter_mut().rfind(|(known, ..)| *known == at) {
                Some((_, first, count)) if *first + *count == offset => *count += 1,
                _ => reads.push((at, offset, 1)),
            }
        }
        reads
    }

    /// What it commits is written down with the changes; here what no tool commits.
    pub(super) fn commit(&mut self, offsets: Option<&[PartitionOffset]>, told: &Line<'_>) {
        let has_more = |at: &PartitionOffset| !at.metadata.is_empty() || at.leader_epoch.is_some();
        if offsets.unwrap_or_default().iter().any(has_more) {
            self.script.lose(told.line, told.text, told.lost());
        }
    }

    /// Commits that have come about.
    pub(super) fn commits_changed(&mut self, told: &Line<'_>) {
        let Self { there, player, .. } = self;
        let changed = there.committed(player.session().cluster());
        let is_commit = told.text.starts_with("commit ");
        if changed.is_empty() && is_commit {
            self.script.more("It changes no committed offset.");
        }
        for (id, offsets) in changed {
            if !is_commit {
                self.script.more("What is committed by it here is set there:");
            }
            self.set_offsets(&id, &offsets, told);
        }
    }

    fn set_offsets(&mut self, id: &str, offsets: &[Committed], told: &Line<'_>) {
        if !fits(id) {
            self.script.lose(told.line, told.text, "A command line takes no NUL.");
            return;
        }
        let mut csv = String::new();
        for Committed { at, here, there } in offsets {
            if here != there {
                let moved = self.there.offset(&at.topic, at.partition, *here);
                let why = if moved == *there {
                    "what lies before it was not all sent there"
                } else {
                    "the tool keeps it within the log"
                };
                self.script.more(&format!("{at}: {here} is {there} there: {why}."));
            }
            csv.push_str(&format!("{},{},{there}\n", at.topic, at.partition));
        }
        self.script.needs(Helper::Commit);
        self.script.push(&format!("commit {} <<'END'\n", quoted(id)));
        debug_assert!(is_line_text(csv.as_bytes()), "names of topics are plain");
        here_document(csv.as_bytes(), &mut self.script.body);
    }

    pub(super) fn reset_offsets(
        &mut self,
        id: &str,
        topics: Option<&[String]>,
        to: &ResetTo,
        outcome: &Outcome,
        told: &Line<'_>,
    ) {
        let Outcome::OffsetsReset { plan, .. } = outcome else { return };
        if !fits(id) {
            self.script.lose(told.line, told.text, "A command line takes no NUL.");
            return;
        }
        let is_same = plan.rows.iter().all(|row| self.there.is_same(&row.topic, row.partition));
        let is_direct = match to {
            ResetTo::Earliest | ResetTo::Latest => true,
            ResetTo::Current | ResetTo::Offset { .. } | ResetTo::Shift { .. } => is_same,
            ResetTo::Datetime { .. } | ResetTo::Duration { .. } => {
                self.script.lose(told.line, told.text, told.lost());
                false
            }
            ResetTo::File { .. } => false,
        };
        let call = reset(id, topics, to);
        if is_direct || plan.rows.is_empty() {
            self.script.push("sound ");
            words(call, &mut self.script.body);
            self.script.push("\n");
            return;
        }
        if !matches!(to, ResetTo::File { .. }) {
            self.script.more(&format!(
                "As the tool has it: {}",
                call.join(" ").trim_start_matches("tool ")
            ));
        }
        let offset = |row: &PartitionOffset| {
            let at = TopicPartition::new(&row.topic, row.partition);
            let there = self.there.offset(&row.topic, row.partition, row.offset);
            Committed { at, here: row.offset, there }
        };
        let offsets: Vec<Committed> = plan.rows.iter().map(offset).collect();
        self.set_offsets(id, &offsets, told);
    }

    pub(super) fn delete_offsets(&mut self, id: &str, topics: &[String]) {
        self.with_commits(id, &delete_offsets(id, topics));
    }

    pub(super) fn delete_group(&mut self, id: &str) {
        let call = [format!("tool kafka-consumer-groups --group {} --delete", quoted(id))];
        self.with_commits(id, &call);
    }

    /// A group is there as long as it has something committed.
    fn with_commits(&mut self, id: &str, call: &[String]) {
        if self.there.commits_of(id).is_none() || !fits(id) {
            self.script.more("The group is not there: it has nothing committed.");
            return;
        }
        self.script.push("sound ");
        words(call.iter().cloned(), &mut self.script.body);
        self.script.push("\n");
    }
}

/// A reset as the tool has it.
pub(super) fn reset(id: &str, topics: Option<&[String]>, to: &ResetTo) -> Vec<String> {
    let mut call = vec![format!("tool kafka-consumer-groups --group {}", quoted(id))];
    call.push("--reset-offsets".to_owned());
    match topics {
        // A file names its topics.
        None if matches!(to, ResetTo::File { .. }) => {}
        None => call.push("--all-topics".to_owned()),
        Some(topics) => {
            call.extend(topics.iter().map(|topic| format!("--topic {}", quoted(topic))))
        }
    }
    call.push(match to {
        ResetTo::Earliest => "--to-earliest".to_owned(),
        ResetTo::Latest => "--to-latest".to_owned(),
        ResetTo::Current => "--to-current".to_owned(),
        ResetTo::Offset { offset } => format!("--to-offset {offset}"),
        ResetTo::Shift { by } => format!("--shift-by {by}"),
        ResetTo::Datetime { datetime } => format!("--to-datetime {}", quoted(datetime)),
        ResetTo::Duration { duration } => format!("--by-duration {}", quoted(duration)),
        ResetTo::File { .. } => "--from-file \"$work/offsets.csv\"".to_owned(),
    });
    call.push("--execute".to_owned());
    call
}

/// As the tool has it.
pub(super) fn delete_offsets(id: &str, topics: &[String]) -> Vec<String> {
    let mut call =
        vec![format!("tool kafka-consumer-groups --group {} --delete-offsets", quoted(id))];
    call.extend(topics.iter().map(|topic| format!("--topic {}", quoted(topic))));
    call
}
