//! The cluster against a naive model of it: vectors and maps, and the rules as they are written
//! down in Kafka's documentation and answers, said a second time without any care for speed.
//!
//! After every command both have answered the same, and are in the same state. Where a keyless
//! record goes is a matter of chance; the model takes it from the cluster's answer. Producers and transactions
//! have a model of their own.
#![cfg(not(target_arch = "wasm32"))]

mod commands;
mod compare;
mod groups;
mod topics;
mod transactions;

use std::collections::{BTreeMap, BTreeSet};

use commands::command;
use compare::{in_the_models_words, refusal, same_records, same_state};
use groups::no_group;
use loglanes::group::OffsetReset;
use loglanes::{Command, LogEnd, Outcome, Session};
use proptest::collection::vec;
use proptest::prelude::*;

const NOW: i64 = 1_700_000_000_000;

type At = (String, i32);

/// Code, name and text of a refusal; of Loglanes's own the name alone.
type Refused = (Option<i16>, String, String);

#[derive(Debug, Clone, PartialEq)]
struct Rec {
    timestamp: i64,
    key: Option<Vec<u8>>,
    value: Option<Vec<u8>>,
}

#[derive(Debug, Clone)]
struct Consumer {
    name: String,
    topics: BTreeSet<String>,
    reset: OffsetReset,
    dies_at: Option<i64>,
    owned: Vec<At>,
    positions: BTreeMap<At, i64>,
    /// Ends that were sought, to be found with the next poll.
    sought: BTreeMap<At, LogEnd>,
    /// What was fetched: partition, next offset, end; -1 as the end where it was out of range.
    fetched: Vec<(At, i64, i64)>,
    /// Of which something was handed out since the fetch.
    begun: BTreeSet<At>,
}

#[derive(Debug, Clone, Default)]
struct Consumers {
    generation: i32,
    members: Vec<Consumer>,
    committed: BTreeMap<At, i64>,
    given: BTreeMap<At, i64>,
    known: BTreeMap<String, i32>,
    looks_at: Option<i64>,
}

#[derive(Debug, Clone, Default)]
struct Model {
    clock: i64,
    topics: BTreeMap<String, Vec<Vec<Rec>>>,
    groups: BTreeMap<String, Consumers>,
}

/// What a command answers, as far as the model knows it.
#[derive(Debug, PartialEq)]
enum Answer {
    Done,
    Topic(i32),
    Grown(i32, i32),
    /// Partition (if the model can tell) and offset are looked up in the real answer.
    Sent(Option<i32>),
    Generation(i32),
    Polled(Vec<(At, i64, Rec, bool)>, Vec<(At, Option<i64>, i64)>),
    Committed(Vec<(At, i64)>),
}

fn kafka(code: i16, name: &str, text: impl Into<String>) -> Refused {
    (Some(code), name.to_owned(), text.into())
}

fn java(name: &str, text: impl Into<String>) -> Refused {
    (None, name.to_owned(), text.into())
}

fn ours() -> Refused {
    (None, "LOGLANES".to_owned(), String::new())
}

fn unknown_topic() -> Refused {
    kafka(3, "UNKNOWN_TOPIC_OR_PARTITION", "This server does not host this topic-partition.")
}

/// `(murmur2(key) & 0x7fffffff) % partitions`, in 64-bit numbers that are cut to 32 bits.
fn murmur2_partition(key: &[u8], partitions: i32) -> i32 {
    const M: u64 = 0x5bd1_e995;
    let cut = |n: u64| n & 0xffff_ffff;
    let mut h = 0x9747_b28c ^ key.len() as u64;
    let words = key.chunks_exact(4);
    let tail = words.remainder();
    for word in words {
        let mut k = u64::from(u32::from_le_bytes(word.try_into().unwrap()));
        k = cut(k * M);
        k = cut((k ^ (k >> 24)) * M);
        h = cut(h * M) ^ k;
    }
    for (place, byte) in tail.iter().enumerate().rev() {
        h ^= u64::from(*byte) << (8 * place);
    }
    if !tail.is_empty() {
        h = cut(h * M);
    }
    h = cut((h ^ (h >> 13)) * M);
    h ^= h >> 15;
    ((h & 0x7fff_ffff) % partitions as u64) as i32
}

fn is_legal(name: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !name.is_empty()
        && name != "."
        && name != ".."
        && name.len() <= 249
        && name.chars().all(letters)
}

impl Model {
    fn count(&self, topic: &str) -> Option<i32> {
        self.topics.get(topic).map(|partitions| partitions.len() as i32)
    }

    fn log(&self, at: &At) -> Option<&Vec<Rec>> {
        self.topics.get(&at.0)?.get(usize::try_from(at.1).ok()?)
    }

    fn apply(&mut self, command: &Command, now: i64) -> Result<Answer, Refused> {
        let now = now + self.clock;
        match command {
            Command::CreateTopic { name, partitions, replication_factor, .. } => {
                self.create(name, *partitions, *replication_factor, now)
            }
            Command::DeleteTopic { name } => {
                if name.is_empty() {
                    let text = "The given topic name '' cannot be represented in a request.";
                    return Err(kafka(17, "INVALID_TOPIC_EXCEPTION", text));
                }
                self.topics.remove(name).ok_or_else(unknown_topic)?;
                let topics = self.topics.clone();
                for group in self.groups.values_mut() {
                    group.committed.retain(|at, _| at.0 != *name);
                    group.given.retain(|at, _| at.0 != *name);
                    if group.known.contains_key(name) {
                        group.rebalance(&topics);
                    }
                }
                Ok(Answer::Done)
            }
            Command::CreatePartitions { topic, total } => self.grow(topic, *total, now),
            Command::Produce(record) => self.produce(record, now),
            Command::AdvanceClock { ms } => {
                if *ms < 0 {
                    return Err(ours());
                }
                self.clock += ms;
                self.timers(now + ms);
                Ok(Answer::Done)
            }
            Command::Tick => {
                self.timers(now);
                Ok(Answer::Done)
            }
            Command::Join { group, member, config } => {
                self.join(group, member, &config.topics, config.auto_offset_reset)
            }
            Command::DeleteGroup { group } => {
                let found = self.groups.get(group).ok_or_else(no_group)?;
                if !found.members.is_empty() {
                    return Err(kafka(68, "NON_EMPTY_GROUP", "The group is not empty."));
                }
                self.groups.remove(group);
                Ok(Answer::Done)
            }
            Command::RefreshMetadata { group } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                found.look(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Leave { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                found.running(member)?;
                found.members.retain(|one| one.name != *member);
                found.rebalance(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Crash { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                let member = found.running(member)?;
                member.dies_at = Some(now + 45_000);
                Ok(Answer::Done)
            }
            Command::Restart { group, member } => {
                let found = self.groups.get_mut(group).ok_or_else(no_group)?;
                let old = found.member(member)?.clone();
                if old.dies_at.is_none() {
                    return Err(ours());
                }
                found.members.retain(|one| one.name != *member);
                found.rebalance(&self.topics);
                found.members.push(Consumer { dies_at: None, ..old });
                found.rebalance(&self.topics);
                Ok(Answer::Generation(found.generation))
            }
            Command::Poll { group, member, max_records } => {
                self.poll(group, member, max_records.unwrap_or(500))
            }
            Command::Commit { group, member, offsets } => self.commit(group, member, offsets),
            Command::Seek { group, member, topic, partition, to } => {
                self.seek(group, member, (topic.clone(), *partition), *to)
            }
            other => panic!("{other:?}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 20_000, ..Default::default() })]

    #[test]
    fn the_cluster_answers_and_stands_as_the_naive_model_does(
        seed in any::<i64>(),
        commands in vec((command(), 0..5_000i64), 1..300),
    ) {
        let (mut session, mut model, mut now) = (Session::new(seed), Model::default(), NOW);
        for (command, wait) in commands {
            now += wait;
            let expected = model.apply(&command, now);
            let real = session.apply(command.clone(), now);
            if let (Ok(Outcome::Produced { partition, offset, .. }), Ok(Answer::Sent(place))) =
                (&real, &expected)
            {
                let Command::Produce(record) = &command else { unreachable!() };
                prop_assert!(place.is_none_or(|place| place == *partition), "{:?}", command);
                prop_assert!((0..model.count(&record.topic).unwrap()).contains(partition));
                prop_assert_eq!(model.store(record, *partition, now), *offset);
            } else {
                let real = real.map(in_the_models_words).map_err(|error| refusal(&error));
                prop_assert_eq!(real, expected, "{:?}", command);
            }
            same_state(&session, &model, now);
        }
        same_records(&session, &model);
    }
}
