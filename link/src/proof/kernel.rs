//! The proof of one kernel, of which everything is inlined: the levels of its values, and the conditions of its marks.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::body::{Block, Function, Instruction};
use crate::flow::{Graph, closure, dominates};
use crate::ir::{self, Callee};
use crate::lines::Lines;
use crate::program::readable;

use super::levels::{GRID, Group, Level, Values, incoming, ways};
use super::marks::Mark;
use super::module::{FOREIGN_PANIC, is_opaque};

/// A reason why a kernel is not proven.
pub struct Gap {
    /// What is not proven, with its place.
    pub what: String,
    /// The steps from the condition or operand to its source.
    pub chain: Vec<String>,
}

/// Why a value has its level.
#[derive(Clone, Copy)]
enum Cause<'a> {
    /// The instruction itself, or this operand.
    Own,
    Operand(&'a str),
    /// Paths join, or a loop ends, on this condition.
    Branch(usize),
}

/// A place in a function: a block, and an instruction in it.
type At = (usize, usize);

/// The parts in which a place is, from the innermost on: the token of the split, and whether the part is one thread.
type Parts<'a> = Vec<(&'a str, bool)>;

pub struct Kernel<'a, 'b> {
    function: &'b Function<'a>,
    lines: &'b Lines<'a>,
    values: Values<'a, 'b>,
    causes: HashMap<&'a str, Cause<'a>>,
    /// The control flow without the blocks that end in a trap, and with them.
    graph: Graph,
    whole: Vec<Vec<usize>>,
    dominators: Vec<Option<usize>>,
    /// The blocks of the graph.
    lives: HashSet<usize>,
    /// The branches of the graph, each with its region.
    branches: Vec<(usize, BTreeSet<usize>)>,
    marks: Vec<(At, Mark<'a>)>,
    /// Of each instruction of each block, the parts in which it is.
    parts: Vec<Vec<Parts<'a>>>,
    /// Where each value is defined.
    places: HashMap<&'a str, At>,
}

/// Returns what is not proven of a kernel, in a module that defines functions of these names and constants.
pub fn gaps<'a>(
    function: &Function<'a>,
    defined: &HashSet<&str>,
    constants: &[&'a str],
    lines: &Lines<'a>,
) -> Vec<Gap> {
    // Where the library says that the thread ends the grid, it goes nowhere.
    let next =
        |block: &Block<'_>| if ends(&block.instructions) { Vec::new() } else { block.successors.clone() };
    let whole: Vec<Vec<usize>> = function.blocks.iter().map(next).collect();
    if let Some(gap) = unreadable(function, defined, &whole, lines) {
        return vec![gap];
    }
    let mut kernel = Kernel::new(function, constants, lines, whole);
    // Without an end there is no block in which the paths of all threads meet.
    if let Some(block) = kernel.endless() {
        let last = function.blocks[block].instructions.last();
        let place = last.map(|last| place(lines, last)).unwrap_or_default();
        return vec![Gap { what: format!("a loop{place} has no end"), chain: Vec::new() }];
    }
    kernel.spread();
    kernel.gaps()
}

/// Returns what the proof cannot read: calls that are not inlined, and cycles with several entries.
fn unreadable(
    function: &Function<'_>,
    defined: &HashSet<&str>,
    successors: &[Vec<usize>],
    lines: &Lines<'_>,
) -> Option<Gap> {
    const TERMINATORS: [&str; 4] = ["br", "switch", "ret", "unreachable"];
    let gap = |what: String| Some(Gap { what, chain: Vec::new() });
    for block in &function.blocks {
        for instruction in &block.instructions {
            let place = place(lines, instruction);
            if Mark::read(instruction.line).is_some_and(|mark| mark.name == FOREIGN_PANIC) {
                return gap(format!(
                    "a panic{place} runs a panic handler that is not known to end the grid: define it by `ptx::panic_handler!()`"
                ));
            }
            match ir::call(instruction.line).map(|call| call.callee) {
                Some(callee) if is_opaque(&callee, defined) => {
                    return gap(match callee {
                        Callee::Symbol(name) => format!(
                            "the call of `{}`{place} cannot be inlined: the function calls itself, or is none of Rust",
                            readable(name)
                        ),
                        _ => format!("the call{place} is one through a pointer, or of a trait object"),
                    });
                }
                _ => {}
            }
        }
        let last = block.instructions.last()?;
        let targets: HashSet<&str> = last.targets().collect();
        if !TERMINATORS.contains(&last.opcode) || targets.len() != block.successors.len() {
            let place = place(lines, last);
            return gap(format!("the proof does not know the control flow of `{}`{place}", last.opcode));
        }
    }
    let graph = Graph::new(successors, |_| true);
    let dominators = graph.dominators();
    let mut forward: Vec<Vec<usize>> = successors.to_vec();
    for (at, next) in forward.iter_mut().enumerate() {
        next.retain(|&next| !dominates(&dominators, next, at));
    }
    has_cycle(&forward).then(|| Gap {
        what: "a loop has several entries, so that its rounds cannot be told apart".into(),
        chain: Vec::new(),
    })
}

/// Returns true if the blocks that are reached from the entry have a cycle.
pub fn has_cycle(successors: &[Vec<usize>]) -> bool {
    let mut state = vec![0_u8; successors.len()];
    let mut open = vec![(0, 0)];
    while let Some((at, done)) = open.last_mut() {
        state[*at] = 1;
        match successors[*at].get(*done) {
            Some(&next) => {
                *done += 1;
                match state[next] {
                    0 => open.push((next, 0)),
                    1 => return true,
                    _ => {}
                }
            }
            None => {
                state[*at] = 2;
                open.pop();
            }
        }
    }
    false
}

/// Returns true if no thread goes on behind a block: it ends in a trap of the library, a panic, or is never reached.
fn is_dead_end(instructions: &[Instruction<'_>]) -> bool {
    let mut calls = instructions.iter().filter_map(|one| ir::call(one.line)).peekable();
    let traps = |call: &ir::Call<'_>| matches!(call.callee, Callee::Asm(text) if text.starts_with("trap;"));
    if ends(instructions) {
        return true;
    }
    let is_unreachable = instructions.last().is_some_and(|last| last.opcode == "unreachable");
    // rustc knows that no thread reaches an `unreachable` that follows no call, such as the last arm of a `match`.
    is_unreachable && (instructions.len() == 1 || calls.any(|call| traps(&call)))
}

/// Returns true if a block has the mark that the thread ends the grid from there.
fn ends(instructions: &[Instruction<'_>]) -> bool {
    instructions.iter().any(|one| Mark::read(one.line).is_some_and(|mark| mark.name == "ends"))
}

/// Returns the place of the user's code in which an instruction is, or nothing if that is not known.
fn place(lines: &Lines<'_>, instruction: &Instruction<'_>) -> String {
    lines.place_of_user(instruction.last_line()).map_or(String::new(), |place| format!(" at {place}"))
}

impl<'a, 'b> Kernel<'a, 'b> {
    fn new(
        function: &'b Function<'a>,
        constants: &'b [&'a str],
        lines: &'b Lines<'a>,
        whole: Vec<Vec<usize>>,
    ) -> Self {
        let blocks = &function.blocks;
        let returns: Vec<bool> = (0..blocks.len())
            .map(|at| whole[at].is_empty() && !is_dead_end(&blocks[at].instructions))
            .collect();
        // A thread may wait for the other threads in a loop from which it never returns, so such a loop is an end of its own.
        let may_return = closure(&whole, &returns);
        let graph = Graph::new(&whole, |at| returns[at] || !may_return[at] && is_in_cycle(&whole, at));
        let dominators = Graph::new(&whole, |_| true).dominators();
        let branches = (0..blocks.len()).filter(|&at| graph.successors[at].len() > 1);
        let branches = branches.map(|at| (at, graph.region(at))).collect();
        let mut marks = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                marks.extend(Mark::read(instruction.line).map(|mark| ((at, i), mark)));
            }
        }
        let instructions = blocks.iter().flat_map(|block| &block.instructions);
        let values = Values::new(&function.parameters, constants, instructions);
        let lives = reached(&graph.successors, 0);
        let mut places = HashMap::new();
        for (at, block) in blocks.iter().enumerate() {
            let results = block.instructions.iter().enumerate();
            places.extend(results.filter_map(|(i, one)| Some((one.result?, (at, i)))));
        }
        let mut kernel = Self {
            function,
            lines,
            values,
            causes: HashMap::new(),
            graph,
            whole,
            dominators,
            lives,
            branches,
            marks,
            parts: Vec::new(),
            places,
        };
        kernel.parts = (0..blocks.len()).map(|at| kernel.parts_of(at)).collect();
        kernel
    }

    /// Returns the parts of the instructions of a block. A part changes at marks alone.
    fn parts_of(&self, block: usize) -> Vec<Parts<'a>> {
        let ends = |i: usize| {
            self.marks.iter().any(|(at, mark)| {
                *at == (block, i) && (mark.name == "end" || mark.name.starts_with("begin."))
            })
        };
        let mut parts = self.parts_at((block, 0));
        let count = self.function.blocks[block].instructions.len();
        (0..count)
            .map(|i| {
                if i > 0 && (ends(i) || ends(i - 1)) {
                    parts = self.parts_at((block, i));
                }
                parts.clone()
            })
            .collect()
    }

    /// Returns true if a value is equal in all threads of one of the parts.
    fn is_equal_in(&self, parts: &Parts<'_>, value: &str) -> bool {
        match self.values.level(value) {
            Level::Uniform(group) => group >= Group::Cta,
            Level::Part(of) => parts.iter().any(|(split, _)| *split == of),
            Level::Thread => false,
        }
    }

    /// Returns a block from which no path leads to the end of the kernel, nor to a trap.
    fn endless(&self) -> Option<usize> {
        let ends: Vec<bool> = self.whole.iter().map(Vec::is_empty).collect();
        let may_end = closure(&self.whole, &ends);
        self.lives.iter().copied().filter(|&at| !may_end[at]).min()
    }

    /// Lowers the levels of the values until none changes.
    fn spread(&mut self) {
        let effects: Vec<_> = self
            .branches
            .iter()
            .map(|(branch, region)| {
                let joins = self.graph.joins(*branch, region);
                let joined = joins.iter().flat_map(|&join| &self.function.blocks[join].instructions);
                let phis =
                    joined.filter(|one| one.opcode == "phi" && !self.is_one_value(one, *branch, region));
                let phis = phis.filter_map(|phi| phi.result);
                let mut values: Vec<&str> = phis.collect();
                values.extend(self.leaving(&self.graph.cycle(*branch, region)));
                (*branch, values)
            })
            .collect();
        loop {
            let mut changed = false;
            for (at, block) in self.function.blocks.iter().enumerate() {
                for (i, instruction) in block.instructions.iter().enumerate() {
                    let Some(result) = instruction.result else { continue };
                    let mut level = self.values.of_result(instruction);
                    let parts = &self.parts[at][i];
                    // Behind the part, the split may have made other parts in the next round of a loop.
                    if let ("phi", Level::Part(of)) = (instruction.opcode, level)
                        && !parts.iter().any(|(split, _)| *split == of)
                    {
                        level = Level::Thread;
                    }
                    // A part of one thread: what it computes of what is equal in the CTA, no other thread has another way.
                    if let (Level::Thread, Some((split, true))) = (level, parts.first()) {
                        let mut operands = operands_of(instruction).into_iter();
                        if operands.all(|operand| self.is_equal_in(parts, operand)) {
                            level = Level::Part(split);
                        }
                    }
                    // In a block from which every path ends in a trap, joins are not looked at.
                    if instruction.opcode == "phi" && !self.lives.contains(&at) {
                        changed |= self.values.join(result, Level::Thread);
                    }
                    if self.values.lower(result, level) {
                        changed = true;
                        let guilty = operands_of(instruction).into_iter().find(|operand| {
                            operand.starts_with('%')
                                && level.and(self.values.level(operand)) == self.values.level(operand)
                                && self.values.level(operand) != GRID
                        });
                        self.causes.insert(result, guilty.map_or(Cause::Own, Cause::Operand));
                    }
                }
            }
            for (branch, values) in &effects {
                let condition = self.condition(*branch);
                if condition == GRID {
                    continue;
                }
                for value in values {
                    let is_in = |split: &str| {
                        let parts = self.places.get(value).map(|at| &self.parts[at.0][at.1]);
                        parts.is_some_and(|parts| parts.iter().any(|(of, _)| *of == split))
                    };
                    let level = match condition {
                        Level::Uniform(_) => condition,
                        // Within the part, its threads come the same way.
                        Level::Part(split) if is_in(split) => condition,
                        // What the parts made of a value does not tell the parts apart for another split.
                        Level::Part(_) | Level::Thread => Level::Thread,
                    };
                    let before = self.values.level(value);
                    changed |= self.values.join(value, level);
                    if self.values.level(value) != before {
                        self.causes.insert(value, Cause::Branch(*branch));
                    }
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// Returns true if a `phi` takes one value on all ways from a branch, which is there before the branch.
    fn is_one_value(&self, phi: &Instruction<'_>, branch: usize, region: &BTreeSet<usize>) -> bool {
        let blocks = &self.function.blocks;
        let block_of = |label: &str| {
            let named = blocks.iter().position(|block| !label.is_empty() && block.label == label);
            // The text has the number of every block but the entry.
            let is_entry = blocks[0].label.is_empty() && label.bytes().all(|byte| byte.is_ascii_digit());
            named.or_else(|| is_entry.then_some(0))
        };
        let mut values = ways(phi.line).into_iter().filter(|(_, label)| {
            // A label that is not found may be of any block.
            block_of(label).is_none_or(|block| block == branch || region.contains(&block))
        });
        let Some((value, _)) = values.next() else { return true };
        let is_before = |value: &str| {
            let mut defined = region.iter().flat_map(|&block| &blocks[block].instructions);
            !value.starts_with('%') || !defined.any(|one| one.result == Some(value))
        };
        values.all(|(other, _)| other == value) && is_before(value)
    }

    /// Returns the values that are defined in a cycle and used outside.
    fn leaving(&self, cycle: &BTreeSet<usize>) -> Vec<&'a str> {
        let instructions = |at: usize| self.function.blocks[at].instructions.iter();
        let defined: HashSet<&str> =
            cycle.iter().flat_map(|&at| instructions(at)).filter_map(|one| one.result).collect();
        let outside = (0..self.function.blocks.len()).filter(|at| !cycle.is_empty() && !cycle.contains(at));
        let used = outside.flat_map(instructions);
        let (mut values, mut phis) = (Vec::new(), Vec::new());
        for instruction in used {
            let operands: Vec<_> = instruction.operands().filter(|value| defined.contains(value)).collect();
            // A `phi` behind the loop takes the place of the value there.
            match (instruction.opcode, instruction.result) {
                ("phi", Some(result)) if !operands.is_empty() => phis.push(result),
                _ => values.extend(operands),
            }
        }
        values.extend(phis);
        values
    }

    /// Returns the level of the condition at which a block ends.
    fn condition(&self, branch: usize) -> Level<'a> {
        self.values.level(condition_of(self.function.blocks[branch].instructions.last()))
    }

    fn gaps(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        let mut said = HashSet::new();
        for (at, mark) in &self.marks {
            let Some((need, who)) = needed(mark) else { continue };
            let parts = &self.parts[at.0][at.1];
            if [".part", ".thread"].iter().any(|group| mark.name.ends_with(group)) && parts.is_empty() {
                gaps.push(self.gap(*at, mark, who, "it is outside of the part", Vec::new()));
                continue;
            }
            // One thread has what its part and the larger ones have.
            let of_parts = match mark.name.rsplit_once('.') {
                Some((_, "thread")) => &parts[..],
                Some((_, "part" | "warp" | "lanes")) => &parts[..parts.len().min(1)],
                _ => &[],
            };
            // Lanes that a split has put together have the values of their part, and of the parts that were divided into these.
            let lanes = mark.inputs.first().filter(|_| mark.name == "meet.lanes");
            let lanes = lanes.map(|split| self.splits(split)).unwrap_or_default();
            let holds = |level: Level<'_>| match level {
                Level::Uniform(group) => group >= need,
                Level::Part(split) => of_parts.iter().any(|(of, _)| *of == split) || lanes.contains(&split),
                Level::Thread => false,
            };
            let around = self.around(at.0).into_iter().chain(self.to_dead_ends(*at));
            if let Some(branch) = around.into_iter().find(|&branch| !holds(self.condition(branch)))
                && said.insert((branch, need))
            {
                let last = self.function.blocks[branch].instructions.last();
                let place = last.map(|last| place(self.lines, last)).unwrap_or_default();
                let what = format!("it depends on the condition{place}, which may differ {}", among(need));
                gaps.push(self.gap(*at, mark, who, &what, self.chain(condition_of(last))));
            }
            if let Some(value) = mark.inputs.iter().find(|value| !holds(self.values.level(value)))
                && said.insert((usize::MAX - at.0, need))
            {
                let operand = if mark.name == "meet.lanes" { "the lanes" } else { "its memory" };
                let what = format!("{operand} may differ {}", among(need));
                gaps.push(self.gap(*at, mark, who, &what, self.chain(value)));
            }
        }
        gaps
    }

    /// Returns the split that a value is, the one whose lanes it divides, and so on.
    fn splits(&self, value: &'a str) -> Vec<&'a str> {
        let (mut splits, mut value) = (Vec::new(), value);
        while let Some(mark) = self.values.mark(value).filter(|mark| mark.name == "split") {
            if splits.contains(&value) {
                break;
            }
            splits.push(value);
            value = mark.inputs.first().copied().unwrap_or_default();
        }
        splits
    }

    /// Returns the branches on which it depends whether and how often a thread reaches a block.
    fn around(&self, block: usize) -> Vec<usize> {
        if self.lives.contains(&block) {
            let regions = self.branches.iter().filter(|(_, region)| region.contains(&block));
            return regions.map(|(at, _)| *at).collect();
        }
        // From here every path ends in a trap. Any branch before may part the threads.
        (0..self.whole.len())
            .filter(|&at| self.whole[at].len() > 1 && reached(&self.whole, at).contains(&block))
            .collect()
    }

    /// Returns the branches of a part that lead to a dead end, and to a place in the part. LLVM knows what their conditions say of
    /// a handle, and the threads outside of the part, which have the handle too, do not execute them.
    fn to_dead_ends(&self, at: At) -> Vec<usize> {
        let Some((split, _)) = self.parts[at.0][at.1].first() else { return Vec::new() };
        let is_in = |block: usize| {
            self.parts[block].last().is_some_and(|parts| parts.iter().any(|(of, _)| of == split))
        };
        let to_dead_end = |block: usize| {
            self.whole[block].len() > 1 && self.whole[block].iter().any(|next| !self.lives.contains(next))
        };
        (0..self.whole.len())
            .filter(|&block| is_in(block) && to_dead_end(block) && dominates(&self.dominators, block, at.0))
            .collect()
    }

    fn parts_at(&self, at: At) -> Parts<'a> {
        let before = |one: At, other: At| match one.0 == other.0 {
            true => one.1 < other.1,
            false => dominates(&self.dominators, one.0, other.0),
        };
        let begins =
            self.marks.iter().filter(|(begin, mark)| mark.name.starts_with("begin.") && before(*begin, at));
        let mut begins: Vec<_> = begins
            .map(|(begin, mark)| (*begin, mark.inputs.first().copied(), mark.name == "begin.thread"))
            .collect();
        // The innermost is the last: each begin dominates the place, so the begins dominate one another.
        begins.sort_by(|(one, ..), (other, ..)| {
            if before(*one, *other) { std::cmp::Ordering::Greater } else { std::cmp::Ordering::Less }
        });
        let is_open = |(begin, split, _): &(At, Option<&str>, bool)| {
            let ends = self
                .marks
                .iter()
                .filter(|(_, mark)| mark.name == "end" && mark.inputs.first().copied() == *split);
            !ends.map(|(end, _)| *end).any(|end| self.leads(end, at, *begin))
        };
        begins.into_iter().filter(is_open).filter_map(|(_, split, is_one)| Some((split?, is_one))).collect()
    }

    /// Returns true if a path leads from one place to another without passing a third.
    fn leads(&self, from: At, to: At, without: At) -> bool {
        let passes = |block: usize, after: Option<usize>| {
            let is_after = |at: At| at.0 == block && after.is_none_or(|after| at.1 > after);
            (is_after(to), is_after(without), to.1 < without.1)
        };
        let (mut open, mut seen) = (vec![(from.0, Some(from.1))], HashSet::new());
        while let Some((block, after)) = open.pop() {
            match passes(block, after) {
                (true, false, _) | (true, true, true) => return true,
                (_, true, _) => {}
                (false, false, _) => {
                    let next = self.whole[block].iter().copied().filter(|&next| seen.insert(next));
                    open.extend(next.map(|next| (next, None)));
                }
            }
        }
        false
    }

    fn gap(&self, at: At, mark: &Mark<'a>, who: &str, why: &str, chain: Vec<String>) -> Gap {
        let instruction = &self.function.blocks[at.0].instructions[at.1];
        let call = match mark.name.split('.').next() {
            Some("deal") => "deals out memory in",
            Some("hold") => "takes a handle of",
            _ => "is collective in",
        };
        let place = place(self.lines, instruction);
        Gap { what: format!("a call that {call} {who}{place}: {why}"), chain }
    }

    /// Returns the way from a value to the source of its difference.
    fn chain(&self, value: &str) -> Vec<String> {
        const LONGEST: usize = 12;
        let (mut chain, mut seen, mut value) = (Vec::<String>::new(), HashSet::new(), value);
        while chain.len() < LONGEST && seen.insert(value) {
            let Some(instruction) = self.values.instruction(value) else { break };
            let place = place(self.lines, instruction);
            let (said, next) = match self.causes.get(value) {
                Some(Cause::Operand(operand)) => (None, Some(*operand)),
                Some(Cause::Branch(branch)) => {
                    let last = self.function.blocks[*branch].instructions.last();
                    let of_branch =
                        last.map(|last| crate::proof::kernel::place(self.lines, last)).unwrap_or_default();
                    (
                        Some(format!("a value{place} depends on the way through the condition{of_branch}")),
                        Some(condition_of(last)),
                    )
                }
                Some(Cause::Own) | None => (Some(format!("{}{place}", source(instruction))), None),
            };
            let said = said
                .unwrap_or_else(|| if place.is_empty() { String::new() } else { format!("a value{place}") });
            if !said.is_empty() && chain.last() != Some(&said) {
                chain.push(said);
            }
            match next {
                Some(next) => value = next,
                None => break,
            }
        }
        chain
    }
}

/// Names what makes a value differ between threads.
fn source(instruction: &Instruction<'_>) -> String {
    if let Some(mark) = Mark::read(instruction.line) {
        return match mark.name {
            "rank" => "the rank of the thread".into(),
            "role" => "the part to which the thread belongs".into(),
            name => format!("the result of `{name}`"),
        };
    }
    match ir::call(instruction.line).map(|call| call.callee) {
        Some(Callee::Asm(text)) => {
            let text = ir::asm_source(text);
            format!("the result of `{}`", text.split("; //").next().unwrap_or(&text).trim())
        }
        Some(Callee::Symbol(name)) => match name.strip_prefix("llvm.nvvm.read.ptx.sreg.") {
            Some(register) => format!("`%{register}`"),
            None => format!("the result of `{}`", readable(name)),
        },
        _ => match instruction.opcode {
            "load" => "a load from memory that threads may write, or at an address that differs".into(),
            "atomicrmw" | "cmpxchg" => "the result of an atomic operation".into(),
            "alloca" => "the address of a local variable".into(),
            opcode => format!("the result of `{opcode}`"),
        },
    }
}

/// Returns the group in which a mark needs equal conditions and operands, and its name in messages.
pub fn needed(mark: &Mark<'_>) -> Option<(Group, &'static str)> {
    let (kind, group) = mark.name.split_once('.')?;
    let is_needed = matches!(kind, "meet" | "hold" | "deal");
    match group {
        "lanes" | "warp" if is_needed => Some((Group::Warp, "the warp, or in lanes of it")),
        "part" if is_needed => Some((Group::Cta, "the part of the CTA")),
        // What one thread does with its handles is its own affair. Memory that is dealt out to the CTA it has together with the others.
        "thread" if kind == "deal" => Some((Group::Cta, "one thread of the CTA")),
        "cta" if is_needed => Some((Group::Cta, "the CTA")),
        "cluster" if is_needed => Some((Group::Cluster, "the cluster")),
        "grid" if is_needed => Some((Group::Grid, "the grid")),
        _ => None,
    }
}

fn among(group: Group) -> &'static str {
    match group {
        Group::Warp => "between the threads of a warp",
        Group::Cta => "between the threads of the CTA",
        Group::Cluster => "between the CTAs of the cluster, or their threads",
        Group::Grid => "between the CTAs of the grid, or their threads",
    }
}

/// Returns the condition of a `br` or `switch`: a value, or a constant.
fn condition_of<'a>(last: Option<&Instruction<'a>>) -> &'a str {
    let Some(last) = last.filter(|last| matches!(last.opcode, "br" | "switch")) else { return "" };
    let mut words = last.line.trim_start().split(' ');
    words.nth(2).map_or("", |word| word.trim_end_matches(','))
}

/// Returns true if a path leads from a block back to it.
fn is_in_cycle(successors: &[Vec<usize>], block: usize) -> bool {
    let mut target = vec![false; successors.len()];
    target[block] = true;
    let reaches = closure(successors, &target);
    successors[block].iter().any(|&next| reaches[next])
}

/// Returns the blocks that a path reaches from a block, which is among them if it is the entry or in a cycle.
fn reached(successors: &[Vec<usize>], from: usize) -> HashSet<usize> {
    let mut seen = HashSet::new();
    if from == 0 {
        seen.insert(0);
    }
    let mut open = successors[from].clone();
    while let Some(at) = open.pop() {
        if seen.insert(at) {
            open.extend(&successors[at]);
        }
    }
    seen
}

/// Returns the values and constants that an instruction uses.
fn operands_of<'a>(instruction: &Instruction<'a>) -> Vec<&'a str> {
    match instruction.opcode {
        "phi" => incoming(instruction.line),
        _ => instruction.operands().collect(),
    }
}
