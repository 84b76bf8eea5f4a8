//! The body of a function in LLVM IR: blocks, instructions and the values in them.

use std::collections::HashMap;

use crate::ir;

/// A function that a module defines.
pub struct Function<'a> {
    pub name: &'a str,
    /// The names of the parameters.
    pub parameters: Vec<&'a str>,
    pub blocks: Vec<Block<'a>>,
}

/// A basic block. The last instruction is its terminator.
#[derive(Default)]
pub struct Block<'a> {
    pub label: &'a str,
    pub instructions: Vec<Instruction<'a>>,
    pub successors: Vec<usize>,
}

/// An instruction. The last one of a block may take several lines: `line` is the first, and `tail` has the others.
pub struct Instruction<'a> {
    pub line: &'a str,
    /// The value that the instruction defines.
    pub result: Option<&'a str>,
    pub opcode: &'a str,
    tail: Vec<&'a str>,
}

/// Reads the functions that a module defines.
pub fn functions(ir: &str) -> Vec<Function<'_>> {
    let mut functions = Vec::new();
    let mut lines = ir.lines();
    while let Some(line) = lines.next() {
        if let Some(header) = ir::header(line).filter(|header| header.defined) {
            let parameters = ir::parts(line, &header.parameters);
            let parameters = parameters.into_iter().filter_map(|part| values(&line[part]).last()).collect();
            let blocks = blocks(lines.by_ref().take_while(|line| *line != "}"));
            functions.push(Function { name: header.name, parameters, blocks });
        }
    }
    functions
}

impl<'a> Function<'a> {
    /// Returns the first line of each instruction.
    pub fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.instructions().map(|instruction| instruction.line)
    }

    pub fn instructions(&self) -> impl Iterator<Item = &Instruction<'a>> {
        self.blocks.iter().flat_map(|block| &block.instructions)
    }
}

fn blocks<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Block<'a>> {
    let mut blocks = vec![Block::default()];
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let is_first = blocks.len() == 1 && blocks[0].instructions.is_empty();
        let Some(block) = blocks.last_mut() else { continue };
        if !line.starts_with(' ') {
            let label = line.split(':').next().unwrap_or_default();
            if is_first {
                block.label = label;
            } else {
                blocks.push(Block { label, ..Block::default() });
            }
        } else if line.starts_with("    ") || line.starts_with("  ]") {
            block.instructions.last_mut().into_iter().for_each(|last| last.tail.push(line));
        } else {
            let (result, instruction) = result(line).map_or((None, line.trim_start()), |(r, i)| (Some(r), i));
            let mut words =
                instruction.split(' ').skip_while(|word| matches!(*word, "tail" | "musttail" | "notail"));
            // An instruction without operands has the comma of its metadata: `unreachable, !dbg !7`.
            let opcode = words.next().unwrap_or_default().trim_end_matches(',');
            block.instructions.push(Instruction { line, result, opcode, tail: Vec::new() });
        }
    }
    let numbers: HashMap<&str, usize> =
        blocks.iter().enumerate().map(|(i, block)| (block.label, i)).collect();
    let targets: Vec<Vec<usize>> = blocks
        .iter()
        .map(|block| {
            let last = block.instructions.last();
            let labels = last.into_iter().flat_map(Instruction::targets);
            labels.filter_map(|label| numbers.get(label).copied()).collect()
        })
        .collect();
    for (block, mut successors) in blocks.iter_mut().zip(targets) {
        successors.sort_unstable();
        successors.dedup();
        block.successors = successors;
    }
    blocks
}

impl<'a> Instruction<'a> {
    /// Returns the values that the instruction uses.
    pub fn operands(&self) -> impl Iterator<Item = &'a str> {
        let instruction = result(self.line).map_or(self.line, |(_, instruction)| instruction);
        values(instruction)
    }

    /// Returns the names of the blocks to which the instruction leads.
    pub fn targets(&self) -> impl Iterator<Item = &'a str> {
        self.lines().flat_map(labels)
    }

    /// Returns the line that ends with the metadata of the instruction.
    pub fn last_line(&self) -> &'a str {
        self.tail.last().unwrap_or(&self.line)
    }

    fn lines(&self) -> impl Iterator<Item = &'a str> {
        std::iter::once(self.line).chain(self.tail.iter().copied())
    }
}

fn labels(line: &str) -> impl Iterator<Item = &str> {
    line.split("label %").skip(1).map(|rest| rest.split([',', ' ', ']']).next().unwrap_or_default())
}

/// Splits `  %x = opcode …` into the name and the instruction.
pub fn result(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    line.starts_with('%').then(|| line.split_once(" = ")).flatten()
}

/// Returns every `%name` outside strings and before the metadata (`, !`), in order. The names of types and labels are included.
pub fn values(instruction: &str) -> impl Iterator<Item = &str> {
    let code = instruction.split(", !").next().unwrap_or_default();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let next = at + code[at..].find(['%', '"'])?;
            let rest = &code[next + 1..];
            if code[next..].starts_with('"') {
                at = next + 1 + rest.find('"')? + 1;
                continue;
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || "-$._".contains(c);
            let length = match rest.strip_prefix('"') {
                Some(quoted) => quoted.find('"')? + 2,
                None => rest.find(|c| !is_name(c)).unwrap_or(rest.len()),
            };
            at = next + 1 + length;
            return Some(&code[next..at]);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{functions, values};

    const IR: &str = r#"
define ptx_kernel void @k(ptr noundef byval([4 x i8]) align 4 %a, i32 %"b c") #1 {
start:
  %0 = tail call i32 asm "mov.u32 $0, %tid.x;", "=r"(), !dbg !7
  switch i32 %0, label %last [
    i32 0, label %first
    i32 1, label %last
  ], !dbg !8

first:                                            ; preds = %start
  %1 = phi i32 [ %0, %start ], [ %"b c", %first ]
  br i1 %2, label %first, label %last

last:                                             ; preds = %first, %start
  ret void
}
declare void @g()
define void @f() {
  unreachable, !dbg !9
}
"#;

    #[test]
    fn blocks_and_values_are_read() {
        let functions = functions(IR);
        let [k, f] = &functions[..] else { panic!("{} functions", functions.len()) };
        assert_eq!((k.name, &k.parameters[..]), ("k", &["%a", "%\"b c\""][..]));
        let successors: Vec<_> = k.blocks.iter().map(|block| &block.successors[..]).collect();
        assert_eq!(successors, [&[1, 2][..], &[1, 2], &[]]);
        let opcodes: Vec<Vec<_>> =
            k.blocks.iter().map(|block| block.instructions.iter().map(|one| one.opcode).collect()).collect();
        assert_eq!(opcodes, [vec!["call", "switch"], vec!["phi", "br"], vec!["ret"]]);
        assert_eq!(k.blocks[0].instructions[0].operands().count(), 0);
        assert_eq!(
            k.blocks[1].instructions[0].operands().collect::<Vec<_>>(),
            ["%0", "%start", "%\"b c\"", "%first"]
        );
        assert_eq!((f.name, f.blocks.len(), f.blocks[0].instructions.len()), ("f", 1, 1));
        assert_eq!(f.blocks[0].instructions[0].opcode, "unreachable");
        assert_eq!(
            values("store i32 %1, ptr %\"x y\", !dbg !9, !a %no").collect::<Vec<_>>(),
            ["%1", "%\"x y\""]
        );
    }
}
