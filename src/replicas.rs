//! Which brokers hold a partition, and which of them leads: Kafka's striped placement.
//!
//! The controller deals replicas round the racks and, in each rack, round its brokers, starting
//! anywhere; each partition starts one further. The first broker of a row leads. After as many
//! partitions as there are brokers that are up, all lists are shuffled. Where no broker names a
//! rack, there is one rack without a name.
//!
//! Every random number is drawn by the caller's `draw(bound)`, which answers `0..bound`.
//!
//! Source: `org.apache.kafka.metadata.placement.StripedReplicaPlacer` of Kafka 4.4.0, measured in
//! `tests/golden/errors/leaders.ndjson`.

use crate::java::{draw_index, grown_capacity, hash_map_order, shuffle, string_hash_code};
use crate::{Error, ErrorCode, Result};

/// A broker as the controller sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsableBroker {
    /// Its node id, 0 or more.
    pub id: i32,
    /// Its `broker.rack`.
    pub rack: Option<String>,
    /// Whether it is registered but not up: it gets replicas only where the others do not suffice,
    /// and never leads.
    pub fenced: bool,
}

/// The replicas of a new topic on brokers that are up and have no racks: for each partition the
/// brokers that hold it, the leader first. The caller limits the number of partitions.
///
/// # Errors
///
/// `INVALID_REPLICATION_FACTOR` where `replication_factor` is below 1 or above the number of
/// brokers, or there is no broker.
///
/// ```
/// use loglanes::replicas::place_replicas;
///
/// // Start at the second of three brokers; the other draw is for the one rack.
/// let mut draws = [1, 0].into_iter();
/// let rows = place_replicas(&[1, 2, 3], 3, 2, &mut |_| draws.next().unwrap())?;
/// assert_eq!(rows, [[2, 3], [3, 1], [1, 2]]);
///
/// let refused = place_replicas(&[1, 2, 3], 3, 4, &mut |_| 0).unwrap_err();
/// assert_eq!(refused.name(), "INVALID_REPLICATION_FACTOR");
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn place_replicas(
    brokers: &[i32],
    partitions: u32,
    replication_factor: i16,
    draw: &mut impl FnMut(i32) -> i32,
) -> Result<Vec<Vec<i32>>> {
    let usable: Vec<_> =
        brokers.iter().map(|&id| UsableBroker { id, rack: None, fenced: false }).collect();
    place_replicas_on(&usable, &[], partitions, replication_factor, draw)
}

/// As [`place_replicas`], with racks and fenced brokers, and for a topic that grows: `existing`
/// has the replicas of its partitions so far, and the new rows go on from the last one without
/// drawing a start.
///
/// # Errors
///
/// As [`place_replicas`]; also where all brokers are fenced.
///
/// ```
/// use loglanes::replicas::{UsableBroker, place_replicas_on};
///
/// let up = |id| UsableBroker { id, rack: None, fenced: false };
/// let rows = place_replicas_on(&[up(1), up(2), up(3)], &[vec![2]], 2, 1, &mut |_| 0)?;
/// assert_eq!(rows, [[3], [1]]);
/// # Ok::<(), loglanes::Error>(())
/// ```
pub fn place_replicas_on(
    brokers: &[UsableBroker],
    existing: &[Vec<i32>],
    partitions: u32,
    replication_factor: i16,
    draw: &mut impl FnMut(i32) -> i32,
) -> Result<Vec<Vec<i32>>> {
    let mut racks = Racks::new(brokers, existing, draw);
    let wanted = usize::try_from(replication_factor).unwrap_or(0);
    if wanted == 0 {
        return Err(refusal(format!(
            "Invalid replication factor {replication_factor}: the replication factor must be positive."
        ))
        .with_hint("Ask for at least 1 replica."));
    }
    if racks.unfenced == 0 {
        return Err(refusal(
            "All brokers are currently fenced, or have all their log directories cordoned.",
        )
        .with_hint("Start a broker first."));
    }
    if wanted > brokers.len() {
        return Err(refusal(format!(
            "The target replication factor of {wanted} cannot be reached because only {} broker(s) \
             are registered or some brokers have all their log directories cordoned.",
            brokers.len()
        ))
        .with_hint(format!("Ask for at most {} replicas, or add brokers.", brokers.len())));
    }
    (0..partitions).map(|_| racks.place(wanted, draw)).collect()
}

fn refusal(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::broker(ErrorCode::InvalidReplicationFactor, message)
}

/// Brokers that are dealt in a circle, one further for each round.
#[derive(Default)]
struct Ring {
    brokers: Vec<i32>,
    dealt: usize,
    start: usize,
    round: usize,
}

impl Ring {
    /// Sorted, from a drawn start.
    fn begin_anywhere(&mut self, draw: &mut impl FnMut(i32) -> i32) {
        if !self.brokers.is_empty() {
            self.brokers.sort_unstable();
            self.start = draw_index(self.brokers.len(), draw);
        }
    }

    /// Sorted, from the place after one that was dealt before.
    fn begin_after(&mut self, place: usize) {
        self.brokers.sort_unstable();
        self.start = (place + 1) % self.brokers.len().max(1);
    }

    fn next(&mut self, round: usize) -> Option<i32> {
        let size = self.brokers.len().max(1);
        if self.round != round {
            self.round = round;
            self.dealt = 0;
            self.start = (self.start + 1) % size;
        }
        if self.dealt >= self.brokers.len() {
            return None;
        }
        let broker = self.brokers.get((self.dealt + self.start) % size).copied();
        self.dealt += 1;
        broker
    }
}

struct Rack<'a> {
    name: Option<&'a str>,
    up: Ring,
    fenced: Ring,
}

struct Racks<'a> {
    /// In the order of the controller's map, which is the order of draws.
    racks: Vec<Rack<'a>>,
    /// Positions in `racks`, in the order of dealing: sorted by name, no name first.
    turns: Vec<usize>,
    turn: usize,
    round: usize,
    unfenced: usize,
}

impl<'a> Racks<'a> {
    fn new(
        brokers: &'a [UsableBroker],
        existing: &[Vec<i32>],
        draw: &mut impl FnMut(i32) -> i32,
    ) -> Self {
        let mut racks = in_map_order(brokers);
        let rack_of = |id: i32| {
            brokers.iter().rev().find(|broker| broker.id == id).map(|broker| broker.rack.as_deref())
        };
        for rack in &mut racks {
            rack.fenced.begin_anywhere(draw);
            let last_here =
                existing.iter().rev().flatten().find(|&&id| rack_of(id) == Some(rack.name));
            match last_here.and_then(|id| rack.up.brokers.iter().position(|up| up == id)) {
                Some(place) => rack.up.begin_after(place),
                None => rack.up.begin_anywhere(draw),
            }
        }
        let mut turns: Vec<usize> = (0..racks.len()).collect();
        turns.sort_by_key(|&at| racks.get(at).and_then(|rack| rack.name));

        let last_leader = existing.last().and_then(|row| row.first());
        let last_turn = last_leader.and_then(|&id| rack_of(id)).and_then(|name| {
            turns.iter().position(|&at| racks.get(at).is_some_and(|rack| rack.name == name))
        });
        let turn = match last_turn {
            Some(last) => (last + 1) % turns.len().max(1),
            None if turns.is_empty() => 0,
            None => draw_index(turns.len(), draw),
        };
        let unfenced = brokers.iter().filter(|broker| !broker.fenced).count();
        Self { racks, turns, turn, round: 0, unfenced }
    }

    /// The next row.
    fn place(&mut self, wanted: usize, draw: &mut impl FnMut(i32) -> i32) -> Result<Vec<i32>> {
        if self.round == self.unfenced && self.unfenced > 1 {
            shuffle(&mut self.turns, draw);
            for rack in &mut self.racks {
                shuffle(&mut rack.fenced.brokers, draw);
                shuffle(&mut rack.up.brokers, draw);
            }
            self.round = 0;
        }
        if self.turn >= self.turns.len() {
            self.turn = 0;
        }

        // The leader must be up; its rack is then passed over once.
        let count = self.turns.len();
        let mut row = Vec::with_capacity(wanted);
        let mut leading = None;
        for turn in (self.turn..count).chain(0..self.turn) {
            let round = self.round;
            if let Some(leader) = self.rack(turn).and_then(|rack| rack.up.next(round)) {
                row.push(leader);
                leading = Some(turn);
                break;
            }
        }
        let mut turn = self.turn;
        let mut missed = 0;
        while row.len() < wanted {
            let round = self.round;
            if leading == Some(turn) {
                leading = None;
            } else if let Some(broker) = self
                .rack(turn)
                .and_then(|rack| rack.up.next(round).or_else(|| rack.fenced.next(round)))
            {
                row.push(broker);
                missed = 0;
            } else {
                missed += 1;
            }
            turn = (turn + 1) % count.max(1);
            if missed > count {
                return Err(Error::loglanes(
                    "Kafka's placement would look for another broker without end here.",
                )
                .with_hint("Use racks of equal size, or a smaller replication factor."));
            }
        }
        self.round += 1;
        self.turn += 1;
        Ok(row)
    }

    fn rack(&mut self, turn: usize) -> Option<&mut Rack<'a>> {
        let at = *self.turns.get(turn)?;
        self.racks.get_mut(at)
    }
}

/// The racks with their brokers, as a Java `HashMap` by rack name iterates over them.
fn in_map_order(brokers: &[UsableBroker]) -> Vec<Rack<'_>> {
    let mut racks: Vec<Rack<'_>> = Vec::new();
    for broker in brokers {
        let name = broker.rack.as_deref();
        let at = racks.iter().position(|rack| rack.name == name).unwrap_or_else(|| {
            racks.push(Rack { name, up: Ring::default(), fenced: Ring::default() });
            racks.len() - 1
        });
        if let Some(rack) = racks.get_mut(at) {
            let ring = if broker.fenced { &mut rack.fenced } else { &mut rack.up };
            ring.brokers.push(broker.id);
        }
    }
    // The key is an Optional: its hash code is that of its text, 0 where there is none.
    let hashes: Vec<i32> = racks.iter().map(|rack| rack.name.map_or(0, string_hash_code)).collect();
    let order = hash_map_order(&hashes, grown_capacity(racks.len()));
    let mut slots: Vec<Option<Rack<'_>>> = racks.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| slots.get_mut(at).and_then(Option::take)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::Random;
    use proptest::prelude::*;

    #[test]
    fn what_kafka_refuses_is_refused_in_its_words() {
        let none = place_replicas(&[1], 1, 0, &mut |_| 0).unwrap_err();
        assert_eq!(none.code(), Some(38));
        let many = place_replicas(&[1], 1, 2, &mut |_| 0).unwrap_err();
        assert_eq!(
            many.message(),
            "The target replication factor of 2 cannot be reached because only 1 broker(s) are \
             registered or some brokers have all their log directories cordoned."
        );
        assert!(place_replicas(&[], 1, 1, &mut |_| 0).is_err());
    }

    #[test]
    fn one_broker_never_shuffles() {
        let mut draws = 0;
        let rows = place_replicas(&[7], 50, 1, &mut |_| {
            draws += 1;
            0
        });
        assert_eq!(rows.unwrap(), vec![vec![7]; 50]);
        assert_eq!(draws, 2);
    }

    proptest! {
        #[test]
        fn every_row_has_as_many_different_brokers_as_asked_and_leads_with_one_that_is_up(
            up in proptest::collection::vec(proptest::option::of(0..3_u8), 1..7),
            down in proptest::collection::vec(proptest::option::of(0..3_u8), 0..4),
            seed: i64, factor in 1..8_i16, grown in 0..5_usize,
        ) {
            let broker = |(id, rack): (usize, &Option<u8>), fenced| UsableBroker {
                id: id as i32, rack: rack.map(|rack| rack.to_string()), fenced,
            };
            let mut brokers: Vec<_> = up.iter().enumerate().map(|one| broker(one, false)).collect();
            brokers.extend((up.len()..).zip(&down).map(|one| broker(one, true)));
            let mut random = Random::new(seed);
            let mut draw = |bound| random.next_int_below(bound);
            let existing: Vec<_> = (0..grown).map(|at| vec![(at % up.len()) as i32]).collect();
            let rows = match place_replicas_on(&brokers, &existing, 20, factor, &mut draw) {
                Ok(rows) => rows,
                Err(error) => {
                    let too_few = factor as usize > brokers.len();
                    prop_assert!(too_few || error.name() == "LOGLANES", "{}", error);
                    return Ok(());
                }
            };
            for row in rows {
                prop_assert_eq!(row.len(), factor as usize);
                prop_assert!((row[0] as usize) < up.len());
                let mut unique = row.clone();
                unique.sort_unstable();
                unique.dedup();
                prop_assert_eq!(unique.len(), row.len());
            }
        }
    }
}
