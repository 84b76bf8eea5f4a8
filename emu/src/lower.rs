//! Resolves the names in a function: registers to slots, variables to places, symbols to constants.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{self, Line, Loc, Operand, Variable};
use crate::op::{Address, Op, Slot, Space, Special, Src};
use crate::parse::bytes_of;
use crate::program::{Constant, DecodeError, Instruction};

/// The constants of a module, without duplicates.
#[derive(Default)]
pub struct Constants {
    pub list: Vec<Constant>,
    index: FxHashMap<Constant, usize>,
}

impl Constants {
    fn add(&mut self, constant: Constant) -> Src {
        let next = self.list.len();
        let index = *self.index.entry(constant.clone()).or_insert(next);
        if index == next {
            self.list.push(constant);
        }
        Src::constant(index)
    }
}

/// The names of a function, and the code that it has so far.
pub struct Lower<'a> {
    pub functions: &'a [ast::Function],
    pub by_name: &'a FxHashMap<String, usize>,
    pub variables: &'a mut Vec<Variable>,
    pub constants: &'a mut Constants,
    /// The slot and the type of each register, by scope.
    pub registers: Vec<FxHashMap<String, (Slot, String)>>,
    /// Offsets of local variables and parameters by scope.
    pub locals: Vec<FxHashMap<String, (u64, u64)>>,
    pub labels: FxHashMap<String, u32>,
    pub targets: FxHashMap<String, Vec<String>>,
    /// The labels that branches name. A branch holds the number of its label until all labels are known.
    pub label_names: Vec<String>,
    pub kernel_params: FxHashMap<String, u64>,
    pub slots: u32,
    pub frame: u64,
    pub code: Vec<Instruction>,
    pub symbols: Vec<String>,
    /// The registers that loads alone write, and that only `selp` takes or `st` stores.
    pub speculative: FxHashSet<String>,
    pub line: Line,
    pub locs: Arc<[Loc]>,
    /// The call by which each location was inlined.
    pub callers: FxHashMap<Loc, Loc>,
}

pub fn align_up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

/// The maximum size in bytes of the parameters of a kernel (PTX ISA 7.1).
pub const MOST_PARAMETERS: u64 = 32764;
/// The maximum size in bytes of the frame of a function: CUDA gives a thread no more local memory.
const MOST_LOCAL: u64 = 512 * 1024;
/// The maximum size in bytes of a module's variables in a state space. The interpreter keeps them in the memory of its process.
pub const MOST_OF_A_MODULE: u64 = 1 << 30;
/// The largest alignment of a variable.
const MOST_ALIGNMENT: u64 = 1 << 16;

/// Returns the offset and the end of a variable that follows `end` bytes, in a space of `most` bytes.
pub fn place(variable: &Variable, end: u64, align: u64, most: u64) -> Result<(u64, u64), DecodeError> {
    let error = |problem| Err(DecodeError { line: variable.line, problem });
    let name = &variable.name;
    if !variable.align.is_power_of_two() || variable.align > MOST_ALIGNMENT {
        return error(format!(
            "`{name}` is aligned to {} bytes: an alignment is a power of two, {MOST_ALIGNMENT} at most",
            variable.align
        ));
    }
    let offset = align_up(end, align);
    match offset.checked_add(variable.bytes()) {
        Some(end) if end <= most => Ok((offset, end)),
        _ => error(format!(
            "with `{name}`, the variables of its space `.{}` take more than {most} bytes",
            variable.space
        )),
    }
}

impl Lower<'_> {
    pub fn error(&self, problem: impl Into<String>) -> DecodeError {
        DecodeError { line: self.line, problem: problem.into() }
    }

    pub fn allocate(&mut self, variable: &Variable) -> Result<u64, DecodeError> {
        let align = variable.align.max(variable.element.min(16));
        let (offset, end) = place(variable, self.frame, align, MOST_LOCAL)?;
        self.frame = end.max(offset + 1);
        let scope = self.locals.last_mut().expect("a function has a scope");
        scope.insert(variable.name.clone(), (offset, variable.bytes()));
        Ok(offset)
    }

    pub fn push(&mut self, guard: Option<(Slot, bool)>, op: Op) {
        self.code.push(Instruction { op, guard, line: self.line, locs: self.locs.clone() });
    }

    /// Emits a move before the instruction that is being decoded.
    fn before(&mut self, op: Op) {
        self.push(None, op);
    }

    fn temporary(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    fn find(&self, name: &str) -> Option<(Slot, &str)> {
        self.registers.iter().rev().find_map(|scope| scope.get(name)).map(|(slot, ty)| (*slot, ty.as_str()))
    }

    fn local(&self, name: &str) -> Option<u64> {
        self.locals.iter().rev().find_map(|scope| scope.get(name)).map(|(offset, _)| *offset)
    }

    pub fn register(&self, name: &str) -> Result<Slot, DecodeError> {
        self.find(name).map(|(slot, _)| slot).ok_or_else(|| self.error(format!("`{name}` is no register")))
    }

    /// Returns whether only `selp` takes or `st` stores the registers.
    pub fn is_speculative(&self, operand: &Operand) -> bool {
        match operand {
            Operand::Name(name) => self.speculative.contains(name),
            Operand::Vector(list) => list.iter().all(|operand| self.is_speculative(operand)),
            _ => false,
        }
    }

    pub fn is_wide(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Name(name) if self.find(name).is_some_and(|(_, ty)| ty == "b128"))
    }

    /// Returns the bits of the register that an operand names, or the fewest bits of a register in a vector.
    pub fn bits_of(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Name(name) => self
                .find(name)
                .and_then(|(_, ty)| bytes_of(ty))
                .map_or(64, |bytes| (8 * bytes as u32).min(64)),
            Operand::Vector(elements) => {
                elements.iter().map(|element| self.bits_of(element)).min().unwrap_or(64)
            }
            _ => 64,
        }
    }

    pub fn is_predicate(&self, operand: &Operand) -> bool {
        matches!(operand, Operand::Name(name) if self.find(name).is_some_and(|(_, ty)| ty == "pred"))
    }

    pub fn constant(&mut self, bits: u64) -> Src {
        self.constants.add(Constant::Bits(bits))
    }

    fn symbol(&mut self, name: &str, offset: i64) -> Result<Src, DecodeError> {
        if let Some(at) = self.local(name) {
            return Ok(Src::frame(at.wrapping_add_signed(offset)));
        }
        if let Some(at) = self.kernel_params.get(name) {
            return Ok(self.constant(crate::memory::PARAM_WINDOW + at.wrapping_add_signed(offset)));
        }
        let known =
            self.by_name.contains_key(name) || self.variables.iter().any(|variable| variable.name == name);
        if !known {
            return Err(self.error(format!("`{name}` is neither a register nor a variable")));
        }
        if !self.symbols.iter().any(|symbol| symbol == name) {
            self.symbols.push(name.into());
        }
        let src = self.constants.add(Constant::Symbol(name.into(), offset));
        let is_shared =
            self.variables.iter().any(|variable| variable.name == name && variable.space == "shared");
        Ok(if is_shared { Src(src.0 | Src::SHARED) } else { src })
    }

    /// Returns the slot of a register that is written.
    pub fn slot(&self, operand: &Operand) -> Result<Slot, DecodeError> {
        match operand {
            Operand::Name(name) => self.register(name),
            _ => Err(self.error(format!("expected a register, not {operand:?}"))),
        }
    }

    /// Returns the slot of a register that is written, or `None` for `_`.
    pub fn sink(&self, operand: &Operand) -> Result<Option<Slot>, DecodeError> {
        match operand {
            Operand::Sink => Ok(None),
            operand => self.slot(operand).map(Some),
        }
    }

    /// Lowers an operand that is read.
    pub fn src(&mut self, operand: &Operand) -> Result<Src, DecodeError> {
        match operand {
            Operand::Name(name) => {
                if let Some((slot, _)) = self.find(name) {
                    return Ok(Src(slot));
                }
                if let Some(special) = Special::named(name) {
                    let slot = self.temporary();
                    self.before(Op::Special(slot, special));
                    return Ok(Src(slot));
                }
                self.symbol(name, 0)
            }
            Operand::Number(bits) => Ok(self.constant(*bits)),
            Operand::Float32(bits) => Ok(self.constant(u64::from(*bits))),
            Operand::Float64(bits) => Ok(self.constant(*bits)),
            Operand::Offset(name, offset) => self.symbol(name, *offset),
            Operand::Not(name) => {
                let (a, slot, one) = (self.register(name)?, self.temporary(), self.constant(1));
                self.before(Op::Binary(|a, b| a ^ b, slot, Src(a), one));
                Ok(Src(slot))
            }
            _ => Err(self.error(format!("expected a register or a number, not {operand:?}"))),
        }
    }

    /// Lowers a number that the instruction masks to `bits` bits.
    pub fn src_of(&mut self, operand: &Operand, bits: u32) -> Result<Src, DecodeError> {
        match operand {
            Operand::Number(number) if bits < 64 => Ok(self.constant(number & ((1 << bits) - 1))),
            Operand::Number(number) => Ok(self.constant(*number)),
            // nvcc writes a double for a float.
            Operand::Float64(number) if bits == 32 => {
                Ok(self.constant((f64::from_bits(*number) as f32).to_bits().into()))
            }
            operand => self.src(operand),
        }
    }

    pub fn address(&mut self, operand: &Operand, space: Space) -> Result<Address, DecodeError> {
        match operand {
            Operand::Address(parts) if !parts.is_empty() => self.place(&parts[0], space),
            _ => Err(self.error(format!("expected an address, not {operand:?}"))),
        }
    }

    /// Lowers the base of an address: `a`, `a+4`, `4`.
    pub fn place(&mut self, operand: &Operand, space: Space) -> Result<Address, DecodeError> {
        let (base, offset) = match operand {
            Operand::Offset(name, offset) => match self.find(name) {
                Some((slot, _)) => (Src(slot), *offset),
                None => (self.symbol(name, *offset)?, 0),
            },
            operand => (self.src(operand)?, 0),
        };
        // Parameters of a function and of its calls are in the function's frame.
        let space =
            if space == Space::Param && base.0 & Src::SHARED == Src::FRAME { Space::Local } else { space };
        Ok(Address { base, offset, space })
    }

    pub fn label(&mut self, operand: &Operand) -> Result<u32, DecodeError> {
        match operand {
            Operand::Name(name) => Ok(self.label_number(name)),
            _ => Err(self.error(format!("expected a label, not {operand:?}"))),
        }
    }

    fn label_number(&mut self, name: &str) -> u32 {
        let list = &mut self.label_names;
        match list.iter().position(|label| label == name) {
            Some(at) => at as u32,
            None => {
                list.push(name.into());
                list.len() as u32 - 1
            }
        }
    }

    /// Returns the labels of a `.branchtargets` list.
    pub fn label_list(&mut self, operand: &Operand) -> Result<Vec<u32>, DecodeError> {
        let Operand::Name(name) = operand else {
            return Err(self.error(format!("expected a list of labels, not {operand:?}")));
        };
        let targets = self.targets.get(name).cloned();
        let targets = targets.ok_or_else(|| self.error(format!("no list of labels `{name}`")))?;
        Ok(targets.iter().map(|label| self.label_number(label)).collect())
    }

    /// Returns the offset in the frame of a parameter of a call.
    pub fn call_parameter(&mut self, operand: &Operand) -> Result<u64, DecodeError> {
        match operand {
            Operand::Name(name) => {
                self.local(name).ok_or_else(|| self.error(format!("`{name}` is no parameter of the call")))
            }
            _ => Err(self.error(format!("expected a parameter, not {operand:?}"))),
        }
    }

    /// Returns the function that a call names, or `None` if the operand is a register.
    pub fn callee(&self, operand: &Operand) -> Option<(&str, usize, bool)> {
        let Operand::Name(name) = operand else { return None };
        let index = *self.by_name.get(name)?;
        let function = &self.functions[index];
        Some((&function.name, index, function.body.is_some()))
    }
}
