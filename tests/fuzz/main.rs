//! Every decoder of bytes from outside, under bytes that nobody meant.
//!
//! Each target begins with the files of its folder in tests/corpus, which a person can read and
//! add to, and changes them at random: [`mutate`] from a seed, so that a run can be repeated. No
//! input may bring a panic or more memory than [`MEMORY`] allows; what is taken must come back the
//! same where it is written out again. A plain `cargo test` does a short run. A long one:
//!
//! ```sh
//! LOGLANES_FUZZ_ROUNDS=1000000 LOGLANES_FUZZ_SEED=7 cargo test --release --test fuzz files
//! ```
//!
//! An input that fails is kept in target/fuzz; put it into the folder of the corpus, so that every
//! later run tries it first.
#![cfg(not(target_arch = "wasm32"))]

mod acts;
mod files;
mod logs;
mod mutate;
mod texts;

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use mutate::Mutator;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// One target at a time: memory is counted for the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// How many changed inputs a target tries in a plain test run.
const ROUNDS: u64 = 400;

/// How much memory an input may take, in bytes: this, and [`MEMORY_FACTOR`] times its size.
const MEMORY: usize = 96 << 20;

const MEMORY_FACTOR: usize = 1_100;

/// The longest input.
const MAX_INPUT: usize = 256 << 10;

/// Tries a target with its corpus, then with what becomes of it.
fn fuzz(name: &str, target: impl Fn(&[u8])) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let corpus = corpus(name);
    assert!(!corpus.is_empty(), "tests/corpus/{name} is empty");
    for input in &corpus {
        attempt(name, input, &target);
    }
    let mut mutator = Mutator::new(number("LOGLANES_FUZZ_SEED", 1));
    for _ in 0..number("LOGLANES_FUZZ_ROUNDS", ROUNDS) {
        let input = mutator.input(&corpus, MAX_INPUT);
        attempt(name, &input, &target);
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

fn attempt(name: &str, input: &[u8], target: &impl Fn(&[u8])) {
    let before = ALLOCATED.current_usage();
    ALLOCATED.reset_peak_usage();
    let outcome = catch_unwind(AssertUnwindSafe(|| target(input)));
    let taken = ALLOCATED.peak_usage().saturating_sub(before);
    let allowed = MEMORY + MEMORY_FACTOR * input.len();
    if outcome.is_err() || taken > allowed {
        let kept = keep(name, input);
        println!("the input is kept in {}; it took {taken} bytes of memory", kept.display());
    }
    if let Err(panic) = outcome {
        resume_unwind(panic);
    }
    assert!(taken <= allowed, "{taken} bytes of memory for {} bytes of input", input.len());
}

fn keep(name: &str, input: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/fuzz");
    fs::create_dir_all(&folder).expect("target can be written to");
    let path = folder.join(format!("{name}-{:08x}", loglanes::log::crc32c::checksum(input)));
    fs::write(&path, input).expect("target can be written to");
    path
}

/// The inputs of a target: the files of its folder, in order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    // Segments that a real broker wrote are kept once, for the tests of files.
    let folders = match name {
        "segment" | "recover" => vec![tests.join("corpus/segment"), tests.join("files")],
        _ => vec![tests.join("corpus").join(name)],
    };
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("the corpus can be read")).collect()
}
