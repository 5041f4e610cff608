//! Getting what is missing: the wasm target, the npm packages, the browser. Each of these says
//! nothing when all is there, and says exactly what to install when it cannot do so itself.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use xshell::{Shell, cmd};

use crate::tools::{self, execute, find, succeeds};

/// The target triple of the page.
pub const WASM: &str = "wasm32-unknown-unknown";

/// The oldest Node.js that the tests of the page run on; package.json says the same.
const NODE: u32 = 20;

/// The wasm target's standard library.
pub fn wasm_target(shell: &Shell) -> Result<()> {
    let libraries = cmd!(shell, "rustc --print target-libdir --target {WASM}")
        .quiet()
        .read()
        .context("rustc does not run; install Rust from https://rustup.rs")?;
    if Path::new(&libraries).is_dir() {
        return Ok(());
    }
    let advice = "install the standard library of wasm32-unknown-unknown for your Rust: with \
                  rustup, or your distribution's package (Debian: libstd-rust-dev-wasm32)";
    if find(["rustup"]).is_none() {
        bail!("the wasm target is missing and rustup is not on the PATH\n  what to do: {advice}");
    }
    println!("Installing the {WASM} target");
    execute(cmd!(shell, "rustup target add {WASM}"), advice)
}

/// The rustfmt or clippy of this toolchain.
pub fn component(shell: &Shell, component: &str, subcommand: &str) -> Result<()> {
    if succeeds(cmd!(shell, "cargo {subcommand} --version")) {
        return Ok(());
    }
    let advice = format!("install {component}, for instance `rustup component add {component}`");
    println!("Installing {component}");
    execute(cmd!(shell, "rustup component add {component}"), &advice)
}

/// The npm packages of package-lock.json, exactly.
pub fn npm_packages(shell: &Shell) -> Result<()> {
    let advice = "install Node.js 20 or newer with npm (https://nodejs.org), then run `npm ci`";
    if find(["node"]).is_none() || find(["npm"]).is_none() {
        bail!("the page's tests need Node.js and npm\n  what to do: {advice}");
    }
    let version = cmd!(shell, "node --version").quiet().read()?;
    if major(&version).is_none_or(|major| major < NODE) {
        bail!(
            "the page's tests need Node.js {NODE}, and here it is {version}\n  what to do: {advice}"
        );
    }
    let root = tools::root();
    let installed = modified(&root.join("node_modules/.package-lock.json"));
    let wanted = modified(&root.join("package-lock.json"));
    if installed.is_some() && installed >= wanted {
        return Ok(());
    }
    println!("Installing the npm packages");
    execute(cmd!(shell, "npm ci --no-audit --no-fund"), advice)
}

/// The major version in what `node --version` prints, such as `v20.19.2`.
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

/// Chromium, for the page's tests. `LOGLANES_CHROMIUM` names another one.
pub fn chromium() -> Result<PathBuf> {
    program("LOGLANES_CHROMIUM", ["chromium", "chromium-browser", "google-chrome", "chrome"])
}

/// ChromeDriver, for the wasm tests. `CHROMEDRIVER` names another one.
pub fn chromedriver() -> Result<PathBuf> {
    program("CHROMEDRIVER", ["chromedriver"])
}

fn program<const N: usize>(variable: &str, names: [&str; N]) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(variable) {
        return Ok(path.into());
    }
    if let Some(path) = find(names) {
        return Ok(path);
    }
    let name = names[0];
    if cfg!(target_os = "linux") && is_root() && find(["apt-get"]).is_some() {
        install_with_apt()?;
        if let Some(path) = find(names) {
            return Ok(path);
        }
    }
    bail!(
        "{name} is not on the PATH\n  what to do: install Chromium and the ChromeDriver of the \
         same version (Debian, Ubuntu: `apt-get install chromium chromium-driver`), or name it in \
         {variable}"
    )
}

fn is_root() -> bool {
    let shell = tools::shell();
    shell.is_ok_and(|shell| cmd!(shell, "id -u").quiet().read().is_ok_and(|id| id == "0"))
}

/// Debian's Chromium and ChromeDriver come in step. Its fonts are only recommended packages.
fn install_with_apt() -> Result<()> {
    println!("Installing Chromium and ChromeDriver");
    let shell = tools::shell()?;
    shell.set_var("DEBIAN_FRONTEND", "noninteractive");
    let advice = "run `apt-get update && apt-get install chromium chromium-driver` and see why";
    execute(cmd!(shell, "apt-get update -qq"), advice)?;
    let packages = ["chromium", "chromium-driver", "fonts-dejavu-core", "fonts-liberation"];
    execute(cmd!(shell, "apt-get install -qq -y --no-install-recommends {packages...}"), advice)
}

#[cfg(test)]
mod tests {
    use super::major;

    #[test]
    fn the_version_of_node_is_read_as_it_prints_it() {
        assert_eq!(major("v20.19.2\n"), Some(20));
        assert_eq!(major("v8.0.0"), Some(8));
        assert_eq!(major("20.1.0"), None);
        assert_eq!(major(""), None);
    }
}
