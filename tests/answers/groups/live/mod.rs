//! Groups against recorded answers of Apache Kafka 4.4.0: real consumers on a real broker. What
//! the fields mean: `tests/golden/groups/README.md`.
//!
//! Compared are the assignor, assignments, generations and epochs, the calls of the rebalance
//! listener, delivered records, committed offsets, positions, lag and the texts of errors.

mod gaps;
mod misuse;
mod offsets;
mod reading;
mod rebalances;
mod stage;

use std::collections::BTreeMap;

use crate::recorded::{Tally, lines};
use serde_json::Value;
use stage::with_ordered_ids;

type Tell = fn(&[Value], &mut Tally);

/// How the scenarios of a family are told; none for one that is not known.
fn tell(family: &str) -> Option<Tell> {
    Some(match family {
        "join-leave-die" => rebalances::join_leave_die,
        "static-members" => rebalances::static_members,
        "fenced" => rebalances::fenced,
        "subscription-change" => rebalances::subscription_change,
        "topic-recreated" => rebalances::topic_recreated,
        "crash" => reading::crash,
        "rebalance-position" => reading::rebalance_position,
        "pause-resume" => reading::pause_resume,
        "auto-commit" => reading::auto_commit,
        "by-duration-empty" => reading::by_duration_empty,
        "reset" => reading::reset,
        "partitions-added" => reading::partitions_added,
        "poll-order" => reading::poll_order,
        "commit-explicit" => offsets::commit_explicit,
        "commit-timed-out-then-close" => offsets::commit_timed_out_then_close,
        "commit-without-group" => offsets::commit_without_group,
        "lag" => offsets::lag,
        "gaps" => gaps::gaps,
        "misuse" => misuse::misuse,
        _ => return None,
    })
}

fn replay(file: &str) {
    let lines = lines(file);
    let mut scenarios: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in &lines {
        let name = line["scenario"].as_str().unwrap().to_owned();
        scenarios.entry(name).or_default().push(line.clone());
    }
    let mut tally = Tally::default();
    for (name, steps) in &scenarios {
        let family = name.split_once('/').map_or(name.as_str(), |parts| parts.0);
        let Some(tell) = tell(family) else {
            steps.iter().for_each(|_| tally.skip(format!("not replayed: {family}")));
            continue;
        };
        tally.settings();
        if steps[0]["config"]["consumer"]["group.protocol"] == "consumer" {
            let mut told = Tally::default();
            with_ordered_ids(|| {
                told = Tally::default();
                tell(steps, &mut told);
            });
            tally.add(told);
        } else {
            tell(steps, &mut tally);
        }
    }
    tally.finish(file, lines.len());
}

#[test]
fn groups_of_the_classic_protocol_do_as_on_a_real_broker() {
    replay("groups/live-classic.ndjson");
}

#[test]
fn groups_of_the_consumer_protocol_do_as_on_a_real_broker() {
    replay("groups/live-consumer.ndjson");
}
