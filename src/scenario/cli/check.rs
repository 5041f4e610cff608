//! What a scenario expects, asked of the cluster where a tool answers.

use super::script::Helper;
use super::walk::Walk;
use crate::group::TopicPartition;
use crate::interchange::bundle::shell::{fits, pattern, quoted};
use crate::log::RecordView;
use crate::scenario::{Expectation, Finding, Measure, Measured, Relation};
use crate::topic::Partition;

/// How a tool answers.
struct Question {
    helper: Helper,
    /// The call whose output is compared.
    call: String,
    /// What it is compared with.
    wanted: String,
}

/// It is not asked, and why.
type Unasked = &'static str;

const OTHERS: Unasked = "a real cluster has others besides.";
const NO_TOOL: Unasked = "no tool of Kafka's tells it.";
const NO_MEMBER: Unasked = "no member runs there.";
const OTHER_BATCHES: Unasked = "which records share a batch is up to the tools.";
const OTHER_TIMES: Unasked = "the records have other times there.";
const OTHER_OFFSETS: Unasked = "offsets are others there.";
const NOT_THE_SAME: Unasked = "what the cleaner has taken here may be there.";
const NO_TEXT: Unasked = "the tools show bytes as text, and these are none.";

/// How none is shown.
const NONE: &str = "~none~";

impl Walk {
    /// Writes down what is expected.
    pub(super) fn expect(
        &mut self,
        expectation: &Expectation,
        line: u32,
        text: &str,
        finding: Option<&Finding>,
    ) {
        if let Some(finding) = finding.filter(|finding| !finding.met) {
            self.script.more(&format!("It does not hold here: there is {}.", finding.found));
        }
        match self.question(expectation) {
            Ok(Question { helper, call, wanted }) => {
                self.script.needs(helper);
                self.script.needs(Helper::Holds);
                let sign = match expectation.relation {
                    Relation::Equal => "=",
                    Relation::Unequal => "!=",
                    Relation::Less => "-lt",
                    Relation::AtMost => "-le",
                    Relation::More => "-gt",
                    Relation::AtLeast => "-ge",
                };
                let (text, wanted) = (quoted(text), quoted(&wanted));
                self.script.push(&format!("holds {line} {text} {sign} {wanted} \"$({call})\"\n"));
            }
            Err(why) => self.script.more(&format!("Not checked: {why}")),
        }
    }

    fn question(&self, expectation: &Expectation) -> Result<Question, Unasked> {
        let Expectation { measure, wanted, .. } = expectation;
        let whole = |helper: Helper, call: String| {
            let wanted = match wanted {
                Measured::Whole(number) => number.to_string(),
                Measured::None => "none".to_owned(),
                _ => return Err(NO_TOOL),
            };
            Ok(Question { helper, call, wanted })
        };
        match measure {
            Measure::Partitions(topic) => {
                let call = format!("partitions {}", quoted(&pattern(topic)));
                whole(Helper::Partitions, call)
            }
            Measure::Config(topic, config) => {
                let Measured::Name(wanted) = wanted else { return Err(NO_TOOL) };
                let call = format!("config {} {}", quoted(topic), quoted(&pattern(config)));
                Ok(Question { helper: Helper::Config, call, wanted: wanted.clone() })
            }
            Measure::Records(topic, partition) => {
                whole(Helper::Records, self.records(topic, *partition)?)
            }
            Measure::LogStartOffset(at) => whole(Helper::Offset, self.offset("earliest", at)?),
            Measure::HighWatermark(at) | Measure::LogEndOffset(at) => {
                whole(Helper::Offset, self.offset("latest", at)?)
            }
            Measure::Offsets(at) | Measure::Keys(at) | Measure::Values(at) => match wanted {
                Measured::Whole(_) => {
                    whole(Helper::Records, self.records(&at.topic, Some(at.partition))?)
                }
                _ => self.list(measure, at, wanted),
            },
            Measure::Key(at, offset) | Measure::ValueOf(at, offset) => {
                self.one(measure, at, *offset, wanted)
            }
            Measure::Committed(group, at) => {
                if !fits(group) || !self.has_same_commits(group, &at.topic, Some(at.partition)) {
                    return Err(OTHER_OFFSETS);
                }
                let call =
                    format!("committed {} {} {}", quoted(group), quoted(&at.topic), at.partition);
                whole(Helper::Committed, call)
            }
            Measure::Lag(group, topic, partition) => {
                if !fits(group) || !self.has_same_commits(group, topic, *partition) {
                    return Err(OTHER_OFFSETS);
                }
                let mut call = format!("lag {} {}", quoted(group), quoted(topic));
                call.extend(partition.map(|number| format!(" {number}")));
                whole(Helper::Lag, call)
            }
            Measure::Topics | Measure::Groups => Err(OTHERS),
            Measure::Clock | Measure::Timestamp(..) | Measure::OffsetForTime(..) => {
                Err(OTHER_TIMES)
            }
            Measure::Bytes(..) | Measure::Batches(_) | Measure::Segments(_) => Err(OTHER_BATCHES),
            Measure::Compression(..) => Err(OTHER_BATCHES),
            Measure::State(_)
            | Measure::Generation(_)
            | Measure::Members(_)
            | Measure::Assignment(..)
            | Measure::Assignor(_)
            | Measure::Paused(..)
            | Measure::Owner(..)
            | Measure::Position(..)
            | Measure::Read(..)
            | Measure::ReadKeys(..)
            | Measure::ReadValues(..)
            | Measure::ReadAgain(_) => Err(NO_MEMBER),
            Measure::Leader(_) | Measure::Replicas(_) => {
                Err("a cluster places partitions by itself.")
            }
            Measure::DistinctKeys(_)
            | Measure::SplitKeys(_)
            | Measure::Skew(_)
            | Measure::Moved(..)
            | Measure::PartitionOf { .. }
            | Measure::LastStableOffset(_)
            | Measure::Header(..) => Err(NO_TOOL),
        }
    }

    fn partition(&self, at: &TopicPartition) -> Result<&Partition, Unasked> {
        let topic = self.cluster().topic(&at.topic);
        topic
            .and_then(|topic| topic.partition(at.partition))
            .ok_or("there is no such partition here.")
    }

    /// Whether a partition holds the same records there: none was compacted away here.
    fn is_whole(&self, at: &TopicPartition) -> bool {
        let Ok(Partition { log, .. }) = self.partition(at) else { return false };
        let there = |here| self.there.offset(&at.topic, at.partition, here);
        let count = there(log.log_end_offset()) - there(log.log_start_offset());
        u64::try_from(count) == Ok(log.record_count())
    }

    fn records(&self, topic: &str, partition: Option<i32>) -> Result<String, Unasked> {
        let held = self.cluster().topic(topic).ok_or("there is no such topic here.")?;
        let numbers = match partition {
            Some(number) => number..number.saturating_add(1),
            None => 0..held.partition_count(),
        };
        if !numbers.into_iter().all(|number| self.is_whole(&TopicPartition::new(topic, number))) {
            return Err(NOT_THE_SAME);
        }
        let mut of = pattern(topic);
        of.extend(partition.map(|number| format!(":{number}")));
        Ok(format!("records {}", quoted(&of)))
    }

    fn offset(&self, which: &str, at: &TopicPartition) -> Result<String, Unasked> {
        if !self.there.is_same(&at.topic, at.partition) {
            return Err(OTHER_OFFSETS);
        }
        let of = format!("{}:{}", pattern(&at.topic), at.partition);
        Ok(format!("offset {which} {}", quoted(&of)))
    }

    /// Every record of a partition.
    fn list(
        &self,
        measure: &Measure,
        at: &TopicPartition,
        wanted: &Measured,
    ) -> Result<Question, Unasked> {
        let Partition { log, .. } = self.partition(at)?;
        if !self.is_whole(at) {
            return Err(NOT_THE_SAME);
        }
        if matches!(measure, Measure::Offsets(_)) && !self.there.is_same(&at.topic, at.partition) {
            return Err(OTHER_OFFSETS);
        }
        let Measured::List(wanted) = wanted else { return Err(NO_TOOL) };
        let start = log.log_start_offset();
        let records: Vec<RecordView<'_>> = log.records_from(start).collect();
        self.shown(measure, at, start, &records, wanted)
    }

    /// One record.
    fn one(
        &self,
        measure: &Measure,
        at: &TopicPartition,
        offset: i64,
        wanted: &Measured,
    ) -> Result<Question, Unasked> {
        let Partition { log, .. } = self.partition(at)?;
        let there = |here| self.there.offset(&at.topic, at.partition, here);
        let (_, record) = log.record(offset).ok_or("there is no such record here.")?;
        if there(offset) == there(offset + 1) {
            return Err("the record was not sent.");
        }
        self.shown(measure, at, offset, &[record], std::slice::from_ref(wanted))
    }

    fn shown(
        &self,
        measure: &Measure,
        at: &TopicPartition,
        from: i64,
        records: &[RecordView<'_>],
        wanted: &[Measured],
    ) -> Result<Question, Unasked> {
        let what = match measure {
            Measure::Offsets(_) => "print.offset=true --property print.value=false",
            Measure::Keys(_) | Measure::Key(..) => "print.key=true --property print.value=false",
            _ => "print.value=true",
        };
        let is_key = matches!(measure, Measure::Keys(_) | Measure::Key(..));
        let mut has_none = false;
        if !matches!(measure, Measure::Offsets(_)) {
            // What is there is shown as text: if that is not what it is, nothing can be compared.
            for record in records {
                has_none |= text_of(if is_key { record.key } else { record.value })? == NONE;
            }
        }
        let mut lines = String::new();
        for one in wanted {
            match one {
                Measured::Whole(offset) => lines.push_str(&format!("Offset:{offset}\n")),
                Measured::Bytes(bytes) => {
                    lines.push_str(text_of(bytes.as_ref().map(|bytes| bytes.0.as_slice()))?);
                    lines.push('\n');
                }
                _ => return Err(NO_TOOL),
            }
        }
        let null = match has_none || lines.lines().any(|line| line == NONE) {
            true => format!("--property null.literal={NONE} "),
            false => String::new(),
        };
        lines.push('.');
        let from = self.there.offset(&at.topic, at.partition, from);
        let call = format!(
            "shown {} {} {from} {} {null}--property {what}",
            quoted(&at.topic),
            at.partition,
            records.len(),
        );
        Ok(Question { helper: Helper::Shown, call, wanted: lines })
    }

    /// Whether a group has the same committed offsets there, and what lies behind them too.
    fn has_same_commits(&self, id: &str, topic: &str, partition: Option<i32>) -> bool {
        let is_asked = |at: &TopicPartition| {
            at.topic == topic && partition.is_none_or(|it| it == at.partition)
        };
        let there = self.there.commits_of(id);
        let Some(group) = self.cluster().group(id) else { return there.is_none() };
        group.committed.iter().filter(|(at, _)| is_asked(at)).all(|(at, here)| {
            let held = there.and_then(|there| there.get(at));
            held == Some(here) && self.there.is_same(&at.topic, at.partition)
        })
    }
}

/// As the console consumer shows it, on a line of its own.
fn text_of(bytes: Option<&[u8]>) -> Result<&str, Unasked> {
    let Some(bytes) = bytes else { return Ok(NONE) };
    let text = std::str::from_utf8(bytes).map_err(|_| NO_TEXT)?;
    if text.contains(['\n', '\r', '\0']) || text == NONE {
        return Err(NO_TEXT);
    }
    Ok(text)
}
