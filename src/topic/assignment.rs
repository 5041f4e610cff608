//! Which brokers hold each partition, said by hand instead of placed by the controller.
//!
//! Source: `ReplicationControlManager.validateManualPartitionAssignment` and its callers, Apache
//! Kafka 4.4.0: the checks, their order, their words.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorCode, Result};

/// The brokers of one partition of a topic that is made. Source: `CreatableReplicaAssignment`.
///
/// ```
/// use loglanes::topic::ReplicaAssignment;
///
/// let rows = ReplicaAssignment::read("1:2,2:3").unwrap();
/// assert_eq!(rows[1], ReplicaAssignment { partition: 1, replicas: vec![2, 3] });
/// assert_eq!(ReplicaAssignment::print(&rows), "1:2,2:3");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplicaAssignment {
    /// The partition's number.
    pub partition: i32,
    /// The ids of its brokers; the first leads.
    pub replicas: Vec<i32>,
}

impl ReplicaAssignment {
    /// Reads what `kafka-topics --replica-assignment` takes: the brokers of partition 0, then of 1
    /// and so on, parted by commas, those of one partition by colons. `4@1:2` is partition 4
    /// wherever it stands. None if it is no such text.
    ///
    /// ```
    /// use loglanes::topic::ReplicaAssignment;
    ///
    /// assert_eq!(ReplicaAssignment::read("1,7@2").unwrap()[1].partition, 7);
    /// assert_eq!(ReplicaAssignment::read("1,2:x"), None);
    /// ```
    #[must_use]
    pub fn read(text: &str) -> Option<Vec<Self>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        let row = |(place, row): (usize, &str)| {
            let (partition, brokers) = match row.split_once('@') {
                Some((partition, brokers)) => (partition.parse().ok()?, brokers),
                None => (i32::try_from(place).ok()?, row),
            };
            let brokers = brokers.split(':').filter(|_| !brokers.is_empty());
            let replicas = brokers.map(|id| id.parse().ok()).collect::<Option<_>>()?;
            Some(Self { partition, replicas })
        };
        text.split(',').enumerate().map(row).collect()
    }

    /// The text that [`ReplicaAssignment::read`] reads as these.
    #[must_use]
    pub fn print(rows: &[Self]) -> String {
        let row = |(place, row): (usize, &Self)| {
            let ids: Vec<String> = row.replicas.iter().map(i32::to_string).collect();
            let ids = ids.join(":");
            // A row of nobody needs its number, to be told from no row.
            if usize::try_from(row.partition) == Ok(place) && !ids.is_empty() {
                ids
            } else {
                format!("{}@{ids}", row.partition)
            }
        };
        rows.iter().enumerate().map(row).collect::<Vec<_>>().join(",")
    }
}

/// The brokers of a new topic's partitions, in the order of their numbers.
pub(crate) fn check_rows(rows: &[ReplicaAssignment], brokers: &[i32]) -> Result<Vec<Vec<i32>>> {
    let mut parts: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    let mut replication_factor = None;
    for ReplicaAssignment { partition, replicas } in rows {
        if parts.contains_key(partition) {
            return Err(refusal(format!(
                "Found multiple manual partition assignments for partition {partition}"
            )));
        }
        check_row(replicas, replication_factor, brokers)?;
        replication_factor = Some(replicas.len());
        parts.insert(*partition, replicas.clone());
    }
    if !parts.keys().copied().eq((0..).take(parts.len())) {
        return Err(refusal("partitions should be a consecutive 0-based integer sequence"));
    }
    Ok(parts.into_values().collect())
}

/// Whether a partition may have these brokers, of which others have so many.
pub(crate) fn check_row(row: &[i32], others: Option<usize>, brokers: &[i32]) -> Result {
    if row.is_empty() {
        return Err(refusal("The manual partition assignment includes an empty replica list."));
    }
    let mut sorted = row.to_vec();
    sorted.sort_unstable();
    let mut previous = None;
    for id in sorted {
        if !brokers.contains(&id) {
            return Err(refusal(format!(
                "The manual partition assignment includes broker {id}, but no such broker is \
                 registered."
            )));
        }
        if previous == Some(id) {
            return Err(refusal(format!(
                "The manual partition assignment includes the broker {id} more than once."
            )));
        }
        previous = Some(id);
    }
    match others {
        Some(others) if others != row.len() => Err(refusal(format!(
            "The manual partition assignment includes a partition with {} replica(s), but this is \
             not consistent with previous partitions, which have {others} replica(s).",
            row.len()
        ))),
        _ => Ok(()),
    }
}

pub(crate) fn refusal(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::broker(ErrorCode::InvalidReplicaAssignment, message).with_hint(
        "Name for each partition, from 0 on, as many different brokers of this cluster: 1:2,2:3.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn said(rows: &str) -> String {
        let rows = ReplicaAssignment::read(rows).unwrap();
        check_rows(&rows, &[1, 2, 3]).map(|rows| format!("{rows:?}")).unwrap_or_else(|error| {
            assert_eq!(error.code(), Some(39));
            error.message().to_owned()
        })
    }

    #[test]
    fn rows_are_refused_in_the_order_and_the_words_of_the_controller() {
        assert_eq!(said("1:2,2:3"), "[[1, 2], [2, 3]]");
        assert_eq!(said("1@3,0@2"), "[[2], [3]]");
        assert_eq!(said("0@1,2@1"), "partitions should be a consecutive 0-based integer sequence");
        assert_eq!(
            said("1@7"),
            "The manual partition assignment includes broker 7, but no such broker is registered."
        );
        assert_eq!(
            said("3:1:3"),
            "The manual partition assignment includes the broker 3 more than once."
        );
        // The brokers of a row are looked at in the order of their ids.
        assert_eq!(
            said("4:4:1:1"),
            "The manual partition assignment includes the broker 1 more than once."
        );
        assert_eq!(said("0@"), "The manual partition assignment includes an empty replica list.");
        assert_eq!(said("1,0@2"), "Found multiple manual partition assignments for partition 0");
        assert!(said("1:2,3").ends_with("a partition with 1 replica(s), but this is not consistent with previous partitions, which have 2 replica(s)."));
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(
            rows in proptest::collection::vec((0..4_i32, proptest::collection::vec(any::<i32>(), 0..3)), 0..4),
        ) {
            let rows: Vec<_> = rows
                .into_iter()
                .map(|(partition, replicas)| ReplicaAssignment { partition, replicas })
                .collect();
            prop_assert_eq!(ReplicaAssignment::read(&ReplicaAssignment::print(&rows)), Some(rows));
        }
    }
}
