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
use crate::lines::{Lines, Place};
use crate::program::{Path, Program, readable, write_way};

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
    dependent: HashMap<&'a str, Values<'a>>,
    /// The functions whose result depends on the thread.
    results: HashMap<&'a str, Bits>,
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
        let results: u32 = self.results.values().map(|bits| bits.count_ones()).sum();
        self.dependent.values().map(Values::size).sum::<usize>() + results as usize + self.barriers.len()
    }

    /// Finds the dependent values of a function.
    fn spread(&mut self, function: &Function<'a>, graph: &Graph) {
        let mut dependent = self.dependent.remove(function.name).unwrap_or_default();
        let (memory, computed, lanes) = (Memory::of(function), computed(function), Lanes::of(function));
        loop {
            let before = dependent.size();
            for (at, block) in function.blocks.iter().enumerate() {
                for instruction in &block.instructions {
                    self.execute(instruction, &memory, &lanes, &mut dependent);
                }
                let condition = condition(block, &dependent);
                if condition == 0 {
                    continue;
                }
                let region = graph.region(at);
                for join in graph.joins(at, &region) {
                    let phis = function.blocks[join].instructions.iter().filter(|one| one.opcode == "phi");
                    let several = phis.filter(|phi| has_several_values(phi, &computed));
                    dependent.add(several.filter_map(|phi| phi.result), condition);
                }
                dependent.add(leaving(function, &graph.cycle(at, &region)), condition);
            }
            if dependent.size() == before {
                break;
            }
        }
        let returns = function.blocks.iter().filter_map(|block| block.instructions.last());
        let returned = returns.filter(|last| last.opcode == "ret").map(|last| dependent.of_operands(last));
        *self.results.entry(function.name).or_default() |= returned.fold(0, |one, other| one | other);
        let barrier =
            function.blocks.iter().flat_map(|block| &block.instructions).find_map(|one| self.barrier(one));
        if let Some(barrier) = barrier {
            self.barriers.entry(function.name).or_insert(barrier);
        }
        self.dependent.insert(function.name, dependent);
    }

    /// Adds the value that an instruction defines, if the value depends on the thread.
    fn execute(
        &self,
        instruction: &Instruction<'a>,
        memory: &Memory<'a>,
        lanes: &Lanes<'a, '_>,
        dependent: &mut Values<'a>,
    ) {
        let of_operands = dependent.of_operands(instruction);
        let call = ir::call(instruction.line);
        let bits = match (instruction.opcode, call.map(|call| call.callee)) {
            ("atomicrmw" | "cmpxchg", _) => ALL,
            (_, Some(Callee::Asm(text))) => match kind(&ir::asm_source(text)) {
                Kind::Source(bits) => bits,
                Kind::SameInAll => 0,
                Kind::Other => lanes.exchanged(instruction, dependent).unwrap_or(of_operands),
            },
            (_, Some(Callee::Symbol(name))) => {
                let of_result = self.results.get(name).copied().unwrap_or_default();
                lanes.combined(instruction, dependent).unwrap_or(of_operands) | source(name) | of_result
            }
            _ => lanes.combined(instruction, dependent).unwrap_or(of_operands),
        };
        if bits != 0 {
            // The memory that the instruction writes then holds a dependent value.
            dependent.add(memory.written(instruction), bits);
            dependent.add(instruction.result, bits);
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
            let of_part = |part: &std::ops::Range<usize>| {
                dependent.of(crate::body::values(&instruction.line[part.clone()]))
            };
            let passed: Vec<_> = parameters.iter().copied().zip(arguments.iter().map(of_part)).collect();
            let of_callee = self.dependent.entry(callee).or_default();
            passed.into_iter().for_each(|(parameter, bits)| of_callee.add([parameter], bits));
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
        self.dependent.get(function).is_some_and(|dependent| condition(block, dependent) != 0)
    }

    fn found(&self, function: &Function<'a>, lines: &Lines<'_>) -> Vec<Found> {
        let Some(dependent) = self.dependent.get(function.name) else { return Vec::new() };
        let graph = graph(function);
        // The innermost branch of each block, with the size of its region: a barrier under several conditions is reported once.
        let mut branches: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (at, block) in function.blocks.iter().enumerate() {
            if condition(block, dependent) != 0 {
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

/// What of the thread a value depends on: a bit for each bit of the lane, and [`OTHER`]. 0 is equal in all threads of the CTA.
type Bits = u8;

/// The value depends on the lane, and has the same value in each warp.
const LANE: Bits = 0x1f;
/// The value differs between warps.
const OTHER: Bits = 0x20;
const ALL: Bits = LANE | OTHER;

/// Values that depend on the thread.
#[derive(Default)]
struct Values<'a>(HashMap<&'a str, Bits>);

impl<'a> Values<'a> {
    fn size(&self) -> usize {
        self.0.values().map(|bits| bits.count_ones() as usize).sum()
    }

    fn of<'b>(&self, names: impl IntoIterator<Item = &'b str>) -> Bits {
        names.into_iter().fold(0, |bits, name| bits | self.0.get(name).copied().unwrap_or_default())
    }

    fn of_operands(&self, instruction: &Instruction<'_>) -> Bits {
        self.of(instruction.operands())
    }

    fn add(&mut self, names: impl IntoIterator<Item = &'a str>, bits: Bits) {
        names.into_iter().for_each(|name| *self.0.entry(name).or_default() |= bits);
    }
}

/// Returns what the condition depends on at which a block ends.
fn condition(block: &Block<'_>, dependent: &Values<'_>) -> Bits {
    let last = block.instructions.last().filter(|last| matches!(last.opcode, "br" | "switch"));
    let condition = last.filter(|_| block.successors.len() > 1).and_then(|last| last.operands().next());
    dependent.of(condition)
}

/// The instructions by the values that they define: shows what the threads of a warp exchange, and what becomes equal by it.
///
/// A block reduction ends so: each warp loads the partial results of all warps, at addresses that depend on the lane alone, and
/// combines them. Each warp gets the same.
struct Lanes<'a, 'b>(HashMap<&'a str, &'b Instruction<'a>>);

/// An operand of an instruction in asm.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Value(&'a str),
    Constant(i64),
}

impl<'a, 'b> Lanes<'a, 'b> {
    fn of(function: &'b Function<'a>) -> Self {
        let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        Self(instructions.filter_map(|one| Some((one.result?, one))).collect())
    }

    /// Returns the inputs of the instruction in a block of asm whose mnemonic starts with `start`, without the destination.
    fn inputs(&self, instruction: &Instruction<'a>, start: &str) -> Option<Vec<Operand<'a>>> {
        let line = instruction.line;
        let call = ir::call(line)?;
        let Callee::Asm(text) = call.callee else { return None };
        let source = without_comments(&ir::asm_source(text))?;
        let statement = statements(&source).find(|statement| statement.starts_with(start))?;
        let (_, operands) = statement.split_once(char::is_whitespace)?;
        let constraints = line[..call.attributes].rsplit_once("\", \"")?.1;
        let results = constraints.split('"').next()?.split(',').filter(|one| one.starts_with('=')).count();
        let open = line[..call.attributes].rfind("\"(")? + 1;
        let arguments = ir::parts(line, &(open..call.attributes));
        let read = |operand: &str| {
            let operand = operand.trim();
            let Some(number) = operand.strip_prefix('$') else {
                return operand.parse().ok().map(Operand::Constant);
            };
            let number: usize = number.trim_matches(['{', '}']).parse().ok()?;
            let argument = &line[arguments.get(number.checked_sub(results)?)?.clone()];
            match crate::body::values(argument).last() {
                Some(value) => Some(Operand::Value(value)),
                None => argument.rsplit(' ').next()?.parse().ok().map(Operand::Constant),
            }
        };
        operands.split(',').skip(1).map(read).collect()
    }

    /// Returns what the result depends on of an exchange between all lanes of a warp, after which lanes have the same value.
    fn exchanged(&self, instruction: &Instruction<'a>, dependent: &Values<'_>) -> Option<Bits> {
        let of = |operand: &Operand<'_>| match operand {
            Operand::Value(value) => dependent.of([*value]),
            Operand::Constant(_) => 0,
        };
        if let Some(inputs) = self.inputs(instruction, "redux.sync.")
            && let [value, Operand::Constant(-1)] = &inputs[..]
        {
            return Some(of(value) & OTHER);
        }
        if let Some(inputs) = self.inputs(instruction, "shfl.sync.idx.")
            && let [value, lane, Operand::Constant(31), Operand::Constant(-1)] = &inputs[..]
            && of(lane) == 0
        {
            return Some(of(value) & OTHER);
        }
        None
    }

    /// Returns what a combination depends on: one with the value of the lane across (`shfl.sync.bfly`) is the same in both lanes,
    /// and one with a constant leaves out bits of the lane.
    fn combined(&self, instruction: &Instruction<'a>, dependent: &Values<'_>) -> Option<Bits> {
        const COMMUTATIVE: [&str; 7] = ["add", "mul", "and", "or", "xor", "fadd", "fmul"];
        const FUNCTIONS: [&str; 4] = ["@llvm.umin", "@llvm.umax", "@llvm.smin", "@llvm.smax"];
        const OF_FLOATS: [&str; 4] = ["@llvm.minnum", "@llvm.maxnum", "@llvm.minimum", "@llvm.maximum"];
        let is_commutative = COMMUTATIVE.contains(&instruction.opcode)
            || FUNCTIONS.iter().chain(&OF_FLOATS).any(|name| instruction.line.contains(name));
        let operands: Vec<_> = instruction.operands().collect();
        if let [one, other] = operands[..]
            && is_commutative
        {
            let across = |from: &'a str, value: &'a str| {
                let exchange = self.0.get(self.plain(from))?;
                let inputs = self.inputs(exchange, "shfl.sync.bfly.")?;
                let [
                    Operand::Value(sent),
                    Operand::Constant(lane),
                    Operand::Constant(31),
                    Operand::Constant(-1),
                ] = inputs[..]
                else {
                    return None;
                };
                let is_one_bit = lane.count_ones() == 1 && lane < 32;
                (is_one_bit && self.plain(sent) == self.plain(value)).then_some(lane as Bits)
            };
            let lane = across(one, other).or_else(|| across(other, one))?;
            return Some(dependent.of_operands(instruction) & !lane);
        }
        if let ("and", [value]) = (instruction.opcode, &operands[..]) {
            let constant: u64 = instruction.line.split(", ").nth(1)?.parse().ok()?;
            let shift = self.shift_of_lane(value)?;
            return Some(dependent.of_operands(instruction) & (constant >> shift) as Bits & LANE);
        }
        None
    }

    /// Returns the value of which this one is the same bits.
    fn plain(&self, value: &'a str) -> &'a str {
        let mut value = value;
        while let Some(cast) = self.0.get(value).filter(|one| one.opcode == "bitcast")
            && let Some(operand) = cast.operands().next()
        {
            value = operand;
        }
        value
    }

    /// Returns by how many bits a value is the lane, shifted to the left.
    fn shift_of_lane(&self, value: &str) -> Option<u32> {
        let instruction = self.0.get(value)?;
        match instruction.opcode {
            "shl" => {
                let by: u32 = instruction.line.split(", ").nth(1)?.parse().ok()?;
                Some(self.shift_of_lane(instruction.operands().next()?)?.saturating_add(by))
                    .filter(|by| *by < 64)
            }
            _ => match ir::call(instruction.line)?.callee {
                Callee::Asm(text) => {
                    (without_comments(&ir::asm_source(text))?.trim() == "mov.u32 ${0}, %laneid;").then_some(0)
                }
                Callee::Symbol(name) => (name == "llvm.nvvm.read.ptx.sreg.laneid").then_some(0),
                Callee::Pointer => None,
            },
        }
    }
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
    Source(Bits),
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
    let mut found = REGISTERS.iter().filter(|register| code.contains(*register)).peekable();
    if found.peek().is_some() {
        return Kind::Source(if found.all(|register| *register == "%laneid") { LANE } else { ALL });
    }
    let mut mnemonics = statements(&code).filter_map(|statement| statement.split_whitespace().next());
    if mnemonics.clone().any(|mnemonic| INSTRUCTIONS.iter().any(|start| mnemonic.starts_with(start))) {
        Kind::Source(ALL)
    } else if mnemonics
        .any(|mnemonic| mnemonic.starts_with("barrier.cta.red") || mnemonic.starts_with("barrier.red"))
    {
        Kind::SameInAll
    } else {
        Kind::Other
    }
}

/// Returns what the result of an intrinsic depends on, apart from its operands.
fn source(name: &str) -> Bits {
    let Some(register) = name.strip_prefix("llvm.nvvm.read.ptx.sreg.") else {
        let is_source = name.starts_with("llvm.nvvm.atomic") || name.starts_with("llvm.nvvm.elect");
        return if is_source { ALL } else { 0 };
    };
    let of_thread = ["tid", "warpid", "lanemask", "clock", "globaltimer"];
    match register {
        "laneid" => LANE,
        _ if of_thread.iter().any(|start| register.starts_with(start)) => ALL,
        _ => 0,
    }
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
    fn a_block_reduction_is_no_condition_on_the_thread() {
        const LANE: &str = "  %lane = call i32 asm \"mov.u32 ${0}, %laneid; // ptx:1.3\", \"=r\"()\n";
        let redux = |value: &str, mask: &str| {
            format!(
                "call i32 asm sideeffect \"redux.sync.add.u32 ${{0}}, ${{1}}, ${{2}};\", \"=r,r,r\"(i32 {value}, i32 {mask})\n"
            )
        };
        let shuffle = |kind: &str, value: &str, lane: &str| {
            format!(
                "call i32 asm sideeffect \"shfl.sync.{kind}.b32 ${{0}}, ${{1}}, ${{2}}, ${{3}}, ${{4}};\", \
                 \"=r,r,r,r,r\"(i32 {value}, i32 {lane}, i32 31, i32 -1)\n"
            )
        };
        // Each warp loads the partial results of all warps: the address depends on the lane alone.
        let partial = |address: &str| {
            format!(
                "{LANE}  %at = {address}\n  %x = call i32 asm \"ld.weak.shared::cta.b32 $0, [$1];\", \"=r,r\"(i32 %at)\n"
            )
        };
        let lane = partial("shl i32 %lane, 2");
        let four = partial("and i32 %low, 12").replace("  %at", "  %low = shl i32 %lane, 2\n  %at");
        let step = |from: &str, to: &str, lane: u32| {
            format!(
                "  %s{to} = {}  %{to} = add i32 %{from}, %s{to}\n",
                shuffle("bfly", &format!("%{from}"), &lane.to_string())
            )
        };
        let condition = |source: &str| under(&format!("{source}  %c = icmp eq i32 %v, 0\n"), SYNC);
        let uniform = [
            format!("{lane}  %v = {}", redux("%x", "-1")),
            format!("{lane}  %v = {}", shuffle("idx", "%x", "7")),
            format!("{four}{}{}", step("x", "y", 2), step("y", "v", 1)),
        ];
        for source in uniform {
            assert_finds(&[], &condition(&source));
        }
        let dependent = [
            // The result of a warp, of some lanes, of a lane that each thread chooses.
            format!("  %v = {}", redux("%tid", "-1")),
            format!("{lane}  %v = {}", redux("%x", "255")),
            format!("{lane}  %v = {}", shuffle("idx", "%x", "%lane")),
            format!("{lane}  %v = {}", shuffle("up", "%x", "1")),
            // Too few steps, no step between two values of one lane, and an operation that is not commutative.
            format!("{four}{}", step("x", "v", 2)),
            format!(
                "{four}{}  %s = {}  %v = add i32 %x, %s\n",
                step("x", "y", 2),
                shuffle("bfly", "%y", "1")
            ),
            format!("{four}{}{}", step("x", "y", 2), step("y", "v", 1).replace("= add", "= sub")),
            format!("{lane}{}{}", step("x", "y", 2), step("y", "v", 1)),
        ];
        for source in dependent {
            assert_finds(&[FOUND], &condition(&source));
        }
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
