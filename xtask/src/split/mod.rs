//! The engine in three modules: what the empty first screen needs, all acts, and the rest. The page fetches
//! one after the other, and has shown the first screen when the first is there.
//!
//! The source knows nothing of it. [`FIRST`] and [`REST`] name exports of the boundary; all that only
//! exports of the rest reach is in the rest, code and constants alike, and so on. What reaches what is not
//! guessed: the linker writes down every reference (`--emit-relocs`), the addresses of functions in tables
//! included, and [`graph`] follows them as the linker does when it drops what nobody uses. So nothing that a
//! module does can ever lead into one that is not there yet; only the exports themselves can, and the page
//! refuses to call these too early: see `www/wasm-module.js`.
//!
//! All share one memory and one table, so what crosses between them is plain calls; see [`cut`].

mod cut;
mod graph;

use std::collections::HashSet;

use anyhow::{Context, Result, ensure};

/// The modules in the order in which they come.
pub const PARTS: [&str; 3] = ["first", "acts", "rest"];

/// The exports that the first screen of somebody new calls. What is behind an export that is in neither
/// list is in the second module.
const FIRST: &[&str] = &[
    "loglanes_new",
    "loglanes_view",
    "loglanes_partitioners",
    "restorer_new",
    // What wasm-bindgen's script calls by itself.
    "start",
    "__wbg_loglanes_free",
    "__wbg_restorer_free",
    "__wbg_scenarioplayer_free",
];

/// The exports that are in the last module: class and method, or a function.
const REST: &[&str] = &[
    // Files and scenarios.
    "loglanes_inspect",
    "loglanes_preview",
    "loglanes_beginImport",
    "loglanes_feed",
    "loglanes_end",
    "loglanes_beginGenerate",
    "loglanes_step",
    "loglanes_finish",
    "loglanes_cancel",
    "loglanes_logPlan",
    "loglanes_copyLog",
    "loglanes_bundle",
    "loglanes_beginExport",
    "loglanes_exportNext",
    "loglanes_exportProgress",
    "loglanes_loadScenario",
    "loglanes_check",
    "loglanes_historyText",
    "readScenario",
    "scenarioCommands",
    "scenarioplayer_new",
    "scenarioplayer_step",
    "scenarioplayer_solve",
    "scenarioplayer_now",
    "scenarioplayer_take",
    // What is saved, and read again.
    "loglanes_changes",
    "loglanes_saved",
    "loglanes_exportChunk",
    "restorer_add",
    "restorer_feedFile",
    "restorer_finish",
    // Questions of panels that are not on the first screen.
    "loglanes_toolText",
    "loglanes_resetPlan",
    "loglanes_keys",
    "loglanes_whatIf",
    "loglanes_splitKeys",
    // Not called by the page.
    "loglanes_produceMany",
    "loglanes_fetch",
];

/// The module that has nothing.
pub const EMPTY: [u8; 8] = *b"\0asm\x01\0\0\0";

/// A linked module without what the linker wrote down for [`split`].
pub fn without_linking(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut out = EMPTY.to_vec();
    for payload in wasmparser::Parser::new(0).parse_all(wasm) {
        let payload = payload.context("the linked module cannot be read")?;
        if let wasmparser::Payload::CustomSection(section) = &payload
            && (section.name() == "linking" || section.name().starts_with("reloc."))
        {
            continue;
        }
        if let Some((id, range)) = payload.as_section() {
            out.push(id);
            let length = range.len() as u32;
            out.extend(leb128(length));
            out.extend(&wasm[range]);
        }
    }
    Ok(out)
}

/// A number as WebAssembly writes the length of a section.
fn leb128(mut number: u32) -> Vec<u8> {
    let mut out = Vec::new();
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
    out
}

/// A module without the names of its functions.
pub fn without_names(wasm: &[u8]) -> Result<Vec<u8>> {
    Ok(cut::config().parse(wasm)?.emit_wasm())
}

/// Cuts a module in [`PARTS`]. `linked` is what the linker made, with its relocations; `bound` the same
/// after wasm-bindgen, with the names of its functions.
///
/// # Errors
/// A module that is not as the linker and wasm-bindgen make them, and a name in [`FIRST`] or [`REST`] that
/// is no export.
pub fn split(linked: &[u8], bound: &[u8]) -> Result<Vec<Vec<u8>>> {
    let graph = graph::Graph::read(linked)?;
    let (mut first, mut acts, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut unknown: HashSet<&str> = FIRST.iter().chain(REST).copied().collect();
    // wasm-bindgen names the functions that it exports after their exports.
    let (mut of_acts, mut of_rest) = (HashSet::new(), HashSet::new());
    for (name, function) in graph.exports() {
        let name = plain(name);
        unknown.remove(name);
        all.push(function);
        if REST.contains(&name) {
            of_rest.insert(name.to_owned());
            continue;
        }
        acts.push(function);
        if FIRST.contains(&name) || name.starts_with("__") {
            first.push(function);
        } else {
            of_acts.insert(name.to_owned());
        }
    }
    ensure!(unknown.is_empty(), "these are no exports of the engine: {unknown:?}");
    let (first, acts, all) = (graph.reached(first), graph.reached(acts), graph.reached(all));
    let mut later = [graph.difference(&acts, &first), graph.difference(&all, &acts)];
    later[0].functions.extend(of_acts);
    later[1].functions.extend(of_rest);
    cut::cut(bound, &PARTS, &later)
}

/// An export's name without the hash that wasm-bindgen's macro puts behind it.
fn plain(name: &str) -> &str {
    match name.rsplit_once('_') {
        Some((plain, hash)) if hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()) => {
            plain
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_linker_wrote_down_is_left_out() {
        let mut wasm = EMPTY.to_vec();
        wasm.extend(b"\0\x0a\x07linking\x02\x01");
        wasm.extend(b"\0\x06\x04kept\x05");
        let mut left = EMPTY.to_vec();
        left.extend(b"\0\x06\x04kept\x05");
        assert_eq!(without_linking(&wasm).unwrap(), left);
        assert_eq!(leb128(300), [0xac, 2]);
    }

    #[test]
    fn the_hash_of_an_export_is_no_part_of_its_name() {
        assert_eq!(plain("loglanes_copyLog_50cafadb9b99f6ae"), "loglanes_copyLog");
        assert_eq!(plain("__wbindgen_malloc"), "__wbindgen_malloc");
    }
}
