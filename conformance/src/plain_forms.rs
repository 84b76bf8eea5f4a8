//! The legal forms of plain instructions: arithmetic, comparisons, conversions, moves, and what the lanes of a warp do together.

use std::fmt::Write;

const FORMS: &str = include_str!("plain_forms.txt");

/// The registers that a form may name.
pub const REGISTERS: &str =
    ".reg .pred p<9>; .reg .b8 c<9>; .reg .b16 h<9>; .reg .b32 r<9>; .reg .b64 d<9>; .reg .b128 q<9>;";

/// An instruction with registers in place of its operands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainForm {
    pub opcode: String,
    /// The operands, each register by the letter of its class.
    pub operands: String,
}

impl PlainForm {
    /// Returns the instruction with a register of its own for each operand.
    pub fn instruction(&self) -> String {
        let mut text = format!("{} ", self.opcode);
        let mut count = 0;
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let mut before = ' ';
        for (at, c) in self.operands.char_indices() {
            text.push(c);
            let after = self.operands[at + 1..].chars().next().unwrap_or(' ');
            if "pchrdq".contains(c) && !is_in_name(before) && before != '.' && !is_in_name(after) {
                count += 1;
                write!(text, "{count}").expect("a string grows");
            }
            before = c;
        }
        text + ";"
    }
}

/// Returns the texts of a pattern: each choice of each group.
fn expand(pattern: &str) -> Vec<String> {
    let Some(start) = pattern.find(['(', '[']) else { return vec![pattern.into()] };
    let is_optional = pattern[start..].starts_with('[');
    let end = start + pattern[start..].find(if is_optional { ']' } else { ')' }).expect("a group ends");
    let (before, group, after) = (&pattern[..start], &pattern[start + 1..end], &pattern[end + 1..]);
    let choices =
        group.split('|').map(|choice| if is_optional { format!(".{choice}") } else { choice.into() });
    let nothing = is_optional.then(String::new);
    nothing
        .into_iter()
        .chain(choices)
        .flat_map(|choice| expand(&format!("{before}{choice}{after}")))
        .collect()
}

/// Returns the class of a register for a type.
fn class(word: &str) -> Option<char> {
    Some(match word {
        "pred" => 'p',
        "u8" | "s8" | "u16" | "s16" | "b16" | "f16" | "bf16" => 'h',
        "u32" | "s32" | "b32" | "f32" | "f16x2" | "bf16x2" | "u16x2" | "s16x2" => 'r',
        "u64" | "s64" | "b64" | "f64" => 'd',
        "b128" => 'q',
        _ => return None,
    })
}

fn wide(class: char) -> char {
    if class == 'h' { 'r' } else { 'd' }
}

/// Returns all forms.
pub fn all() -> Vec<PlainForm> {
    let lines = FORMS.lines().filter(|line| !line.starts_with('#'));
    let of_line = |line: &str| {
        let (pattern, operands) = line.split_once(' ').unwrap_or((line, ""));
        let operands = operands.to_owned();
        expand(pattern).into_iter().map(move |opcode| {
            let classes: Vec<char> = opcode.split('.').filter_map(class).collect();
            let last = |back: usize| classes.iter().rev().nth(back).copied().unwrap_or('?');
            let of_type = |c: char| match c {
                'T' => last(0),
                'D' => last(1),
                'W' => wide(last(0)),
                c => c,
            };
            let operands = operands.chars().map(of_type).collect();
            PlainForm { opcode, operands }
        })
    };
    lines.flat_map(of_line).collect()
}

/// Returns a module with one instruction on each line of its kernel, and the number of the first such line.
pub fn module(instructions: &[String]) -> (String, usize) {
    let head =
        format!(".version 9.4\n.target sm_90a\n.address_size 64\n.visible .entry k() {{ {REGISTERS}\n");
    let first = head.lines().count() + 1;
    (format!("{head}{}\nret; }}\n", instructions.join("\n")), first)
}
