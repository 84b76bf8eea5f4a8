//! The marks that `ptx` leaves for the proof. A mark is a call of inline asm: `ptx_mark.NAME $0, $1, …;`.

use std::ops::Range;

use crate::ir::{self, Callee};

const START: &str = "ptx_mark.";

/// A mark on a line.
pub struct Mark<'a> {
    /// The name, such as `meet.cta`.
    pub name: &'a str,
    /// The inputs: a value `%7`, or a constant.
    pub inputs: Vec<&'a str>,
    line: &'a str,
    arguments: Vec<Range<usize>>,
    /// The position of the call's attributes.
    pub attributes: usize,
}

impl<'a> Mark<'a> {
    /// Reads the mark on a line.
    pub fn read(line: &'a str) -> Option<Self> {
        // Avoids parsing the lines of other instructions.
        if !line.contains(START) {
            return None;
        }
        let call = ir::call(line)?;
        let Callee::Asm(text) = call.callee else { return None };
        let name = named(text.strip_prefix(START)?.split([' ', ';']).next()?);
        let open = line[..call.attributes].rfind("\"(")? + 1;
        let arguments = ir::parts(line, &(open..call.attributes));
        let inputs = arguments.iter().filter_map(|part| line[part.clone()].split(' ').next_back()).collect();
        Some(Mark { name, inputs, line, arguments, attributes: call.attributes })
    }

    /// Returns what stands in the mark's place in the final module: the first input, if the mark has a result.
    fn replacement(&self) -> Option<String> {
        let (result, _) = crate::body::result(self.line)?;
        let ty = self.line[self.arguments.first()?.clone()].split(' ').next()?;
        let place = self.line.find(", !dbg !").map_or("", |at| {
            let end = self.line[at + 2..].find(',').map_or(self.line.len(), |end| at + 2 + end);
            &self.line[at..end]
        });
        Some(format!("  {result} = bitcast {ty} {} to {ty}{place}", self.inputs.first()?))
    }
}

/// The names of marks that tell a group by its number (`Group` of `src/mark.rs`), each with its name for each number.
const OF_GROUPS: [(&str, [&str; 6]); 5] = [
    ("meet.", ["meet.thread", "meet.warp", "meet.part", "meet.cta", "meet.cluster", "meet.grid"]),
    ("hold.", ["hold.thread", "hold.warp", "hold.part", "hold.cta", "hold.cluster", "hold.grid"]),
    ("deal.", ["deal.thread", "deal.warp", "deal.part", "deal.cta", "deal.cluster", "deal.grid"]),
    ("begin.", ["begin.thread", "begin.warp", "begin.part", "begin.cta", "begin.cluster", "begin.grid"]),
    (
        "uniform.",
        ["uniform.thread", "uniform.warp", "uniform.part", "uniform.cta", "uniform.cluster", "uniform.grid"],
    ),
];

/// Returns the name of a mark with the name of its group in place of the group's number.
fn named(name: &str) -> &str {
    let of_group = OF_GROUPS.iter().find_map(|(start, names)| {
        let number: usize = name.strip_prefix(start)?.parse().ok()?;
        names.get(number).copied()
    });
    of_group.unwrap_or(name)
}

/// Removes the marks from a module: a mark with a result becomes its first input.
pub fn without_marks(ir: &str) -> String {
    let mut text = String::with_capacity(ir.len());
    for line in ir.lines() {
        match Mark::read(line) {
            Some(mark) => {
                if let Some(value) = mark.replacement() {
                    text.extend([&value, "\n"]);
                }
            }
            None => text.extend([line, "\n"]),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Mark, without_marks};

    #[test]
    fn marks_are_read_and_removed() {
        let ir = "\
define void @f() {
  call void asm sideeffect \"ptx_mark.meet.cta;\", \"\"() #3, !dbg !8, !srcloc !9
  %1 = call i32 asm sideeffect \"ptx_mark.role ${0}, ${1}, ${2};\", \"=r,r,r\"(i32 noundef %3, i32 %4) #3, !dbg !8, !srcloc !9
  %2 = call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()
  ret void
}
";
        let marks: Vec<_> = ir.lines().filter_map(Mark::read).map(|mark| (mark.name, mark.inputs)).collect();
        assert_eq!(marks, [("meet.cta", vec![]), ("role", vec!["%3", "%4"])]);
        let removed = "\
define void @f() {
  %1 = bitcast i32 %3 to i32, !dbg !8
  %2 = call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()
  ret void
}
";
        assert_eq!(without_marks(ir), removed);
    }
}
