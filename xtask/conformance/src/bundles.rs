//! Bundles: a cluster is packed, its script run against the broker with Kafka's own tools, and what
//! came of it compared with what is here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use loglanes::interchange::bundle::Bundle;
use loglanes::{Cluster, Command as Act, Produce};
use serde_json::{Value, json};

use crate::broker::Broker;
use crate::compare::{Counts, difference};
use crate::product;

/// The tools that a script calls, and where Kafka has them.
const TOOLS: [(&str, &str); 4] = [
    ("kafka-topics", "org.apache.kafka.tools.TopicCommand"),
    ("kafka-console-producer", "org.apache.kafka.tools.ConsoleProducer"),
    ("kafka-get-offsets", "org.apache.kafka.tools.GetOffsetShell"),
    ("kafka-consumer-groups", "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"),
];

/// Whether this machine has what some scripts need.
pub fn has_kcat() -> bool {
    Command::new("kcat").arg("-V").output().is_ok_and(|output| output.status.success())
}

/// A folder with programs of the tools' names.
pub fn tools(class_path: &str, work: &Path) -> Result<PathBuf> {
    let folder = work.join("bin");
    fs::create_dir_all(&folder)?;
    for (name, class) in TOOLS {
        let path = folder.join(format!("{name}.sh"));
        fs::write(
            &path,
            format!(
                "#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m \
                 -cp '{class_path}' {class} \"$@\"\n"
            ),
        )?;
        executable(&path)?;
    }
    Ok(folder)
}

#[cfg(unix)]
fn executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    Ok(fs::set_permissions(path, fs::Permissions::from_mode(0o755))?)
}

#[cfg(not(unix))]
fn executable(_: &Path) -> Result<()> {
    Ok(())
}

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
    tools: &Path,
    folder: &Path,
    counts: &mut Counts,
) -> Result<Option<String>> {
    broker.clear()?;
    let bundle = Bundle::of(cluster, &[])?;
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    for (name, content) in bundle.files() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().context("a file in no folder")?)?;
        fs::write(path, content)?;
    }
    let output = Command::new("sh")
        .arg(folder.join("run.sh"))
        .env("BOOTSTRAP", &broker.bootstrap)
        .env("KAFKA_BIN", tools)
        .output()
        .context("sh does not start")?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        return Ok(Some(format!("the script failed: {}", String::from_utf8_lossy(&said))));
    }
    let groups: Vec<&str> = cluster.groups().map(|(id, _)| id).collect();
    let names: Vec<&str> = cluster.topics().map(|(name, _)| name).collect();
    let told = broker.ask(&json!({"type": "read", "topics": names, "groups": groups}))?;
    for (name, topic) in cluster.topics() {
        for (number, partition) in topic.partitions.iter().enumerate() {
            let records = partition.log.records_from(partition.log.log_start_offset());
            let ours: Vec<Value> = (0_i64..)
                .zip(records)
                .map(|(offset, record)| {
                    let headers: Vec<_> = record
                        .headers()
                        .map(|header| json!([hex(header.key), header.value.map(hex)]))
                        .collect();
                    json!([offset, record.key.map(hex), record.value.map(hex), headers])
                })
                .collect();
            let theirs = &told["ok"]["records"][format!("{name}-{number}")];
            let theirs = theirs.as_array().cloned().unwrap_or_default();
            for at in 0..ours.len().max(theirs.len()) {
                let side = |side: &[Value]| side.get(at).cloned().unwrap_or_default();
                if let Some(difference) = difference(&side(&ours), &side(&theirs)) {
                    return Ok(Some(format!("{name}-{number}: {difference}")));
                }
            }
            counts.add("records of bundles", ours.len());
        }
    }
    for (id, _) in cluster.groups() {
        // These logs have no gaps and begin at 0, so committed offsets stay.
        let ours = product::committed(cluster, id);
        if let Some(difference) = difference(&ours, &told["ok"]["committed"][id]) {
            return Ok(Some(format!("group {id}, {difference}")));
        }
        counts.add("groups of bundles", 1);
    }
    counts.add("bundles", 1);
    Ok(None)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
