//! Finds the branches of a kernel that depend on the thread, and the blocks between each such branch and the block where its
//! paths meet again.
//!
//! In doubt, a value depends on the thread: only instructions known to give all threads equal results from equal operands are
//! exempt.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::Reversed;

use crate::ptx::{Instruction, Kernel, names};

/// A branch at which threads of one CTA may diverge.
#[derive(Clone, Debug)]
pub struct Divergent {
    /// The block that ends with the branch.
    pub block: usize,
    /// The blocks on the paths from the branch, up to the first block that is on all paths.
    pub region: BTreeSet<usize>,
}

/// The values and branches of a kernel that depend on the thread.
#[derive(Clone, Debug)]
pub struct Divergence {
    pub branches: Vec<Divergent>,
    /// The registers and words of the stack that depend on the thread.
    dependent: BTreeSet<String>,
}

impl Divergence {
    pub fn of(kernel: &Kernel) -> Divergence {
        let branches = branches_with_regions(kernel);
        let effects = effects(kernel);
        let variables = variables(&effects);
        let mut dependent = BTreeSet::new();
        loop {
            let before = dependent.len();
            propagate(&effects, &mut dependent);
            let taken: Vec<_> =
                branches.iter().filter(|branch| branch.is_taken_by(kernel, &dependent)).collect();
            let is_parted =
                |variable: &Variable| taken.iter().any(|branch| variable.is_parted_by(&branch.region));
            let parted = variables.iter().filter(|(_, variable)| is_parted(variable));
            dependent.extend(parted.map(|(name, _)| name.clone()));
            if dependent.len() == before {
                break;
            }
        }
        let branches = branches.into_iter().filter(|branch| branch.is_taken_by(kernel, &dependent)).collect();
        Divergence { branches, dependent }
    }

    /// Returns true if an instruction's predicate may let some threads execute the instruction and others skip it.
    pub fn guards(&self, instruction: &Instruction) -> bool {
        instruction.guard.as_ref().is_some_and(|guard| self.dependent.contains(guard))
    }
}

impl Divergent {
    fn is_taken_by(&self, kernel: &Kernel, dependent: &BTreeSet<String>) -> bool {
        let Some(branch) = kernel.blocks[self.block].branch() else { return false };
        let index = branch.operands.first().filter(|_| branch.base() == "brx");
        branch.guard.iter().chain(index).any(|name| dependent.contains(name))
    }
}

fn branches_with_regions(kernel: &Kernel) -> Vec<Divergent> {
    let meets = immediate_post_dominators(kernel);
    let branches = (0..kernel.blocks.len()).filter(|&block| kernel.blocks[block].branch().is_some());
    branches
        .map(|block| Divergent {
            block,
            region: reachable(kernel, kernel.blocks[block].successors.iter().copied(), |at| {
                meets[block] == Some(at)
            }),
        })
        .collect()
}

/// Returns, for each block, the first later block that all paths from it share, or `None` if that is the end of the thread.
fn immediate_post_dominators(kernel: &Kernel) -> Vec<Option<usize>> {
    let mut graph = DiGraph::<(), ()>::new();
    let nodes: Vec<NodeIndex> = kernel.blocks.iter().map(|_| graph.add_node(())).collect();
    let end = graph.add_node(());
    for (block, &node) in kernel.blocks.iter().zip(&nodes) {
        for &next in &block.successors {
            graph.add_edge(node, nodes[next], ());
        }
        if block.successors.is_empty() {
            graph.add_edge(node, end, ());
        }
    }
    let dominators = simple_fast(Reversed(&graph), end);
    let meet = |node| dominators.immediate_dominator(node).filter(|&meet| meet != end).map(NodeIndex::index);
    nodes.into_iter().map(meet).collect()
}

/// Returns the blocks on the paths from `from`. Each path ends before its first block that `is_end`.
pub fn reachable(
    kernel: &Kernel,
    from: impl IntoIterator<Item = usize>,
    is_end: impl Fn(usize) -> bool,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut todo: Vec<usize> = from.into_iter().collect();
    while let Some(block) = todo.pop() {
        if !is_end(block) && found.insert(block) {
            todo.extend(&kernel.blocks[block].successors);
        }
    }
    found
}

/// The registers and words of the stack that an instruction writes and reads.
struct Effect {
    block: usize,
    writes: Vec<String>,
    reads: Vec<String>,
    /// True if the written values depend on the thread, whatever the instruction reads.
    is_source: bool,
}

/// The blocks that write and read a register or a word of the stack.
#[derive(Default)]
struct Variable {
    written: Vec<usize>,
    read: Vec<usize>,
}

impl Variable {
    /// Returns true if threads that diverge here may hold different values of the variable afterwards: it is written in the
    /// region, and also elsewhere or read after the paths meet (a loop's value, from the round in which each thread left).
    fn is_parted_by(&self, region: &BTreeSet<usize>) -> bool {
        let written_within = self.written.iter().any(|block| region.contains(block));
        let read_after = self.read.iter().any(|block| !region.contains(block));
        written_within && (self.written.len() > 1 || read_after)
    }
}

fn variables(effects: &[Effect]) -> BTreeMap<String, Variable> {
    let mut variables: BTreeMap<String, Variable> = BTreeMap::new();
    for effect in effects {
        for name in &effect.writes {
            variables.entry(name.clone()).or_default().written.push(effect.block);
        }
        for name in &effect.reads {
            variables.entry(name.clone()).or_default().read.push(effect.block);
        }
    }
    variables
}

fn propagate(effects: &[Effect], dependent: &mut BTreeSet<String>) {
    let mut before = usize::MAX;
    while dependent.len() != before {
        before = dependent.len();
        for effect in effects {
            if effect.is_source || effect.reads.iter().any(|name| dependent.contains(name)) {
                dependent.extend(effect.writes.iter().cloned());
            }
        }
    }
}

/// Instructions that give all threads equal results from equal operands.
const PURE: &[&str] = &[
    "mov", "cvt", "cvta", "add", "sub", "mul", "mad", "fma", "div", "rem", "abs", "neg", "min", "max",
    "popc", "clz", "bfind", "brev", "bfe", "bfi", "prmt", "and", "or", "xor", "not", "cnot", "lop3", "shf",
    "shl", "shr", "set", "setp", "selp", "slct", "st",
];

/// Instructions whose first operand is neither a destination nor an address.
const WITHOUT_RESULT: &[&str] = &["bra", "brx", "call", "ret", "exit", "trap", "bar", "barrier", "nanosleep"];

/// Prefixes of the special registers that have the same value in all threads of a CTA.
const UNIFORM_REGISTERS: &[&str] =
    &["%ntid", "%ctaid", "%nctaid", "%gridid", "%dynamic_smem_size", "%total_smem_size", "%clusterid"];

fn effects(kernel: &Kernel) -> Vec<Effect> {
    let stack = Stack::of(kernel);
    let mut effects: Vec<_> = kernel
        .instructions()
        .map(|(block, instruction)| effect(block, instruction, kernel, &stack))
        .collect();
    let written: BTreeSet<String> = effects.iter().flat_map(|effect| &effect.writes).cloned().collect();
    let is_thread_register = |name: &String| {
        let special = name.starts_with('%') && !written.contains(name);
        special && !UNIFORM_REGISTERS.iter().any(|uniform| name.starts_with(uniform))
    };
    for effect in &mut effects {
        effect.is_source |= effect.reads.iter().any(is_thread_register);
    }
    effects
}

fn effect(block: usize, instruction: &Instruction, kernel: &Kernel, stack: &Stack) -> Effect {
    let owned = |operand| names(operand).map(str::to_owned);
    let loaded = stack.words_loaded(instruction);
    let gives_alike =
        loaded.is_some() || PURE.contains(&instruction.base()) || is_parameter(instruction, kernel);
    let mut writes: Vec<String> = destination(instruction).into_iter().flat_map(owned).collect();
    writes.extend(stack.word_stored(instruction));
    let mut reads: Vec<String> = sources(instruction).flat_map(owned).collect();
    reads.extend(loaded.into_iter().flatten());
    reads.extend(instruction.guard.clone());
    Effect { block, writes, reads, is_source: !gives_alike }
}

fn destination(instruction: &Instruction) -> Option<&str> {
    let first = instruction.operands.first().filter(|first| !first.starts_with('['))?;
    (!WITHOUT_RESULT.contains(&instruction.base())).then_some(first)
}

fn sources(instruction: &Instruction) -> impl Iterator<Item = &str> {
    let results = usize::from(destination(instruction).is_some());
    instruction.operands.iter().skip(results).map(String::as_str)
}

/// Returns true if the instruction loads a parameter of the kernel, which is the same for all threads.
fn is_parameter(instruction: &Instruction, kernel: &Kernel) -> bool {
    let prefix = format!("[{}_param_", kernel.name);
    instruction.opcode.starts_with("ld.param")
        && instruction.operands.get(1).is_some_and(|from| from.starts_with(&prefix))
}

/// The words of the stack, in which unoptimized code keeps its variables.
struct Stack {
    /// The words that are stored, or `None` if the stack's address is used other than in a load or store.
    stored: Option<BTreeSet<Word>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    offset: u64,
    bytes: u64,
}

impl Word {
    fn name(self) -> String {
        format!("stack+{}:{}", self.offset, self.bytes)
    }

    fn overlaps(self, other: Word) -> bool {
        self.offset < other.offset + other.bytes && other.offset < self.offset + self.bytes
    }
}

impl Stack {
    fn of(kernel: &Kernel) -> Stack {
        let mut stored = BTreeSet::new();
        for (_, instruction) in kernel.instructions() {
            let is_address = |operand: &&str| names(operand).any(|name| matches!(name, "%SP" | "%SPL"));
            let is_set_up =
                instruction.opcode.starts_with("cvta.local") && destination(instruction) == Some("%SP");
            match (sources(instruction).filter(is_address).count(), word(instruction)) {
                (0, _) => {}
                (1, _) if is_set_up => {}
                (1, Some(word)) => stored.extend((instruction.base() == "st").then_some(word)),
                _ => return Stack { stored: None },
            }
        }
        Stack { stored: Some(stored) }
    }

    fn word_stored(&self, instruction: &Instruction) -> Option<String> {
        let word = word(instruction).filter(|_| instruction.base() == "st" && self.stored.is_some())?;
        Some(word.name())
    }

    /// Returns the names of the stored words that a load from the stack may read.
    fn words_loaded(&self, instruction: &Instruction) -> Option<Vec<String>> {
        let loaded = word(instruction).filter(|_| instruction.base() == "ld")?;
        let stored = self.stored.as_ref()?.iter();
        Some(stored.filter(|word| word.overlaps(loaded)).map(|word| word.name()).collect())
    }
}

/// Returns the word of the stack that a load or a store accesses: `[%SP+8]`.
fn word(instruction: &Instruction) -> Option<Word> {
    let address = match instruction.base() {
        "st" => instruction.operands.first()?,
        "ld" => instruction.operands.get(1)?,
        _ => return None,
    };
    let address = address.strip_prefix('[')?.strip_suffix(']')?;
    let offset = address.strip_prefix("%SPL").or_else(|| address.strip_prefix("%SP"))?;
    let offset = if offset.is_empty() { 0 } else { offset.strip_prefix('+')?.parse().ok()? };
    let parts: Vec<&str> = instruction.opcode.split('.').collect();
    let bits: u64 = parts.last()?.trim_start_matches(char::is_alphabetic).parse().ok()?;
    let vector = parts.iter().find_map(|part| part.strip_prefix('v')?.parse::<u64>().ok()).unwrap_or(1);
    Some(Word { offset, bytes: bits / 8 * vector })
}
