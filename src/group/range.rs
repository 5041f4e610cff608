//! The range assignor, which Kafka's consumers use unless told otherwise.
//!
//! Topic by topic: members in order of their ids, each takes `partitions / members` in a row,
//! and the first `partitions % members` of them one more. With several topics the same members
//! get the larger share each time.
//!
//! Source: `org.apache.kafka.clients.consumer.RangeAssignor`, Apache Kafka 4.4.0.

use std::collections::{BTreeMap, BTreeSet};

use super::TopicPartition;

/// What the assignor knows of a member.
#[derive(Debug, Clone, Copy)]
pub struct Subscription<'a> {
    /// `member.id`, as the coordinator gave it.
    pub member_id: &'a str,
    /// `group.instance.id` of a static member: those come first, in order of this id.
    pub instance_id: Option<&'a str>,
    /// The topics it subscribes to.
    pub topics: &'a [String],
}

/// Who gets what, in the order of `members`; each list topic by topic in order of their names,
/// partitions ascending. Topics that are not in `partition_counts` are passed over.
///
/// ```
/// use std::collections::BTreeMap;
/// use loglanes::group::range::{Subscription, assign};
///
/// let topics = ["orders".to_owned()];
/// let member = |member_id| Subscription { member_id, instance_id: None, topics: &topics };
/// let shares = assign(&[member("m1"), member("m2")], &BTreeMap::from([("orders", 3)]));
/// let sizes: Vec<usize> = shares.iter().map(Vec::len).collect();
/// assert_eq!(sizes, [2, 1]);
/// ```
#[must_use]
pub fn assign(
    members: &[Subscription<'_>],
    partition_counts: &BTreeMap<&str, i32>,
) -> Vec<Vec<TopicPartition>> {
    let mut shares = vec![Vec::new(); members.len()];
    let mut order: Vec<usize> = (0..members.len()).collect();
    order.sort_by(|&a, &b| rank(&members[a], &members[b]));
    let topics: BTreeSet<&str> =
        members.iter().flat_map(|member| member.topics).map(String::as_str).collect();
    for topic in topics {
        let Some(&count) = partition_counts.get(topic) else { continue };
        let takers: Vec<usize> = order
            .iter()
            .copied()
            .filter(|&at| members[at].topics.iter().any(|name| name == topic))
            .collect();
        let mut next = 0;
        for (place, &taker) in takers.iter().enumerate() {
            let (place, takers) = (place as i32, takers.len() as i32);
            let share = count / takers + i32::from(place < count % takers);
            shares[taker].extend((next..next + share).map(|p| TopicPartition::new(topic, p)));
            next += share;
        }
    }
    shares
}

/// Static members first, by instance id; then the others by member id. Java compares strings by
/// UTF-16 unit.
fn rank(a: &Subscription<'_>, b: &Subscription<'_>) -> std::cmp::Ordering {
    match (a.instance_id, b.instance_id) {
        (Some(a), Some(b)) => a.encode_utf16().cmp(b.encode_utf16()),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => a.member_id.encode_utf16().cmp(b.member_id.encode_utf16()),
    }
}
