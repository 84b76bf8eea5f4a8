//! Makes a program from a module: lays out its variables, and decodes its functions.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::frontend::ast::{self, Loc, Statement};
use crate::frontend::decode::decode;
use crate::frontend::lower::{Class, Constants, Entity, Lower, Scope};
use crate::frontend::op::Op;
use crate::frontend::opcodes;
use crate::frontend::parse::shown;
use crate::frontend::program::{DecodeError, Formal, Function, Parameter, Program, Symbol};
use crate::frontend::statics::{Layout, MOST_PARAMETERS, MOST_SLOTS, Names, Statics, error};

impl Program {
    /// Decodes a module.
    ///
    /// # Errors
    ///
    /// [`DecodeError`] names the first instruction that the interpreter does not know.
    pub fn new(module: ast::Module) -> Result<Self, DecodeError> {
        let mut names = functions(&module)?;
        let variables = variables(&module.variables, &mut names)?;
        let mut statics = Statics::default();
        for variable in variables {
            statics.add(variable, |name| Ok(names.get(name).map(|(symbol, _)| *symbol)))?;
        }
        let mut constants = Constants::default();
        let mut functions = Vec::new();
        for function in &module.functions {
            functions.push(lower(function, &module.functions, &names, &mut statics, &mut constants)?);
        }
        Ok(Self {
            functions,
            names: names.into_iter().map(|(name, (symbol, _))| (name, symbol)).collect(),
            variables: statics.list,
            constants: constants.list,
            files: module.files,
            version: module.version,
            target: module.target,
            reasons: module.reasons,
        })
    }
}

/// Names the functions of a module. A declaration gives way to the definition.
fn functions(module: &ast::Module) -> Result<Names, DecodeError> {
    let mut known: FxHashMap<&str, &ast::Function> = FxHashMap::default();
    let mut names = Names::default();
    for (index, function) in module.functions.iter().enumerate() {
        let other = known.get(function.name.as_str());
        if function.body.is_some() && other.is_some_and(|other| other.body.is_some()) {
            return error(function.line, format!("the function `{}` is defined twice", function.name));
        }
        if function.body.is_some() || other.is_none() {
            known.insert(&function.name, function);
            names.insert(function.name.clone(), (Symbol::Function(index), 0));
        }
    }
    for alias in &module.aliases {
        let declared = known.get(alias.name.as_str()).is_some_and(|function| function.body.is_none());
        let defined = known.get(alias.of.as_str()).is_some_and(|function| function.body.is_some());
        if !declared || !defined {
            let what = "`.alias` gives a function that is declared the name of one that is defined";
            return error(alias.line, format!("`.alias {}, {}`: {what}", alias.name, alias.of));
        }
        let of = names[&alias.of];
        names.insert(alias.name.clone(), of);
    }
    Ok(names)
}

/// Names the variables of a module, and returns one for each name. An `.extern` one gives way to the definition.
fn variables<'a>(all: &'a [ast::Variable], names: &mut Names) -> Result<Vec<&'a ast::Variable>, DecodeError> {
    let mut list: Vec<&ast::Variable> = Vec::new();
    for variable in all {
        let (name, line) = (&variable.name, variable.line);
        let known = match names.get(name) {
            None => {
                names.insert(name.clone(), (Symbol::Variable(list.len()), variable.element()));
                list.push(variable);
                continue;
            }
            Some((Symbol::Function(_), _)) => {
                return error(line, format!("`{name}` is a function and a variable"));
            }
            Some((Symbol::Variable(index), _)) => &mut list[*index],
        };
        if !known.is_extern && !variable.is_extern {
            return error(line, format!("the variable `{name}` is defined twice"));
        }
        if (&known.space, known.element()) != (&variable.space, variable.element()) {
            return error(
                line,
                format!("the variable `{name}` is declared with another type in line {}", known.line),
            );
        }
        if known.is_extern {
            *known = variable;
        }
    }
    Ok(list)
}

fn lower(
    function: &ast::Function,
    functions: &[ast::Function],
    module: &Names,
    statics: &mut Statics,
    constants: &mut Constants,
) -> Result<Function, DecodeError> {
    let mut lower = Lower {
        functions,
        module,
        statics,
        constants,
        scopes: vec![Scope::default()],
        labels: Vec::new(),
        has_vectors: false,
        slots: 0,
        frame: 0,
        code: Vec::new(),
        symbols: FxHashSet::default(),
        line: function.line,
        locs: Arc::default(),
        callers: FxHashMap::default(),
    };
    let (mut params, mut formals, mut returns) = (Vec::new(), Vec::new(), Vec::new());
    if function.is_entry {
        let mut end = 0;
        for param in &function.params {
            if param.space == "reg" {
                return error(
                    param.line,
                    format!("the parameter `{}` of a kernel is in `.param`", param.name),
                );
            }
            let (offset, next) = Layout::of(param).place(end, MOST_PARAMETERS)?;
            params.push(Parameter { offset, bytes: param.bytes() });
            lower.declare(&param.name, Entity::Parameter(offset, param.element()))?;
            end = next;
        }
    } else if function.body.is_some() {
        for (list, places) in [(&function.returns, &mut returns), (&function.params, &mut formals)] {
            for param in list {
                places.push(lower.formal(param)?);
            }
        }
    }
    if let Some(body) = &function.body {
        lower.statements(body)?;
    }
    let directive = |name: &str| function.directives.iter().find(|(directive, _)| directive == name);
    let number = |name: &str| directive(name).and_then(|(_, numbers)| numbers.first().copied());
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
        is_defined: function.body.is_some(),
        code,
        slots,
        frame: frame.next_multiple_of(16),
        params,
        formals,
        returns,
        required_block: extents("reqntid"),
        required_cluster: extents("reqnctapercluster"),
        explicit_cluster: directive("explicitcluster").is_some() || directive("reqnctapercluster").is_some(),
        max_registers: number("maxnreg"),
        min_blocks: number("minnctapersm"),
        max_threads: directive("maxntid").map(|(_, numbers)| {
            numbers.iter().fold(1, |threads: u64, extent| threads.saturating_mul(*extent))
        }),
        symbols: symbols.into_iter().collect(),
    })
}

impl Lower<'_> {
    /// Declares a parameter or a result of a `.func`.
    fn formal(&mut self, param: &ast::Variable) -> Result<Formal, DecodeError> {
        self.line = param.line;
        if param.space != "reg" {
            return Ok(Formal::Frame(self.allocate(param)?));
        }
        if param.ty == "b128" || param.vector > 1 || !param.extents.is_empty() {
            let what = "a register that is a parameter has 64 bits at most";
            return Err(self.error(format!("`{}`: {what}", param.name)));
        }
        let class = Class { ty: param.ty.as_str().into(), vector: 1 };
        let slot = self.new_register(&class);
        self.declare(&param.name, Entity::Register { slot, class })?;
        Ok(Formal::Register(slot))
    }

    pub fn statements(&mut self, body: &[Statement]) -> Result<(), DecodeError> {
        self.block(body)?;
        if self.slots > MOST_SLOTS {
            return Err(self.error(format!("the function needs more than {MOST_SLOTS} registers")));
        }
        // A function returns at its end.
        self.push(None, Op::Return);
        let labels = std::mem::take(&mut self.labels);
        for instruction in &mut self.code {
            match &mut instruction.op {
                Op::Branch(label) => *label = labels[*label as usize],
                Op::BranchIndex(_, list) => {
                    list.iter_mut().for_each(|label| *label = labels[*label as usize])
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Decodes the statements of the innermost scope. Its labels may stand after the branches to them.
    fn block(&mut self, body: &[Statement]) -> Result<(), DecodeError> {
        for statement in body {
            match statement {
                Statement::Label(name, line) => {
                    self.line = *line;
                    self.declare(name, Entity::Label(self.labels.len() as u32))?;
                    self.labels.push(0);
                }
                Statement::Targets(name, targets, line) => {
                    self.line = *line;
                    self.declare(name, Entity::Targets(targets.as_slice().into()))?;
                }
                _ => {}
            }
        }
        for statement in body {
            match statement {
                Statement::Label(name, _) => {
                    if let Some(Entity::Label(label)) = self.find(name)? {
                        self.labels[label as usize] = self.code.len() as u32;
                    }
                }
                Statement::Registers(registers) => self.declare_registers(registers)?,
                Statement::Variable(variable) => self.variable(variable)?,
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
                    self.scopes.push(Scope::default());
                    self.block(body)?;
                    self.scopes.pop();
                }
                Statement::Instruction(instruction) => {
                    self.line = instruction.line;
                    if let Some(why) = opcodes::missing(&instruction.opcode) {
                        return Err(self.error(shown(&why)));
                    }
                    let guard = match &instruction.guard {
                        None => None,
                        Some((name, negated)) => Some((self.predicate(name)?, *negated)),
                    };
                    let op = if self.has_vectors {
                        let operands = instruction.operands.iter().map(|operand| self.expanded(operand));
                        let operands = operands.collect::<Result<_, _>>()?;
                        decode(self, &ast::Instruction { operands, ..instruction.clone() })?
                    } else {
                        decode(self, instruction)?
                    };
                    self.push(guard, op);
                }
            }
        }
        Ok(())
    }

    fn variable(&mut self, variable: &ast::Variable) -> Result<(), DecodeError> {
        self.line = variable.line;
        if let "local" | "param" = variable.space.as_str() {
            if variable.init.is_some() {
                let (name, space) = (&variable.name, &variable.space);
                return Err(
                    self.error(format!("`{name}` is in `.{space}`, where a variable has no initial value"))
                );
            }
            return self.allocate(variable).map(drop);
        }
        let mut statics = std::mem::take(self.statics);
        let index = statics.add(variable, |name| {
            Ok(match self.find(name)? {
                Some(Entity::Variable(index, _)) => Some(Symbol::Variable(index)),
                Some(_) => None,
                None => self.module.get(name).map(|(symbol, _)| *symbol),
            })
        });
        *self.statics = statics;
        let entity = Entity::Variable(index?, variable.element());
        self.declare(&variable.name, entity)
    }
}
