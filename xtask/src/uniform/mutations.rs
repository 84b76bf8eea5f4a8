//! Mutations of kernels that the proof takes: each moves one collective call under a condition that differs between threads, or
//! gives it an operand that does. The proof has to refuse every one.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::device::{Arch, Build};
use crate::process::run;
use crate::toolchain::Toolchain;
use crate::{files, root};

/// What is done to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Some threads skip the call.
    Branch,
    /// Some threads end before the call.
    Return,
    /// The threads make the call in a loop, as often as their index says.
    Loop,
    /// An operand differs between the threads.
    Operand,
}

/// All changes.
pub const CHANGES: [Change; 4] = [Change::Branch, Change::Return, Change::Loop, Change::Operand];

/// The index of the thread, of which LLVM knows nothing: otherwise a part of the leader alone would need no branch.
const INDEX: &str = "  %mutant.t = call i32 asm sideeffect \"mov.u32 $0, %tid.x;\", \"=r\"()\n";
const CONDITION: &str = "  %mutant.c = icmp ult i32 %mutant.t, 5\n";

/// The module in which the proof of the kernels of a crate reads them, with a name for each value and block.
pub struct Module {
    folder: PathBuf,
    opt: PathBuf,
    head: String,
    /// The kernels: their names and texts.
    pub kernels: BTreeMap<String, String>,
    tail: String,
}

impl Module {
    /// Builds a crate, and reads the module.
    ///
    /// # Errors
    ///
    /// If the crate cannot be built, or has a kernel that is not proven.
    pub fn of(crate_dir: &str) -> Result<Self> {
        let folder = root().join("target/uniform");
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let crate_flags = vec![format!("-Clink-arg=--save-temps={}", folder.display())];
        Build { crate_flags, ..Build::new(crate_dir, Arch::Sm90a) }.run()?;
        let opt = Toolchain::active()?.tools_dir().join("opt");
        let mut module =
            Self { folder, opt, head: String::new(), kernels: BTreeMap::new(), tail: String::new() };
        let text = module.passed("4-proof.ll", "instnamer")?;
        let mut rest = text.as_str();
        while let Some(at) = rest.find("define ptx_kernel ") {
            let end = rest[at..].find("\n}\n").context("a function has an end")? + at + 3;
            let name = rest[at..].split(['@', '(']).nth(1).context("a function has a name")?;
            module.head += &rest[..at];
            module.kernels.insert(name.to_owned(), rest[at..end].to_owned());
            rest = &rest[end..];
        }
        module.tail = rest.to_owned();
        if module.kernels.is_empty() {
            bail!("{crate_dir} has no kernel that asks for the proof");
        }
        Ok(module)
    }

    /// Runs passes on a file of the folder, and returns the module.
    fn passed(&self, file: &str, passes: &str) -> Result<String> {
        let names = self.kernels.keys().map(String::as_str).collect::<Vec<_>>().join("\n");
        let list = self.folder.join("mutant-symbols.txt");
        files::write(&list, names)?;
        let mut opt = std::process::Command::new(&self.opt);
        opt.arg(format!("-passes={passes}")).arg(format!("-internalize-public-api-file={}", list.display()));
        let output = run(opt.args(["-S", "-o", "-"]).arg(self.folder.join(file)))?;
        String::from_utf8(output.stdout).context("the module is no text")
    }

    /// Returns the mutants of a change that the proof takes, by kernel and call, and the number of all mutants.
    ///
    /// # Errors
    ///
    /// If LLVM does not take a mutant.
    pub fn taken(&self, change: Change) -> Result<(Vec<String>, usize)> {
        let (mut taken, mut count) = (Vec::new(), 0);
        // Each round mutates one call of each kernel.
        for round in 0.. {
            let mutants: BTreeMap<&str, Mutant> = self
                .kernels
                .iter()
                .filter_map(|(name, text)| Some((name.as_str(), mutant(text, round, change)?)))
                .collect();
            if mutants.is_empty() {
                break;
            }
            let body: String = mutants.values().map(|mutant| mutant.text.as_str()).collect();
            files::write(&self.folder.join("mutant.ll"), format!("{}{body}{}", self.head, self.tail))?;
            let ir = self.passed("mutant.ll", ptx_link::PROOF_PASSES)?;
            for (name, mutant) in &mutants {
                count += 1;
                if ptx_link::unproven(&ir, &[name]).is_empty() {
                    taken.push(format!("{name}: {change:?} of `{}` (call {round})", mutant.mark));
                }
            }
        }
        Ok((taken, count))
    }
}

struct Mutant {
    /// The mark that has been changed.
    mark: String,
    text: String,
}

/// Returns a kernel in which the collective call of this number is changed, or `None` if there is no such call.
fn mutant(kernel: &str, number: usize, change: Change) -> Option<Mutant> {
    let is_call = |line: &str| {
        let marks = ["\"ptx_mark.meet.", "\"ptx_mark.deal.", "\"ptx_mark.hold."];
        let group = marks.iter().find_map(|mark| Some(line.split_once(mark)?.1));
        // One thread is a group (number 0) that no condition parts.
        group.is_some_and(|group| !group.starts_with('0'))
            && (change != Change::Operand || operand(line).is_some())
    };
    let lines: Vec<&str> = kernel.lines().collect();
    let at = lines.iter().enumerate().filter(|(_, line)| is_call(line)).nth(number)?.0;
    let call = lines[at];
    let is_label = |line: &&&str| !line.starts_with([' ', '}', ';']) && line.contains(':');
    let block = lines[..at].iter().rev().find(is_label)?.split(':').next()?;
    let (before, after) = (lines[..at].join("\n"), lines[at + 1..].join("\n"));
    let (middle, last) = match change {
        Change::Branch => (
            format!(
                "{INDEX}{CONDITION}  br i1 %mutant.c, label %mutant.in, label %mutant.out\n\nmutant.in:\n{call}\n  \
                 br label %mutant.out\n\nmutant.out:\n"
            ),
            "mutant.out",
        ),
        Change::Return => (
            format!(
                "{INDEX}{CONDITION}  br i1 %mutant.c, label %mutant.in, label %mutant.out\n\nmutant.in:\n  ret void\n\n\
                 mutant.out:\n{call}\n"
            ),
            "mutant.out",
        ),
        Change::Loop => (
            format!(
                "{INDEX}  br label %mutant.in\n\nmutant.in:\n  %mutant.i = phi i32 [ 0, %{block} ], [ %mutant.n, %mutant.in ]\n\
                 {call}\n  %mutant.n = add i32 %mutant.i, 1\n  %mutant.c = icmp ult i32 %mutant.n, %mutant.t\n  \
                 br i1 %mutant.c, label %mutant.in, label %mutant.out\n\nmutant.out:\n"
            ),
            "mutant.out",
        ),
        Change::Operand => {
            let (ty, value) = operand(call)?;
            let other = match ty {
                "ptr" => format!("getelementptr i8, ptr {value}, i32 %mutant.t"),
                "i32" => format!("add i32 {value}, %mutant.t"),
                _ => return None,
            };
            let call =
                call.replace(&format!("{value})"), "%mutant.o)").replace(&format!("{value},"), "%mutant.o,");
            (format!("{INDEX}  %mutant.o = {other}\n{call}\n"), block)
        }
    };
    // The rest of the block is a block of its own, from which its successors are reached.
    let after = after.replace(&format!(", %{block} ]"), &format!(", %{last} ]"));
    let before = before.replace(&format!(", %{block} ]"), &format!(", %{last} ]"));
    let mark = call.split('"').nth(1)?.to_owned();
    Some(Mutant { mark, text: format!("{before}\n{middle}{after}\n") })
}

/// Returns the type and the value of the last operand that has to be equal in the threads. The mask of lanes need not be.
fn operand(call: &str) -> Option<(&str, &str)> {
    let inputs = call.split("\"(").nth(1)?.split(')').next()?;
    let mut operands: Vec<&str> = inputs.split(", ").filter(|operand| !operand.is_empty()).collect();
    if call.contains("ptx_mark.meet.lanes") && !operands.is_empty() {
        operands.remove(0);
    }
    let (ty, _) = operands.last()?.split_once(' ')?;
    let (_, value) = operands.last()?.rsplit_once(' ')?;
    Some((ty, value))
}

#[cfg(test)]
mod tests {
    use super::{CHANGES, Change, mutant};

    const KERNEL: &str = "\
define ptx_kernel void @k(ptr %arg) {
bb:
  %c = load i1, ptr %arg, align 1
  br i1 %c, label %bb1, label %bb2

bb1:                                              ; preds = %bb
  call void asm sideeffect \"ptx_mark.meet.cta;\", \"\"() #1
  call void asm sideeffect \"ptx_mark.deal.grid $0;\", \"l\"(ptr %arg) #1
  br label %bb2

bb2:                                              ; preds = %bb1, %bb
  %x = phi i32 [ 0, %bb ], [ 1, %bb1 ]
  ret void
}
";

    #[test]
    fn each_call_is_changed_once() {
        for change in CHANGES {
            let mutants: Vec<_> = (0..).map_while(|number| mutant(KERNEL, number, change)).collect();
            let marks: Vec<&str> = mutants.iter().map(|mutant| mutant.mark.as_str()).collect();
            let all = ["ptx_mark.meet.cta;", "ptx_mark.deal.grid $0;"];
            assert_eq!(marks, if change == Change::Operand { &all[1..] } else { &all[..] });
        }
    }

    #[test]
    fn the_rest_of_a_block_is_a_block() {
        let text = mutant(KERNEL, 0, Change::Branch).expect("a mutant").text;
        assert!(text.contains("%x = phi i32 [ 0, %bb ], [ 1, %mutant.out ]"), "{text}");
        assert!(text.contains("br i1 %mutant.c, label %mutant.in, label %mutant.out"), "{text}");
        let text = mutant(KERNEL, 0, Change::Operand).expect("a mutant").text;
        assert!(text.contains("%mutant.o = getelementptr i8, ptr %arg, i32 %mutant.t"), "{text}");
        assert!(text.contains("\"l\"(ptr %mutant.o)") && text.contains("[ 1, %bb1 ]"), "{text}");
    }
}
