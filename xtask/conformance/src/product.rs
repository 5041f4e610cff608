//! The product's side of a history.

use std::collections::{BTreeMap, HashMap};

use loglanes::group::{ConsumerConfig, PartitionOffset};
use loglanes::{Cluster, Command, Error, Outcome, Produce};
use serde_json::{Value, json};

use crate::act::{Act, MEMBER, product_answer, refusal};
use crate::history::empty_cluster;
use crate::members;

/// What came of a history.
pub struct Told {
    /// The cluster at the end.
    pub cluster: Cluster,
    /// For each act: what the product answered.
    pub answers: Vec<Value>,
    /// For each act and each of its records: see [`Act::request`].
    pub draws: Vec<Vec<[i32; 2]>>,
}

/// Carries a history out.
pub fn tell(seed: u64, acts: &[Act], now_ms: i64) -> Told {
    let mut cluster = empty_cluster(seed);
    let mut answers = Vec::new();
    let mut places = Vec::new();
    for act in acts {
        if let Act::Consume { group, config, commit } = act {
            answers.push(consume(&mut cluster, group, config, commit.as_deref(), now_ms));
            places.push(Vec::new());
            continue;
        }
        let ends = ends(&cluster, act);
        let outcome = cluster.apply(&act.command(), now_ms);
        places.push(places_of(&cluster, act, &outcome, &ends));
        answers.push(match members::product_answer(act, &cluster) {
            Some(answer) if outcome.is_ok() => answer,
            _ => product_answer(act, &outcome),
        });
    }
    Told { cluster, answers, draws: draws(acts, &places) }
}

/// The acts of a consumer that joins alone, polls until nothing comes, commits and closes; up to the
/// one that is refused. `each` is told what came of each.
pub fn visit(
    cluster: &mut Cluster,
    act: [&Command; 4],
    now_ms: i64,
    each: &mut dyn FnMut(&Command, &Outcome),
) -> Result<(), Error> {
    let [join, poll, commit, leave] = act;
    let mut apply = |command: &Command| -> Result<Outcome, Error> {
        let outcome = cluster.apply(command, now_ms)?;
        each(command, &outcome);
        Ok(outcome)
    };
    apply(join)?;
    let mut empty = 0;
    // A poll that only finds a position brings nothing; the next one does.
    while empty < 3 {
        let Outcome::Polled { records, .. } = apply(poll)? else { break };
        empty = if records.is_empty() { empty + 1 } else { 0 };
    }
    apply(commit)?;
    apply(leave)?;
    Ok(())
}

/// What such a consumer does.
pub fn visit_acts(
    group: &str,
    config: &ConsumerConfig,
    commit: Option<&[PartitionOffset]>,
) -> [Command; 4] {
    let (group, member) = (group.to_owned(), MEMBER.to_owned());
    let offsets = commit.map(<[PartitionOffset]>::to_vec);
    [
        Command::Join { group: group.clone(), member: member.clone(), config: config.clone() },
        Command::Poll { group: group.clone(), member: member.clone(), max_records: None },
        Command::Commit { group: group.clone(), member: member.clone(), offsets },
        Command::Leave { group, member },
    ]
}

/// A consumer joins alone, reads to the ends, commits and closes. The answer, as the driver has it.
pub fn consume(
    cluster: &mut Cluster,
    group: &str,
    config: &ConsumerConfig,
    commit: Option<&[PartitionOffset]>,
    now_ms: i64,
) -> Value {
    let mut read: BTreeMap<String, [i64; 3]> = BTreeMap::new();
    let mut note = |_: &Command, outcome: &Outcome| {
        let Outcome::Polled { records, .. } = outcome else { return };
        for record in records {
            let at = format!("{}-{}", record.topic, record.partition);
            let [count, _, last] = read.entry(at).or_insert([0, record.offset, 0]);
            *count += 1;
            *last = record.offset;
        }
    };
    let acts = visit_acts(group, config, commit);
    match visit(cluster, acts.each_ref(), now_ms, &mut note) {
        Ok(()) => json!({"read": read, "committed": committed(cluster, group)}),
        Err(error) => json!({"error": refusal(error.code(), error.name(), error.message())}),
    }
}

/// What a group has committed, by partition.
pub fn committed(cluster: &Cluster, group: &str) -> Value {
    let Some(group) = cluster.group(group) else { return json!({}) };
    let offsets = group.committed.iter();
    let offsets = offsets.map(|(at, offset)| (format!("{}-{}", at.topic, at.partition), offset));
    json!(offsets.collect::<BTreeMap<_, _>>())
}

/// The log end offsets of the topic that an act sends to.
fn ends(cluster: &Cluster, act: &Act) -> Vec<i64> {
    let Act::Send { topic, .. } = act else { return Vec::new() };
    let partitions = cluster.topic(topic).map_or(&[][..], |topic| topic.partitions.as_slice());
    partitions.iter().map(|partition| partition.log.log_end_offset()).collect()
}

/// Where each record of a send went; none for one that was refused.
fn places_of(
    cluster: &Cluster,
    act: &Act,
    outcome: &Result<Outcome, Error>,
    ends: &[i64],
) -> Vec<Option<i32>> {
    let Act::Send { topic, records, .. } = act else { return Vec::new() };
    if let Ok(Outcome::Produced { partition, .. }) = outcome {
        return vec![Some(*partition)];
    }
    let mut places = vec![None; records.len()];
    let partitions = cluster.topic(topic).map_or(&[][..], |topic| topic.partitions.as_slice());
    for (number, (partition, end)) in partitions.iter().zip(ends).enumerate() {
        for record in partition.log.records_from(*end) {
            let tag = record.headers().last().and_then(|header| header.value);
            let tag = tag.and_then(|tag| std::str::from_utf8(tag).ok()?.parse::<usize>().ok());
            if let Some(place) = tag.and_then(|tag| places.get_mut(tag)) {
                *place = i32::try_from(number).ok();
            }
        }
    }
    places
}

/// For each record where it went, and where the next goes that the same producer places by drawing.
fn draws(acts: &[Act], places: &[Vec<Option<i32>>]) -> Vec<Vec<[i32; 2]>> {
    let mut next: HashMap<(String, String), i32> = HashMap::new();
    let mut draws: Vec<Vec<[i32; 2]>> = acts
        .iter()
        .zip(places)
        .rev()
        .map(|(act, places)| {
            let Act::Send { topic, partitioner, records } = act else { return Vec::new() };
            let known = next.entry((topic.clone(), partitioner.clone())).or_default();
            let mut draws: Vec<[i32; 2]> = records
                .iter()
                .zip(places)
                .rev()
                .map(|(record, place)| {
                    let own = place.unwrap_or(*known);
                    let draw = [own, *known];
                    if is_drawn(record) {
                        *known = own;
                    }
                    draw
                })
                .collect();
            draws.reverse();
            draws
        })
        .collect();
    draws.reverse();
    draws
}

fn is_drawn(record: &Produce) -> bool {
    record.partition.is_none()
        && (record.key.is_none() || record.partitioner.as_deref() == Some("java/ignore_keys"))
}
