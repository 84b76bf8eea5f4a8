//! Makes a program from a module: lays out its variables, and decodes its functions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{self, Loc, Operand, Statement, Variable};
use crate::decode::decode;
use crate::lower::{Constants, Lower, MOST_OF_A_MODULE, MOST_PARAMETERS, align_up, place};
use crate::op::Op;
use crate::program::{DecodeError, Function, Parameter, Program};

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
}

/// Returns the registers that loads alone write, and that only `selp` takes or `st` stores.
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
    /// Collects the lists of labels, which may stand after their branch.
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

    pub fn statements(&mut self, body: &[Statement]) -> Result<(), DecodeError> {
        self.block(body)?;
        // A function returns at its end.
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
                    // The module holds the static variables of a function. Compilers make their names unique.
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
                    let op = decode(self, instruction)?;
                    self.push(guard, op);
                }
            }
        }
        Ok(())
    }
}
