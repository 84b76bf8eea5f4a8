//! A module ready to run: registers are slots, labels are indices, symbols are constants that a kernel's launch fills in.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::frontend::ast::{Line, Loc};
pub use crate::frontend::op::Parameter;
use crate::frontend::op::{Op, Slot, Special};
use crate::limits::THREADS_PER_BLOCK;

/// The reason why a module cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the PTX: {problem}")]
pub struct DecodeError {
    /// The number of the line, the first of which is 1.
    pub line: Line,
    /// The error, or what the interpreter lacks.
    pub problem: String,
}

/// A constant of the program. Addresses of variables are known at the launch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Constant {
    Bits(u64),
    /// The address of a variable, by its index, plus an offset.
    Variable(usize, i64),
}

/// What a name of a module stands for, by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Symbol {
    Variable(usize),
    Function(usize),
}

/// A variable in `.global`, `.const` or `.shared`, of the module or of a function.
#[derive(Debug)]
pub struct Variable {
    pub space: String,
    pub align: u64,
    pub bytes: u64,
    pub is_extern: bool,
    /// The values of scalars, by the number of the scalar. The others are zero.
    pub init: Vec<(u64, Init)>,
    /// The bytes of a scalar.
    pub scalar: u64,
}

#[derive(Debug, Clone)]
pub enum Init {
    Number(u64),
    /// The address of a symbol plus an offset. `byte` selects one byte of the address.
    Address {
        of: Symbol,
        offset: i64,
        byte: Option<u32>,
    },
}

#[derive(Debug)]
pub struct Instruction {
    pub op: Op,
    /// The register of the guard, and whether the instruction runs if the guard is false.
    pub guard: Option<(Slot, bool)>,
    pub line: Line,
    /// The location of the instruction, then that of each call by which it was inlined.
    pub locs: Arc<[Loc]>,
}

/// A parameter or a result of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formal {
    /// A place in the frame.
    Frame(Parameter),
    Register(Slot),
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub code: Vec<Instruction>,
    pub slots: u32,
    /// The bytes of the frame: local variables, and parameters of calls.
    pub frame: u64,
    /// Whether the module defines the function.
    pub is_defined: bool,
    /// The parameters of a kernel.
    pub params: Vec<Parameter>,
    /// The parameters and the results of a `.func`.
    pub formals: Vec<Formal>,
    pub returns: Vec<Formal>,
    pub required_block: Option<[u32; 3]>,
    pub required_cluster: Option<[u32; 3]>,
    pub explicit_cluster: bool,
    pub max_threads: Option<u64>,
    /// `.maxnreg` and `.minnctapersm`.
    pub max_registers: Option<u64>,
    pub min_blocks: Option<u64>,
    /// The variables and the functions that the code names.
    pub symbols: Vec<Symbol>,
}

impl Function {
    /// Returns the registers of each thread at the start of a kernel, as the directives bound them: as many as blocks of `.maxntid` or
    /// `.reqntid` threads can have, and those of `.maxnreg`. ptxas gives a kernel with `setmaxnreg` all of these.
    pub fn registers(&self) -> Option<u32> {
        const UNIT: u64 = 8;
        const LEAST: u64 = 24;
        let product = |block: [u32; 3]| {
            block.iter().fold(1, |threads: u64, extent| threads.saturating_mul(u64::from(*extent)))
        };
        // A block has no more threads, whatever the directives say. ptxas computes with whole warpgroups.
        let most = self.required_block.map(product).or(self.max_threads);
        let threads = most.map(|most| most.clamp(1, THREADS_PER_BLOCK.into()).next_multiple_of(128));
        let blocks = self.min_blocks.unwrap_or(1).max(1);
        let of_blocks = threads.map(|threads| REGISTERS / threads.saturating_mul(blocks) / UNIT * UNIT);
        let stated =
            self.max_registers.map(|registers| registers.min(MOST_REGISTERS.into()).next_multiple_of(UNIT));
        let each = [of_blocks, stated].into_iter().flatten().min()?;
        Some(each.clamp(LEAST, MOST_REGISTERS.into()) as u32)
    }
}

/// The registers of a multiprocessor, and the most of a thread that `setmaxnreg` sets.
const REGISTERS: u64 = 65536;
pub const MOST_REGISTERS: u32 = 256;

#[derive(Debug)]
pub struct Program {
    pub functions: Vec<Function>,
    /// The names of the module.
    pub names: FxHashMap<String, Symbol>,
    pub variables: Vec<Variable>,
    pub constants: Vec<Constant>,
    pub files: Vec<(u32, String)>,
    pub version: String,
    pub target: String,
    /// The reason of each `trap`, by its line.
    pub reasons: BTreeMap<Line, String>,
}

impl Program {
    /// Returns the kernel of a name.
    pub fn kernel(&self, name: &str) -> Option<usize> {
        match self.names.get(name)? {
            Symbol::Function(index) if self.functions[*index].is_entry => Some(*index),
            _ => None,
        }
    }

    /// Returns whether code reads a special register of a kind.
    pub fn reads(&self, is: impl Fn(Special) -> bool) -> bool {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        code.any(|instruction| matches!(instruction.op, Op::Special(_, special) if is(special)))
    }

    /// Returns the path of a source file.
    pub fn file(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(n, _)| *n == number).map(|(_, path)| path.as_str())
    }
}
