//! Lays out variables: their places in a state space, their initial values, and the limits of both.

use rustc_hash::FxHashMap;

use crate::frontend::ast::{self, Line, Operand};
use crate::frontend::program::{DecodeError, Init, Symbol, Variable};

/// The names of a module, with the bytes of a variable's elements.
pub type Names = FxHashMap<String, (Symbol, u64)>;

pub fn error<T>(line: Line, problem: impl Into<String>) -> Result<T, DecodeError> {
    Err(DecodeError { line, problem: problem.into() })
}

fn align_up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

/// The maximum size in bytes of the parameters of a kernel (PTX ISA 7.1).
pub const MOST_PARAMETERS: u64 = 32764;
/// The maximum size in bytes of the frame of a function: CUDA gives a thread no more local memory.
pub const MOST_LOCAL: u64 = 512 * 1024;
/// The maximum size in bytes of a module's variables in a state space. The interpreter keeps them in the memory of its process.
pub const MOST_OF_A_MODULE: u64 = 1 << 30;
/// The maximum size in bytes of the variables in `.const` (PTX ISA 5.1.3).
pub const MOST_CONSTANTS: u64 = 1 << 16;
/// The largest alignment of a variable.
const MOST_ALIGNMENT: u64 = 1 << 16;
/// The maximum number of 64-bit registers that a function names.
pub const MOST_SLOTS: u32 = 1 << 17;

/// A variable's size and alignment.
pub struct Layout<'a> {
    pub name: &'a str,
    pub space: &'a str,
    pub bytes: u64,
    pub align: u64,
    pub line: Line,
}

impl<'a> Layout<'a> {
    pub fn of(variable: &'a ast::Variable) -> Self {
        let ast::Variable { name, space, line, .. } = variable;
        Self { name, space, bytes: variable.bytes(), align: variable.align(), line: *line }
    }

    /// Returns the offset and the end of a variable that follows `end` bytes, in a space of `most` bytes.
    pub fn place(&self, end: u64, most: u64) -> Result<(u64, u64), DecodeError> {
        let Self { name, space, bytes, align, line } = *self;
        let error = |problem| Err(DecodeError { line, problem });
        if !align.is_power_of_two() || align > MOST_ALIGNMENT {
            return error(format!(
                "`{name}` is aligned to {align} bytes: an alignment is a power of two, {MOST_ALIGNMENT} at most"
            ));
        }
        let offset = align_up(end, align);
        match offset.checked_add(bytes) {
            Some(end) if end <= most => Ok((offset, end)),
            _ => error(format!(
                "with `{name}`, the variables of its space `.{space}` take more than {most} bytes"
            )),
        }
    }
}

/// The variables of a module and of its functions.
#[derive(Default)]
pub struct Statics {
    pub list: Vec<Variable>,
    /// The bytes of the variables of each space.
    ends: FxHashMap<String, u64>,
}

impl Statics {
    /// Adds a variable, and returns its index. `find` returns what a name in its initializer stands for.
    pub fn add(
        &mut self,
        variable: &ast::Variable,
        mut find: impl FnMut(&str) -> Result<Option<Symbol>, DecodeError>,
    ) -> Result<usize, DecodeError> {
        let ast::Variable { name, space, line, is_extern, .. } = variable;
        let mut dims = Vec::new();
        for (i, extent) in variable.extents.iter().enumerate() {
            dims.push(match (extent, &variable.init) {
                (Some(extent), _) => *extent,
                (None, Some(ast::Init::List(list))) if i == 0 => {
                    let rest = variable.extents[1..].iter().flatten().product::<u64>() * variable.vector;
                    let is_nested = list.iter().any(|init| matches!(init, ast::Init::List(_)));
                    if is_nested { list.len() as u64 } else { (list.len() as u64).div_ceil(rest.max(1)) }
                }
                (None, None) if i == 0 && *is_extern => 0,
                (None, _) => return error(*line, format!("the array `{name}` has no size")),
            });
        }
        let count = dims.iter().fold(1u64, |all, extent| all.saturating_mul(*extent));
        let bytes = variable.element().saturating_mul(count);
        let most = if space == "const" { MOST_CONSTANTS } else { MOST_OF_A_MODULE };
        let end = self.ends.entry(space.clone()).or_default();
        (_, *end) = Layout { bytes, ..Layout::of(variable) }.place(*end, most)?;
        if variable.vector > 1 {
            dims.push(variable.vector);
        }
        let mut init = Vec::new();
        match &variable.init {
            Some(_) if space == "shared" => {
                return error(
                    *line,
                    format!("`{name}` is in `.shared`, where a variable has no initial value"),
                );
            }
            Some(ast::Init::List(list)) if !dims.is_empty() => {
                fill(variable, list, &dims, 0, &mut find, &mut init)?
            }
            Some(value) if dims.is_empty() => init.push((0, scalar(variable, value, &mut find)?)),
            Some(_) => return error(*line, format!("`{name}` is an array: its values are in `{{ }}`")),
            None => {}
        }
        let (space, scalar) = (space.clone(), variable.scalar());
        self.list.push(Variable {
            space,
            align: variable.align(),
            bytes,
            is_extern: *is_extern,
            init,
            scalar,
        });
        Ok(self.list.len() - 1)
    }
}

/// Adds the values of a list for an array of the extents `dims`, whose first scalar is number `start`.
fn fill(
    variable: &ast::Variable,
    list: &[ast::Init],
    dims: &[u64],
    start: u64,
    find: &mut impl FnMut(&str) -> Result<Option<Symbol>, DecodeError>,
    to: &mut Vec<(u64, Init)>,
) -> Result<(), DecodeError> {
    let is_nested = list.iter().any(|init| matches!(init, ast::Init::List(_)));
    let inner = if is_nested { &dims[1..] } else { &[] };
    let size: u64 = inner.iter().product();
    let most = dims.iter().product::<u64>() / size.max(1);
    if list.len() as u64 > most || is_nested && inner.is_empty() {
        let name = &variable.name;
        return error(
            variable.line,
            format!("the initializer of `{name}` has more values than the variable"),
        );
    }
    for (init, i) in list.iter().zip(0..) {
        let at = start + i * size;
        match init {
            ast::Init::List(list) => fill(variable, list, inner, at, find, to)?,
            value => to.push((at, scalar(variable, value, find)?)),
        }
    }
    Ok(())
}

/// Returns the value of a scalar of a variable.
fn scalar(
    variable: &ast::Variable,
    init: &ast::Init,
    find: &mut impl FnMut(&str) -> Result<Option<Symbol>, DecodeError>,
) -> Result<Init, DecodeError> {
    let is_float = variable.ty.starts_with('f');
    Ok(match init {
        ast::Init::Value(Operand::Number(number)) if !is_float => Init::Number(*number),
        ast::Init::Value(Operand::Float32(bits)) => Init::Number((*bits).into()),
        ast::Init::Value(Operand::Float64(bits)) if variable.ty == "f64" => Init::Number(*bits),
        ast::Init::Value(Operand::Float64(bits)) if variable.ty == "f32" => {
            Init::Number((f64::from_bits(*bits) as f32).to_bits().into())
        }
        ast::Init::Address { symbol, offset, byte } => match find(symbol)? {
            Some(of) => Init::Address { of, offset: *offset, byte: *byte },
            None => return error(variable.line, format!("`{symbol}` is not declared")),
        },
        _ => {
            let (name, ty) = (&variable.name, &variable.ty);
            return error(variable.line, format!("a value of `{name}` is not of the type `.{ty}`"));
        }
    })
}
