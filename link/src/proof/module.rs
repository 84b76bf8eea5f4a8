//! The module that the proof reads: the kernels that ask for it, each with everything that it calls inlined, and values in
//! registers.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::body::{Function, Instruction, functions};
use crate::convergence::is_convergent;
use crate::ir::{self, Callee};
use crate::lines::{Lines, readable};

use super::kernel::{has_cycle, needed};
use super::marks::Mark;

/// The name of the mark in place of a panic handler that is none of `ptx`.
pub const FOREIGN_PANIC: &str = "panic";

/// The passes of the proof, which are the same at every opt-level. They inline everything, bottom up, and bring values into
/// registers. None of them changes what a thread executes, and the marks are `nomerge`, so the marks that a thread passes, and
/// their operands, stay what they are in the program.
pub const PASSES: &str = "internalize,globaldce,\
    cgscc(devirt<4>(inline<only-mandatory>,function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg))),\
    globaldce,\
    function(gvn,correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop(loop-rotate<no-header-duplication>),loop(indvars,loop-unroll-full),memcpyopt,dse,\
    sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce,loop-simplify,lcssa)";

/// Returns the kernels that ask for the proof.
pub fn proven(ir: &str) -> Vec<&str> {
    let (mut kernels, mut kernel) = (Vec::new(), None);
    for line in ir.lines() {
        if line.starts_with("define ") {
            kernel = ir::header(line).filter(|header| header.is_kernel).map(|header| header.name);
        } else if Mark::read(line).is_some_and(|mark| mark.name == "prove") {
            kernels.extend(kernel.take());
        }
    }
    kernels
}

/// What a panic handler does, by the mark that `ptx::panic_handler!` leaves in it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handler {
    Traps,
    /// It formats the message before it traps.
    Prints,
    /// It has no mark, so it may do anything.
    Foreign,
}

impl Handler {
    fn of_mark(name: &str) -> Option<Self> {
        match name {
            "panic.traps" => Some(Handler::Traps),
            "panic.prints" => Some(Handler::Prints),
            _ => None,
        }
    }
}

/// Returns the panic handlers of a module, by name. The mark may stand in a function that the handler calls.
fn handlers(ir: &str) -> HashMap<&str, Handler> {
    let (mut marks, mut calls, mut function) = (HashMap::new(), HashMap::<_, Vec<_>>::new(), "");
    for line in ir.lines() {
        if let Some(header) = ir::header(line) {
            function = header.name;
            continue;
        }
        if let Some(handler) = Mark::read(line).and_then(|mark| Handler::of_mark(mark.name)) {
            marks.insert(function, handler);
        } else if let Some(Callee::Symbol(callee)) = ir::call(line).map(|call| call.callee) {
            calls.entry(function).or_default().push(callee);
        }
    }
    let defined =
        ir.lines().filter_map(ir::header).filter(|header| header.defined && is_handler(header.name));
    let found = defined.map(|header| {
        let (mut open, mut seen) = (vec![header.name], HashSet::new());
        while let Some(name) = open.pop().filter(|_| !marks.is_empty()) {
            if let Some(&handler) = marks.get(name) {
                return (header.name, handler);
            }
            let callees = calls.get(name).into_iter().flatten().copied();
            open.extend(callees.filter(|callee| seen.insert(*callee)));
        }
        (header.name, Handler::Foreign)
    });
    found.collect()
}

/// Returns true for the symbol by which `core` calls the panic handler.
fn is_handler(symbol: &str) -> bool {
    matches!(readable(symbol).as_str(), "rust_begin_unwind" | "__rustc::rust_begin_unwind")
}

/// Makes every function of a module one that LLVM inlines, and the panic handler a trap, if `ptx::panic_handler!` has defined it. The
/// marks get attributes that keep two of them from becoming one.
pub fn prepared(ir: &str) -> String {
    let handlers = handlers(ir);
    let mut text = String::with_capacity(ir.len() + ir.len() / 16);
    let mut in_handler = false;
    for line in ir.lines() {
        if in_handler {
            in_handler = line != "}";
            continue;
        }
        if let Some(header) = ir::header(line).filter(|header| header.defined && !header.is_kernel) {
            text.extend([&line[..header.attributes], " alwaysinline", &line[header.attributes..], "\n"]);
            if let Some(handler) = handlers.get(header.name) {
                in_handler = true;
                let trap = match handler {
                    Handler::Traps | Handler::Prints => "trap;".to_owned(),
                    Handler::Foreign => format!("ptx_mark.{FOREIGN_PANIC};"),
                };
                text.push_str(&format!("  call void asm sideeffect \"{trap}\", \"\"()\n  unreachable\n}}\n"));
            }
        } else if let Some(attributes) = line.strip_prefix("attributes #") {
            let hinders = |word: &&str| !matches!(*word, "noinline" | "optnone" | "minsize" | "optsize");
            let words: Vec<_> = attributes.split(' ').filter(hinders).collect();
            text.extend(["attributes #", &words.join(" "), "\n"]);
        } else if let Some(mark) = Mark::read(line) {
            text.extend([&line[..mark.attributes], " convergent nomerge", &line[mark.attributes..], "\n"]);
        } else {
            text.extend([line, "\n"]);
        }
    }
    text
}

/// Returns true if nothing is known of the function that a call still calls after the passes. A module that defines a function of a
/// name that LLVM or the driver has, means its own.
pub fn is_opaque(callee: &Callee<'_>, defined: &HashSet<&str>) -> bool {
    match callee {
        Callee::Asm(_) => false,
        Callee::Symbol(name) => {
            defined.contains(name) || !name.starts_with("llvm.") && !crate::program::is_of_the_driver(name)
        }
        Callee::Pointer => true,
    }
}

/// Returns true if a panic of the module formats its message.
pub fn formats(ir: &str) -> bool {
    handlers(ir).values().any(|&handler| handler == Handler::Prints)
}

/// Returns what of a kernel a panic may run, and must not: functions whose address the kernel takes, and what they call. A panic runs
/// them while it formats its message. Those of `core` itself run nothing else of the user.
pub fn formatters(ir: &str, kernel: &str, is_of_core: impl Fn(&str) -> bool) -> Vec<String> {
    let module = Module::read(ir);
    let lines = Lines::read(ir);
    let taken = module.taken(kernel);
    let mut said = Vec::new();
    for name in taken.into_iter().filter(|name| !is_of_core(name)) {
        if let Some(what) = module.fault(name, &is_of_core, &lines, &mut Vec::new(), &mut HashSet::new()) {
            said.push(format!("a panic may run `{}`, {what}", readable(name)));
        }
    }
    said
}

/// The functions of a module, and the symbols that its globals name.
struct Module<'a> {
    /// All functions but the panic handlers.
    functions: HashMap<&'a str, Function<'a>>,
    handlers: HashMap<&'a str, Handler>,
    globals: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Module<'a> {
    fn read(ir: &'a str) -> Self {
        let handlers = handlers(ir);
        let functions = functions(ir).into_iter().filter(|function| !handlers.contains_key(function.name));
        let globals = ir.lines().filter_map(|line| {
            let name = ir::global(line)?;
            Some((name, ir::symbols(line).skip(1).map(|(_, symbol)| symbol).collect()))
        });
        let functions = functions.map(|function| (function.name, function)).collect();
        Self { functions, handlers, globals: globals.collect() }
    }

    /// Returns the functions that a kernel can reach and whose address it takes, also those in tables of a trait object; none if the
    /// kernel cannot panic.
    fn taken(&self, kernel: &'a str) -> BTreeSet<&'a str> {
        let (mut taken, mut seen, mut open) = (BTreeSet::new(), HashSet::from([kernel]), vec![kernel]);
        while let Some(name) = open.pop() {
            let mut next: Vec<&str> = self.globals.get(name).cloned().unwrap_or_default();
            taken.extend(next.iter().filter(|symbol| self.functions.contains_key(*symbol)));
            for instruction in self.functions.get(name).into_iter().flat_map(Function::instructions) {
                let symbols: Vec<&str> = ir::symbols(instruction.line).map(|(_, symbol)| symbol).collect();
                let callee = match ir::call(instruction.line).map(|call| call.callee) {
                    Some(Callee::Symbol(callee)) => symbols.iter().rposition(|symbol| *symbol == callee),
                    _ => None,
                };
                for (i, symbol) in symbols.into_iter().enumerate() {
                    if Some(i) != callee && self.functions.contains_key(symbol) {
                        taken.insert(symbol);
                    }
                    next.push(symbol);
                }
            }
            open.extend(next.into_iter().filter(|symbol| seen.insert(*symbol)));
        }
        let can_panic = self.handlers.keys().any(|handler| seen.contains(handler));
        if can_panic { taken } else { BTreeSet::new() }
    }

    /// Returns what a function does, or one that it calls, that a panic must not do. What it calls through a pointer is among the
    /// functions whose address is taken.
    fn fault(
        &self,
        name: &'a str,
        is_of_core: &impl Fn(&str) -> bool,
        lines: &Lines<'a>,
        callers: &mut Vec<&'a str>,
        seen: &mut HashSet<&'a str>,
    ) -> Option<String> {
        if callers.contains(&name) {
            return Some("which calls itself".into());
        }
        let function = self.functions.get(name)?;
        if !seen.insert(name) {
            return None;
        }
        let successors: Vec<_> = function.blocks.iter().map(|block| block.successors.clone()).collect();
        // The place in the function that the panic calls.
        let is_outermost = callers.is_empty();
        let place = |instruction: &Instruction<'_>| {
            let place = lines.place(instruction.last_line()).filter(|_| is_outermost);
            place.map_or(String::new(), |place| format!(" at {place}"))
        };
        if has_cycle(&successors) {
            let first = function.instructions().map(place).find(|place| !place.is_empty());
            return Some(format!("which has a loop{}", first.unwrap_or_default()));
        }
        callers.push(name);
        for instruction in function.instructions() {
            let does = match ir::call(instruction.line).map(|call| call.callee) {
                Some(Callee::Asm(text)) => match Mark::read(instruction.line) {
                    Some(mark) => needed(&mark).map(|_| "which makes a collective call".to_owned()),
                    None if text.starts_with("trap;") => None,
                    None if !is_convergent(&ir::asm_source(text)) => None,
                    None => Some("which executes a convergent instruction".to_owned()),
                },
                Some(Callee::Symbol(callee)) if is_of_core(callee) => None,
                Some(Callee::Symbol(callee)) if self.functions.contains_key(callee) => {
                    self.fault(callee, is_of_core, lines, callers, seen)
                }
                Some(callee @ Callee::Symbol(symbol))
                    if is_opaque(&callee, &HashSet::new()) && !self.handlers.contains_key(symbol) =>
                {
                    Some(format!("which calls `{}`, none of Rust", readable(symbol)))
                }
                _ => None,
            };
            if let Some(does) = does {
                return Some(does + &place(instruction));
            }
        }
        callers.pop();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{formats, formatters, prepared};

    /// A kernel that panics with a value of the user, whose function to format it has this body.
    fn module(mark: &str, body: &str) -> String {
        format!(
            "@table = private constant {{ ptr, i64 }} {{ ptr @_RNvXC4userNtB2_4EvilNtNtC4core3fmt7Display3fmt, i64 0 }}\n\
             define ptx_kernel void @k(ptr %p) {{\n  call void @_RNvNtC4core9panicking9panic_fmt(ptr @table)\n  unreachable\n}}\n\
             define internal void @_RNvNtC4core9panicking9panic_fmt(ptr %a) {{\n  call void @_RNvC7___rustc17rust_begin_unwind(ptr %a)\n  unreachable\n}}\n\
             define internal void @_RNvC7___rustc17rust_begin_unwind(ptr %a) {{\n  call void @handle(ptr %a)\n  unreachable\n}}\n\
             define internal void @handle(ptr %a) {{\n{mark}  call void @core_write(ptr @of_the_handler)\n  unreachable\n}}\n\
             define internal void @of_the_handler() {{\n  br label %loop\n\nloop:\n  br label %loop\n}}\n\
             define internal void @core_write(ptr %f) {{\n  br label %loop\n\nloop:\n  call void %f()\n  br label %loop\n}}\n\
             define internal void @_RNvXC4userNtB2_4EvilNtNtC4core3fmt7Display3fmt(ptr %f) {{\n{body}}}\n\
             define internal void @sync() {{\n  call void asm sideeffect \"ptx_mark.meet.3;\", \"\"() #1\n  ret void\n}}\n\
             define internal void @again() {{\n  call void @again()\n  ret void\n}}\n"
        )
    }

    const TRAPS: &str = "  call void asm sideeffect \"ptx_mark.panic.traps;\", \"\"() #1\n";
    const PRINTS: &str = "  call void asm sideeffect \"ptx_mark.panic.prints;\", \"\"() #1\n";

    #[test]
    fn a_panic_is_a_trap_only_if_the_handler_says_so() {
        for (mark, trap) in [(TRAPS, "trap;"), (PRINTS, "trap;"), ("", "ptx_mark.panic;")] {
            let text = prepared(&module(mark, "  ret void\n"));
            let handler = text.split("rust_begin_unwind(ptr %a) alwaysinline").nth(1).expect("the handler");
            assert!(
                handler.starts_with(&format!(
                    " {{\n  call void asm sideeffect \"{trap}\", \"\"()\n  unreachable\n}}\n"
                )),
                "{text}"
            );
            // The functions of `core` stay: no name makes a function one that ends the grid.
            assert!(
                text.contains("panic_fmt(ptr %a) alwaysinline {\n  call void @_RNvC7___rustc17"),
                "{text}"
            );
        }
    }

    #[test]
    fn what_a_panic_may_run_makes_no_collective_call() {
        let is_of_core = |name: &str| name.starts_with("core_");
        for (body, said) in [
            ("  ret void\n", None),
            ("  call void %f()\n  call void @core_write(ptr null)\n  ret void\n", None),
            ("  call void asm sideeffect \"trap;\", \"\"() #1\n  unreachable\n", None),
            ("  call void asm sideeffect \"ptx_mark.rank $0, $1;\", \"=r,r\"(i32 %x) #1\n  ret void\n", None),
            ("  call void @sync()\n  ret void\n", Some("makes a collective call")),
            ("  store ptr @sync, ptr %f\n  ret void\n", Some("a panic may run `sync`")),
            (
                "  call void asm sideeffect \"bar.sync 0;\", \"\"() #1\n  ret void\n",
                Some("a convergent instruction"),
            ),
            ("  br label %loop\n\nloop:\n  br label %loop\n", Some("has a loop")),
            ("  call void @again()\n  ret void\n", Some("calls itself")),
            ("  call void @missing()\n  ret void\n", Some("calls `missing`")),
        ] {
            let ir = module(PRINTS, body);
            let found = formatters(&ir, "k", is_of_core);
            match said {
                None => assert!(found.is_empty(), "{body}\n{found:?}"),
                Some(said) => assert!(found.len() == 1 && found[0].contains(said), "{body}\n{found:?}"),
            }
            assert!(formats(&ir) && !formats(&module(TRAPS, body)));
            // A kernel that takes the address, and cannot panic.
            let without = ir.replacen(
                "call void @_RNvNtC4core9panicking9panic_fmt(ptr @table)",
                "store ptr @table, ptr %p",
                1,
            );
            assert!(without != ir && formatters(&without, "k", is_of_core).is_empty(), "{body}");
        }
    }
}
