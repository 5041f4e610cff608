//! Where a record would go, and why, before it is sent.

use serde::Serialize;

use crate::cluster::Cluster;
use crate::command::Produce;
use crate::error::Error;
use crate::partitioner::{KeyArithmetic, Partitioner, Placement, side_by_side};
use crate::producer::{is_usable, partitioner_of};

/// Where a record would land, without sending it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlacementView {
    /// The partition; none if the record would be refused.
    pub destination: Option<Destination>,
    /// From the key to the partition, where the key decides.
    pub arithmetic: Option<Arithmetic>,
    /// Why, in a sentence.
    pub reason: String,
    /// What Kafka would answer instead.
    pub refusal: Option<RefusalView>,
    /// Where other clients would put it.
    pub others: Vec<OtherClient>,
}

/// A partition, or how it would be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Destination {
    /// `fixed`, `random`, `roundRobin` or `sticky`.
    pub kind: &'static str,
    /// The partition, as far as it is known.
    pub partition: Option<i32>,
}

/// A refusal as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusalView {
    /// See [`Error::name`].
    pub name: &'static str,
    /// See [`Error::code`].
    pub code: Option<i16>,
    /// Who refuses: see [`crate::Refusal::by`].
    pub refusal: &'static str,
    /// See [`Error::message`].
    pub message: String,
    /// See [`Error::hint`].
    pub hint: String,
}

/// Another client's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OtherClient {
    /// The partitioner's id.
    pub partitioner: &'static str,
    /// The client, as its users call it: see [`crate::partitioner::Client::title`].
    pub client: &'static str,
    /// What the partitioner is called there.
    pub name: &'static str,
    /// Whether the client does so unless told otherwise.
    pub is_default: bool,
    /// Where it puts the record.
    pub destination: Destination,
    /// Whether that is the partition of this record.
    pub agrees: bool,
}

/// From key bytes to a partition, step by step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Arithmetic {
    /// How many bytes the key has.
    pub key_length: u32,
    /// The hash as a signed number.
    pub hash: i32,
    /// The number that is divided.
    pub masked: u32,
    /// What it is divided by.
    pub partitions: u32,
    /// The remainder.
    pub partition: u32,
    /// The steps, as they would be written down.
    pub steps: Vec<StepView>,
}

/// One step of an [`Arithmetic`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StepView {
    /// What is done.
    pub operation: String,
    /// What comes of it, exactly.
    pub result: String,
}

/// A partitioner that can be chosen, or compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartitionerInfo {
    /// Its id.
    pub id: &'static str,
    /// The client, as its users call it: see [`crate::partitioner::Client::title`].
    pub client: &'static str,
    /// What it is called there.
    pub name: &'static str,
    /// Whether a producer of this model can use it.
    pub usable: bool,
    /// Whether the client does so unless told otherwise.
    pub is_default: bool,
    /// What it does, in a sentence.
    pub rule: String,
}

impl Arithmetic {
    /// The arithmetic of the Java client.
    #[must_use]
    pub fn java(key: &[u8], partitions: usize) -> Self {
        Self::of(&KeyArithmetic::java(key, u32::try_from(partitions).unwrap_or(u32::MAX)))
    }

    fn of(sum: &KeyArithmetic) -> Self {
        Self {
            key_length: u32::try_from(sum.key_length).unwrap_or(u32::MAX),
            hash: sum.hash,
            masked: sum.masked,
            partitions: sum.partitions,
            partition: sum.partition,
            steps: sum
                .steps()
                .into_iter()
                .map(|step| StepView { operation: step.operation, result: step.result.to_string() })
                .collect(),
        }
    }
}

impl From<&Error> for RefusalView {
    fn from(error: &Error) -> Self {
        Self {
            name: error.name(),
            code: error.code(),
            refusal: error.refusal().by(),
            message: error.message().to_owned(),
            hint: error.hint().to_owned(),
        }
    }
}

/// Every partitioner there is, the Java client's first.
///
/// ```
/// let all = loglanes::view::partitioners();
/// assert_eq!((all[0].client, all[0].name), ("Java (Apache Kafka)", "default"));
/// assert!(all.iter().any(|one| one.client == "librdkafka (kcat, Confluent clients)"));
/// ```
#[must_use]
pub fn partitioners() -> Vec<PartitionerInfo> {
    Partitioner::ALL
        .iter()
        .map(|&partitioner| PartitionerInfo {
            id: partitioner.id(),
            client: partitioner.client().title(),
            name: partitioner.name(),
            usable: is_usable(partitioner),
            is_default: partitioner.is_default(),
            rule: partitioner.rule(),
        })
        .collect()
}

/// Where a record would go when the caller's clock shows `now_ms`, and why.
///
/// ```
/// use loglanes::view::placement;
/// use loglanes::{Cluster, Command, Produce};
///
/// let mut cluster = Cluster::new(7);
/// cluster.apply(&Command::create_topic("orders", 12), 0)?;
/// let draft = Produce { topic: "orders".into(), key: Some("order-1007".into()), ..Produce::default() };
/// let there = placement(&cluster, &draft, 0);
/// assert_eq!(there.destination.unwrap().partition, Some(6));
/// let kcat = there.others.iter().find(|other| other.partitioner == "librdkafka/consistent_random").unwrap();
/// assert_eq!((kcat.destination.partition, kcat.agrees), (Some(0), false));
/// # Ok::<(), loglanes::Error>(())
/// ```
#[must_use]
pub fn placement(cluster: &Cluster, draft: &Produce, now_ms: i64) -> PlacementView {
    let partitions = cluster.topic(&draft.topic).map_or(0, |topic| topic.partitions.len() as u32);
    let sender = draft.producer.as_deref().and_then(|name| cluster.producer(name));
    let id = sender.map(|producer| producer.partitioner.as_str()).or(draft.partitioner.as_deref());
    let partitioner = partitioner_of(id).unwrap_or(Partitioner::JavaDefault);
    let name = draft.producer.as_deref().unwrap_or(partitioner.id());
    let refusal = cluster.check_produce(draft, now_ms).err();
    let key = draft.key.as_deref();
    let mut answer = PlacementView {
        destination: None,
        arithmetic: None,
        reason: String::new(),
        refusal: refusal.as_ref().map(RefusalView::from),
        others: Vec::new(),
    };
    if partitions == 0 {
        return answer;
    }
    let destination = if let Some(partition) = draft.partition {
        answer.reason = "The record names its partition: no partitioner is asked.".to_owned();
        Destination { kind: "fixed", partition: Some(partition) }
    } else {
        answer.reason = partitioner.rule();
        let sum = partitioner.arithmetic(key, partitions);
        answer.arithmetic = sum.map(|sum| Arithmetic::of(&sum));
        let next = cluster.next_partition(&draft.topic, name);
        destination(partitioner.place(key, partitions), next)
    };
    answer.destination = refusal.is_none().then_some(destination);
    answer.others = side_by_side(key, partitions)
        .into_iter()
        .map(|(other, placement)| {
            let there = self::destination(placement, None);
            OtherClient {
                partitioner: other.id(),
                client: other.client().title(),
                name: other.name(),
                is_default: other.is_default(),
                destination: there,
                agrees: there.kind == "fixed" && there.partition == destination.partition,
            }
        })
        .collect();
    answer
}

/// `next` is where a producer that remembers would go.
fn destination(placement: Placement, next: Option<i32>) -> Destination {
    let (kind, partition) = match placement {
        Placement::Fixed(partition) => ("fixed", i32::try_from(partition).ok()),
        Placement::Random => ("random", None),
        Placement::RoundRobin { .. } => ("roundRobin", next),
        Placement::Sticky { .. } => ("sticky", next),
    };
    Destination { kind, partition }
}
