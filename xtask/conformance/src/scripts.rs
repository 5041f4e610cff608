//! Scenarios as commands: a scenario is carried out here, its script run against the broker with
//! Kafka's own tools, and what came of it compared record by record.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use loglanes::scenario::{Act, Commands, Player, Scenario, Statement};
use loglanes::{Cluster, Command, Outcome};
use serde_json::{Value, json};

use crate::act::Act as Drawn;
use crate::broker::Broker;
use crate::compare::{Counts, difference as of_values};
use crate::history::producers;
use crate::product;
use crate::tools::{Tools, has_kcat, hex};

/// How long what was committed on a deleted topic may stay.
const FORGOTTEN_WITHIN: Duration = Duration::from_secs(5);

/// A scenario to compare.
pub struct Script {
    /// What it is called where it differs.
    pub name: String,
    /// What it is.
    pub scenario: Scenario,
    /// What it is counted as.
    pub kind: &'static str,
}

/// Every lesson, in the order of the files.
pub fn lessons(root: &Path) -> Result<Vec<Script>> {
    let folder = root.join("www/lessons/en");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .with_context(|| format!("no {}", folder.display()))?
        .map(|file| Ok(file?.path()))
        .collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "lanes"));
    files.sort();
    if files.is_empty() {
        bail!("there are no lessons in {}", folder.display());
    }
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(&path)?;
        let scenario = Scenario::parse(&text).map_err(|problems| {
            let problem = problems.first().map(ToString::to_string).unwrap_or_default();
            anyhow::anyhow!("{}: {problem}", path.display())
        })?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Script { name: format!("the lesson {name}"), scenario, kind: "lessons" })
    };
    files.into_iter().map(read).collect()
}

/// A random history as a scenario, which expects what is refused. The cleaner has no part in it: no
/// tool makes it run, and when it runs decides what it leaves.
pub fn of_history(seed: u64, acts: &[Drawn], now_ms: i64) -> Script {
    let seed_line = i64::from_ne_bytes(seed.to_ne_bytes());
    let mut cluster = Cluster::new(seed_line);
    let mut lines = vec![Statement::Seed(seed_line), Statement::Start(now_ms)];
    let mut tell = |cluster: &mut Cluster, command: Command| {
        let refused = cluster.apply(&command, now_ms).err();
        lines.push(Statement::Act(Box::new(Act::from(command))));
        lines.extend(refused.map(|error| Statement::ExpectError(error.name().to_owned())));
    };
    producers().for_each(|create| tell(&mut cluster, create));
    for act in acts {
        match act {
            Drawn::Command(Command::RunCleaner { .. }) => {}
            Drawn::Consume { group, config, commit } => {
                let visit = product::visit_acts(group, config, commit.as_deref());
                let mut done = Vec::new();
                let mut note = |command: &Command, _: &Outcome| done.push(command.clone());
                let trial = &mut cluster.clone();
                // Where it ends, the act that is refused is left out.
                let _answer = product::visit(trial, visit.each_ref(), now_ms, &mut note);
                done.into_iter().for_each(|command| tell(&mut cluster, command));
            }
            _ => tell(&mut cluster, act.command()),
        }
    }
    let name = format!("the script of seed {seed}");
    Script { name, scenario: Scenario::of(lines), kind: "scripts of histories" }
}

/// Runs a scenario's commands, those of its solution too, on an empty broker. The first difference.
pub fn compare(
    broker: &mut Broker,
    script: &Script,
    tools: &Tools,
    counts: &mut Counts,
) -> Result<Option<String>> {
    let (mut player, _) = Player::new(&script.scenario);
    player.solve();
    if let Some(stopped) = player.finish().stopped {
        bail!("{} ends at line {}: {}", script.name, stopped.line, stopped.refusal.message);
    }
    let commands = Commands::of(&script.scenario, true)?;
    if commands.script().contains("kcat -P") && !has_kcat() {
        println!("SKIPPED: {} needs kcat, which is not on the PATH", script.name);
        counts.add("scenarios skipped for want of kcat, not", 1);
        return Ok(None);
    }
    broker.clear()?;
    if let Some(failed) = tools.run(broker, commands.files())? {
        return Ok(Some(failed));
    }
    // No tool makes the cleaner run: here it is made to, so that the same records go.
    let cleans = |line: &Statement| match line {
        Statement::Act(act) => matches!(act.command, Command::RunCleaner { .. }),
        _ => false,
    };
    if script.scenario.lines().iter().any(cleans) {
        broker.ask(&json!({"type": "runCleaner"}))?;
    }
    let there = There {
        offset: &|topic, partition, offset| commands.offset_there(topic, partition, offset),
        committed: &|group| {
            let rows = commands.committed_there(group);
            json!(rows.map(|(at, offset)| (at.to_string(), offset)).collect::<BTreeMap<_, _>>())
        },
    };
    let found = difference(broker, player.session().cluster(), &there, script.kind, counts)?;
    counts.add(script.kind, usize::from(found.is_none()));
    Ok(found)
}

/// What should be on the broker.
pub struct There<'a> {
    /// Where an offset of a partition of here lies.
    pub offset: &'a dyn Fn(&str, i32, i64) -> i64,
    /// What a group has committed, by partition.
    pub committed: &'a dyn Fn(&str) -> Value,
}

/// What differs between a cluster here and the broker: records, their partitions and offsets, the
/// offsets that groups have committed.
pub fn difference(
    broker: &mut Broker,
    cluster: &Cluster,
    there: &There<'_>,
    kind: &str,
    counts: &mut Counts,
) -> Result<Option<String>> {
    let groups: Vec<&str> = cluster.groups().map(|(id, _)| id).collect();
    let names: Vec<&str> = cluster.topics().map(|(name, _)| name).collect();
    let told = broker.ask(&json!({"type": "read", "topics": names, "groups": groups}))?;
    if let Some(error) = told.get("error") {
        return Ok(Some(format!("the broker cannot be read: {error}")));
    }
    for (name, topic) in cluster.topics() {
        for (number, partition) in (0..).zip(&topic.partitions) {
            let log = &partition.log;
            let offset = |here| (there.offset)(name, number, here);
            let is_sent = |here| offset(here) < offset(here + 1);
            let ours: Vec<Value> = log
                .records_from(log.log_start_offset())
                .filter(|record| is_sent(record.offset))
                .map(|record| {
                    let headers: Vec<_> = record
                        .headers()
                        .map(|header| json!([hex(header.key), header.value.map(hex)]))
                        .collect();
                    json!([
                        offset(record.offset),
                        record.key.map(hex),
                        record.value.map(hex),
                        headers
                    ])
                })
                .collect();
            let theirs = &told["ok"]["records"][format!("{name}-{number}")];
            let theirs = theirs.as_array().cloned().unwrap_or_default();
            for at in 0..ours.len().max(theirs.len()) {
                let side = |side: &[Value]| side.get(at).cloned().unwrap_or_default();
                if let Some(difference) = of_values(&side(&ours), &side(&theirs)) {
                    return Ok(Some(format!("{name}-{number}: {difference}")));
                }
            }
            counts.add(&format!("records of {kind}"), ours.len());
            counts.add(&format!("partitions of {kind}"), 1);
        }
    }
    for id in groups {
        let ours = (there.committed)(id);
        let mut theirs = told["ok"]["committed"][id].clone();
        // What was committed on a deleted topic goes a moment later.
        let start = Instant::now();
        while ours != theirs && start.elapsed() < FORGOTTEN_WITHIN {
            std::thread::sleep(Duration::from_millis(100));
            let told = broker.ask(&json!({"type": "read", "topics": [], "groups": [id]}))?;
            theirs = told["ok"]["committed"][id].clone();
        }
        if let Some(difference) = of_values(&ours, &theirs) {
            return Ok(Some(format!("group {id}, {difference}")));
        }
        counts.add(&format!("groups of {kind}"), 1);
    }
    Ok(None)
}
