//! `cargo xtask build`: the wasm package in www/pkg, the index of the lessons, and what the page
//! weighs.

use std::fs;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools::{self, execute};
use crate::{lessons, setup, sizes, wasm_bindgen};

#[derive(clap::Args)]
pub struct Options {
    /// Build optimised; this is the default
    #[arg(long, conflicts_with = "dev")]
    release: bool,
    /// Build fast and with debug checks
    #[arg(long)]
    dev: bool,
}

pub fn run(options: &Options) -> Result<()> {
    package(&tools::shell()?, !options.dev || options.release)?;
    sizes::print()
}

/// Builds the wasm package into www/pkg, and the index of the lessons.
pub fn package(shell: &Shell, release: bool) -> Result<()> {
    lessons::write_index(&tools::root().join("www/lessons"))?;
    setup::wasm_target(shell)?;
    let wasm = setup::WASM;
    let profile = if release { Some("--release") } else { None };
    execute(
        cmd!(shell, "cargo build --lib --target {wasm} {profile...}"),
        "read the compiler's message above; `cargo check --target wasm32-unknown-unknown` is the \
         quickest way to see it again",
    )?;
    let folder = if release { "release" } else { "debug" };
    let built = tools::target_directory(shell)?.join(wasm).join(folder).join("loglanes.wasm");

    let out = wasm_bindgen::package_directory();
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    wasm_bindgen::package(&built, &out, release)
}
