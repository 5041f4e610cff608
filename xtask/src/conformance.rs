//! `cargo xtask conformance`: a program of its own, in xtask/conformance, because it is built with
//! the core, and these commands must run when the core does not compile.

use anyhow::Result;
use xshell::cmd;

use crate::tools::{self, execute};

#[derive(clap::Args)]
pub struct Options {
    /// See `cargo xtask conformance --help`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let shell = tools::shell()?;
    let arguments = &options.arguments;
    execute(
        cmd!(shell, "cargo run --quiet --package conformance -- {arguments...}"),
        "read the messages above",
    )
}
