//! One module becomes several that share memory and table.
//!
//! A later one imports what it needs of those before it, each under its name: functions, the imports of the
//! first among them, globals, the table, the memory. None calls a later one by name: an export whose code is
//! there stays an export of the first, and goes through a slot of the table, which the later one fills when
//! it starts, as it fills its places in the tables of trait objects and its data.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use anyhow::{Context, Result, bail, ensure};
use walrus::ir::{self, Instr, InstrSeq, Visitor, VisitorMut};
use walrus::{
    ConstExpr, DataKind, ElementItems, ElementKind, ExportItem, FunctionBuilder, FunctionId,
    FunctionKind, GlobalId, GlobalKind, ImportId, ImportKind, ImportedFunction, LocalFunction,
    Module, ModuleConfig, TableId,
};

use super::graph::Part;

/// Fewer bytes of data than this stay where they are: a segment of its own costs some, too.
const LEAST_DATA: usize = 16;

/// What crosses between the modules. Functions go by their number in the whole module.
struct Seam<'a> {
    /// The modules' names.
    names: &'a [&'static str],
    /// Which module has a function; the first has those that are not here, and all that is imported.
    places: HashMap<usize, usize>,
    /// The functions of later modules that the first calls, each with its slot in the table.
    slots: BTreeMap<usize, u64>,
    /// What the functions of each module use.
    uses: Vec<Uses>,
    /// How long the table is, with the slots.
    table_length: u64,
}

/// How modules are written: without names, and without a word on what made them.
pub fn config() -> ModuleConfig {
    let mut config = ModuleConfig::new();
    config.generate_name_section(false).generate_producers_section(false);
    config
}

/// Cuts a module that wasm-bindgen has made, in which functions have their linker's names. `later` has what
/// is in each module but the first.
pub fn cut(wasm: &[u8], names: &[&'static str], later: &[Part]) -> Result<Vec<Vec<u8>>> {
    let config = config();
    let mut first = config.parse(wasm)?;
    let seam = Seam::find(&first, names, later)?;
    let all_bytes = data_bytes(&first);
    let pieces: Vec<_> = later.iter().map(|part| pieces(&part.data)).collect();
    let mut moved = pieces.concat();
    moved.sort_by_key(|range| range.start);
    make_first(&mut first, &seam, &moved)?;
    let mut kept_bytes = data_bytes(&first);
    let mut modules = vec![first.emit_wasm()];
    for (number, data) in (1..).zip(&pieces) {
        let mut module = config.parse(wasm)?;
        make_later(&mut module, number, &seam, data)?;
        kept_bytes += data_bytes(&module);
        modules.push(module.emit_wasm());
    }
    ensure!(kept_bytes == all_bytes, "of {all_bytes} bytes of data, {kept_bytes} are in a module");
    Ok(modules)
}

/// How many bytes of data a module has.
fn data_bytes(module: &Module) -> usize {
    module.data.iter().map(|data| data.value.len()).sum()
}

/// The ranges, in order and joined where they touch; short ones are left out.
fn pieces(ranges: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut pieces: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match pieces.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => pieces.push(range.clone()),
        }
    }
    pieces.retain(|piece| piece.len() >= LEAST_DATA);
    pieces
}

/// What functions use of their module.
#[derive(Default)]
struct Uses {
    functions: BTreeSet<usize>,
    globals: BTreeSet<usize>,
    tables: BTreeSet<usize>,
}

impl Uses {
    fn add(&mut self, function: &LocalFunction) {
        ir::dfs_in_order(self, function, function.entry_block());
    }
}

impl Visitor<'_> for Uses {
    fn visit_function_id(&mut self, function: &FunctionId) {
        self.functions.insert(function.index());
    }

    fn visit_global_id(&mut self, global: &GlobalId) {
        self.globals.insert(global.index());
    }

    fn visit_table_id(&mut self, table: &TableId) {
        self.tables.insert(table.index());
    }
}

impl<'a> Seam<'a> {
    fn find(module: &Module, names: &'a [&'static str], later: &[Part]) -> Result<Self> {
        ensure!(names.len() == later.len() + 1, "each module has a name");
        let mut places = HashMap::new();
        for (id, _) in module.funcs.iter_local() {
            let Some(name) = &module.funcs.get(id).name else { continue };
            if let Some(part) = later.iter().position(|part| part.functions.contains(name)) {
                places.insert(id.index(), part + 1);
            }
        }
        let mut uses: Vec<Uses> = names.iter().map(|_| Uses::default()).collect();
        for (id, function) in module.funcs.iter_local() {
            uses[places.get(&id.index()).copied().unwrap_or(0)].add(function);
        }
        for export in module.exports.iter() {
            if let ExportItem::Function(function) = export.item {
                uses[0].functions.insert(function.index());
            }
        }
        let table = main_table(module)?;
        let mut table_length = module.tables.get(table).initial;
        let mut slots = BTreeMap::new();
        for function in uses[0].functions.iter().filter(|function| places.contains_key(function)) {
            slots.insert(*function, table_length);
            table_length += 1;
        }
        for uses in &mut uses {
            uses.tables.insert(table.index());
        }
        Ok(Self { names, places, slots, uses, table_length })
    }

    /// The number of the module that has a function.
    fn place(&self, function: FunctionId) -> usize {
        self.places.get(&function.index()).copied().unwrap_or(0)
    }

    fn is_later(&self, function: FunctionId) -> bool {
        self.place(function) > 0
    }

    /// What the modules after that one use.
    fn used_after(&self, number: usize) -> &[Uses] {
        &self.uses[number + 1..]
    }
}

/// The table of all functions whose address is taken.
fn main_table(module: &Module) -> Result<TableId> {
    module.tables.main_function_table()?.context("the module has no table of functions")
}

/// Makes the table as long as all modules need it.
fn lengthen_table(module: &mut Module, seam: &Seam<'_>) -> Result<TableId> {
    let id = main_table(module)?;
    let table = module.tables.get_mut(id);
    table.initial = seam.table_length;
    table.maximum = table.maximum.map(|maximum| maximum.max(seam.table_length));
    Ok(id)
}

fn make_first(module: &mut Module, seam: &Seam<'_>, data: &[Range<u32>]) -> Result<()> {
    let table = lengthen_table(module, seam)?;
    call_by_slots(module, seam, table)?;
    place_functions(module, table, |function| !seam.is_later(function))?;
    keep_data(module, data, false)?;
    export_functions(module, 0, seam);
    for id in ids(module.globals.iter().map(walrus::Global::id)) {
        if seam.used_after(0).iter().any(|uses| uses.globals.contains(&id.index())) {
            module.exports.add(&name('g', id.index()), id);
        }
    }
    for id in ids(module.tables.iter().map(walrus::Table::id)) {
        if seam.used_after(0).iter().any(|uses| uses.tables.contains(&id.index())) {
            module.exports.add(&name('t', id.index()), id);
        }
    }
    ensure!(
        module.exports.iter().any(|export| export.name == "memory"),
        "the module does not export its memory"
    );
    walrus::passes::gc::run(module);
    ensure!(
        !module.funcs.iter().any(|function| seam.is_later(function.id())),
        "the first module still has a function of a later one"
    );
    Ok(())
}

/// Exports the functions of a module that later ones call.
fn export_functions(module: &mut Module, number: usize, seam: &Seam<'_>) {
    for id in ids(module.funcs.iter().map(walrus::Function::id)) {
        let is_used = |uses: &Uses| uses.functions.contains(&id.index());
        if seam.place(id) == number && seam.used_after(number).iter().any(is_used) {
            module.exports.add(&name('f', id.index()), id);
        }
    }
}

/// A name that none of wasm-bindgen's exports has.
fn name(kind: char, index: usize) -> String {
    format!("{kind}{index}")
}

/// Collected, so that the module can be changed while they are gone through.
fn ids<T>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect()
}

/// Every call of a later function, and every export of one, goes through its slot.
fn call_by_slots(module: &mut Module, seam: &Seam<'_>, table: TableId) -> Result<()> {
    let types: HashMap<_, _> = module.funcs.iter().map(|f| (f.id(), f.ty())).collect();
    let mut calls = Calls { seam, types: &types, table, failed: false };
    for (id, function) in module.funcs.iter_local_mut() {
        if !seam.is_later(id) {
            let entry = function.entry_block();
            ir::dfs_pre_order_mut(&mut calls, function, entry);
        }
    }
    ensure!(!calls.failed, "the first module takes the address of a function of a later one");
    for export in ids(module.exports.iter().map(walrus::Export::id)) {
        let ExportItem::Function(function) = module.exports.get(export).item else { continue };
        if let Some(&slot) = seam.slots.get(&function.index()) {
            let through = through_slot(module, types[&function], table, slot);
            module.exports.get_mut(export).item = ExportItem::Function(through);
        }
    }
    Ok(())
}

struct Calls<'a> {
    seam: &'a Seam<'a>,
    types: &'a HashMap<FunctionId, walrus::TypeId>,
    table: TableId,
    failed: bool,
}

impl VisitorMut for Calls<'_> {
    fn start_instr_seq_mut(&mut self, sequence: &mut InstrSeq) {
        let instructions = std::mem::take(&mut sequence.instrs);
        for (instruction, at) in instructions {
            match &instruction {
                Instr::Call(ir::Call { func }) if self.seam.is_later(*func) => {
                    let slot = self.seam.slots[&func.index()];
                    let value = ir::Value::I32(slot as i32);
                    let (ty, table) = (self.types[func], self.table);
                    sequence.instrs.push((Instr::Const(ir::Const { value }), at));
                    let call = Instr::CallIndirect(ir::CallIndirect { ty, table });
                    sequence.instrs.push((call, at));
                    continue;
                }
                Instr::RefFunc(ir::RefFunc { func }) => self.failed |= self.seam.is_later(*func),
                _ => {}
            }
            sequence.instrs.push((instruction, at));
        }
    }
}

/// A function that does nothing but call the one in a slot.
fn through_slot(module: &mut Module, ty: walrus::TypeId, table: TableId, slot: u64) -> FunctionId {
    let (parameters, results) = {
        let ty = module.types.get(ty);
        (ty.params().to_vec(), ty.results().to_vec())
    };
    let mut builder = FunctionBuilder::new(&mut module.types, &parameters, &results);
    let arguments: Vec<_> = parameters.iter().map(|ty| module.locals.add(*ty)).collect();
    let mut body = builder.func_body();
    for argument in &arguments {
        body.local_get(*argument);
    }
    body.i32_const(slot as i32).call_indirect(ty, table);
    builder.finish(arguments, &mut module.funcs)
}

/// Leaves in the table only the functions of one module, each in its place.
fn place_functions(
    module: &mut Module,
    table: TableId,
    keep: impl Fn(FunctionId) -> bool,
) -> Result<()> {
    let mut placed: BTreeMap<i32, FunctionId> = BTreeMap::new();
    for id in ids(module.elements.iter().map(walrus::Element::id)) {
        let element = module.elements.get(id);
        let ElementKind::Active { table: its, offset } = &element.kind else { continue };
        let (ElementItems::Functions(functions), ConstExpr::Value(ir::Value::I32(start))) =
            (&element.items, offset)
        else {
            bail!("the table of functions is filled in a way that is not known here");
        };
        ensure!(*its == table, "a second table is filled with functions");
        placed.extend((*start..).zip(functions.iter().copied()).filter(|(_, f)| keep(*f)));
        module.tables.get_mut(table).elem_segments.remove(&id);
        module.elements.delete(id);
    }
    fill_table(module, table, placed);
    Ok(())
}

/// Fills slots of the table, in one segment for each run of them.
fn fill_table(module: &mut Module, table: TableId, placed: BTreeMap<i32, FunctionId>) {
    let mut runs: Vec<(i32, Vec<FunctionId>)> = Vec::new();
    for (slot, function) in placed {
        match runs.last_mut() {
            Some((start, run)) if *start + run.len() as i32 == slot => run.push(function),
            _ => runs.push((slot, vec![function])),
        }
    }
    for (start, run) in runs {
        let offset = ConstExpr::Value(ir::Value::I32(start));
        let kind = ElementKind::Active { table, offset };
        let id = module.elements.add(kind, ElementItems::Functions(run));
        module.tables.get_mut(table).elem_segments.insert(id);
    }
}

/// Leaves the data that lies in `later`, or all other.
fn keep_data(module: &mut Module, later: &[Range<u32>], is_later: bool) -> Result<()> {
    for id in ids(module.data.iter().map(walrus::Data::id)) {
        let data = module.data.get(id);
        let DataKind::Active { memory, offset: ConstExpr::Value(ir::Value::I32(start)) } =
            data.kind
        else {
            bail!("a segment of data has no address");
        };
        let (start, bytes) = (start as u32, data.value.clone());
        module.memories.get_mut(memory).data_segments.remove(&id);
        module.data.delete(id);
        for range in kept(start..start + bytes.len() as u32, later, is_later) {
            let value =
                bytes[(range.start - start) as usize..(range.end - start) as usize].to_vec();
            let offset = ConstExpr::Value(ir::Value::I32(range.start as i32));
            let id = module.data.add(DataKind::Active { memory, offset }, value);
            module.memories.get_mut(memory).data_segments.insert(id);
        }
    }
    Ok(())
}

/// The parts of a segment that lie in `later`, which is in order, or those that do not.
fn kept(segment: Range<u32>, later: &[Range<u32>], is_later: bool) -> Vec<Range<u32>> {
    let cut = |range: &Range<u32>| range.start.max(segment.start)..range.end.min(segment.end);
    let inside: Vec<_> = later.iter().map(cut).filter(|range| !range.is_empty()).collect();
    if is_later {
        return inside;
    }
    let mut outside = Vec::new();
    let mut from = segment.start;
    for range in inside {
        outside.push(from..range.start);
        from = range.end;
    }
    outside.push(from..segment.end);
    outside.retain(|range| !range.is_empty());
    outside
}

fn make_later(
    module: &mut Module,
    number: usize,
    seam: &Seam<'_>,
    data: &[Range<u32>],
) -> Result<()> {
    for export in ids(module.exports.iter().map(walrus::Export::id)) {
        module.exports.delete(export);
    }
    module.start = None;
    let table = lengthen_table(module, seam)?;
    place_functions(module, table, |function| seam.place(function) == number)?;
    let own = module.funcs.iter().filter(|function| seam.place(function.id()) == number);
    let slots: BTreeMap<i32, FunctionId> =
        own.filter_map(|f| Some((*seam.slots.get(&f.id().index())? as i32, f.id()))).collect();
    fill_table(module, table, slots);
    keep_data(module, data, true)?;
    export_functions(module, number, seam);
    import_from_before(module, number, seam)?;
    walrus::passes::gc::run(module);
    let other = module.funcs.iter_local().find(|(id, _)| seam.place(*id) != number);
    ensure!(other.is_none(), "a later module has a function of another");
    Ok(())
}

/// What is in modules before this one becomes an import.
fn import_from_before(module: &mut Module, number: usize, seam: &Seam<'_>) -> Result<()> {
    let (uses, first) = (&seam.uses[number], seam.names[0]);
    for id in ids(module.funcs.iter().map(walrus::Function::id)) {
        let place = seam.place(id);
        if place != number && uses.functions.contains(&id.index()) {
            ensure!(place < number, "a module leads into a later one");
            let import = import(module, seam.names[place], name('f', id.index()), id.into());
            let function = module.funcs.get_mut(id);
            let ty = function.ty();
            function.kind = FunctionKind::Import(ImportedFunction { import, ty });
        }
    }
    for id in ids(module.globals.iter().map(walrus::Global::id)) {
        if uses.globals.contains(&id.index()) {
            let import = import(module, first, name('g', id.index()), id.into());
            module.globals.get_mut(id).kind = GlobalKind::Import(import);
        }
    }
    for id in ids(module.tables.iter().map(walrus::Table::id)) {
        if uses.tables.contains(&id.index()) {
            let import = import(module, first, name('t', id.index()), id.into());
            module.tables.get_mut(id).import = Some(import);
        }
    }
    for id in ids(module.memories.iter().map(walrus::Memory::id)) {
        let import = module.imports.add(first, "memory", id);
        module.memories.get_mut(id).import = Some(import);
    }
    Ok(())
}

/// An import from another module, in place of the page's own where the first imports it from there.
fn import(module: &mut Module, from: &str, name: String, what: ImportKind) -> ImportId {
    let before = module.imports.iter().find(|import| import.kind == what).map(walrus::Import::id);
    let Some(id) = before else { return module.imports.add(from, &name, what) };
    let import = module.imports.get_mut(id);
    (import.module, import.name) = (from.to_owned(), name);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_is_cut_where_the_rest_has_its_data() {
        let later = pieces(&[10..30, 12..14, 30..40, 60..64, 90..200]);
        assert_eq!(later, [10..40, 90..200]);
        assert_eq!(kept(0..100, &later, true), [10..40, 90..100]);
        assert_eq!(kept(0..100, &later, false), [0..10, 40..90]);
        assert_eq!(kept(0..120, &later, true), [10..40, 90..120]);
        assert_eq!(kept(20..95, &later, true), [20..40, 90..95]);
        assert!(kept(20..36, &later, false).is_empty());
        assert_eq!(kept(0..300, &later, false), [0..10, 40..90, 200..300]);
    }
}
