//! PTX as it is written: the result of [`parse`](crate::frontend::parse).

use std::collections::BTreeMap;
use std::fmt;

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
    pub aliases: Vec<Alias>,
    /// The comment after each `trap;`, by its line: `ptx` writes there why the kernel traps.
    pub reasons: BTreeMap<Line, String>,
}

/// `.alias name, of;`
#[derive(Debug)]
pub struct Alias {
    pub name: String,
    pub of: String,
    pub line: Line,
}

#[derive(Debug, Clone)]
pub struct Variable {
    /// `global`, `const`, `shared`, `local`, `param` or `reg`.
    pub space: String,
    pub name: String,
    /// The type of an element, such as `b32`.
    pub ty: String,
    /// The alignment that is stated.
    pub stated_align: Option<u64>,
    /// The number of scalars of an element: 2 with `.v2`, 4 with `.v4`.
    pub vector: u64,
    /// The extents of an array. `None`: the initializer or the launch gives the extent.
    pub extents: Vec<Option<u64>>,
    pub init: Option<Init>,
    pub is_extern: bool,
    pub line: Line,
}

impl Variable {
    /// Returns the size of a scalar in bytes.
    pub fn scalar(&self) -> u64 {
        bytes_of(&self.ty).unwrap_or(8)
    }

    /// Returns the size of an element in bytes.
    pub fn element(&self) -> u64 {
        self.scalar() * self.vector
    }

    pub fn align(&self) -> u64 {
        self.stated_align.unwrap_or(self.element())
    }

    /// Returns the size in bytes of the elements that are stated. The decoder has checked that it fits.
    pub fn bytes(&self) -> u64 {
        let count = self.extents.iter().fold(1u64, |all, extent| all.saturating_mul(extent.unwrap_or(0)));
        self.element().saturating_mul(count)
    }
}

/// Returns the bytes of a type that a variable or a register can have.
pub fn bytes_of(ty: &str) -> Option<u64> {
    Some(match ty {
        "b8" | "u8" | "s8" => 1,
        "b16" | "u16" | "s16" | "f16" | "bf16" => 2,
        "b32" | "u32" | "s32" | "f32" | "f16x2" | "bf16x2" => 4,
        "b64" | "u64" | "s64" | "f64" | "f32x2" | "texref" | "samplerref" | "surfref" => 8,
        "b128" => 16,
        "b1024" => 128,
        _ => return None,
    })
}

#[derive(Debug, Clone, PartialEq)]
pub enum Init {
    /// A number or a float.
    Value(Operand),
    /// The address of a symbol plus an offset. `byte` selects one byte of the address.
    Address { symbol: String, offset: i64, byte: Option<u32> },
    /// `{a, b}`.
    List(Vec<Init>),
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
    Label(String, Line),
    Registers(Registers),
    Variable(Variable),
    /// A location, and the call by which it was inlined.
    Loc(Loc, Option<Loc>),
    /// `label: .branchtargets a, b;`
    Targets(String, Vec<String>, Line),
    Block(Vec<Statement>),
    Instruction(Instruction),
}

/// `.reg .v2 .b32 a, %r<5>;`
#[derive(Debug)]
pub struct Registers {
    pub ty: String,
    /// The number of scalars of a register: 2 with `.v2`, 4 with `.v4`.
    pub vector: u64,
    /// The names. With a count, a name is the prefix of as many names.
    pub names: Vec<(String, Option<u64>)>,
    pub line: Line,
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
    /// `-a`, in `vmad`.
    Negated(String),
    /// `a|b`.
    Pair(Box<Operand>, Box<Operand>),
    /// An integer. `Float32` and `Float64` hold the bits of a `0f` or `0d` number.
    Number(u64),
    Float32(u32),
    Float64(u64),
    /// `name+4`.
    Offset(String, i64),
    /// `name[4]`: an element of an array.
    Element(String, i64),
    /// `{a, b}`.
    Vector(Vec<Operand>),
    /// `[a+4]`, `[a, {b, c}]`.
    Address(Vec<Operand>),
    /// `(a, b)` in a call.
    List(Vec<Operand>),
    /// `_`.
    Sink,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn list(f: &mut fmt::Formatter<'_>, [open, close]: [&str; 2], all: &[Operand]) -> fmt::Result {
            const MOST: usize = 8;
            f.write_str(open)?;
            for (i, operand) in all.iter().take(MOST).enumerate() {
                write!(f, "{}{operand}", if i > 0 { ", " } else { "" })?;
            }
            f.write_str(if all.len() > MOST { ", …" } else { "" })?;
            f.write_str(close)
        }
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Not(name) => write!(f, "!{name}"),
            Self::Negated(name) => write!(f, "-{name}"),
            Self::Pair(a, b) => write!(f, "{a}|{b}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Float32(bits) => write!(f, "0f{bits:08X}"),
            Self::Float64(bits) => write!(f, "0d{bits:016X}"),
            Self::Offset(name, offset) => write!(f, "{name}{offset:+}"),
            Self::Element(name, index) => write!(f, "{name}[{index}]"),
            Self::Vector(all) => list(f, ["{", "}"], all),
            Self::Address(all) => list(f, ["[", "]"], all),
            Self::List(all) => list(f, ["(", ")"], all),
            Self::Sink => f.write_str("_"),
        }
    }
}
