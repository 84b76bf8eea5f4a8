//! A module ready to run: registers are slots, labels are indices, symbols are constants that a kernel's launch fills in.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{self, Line, Loc, Operand, Statement, Variable};
use crate::decode;
use crate::op::{Address, Op, Slot, Space, Src};
use crate::parse::bytes_of;

/// Why a module cannot run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the PTX: {problem}")]
pub struct DecodeError {
    /// The line, from 1 on.
    pub line: Line,
    /// What is wrong, or what the interpreter lacks.
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
    /// The guard: its register, and whether the instruction runs if it is false.
    pub guard: Option<(Slot, bool)>,
    pub line: Line,
    /// Where it comes from: its own location, then that of each call by which it was inlined.
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
    /// Bytes of the frame: local variables, and parameters of calls.
    pub frame: u64,
    pub params: Vec<Parameter>,
    pub returns: Vec<Parameter>,
    pub required_block: Option<[u32; 3]>,
    pub required_cluster: Option<[u32; 3]>,
    pub explicit_cluster: bool,
    pub max_threads: Option<u64>,
    /// Symbols that the code names, and functions that it calls.
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
    /// Why the kernel traps, by the line of the `trap`.
    pub reasons: BTreeMap<Line, String>,
}

impl Program {
    /// Decodes a module.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] names the first instruction that the interpreter does not know.
    pub fn new(module: ast::Module) -> Result<Self, DecodeError> {
        let mut by_name = FxHashMap::default();
        // A declaration gives way to the definition.
        for (index, function) in module.functions.iter().enumerate() {
            if function.body.is_some() || !by_name.contains_key(&function.name) {
                by_name.insert(function.name.clone(), index);
            }
        }
        let mut variables = module.variables;
        let mut constants = Constants::default();
        let mut functions = Vec::new();
        for function in &module.functions {
            functions.push(lower(function, &module.functions, &by_name, &mut variables, &mut constants)?);
        }
        let mut ends: FxHashMap<&str, u64> = FxHashMap::default();
        for variable in &variables {
            let end = ends.entry(&variable.space).or_default();
            (_, *end) = place(variable, *end, variable.align, MOST_OF_A_MODULE)?;
        }
        Ok(Self {
            functions,
            by_name,
            variables,
            constants: constants.list,
            files: module.files,
            version: module.version,
            target: module.target,
            reasons: module.reasons,
        })
    }

    /// The path of a source file.
    pub fn file(&self, number: u32) -> Option<&str> {
        self.files.iter().find(|(n, _)| *n == number).map(|(_, path)| path.as_str())
    }
}

#[derive(Default)]
struct Constants {
    list: Vec<Constant>,
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

/// Lowers the body of one function.
pub struct Lower<'a> {
    functions: &'a [ast::Function],
    pub by_name: &'a FxHashMap<String, usize>,
    variables: &'a mut Vec<Variable>,
    constants: &'a mut Constants,
    /// Registers by scope: slot and type.
    registers: Vec<FxHashMap<String, (Slot, String)>>,
    /// Offsets of local variables and parameters by scope.
    locals: Vec<FxHashMap<String, (u64, u64)>>,
    labels: FxHashMap<String, u32>,
    targets: FxHashMap<String, Vec<String>>,
    /// The labels that branches name. A branch holds the number of its label until all labels are known.
    label_names: Vec<String>,
    kernel_params: FxHashMap<String, u64>,
    slots: u32,
    frame: u64,
    code: Vec<Instruction>,
    symbols: Vec<String>,
    /// Registers that loads alone write, and that only `selp` takes or `st` puts elsewhere.
    pub speculative: FxHashSet<String>,
    pub line: Line,
    locs: Arc<[Loc]>,
    /// The call by which each location was inlined.
    callers: FxHashMap<Loc, Loc>,
}

/// The registers that loads alone write, and that only `selp` takes or `st` puts elsewhere.
fn speculative(body: &[Statement]) -> FxHashSet<String> {
    fn names<'a>(operand: &'a Operand, each: &mut impl FnMut(&'a str)) {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => each(name),
            Operand::Pair(a, b) => [a, b].into_iter().for_each(|operand| names(operand, each)),
            Operand::Vector(list) | Operand::Address(list) | Operand::List(list) => {
                list.iter().for_each(|operand| names(operand, each));
            }
            Operand::Number(_) | Operand::Float32(_) | Operand::Float64(_) | Operand::Sink => {}
        }
    }
    fn visit<'a>(body: &'a [Statement], loaded: &mut FxHashSet<&'a str>, used: &mut FxHashSet<&'a str>) {
        for statement in body {
            match statement {
                Statement::Block(body) => visit(body, loaded, used),
                Statement::Instruction(instruction) => {
                    used.extend(instruction.guard.iter().map(|(name, _)| name.as_str()));
                    let opcode = instruction.opcode.split('.').next();
                    for (i, operand) in instruction.operands.iter().enumerate() {
                        match (opcode, i) {
                            (Some("ld"), 0) => names(operand, &mut |name| loaded.extend([name])),
                            (Some("selp"), 1 | 2) | (Some("st"), 1) => {}
                            _ => names(operand, &mut |name| used.extend([name])),
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let (mut loaded, mut used) = (FxHashSet::default(), FxHashSet::default());
    visit(body, &mut loaded, &mut used);
    loaded.difference(&used).map(|name| (*name).into()).collect()
}

fn align_up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

/// The most bytes of the parameters of a kernel (PTX ISA 7.1).
const MOST_PARAMETERS: u64 = 32764;
/// The most bytes of the frame of a function: CUDA gives a thread no more local memory.
const MOST_LOCAL: u64 = 512 * 1024;
/// The most bytes of the variables of a module in a state space, which the interpreter keeps in the memory of its process.
const MOST_OF_A_MODULE: u64 = 1 << 30;
/// The largest alignment of a variable.
const MOST_ALIGNMENT: u64 = 1 << 16;

/// Returns the offset and the end of a variable that follows `end` bytes, in a space of `most` bytes.
fn place(variable: &Variable, end: u64, align: u64, most: u64) -> Result<(u64, u64), DecodeError> {
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

fn lower(
    function: &ast::Function,
    functions: &[ast::Function],
    by_name: &FxHashMap<String, usize>,
    variables: &mut Vec<Variable>,
    constants: &mut Constants,
) -> Result<Function, DecodeError> {
    let mut lower = Lower {
        functions,
        by_name,
        variables,
        constants,
        registers: vec![FxHashMap::default()],
        locals: vec![FxHashMap::default()],
        labels: FxHashMap::default(),
        targets: FxHashMap::default(),
        label_names: Vec::new(),
        kernel_params: FxHashMap::default(),
        slots: 0,
        frame: 0,
        code: Vec::new(),
        symbols: Vec::new(),
        speculative: function.body.as_deref().map(speculative).unwrap_or_default(),
        line: function.line,
        locs: Arc::default(),
        callers: FxHashMap::default(),
    };
    let mut params = Vec::new();
    let mut returns = Vec::new();
    if function.is_entry {
        let mut end = 0;
        for param in &function.params {
            let (offset, next) = place(param, end, param.align, MOST_PARAMETERS)?;
            params.push(Parameter { offset, bytes: param.bytes() });
            lower.kernel_params.insert(param.name.clone(), offset);
            end = next;
        }
    } else {
        for (list, places) in [(&function.returns, &mut returns), (&function.params, &mut params)] {
            for param in list {
                let offset = lower.allocate(param)?;
                places.push(Parameter { offset, bytes: param.bytes() });
            }
        }
    }
    if let Some(body) = &function.body {
        lower.collect_targets(body);
        lower.statements(body)?;
    }
    let directive = |name: &str| function.directives.iter().find(|(directive, _)| directive == name);
    let extents = |name: &str| {
        directive(name).map(|(_, numbers)| {
            std::array::from_fn(|i| {
                numbers.get(i).map_or(1, |number| u32::try_from(*number).unwrap_or(u32::MAX))
            })
        })
    };
    let Lower { code, slots, frame, symbols, .. } = lower;
    Ok(Function {
        name: function.name.clone(),
        is_entry: function.is_entry,
        code,
        slots,
        frame: align_up(frame, 16),
        params,
        returns,
        required_block: extents("reqntid"),
        required_cluster: extents("reqnctapercluster"),
        explicit_cluster: directive("explicitcluster").is_some() || directive("reqnctapercluster").is_some(),
        max_threads: directive("maxntid").map(|(_, numbers)| {
            numbers.iter().fold(1, |threads: u64, extent| threads.saturating_mul(*extent))
        }),
        symbols,
    })
}

impl Lower<'_> {
    pub fn error(&self, problem: impl Into<String>) -> DecodeError {
        DecodeError { line: self.line, problem: problem.into() }
    }

    fn allocate(&mut self, variable: &Variable) -> Result<u64, DecodeError> {
        let align = variable.align.max(variable.element.min(16));
        let (offset, end) = place(variable, self.frame, align, MOST_LOCAL)?;
        self.frame = end.max(offset + 1);
        let scope = self.locals.last_mut().expect("a function has a scope");
        scope.insert(variable.name.clone(), (offset, variable.bytes()));
        Ok(offset)
    }

    /// Collects the lists of labels, which may stand behind their branch.
    fn collect_targets(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Targets(name, targets) => {
                    self.targets.insert(name.clone(), targets.clone());
                }
                Statement::Block(body) => self.collect_targets(body),
                _ => {}
            }
        }
    }

    fn statements(&mut self, body: &[Statement]) -> Result<(), DecodeError> {
        self.block(body)?;
        // Falling off the end returns.
        self.push(None, Op::Return);
        let labels = std::mem::take(&mut self.labels);
        let names = std::mem::take(&mut self.label_names);
        for instruction in &mut self.code {
            let resolve = |label: u32| {
                let name = &names[label as usize];
                labels.get(name).copied().ok_or_else(|| DecodeError {
                    line: instruction.line,
                    problem: format!("no label `{name}`"),
                })
            };
            match &mut instruction.op {
                Op::Branch(label) => *label = resolve(*label)?,
                Op::BranchIndex(_, labels) => {
                    for label in labels {
                        *label = resolve(*label)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn block(&mut self, body: &[Statement]) -> Result<(), DecodeError> {
        for statement in body {
            match statement {
                Statement::Label(name) => {
                    self.labels.insert(name.clone(), self.code.len() as u32);
                }
                Statement::Registers(ty, names) => {
                    let slots = if ty == "b128" { 2 } else { 1 };
                    for name in names {
                        let scope = self.registers.last_mut().expect("a function has a scope");
                        scope.insert(name.clone(), (self.slots, ty.clone()));
                        self.slots += slots;
                    }
                }
                Statement::Variable(variable) => match variable.space.as_str() {
                    "local" | "param" => {
                        self.allocate(variable)?;
                    }
                    // Static variables of a function are the module's, if their names are unique, as compilers make them.
                    _ => self.variables.push(variable.clone()),
                },
                Statement::Loc(loc, caller) => {
                    match caller {
                        Some(caller) => self.callers.insert(*loc, *caller),
                        None => self.callers.remove(loc),
                    };
                    let next = |loc: &Loc| self.callers.get(loc).copied();
                    // Recursion in the source can make a cycle of locations.
                    self.locs = std::iter::successors(Some(*loc), next).take(100).collect();
                }
                Statement::Targets(..) => {}
                Statement::Block(body) => {
                    self.registers.push(FxHashMap::default());
                    self.locals.push(FxHashMap::default());
                    self.block(body)?;
                    self.registers.pop();
                    self.locals.pop();
                }
                Statement::Instruction(instruction) => {
                    self.line = instruction.line;
                    let guard = match &instruction.guard {
                        None => None,
                        Some((name, negated)) => Some((self.register(name)?, *negated)),
                    };
                    let op = decode::decode(self, instruction)?;
                    self.push(guard, op);
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, guard: Option<(Slot, bool)>, op: Op) {
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

    /// Whether `selp` alone reads the registers.
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

    /// The bits of the register that an operand names; of the first one of a vector.
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

    /// A register that is written.
    pub fn slot(&self, operand: &Operand) -> Result<Slot, DecodeError> {
        match operand {
            Operand::Name(name) => self.register(name),
            _ => Err(self.error(format!("expected a register, not {operand:?}"))),
        }
    }

    /// A register that is written, or `_`.
    pub fn sink(&self, operand: &Operand) -> Result<Option<Slot>, DecodeError> {
        match operand {
            Operand::Sink => Ok(None),
            operand => self.slot(operand).map(Some),
        }
    }

    /// An operand that is read.
    pub fn src(&mut self, operand: &Operand) -> Result<Src, DecodeError> {
        match operand {
            Operand::Name(name) => {
                if let Some((slot, _)) = self.find(name) {
                    return Ok(Src(slot));
                }
                if let Some(special) = decode::special(name) {
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

    /// A number that the instruction masks to `bits` bits.
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

    /// The base of an address: `a`, `a+4`, `4`.
    pub fn place(&mut self, operand: &Operand, space: Space) -> Result<Address, DecodeError> {
        let (base, offset) = match operand {
            Operand::Offset(name, offset) => match self.find(name) {
                Some((slot, _)) => (Src(slot), *offset),
                None => (self.symbol(name, *offset)?, 0),
            },
            operand => (self.src(operand)?, 0),
        };
        // Parameters of a function, and of its calls, are in its frame.
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

    /// The labels of a `.branchtargets` list.
    pub fn label_list(&mut self, operand: &Operand) -> Result<Vec<u32>, DecodeError> {
        let Operand::Name(name) = operand else {
            return Err(self.error(format!("expected a list of labels, not {operand:?}")));
        };
        let targets = self.targets.get(name).cloned();
        let targets = targets.ok_or_else(|| self.error(format!("no list of labels `{name}`")))?;
        Ok(targets.iter().map(|label| self.label_number(label)).collect())
    }

    /// The offset in the frame of a parameter of a call.
    pub fn call_parameter(&mut self, operand: &Operand) -> Result<u64, DecodeError> {
        match operand {
            Operand::Name(name) => {
                self.local(name).ok_or_else(|| self.error(format!("`{name}` is no parameter of the call")))
            }
            _ => Err(self.error(format!("expected a parameter, not {operand:?}"))),
        }
    }

    /// The function that a call names; `None` if the operand is a register.
    pub fn callee(&self, operand: &Operand) -> Option<(&str, usize, bool)> {
        let Operand::Name(name) = operand else { return None };
        let index = *self.by_name.get(name)?;
        let function = &self.functions[index];
        Some((&function.name, index, function.body.is_some()))
    }
}
