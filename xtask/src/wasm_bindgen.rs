//! wasm-bindgen as a library: turning a wasm file into a package for the page, and running wasm
//! tests in a browser.
//!
//! The library comes through Cargo.lock, in step with the `wasm-bindgen` crate, so nobody has to
//! install a tool of the right version.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};

use crate::{setup, tools};

/// What cargo hands to a runner: the wasm file, then the options of `cargo test -- ...`.
#[derive(clap::Args)]
pub struct RunnerOptions {
    /// The wasm test file and the test harness's own options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Turns `input` into an ES module for browsers, with TypeScript declarations, in `out`. Functions keep
/// their linker's names.
pub fn package(input: &Path, out: &Path) -> Result<()> {
    let mut arguments: Vec<OsString> =
        ["wasm-bindgen", "--target", "web", "--out-name", "loglanes"].map(OsString::from).to_vec();
    arguments.extend(["--ts-typed-array-buffers", "--no-demangle"].map(OsString::from));
    arguments.push("--out-dir".into());
    arguments.push(out.into());
    arguments.push(input.into());
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments)
        .with_context(|| format!("wasm-bindgen cannot read {}", input.display()))
}

/// Runs one wasm test file, in headless Chromium when it asks for a browser.
pub fn run_tests(options: RunnerOptions) -> Result<()> {
    if std::env::var_os("CHROMEDRIVER").is_none() {
        // The runner would take a geckodriver first; these tests are written for Chromium.
        let driver = setup::chromedriver()?;
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command.arg("wasm-test-runner").args(options.arguments).env("CHROMEDRIVER", driver);
        let status = command.status()?;
        return if status.success() { Ok(()) } else { Err(anyhow!("the wasm tests failed")) };
    }
    let mut arguments = vec![OsString::from("wasm-bindgen-test-runner")];
    arguments.extend(options.arguments);
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments)
}

/// When this program was started under the name of one of wasm-bindgen's tools, does what that
/// tool does. So wasm-pack, which looks for them by name, finds the right version in the folder
/// that [`tools_for_wasm_pack`] makes.
pub fn run_as_its_tool() -> Option<Result<()>> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let name = Path::new(arguments.first()?).file_stem()?.to_str()?.to_owned();
    match name.as_str() {
        "wasm-bindgen" => Some(wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments)),
        "wasm-bindgen-test-runner" => {
            Some(wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments))
        }
        _ => None,
    }
}

/// A folder that holds this program under the names of wasm-bindgen's tools.
pub fn tools_for_wasm_pack(target: &Path) -> Result<PathBuf> {
    let folder = target.join("wasm-bindgen-tools");
    fs::create_dir_all(&folder)?;
    let this = std::env::current_exe()?;
    for name in ["wasm-bindgen", "wasm-bindgen-test-runner"] {
        let tool = folder.join(name).with_extension(std::env::consts::EXE_EXTENSION);
        if tool.exists() {
            fs::remove_file(&tool)?;
        }
        fs::copy(&this, &tool).with_context(|| format!("cannot write {}", tool.display()))?;
    }
    Ok(folder)
}

/// The folder of the page's wasm package.
pub fn package_directory() -> PathBuf {
    tools::root().join("www").join("pkg")
}
