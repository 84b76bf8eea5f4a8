//! The control flow of the PTX that `llc` writes for a numbered module.

use std::collections::HashMap;

use crate::sites;

/// A function in PTX.
#[derive(Debug, Default)]
pub struct Function<'a> {
    pub name: &'a str,
    pub blocks: Vec<Block>,
}

/// A block of instructions. A number is that of a call or branch in the module from which `llc` made the PTX.
#[derive(Debug, Default)]
pub struct Block {
    /// The calls and blocks of asm, in order; `None` for what has no number.
    pub calls: Vec<Option<usize>>,
    /// The branch at the end.
    pub branch: Option<usize>,
    pub successors: Vec<usize>,
    /// True if the function returns here.
    pub returns: bool,
}

/// Reads the functions of a PTX module. `ends` says of a call that it does not return.
pub fn functions<'a>(ptx: &'a str, ends: impl Fn(usize) -> bool) -> Vec<Function<'a>> {
    let (mut functions, mut name) = (Vec::new(), "");
    let mut lines = ptx.lines();
    while let Some(line) = lines.next() {
        if let Some(header) = crate::entry::function(line) {
            name = header;
        } else if line == "{" {
            let mut reader = Reader {
                ends: &ends,
                blocks: vec![Default::default()],
                labels: HashMap::new(),
                tables: HashMap::new(),
                table: None,
                number: None,
                in_asm: false,
            };
            for line in lines.by_ref() {
                // Asm may have such a line of its own.
                if line == "}" && !reader.in_asm {
                    break;
                }
                reader.line(line);
            }
            functions.push(Function { name, blocks: reader.blocks() });
        }
    }
    functions
}

/// A label to which a block jumps, or the block after it.
enum Next<'a> {
    Label(&'a str),
    Table(&'a str),
    Following,
}

struct Reader<'a, 'b> {
    ends: &'b dyn Fn(usize) -> bool,
    blocks: Vec<(Block, Vec<Next<'a>>)>,
    labels: HashMap<&'a str, usize>,
    /// The targets of each table of `brx.idx`.
    tables: HashMap<&'a str, Vec<&'a str>>,
    /// The table whose targets come next.
    table: Option<&'a str>,
    number: Option<usize>,
    in_asm: bool,
}

impl<'a, 'b> Reader<'a, 'b> {
    fn line(&mut self, line: &'a str) {
        let line = line.trim();
        if self.in_asm {
            if line == "// end inline asm" {
                self.in_asm = false;
                self.call();
            }
            return;
        }
        if line == "// begin inline asm" {
            self.in_asm = true;
            return;
        }
        let code = line.split("//").next().unwrap_or_default().trim();
        if let Some(table) = self.table {
            let targets =
                code.trim_end_matches(';').split(',').map(str::trim).filter(|target| !target.is_empty());
            self.tables.entry(table).or_default().extend(targets);
            self.table = self.table.filter(|_| !code.ends_with(';'));
        } else if code.starts_with(".loc") {
            self.number = sites::of_directive(code);
        } else if let Some((label, rest)) = code.split_once(':').filter(|_| code.starts_with('$')) {
            if rest.trim_start().starts_with(".branchtargets") {
                self.table = Some(label);
            } else {
                self.begin(true);
                self.labels.insert(label, self.blocks.len() - 1);
            }
        } else {
            self.instruction(code);
        }
    }

    fn instruction(&mut self, code: &'a str) {
        let (is_guarded, code) = match code.strip_prefix('@') {
            Some(guarded) => {
                (true, guarded.split_once(char::is_whitespace).map_or("", |(_, code)| code.trim_start()))
            }
            None => (false, code),
        };
        let (opcode, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
        let operand = |at| operands.trim_end_matches(';').split(',').nth(at).unwrap_or_default().trim();
        match opcode.split(['.', ';']).next().unwrap_or_default() {
            "bra" => self.jump(Next::Label(operand(0)), is_guarded),
            "brx" => self.jump(Next::Table(operand(1)), is_guarded),
            "ret" => {
                self.last().0.returns = true;
                self.begin(is_guarded);
            }
            "exit" | "trap" => self.begin(is_guarded),
            "call" => self.call(),
            _ => {}
        }
    }

    fn jump(&mut self, next: Next<'a>, goes_on: bool) {
        let number = self.number;
        let (block, to) = self.last();
        block.branch = number;
        to.push(next);
        self.begin(goes_on);
    }

    fn call(&mut self) {
        let number = self.number;
        self.last().0.calls.push(number);
        if number.is_some_and(self.ends) {
            self.begin(false);
        }
    }

    /// Begins a block, to which the last one goes on or not.
    fn begin(&mut self, goes_on: bool) {
        if goes_on {
            self.last().1.push(Next::Following);
        }
        self.blocks.push(Default::default());
    }

    fn last(&mut self) -> &mut (Block, Vec<Next<'a>>) {
        let last = self.blocks.len() - 1;
        &mut self.blocks[last]
    }

    fn blocks(self) -> Vec<Block> {
        let Self { blocks, labels, tables, .. } = self;
        let count = blocks.len();
        let finished = blocks.into_iter().enumerate().map(|(at, (mut block, next))| {
            for next in next {
                match next {
                    Next::Label(label) => block.successors.extend(labels.get(label)),
                    Next::Table(table) => {
                        let targets = tables.get(table).into_iter().flatten();
                        block.successors.extend(targets.filter_map(|target| labels.get(target)));
                    }
                    Next::Following => block.successors.extend(Some(at + 1).filter(|&next| next < count)),
                }
            }
            block.successors.sort_unstable();
            block.successors.dedup();
            block
        });
        finished.collect()
    }
}
