//! What a real Apache Kafka 4.4.0 broker, its clients and tools answered, against ours.
//!
//! The answers are in `tests/golden`, a README in each folder; a module of `tests/answers` reads each
//! folder. `LOGLANES_GOLDEN` names another folder of the same form: what is there is compared, file by
//! file, and what is not is told. The run prints how many lines of each file were compared, left out
//! (with the reason of each kind) and found different: `cargo test --test golden -- --nocapture`.
//!
//! In a browser there are no files: a good share of the folders is built into the test there.

mod answers;
#[path = "support/files.rs"]
mod files;
#[path = "support/recorded.rs"]
mod recorded;
#[cfg(not(target_arch = "wasm32"))]
#[path = "support/reload.rs"]
mod reload;

/// A folder that is named wrongly would compare nothing, and pass.
#[cfg(not(target_arch = "wasm32"))]
#[test]
fn there_are_answers_to_compare_with() {
    let folders = ["cleaning", "cli", "errors", "groups", "kcat", "placement", "segments"];
    let folder = recorded::folder();
    assert!(folders.iter().any(|name| folder.join(name).is_dir()), "{}", folder.display());
}
