//! One module for each folder of recorded answers.

#[cfg(not(target_arch = "wasm32"))]
mod cleaning;
#[cfg(not(target_arch = "wasm32"))]
mod cli;
mod errors;
mod groups;
mod kcat_and_console;
mod placement;
mod segments;
