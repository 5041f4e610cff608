//! Programs on this machine: where they are, and running them with a word on what to do when
//! they fail.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use xshell::{Cmd, Shell};

/// The root of the repository.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// A shell at the root of the repository.
pub fn shell() -> Result<Shell> {
    let shell = Shell::new()?;
    shell.change_dir(root());
    Ok(shell)
}

/// The first of these programs that is on the PATH.
pub fn find<const N: usize>(names: [&str; N]) -> Option<PathBuf> {
    names.iter().find_map(|name| which::which(name).ok())
}

/// Runs a command and shows its output; `advice` says what to do when it fails.
pub fn execute(command: Cmd<'_>, advice: &str) -> Result<()> {
    let text = command.to_string();
    command.quiet().run().map_err(|error| failure(&text, &error.to_string(), advice))
}

/// What is said when an outside program fails.
pub fn failure(command: &str, error: &str, advice: &str) -> anyhow::Error {
    // xshell repeats the command in its own text; once is enough.
    let error = error.replace(&format!(" `{command}`"), "");
    anyhow!("`{command}` failed: {error}\n  what to do: {advice}")
}

/// Whether a command runs and succeeds; its output is not shown.
pub fn succeeds(command: Cmd<'_>) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

/// Where cargo puts what it builds.
pub fn target_directory(shell: &Shell) -> Result<PathBuf> {
    let json = xshell::cmd!(shell, "cargo metadata --no-deps --format-version 1")
        .quiet()
        .read()
        .context("cargo could not read the workspace; is Cargo.toml in order?")?;
    let metadata: serde_json::Value = serde_json::from_str(&json)?;
    let directory = metadata["target_directory"].as_str();
    Ok(directory.context("`cargo metadata` names no target_directory")?.into())
}

/// Whether a file's extension is one of these.
pub fn has_extension<const N: usize>(path: &Path, extensions: [&str; N]) -> bool {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    extensions.contains(&extension)
}
