//! Producers, as a page shows them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::cluster::{Cluster, TransactionStatus};
use crate::group::TopicPartition;
use crate::producer::Producer;

/// A producer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProducerView {
    /// Its name; of one that nobody has created, its partitioner's id.
    pub producer: String,
    /// Whether somebody has created it.
    pub is_created: bool,
    /// Its partitioner, by its id.
    pub partitioner: String,
    /// What was configured.
    pub configs: BTreeMap<String, String>,
    /// `enable.idempotence`, as it came out.
    pub is_idempotent: bool,
    /// `transactional.id`.
    pub transactional_id: Option<String>,
    /// Its producer id, once it has one.
    pub producer_id: Option<i64>,
    /// Its epoch.
    pub epoch: Option<i16>,
    /// Where it stands with its transactions, as Kafka's client calls it.
    pub state: &'static str,
    /// What the coordinator says of its transactional id.
    pub coordinator: Option<&'static str>,
    /// What the open transaction has written to.
    pub partitions: Vec<TopicPartition>,
    /// Whether there is a batch that it could send again.
    pub can_retry: bool,
}

impl ProducerView {
    pub(super) fn of(name: &str, producer: &Producer, cluster: &Cluster) -> Self {
        let transactional_id = producer.settings.transactional_id();
        let known = cluster
            .transactional_ids()
            .find(|(id, _)| Some(*id) == transactional_id)
            .map(|(_, known)| &known.state);
        let partitions = match known {
            Some(TransactionStatus::Ongoing(open)) => open.partitions.iter().cloned().collect(),
            _ => Vec::new(),
        };
        Self {
            producer: name.to_owned(),
            is_created: name != producer.partitioner,
            partitioner: producer.partitioner.clone(),
            configs: producer.settings.given().clone(),
            is_idempotent: producer.settings.is_idempotent(),
            transactional_id: transactional_id.map(str::to_owned),
            producer_id: producer.identity.map(|identity| identity.id),
            epoch: producer.identity.map(|identity| identity.epoch),
            state: producer.transaction.name(),
            coordinator: known.map(TransactionStatus::name),
            partitions,
            can_retry: producer.last_batch.is_some(),
        }
    }
}
