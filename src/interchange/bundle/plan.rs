//! Which tool carries which record of a topic, and in which order.

use super::carry::{Carried, Runs, Step, arrange, committed, is_one_by_one};
use super::{LeftOut, MAX_LEFT_OUT_TOLD, data_path};
use crate::error::Result;
use crate::log::RecordView;
use crate::topic::Topic;

/// What becomes of a topic.
#[derive(Debug)]
pub(super) struct TopicPlan {
    pub(super) name: String,
    pub(super) partitions: i32,
    pub(super) replication_factor: i16,
    pub(super) configs: Vec<(String, String)>,
    /// The calls, each with the file that it reads.
    pub(super) steps: Vec<(Step, String)>,
    /// Records of each partition that are carried.
    pub(super) counts: Vec<u64>,
    /// The offsets of each partition's carried records.
    offsets: Vec<Vec<i64>>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) left_out_count: u64,
}

impl TopicPlan {
    pub(super) fn new(name: &str, topic: &Topic, room: &mut u64) -> Result<Self> {
        let mut plan = Self {
            name: name.to_owned(),
            partitions: topic.partition_count(),
            replication_factor: topic.replication_factor,
            configs: topic.config.given().clone().into_iter().collect(),
            steps: Vec::new(),
            counts: Vec::new(),
            offsets: Vec::new(),
            left_out: Vec::new(),
            left_out_count: 0,
        };
        let mut runs = Vec::new();
        for (number, partition) in (0..).zip(&topic.partitions) {
            runs.push((number, plan.runs(number, committed(&partition.log, 0), room)?));
        }
        let steps = (1..).zip(arrange(runs, is_one_by_one(topic)));
        plan.steps = steps.map(|(number, step)| (step, data_path(name, number))).collect();
        Ok(plan)
    }

    fn runs<'a>(
        &mut self,
        number: i32,
        records: impl Iterator<Item = RecordView<'a>>,
        room: &mut u64,
    ) -> Result<Runs<'a>> {
        let (mut runs, mut offsets) = (Runs::default(), Vec::new());
        for record in records {
            let carried = Carried::new(&record, 0);
            carried.take(room)?;
            match runs.push(carried, number, self.partitions) {
                Ok(()) => offsets.push(record.offset),
                Err(why) => self.leave_out(number, record.offset, why),
            }
        }
        self.counts.push(offsets.len() as u64);
        self.offsets.push(offsets);
        Ok(runs)
    }

    fn leave_out(&mut self, partition: i32, offset: i64, why: &'static str) {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_LEFT_OUT_TOLD {
            let topic = self.name.clone();
            self.left_out.push(LeftOut { topic, partition, offset, why });
        }
    }

    pub(super) fn take_files(&mut self) -> Vec<(String, Vec<u8>)> {
        self.steps.iter_mut().map(|(step, path)| (path.clone(), step.take_data())).collect()
    }

    pub(super) fn needs_kcat(&self) -> bool {
        self.steps.iter().any(|(step, _)| step.is_kcat())
    }

    /// Where an offset lies in the new cluster; none without such a partition.
    pub(super) fn moved(&self, partition: i32, offset: i64) -> Option<usize> {
        let offsets = self.offsets.get(usize::try_from(partition).ok()?)?;
        Some(offsets.partition_point(|&carried| carried < offset))
    }
}
