//! `cargo xtask build`: the wasm package in www/pkg, and what the page weighs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools::{self, execute, find};
use crate::{setup, sizes, wasm_bindgen};

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

/// Builds the wasm package into www/pkg.
pub fn package(shell: &Shell, release: bool) -> Result<()> {
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
    wasm_bindgen::package(&built, &out, release)?;
    if release {
        optimise(shell, &out.join("loglanes_bg.wasm"))?;
    }
    Ok(())
}

/// Runs Binaryen's wasm-opt when this machine has it. It makes the module smaller and is not
/// needed: without it, or should it not know a feature that rustc uses, the module stays as is.
fn optimise(shell: &Shell, module: &Path) -> Result<()> {
    if find(["wasm-opt"]).is_none() {
        println!("wasm-opt is not on the PATH: the module stays as rustc made it");
        return Ok(());
    }
    let smaller = module.with_extension("opt");
    let optimised = cmd!(shell, "wasm-opt -O3 {module} --output {smaller}").quiet().run();
    match optimised {
        Ok(()) => fs::rename(&smaller, module)?,
        Err(error) => println!("wasm-opt failed, so the module stays as rustc made it: {error}"),
    }
    Ok(())
}
