//! `cargo xtask conformance`: the same random histories on Loglanes and on a real Apache Kafka
//! broker, and every difference.
//!
//! [`history`] draws acts from a seed. [`product`] carries them out here; [`broker`] hands them to
//! a Java process ([`java`] fetches Kafka and compiles it) in which Kafka's own clients speak to
//! Kafka's own broker. Each answer is compared ([`act`]), and at the end what both sides hold
//! ([`compare`]): offsets, look-ups by time, configs, the bytes of every segment and index.

mod act;
mod broker;
mod bundles;
mod compare;
mod exports;
mod history;
mod java;
mod maker;
mod members;
mod product;
mod report;
mod resets;
mod scripts;
mod tools;
mod transactions;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use clap::Parser;

use act::{Act, broker_answer};
use broker::Broker;
use compare::{Counts, difference};
use scripts::Script;
use tools::Tools;

/// How many histories a full run has at least; fewer are not written to the docs.
const FULL_RUN: u64 = 200;

/// How many a short run has.
const SHORT_RUN: u64 = 20;

/// The seed of a short run.
const SHORT_SEED: u64 = 500;

/// Of so many histories two are about transactions, one about a group of several members.
const KINDS: u64 = 6;

/// How many bundles and scripts of histories a short run has.
const SHORT_BUNDLES: u64 = 2;

/// The lessons of a short run: refusals, deleted and compacted records, groups.
const SHORT_LESSONS: [&str; 3] = ["08-more-partitions", "09-offsets", "11-resume"];

/// How many histories that differ are made small and shown.
const SHOWN: usize = 3;

#[derive(Parser)]
#[command(name = "cargo xtask conformance", about = "Compare with a real Apache Kafka broker")]
struct Options {
    /// How many histories
    #[arg(long, default_value_t = FULL_RUN)]
    histories: u64,
    /// The seed of the first; the others follow
    #[arg(long)]
    seed: Option<u64>,
    /// A few histories, for CI
    #[arg(long, conflicts_with = "histories")]
    short: bool,
    /// How many histories are compared as commands, too; a twentieth unless said
    #[arg(long)]
    scripts: Option<u64>,
    /// Of the lessons only those with this in their name
    #[arg(long)]
    lesson: Option<String>,
    /// Only say whether this machine has what is needed
    #[arg(long)]
    check: bool,
    /// Show the acts of each history
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    if let Some(ended) = tools::called() {
        return ended;
    }
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if options.check {
        return java::missing().map_or(Ok(()), |missing| bail!("{missing}"));
    }
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = home.ancestors().nth(2).context("the project has no root")?;
    let work = work_folder(root);
    let class_path = java::class_path(home, &work)?;
    let now_ms = i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis())?;
    // CI compares the same histories each time, so that what fails there is what has changed.
    let other = if options.short { SHORT_SEED } else { now_ms.unsigned_abs() / 1_000 };
    let seed = options.seed.unwrap_or(other);
    let histories = if options.short { SHORT_RUN } else { options.histories };

    println!("Starting a broker");
    let bundles = if options.short { SHORT_BUNDLES } else { histories / 20 };
    let mut broker = Broker::start(&class_path, &work.join("data"))?;
    println!("Apache Kafka {} is up; {histories} histories from seed {seed}", broker.version);
    let start = Instant::now();
    let (mut counts, mut failed) = (Counts::default(), Vec::new());
    for seed in (seed..).take(usize::try_from(histories)?) {
        let acts = match seed % KINDS {
            0 | 1 => transactions::generate(seed, now_ms),
            2 => members::generate(seed, now_ms),
            _ => history::generate(seed, now_ms),
        };
        if options.verbose {
            println!("seed {seed}\n{}", listed(&acts));
        }
        let found = compare_histories(&mut broker, seed, &acts, now_ms, &mut counts)?;
        if let Some(found) = found {
            println!("seed {seed} differs: {found}");
            failed.push((seed, acts));
        }
    }
    let tools = Tools::new(&broker, &work)?;
    let failed_bundles = compare_bundles(&mut broker, &tools, seed, bundles, now_ms, &mut counts)?;
    let mut scripts = scripts::lessons(root)?;
    if options.short {
        scripts.retain(|script| SHORT_LESSONS.iter().any(|name| script.name.ends_with(name)));
    }
    if let Some(name) = &options.lesson {
        scripts.retain(|script| script.name.contains(name));
    }
    let drawn = options.scripts.unwrap_or(bundles);
    for seed in (seed..).take(usize::try_from(drawn)?) {
        let acts = history::generate(seed, now_ms);
        scripts.push(scripts::of_history(seed, &acts, now_ms));
    }
    let failed_scripts = compare_scripts(&mut broker, &tools, &scripts, &mut counts)?;
    counts.add("histories", usize::try_from(histories)?);
    for (seed, acts) in failed.iter().take(SHOWN) {
        show_minimal(&mut broker, *seed, acts, now_ms, &work)?;
    }

    println!("\ncompared:");
    for (what, count) in &counts.0 {
        println!("  {count} {what}");
    }
    println!("  in {:.0} s", start.elapsed().as_secs_f64());
    println!("{histories} histories compared, {} failed", failed.len());
    println!("{bundles} bundles compared, {failed_bundles} failed");
    println!("{} scenarios as commands compared, {failed_scripts} failed", scripts.len());
    let differ = failed.len() + failed_bundles + failed_scripts;
    if !options.short && histories >= FULL_RUN {
        report::write(root, &broker, seed, &counts, differ)?;
    }
    match differ {
        0 => Ok(()),
        count => bail!("{count} differ"),
    }
}

/// How many bundles differ.
fn compare_bundles(
    broker: &mut Broker,
    tools: &Tools,
    seed: u64,
    count: u64,
    now_ms: i64,
    counts: &mut Counts,
) -> Result<usize> {
    let with_kcat = tools::has_kcat();
    if !with_kcat {
        println!("kcat is not on the PATH: bundles are compared without records that need it");
    }
    let mut failed = 0;
    for seed in (seed..).take(usize::try_from(count)?) {
        let cluster = bundles::cluster(seed, now_ms, with_kcat)?;
        if let Some(found) = bundles::compare(broker, &cluster, tools, counts)? {
            println!("the bundle of seed {seed} differs: {found}");
            failed += 1;
        }
    }
    Ok(failed)
}

/// How many scenarios as commands differ.
fn compare_scripts(
    broker: &mut Broker,
    tools: &Tools,
    scripts: &[Script],
    counts: &mut Counts,
) -> Result<usize> {
    let mut failed = 0;
    for script in scripts {
        let start = Instant::now();
        let found = scripts::compare(broker, script, tools, counts)?;
        let seconds = start.elapsed().as_secs_f64();
        match found {
            Some(found) => {
                println!("{} differs: {found}", script.name);
                failed += 1;
            }
            None => println!("{} as commands: the same, in {seconds:.0} s", script.name),
        }
    }
    Ok(failed)
}

/// Where jars, classes and the broker's data are kept.
fn work_folder(root: &Path) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    target.join("conformance")
}

fn listed(acts: &[Act]) -> String {
    acts.iter().enumerate().map(|(number, act)| format!("  {:>2}  {act}\n", number + 1)).collect()
}

/// The first difference; none where both sides are the same.
fn compare_histories(
    broker: &mut Broker,
    seed: u64,
    acts: &[Act],
    now_ms: i64,
    counts: &mut Counts,
) -> Result<Option<String>> {
    broker.clear()?;
    let told = product::tell(seed, acts, now_ms);
    for (number, (act, ours)) in acts.iter().zip(&told.answers).enumerate() {
        let theirs = broker.ask(&act.request(&told.draws[number]))?;
        let theirs =
            members::broker_answer(act, &theirs).unwrap_or_else(|| broker_answer(act, &theirs));
        if let Some(difference) = difference(ours, &theirs) {
            return Ok(Some(format!("act {}: {difference}", number + 1)));
        }
        counts.add("acts", 1);
        counts.add("refusals", usize::from(ours.get("error").is_some()));
        if let Act::Send { records, .. } = act {
            counts.add("records", records.len());
        }
    }
    if let Some(difference) = compare::state(&told.cluster, broker, now_ms, counts)? {
        return Ok(Some(difference));
    }
    let folder = broker.scratch_folder("export");
    exports::compare(broker, &told.cluster, &folder, counts)
}

/// Leaves out acts, and records of acts, as long as the sides differ; then shows what is left, and
/// keeps the driver's requests as a file.
fn show_minimal(
    broker: &mut Broker,
    seed: u64,
    acts: &[Act],
    now_ms: i64,
    work: &Path,
) -> Result<()> {
    let mut acts = acts.to_vec();
    let mut ignored = Counts::default();
    let Some(mut found) = compare_histories(broker, seed, &acts, now_ms, &mut ignored)? else {
        println!("\nseed {seed} did not differ again");
        return Ok(());
    };
    let (mut tries, start) = (0, Instant::now());
    let mut at = acts.len();
    while at > 0 && tries < MAX_TRIES && start.elapsed() < MAX_TIME {
        at -= 1;
        for smaller in smaller(&acts, at) {
            tries += 1;
            if let Some(difference) =
                compare_histories(broker, seed, &smaller, now_ms, &mut ignored)?
            {
                (acts, found) = (smaller, difference);
                at = at.min(acts.len());
                break;
            }
        }
    }
    println!("\nseed {seed}, made small:\n{}  {found}", listed(&acts));
    let told = product::tell(seed, &acts, now_ms);
    let requests: Vec<String> =
        acts.iter().zip(&told.draws).map(|(act, draws)| act.request(draws).to_string()).collect();
    let path = work.join(format!("minimal-{seed}.ndjson"));
    std::fs::write(&path, requests.join("\n") + "\n")?;
    println!("  the driver's requests are in {}", path.display());
    Ok(())
}

/// How many smaller histories are tried.
const MAX_TRIES: usize = 150;

/// For how long: one try may wait for a batch to expire.
const MAX_TIME: Duration = Duration::from_secs(180);

/// The history without an act, or with fewer records in it.
fn smaller(acts: &[Act], at: usize) -> Vec<Vec<Act>> {
    let mut without = acts.to_vec();
    without.remove(at);
    let mut all = vec![without];
    if let Act::Send { records, .. } = &acts[at] {
        let half = records.len() / 2;
        for kept in [&records[..half], &records[half..]] {
            // A send of one is another act: see `Act::command`.
            if kept.len() > 1 {
                let mut fewer = acts.to_vec();
                if let Act::Send { records, .. } = &mut fewer[at] {
                    let numbered = kept.iter().cloned().enumerate().map(|(number, mut record)| {
                        if let Some(tag) = record.headers.last_mut() {
                            tag.value = Some(number.to_string().as_str().into());
                        }
                        record
                    });
                    *records = numbered.collect();
                }
                all.push(fewer);
            }
        }
    }
    all
}
