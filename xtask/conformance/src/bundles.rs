//! Bundles: a cluster is packed, its script run against the broker with Kafka's own tools, and what
//! came of it compared with what is here.

use anyhow::Result;
use loglanes::interchange::bundle::Bundle;
use loglanes::{Cluster, Command as Act, Produce};

use crate::broker::Broker;
use crate::compare::Counts;
use crate::product;
use crate::scripts::{self, There};
use crate::tools::Tools;

/// A small cluster with one of everything that a bundle has to carry.
pub fn cluster(seed: u64, now_ms: i64, with_kcat: bool) -> Result<Cluster> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut cluster = Cluster::with_brokers(7, [1]);
    let mut configs = std::collections::BTreeMap::new();
    configs.insert("retention.ms".to_owned(), "-1".to_owned());
    if random.bool() {
        configs.insert("internal.segment.bytes".to_owned(), "2000".to_owned());
    }
    let partitions = random.i32(1..=4);
    cluster.apply(
        &Act::CreateTopic {
            name: "orders".into(),
            partitions: Some(partitions),
            replication_factor: None,
            configs,
        },
        now_ms,
    )?;
    let texts = [
        "",
        "null",
        "~null~",
        "a,b",
        "k:v",
        "-K1-",
        "tab\there",
        "é 日本",
        " ",
        "'quoted' \"$HOME\"",
    ];
    let headers = ["h", "trace id", "a,b", "x:y"];
    for _ in 0..random.usize(5..40) {
        let text = |random: &mut fastrand::Rng| texts[random.usize(..texts.len())];
        let mut record = Produce {
            topic: "orders".into(),
            timestamp: Some(now_ms),
            key: Some(text(&mut random).into()),
            value: (random.u32(0..5) > 0).then(|| text(&mut random).into()),
            ..Produce::default()
        };
        for _ in 0..random.usize(0..3) {
            record.headers.push(loglanes::OwnedHeader {
                key: headers[random.usize(..headers.len())].into(),
                value: (random.u32(0..3) > 0).then(|| text(&mut random).into()),
            });
        }
        if with_kcat && random.u32(0..4) == 0 {
            // Without a key, elsewhere, or no text: what the console producer cannot send.
            record.partition = Some(random.i32(0..partitions));
            record.value = Some(vec![0, 255, b'\n', random.u8(..)].into());
            record.key = random.bool().then(|| b"\xff key\r".as_slice().into());
        }
        cluster.apply(&Act::Produce(record), now_ms)?;
    }
    let join = Act::join("billing", "m1", "orders", loglanes::group::OffsetReset::Earliest);
    let (group, member) = ("billing".to_owned(), "m1".to_owned());
    let poll = Act::Poll { group: group.clone(), member: member.clone(), max_records: Some(3) };
    let commit = Act::Commit { group: group.clone(), member: member.clone(), offsets: None };
    for act in [join, poll, commit, Act::Leave { group, member }] {
        cluster.apply(&act, now_ms)?;
    }
    Ok(cluster)
}

/// Runs a bundle of a cluster on an empty broker. The first difference.
pub fn compare(
    broker: &mut Broker,
    cluster: &Cluster,
    tools: &Tools,
    counts: &mut Counts,
) -> Result<Option<String>> {
    broker.clear()?;
    let bundle = Bundle::of(cluster, &[])?;
    if let Some(failed) = tools.run(broker, bundle.files())? {
        return Ok(Some(failed));
    }
    // These logs have no gaps and begin at 0, so offsets stay.
    let there = There {
        offset: &|_, _, offset| offset,
        committed: &|group| product::committed(cluster, group),
    };
    let found = scripts::difference(broker, cluster, &there, "bundles", counts)?;
    counts.add("bundles", usize::from(found.is_none()));
    Ok(found)
}
