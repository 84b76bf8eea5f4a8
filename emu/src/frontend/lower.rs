//! Resolves the names in a function: registers to slots, variables to places, symbols to constants.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::address::{FUNCTION_WINDOW, PARAM_WINDOW};
use crate::frontend::ast::{self, Line, Loc, Operand, Registers, bytes_of};
use crate::frontend::op::{Address, Op, Slot, Space, Special, Src};
use crate::frontend::program::{Constant, DecodeError, Instruction, Parameter, Symbol};
use crate::frontend::statics::{Layout, MOST_LOCAL, Names, Statics};

pub type Result<T> = std::result::Result<T, DecodeError>;

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

/// What a name of a function stands for.
#[derive(Clone)]
pub enum Entity {
    Register {
        slot: Slot,
        class: Class,
    },
    /// A local variable, or a parameter of the function or of its calls; with the bytes of an element.
    Frame(Parameter, u64),
    /// A parameter of the kernel, by its offset; with the bytes of an element.
    Parameter(u64, u64),
    /// A static variable of the function, by its index; with the bytes of an element.
    Variable(usize, u64),
    Label(u32),
    /// A list of labels, or of functions.
    Targets(Arc<[String]>),
}

/// The type of a register, and its number of scalars.
#[derive(Clone)]
pub struct Class {
    pub ty: Arc<str>,
    pub vector: u64,
}

impl Class {
    /// Returns the slots of a scalar.
    fn width(&self) -> u32 {
        if &*self.ty == "b128" { 2 } else { 1 }
    }
}

/// The names that a `{ }` declares.
#[derive(Default)]
pub struct Scope {
    names: FxHashMap<String, Entity>,
    /// The counts of `prefix<count>`, by the prefix. A register of it has a slot when the code names it.
    ranges: FxHashMap<String, (u64, Class)>,
}

impl Scope {
    /// Returns the class of a name in a range `prefix<count>`.
    fn in_range(&self, name: &str) -> Option<&Class> {
        if self.ranges.is_empty() {
            return None;
        }
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        (prefix.len()..name.len()).find_map(|end| {
            let (count, class) = self.ranges.get(&name[..end])?;
            let digits = &name[end..];
            let is_plain = digits.len() == 1 || !digits.starts_with('0');
            let number = digits.parse::<u64>().ok().filter(|_| is_plain)?;
            (number < *count).then_some(class)
        })
    }
}

/// The names of a function, and the code that it has so far.
pub struct Lower<'a> {
    pub functions: &'a [ast::Function],
    /// The names of the module.
    pub module: &'a Names,
    pub statics: &'a mut Statics,
    pub constants: &'a mut Constants,
    /// The scopes around the code, the innermost last.
    pub scopes: Vec<Scope>,
    /// The places of the labels. A branch holds the index of its label until all places are known.
    pub labels: Vec<u32>,
    /// Whether there is a register of several scalars.
    pub has_vectors: bool,
    pub slots: u32,
    pub frame: u64,
    pub code: Vec<Instruction>,
    pub symbols: FxHashSet<Symbol>,
    pub line: Line,
    pub locs: Arc<[Loc]>,
    /// The call by which each location was inlined.
    pub callers: FxHashMap<Loc, Loc>,
}

impl Lower<'_> {
    pub fn error(&self, problem: impl Into<String>) -> DecodeError {
        DecodeError { line: self.line, problem: problem.into() }
    }

    /// Gives a name to what the innermost scope declares.
    pub fn declare(&mut self, name: &str, entity: Entity) -> Result<()> {
        let line = self.line;
        let scope = self.scopes.last_mut().expect("a function has a scope");
        if scope.names.contains_key(name) || scope.in_range(name).is_some() {
            return Err(duplicate(name, line));
        }
        scope.names.insert(name.into(), entity);
        Ok(())
    }

    pub fn declare_registers(&mut self, registers: &Registers) -> Result<()> {
        self.line = registers.line;
        let class = Class { ty: registers.ty.as_str().into(), vector: registers.vector };
        self.has_vectors |= class.vector > 1;
        for (name, count) in &registers.names {
            let Some(count) = count else {
                let slot = self.new_register(&class);
                self.declare(name, Entity::Register { slot, class: class.clone() })?;
                continue;
            };
            let scope = self.scopes.last_mut().expect("a function has a scope");
            let is_known = |other: &String| {
                let number = other.strip_prefix(name.as_str()).and_then(|number| number.parse::<u64>().ok());
                number.is_some_and(|number| number < *count)
            };
            if scope.ranges.contains_key(name) {
                return Err(duplicate(&format!("{name}<{count}>"), registers.line));
            }
            if let Some(known) = scope.names.keys().find(|other| is_known(other)) {
                return Err(duplicate(known, registers.line));
            }
            scope.ranges.insert(name.clone(), (*count, class.clone()));
        }
        Ok(())
    }

    /// Returns the first slot of a new register.
    pub fn new_register(&mut self, class: &Class) -> Slot {
        let slot = self.slots;
        self.slots += class.width() * class.vector as u32;
        slot
    }

    /// Gives a place in the frame to a variable.
    pub fn allocate(&mut self, variable: &ast::Variable) -> Result<Parameter> {
        self.line = variable.line;
        let layout = Layout::of(variable);
        let align = layout.align.max(variable.element().min(16));
        let (offset, end) = Layout { align, ..layout }.place(self.frame, MOST_LOCAL)?;
        self.frame = end.max(offset + 1);
        let place = Parameter { offset, bytes: variable.bytes() };
        self.declare(&variable.name, Entity::Frame(place.clone(), variable.element()))?;
        Ok(place)
    }

    pub fn push(&mut self, guard: Option<(Slot, bool)>, op: Op) {
        self.code.push(Instruction { op, guard, line: self.line, locs: self.locs.clone() });
    }

    /// Emits an instruction before the one that is being decoded.
    pub fn before(&mut self, op: Op) {
        self.push(None, op);
    }

    pub fn temporary(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// Returns what a name stands for in the innermost scope that declares it.
    pub fn find(&mut self, name: &str) -> Result<Option<Entity>> {
        for at in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[at];
            if let Some(entity) = scope.names.get(name) {
                return Ok(Some(entity.clone()));
            }
            if let Some(class) = scope.in_range(name).cloned() {
                let entity = Entity::Register { slot: self.new_register(&class), class };
                self.scopes[at].names.insert(name.into(), entity.clone());
                return Ok(Some(entity));
            }
        }
        // `v.x`: an element of a vector.
        let Some((of, element)) = name.split_once('.') else { return Ok(None) };
        let Some(element) = ["x", "y", "z", "w"]
            .iter()
            .zip(["r", "g", "b", "a"])
            .position(|(position, color)| element == *position || element == color)
        else {
            return Ok(None);
        };
        match self.find(of)? {
            Some(Entity::Register { slot, class }) if class.vector > 1 => {
                if element as u64 >= class.vector {
                    return Err(self.error(format!("`{of}` has {} elements, and no `{name}`", class.vector)));
                }
                let slot = slot + element as u32 * class.width();
                Ok(Some(Entity::Register { slot, class: Class { vector: 1, ..class } }))
            }
            _ => Ok(None),
        }
    }

    fn find_register(&mut self, name: &str) -> Result<Option<(Slot, Class)>> {
        Ok(match self.find(name)? {
            Some(Entity::Register { slot, class }) => Some((slot, class)),
            _ => None,
        })
    }

    /// Returns the type of the register that an operand names.
    fn type_of(&mut self, operand: &Operand) -> Option<Arc<str>> {
        let Operand::Name(name) = operand else { return None };
        let (_, class) = self.find_register(name).ok()??;
        Some(class.ty)
    }

    /// Returns the operand, with the list of its elements for the name of a vector.
    pub fn expanded(&mut self, operand: &Operand) -> Result<Operand> {
        if let Operand::Name(name) = operand
            && !name.contains('.')
            && let Some((_, class)) = self.find_register(name)?
            && class.vector > 1
        {
            let elements = ["x", "y", "z", "w"].iter().take(class.vector as usize);
            return Ok(Operand::Vector(
                elements.map(|element| Operand::Name(format!("{name}.{element}"))).collect(),
            ));
        }
        Ok(operand.clone())
    }

    pub fn register(&mut self, name: &str) -> Result<Slot> {
        match self.find(name)? {
            Some(Entity::Register { slot, .. }) => Ok(slot),
            Some(_) => Err(self.error(format!("`{name}` is no register"))),
            None => Err(self.error(format!("`{name}` is not declared"))),
        }
    }

    pub fn predicate(&mut self, name: &str) -> Result<Slot> {
        match self.find_register(name)? {
            Some((slot, class)) if &*class.ty == "pred" => Ok(slot),
            _ => Err(self.error(format!("`{name}` is no predicate"))),
        }
    }

    pub fn is_wide(&mut self, operand: &Operand) -> bool {
        self.type_of(operand).is_some_and(|ty| &*ty == "b128")
    }

    /// Returns the bits of the register that an operand names, or the fewest bits of a register in a vector.
    pub fn bits_of(&mut self, operand: &Operand) -> u32 {
        match operand {
            Operand::Vector(elements) => {
                elements.iter().map(|element| self.bits_of(element)).min().unwrap_or(64)
            }
            operand => {
                let bytes = self.type_of(operand).and_then(|ty| bytes_of(&ty));
                bytes.map_or(64, |bytes| (8 * bytes as u32).min(64))
            }
        }
    }

    pub fn is_predicate(&mut self, operand: &Operand) -> bool {
        self.type_of(operand).is_some_and(|ty| &*ty == "pred")
    }

    pub fn constant(&mut self, bits: u64) -> Src {
        self.constants.add(Constant::Bits(bits))
    }

    /// Returns the address of what a name stands for, and the bytes of its elements.
    fn symbol(&mut self, name: &str, offset: i64) -> Result<(Src, u64)> {
        let (symbol, element) = match self.find(name)? {
            Some(Entity::Frame(place, element)) => {
                let at = place.offset.wrapping_add_signed(offset);
                if at > MOST_LOCAL {
                    return Err(self.error(format!("`{name}{offset:+}` is out of local memory")));
                }
                return Ok((Src::frame(at), element));
            }
            Some(Entity::Parameter(at, element)) => {
                return Ok((self.constant(PARAM_WINDOW + at.wrapping_add_signed(offset)), element));
            }
            Some(Entity::Variable(index, element)) => (Symbol::Variable(index), element),
            Some(_) => return Err(self.error(format!("`{name}` is no variable"))),
            None => match self.module.get(name) {
                Some(known) => *known,
                None => return Err(self.error(format!("`{name}` is not declared"))),
            },
        };
        self.symbols.insert(symbol);
        let src = match symbol {
            Symbol::Function(index) => self.constant(FUNCTION_WINDOW + index as u64),
            Symbol::Variable(index) => {
                let src = self.constants.add(Constant::Variable(index, offset));
                if self.statics.list[index].space == "shared" { Src(src.0 | Src::SHARED) } else { src }
            }
        };
        Ok((src, element))
    }

    /// Returns the slot of a register that is written.
    pub fn slot(&mut self, operand: &Operand) -> Result<Slot> {
        match operand {
            Operand::Name(name) => self.register(name),
            _ => Err(self.error(format!("expected a register, not `{operand}`"))),
        }
    }

    /// Returns the slot of a register that is written, or `None` for `_`.
    pub fn sink(&mut self, operand: &Operand) -> Result<Option<Slot>> {
        match operand {
            Operand::Sink => Ok(None),
            operand => self.slot(operand).map(Some),
        }
    }

    /// Lowers an operand that is read.
    pub fn src(&mut self, operand: &Operand) -> Result<Src> {
        match operand {
            Operand::Name(name) => {
                if let Some((slot, _)) = self.find_register(name)? {
                    return Ok(Src(slot));
                }
                if let Some(special) = Special::named(name) {
                    let slot = self.temporary();
                    self.before(Op::Special(slot, special));
                    return Ok(Src(slot));
                }
                Ok(self.symbol(name, 0)?.0)
            }
            Operand::Number(bits) => Ok(self.constant(*bits)),
            Operand::Float32(bits) => Ok(self.constant(u64::from(*bits))),
            Operand::Float64(bits) => Ok(self.constant(*bits)),
            Operand::Offset(name, offset) => Ok(self.symbol(name, *offset)?.0),
            Operand::Element(name, index) => {
                let (_, element) = self.symbol(name, 0)?;
                Ok(self.symbol(name, index.wrapping_mul(element as i64))?.0)
            }
            Operand::Not(name) => {
                let (a, slot, one) = (self.register(name)?, self.temporary(), self.constant(1));
                self.before(Op::Binary(|a, b| a ^ b, slot, Src(a), one));
                Ok(Src(slot))
            }
            _ => Err(self.error(format!("expected a register or a number, not `{operand}`"))),
        }
    }

    /// Lowers a number that the instruction masks to `bits` bits.
    pub fn src_of(&mut self, operand: &Operand, bits: u32) -> Result<Src> {
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

    pub fn address(&mut self, operand: &Operand, space: Space) -> Result<Address> {
        match operand {
            Operand::Address(parts) if !parts.is_empty() => self.place(&parts[0], space),
            Operand::Element(..) => self.place(operand, space),
            _ => Err(self.error(format!("expected an address, not `{operand}`"))),
        }
    }

    /// Lowers the base of an address: `a`, `a+4`, `4`.
    pub fn place(&mut self, operand: &Operand, space: Space) -> Result<Address> {
        let (base, offset) = match operand {
            Operand::Offset(name, offset) => match self.find_register(name)? {
                Some((slot, _)) => (Src(slot), *offset),
                None => (self.symbol(name, *offset)?.0, 0),
            },
            operand => (self.src(operand)?, 0),
        };
        let space = match (space, base.0 & Src::SHARED) {
            // The name of a variable in shared or local memory says its space.
            (Space::Generic, Src::SHARED) => Space::SharedCta,
            // Parameters of a function and of its calls are in the function's frame.
            (Space::Generic | Space::Param, Src::FRAME) => Space::Local,
            (space, _) => space,
        };
        Ok(Address { base, offset, space })
    }

    pub fn label(&mut self, operand: &Operand) -> Result<u32> {
        match operand {
            Operand::Name(name) => self.label_of(name),
            _ => Err(self.error(format!("expected a label, not `{operand}`"))),
        }
    }

    /// Returns the index of a label.
    fn label_of(&mut self, name: &str) -> Result<u32> {
        match self.find(name)? {
            Some(Entity::Label(label)) => Ok(label),
            _ => Err(self.error(format!("no label `{name}` in this block or in one around it"))),
        }
    }

    /// Returns the labels of a `.branchtargets` list.
    pub fn label_list(&mut self, operand: &Operand) -> Result<Vec<u32>> {
        let Operand::Name(name) = operand else {
            return Err(self.error(format!("expected a list of labels, not `{operand}`")));
        };
        match self.find(name)? {
            Some(Entity::Targets(targets)) => targets.iter().map(|label| self.label_of(label)).collect(),
            _ => Err(self.error(format!("no list of labels `{name}`"))),
        }
    }

    /// Returns the place in the frame of an operand that names a parameter of a call.
    pub fn frame_place(&mut self, operand: &Operand) -> Result<Option<Parameter>> {
        let Operand::Name(name) = operand else { return Ok(None) };
        Ok(match self.find(name)? {
            Some(Entity::Frame(place, _)) => Some(place),
            _ => None,
        })
    }

    /// Returns what a call passes, if it has the size of the parameter.
    pub fn fits(&self, place: Parameter, formal: Option<&ast::Variable>) -> Result<Parameter> {
        match formal {
            Some(formal) if !formal.extents.contains(&None) && formal.bytes() != place.bytes => {
                let (name, bytes, passed) = (&formal.name, formal.bytes(), place.bytes);
                Err(self.error(format!("the call passes {passed} bytes for `{name}`, which has {bytes}")))
            }
            _ => Ok(place),
        }
    }

    /// Returns the index of the function that a call names, or `None` if the operand is a register.
    pub fn callee(&mut self, operand: &Operand) -> Result<Option<usize>> {
        let Operand::Name(name) = operand else { return Ok(None) };
        if self.find(name)?.is_some() {
            return Ok(None);
        }
        match self.module.get(name) {
            Some((Symbol::Function(index), _)) => {
                self.symbols.insert(Symbol::Function(*index));
                Ok(Some(*index))
            }
            _ => Err(self.error(format!("no function `{name}`"))),
        }
    }
}

fn duplicate(name: &str, line: Line) -> DecodeError {
    DecodeError { line, problem: format!("`{name}` is declared twice in one block") }
}
