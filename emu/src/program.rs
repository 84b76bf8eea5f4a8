//! A module ready to run: registers are slots, labels are indices, symbols are constants that a kernel's launch fills in.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ast::{Line, Loc, Variable};
use crate::op::{Op, Slot};

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
    Symbol(String, i64),
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

/// A parameter: its place in the parameters of a kernel, or in the frame of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub offset: u64,
    pub bytes: u64,
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub code: Vec<Instruction>,
    pub slots: u32,
    /// The bytes of the frame: local variables, and parameters of calls.
    pub frame: u64,
    pub params: Vec<Parameter>,
    pub returns: Vec<Parameter>,
    pub required_block: Option<[u32; 3]>,
    pub required_cluster: Option<[u32; 3]>,
    pub explicit_cluster: bool,
    pub max_threads: Option<u64>,
    /// The symbols that the code names, and the functions that the code calls.
    pub symbols: Vec<String>,
}

#[derive(Debug)]
pub struct Program {
    pub functions: Vec<Function>,
    pub by_name: FxHashMap<String, usize>,
    pub variables: Vec<Variable>,
    pub constants: Vec<Constant>,
    pub files: Vec<(u32, String)>,
    pub version: String,
    pub target: String,
    /// The reason of each `trap`, by its line.
    pub reasons: BTreeMap<Line, String>,
}

impl Program {
    /// Returns the path of a source file.
    pub fn file(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(n, _)| *n == number).map(|(_, path)| path.as_str())
    }
}
