//! `cargo xtask bench`: measurements that print ratios. No test times anything; this does.
//!
//! Native ones are the files of benches/. Those in a browser are listed in
//! tests/bench/measures/index.js and run by tests/bench/run.js.

use anyhow::Result;
use clap::ValueEnum;
use xshell::cmd;

use crate::tools::{self, execute};
use crate::{build, setup};

#[derive(clap::Args)]
pub struct Options {
    /// Run these alone
    #[arg(long, value_enum)]
    only: Option<Where>,
    /// Run the measurements whose name contains this
    filter: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Where {
    Native,
    Browser,
}

pub fn run(options: &Options) -> Result<()> {
    if options.only != Some(Where::Browser) {
        native(options)?;
    }
    if options.only != Some(Where::Native) {
        browser(options)?;
    }
    Ok(())
}

fn native(options: &Options) -> Result<()> {
    let shell = tools::shell()?;
    let benches = tools::root().join("benches");
    let any = benches.read_dir().is_ok_and(|mut files| {
        files.any(|file| file.is_ok_and(|file| tools::has_extension(&file.path(), ["rs"])))
    });
    if !any {
        return Ok(());
    }
    println!("\n=== native");
    let filter = &options.filter;
    let all = "*";
    execute(
        cmd!(shell, "cargo bench --bench {all} -- {filter...}"),
        "read the message above; each file of benches/ runs alone by `cargo bench --bench NAME`",
    )
}

fn browser(options: &Options) -> Result<()> {
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
