//! docs/conformance.md: what the last full run has compared.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use crate::broker::Broker;
use crate::compare::Counts;

/// Between this line and the end stands the result of the last run; above it, what is compared.
const RESULT: &str = "## The last full run\n";

/// Writes the result into the page.
pub fn write(
    root: &Path,
    broker: &Broker,
    seed: u64,
    counts: &Counts,
    failed: usize,
) -> Result<()> {
    let path = root.join("docs/conformance.md");
    let page = std::fs::read_to_string(&path).context("docs/conformance.md is not there")?;
    let above = page.split(RESULT).next().unwrap_or_default();
    let mut page = format!("{above}{RESULT}\n");
    writeln!(page, "| | |\n|---|---|")?;
    writeln!(page, "| date | {} |", broker.date)?;
    writeln!(page, "| broker | Apache Kafka {} |", broker.version)?;
    writeln!(page, "| seed of the first history | {seed} |")?;
    for (what, count) in &counts.0 {
        writeln!(page, "| {what} compared | {count} |")?;
    }
    writeln!(page, "| **histories, bundles and scripts that differ** | **{failed}** |")?;
    std::fs::write(&path, page)?;
    println!("docs/conformance.md has the result");
    Ok(())
}
