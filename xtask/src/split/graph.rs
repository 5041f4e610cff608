//! What reaches what in a linked module, from the relocations that the linker leaves in it.
//!
//! A node is a function or a piece of data that has a symbol. See the tool conventions,
//! <https://github.com/WebAssembly/tool-conventions/blob/main/Linking.md>.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use anyhow::{Context, Result, ensure};
use wasmparser::{
    CustomSectionReader, DataKind, ExternalKind, KnownCustom, Linking, Name, Operator, Parser,
    Payload, RelocationEntry, RelocationType, SymbolInfo, TypeRef,
};

/// Functions come first, data after them.
type Node = usize;

/// A module's functions and data, and which of them each refers to.
pub struct Graph {
    names: Vec<String>,
    exports: Vec<(String, Node)>,
    data: Vec<Datum>,
    edges: Vec<Vec<Node>>,
}

/// A piece of data with a symbol.
struct Datum {
    segment: usize,
    /// Within the segment.
    range: Range<usize>,
    address: u32,
}

impl Datum {
    fn place(&self) -> Range<u32> {
        self.address..self.address + self.range.len() as u32
    }
}

/// The ranges that touch none of the others. Both are in order; one symbol may lie within another.
fn without(ranges: &[Range<u32>], others: &[Range<u32>]) -> Vec<Range<u32>> {
    let (mut end, mut next) = (0, 0);
    let mut left = Vec::new();
    for range in ranges {
        while let Some(other) = others.get(next).filter(|other| other.start < range.end) {
            end = other.end.max(end);
            next += 1;
        }
        if end <= range.start && !range.is_empty() {
            left.push(range.clone());
        }
    }
    left
}

/// A part of a module: functions by name, data by address.
pub struct Part {
    /// Mangled names; no two functions have the same.
    pub functions: HashSet<String>,
    /// Addresses of bytes in memory, in order.
    pub data: Vec<Range<u32>>,
}

enum Symbol {
    Function(Node),
    Data(usize),
    Other,
}

/// The sections that relocations are of.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Code,
    Data,
    Other,
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    functions: usize,
    names: HashMap<usize, String>,
    exports: Vec<(String, Node)>,
    /// Where each function that is not imported ends, from the beginning of the code section on.
    bodies: Vec<usize>,
    imported: usize,
    code_start: usize,
    /// Each segment's place in the data section, and its address.
    segments: Vec<(Range<usize>, u32)>,
    symbols: Vec<Symbol>,
    data: Vec<Datum>,
    code_relocations: Vec<RelocationEntry>,
    data_relocations: Vec<RelocationEntry>,
}

impl Graph {
    /// Reads a module that was linked with `--emit-relocs` and `--no-demangle`.
    pub fn read(wasm: &[u8]) -> Result<Self> {
        let mut reader = Reader::default();
        for payload in Parser::new(0).parse_all(wasm) {
            reader.take(payload.context("the linked module cannot be read")?)?;
        }
        reader.finish()
    }

    /// The functions that are called from outside, by the names they are exported under. What
    /// wasm-bindgen asks at build time, and then removes, is left out.
    pub fn exports(&self) -> impl Iterator<Item = (&str, Node)> {
        let exports = self.exports.iter().map(|(name, node)| (name.as_str(), *node));
        exports.filter(|(name, _)| !name.starts_with("__wbindgen_describe"))
    }

    /// All that these functions lead to, for each node whether it is among that.
    pub fn reached(&self, from: Vec<Node>) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut left = from;
        while let Some(node) = left.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                left.extend(&self.edges[node]);
            }
        }
        reached
    }

    /// What is in `all` and not in `first`.
    pub fn difference(&self, all: &[bool], first: &[bool]) -> Part {
        let is_in = |node: usize| all[node] && !first[node];
        let functions = self.names.iter().enumerate().filter(|(node, _)| is_in(*node));
        let functions = functions.map(|(_, name)| name.clone()).collect();
        let places = |is_in: &dyn Fn(Node) -> bool| {
            let data = self.data.iter().enumerate();
            let data = data.filter(|(index, _)| is_in(self.names.len() + index));
            let mut places: Vec<_> = data.map(|(_, datum)| datum.place()).collect();
            places.sort_by_key(|place| place.start);
            places
        };
        let data = without(&places(&is_in), &places(&|node| first[node]));
        Part { functions, data }
    }
}

impl Reader {
    fn take(&mut self, payload: Payload<'_>) -> Result<()> {
        let section = match &payload {
            Payload::CodeSectionStart { .. } => Some(Section::Code),
            Payload::DataSection(_) => Some(Section::Data),
            Payload::CodeSectionEntry(_) | Payload::Version { .. } | Payload::End(_) => None,
            _ => Some(Section::Other),
        };
        self.sections.extend(section);
        match payload {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    self.imported += usize::from(matches!(import?.ty, TypeRef::Func(_)));
                }
                self.functions = self.imported;
            }
            Payload::ExportSection(exports) => {
                for export in exports {
                    let export = export?;
                    if export.kind == ExternalKind::Func {
                        self.exports.push((export.name.to_owned(), export.index as usize));
                    }
                }
            }
            Payload::CodeSectionStart { range, .. } => self.code_start = range.start,
            Payload::CodeSectionEntry(body) => {
                self.bodies.push(body.range().end - self.code_start);
                self.functions += 1;
            }
            Payload::DataSection(segments) => self.take_segments(segments)?,
            Payload::CustomSection(section) => self.take_custom(&section)?,
            _ => {}
        }
        Ok(())
    }

    fn take_segments(&mut self, segments: wasmparser::DataSectionReader<'_>) -> Result<()> {
        let start = segments.range().start;
        for segment in segments {
            let segment = segment?;
            let end = segment.range.end - start;
            let DataKind::Active { offset_expr, .. } = segment.kind else {
                anyhow::bail!("a segment of data has no address")
            };
            let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
                anyhow::bail!("the address of a segment of data is no constant")
            };
            self.segments.push((end - segment.data.len()..end, value as u32));
        }
        Ok(())
    }

    fn take_custom(&mut self, section: &CustomSectionReader<'_>) -> Result<()> {
        match section.as_known() {
            KnownCustom::Name(names) => {
                for names in names {
                    let Name::Function(names) = names? else { continue };
                    for name in names {
                        let name = name?;
                        self.names.insert(name.index as usize, name.name.to_owned());
                    }
                }
            }
            KnownCustom::Linking(linking) => {
                for part in linking.subsections() {
                    let Linking::SymbolTable(symbols) = part? else { continue };
                    for symbol in symbols {
                        let symbol = self.symbol(&symbol?);
                        self.symbols.push(symbol);
                    }
                }
            }
            KnownCustom::Reloc(relocations) => {
                let of = self.sections.get(relocations.section_index() as usize).copied();
                for relocation in relocations.entries() {
                    match of {
                        Some(Section::Code) => self.code_relocations.push(relocation?),
                        Some(Section::Data) => self.data_relocations.push(relocation?),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn symbol(&mut self, symbol: &SymbolInfo<'_>) -> Symbol {
        match symbol {
            SymbolInfo::Func { index, .. } => Symbol::Function(*index as usize),
            SymbolInfo::Data { symbol: Some(defined), .. } => {
                let segment = defined.index as usize;
                // Memory that begins as zeros has no segment.
                let Some((_, address)) = self.segments.get(segment) else { return Symbol::Other };
                let start = defined.offset as usize;
                let address = address + defined.offset;
                let range = start..start + defined.size as usize;
                self.data.push(Datum { segment, range, address });
                Symbol::Data(self.data.len() - 1)
            }
            _ => Symbol::Other,
        }
    }

    fn finish(self) -> Result<Graph> {
        ensure!(!self.code_relocations.is_empty(), "the module was linked without --emit-relocs");
        let names = (0..self.functions)
            .map(|index| self.names.get(&index).cloned().context("a function has no name"))
            .collect::<Result<Vec<_>>>()?;
        let different: HashSet<_> = names.iter().collect();
        ensure!(different.len() == names.len(), "two functions of the module have one name");
        let mut edges = vec![Vec::new(); names.len() + self.data.len()];
        for relocation in &self.code_relocations {
            let at = relocation.offset as usize;
            let from = self.imported + self.bodies.partition_point(|end| *end <= at);
            edges[from].extend(self.target(relocation)?);
        }
        let holders = self.holders();
        let longest = self.data.iter().map(|datum| datum.range.len()).max().unwrap_or(0);
        for relocation in &self.data_relocations {
            let at = relocation.offset as usize;
            let inside = |(place, _): &(Range<usize>, u32)| place.contains(&at);
            let segment = self.segments.iter().position(inside);
            let segment = segment.context("a relocation lies in no segment")?;
            let offset = at - self.segments[segment].0.start;
            let targets = self.target(relocation)?;
            // Symbols may lie within others, so several can hold the place.
            let before = holders.partition_point(|&datum| {
                (self.data[datum].segment, self.data[datum].range.start) <= (segment, offset)
            });
            let mut held = false;
            for &datum in holders[..before].iter().rev() {
                let Datum { segment: its, range, .. } = &self.data[datum];
                if *its != segment || range.start + longest <= offset {
                    break;
                }
                if range.contains(&offset) {
                    held = true;
                    edges[names.len() + datum].extend(targets);
                }
            }
            ensure!(held, "a relocation lies in data without a symbol");
        }
        Ok(Graph { names, exports: self.exports, data: self.data, edges })
    }

    /// The data by place.
    fn holders(&self) -> Vec<usize> {
        let mut holders: Vec<usize> = (0..self.data.len()).collect();
        holders.sort_by_key(|&datum| (self.data[datum].segment, self.data[datum].range.start));
        holders
    }

    /// What a relocation refers to; none for types, globals and the like, which both modules have.
    fn target(&self, relocation: &RelocationEntry) -> Result<Option<Node>> {
        use RelocationType::{
            EventIndexLeb, FunctionOffsetI32, GlobalIndexI32, GlobalIndexLeb, SectionOffsetI32,
            TableNumberLeb, TypeIndexLeb,
        };
        if matches!(
            relocation.ty,
            TypeIndexLeb
                | GlobalIndexLeb
                | GlobalIndexI32
                | TableNumberLeb
                | SectionOffsetI32
                | FunctionOffsetI32
                | EventIndexLeb
        ) {
            return Ok(None);
        }
        let symbol = self.symbols.get(relocation.index as usize);
        Ok(match symbol.context("a relocation names no symbol")? {
            Symbol::Function(function) => Some(*function),
            Symbol::Data(datum) => Some(self.functions + datum),
            Symbol::Other => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_the_first_module_has_a_part_of_is_its_own() {
        let ranges = [0..8, 8..16, 16..16, 20..30, 22..24, 40..50];
        assert_eq!(without(&ranges, &[4..6, 23..24]), [8..16, 40..50]);
        assert_eq!(without(&ranges, &[0..30, 30..100]), []);
        assert_eq!(without(&ranges, &[]), [0..8, 8..16, 20..30, 22..24, 40..50]);
    }
}
