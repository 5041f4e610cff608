//! `cargo xtask test`: every test there is, in order, each under a heading, and the sum at the end.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};
use clap::ValueEnum;
use xshell::{Cmd, Shell, cmd};

use crate::tally::Tally;
use crate::tools::{self, execute, failure, find};
use crate::{build, setup, wasm_bindgen};

#[derive(clap::Args)]
pub struct Options {
    /// Run these stages alone
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Stage>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// Formatting
    Fmt,
    /// Lints, for this machine and for wasm
    Clippy,
    /// The core, natively, examples included
    Native,
    /// The boundary, in headless Chromium
    Wasm,
    /// The JSDoc types of www/ and tests/, by TypeScript
    Types,
    /// The page, in headless Chromium
    Page,
    /// The same wasm tests by wasm-pack; only when asked for
    Pack,
}

impl Stage {
    /// All that a plain `cargo xtask test` runs. wasm-pack is left to those who have it.
    const ALL: [Self; 6] =
        [Self::Fmt, Self::Clippy, Self::Native, Self::Wasm, Self::Types, Self::Page];

    fn name(self) -> &'static str {
        match self {
            Self::Fmt => "fmt",
            Self::Clippy => "clippy",
            Self::Native => "native",
            Self::Wasm => "wasm",
            Self::Types => "types",
            Self::Page => "page",
            Self::Pack => "pack",
        }
    }

    fn run(self, bench: &mut Bench) -> Result<Outcome> {
        match self {
            Self::Fmt => bench.fmt(),
            Self::Clippy => bench.clippy(),
            Self::Native => bench.native(),
            Self::Wasm => bench.wasm(),
            Self::Types => bench.types(),
            Self::Page => bench.page(),
            Self::Pack => bench.pack(),
        }
    }
}

/// What a stage found: the count and the runners' own closing lines.
#[derive(Default)]
struct Outcome {
    tally: Tally,
    closing_lines: Vec<String>,
}

impl Outcome {
    fn check(passed: bool) -> Self {
        Self { tally: Tally::one(passed), closing_lines: Vec::new() }
    }
}

pub fn run(options: &Options) -> Result<()> {
    let stages = if options.only.is_empty() { Stage::ALL.to_vec() } else { options.only.clone() };
    let mut bench = Bench { shell: tools::shell()?, built: false };
    let mut results = Vec::new();
    for stage in stages {
        println!("\n=== {}", stage.name());
        let start = Instant::now();
        let outcome = stage.run(&mut bench).unwrap_or_else(|error| {
            println!("error: {error:#}");
            Outcome::check(false)
        });
        results.push((stage, outcome, start.elapsed()));
    }

    println!("\n=== summary");
    let mut total = Tally::default();
    for (stage, outcome, time) in results {
        for line in &outcome.closing_lines {
            println!("{line}");
        }
        println!("{}: {} ({:.1} s)", stage.name(), outcome.tally, time.as_secs_f64());
        total += outcome.tally;
    }
    println!("{total}");
    if total.failed > 0 { bail!("{} failed", total.failed) } else { Ok(()) }
}

/// What the stages share.
struct Bench {
    shell: Shell,
    built: bool,
}

impl Bench {
    fn fmt(&mut self) -> Result<Outcome> {
        let shell = &self.shell;
        setup::component(shell, "rustfmt", "fmt")?;
        execute(cmd!(shell, "cargo fmt --all --check"), "run `cargo fmt --all`")?;
        Ok(Outcome::check(true))
    }

    fn clippy(&mut self) -> Result<Outcome> {
        let shell = &self.shell;
        setup::component(shell, "clippy", "clippy")?;
        setup::wasm_target(shell)?;
        let advice = "read the lints above; each names its own page of explanation";
        execute(cmd!(shell, "cargo clippy --workspace --all-targets -- -D warnings"), advice)?;
        let wasm = setup::WASM;
        execute(
            cmd!(shell, "cargo clippy --all-targets --target {wasm} -- -D warnings"),
            "read the lints above; a test that needs a native crate or a file begins with \
             `#![cfg(not(target_arch = \"wasm32\"))]`",
        )?;
        Ok(Outcome { tally: Tally { passed: 2, failed: 0 }, closing_lines: Vec::new() })
    }

    fn native(&mut self) -> Result<Outcome> {
        counted(cmd!(self.shell, "cargo test --workspace --no-fail-fast"))
    }

    fn wasm(&mut self) -> Result<Outcome> {
        let shell = &self.shell;
        setup::wasm_target(shell)?;
        setup::chromium()?;
        let driver = setup::chromedriver()?;
        let wasm = setup::WASM;
        let mut tests = cmd!(shell, "cargo test --target {wasm} --test web --test golden");
        // The runner is this very program, so that cargo need not be started inside cargo. Cargo
        // cuts the variable at spaces; a path with one is left to the runner of .cargo/config.toml.
        let runner = format!("{} wasm-test-runner", std::env::current_exe()?.display());
        if runner.split_whitespace().count() == 2 {
            tests = tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner);
        }
        counted(tests.env("CHROMEDRIVER", driver))
    }

    fn types(&mut self) -> Result<Outcome> {
        self.package()?;
        let shell = &self.shell;
        setup::npm_packages(shell)?;
        let advice = "read the messages above; the types are the JSDoc comments of that file";
        execute(cmd!(shell, "npx --no-install tsc --project tsconfig.json"), advice)?;
        execute(cmd!(shell, "npx --no-install tsc --project tests/tsconfig.json"), advice)?;
        Ok(Outcome { tally: Tally { passed: 2, failed: 0 }, closing_lines: Vec::new() })
    }

    fn page(&mut self) -> Result<Outcome> {
        self.package()?;
        let shell = &self.shell;
        setup::npm_packages(shell)?;
        let chromium = setup::chromium()?;
        counted(
            cmd!(shell, "npx --no-install playwright test")
                .env("LOGLANES_CHROMIUM", chromium)
                .env("LOGLANES_XTASK", std::env::current_exe()?),
        )
    }

    fn pack(&mut self) -> Result<Outcome> {
        let shell = &self.shell;
        if find(["wasm-pack"]).is_none() {
            bail!("wasm-pack is not on the PATH\n  what to do: `cargo install wasm-pack --locked`");
        }
        setup::wasm_target(shell)?;
        setup::chromium()?;
        let driver = setup::chromedriver()?;
        let mut path: Vec<PathBuf> =
            vec![wasm_bindgen::tools_for_wasm_pack(&tools::target_directory(shell)?)?];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
        counted(
            cmd!(shell, "wasm-pack test --headless --chrome --mode no-install")
                .arg("--chromedriver")
                .arg(driver)
                .env("PATH", std::env::join_paths(path)?),
        )
    }

    /// The wasm package that the page loads, once a run.
    fn package(&mut self) -> Result<()> {
        if !self.built {
            build::package(&self.shell, true)?;
            self.built = true;
        }
        Ok(())
    }
}

/// Runs a test runner, shows its output and counts from its closing lines.
fn counted(command: Cmd<'_>) -> Result<Outcome> {
    let text = command.to_string();
    let mut child = Command::from(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| failure(&text, &error.to_string(), "install that program"))?;
    let mut outcome = Outcome::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            println!("{line}");
            if let Some(tally) = Tally::of_line(&line) {
                outcome.tally += tally;
                outcome.closing_lines.push(line);
            }
        }
    }
    if !child.wait()?.success() && outcome.tally.failed == 0 {
        // It fell before it could count: a file that does not compile, a browser that is not there.
        println!("error: `{text}` failed before its tests ended; its messages are above");
        outcome.tally.failed = 1;
    }
    Ok(outcome)
}
