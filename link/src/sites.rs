//! Numbers the calls and branches of a module, so that each is known again after LLVM's passes.
//!
//! A number is the line of a debug location. LLVM keeps locations through its passes and lets no pass depend on them; it tells
//! inlined copies of an instruction apart by the chain of calls, and gives instructions that it merges no line. The functions,
//! the lines of the source and the numbers of an earlier stage stay as they are, below the number.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::body::{Function, result};
use crate::ir::{self, Callee};
use crate::lines::field;

/// The number of the first call or branch of a module. No source file has so many lines.
const FIRST: u32 = 1 << 30;

/// The producer of the compile unit that holds the numbers.
const PRODUCER: &str = "the numbers of ptx-link";

/// The number of an instruction, and those of the calls through which it was inlined, from the inside to the outside.
pub type Chain = Vec<usize>;

/// Returns true if the line is a call, except of an intrinsic, or a branch with several targets.
pub fn is_numbered(line: &str) -> bool {
    let branches = ["  br i1 ", "  switch "];
    branches.iter().any(|start| line.starts_with(start))
        || ir::call(line)
            .is_some_and(|call| !matches!(call.callee, Callee::Symbol(name) if name.starts_with("llvm.")))
}

/// Returns the lines of the numbered instructions of a module in the order of their numbers: the first and the last line of each.
pub fn numbered<'a>(functions: &[Function<'a>]) -> Vec<(&'a str, &'a str)> {
    let instructions =
        functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.instructions);
    let lines = instructions.map(|instruction| (instruction.line, instruction.last_line()));
    lines.filter(|(line, _)| is_numbered(line)).collect()
}

/// Numbers the calls and branches of a module of LLVM IR in the order of their lines.
pub fn number(ir: &str) -> String {
    let nodes =
        ir.lines().filter_map(|line| line.strip_prefix('!')?.split_once(" = ")?.0.parse::<usize>().ok());
    let free = nodes.max().map_or(0, |last| last + 1);
    let [file, unit, kind, version] = [0, 1, 2, 3].map(|at| free + at);
    // Each function has one node, and one more is the scope of instructions that have a line of the source.
    let (scope, mut functions) = (free + 4, free + 5);
    let has_version = ir.contains("!\"Debug Info Version\"");

    let mut text = String::with_capacity(ir.len() + ir.len() / 8);
    let (mut lists_units, mut lists_flags) = (false, false);
    let mut number = FIRST;
    // The scope for instructions without a line, and the number of an instruction of several lines.
    let (mut of_function, mut pending) = (String::new(), None);
    for line in ir.lines() {
        let mut line = line.to_owned();
        if line.starts_with("define ") {
            match location(&line) {
                Some(node) => of_function = node.to_owned(),
                None => {
                    of_function = format!("!{functions}");
                    functions += 1;
                    let body = line.strip_suffix(" {").map_or(line.len(), str::len);
                    line.insert_str(body, &format!(" !dbg {of_function}"));
                }
            }
        } else if let Some(units) = line.strip_prefix("!llvm.dbg.cu = !{") {
            line = format!("!llvm.dbg.cu = !{{!{unit}, {units}");
            lists_units = true;
        } else if let Some(flags) = line.strip_prefix("!llvm.module.flags = !{").filter(|_| !has_version) {
            line = format!("!llvm.module.flags = !{{!{version}, {flags}");
            lists_flags = true;
        } else if line.starts_with("  ") {
            let is_tail = line.starts_with("    ") || line.starts_with("  ]");
            if !is_tail && is_numbered(&line) {
                pending = Some(number);
                number += 1;
            }
            let instruction = result(&line).map_or(line.trim_start(), |(_, instruction)| instruction);
            let opens = line.ends_with('[')
                || instruction.starts_with("callbr ")
                || instruction.starts_with("invoke ");
            let goes_on = opens || is_case(&line);
            if let Some(number) = pending.filter(|_| !goes_on) {
                pending = None;
                let (rest, scope) = match line.rfind(", !dbg !").zip(location(&line)) {
                    Some((at, node)) => {
                        let scope = format!("!{scope}, inlinedAt: {node}");
                        line.replace_range(at..at + ", !dbg ".len() + node.len(), "");
                        (line, scope)
                    }
                    None => (line, of_function.clone()),
                };
                line = format!("{rest}, !dbg !DILocation(line: {number}, scope: {scope})");
            }
        }
        text.push_str(&line);
        text.push('\n');
    }
    let mut add = |line: &str| text.extend([line, "\n"]);
    if !lists_units {
        add(&format!("!llvm.dbg.cu = !{{!{unit}}}"));
    }
    if !has_version {
        add(&format!("!{version} = !{{i32 2, !\"Debug Info Version\", i32 3}}"));
        if !lists_flags {
            add(&format!("!llvm.module.flags = !{{!{version}}}"));
        }
    }
    add(&format!("!{file} = !DIFile(filename: \"{PRODUCER}\", directory: \"\")"));
    add(&format!(
        "!{unit} = distinct !DICompileUnit(language: DW_LANG_Rust, file: !{file}, producer: \"{PRODUCER}\", \
         isOptimized: true, runtimeVersion: 0, emissionKind: DebugDirectivesOnly)"
    ));
    add(&format!("!{kind} = !DISubroutineType(types: !{{null}})"));
    for function in scope..functions {
        add(&format!(
            "!{function} = distinct !DISubprogram(name: \"{PRODUCER}\", scope: !{file}, file: !{file}, type: !{kind}, \
             spFlags: DISPFlagDefinition, unit: !{unit})"
        ));
    }
    text
}

/// Returns true for a line of a `switch` that lists a case.
fn is_case(line: &str) -> bool {
    line.starts_with("    ") && line.contains(", label %") && !line.trim_start().starts_with("to label")
}

/// Returns the node `!7` of the attachment `!dbg !7` at the end of a line.
fn location(line: &str) -> Option<&str> {
    let node = &line[line.rfind(" !dbg !")? + " !dbg ".len()..];
    let end = node[1..].find(|c: char| !c.is_ascii_digit()).map_or(node.len(), |end| end + 1);
    (end > 1).then(|| &node[..end])
}

/// The locations of a numbered module after LLVM's passes.
pub struct Numbers<'a> {
    nodes: HashMap<&'a str, &'a str>,
}

impl<'a> Numbers<'a> {
    pub fn read(ir: &'a str) -> Self {
        let nodes = ir.lines().filter(|line| line.starts_with('!'));
        Self { nodes: nodes.filter_map(|line| line.split_once(" = ")).collect() }
    }

    /// Returns the numbers of the instruction whose last line this is, or nothing if LLVM has merged or made the instruction.
    pub fn of(&self, line: &str) -> Option<Chain> {
        let mut chain = Vec::new();
        let mut node = *self.nodes.get(location(line)?)?;
        self.own(node)?;
        loop {
            chain.extend(self.own(node));
            match field(node, "inlinedAt").and_then(|outer| self.nodes.get(outer)) {
                Some(outer) => node = outer,
                None => return Some(chain),
            }
        }
    }

    fn own(&self, node: &str) -> Option<usize> {
        let line: u32 = field(node, "line").filter(|_| node.contains("!DILocation("))?.parse().ok()?;
        usize::try_from(line.checked_sub(FIRST)?).ok()
    }

    /// Returns the location below the numbers: that of the source, if there is one.
    fn below(&self, node: &'a str) -> Option<&'a str> {
        let mut node = node;
        loop {
            let text = *self.nodes.get(node)?;
            let is_of_numbers =
                self.own(text).is_some() || self.is_of_unit(field(text, "scope").unwrap_or_default());
            if !is_of_numbers {
                return Some(node);
            }
            node = field(text, "inlinedAt")?;
        }
    }

    /// Returns true if a function's node, or a compile unit, is one that holds the numbers.
    fn is_of_unit(&self, node: &str) -> bool {
        self.nodes.get(node).is_some_and(|text| {
            text.contains(&format!("producer: \"{PRODUCER}\""))
                || text.contains(&format!("name: \"{PRODUCER}\""))
        })
    }

    /// Returns the module without the numbers.
    pub fn removed(&self, ir: &'a str) -> String {
        let mut text = String::with_capacity(ir.len());
        for line in ir.lines() {
            if line.starts_with("define ") {
                match location(line).filter(|node| self.is_of_unit(node)) {
                    Some(node) => text.push_str(&line.replacen(&format!(" !dbg {node}"), "", 1)),
                    None => text.push_str(line),
                }
            } else if line.starts_with("  ") {
                match location(line).zip(line.rfind(", !dbg !")) {
                    Some((node, at)) => {
                        text.push_str(&line[..at]);
                        if let Some(below) = self.below(node) {
                            _ = write!(text, ", !dbg {below}");
                        }
                        text.push_str(&line[at + ", !dbg ".len() + node.len()..]);
                    }
                    None => text.push_str(line),
                }
            } else if let Some(units) = line.strip_prefix("!llvm.dbg.cu = !{") {
                let units = units.trim_end_matches('}').split(", ");
                let others: Vec<_> = units.filter(|unit| !self.is_of_unit(unit)).collect();
                if !others.is_empty() {
                    _ = write!(text, "!llvm.dbg.cu = !{{{}}}", others.join(", "));
                }
            } else if let Some((name, node)) = line.split_once(" = ").filter(|_| line.starts_with('!'))
                && let Some(outer) = field(node, "inlinedAt").filter(|_| self.own(node).is_none())
            {
                let below = self.below(outer).map_or(String::new(), |below| format!(", inlinedAt: {below}"));
                let node = node.replacen(&format!(", inlinedAt: {outer}"), &below, 1);
                text.extend([name, " = ", &node]);
            } else {
                text.push_str(line);
            }
            text.push('\n');
        }
        text
    }
}

/// Returns the number on a line `.loc` of PTX, if the line has one.
pub fn of_directive(line: &str) -> Option<usize> {
    let number: u32 = line.split_whitespace().nth(2)?.parse().ok()?;
    usize::try_from(number.checked_sub(FIRST)?).ok()
}
