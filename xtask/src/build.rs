//! `cargo xtask build`: the wasm package in www/pkg, the index of the lessons, and what the page
//! weighs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools::{self, execute};
use crate::{lessons, setup, sizes, split, wasm_bindgen};

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
    // For `split`: every reference, and the names by which functions are found again.
    let link = ["link-arg=--emit-relocs", "link-arg=--no-demangle"];
    let link = link.into_iter().flat_map(|argument| ["-C", argument]);
    execute(
        cmd!(
            shell,
            "cargo rustc --lib --crate-type cdylib --target {wasm} {profile...} -- {link...}"
        ),
        "read the compiler's message above; `cargo check --target wasm32-unknown-unknown` is the \
         quickest way to see it again",
    )?;
    let folder = if release { "release" } else { "debug" };
    let built = tools::target_directory(shell)?.join(wasm).join(folder).join("loglanes.wasm");

    let out = wasm_bindgen::package_directory();
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    engine(&built, &out, release)
}

/// Turns the linked module into the page's package: the whole engine, for whoever imports it, and its
/// parts, which the page loads one after the other. A build for development is not cut: then the first part
/// is all of it, and the others are empty modules.
fn engine(built: &Path, out: &Path, release: bool) -> Result<()> {
    let linked = fs::read(built).with_context(|| format!("cannot read {}", built.display()))?;
    fs::create_dir_all(out)?;
    let plain = out.join("linked.wasm");
    fs::write(&plain, split::without_linking(&linked)?)?;
    wasm_bindgen::package(&plain, out)?;
    fs::remove_file(&plain)?;

    // What its comments say is in loglanes.d.ts.
    let script = out.join("loglanes.js");
    let text =
        fs::read_to_string(&script).with_context(|| format!("cannot read {}", script.display()))?;
    fs::write(&script, without_doc_comments(&text))?;

    let whole = out.join("loglanes_bg.wasm");
    let bound = fs::read(&whole).with_context(|| format!("cannot read {}", whole.display()))?;
    let parts = if release {
        fs::write(&whole, split::without_names(&bound)?)?;
        split::split(&linked, &bound).context("the engine cannot be cut")?
    } else {
        vec![bound, split::EMPTY.to_vec(), split::EMPTY.to_vec()]
    };
    for (name, part) in split::PARTS.iter().zip(parts) {
        fs::write(out.join(name).with_extension("wasm"), part)?;
    }
    Ok(())
}

/// A script without the comments that fill lines of their own from `/**` to `*/`, as wasm-bindgen writes them.
fn without_doc_comments(script: &str) -> String {
    let mut inside = false;
    let code = script.split_inclusive('\n').filter(|line| {
        let line = line.trim();
        let begins = !inside && line.starts_with("/**");
        let is_comment = inside || begins;
        inside = is_comment && !line.ends_with("*/");
        !is_comment
    });
    code.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_comments_of_whole_lines_are_left_out() {
        let script = "/** One. */\nlet a = 1; /** Two. */\n  /**\n   * Three.\n   */\n  b();\n";
        assert_eq!(without_doc_comments(script), "let a = 1; /** Two. */\n  b();\n");
    }
}
