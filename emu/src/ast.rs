//! PTX as it is written: the result of [`parse`](crate::parse).

use std::collections::BTreeMap;

/// The number of a line of the PTX text. The first line is 1.
pub type Line = u32;

/// A `.loc` directive: a line of the source that the compiler has translated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Default)]
pub struct Module {
    pub version: String,
    pub target: String,
    /// The number and the path of each `.file`.
    pub files: Vec<(u32, String)>,
    pub variables: Vec<Variable>,
    pub functions: Vec<Function>,
    /// The comment after each `trap;`, by its line: `ptx` writes there why the kernel traps.
    pub reasons: BTreeMap<Line, String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// `global`, `const`, `shared`, `local` or `param`.
    pub space: String,
    pub name: String,
    pub align: u64,
    /// The size of an element in bytes.
    pub element: u64,
    /// The number of elements. `None`: an array without an extent, whose initializer or launch gives the size.
    pub count: Option<u64>,
    pub init: Vec<Init>,
    pub is_extern: bool,
    pub line: Line,
}

impl Variable {
    /// Returns the size in bytes of the elements that are stated. The decoder has checked that it fits.
    pub fn bytes(&self) -> u64 {
        self.element.saturating_mul(self.count.unwrap_or(0))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Init {
    Number(u64),
    /// The address of a symbol plus an offset, in its own space or generic. `byte` selects one byte of the address.
    Address {
        symbol: String,
        offset: i64,
        generic: bool,
        byte: Option<u32>,
    },
}

#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    pub returns: Vec<Variable>,
    pub params: Vec<Variable>,
    /// `.reqntid`, `.maxntid`, `.reqnctapercluster` and their like, with their numbers.
    pub directives: Vec<(String, Vec<u64>)>,
    /// `None`: a declaration.
    pub body: Option<Vec<Statement>>,
    pub line: Line,
}

#[derive(Debug)]
pub enum Statement {
    Label(String),
    /// The type and the names of registers. `%r<5>` is expanded.
    Registers(String, Vec<String>),
    Variable(Variable),
    /// A location, and the call by which it was inlined.
    Loc(Loc, Option<Loc>),
    /// `label: .branchtargets a, b;`
    Targets(String, Vec<String>),
    Block(Vec<Statement>),
    Instruction(Instruction),
}

#[derive(Debug, Clone)]
pub struct Instruction {
    /// The register of the guard `@p`, and whether it is negated.
    pub guard: Option<(String, bool)>,
    /// The opcode with its qualifiers, as written.
    pub opcode: String,
    pub operands: Vec<Operand>,
    pub line: Line,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Operand {
    /// A register, a special register, a symbol, or a label.
    Name(String),
    /// `!p`.
    Not(String),
    /// `a|b`.
    Pair(Box<Operand>, Box<Operand>),
    /// An integer. `Float32` and `Float64` hold the bits of a `0f` or `0d` number.
    Number(u64),
    Float32(u32),
    Float64(u64),
    /// `name+4`.
    Offset(String, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[a+4]`, `[a, {b, c}]`.
    Address(Vec<Operand>),
    /// `(a, b)` in a call.
    List(Vec<Operand>),
    /// `_`.
    Sink,
}
