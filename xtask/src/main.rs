//! The project's own commands: `cargo xtask serve | build | test | bench | conformance`.
//!
//! Every command sets up what it needs. This file is the table of contents; each command has a
//! file of its own, and what they share is in [`tools`] (programs on this machine), [`setup`]
//! (getting what is missing) and [`sizes`] (what the page weighs).

mod bench;
mod build;
mod conformance;
mod lessons;
mod serve;
mod setup;
mod sizes;
mod split;
mod tally;
mod test;
mod tools;
mod wasm_bindgen;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about = "Loglanes's own commands")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the wasm package and serve the page on this machine
    Serve(serve::Options),
    /// Build the wasm package into www/pkg and say what the page weighs
    Build(build::Options),
    /// Run every test: formatting, lints, native, wasm in a browser, types, the page
    Test(test::Options),
    /// Run the benchmarks, in a browser
    Bench(bench::Options),
    /// Compare with a real Apache Kafka broker; needs Java 17 and Maven
    #[command(disable_help_flag = true)]
    Conformance(conformance::Options),
    /// What cargo runs a wasm test file with; see .cargo/config.toml
    #[command(hide = true, disable_help_flag = true)]
    WasmTestRunner(wasm_bindgen::RunnerOptions),
}

fn main() -> ExitCode {
    if let Some(result) = wasm_bindgen::run_as_its_tool() {
        return exit_code(result);
    }
    exit_code(match Cli::parse().command {
        Command::Serve(options) => serve::run(&options),
        Command::Build(options) => build::run(&options),
        Command::Test(options) => test::run(&options),
        Command::Bench(options) => bench::run(&options),
        Command::Conformance(options) => conformance::run(&options),
        Command::WasmTestRunner(options) => wasm_bindgen::run_tests(options),
    })
}

fn exit_code(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
