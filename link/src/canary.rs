//! Finds kernels that LLVM's passes have changed before the linker could mark convergence.
//!
//! `#[ptx::kernel]` puts marks into an entry, as comments of inline asm: the same mark into both arms of a branch, and another
//! between two uses of one condition. A pass that ignores convergence merges the arms, or copies the mark between the uses.

use crate::Error;
use crate::ir::{self, Callee};
use crate::program::readable;

const COMMENT: &str = "// canary: ";

/// The marks of an entry, each with the number of its occurrences.
const MARKS: [(&str, usize); 4] = [("arm", 2), ("before", 1), ("between", 1), ("after", 1)];

/// Removes the marks from LLVM IR as `opt -S` prints it.
///
/// # Errors
///
/// If some of the marks of a kernel were merged, copied or removed. A kernel without any mark is not one of `#[ptx::kernel]`.
pub fn without_canaries(ir: &str) -> Result<String, Error> {
    let mut text = String::with_capacity(ir.len());
    let mut kernel = "";
    let mut found: Vec<&str> = Vec::new();
    for line in ir.lines() {
        if line.starts_with("define ") {
            kernel = ir::header(line).filter(|header| header.is_kernel).map_or("", |header| header.name);
        }
        match mark_of(line) {
            Some(mark) => {
                found.push(mark);
                continue;
            }
            None if line == "}" => check(kernel, &found)?,
            None => {}
        }
        if line == "}" {
            found.clear();
        }
        text.push_str(line);
        text.push('\n');
    }
    Ok(text)
}

fn mark_of(line: &str) -> Option<&str> {
    // Avoids parsing the lines of other instructions.
    if !line.contains(COMMENT) {
        return None;
    }
    let Callee::Asm(text) = ir::call(line)?.callee else { return None };
    text.strip_prefix(COMMENT)
}

fn check(kernel: &str, found: &[&str]) -> Result<(), Error> {
    let is_changed =
        |(mark, count): &(&str, usize)| found.iter().filter(|other| *other == mark).count() != *count;
    if kernel.is_empty() || found.is_empty() || !MARKS.iter().any(is_changed) {
        return Ok(());
    }
    Err(Error::Changed { kernel: readable(kernel) })
}

#[cfg(test)]
mod tests {
    use super::without_canaries;

    fn entry(marks: &[&str]) -> String {
        let call = |mark: &&str| format!("  call void asm sideeffect \"// canary: {mark}\", \"\"() #3\n");
        format!(
            "define ptx_kernel void @axpy(ptr %a) {{\nstart:\n{}  ret void\n}}\n",
            marks.iter().map(call).collect::<String>()
        )
    }

    #[test]
    fn whole_marks_are_removed() {
        let whole = entry(&["arm", "arm", "before", "between", "after"]);
        assert_eq!(without_canaries(&whole).unwrap(), entry(&[]));
        let two = whole.clone() + &entry(&[]) + &whole;
        assert_eq!(without_canaries(&two).unwrap(), entry(&[]).repeat(3));
    }

    #[test]
    fn changed_marks_are_an_error_that_names_the_kernel() {
        for marks in [
            &["arm", "before", "between", "after"][..],
            &["arm", "arm", "before", "between", "between", "after"],
            &["arm", "arm", "before", "after"],
        ] {
            let error = without_canaries(&entry(marks)).unwrap_err().to_string();
            assert!(error.contains("`axpy`") && error.contains("-Cpasses"), "{error}");
        }
    }
}
