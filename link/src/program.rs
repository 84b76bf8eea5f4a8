//! The references of a module: symbols that nothing defines, and call paths to a panic.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;

use crate::body::{self, Instruction};
use crate::ir::{self, Callee};
pub use crate::lines::readable;
use crate::lines::{Lines, Place, line_of};

/// The functions that the CUDA driver provides.
const OF_THE_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// A module as a graph of references between symbols.
pub struct Program<'a> {
    ir: &'a str,
    references: HashMap<&'a str, Vec<&'a str>>,
    data: HashSet<&'a str>,
    kernels: Vec<&'a str>,
    /// The symbols visible from outside: kernels and exported functions.
    entries: Vec<&'a str>,
    undefined: BTreeSet<&'a str>,
    asm: Vec<Asm<'a>>,
}

/// A block of asm and its function; `None` at module scope.
pub struct Asm<'a> {
    pub function: Option<&'a str>,
    pub text: String,
}

/// The shortest call path from an entry to an unwanted symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path<'a>(Vec<&'a str>);

impl<'a> Program<'a> {
    pub fn read(ir: &'a str) -> Self {
        let mut program = Self {
            ir,
            references: HashMap::new(),
            data: HashSet::new(),
            kernels: Vec::new(),
            entries: Vec::new(),
            undefined: BTreeSet::new(),
            asm: Vec::new(),
        };
        let mut function = None;
        for line in ir.lines() {
            if let Some(header) = ir::header(line) {
                function = header.defined.then_some(header.name);
                if header.exported {
                    program.entries.push(header.name);
                }
                if header.is_kernel {
                    program.kernels.push(header.name);
                }
                if !header.defined && !header.name.starts_with("llvm.") {
                    program.undefined.insert(header.name);
                }
            } else if let Some(name) = ir::global(line) {
                program.add_global(name, line);
            } else if let Some(text) = ir::module_asm(line) {
                program.asm.push(Asm { function: None, text: ir::asm_source(text) });
            } else if line == "}" {
                function = None;
            }
            if let Some(name) = function {
                program.add_line(name, line);
            }
        }
        program
    }

    /// Returns every block of asm in the module.
    pub fn asm(&self) -> &[Asm<'a>] {
        &self.asm
    }

    /// Returns the kernels that the module defines.
    pub fn kernels(&self) -> &[&'a str] {
        &self.kernels
    }

    /// Returns true if the module declares `name` without defining it.
    pub fn declares(&self, name: &str) -> bool {
        self.undefined.contains(name)
    }

    /// Returns true if the module defines `name`.
    pub fn defines(&self, name: &str) -> bool {
        self.references.contains_key(name) && !self.declares(name)
    }

    /// Returns the names most like `name` that the module defines and shows to other files, the most like first; at most three.
    pub fn near(&self, name: &str) -> Vec<&'a str> {
        let likeness = |other: &str| strsim::jaro_winkler(name, other);
        let mut near: Vec<_> = self.entries.iter().copied().filter(|other| likeness(other) > 0.8).collect();
        near.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)).then(one.cmp(other)));
        near.truncate(3);
        near
    }

    /// Returns true if the module names a symbol that neither the module nor the driver defines. Module asm may define it.
    pub fn lacks_symbols(&self) -> bool {
        self.undefined.iter().any(|name| !is_of_the_driver(name))
    }

    /// Returns the symbols that neither the module, its asm nor the driver defines, with the call paths to each.
    pub fn unresolved(&self) -> BTreeMap<&'a str, Vec<Path<'a>>> {
        let module_asm = self.asm.iter().filter(|asm| asm.function.is_none());
        let in_asm: HashSet<&str> = module_asm.flat_map(|asm| words(&asm.text)).collect();
        let is_open = |name: &&&str| !is_of_the_driver(name) && !in_asm.contains(**name);
        let mut ways = BTreeMap::new();
        for name in self.undefined.iter().filter(is_open) {
            ways.insert(*name, self.users(name).map(|user| self.way_to(user, name)).collect());
        }
        ways
    }

    /// Returns the shortest call path from each entry to each panicking function of `core` that the entry reaches.
    pub fn panics(&self) -> Vec<Path<'a>> {
        self.entries.iter().flat_map(|entry| self.ways(entry, is_panic, is_panic)).collect()
    }

    /// Returns the shortest call path from each entry to each symbol for which `wanted` is true. The paths go through no panic.
    pub fn ways_without_panics(&self, wanted: impl Fn(&str) -> bool) -> Vec<Path<'a>> {
        let ends = |name: &str| is_panic(name) || readable(name).contains("core::fmt::");
        let wanted = |name: &str| wanted(name) && !ends(name);
        self.entries.iter().flat_map(|entry| self.ways(entry, wanted, ends)).collect()
    }

    /// Returns the place of the last reference on a path.
    pub fn place(&self, way: &Path<'_>) -> Option<Place> {
        let references = way.0.windows(2).rev();
        self.place_of_chain(references.map(|pair| {
            let names = |instruction: &Instruction<'_>| {
                ir::symbols(instruction.line).any(|(_, symbol)| symbol == pair[1])
            };
            (pair[0], names)
        }))
    }

    /// Returns the place of the first asm of a function that has this text.
    pub fn place_of_asm(&self, function: &str, text: &str) -> Option<Place> {
        let has_text = |instruction: &Instruction<'_>| match ir::call(instruction.line) {
            Some(ir::Call { callee: Callee::Asm(asm), .. }) => ir::asm_source(asm).contains(text),
            _ => false,
        };
        self.place_of_chain([(function, has_text)])
    }

    /// Returns the place of the first of several instructions, each of which is a function's first that is wanted.
    fn place_of_chain<'n, W: Fn(&Instruction<'_>) -> bool>(
        &self,
        chain: impl IntoIterator<Item = (&'n str, W)>,
    ) -> Option<Place> {
        let functions = body::functions(self.ir);
        let lines = chain.into_iter().filter_map(|(name, is_wanted)| {
            let function = functions.iter().find(|function| function.name == name)?;
            function.instructions().find(|instruction| is_wanted(instruction)).map(Instruction::last_line)
        });
        Lines::read(self.ir).place_of_chain(lines)
    }

    fn add_global(&mut self, name: &'a str, line: &'a str) {
        // The initial value, which may hold any text, begins behind these words.
        let words: Vec<&str> =
            line.split(' ').take_while(|word| !matches!(*word, "global" | "constant")).collect();
        let is_shared_memory = words.contains(&"addrspace(3)");
        let is_declared = words.iter().any(|word| matches!(*word, "external" | "extern_weak"));
        if is_declared && !is_shared_memory {
            self.undefined.insert(name);
        }
        self.data.insert(name);
        self.references.entry(name).or_default().extend(ir::symbols(line).skip(1).map(|(_, symbol)| symbol));
    }

    fn add_line(&mut self, function: &'a str, line: &'a str) {
        let symbols = ir::symbols(line).map(|(_, symbol)| symbol).filter(|symbol| *symbol != function);
        self.references.entry(function).or_default().extend(symbols);
        if let Some(ir::Call { callee: Callee::Asm(text), .. }) = ir::call(line) {
            self.asm.push(Asm { function: Some(function), text: ir::asm_source(text) });
        }
    }

    fn users(&self, name: &str) -> impl Iterator<Item = &'a str> {
        let mut users: Vec<_> =
            self.references.iter().filter(|(_, uses)| uses.contains(&name)).map(|(user, _)| *user).collect();
        users.sort_unstable();
        users.into_iter()
    }

    /// Returns a path from an entry through `user` to `name`, or from `user` if no entry reaches `user`.
    fn way_to(&self, user: &'a str, name: &'a str) -> Path<'a> {
        let from_entry =
            self.entries.iter().find_map(|entry| self.ways(entry, |n| n == user, |n| n == user).pop());
        let mut way = from_entry.unwrap_or(Path(vec![user]));
        way.0.push(name);
        way
    }

    /// Returns the shortest path from `start` to each symbol for which `wanted` is true. A path goes through no symbol for which
    /// `ends` is true.
    fn ways(
        &self,
        start: &'a str,
        wanted: impl Fn(&str) -> bool,
        ends: impl Fn(&str) -> bool,
    ) -> Vec<Path<'a>> {
        let mut reached_from: HashMap<&str, Option<&str>> = HashMap::from([(start, None)]);
        let mut queue = VecDeque::from([start]);
        let mut found = Vec::new();
        while let Some(name) = queue.pop_front() {
            if wanted(name) {
                let way = std::iter::successors(Some(name), |n| reached_from[n]);
                // Data between two functions (a vtable, for example) has a meaningless name.
                let mut way: Vec<_> = way.filter(|n| *n == name || !self.data.contains(n)).collect();
                way.reverse();
                found.push(Path(way));
            }
            if ends(name) {
                continue;
            }
            for next in self.references.get(name).into_iter().flatten() {
                if !reached_from.contains_key(next) {
                    reached_from.insert(next, Some(name));
                    queue.push_back(next);
                }
            }
        }
        found
    }
}

impl Path<'_> {
    /// Returns the readable name of the first function on the path.
    pub fn entry(&self) -> String {
        readable(self.0.first().copied().unwrap_or_default())
    }

    /// Returns the first symbol on the path.
    pub fn start(&self) -> &str {
        self.0.first().copied().unwrap_or_default()
    }

    /// Returns the last symbol on the path.
    pub fn end(&self) -> &str {
        self.0.last().copied().unwrap_or_default()
    }

    /// Returns the number of symbols on the path.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the likely cause of the panic and its cure, judged by the names on the path.
    pub fn cause(&self) -> &'static str {
        let cause_in = |name: String| CAUSES.iter().find(|(part, _)| name.contains(part));
        let cause = self.0.iter().find_map(|name| cause_in(readable(name)));
        cause.map_or("an assertion or a `panic!`: return or trap instead", |(_, cause)| cause)
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<_> = self.0.iter().map(|name| format!("`{}`", readable(name))).collect();
        f.write_str(&names.join(" -> "))
    }
}

/// The parts of names, each with the cause that it indicates. The first match on the path counts.
const CAUSES: [(&str, &str); 13] = [
    (
        "panic_bounds_check",
        "an index that may be out of bounds: use `get`, or prove the bound before the loop",
    ),
    (
        "slice::index::",
        "a slice range that may be out of bounds: use `get`, or prove the bound before the loop",
    ),
    ("copy_from_slice", "`copy_from_slice` with lengths that may differ: take arrays of one length"),
    ("div_by_zero", "a division whose divisor may be zero: use `checked_div`, or a `NonZero` divisor"),
    ("rem_by_zero", "a remainder whose divisor may be zero: use `checked_rem`, or a `NonZero` divisor"),
    ("overflow", "arithmetic that may overflow: use `wrapping_…`, or switch `overflow-checks` off"),
    ("option::unwrap_failed", "`unwrap` of an `Option` that may be `None`: match it"),
    ("option::expect_failed", "`expect` of an `Option` that may be `None`: match it"),
    ("result::unwrap_failed", "`unwrap` or `expect` of a `Result` that may be `Err`: match it"),
    ("cell::panic_already", "a `RefCell` that may be borrowed twice"),
    ("str::slice_error", "a string slice that may be off a character boundary"),
    ("panic_misaligned_pointer", "the debug check for misaligned pointers: switch `debug-assertions` off"),
    ("panic_null_pointer", "the debug check for null pointers: switch `debug-assertions` off"),
];

/// Returns the words of asm text that may be symbols.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "_$.%".contains(c))).filter(|word| !word.is_empty())
}

/// Returns true if a statement of module asm is empty, or declares a variable.
pub fn is_variable(statement: &str) -> bool {
    let declared = statement.split('=').next().unwrap_or_default();
    let is_variable = words(declared).any(|word| matches!(word, ".shared" | ".const" | ".global"));
    statement.trim().is_empty() || (is_variable && !declared.contains(['{', '(', '}']))
}

/// Returns true if a statement of module asm is empty, or declares a variable whose initial value has no symbol.
pub fn is_declaration(statement: &str) -> bool {
    let value = statement.split_once('=').map_or("", |(_, value)| value);
    let is_number = |word: &str| word.starts_with(|first: char| first.is_ascii_digit());
    is_variable(statement) && words(value).all(is_number)
}

/// Writes the call path from a kernel to a finding, and the place. Without a place, writes `unknown` before the advice.
pub fn write_way(
    f: &mut fmt::Formatter<'_>,
    way: &Path<'_>,
    place: Option<&Place>,
    unknown: &str,
) -> fmt::Result {
    if way.len() > 1 {
        write!(f, "\n  way: {way}")?;
    }
    f.write_str(&line_of(place, unknown))
}

/// Returns a symbol as `llc` writes the symbol in PTX, whose names have no dots.
pub fn name_in_ptx(name: &str) -> String {
    name.replace('.', "_$_")
}

/// Returns true if the CUDA driver or LLVM's back end provides the symbol.
pub fn is_of_the_driver(name: &str) -> bool {
    OF_THE_DRIVER.contains(&name) || name.starts_with("__nvvm_")
}

pub fn is_panic(symbol: &str) -> bool {
    readable(symbol).starts_with("core::panicking::")
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = r#"
module asm ".func helper_in_asm () { ret; }"
@vtable = private constant { ptr } { ptr @through_table }
@gone = external global i32
@perhaps = extern_weak global i8
@dynamic = external addrspace(3) global [0 x i8]
define ptx_kernel void @k(ptr %0) #1 {
  call void @middle(ptr @vtable)
  call void asm sideeffect "mov.u32 a, b; // ptx:8.6\0A", ""()
  %1 = call i32 @vprintf(ptr null, ptr null)
  ret void
}
define internal void @middle(ptr %0) {
  call void @missing()
  call void @helper_in_asm()
  %1 = load i32, ptr @gone
  %2 = load i8, ptr @perhaps
  call void @llvm.assume(i1 true)
  ret void
}
define internal void @through_table() {
  call void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 0)
  unreachable
}
define internal void @_ZN4core9panicking18panic_bounds_check17h0123456789abcdefE(i64 %0) {
  call void @_ZN4core9panicking9panic_fmt17h0123456789abcdefE()
  unreachable
}
declare void @missing()
declare void @helper_in_asm()
declare i32 @vprintf(ptr, ptr)
declare void @llvm.assume(i1)
"#;

    #[test]
    fn symbols_without_definition_come_with_their_users() {
        let program = Program::read(IR);
        let ways: Vec<_> = program.unresolved().values().flatten().map(Path::to_string).collect();
        assert_eq!(
            ways,
            ["`k` -> `middle` -> `gone`", "`k` -> `middle` -> `missing`", "`k` -> `middle` -> `perhaps`"]
        );
        assert!(program.lacks_symbols());
        assert!(["k", "through_table", "vtable"].iter().all(|name| program.defines(name)));
        assert!(!["missing", "gone", "perhaps", "unheard_of"].iter().any(|name| program.defines(name)));
    }

    #[test]
    fn a_panic_is_found_through_a_table_and_once() {
        let program = Program::read(IR);
        let panics = program.panics();
        assert_eq!(panics.len(), 1);
        assert_eq!(panics[0].to_string(), "`k` -> `through_table` -> `core::panicking::panic_bounds_check`");
        assert!(panics[0].cause().starts_with("an index"));
    }

    #[test]
    fn a_declaration_names_no_other_symbol() {
        for text in [
            "",
            " .extern .shared .align 128 .b8 dynamic[]",
            ".visible .global .align 8 .u64 fingerprint = 0x12U",
            ".const .f32 table[2] = {0f3F800000, 1}",
        ] {
            assert!(is_declaration(text), "{text}");
        }
        for text in [
            ".global .u64 pointer = helper",
            ".global .u64 pointers[2] = {0, generic(helper)}",
            ".func f () { ld.global.u32 %r1, [x]",
            "call helper",
        ] {
            assert!(!is_declaration(text), "{text}");
        }
    }

    #[test]
    fn asm_is_collected() {
        let program = Program::read(IR);
        let texts: Vec<_> = program.asm().iter().map(|asm| (asm.function, asm.text.as_str())).collect();
        assert_eq!(
            texts,
            [(None, ".func helper_in_asm () { ret; }"), (Some("k"), "mov.u32 a, b; // ptx:8.6\n")]
        );
    }
}
