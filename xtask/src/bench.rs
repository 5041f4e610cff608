//! `cargo xtask bench`: measurements that print ratios. No test times anything; this does.
//!
//! They run in Chromium, where the page does; tests/bench/measures/index.js lists them and
//! tests/bench/run.js runs them.

use anyhow::Result;
use xshell::cmd;

use crate::tools::{self, execute};
use crate::{build, setup};

#[derive(clap::Args)]
pub struct Options {
    /// Run the measurements whose name contains this
    filter: Option<String>,
}

pub fn run(options: &Options) -> Result<()> {
    println!("\n=== in Chromium");
    let shell = tools::shell()?;
    build::package(&shell, true)?;
    setup::npm_packages(&shell)?;
    let chromium = setup::chromium()?;
    let filter = &options.filter;
    execute(
        cmd!(shell, "node tests/bench/run.js {filter...}")
            .env("LOGLANES_CHROMIUM", chromium)
            .env("LOGLANES_XTASK", std::env::current_exe()?),
        "read the message above",
    )
}
