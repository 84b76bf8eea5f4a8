//! Finds barriers of a CTA or a cluster that only some threads reach, because a condition depends on the thread.
//!
//! A value counts as dependent only if the analysis sees how the value follows from the thread's index, from an atomic operation
//! or from another source. A load from an address that all threads share counts as equal in all threads. The analysis therefore
//! finds slips and proves nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::body::{Block, Function, Instruction, functions};
use crate::convergence::without_comments;
use crate::flow::Graph;
use crate::ir::{self, Callee};
use crate::lines::{Lines, Place, write_way};
use crate::program::{Path, Program, readable};

/// A barrier that only some threads may reach.
pub struct Divergent<'a> {
    /// The call path from the kernel to the function with the barrier.
    pub way: Path<'a>,
    found: Found,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Found {
    /// The instruction, or the function that executes the instruction.
    barrier: String,
    place: Option<Place>,
    branch: Option<Place>,
}

/// Returns the barriers in optimized IR that only some threads may reach, by kernel.
pub fn divergent_barriers<'a>(program: &Program<'a>, ir: &str) -> Vec<Divergent<'a>> {
    let functions = functions(ir);
    let lines = Lines::read(ir);
    let module = Module::of(&functions);
    let found: HashMap<&str, Vec<Found>> = functions
        .iter()
        .map(|function| (function.name, module.found(function, &lines)))
        .filter(|(_, found)| !found.is_empty())
        .collect();
    if found.is_empty() {
        return Vec::new();
    }
    let ways = program.ways_without_panics(|name| found.contains_key(name));
    let mut all = Vec::new();
    for way in ways {
        let of_function = found.get(way.end()).into_iter().flatten();
        all.extend(of_function.map(|found| Divergent { way: way.clone(), found: found.clone() }));
    }
    all
}

impl std::fmt::Display for Divergent<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Found { barrier, place, branch } = &self.found;
        write!(f, "`{}`: some threads may not reach `{barrier}`", self.way.entry())?;
        write_way(f, &self.way, place.as_ref(), "")?;
        if let Some(branch) = branch {
            write!(f, "\n  condition: {branch}, which depends on the thread")?;
        }
        write!(
            f,
            "\n  cure: all threads of the CTA make a collective call together: move the call out of the condition, or make the \
             condition equal in all threads; `-Clink-arg=--allow-divergence={}` switches this warning off",
            self.way.entry()
        )
    }
}

/// The facts that the analysis of one function takes from the others.
#[derive(Default)]
pub struct Module<'a> {
    /// The dependent values of each function.
    dependent: HashMap<&'a str, HashSet<&'a str>>,
    /// The functions whose result depends on the thread.
    results: HashSet<&'a str>,
    /// The functions that reach a barrier, each with the barrier.
    barriers: HashMap<&'a str, String>,
}

impl<'a> Module<'a> {
    pub fn of(functions: &[Function<'a>]) -> Self {
        let mut module = Self::default();
        let graphs: Vec<_> = functions.iter().map(graph).collect();
        let parameters: HashMap<&str, &[&str]> =
            functions.iter().map(|function| (function.name, &function.parameters[..])).collect();
        loop {
            let before = module.size();
            for (function, graph) in functions.iter().zip(&graphs) {
                module.spread(function, graph);
                module.pass_arguments(function, &parameters);
            }
            if module.size() == before {
                break module;
            }
        }
    }

    fn size(&self) -> usize {
        self.dependent.values().map(HashSet::len).sum::<usize>() + self.results.len() + self.barriers.len()
    }

    /// Finds the dependent values of a function.
    fn spread(&mut self, function: &Function<'a>, graph: &Graph) {
        let mut dependent = self.dependent.remove(function.name).unwrap_or_default();
        let (memory, computed) = (Memory::of(function), computed(function));
        loop {
            let before = dependent.len();
            for (at, block) in function.blocks.iter().enumerate() {
                for instruction in &block.instructions {
                    self.execute(instruction, &memory, &mut dependent);
                }
                if !depends_on_thread(block, &dependent) {
                    continue;
                }
                let region = graph.region(at);
                for join in graph.joins(at, &region) {
                    let phis = function.blocks[join].instructions.iter().filter(|one| one.opcode == "phi");
                    dependent.extend(
                        phis.filter(|phi| has_several_values(phi, &computed)).filter_map(|phi| phi.result),
                    );
                }
                dependent.extend(leaving(function, &graph.cycle(at, &region)));
            }
            if dependent.len() == before {
                break;
            }
        }
        let returns = function.blocks.iter().filter_map(|block| block.instructions.last());
        if returns
            .filter(|last| last.opcode == "ret")
            .any(|last| last.operands().any(|value| dependent.contains(value)))
        {
            self.results.insert(function.name);
        }
        let barrier =
            function.blocks.iter().flat_map(|block| &block.instructions).find_map(|one| self.barrier(one));
        if let Some(barrier) = barrier {
            self.barriers.entry(function.name).or_insert(barrier);
        }
        self.dependent.insert(function.name, dependent);
    }

    /// Adds the value that an instruction defines, if the value depends on the thread.
    fn execute(&self, instruction: &Instruction<'a>, memory: &Memory<'a>, dependent: &mut HashSet<&'a str>) {
        let any = |dependent: &HashSet<&str>| instruction.operands().any(|value| dependent.contains(value));
        let call = ir::call(instruction.line);
        let depends = match (instruction.opcode, call.map(|call| call.callee)) {
            ("atomicrmw" | "cmpxchg", _) => true,
            (_, Some(Callee::Asm(text))) => match kind(&ir::asm_source(text)) {
                Kind::Source => true,
                Kind::SameInAll => false,
                Kind::Other => any(dependent),
            },
            (_, Some(Callee::Symbol(name))) => {
                is_source(name) || self.results.contains(name) || any(dependent)
            }
            _ => any(dependent),
        };
        if depends {
            // The memory that the instruction writes then holds a dependent value.
            dependent.extend(memory.written(instruction));
            dependent.extend(instruction.result);
        }
    }

    /// Marks as dependent each parameter of a callee to which a function passes a dependent value.
    fn pass_arguments(&mut self, function: &Function<'a>, parameters: &HashMap<&'a str, &[&'a str]>) {
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(ir::Call { callee: Callee::Symbol(name), attributes }) = ir::call(instruction.line)
            else {
                continue;
            };
            let Some((&callee, parameters)) = parameters.get_key_value(name) else { continue };
            let head = &instruction.line[..attributes];
            let Some(start) = head.rfind(&format!("{name}(")).or_else(|| head.rfind(&format!("{name}\"(")))
            else {
                continue;
            };
            let Some(open) = head[start..].find('(').map(|at| start + at) else { continue };
            let dependent = &self.dependent[function.name];
            let arguments = ir::parts(instruction.line, &(open..attributes));
            let is_dependent = |part: &std::ops::Range<usize>| {
                crate::body::values(&instruction.line[part.clone()]).any(|value| dependent.contains(value))
            };
            let passed: Vec<_> = parameters
                .iter()
                .zip(&arguments)
                .filter(|(_, part)| is_dependent(part))
                .map(|(parameter, _)| *parameter)
                .collect();
            self.dependent.entry(callee).or_default().extend(passed);
        }
    }

    /// Returns the barrier that an instruction is or calls.
    fn barrier(&self, instruction: &Instruction<'_>) -> Option<String> {
        match ir::call(instruction.line)?.callee {
            Callee::Asm(text) => barrier(&ir::asm_source(text)),
            Callee::Symbol(name) => self.barriers.get(name).map(|_| readable(name)),
            Callee::Pointer => None,
        }
    }

    /// Returns true if the block of a function ends with a branch that depends on the thread.
    pub fn parts_threads(&self, function: &str, block: &Block<'_>) -> bool {
        self.dependent.get(function).is_some_and(|dependent| depends_on_thread(block, dependent))
    }

    fn found(&self, function: &Function<'a>, lines: &Lines<'_>) -> Vec<Found> {
        let Some(dependent) = self.dependent.get(function.name) else { return Vec::new() };
        let graph = graph(function);
        // The innermost branch of each block, with the size of its region: a barrier under several conditions is reported once.
        let mut branches: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (at, block) in function.blocks.iter().enumerate() {
            if depends_on_thread(block, dependent) {
                let region = graph.region(at);
                for &inside in &region {
                    let innermost = branches.entry(inside).or_insert((region.len(), at));
                    *innermost = (region.len(), at).min(*innermost);
                }
            }
        }
        let mut found: Vec<Found> = Vec::new();
        for (inside, (_, branch)) in branches {
            for instruction in &function.blocks[inside].instructions {
                let Some(barrier) = self.barrier(instruction) else { continue };
                let branch =
                    function.blocks[branch].instructions.last().and_then(|last| lines.place(last.line));
                let one = Found { barrier, place: lines.place(instruction.line), branch };
                if !found.contains(&one) {
                    found.push(one);
                }
            }
        }
        found
    }
}

/// Returns the control flow of a function.
pub fn graph(function: &Function<'_>) -> Graph {
    let successors: Vec<_> = function.blocks.iter().map(|block| block.successors.clone()).collect();
    let returns =
        |at: usize| function.blocks[at].instructions.last().is_some_and(|last| last.opcode == "ret");
    Graph::new(&successors, returns)
}

/// Returns true if the block ends with a branch on a dependent value.
fn depends_on_thread(block: &Block<'_>, dependent: &HashSet<&str>) -> bool {
    let last = block.instructions.last();
    block.successors.len() > 1
        && last.is_some_and(|last| {
            matches!(last.opcode, "br" | "switch")
                && last.operands().next().is_some_and(|value| dependent.contains(value))
        })
}

/// Returns true if a `phi` joins values that differ. Values that equal instructions compute count as one.
fn has_several_values(phi: &Instruction<'_>, computed: &HashMap<&str, &str>) -> bool {
    let pairs = phi.line.split('[').skip(1).filter_map(|pair| pair.split(',').next().map(str::trim));
    pairs.map(|value| computed.get(value).copied().unwrap_or(value)).collect::<HashSet<_>>().len() > 1
}

/// Returns the text of each instruction whose result depends on its operands alone, by the name of the result.
fn computed<'a>(function: &Function<'a>) -> HashMap<&'a str, &'a str> {
    const PURE: [&str; 20] = [
        "add",
        "sub",
        "mul",
        "and",
        "or",
        "xor",
        "shl",
        "lshr",
        "ashr",
        "getelementptr",
        "zext",
        "sext",
        "trunc",
        "icmp",
        "select",
        "ptrtoint",
        "inttoptr",
        "bitcast",
        "udiv",
        "urem",
    ];
    let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
    let pure = instructions.filter(|instruction| PURE.contains(&instruction.opcode));
    pure.filter_map(|instruction| {
        let (_, text) = instruction.line.split_once(" = ")?;
        // Removes the place in the source.
        Some((instruction.result?, text.split(", !").next()?))
    })
    .collect()
}

/// Returns the values that are defined in a cycle and used outside the cycle, which threads leave in different rounds.
fn leaving<'a>(function: &Function<'a>, cycle: &BTreeSet<usize>) -> Vec<&'a str> {
    let defined: HashSet<&str> = cycle
        .iter()
        .flat_map(|&block| &function.blocks[block].instructions)
        .filter_map(|instruction| instruction.result)
        .collect();
    let outside =
        function.blocks.iter().enumerate().filter(|(at, _)| !cycle.is_empty() && !cycle.contains(at));
    let used = outside.flat_map(|(_, block)| &block.instructions).flat_map(Instruction::operands);
    used.filter(|value| defined.contains(value)).collect()
}

/// The pointers into the allocas of a function, each with its alloca. An alloca that holds a dependent value is dependent.
struct Memory<'a>(HashMap<&'a str, &'a str>);

impl<'a> Memory<'a> {
    fn of(function: &Function<'a>) -> Self {
        let mut roots: HashMap<&str, &str> = HashMap::new();
        for instruction in function.blocks.iter().flat_map(|block| &block.instructions) {
            let Some(result) = instruction.result else { continue };
            let root = match instruction.opcode {
                "alloca" => Some(result),
                "getelementptr" | "addrspacecast" | "bitcast" => {
                    instruction.operands().find_map(|value| roots.get(value).copied())
                }
                _ => None,
            };
            roots.extend(root.map(|root| (result, root)));
        }
        Self(roots)
    }

    /// Returns the pointers into the memory that an instruction writes.
    fn written(&self, instruction: &Instruction<'a>) -> Vec<&'a str> {
        if !matches!(instruction.opcode, "store" | "call") {
            return Vec::new();
        }
        let roots: HashSet<&str> =
            instruction.operands().filter_map(|value| self.0.get(value).copied()).collect();
        self.0.iter().filter(|(_, root)| roots.contains(*root)).map(|(pointer, _)| *pointer).collect()
    }
}

enum Kind {
    /// The result depends on the thread.
    Source,
    /// All threads get the same result.
    SameInAll,
    /// The result depends on the thread if an operand does.
    Other,
}

fn kind(asm: &str) -> Kind {
    const REGISTERS: [&str; 6] = ["%tid", "%laneid", "%warpid", "%lanemask", "%clock", "%globaltimer"];
    const INSTRUCTIONS: [&str; 7] = [
        "atom.",
        "multimem.atom",
        "elect.sync",
        "activemask",
        "match.",
        "mbarrier.test_wait",
        "mbarrier.try_wait",
    ];
    let code = without_comments(asm).unwrap_or_default();
    if REGISTERS.iter().any(|register| code.contains(register)) {
        return Kind::Source;
    }
    let mut mnemonics = statements(&code).filter_map(|statement| statement.split_whitespace().next());
    if mnemonics.clone().any(|mnemonic| INSTRUCTIONS.iter().any(|start| mnemonic.starts_with(start))) {
        Kind::Source
    } else if mnemonics
        .any(|mnemonic| mnemonic.starts_with("barrier.cta.red") || mnemonic.starts_with("barrier.red"))
    {
        Kind::SameInAll
    } else {
        Kind::Other
    }
}

/// Returns true if the result of an intrinsic depends on the thread.
fn is_source(name: &str) -> bool {
    let Some(register) = name.strip_prefix("llvm.nvvm.read.ptx.sreg.") else {
        return name.starts_with("llvm.nvvm.atomic") || name.starts_with("llvm.nvvm.elect");
    };
    ["tid", "laneid", "warpid", "lanemask", "clock", "globaltimer"]
        .iter()
        .any(|start| register.starts_with(start))
}

/// Returns the statements of asm, without braces and guards.
fn statements(code: &str) -> impl Iterator<Item = &str> + Clone {
    code.split(';').map(|statement| {
        let statement = statement.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '}');
        match statement.strip_prefix('@') {
            Some(guarded) => {
                guarded.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim_start())
            }
            None => statement,
        }
    })
}

/// Returns the barrier in a block of asm that all threads of the CTA or the cluster must reach. A barrier with a number of
/// threads is for a part of the CTA, and is not returned.
fn barrier(asm: &str) -> Option<String> {
    let code = without_comments(asm)?;
    let mut barriers = statements(&code).filter_map(|statement| {
        let (mnemonic, operands) = statement.split_once(char::is_whitespace).unwrap_or((statement, ""));
        let count = operands.split(',').filter(|operand| !operand.trim().is_empty()).count();
        let is = |names: &[&str]| {
            names.iter().any(|name| {
                mnemonic.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let of_all = is(&["barrier.cta.sync", "barrier.sync", "bar.cta.sync", "bar.sync"]) && count == 1
            || is(&["barrier.cta.red", "barrier.red", "bar.cta.red", "bar.red"]) && count == 3
            || is(&["barrier.cluster.arrive", "barrier.cluster.wait"]);
        of_all.then(|| mnemonic.to_owned())
    });
    barriers.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the findings in a kernel with the blocks `body`, which may use `%tid` and the uniform `%n`.
    #[track_caller]
    fn assert_finds(expected: &[&str], body: &str) {
        let ir = format!(
            "define ptx_kernel void @k(i32 %n, ptr %p) {{\nstart:\n  \
             %tid = tail call i32 @llvm.nvvm.read.ptx.sreg.tid.x(), !dbg !20\n{body}}}\n\
             define internal void @helper(i32 %x) {{\n  %1 = icmp eq i32 %x, 0\n  br i1 %1, label %a, label %b\na:\n  \
             call void asm sideeffect \"barrier.cta.sync.aligned 0;\", \"~{{memory}}\"() #1\n  br label %b\nb:\n  ret void\n}}\n"
        );
        let program = Program::read(&ir);
        let found = divergent_barriers(&program, &ir);
        let found: Vec<_> = found.iter().map(|one| format!("{} {}", one.way, one.found.barrier)).collect();
        assert_eq!(found, expected, "{body}");
    }

    const SYNC: &str = "  call void asm sideeffect \"barrier.cta.sync.aligned 0;\", \"~{memory}\"() #1\n";

    fn under(condition: &str, then: &str) -> String {
        format!(
            "{condition}  br i1 %c, label %then, label %end\nthen:                 ; preds = %start\n{then}  br label %end\n\
             end:          ; preds = %start, %then\n  ret void\n"
        )
    }

    const BY_THREAD: &str = "  %c = icmp ult i32 %tid, 32\n";
    const FOUND: &str = "`k` barrier.cta.sync.aligned";

    #[test]
    fn a_barrier_under_a_condition_on_the_thread_is_found() {
        assert_finds(&[FOUND], &under(BY_THREAD, SYNC));
        for source in [
            "  %v = call i32 asm sideeffect \"mov.u32 $0, %laneid;\", \"=r\"()\n",
            "  %v = call i32 asm \"atom.add.u32 $0, [$1], 1;\", \"=r,l\"(ptr %p)\n",
            "  %v = atomicrmw add ptr %p, i32 1 monotonic\n",
            "  %g = getelementptr i32, ptr %p, i32 %tid\n  %v = load i32, ptr %g, align 4\n",
            "  %w = mul i32 %tid, %n\n  %v = call i32 asm \"shfl.sync.idx.b32 $0, $1, 0, 31, -1;\", \"=r,r\"(i32 %w)\n",
            "  %a = alloca i32\n  store i32 %tid, ptr %a\n  %v = load i32, ptr %a\n",
        ] {
            assert_finds(&[FOUND], &under(&format!("{source}  %c = icmp eq i32 %v, 0\n"), SYNC));
        }
        let cluster = SYNC.replace("barrier.cta.sync.aligned 0", "barrier.cluster.arrive.aligned");
        assert_finds(&["`k` barrier.cluster.arrive.aligned"], &under(BY_THREAD, &cluster));
    }

    #[test]
    fn what_all_threads_share_is_no_condition_on_the_thread() {
        for source in [
            "  %v = load i32, ptr %p, align 4\n",
            "  %v = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n",
            "  %v = call i32 asm sideeffect \"{.reg .pred p; setp.ne.u32 p, $1, 0; barrier.cta.red.popc.aligned.u32 $0, 0, p;}\", \
             \"=r,r\"(i32 %tid)\n",
            "  %v = add i32 %n, 7\n",
        ] {
            assert_finds(&[], &under(&format!("{source}  %c = icmp eq i32 %v, 0\n"), SYNC));
        }
        let of_a_part = SYNC.replace("aligned 0;", "aligned 1, 64;");
        assert_finds(&[], &under(BY_THREAD, &of_a_part));
        assert_finds(
            &[],
            &(under(BY_THREAD, "  store i32 1, ptr %p\n")
                .replace("  ret void", &format!("{SYNC}  ret void"))),
        );
    }

    #[test]
    fn arms_that_compute_the_same_value_join_it() {
        let arms = |other: &str| {
            format!(
                "{BY_THREAD}  br i1 %c, label %then, label %else\nthen:\n  %a = add i32 %n, 7, !dbg !21\n  br label %join\n\
                 else:\n  %b = {other}, !dbg !22\n  br label %join\njoin:\n  %v = phi i32 [ %a, %then ], [ %b, %else ]\n  \
                 %d = icmp eq i32 %v, 0\n  br i1 %d, label %sync, label %end\nsync:\n{SYNC}  br label %end\nend:\n  ret void\n"
            )
        };
        assert_finds(&[], &arms("add i32 %n, 7"));
        assert_finds(&[FOUND], &arms("add i32 %n, 8"));
        assert_finds(&[FOUND], &arms("load i32, ptr %p, align 4"));
    }

    #[test]
    fn threads_that_return_early_or_loop_longer_are_found() {
        let early = format!(
            "{BY_THREAD}  br i1 %c, label %end, label %rest\nrest:\n{SYNC}  br label %end\nend:\n  ret void\n"
        );
        assert_finds(&[FOUND], &early);
        let looping = |start: &str, after: &str| {
            format!(
                "  br label %loop\nloop:\n  %i = phi i32 [ {start}, %start ], [ %j, %loop ]\n{SYNC}  %j = add i32 %i, 256\n  \
                 %more = icmp ult i32 %j, %n\n  br i1 %more, label %loop, label %end\nend:\n{after}  ret void\n"
            )
        };
        assert_finds(&[FOUND], &looping("%tid", ""));
        assert_finds(&[], &looping("0", SYNC));
    }

    #[test]
    fn a_branch_to_a_trap_ends_all_threads() {
        let trap = format!(
            "{BY_THREAD}  br i1 %c, label %rest, label %trap\ntrap:\n  call void asm \"trap;\", \"\"()\n  unreachable\nrest:\n\
             {SYNC}  ret void\n"
        );
        assert_finds(&[], &trap);
    }

    #[test]
    fn values_that_differ_by_the_way_are_found() {
        let body = format!(
            "{BY_THREAD}  br i1 %c, label %then, label %join\nthen:\n  store i32 1, ptr %p\n  br label %join\njoin:\n  \
             %v = phi i32 [ 1, %start ], [ VALUE, %then ]\n  %d = icmp eq i32 %v, 2\n  br i1 %d, label %sync, label %end\nsync:\n\
             {SYNC}  br label %end\nend:\n  ret void\n"
        );
        assert_finds(&[FOUND], &body.replace("VALUE", "2"));
        assert_finds(&[], &body.replace("VALUE", "1"));
    }

    #[test]
    fn functions_that_are_not_inlined_are_seen_through() {
        let call = |argument: &str| format!("  call void @helper(i32 {argument})\n  ret void\n");
        assert_finds(&["`k` -> `helper` barrier.cta.sync.aligned"], &call("%tid"));
        assert_finds(&[], &call("%n"));
        assert_finds(&["`k` helper"], &under(BY_THREAD, "  call void @helper(i32 %n)\n"));
    }
}
