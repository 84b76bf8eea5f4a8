//! The control flow of PTX: the kernels of a module, their basic blocks, and what each instruction reads and writes.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, ensure};

/// The control flow of a kernel.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    /// The basic blocks. The first block is the entry.
    pub blocks: Vec<Block>,
}

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub instructions: Vec<Instruction>,
    /// The blocks that may come next: empty if the thread ends.
    pub successors: BTreeSet<usize>,
}

/// One instruction, or a line that holds only a comment.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The line in the module, counted from 1.
    pub line: usize,
    /// The whole line, with its comment.
    pub text: String,
    /// The predicate of `@p` and `@!p`.
    pub guard: Option<String>,
    /// The mnemonic; empty for a comment.
    pub opcode: String,
    pub operands: Vec<String>,
}

impl Kernel {
    /// Reads all kernels of a module.
    pub fn read_all(module: &str) -> Result<Vec<Kernel>> {
        let mut kernels = Vec::new();
        let mut lines = module.lines().enumerate();
        while let Some((_, line)) = lines.next() {
            let Some((_, name)) = line.split_once(".entry ") else { continue };
            let name = name.split(|c: char| !is_word(c)).next().unwrap_or_default();
            let body: Vec<_> = lines
                .by_ref()
                .skip_while(|(_, line)| *line != "{")
                .take_while(|(_, line)| *line != "}")
                .collect();
            let kernel = Kernel::read(name, &body[1..]);
            kernels.push(kernel.with_context(|| format!("cannot read the kernel {name}"))?);
        }
        Ok(kernels)
    }

    fn read(name: &str, body: &[(usize, &str)]) -> Result<Kernel> {
        let mut reader = Reader::default();
        for &(number, line) in body {
            reader.line(number + 1, line);
        }
        let rest = without_scope(&reader.statement).trim();
        ensure!(rest.is_empty(), "`{rest}` has no end");
        Ok(Kernel { name: name.to_owned(), blocks: reader.blocks()? })
    }

    /// Returns all instructions, with their blocks.
    pub fn instructions(&self) -> impl Iterator<Item = (usize, &Instruction)> {
        let blocks = self.blocks.iter().enumerate();
        blocks.flat_map(|(at, block)| block.instructions.iter().map(move |instruction| (at, instruction)))
    }

    /// Returns the kernel without the blocks that `is_left_out` and without the edges to them.
    pub fn without(&self, is_left_out: impl Fn(&Block) -> bool) -> Kernel {
        let mut kernel = self.clone();
        let left_out: BTreeSet<usize> =
            (0..self.blocks.len()).filter(|&at| is_left_out(&self.blocks[at])).collect();
        for (at, block) in kernel.blocks.iter_mut().enumerate() {
            block.successors.retain(|next| !left_out.contains(next));
            if left_out.contains(&at) {
                *block = Block::default();
            }
        }
        kernel
    }
}

impl Block {
    /// Returns the instruction that chooses between several successors.
    pub fn branch(&self) -> Option<&Instruction> {
        self.instructions.last().filter(|_| self.successors.len() > 1)
    }
}

impl Instruction {
    /// Returns the mnemonic up to its first dot.
    pub fn base(&self) -> &str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    fn ends_block(&self) -> bool {
        matches!(self.base(), "bra" | "brx" | "ret" | "exit" | "trap")
    }
}

/// A parser that reads a body line by line.
#[derive(Default)]
struct Reader {
    /// Instructions, each with the labels before it.
    instructions: Vec<(Vec<String>, Instruction)>,
    /// Labels before the next instruction.
    labels: Vec<String>,
    /// The targets of `brx.idx`, by the table's label.
    tables: HashMap<String, Vec<String>>,
    /// The text so far of the statement that began on the line `start`.
    statement: String,
    start: usize,
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) {
        let code = line.split("//").next().unwrap_or_default();
        if code.trim().is_empty() {
            if line.contains("//") {
                self.instruction(number, line, "");
            }
            return;
        }
        for part in code.split_inclusive(';') {
            if without_scope(&self.statement).is_empty() {
                self.start = number;
            }
            self.statement.push_str(part);
            self.take_label();
            if self.statement.ends_with(';') {
                let statement = std::mem::take(&mut self.statement);
                self.statement(line, &statement);
            }
        }
        self.statement.push(' ');
    }

    /// Splits a label off the statement's head.
    fn take_label(&mut self) {
        let code = without_scope(&self.statement);
        let Some(end) = code.find(|c: char| !is_word(c)).filter(|&end| end > 0) else { return };
        let Some(rest) = code[end..].trim_start().strip_prefix(':') else { return };
        if !rest.starts_with(':') {
            self.labels.push(code[..end].to_owned());
            self.statement = rest.to_owned();
        }
    }

    fn statement(&mut self, line: &str, statement: &str) {
        let code = without_scope(statement).trim_end_matches(';').trim_end();
        if let Some(targets) = code.strip_prefix(".branchtargets") {
            let table = self.labels.pop().unwrap_or_default();
            self.tables.insert(table, targets.split(',').map(|target| target.trim().to_owned()).collect());
        } else if code.starts_with(".callprototype") {
            self.labels.pop();
        } else if !code.is_empty() && !code.starts_with('.') {
            self.instruction(self.start, line, code);
        }
    }

    fn instruction(&mut self, line: usize, text: &str, code: &str) {
        let (guard, code) = match code.strip_prefix('@') {
            Some(guarded) => {
                let (guard, code) = guarded.split_once(char::is_whitespace).unwrap_or((guarded, ""));
                (Some(guard.trim_start_matches('!').to_owned()), code.trim_start())
            }
            None => (None, code),
        };
        let (opcode, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let instruction = Instruction {
            line,
            text: text.trim().to_owned(),
            guard,
            opcode: opcode.to_owned(),
            operands: split_operands(operands),
        };
        self.instructions.push((std::mem::take(&mut self.labels), instruction));
    }

    fn blocks(self) -> Result<Vec<Block>> {
        let mut blocks = vec![Block::default()];
        let mut labels = HashMap::new();
        for (before, instruction) in self.instructions {
            let last = blocks.last().and_then(|block| block.instructions.last());
            if last.is_some_and(Instruction::ends_block) || !before.is_empty() {
                blocks.push(Block::default());
            }
            labels.extend(before.into_iter().map(|label| (label, blocks.len() - 1)));
            blocks.last_mut().context("no block")?.instructions.push(instruction);
        }
        // The end of the body ends the thread, and a label may stand there.
        let end = blocks.len();
        labels.extend(self.labels.into_iter().map(|label| (label, end)));
        let targets = Targets { labels, tables: self.tables, end };
        for (at, block) in blocks.iter_mut().enumerate() {
            block.successors = targets.after(at, block.instructions.last())?;
        }
        blocks.push(Block::default());
        Ok(blocks)
    }
}

/// The targets of jumps.
struct Targets {
    /// The blocks that begin with a label.
    labels: HashMap<String, usize>,
    tables: HashMap<String, Vec<String>>,
    end: usize,
}

impl Targets {
    /// Returns the blocks that may come after the block `at`, which ends with `last`.
    fn after(&self, at: usize, last: Option<&Instruction>) -> Result<BTreeSet<usize>> {
        let Some(last) = last else { return Ok([at + 1].into()) };
        let mut successors = BTreeSet::new();
        match last.base() {
            "bra" => {
                successors.insert(self.label(last.operands.first().context("a jump without a target")?)?);
            }
            "brx" => {
                let table = last.operands.get(1).context("a jump without a table")?;
                let labels = self.tables.get(table).with_context(|| format!("no table `{table}`"))?;
                for label in labels {
                    successors.insert(self.label(label)?);
                }
            }
            "ret" | "exit" | "trap" if last.guard.is_some() => {
                successors.insert(self.end);
            }
            _ => {}
        }
        if !last.ends_block() || last.guard.is_some() {
            successors.insert(at + 1);
        }
        Ok(successors)
    }

    fn label(&self, label: &str) -> Result<usize> {
        self.labels.get(label).copied().with_context(|| format!("no label `{label}`"))
    }
}

/// Returns a statement without the braces before it, which open or close a scope.
fn without_scope(statement: &str) -> &str {
    statement.trim_start_matches(['{', '}', ' ', '\t'])
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_$%.".contains(c)
}

/// Splits at the commas outside brackets.
fn split_operands(text: &str) -> Vec<String> {
    let mut operands = vec![String::new()];
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                operands.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(operand) = operands.last_mut() {
            operand.push(c);
        }
    }
    operands
        .into_iter()
        .map(|operand| operand.trim().to_owned())
        .filter(|operand| !operand.is_empty())
        .collect()
}

/// Returns the names in an operand: registers, symbols, registers of the asm block.
pub fn names(operand: &str) -> impl Iterator<Item = &str> {
    let words = operand.split(|c: char| !is_word(c));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c)))
}
