//! How equal a value is in the threads of a group: what each instruction makes of the levels of its operands.

use std::collections::{HashMap, HashSet};

use crate::body::Instruction;
use crate::convergence::without_comments;
use crate::ir::{self, Callee};

use super::marks::Mark;

/// A group of threads, from the smallest to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    Warp,
    Cta,
    Cluster,
    Grid,
}

/// What is known of a value in the threads that execute its instruction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level<'a> {
    /// Equal in all threads of each group of this kind, and so of each smaller one.
    Uniform(Group),
    /// Equal in the threads of each part of a split, which the mark that defines this value makes.
    Part(&'a str),
    /// Nothing is known.
    Thread,
}

pub const GRID: Level<'_> = Level::Uniform(Group::Grid);

impl Level<'_> {
    /// Returns what is known of a value that depends on two others.
    pub fn and(self, other: Self) -> Self {
        use Level::{Part, Thread, Uniform};
        match (self, other) {
            (Uniform(one), Uniform(other)) => Uniform(one.min(other)),
            (Part(one), Part(other)) if one == other => self,
            // A part is a part of a CTA or of a warp, and may be smaller than a warp or larger.
            (Part(_), Uniform(group)) if group >= Group::Cta => self,
            (Uniform(group), Part(_)) if group >= Group::Cta => other,
            _ => Thread,
        }
    }
}

/// The instructions whose result follows from their operands alone.
const PURE: [&str; 43] = [
    "add",
    "sub",
    "mul",
    "udiv",
    "sdiv",
    "urem",
    "srem",
    "shl",
    "lshr",
    "ashr",
    "and",
    "or",
    "xor",
    "icmp",
    "select",
    "zext",
    "sext",
    "trunc",
    "bitcast",
    "ptrtoint",
    "ptrtoaddr",
    "inttoptr",
    "addrspacecast",
    "getelementptr",
    "extractvalue",
    "insertvalue",
    "extractelement",
    "insertelement",
    "shufflevector",
    "fneg",
    "fadd",
    "fsub",
    "fmul",
    "fdiv",
    "frem",
    "fcmp",
    "fptrunc",
    "fpext",
    "fptoui",
    "fptosi",
    "uitofp",
    "sitofp",
    "phi",
];

/// The starts of the names of LLVM's intrinsics whose result follows from their operands alone.
const PURE_INTRINSICS: [&str; 40] = [
    "abs.",
    "bitreverse.",
    "bswap.",
    "ceil.",
    "copysign.",
    "ctlz.",
    "ctpop.",
    "cttz.",
    "expect.",
    "fabs.",
    "floor.",
    "fma.",
    "fmuladd.",
    "fptosi.sat.",
    "fptoui.sat.",
    "fshl.",
    "fshr.",
    "maximum.",
    "maxnum.",
    "minimum.",
    "minnum.",
    "rint.",
    "round.",
    "roundeven.",
    "sadd.",
    "scmp.",
    "smax.",
    "smin.",
    "smul.",
    "sqrt.",
    "ssub.",
    "sshl.",
    "trunc.",
    "uadd.",
    "ucmp.",
    "umax.",
    "umin.",
    "umul.",
    "ushl.",
    "usub.",
];

/// The PTX instructions whose result follows from their operands alone. The result of some is unspecified for some operands: those of
/// `cvta`, `mapa` and `getctarank` outside of a window, of `div` and `rem` by zero, and of `fns`; `cvta` of local memory differs besides.
const PURE_PTX: [&str; 41] = [
    ".reg", "mov", "cvt", "prmt", "selp", "slct", "set", "setp", "add", "sub", "mul", "mul24", "mad",
    "mad24", "sad", "abs", "neg", "min", "max", "popc", "clz", "bfind", "brev", "bfe", "bfi", "and", "or",
    "xor", "not", "cnot", "lop3", "shf", "shl", "shr", "fma", "rcp", "sqrt", "rsqrt", "ex2", "lg2", "tanh",
];

/// Returns the group in whose threads a special register is equal.
fn register(name: &str) -> Option<Group> {
    let of = |register: &str| {
        name == register || name.strip_prefix(register).is_some_and(|rest| rest.starts_with('.'))
    };
    let groups: [(Group, &[&str]); 4] = [
        (
            Group::Grid,
            &[
                "ntid",
                "nctaid",
                "gridid",
                "nclusterid",
                "warpsize",
                "total_smem_size",
                "aggr_smem_size",
                "dynamic_smem_size",
            ],
        ),
        // A grid may have clusters of two sizes.
        (Group::Cluster, &["clusterid", "cluster_nctaid", "cluster_nctarank", "is_explicit_cluster"]),
        (Group::Cta, &["ctaid", "cluster_ctaid", "cluster_ctarank"]),
        (Group::Warp, &[]),
    ];
    groups.into_iter().find(|(_, names)| names.iter().any(|name| of(name))).map(|(group, _)| group)
}

/// The values of a kernel, by name: their instructions, and what is known of them.
pub struct Values<'a, 'b> {
    parameters: &'b [&'a str],
    instructions: HashMap<&'a str, &'b Instruction<'a>>,
    levels: HashMap<&'a str, Level<'a>>,
    /// What the conditions leave of a value whose paths join, or that leaves a loop.
    joined: HashMap<&'a str, Level<'a>>,
    /// The globals that no thread writes.
    constants: &'b [&'a str],
    /// The extents of the block, if the kernel states them.
    block: Option<[i64; 3]>,
    /// The local variables that are copies of parameters or constants.
    copies: HashSet<&'a str>,
}

impl<'a, 'b> Values<'a, 'b> {
    pub fn new(
        parameters: &'b [&'a str],
        constants: &'b [&'a str],
        instructions: impl Iterator<Item = &'b Instruction<'a>>,
    ) -> Self
    where
        'a: 'b,
    {
        let (mut block, mut defined) = (None, HashMap::new());
        let all: Vec<_> = instructions.collect();
        for instruction in &all {
            let instruction = *instruction;
            block = block.or_else(|| shape(instruction.line));
            defined.extend(instruction.result.map(|result| (result, instruction)));
        }
        let instructions = defined;
        let levels = instructions.keys().map(|&name| (name, GRID)).collect();
        let joined = HashMap::new();
        let mut values =
            Self { parameters, instructions, levels, joined, constants, block, copies: HashSet::new() };
        values.copies = values.copies(&all);
        values
    }

    /// Returns the local variables whose only writer copies into them, and always the same bytes: it copies from a place of a
    /// parameter or a constant to a place of the variable, and both places are constant. What a thread loads from such a variable
    /// before is undefined, so no thread decides anything by it.
    fn copies(&self, instructions: &[&'b Instruction<'a>]) -> HashSet<&'a str> {
        let mut writers: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut others = HashSet::new();
        for instruction in instructions {
            let line = instruction.line;
            let copied = copied(line);
            for operand in instruction.operands() {
                let Some(variable) = self.variable(operand) else { continue };
                let callee = ir::call(line).map(|call| call.callee);
                let is_read = match (instruction.opcode, callee) {
                    ("load" | "getelementptr", _) => true,
                    (_, Some(Callee::Symbol(name))) if name.starts_with("llvm.lifetime.") => true,
                    _ => copied.is_some_and(|(_, from)| from == operand),
                };
                match copied {
                    Some((to, _)) if to == operand => writers.entry(variable).or_default().push(line),
                    _ if is_read => {}
                    _ => _ = others.insert(variable),
                }
            }
        }
        let is_copy = |variable: &str, writers: &[&str]| match writers {
            [writer] if !others.contains(variable) => copied(writer).is_some_and(|(to, from)| {
                self.is_constant_place(to) && self.is_constant_place(from) && self.is_read_only(from)
            }),
            _ => false,
        };
        writers
            .iter()
            .filter(|(variable, lines)| is_copy(variable, lines))
            .map(|(variable, _)| *variable)
            .collect()
    }

    /// Returns the local variable in which an address is.
    fn variable(&self, address: &str) -> Option<&'a str> {
        let instruction = self.instruction(address)?;
        match instruction.opcode {
            "alloca" => instruction.result,
            "getelementptr" => self.variable(base(instruction.line)?),
            _ => None,
        }
    }

    /// Returns true for the address of a variable, a parameter or a global, plus a constant.
    fn is_constant_place(&self, address: &str) -> bool {
        match self.instruction(address) {
            None => true,
            Some(instruction) if instruction.opcode == "alloca" => true,
            Some(instruction) if instruction.opcode == "getelementptr" => {
                let base = base(instruction.line);
                instruction.operands().all(|operand| Some(operand) == base && self.is_constant_place(operand))
            }
            Some(_) => false,
        }
    }

    /// Returns the level of the place in a copy of a parameter or a constant.
    fn of_place(&self, address: &str) -> Option<Level<'a>> {
        if self.copies.contains(address) {
            return Some(GRID);
        }
        let instruction = self.instruction(address).filter(|one| one.opcode == "getelementptr")?;
        let base = base(instruction.line)?;
        let indices = instruction.operands().filter(|operand| *operand != base);
        Some(indices.map(|index| self.level(index)).fold(self.of_place(base)?, Level::and))
    }

    /// Returns what is known of an operand: a value, or a constant.
    pub fn level(&self, operand: &str) -> Level<'a> {
        if !operand.starts_with('%') {
            // A program without undefined behavior decides nothing by `undef` and `poison`, so each counts as a constant.
            return GRID;
        }
        match self.levels.get(operand) {
            Some(&level) => level,
            // A parameter of a kernel is equal in all threads.
            None if self.parameters.contains(&operand) => GRID,
            None => Level::Thread,
        }
    }

    pub fn instruction(&self, value: &str) -> Option<&'b Instruction<'a>> {
        self.instructions.get(value).copied()
    }

    /// Lowers what is known of a value, and returns true if that is news.
    pub fn lower(&mut self, value: &'a str, level: Level<'a>) -> bool {
        let known = self.levels.entry(value).or_insert(Level::Thread);
        let lower = known.and(level);
        std::mem::replace(known, lower) != lower
    }

    /// Lowers what is known of a value by a condition on which it depends how its paths join.
    pub fn join(&mut self, value: &'a str, level: Level<'a>) -> bool {
        let known = self.joined.entry(value).or_insert(GRID);
        let lower = known.and(level);
        let is_news = std::mem::replace(known, lower) != lower;
        self.lower(value, level) || is_news
    }

    /// Returns the mark that defines a value.
    pub fn mark(&self, value: &str) -> Option<Mark<'a>> {
        Mark::read(self.instructions.get(value)?.line)
    }

    /// Returns what is known of the result of an instruction. What joins of paths do to a `phi` is not part of it.
    pub fn of_result(&self, instruction: &Instruction<'a>) -> Level<'a> {
        let opcode = instruction.opcode;
        if opcode == "load" {
            return self.of_load(instruction);
        }
        if let Some(call) = ir::call(instruction.line) {
            return match call.callee {
                Callee::Asm(text) => match Mark::read(instruction.line) {
                    Some(mark) => self.of_mark(&mark),
                    None => self.of_asm(instruction, &ir::asm_source(text)),
                },
                Callee::Symbol(name) => self.of_intrinsic(instruction, name),
                Callee::Pointer => Level::Thread,
            };
        }
        // What another space makes of a generic address outside of it is unspecified.
        let is_to_space = opcode == "addrspacecast" && instruction.line.contains(" to ptr addrspace(");
        if !PURE.contains(&opcode) || is_to_space {
            return Level::Thread;
        }
        let level = self.of_lane(instruction).or_else(|| self.of_way(instruction));
        level.unwrap_or_else(|| self.of_operands(instruction))
    }

    /// Returns the level of a comparison of a `phi` with a constant that each way into the `phi` decides: such is the question for
    /// the variant of an `enum` inside of an `enum`.
    fn of_way(&self, instruction: &Instruction<'a>) -> Option<Level<'a>> {
        let (phi, constant) = two_operands(instruction.line)?;
        let constant: i64 = constant.parse().ok()?;
        let is_equality = [" icmp eq ", " icmp ne "].iter().any(|start| instruction.line.contains(start));
        let phi = self.instruction(phi).filter(|phi| phi.opcode == "phi" && is_equality)?;
        let mut ways = incoming(phi.line).into_iter();
        ways.all(|value| self.decides(value, constant))
            .then(|| self.joined.get(phi.result?).copied().or(Some(GRID)))?
    }

    /// Returns true if every thread knows whether a value equals a constant.
    fn decides(&self, value: &str, constant: i64) -> bool {
        if !value.starts_with('%') {
            return true;
        }
        let Some(of) = self.instruction(value).filter(|one| one.opcode == "zext") else { return false };
        let from = of.line.split(" i").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        from.is_some_and(|bits| bits < 63 && (constant < 0 || constant >> bits != 0))
    }

    fn of_operands(&self, instruction: &Instruction<'a>) -> Level<'a> {
        let operands: Vec<_> = match instruction.opcode {
            "phi" => incoming(instruction.line),
            _ => instruction.operands().collect(),
        };
        operands.into_iter().map(|operand| self.level(operand)).fold(GRID, Level::and)
    }

    fn of_mark(&self, mark: &Mark<'a>) -> Level<'a> {
        let Some(&value) = mark.inputs.first() else { return Level::Thread };
        let known = self.level(value);
        let at_least = |group: Group| match known {
            Level::Uniform(of) if of >= group => known,
            _ => Level::Uniform(group),
        };
        match (mark.name, mark.inputs.get(1)) {
            ("read_only", None) => known,
            ("uniform.warp", None) => at_least(Group::Warp),
            ("uniform.cta", None) => at_least(Group::Cta),
            ("uniform.cluster", None) => at_least(Group::Cluster),
            // A lane without a thread gives anything.
            ("of_lane", Some(lane))
                if *lane == "0" || mark.inputs.get(2).is_some_and(|count| self.is_of_warps(count)) =>
            {
                match self.level(lane) {
                    Level::Uniform(_) => at_least(Group::Warp),
                    _ => Level::Thread,
                }
            }
            // The number of the split: equal in the threads that make it together.
            ("split", None) => GRID,
            ("role", Some(split)) => match known {
                Level::Uniform(group) if group >= Group::Cta => known,
                // The token comes from the split itself, not from a choice of splits.
                _ if self.mark(split).is_some_and(|mark| mark.name == "split") => self
                    .instructions
                    .get_key_value(*split)
                    .map_or(Level::Thread, |(name, _)| Level::Part(name)),
                _ => Level::Thread,
            },
            _ => Level::Thread,
        }
    }

    /// Returns the level of what follows from a rank and whole warps.
    fn of_lane(&self, instruction: &Instruction<'a>) -> Option<Level<'a>> {
        let (first, last) = two_operands(instruction.line)?;
        let constant: u64 = last.parse::<i64>().ok()?.cast_unsigned();
        if instruction.opcode == "and" {
            // No bit is left of the lane, which is the rank's low five bits.
            let lane_ends = 5 - self.shifted_rank(first)?;
            return (i64::from(constant.trailing_zeros()) >= lane_ends)
                .then_some(Level::Uniform(Group::Warp));
        }
        if !self.is_rank(first) {
            return None;
        }
        let after_predicate =
            || instruction.line.split("icmp ").nth(1)?.split(' ').find(|word| word.len() <= 3);
        let is_whole = match instruction.opcode {
            "lshr" => (5..32).contains(&constant),
            "udiv" => constant != 0 && constant.is_multiple_of(32),
            "icmp" => match after_predicate()? {
                "ult" | "uge" | "slt" | "sge" => constant.is_multiple_of(32),
                "ugt" | "ule" | "sgt" | "sle" => constant % 32 == 31,
                _ => false,
            },
            _ => false,
        };
        is_whole.then_some(Level::Uniform(Group::Warp))
    }

    /// Returns by how many bits a value is the rank of the thread shifted to the right. Such is the rank of the warp times four.
    fn shifted_rank(&self, value: &str) -> Option<i64> {
        if self.is_rank(value) {
            return Some(0);
        }
        let instruction = self.instruction(value)?;
        let (shifted, by) = two_operands(instruction.line)?;
        let by = by.parse::<i64>().ok()?;
        match instruction.opcode {
            "lshr" => Some(self.shifted_rank(shifted)? + by),
            "shl" => Some(self.shifted_rank(shifted)? - by),
            _ => None,
        }
    }

    /// Returns true for the rank of the thread in its CTA, plus a multiple of the warp's size.
    fn is_rank(&self, value: &str) -> bool {
        let Some(instruction) = self.instruction(value) else { return false };
        if Mark::read(instruction.line).is_some_and(|mark| mark.name == "rank") {
            return true;
        }
        match instruction.opcode {
            "zext" => instruction.operands().next().is_some_and(|rank| self.is_rank(rank)),
            "add" | "sub" => two_operands(instruction.line)
                .is_some_and(|(rank, offset)| self.is_of_warps(offset) && self.is_rank(rank)),
            _ => false,
        }
    }

    /// Returns true if an operand is a multiple of the warp's size: a constant, or a number that follows from the block's shape.
    fn is_of_warps(&self, operand: &str) -> bool {
        self.constant(operand).is_some_and(|number| number % 32 == 0)
    }

    /// Returns the number that an operand is in every thread of every launch.
    fn constant(&self, operand: &str) -> Option<i64> {
        if !operand.starts_with('%') {
            return operand.parse().ok();
        }
        let instruction = self.instruction(operand)?;
        if let Some(ir::Call { callee: Callee::Symbol(name), .. }) = ir::call(instruction.line) {
            let axis = name.strip_prefix("llvm.nvvm.read.ptx.sreg.ntid.")?;
            return self.block?.get(["x", "y", "z"].iter().position(|one| *one == axis)?).copied();
        }
        let (one, other) = two_operands(instruction.line)?;
        (instruction.opcode == "mul")
            .then(|| self.constant(one)?.checked_mul(self.constant(other)?))
            .flatten()
    }

    /// A load from a kernel's parameters, from a constant, or from a copy of them, gives what its address gives.
    fn of_load(&self, instruction: &Instruction<'a>) -> Level<'a> {
        let line = instruction.line;
        if line.contains(" load volatile ") || line.contains(" load atomic ") {
            return Level::Thread;
        }
        let Some(address) = base(line) else { return Level::Thread };
        match self.is_read_only(address) {
            true => self.level(address),
            false => self.of_place(address).unwrap_or(Level::Thread),
        }
    }

    fn is_read_only(&self, address: &str) -> bool {
        if let Some(global) = address.strip_prefix('@') {
            return self.constants.contains(&global);
        }
        if self.parameters.contains(&address) {
            return true;
        }
        let Some(instruction) = self.instruction(address) else { return false };
        match instruction.opcode {
            "call" | "tail" => Mark::read(instruction.line).is_some_and(|mark| mark.name == "read_only"),
            "getelementptr" | "addrspacecast" => {
                base(instruction.line).is_some_and(|base| self.is_read_only(base))
            }
            _ => false,
        }
    }

    fn of_asm(&self, instruction: &Instruction<'a>, text: &str) -> Level<'a> {
        let Some(code) = without_comments(text) else { return Level::Thread };
        for statement in code.split(';') {
            let statement = statement.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '}');
            let Some(mnemonic) = statement.split_whitespace().next() else { continue };
            let opcode =
                if mnemonic == ".reg" { mnemonic } else { mnemonic.split('.').next().unwrap_or_default() };
            if !PURE_PTX.contains(&opcode) || statement.contains('[') {
                return Level::Thread;
            }
        }
        let registers = code.split('%').skip(1).map(|rest| {
            let end = rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'))
                .unwrap_or(rest.len());
            register(&rest[..end]).map_or(Level::Thread, Level::Uniform)
        });
        let operands = instruction.operands().map(|operand| self.level(operand));
        registers.chain(operands).fold(GRID, Level::and)
    }

    fn of_intrinsic(&self, instruction: &Instruction<'a>, name: &str) -> Level<'a> {
        let Some(name) = name.strip_prefix("llvm.") else { return Level::Thread };
        if let Some(name) = name.strip_prefix("nvvm.read.ptx.sreg.") {
            return register(&name.replacen("cluster.", "cluster_", 1)).map_or(Level::Thread, Level::Uniform);
        }
        if !PURE_INTRINSICS.iter().any(|start| name.starts_with(start)) {
            return Level::Thread;
        }
        self.of_operands(instruction)
    }
}

/// Returns the extents of the block that the entry states to the linker.
fn shape(line: &str) -> Option<[i64; 3]> {
    let Callee::Asm(text) = ir::call(line)?.callee else { return None };
    let mut extents = text.strip_prefix("// entry: .reqntid ")?.split(", ").map(|extent| extent.parse().ok());
    Some([extents.next()??, extents.next()??, extents.next()??])
}

/// Returns the values and constants that a `phi` takes from the blocks before it.
pub fn incoming(line: &str) -> Vec<&str> {
    ways(line).into_iter().map(|(value, _)| value).collect()
}

/// Returns the values and constants that a `phi` takes, each with the label of the block from which it comes.
pub fn ways(line: &str) -> Vec<(&str, &str)> {
    let code = line.split(", !").next().unwrap_or_default();
    let ways = code.split("[ ").skip(1).filter_map(|part| part.rsplit_once(", %"));
    ways.map(|(value, label)| (value.trim(), label.split(" ]").next().unwrap_or_default())).collect()
}

/// Returns the last two operands of an instruction `… %a, 32`.
fn two_operands(line: &str) -> Option<(&str, &str)> {
    let code = line.split(", !").next()?;
    let (first, last) = code.rsplit_once(", ")?;
    Some((first.rsplit_once(' ')?.1, last.trim()))
}

/// Returns the address of a `load`, and of a `getelementptr` the one to which it adds.
fn base(line: &str) -> Option<&str> {
    line.split(", ptr ").nth(1).and_then(operand_after)
}

/// Returns to which address a line copies so many bytes, and from which.
fn copied(line: &str) -> Option<(&str, &str)> {
    let call = ir::call(line)?;
    let Callee::Symbol(name) = call.callee else { return None };
    let start = line.find(name)? + name.len();
    let arguments = ir::parts(line, &(start..call.attributes));
    let mut operands =
        arguments.into_iter().map(|part| line[part].split(' ').next_back().unwrap_or_default());
    let (to, from, bytes) = (operands.next()?, operands.next()?, operands.next()?);
    (name.starts_with("llvm.memcpy.") && bytes.parse::<u64>().is_ok()).then_some((to, from))
}

/// Returns the operand at the start of ` %p, …`, or behind attributes.
fn operand_after(text: &str) -> Option<&str> {
    let text = text.split(", ").next()?;
    text.split(' ').find(|word| word.starts_with(['%', '@']))
}
