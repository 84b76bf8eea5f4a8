//! Marks convergence in a module before LLVM's first optimisation.

use std::collections::HashSet;

use crate::convergence::is_convergent;
use crate::ir::{self, Callee};

/// Marks a module, given and returned as LLVM IR in the form that `opt -S` prints. These get the mark `convergent`:
///
/// - every function that is not an intrinsic (intrinsics have their own attributes); LLVM removes the mark again from a function
///   whose body has nothing convergent;
/// - every call through a pointer or an alias, because LLVM does not know the function;
/// - every inline asm for which [`is_convergent`] returns true.
pub fn mark(ir: &str) -> String {
    let functions: HashSet<&str> = ir.lines().filter_map(ir::header).map(|header| header.name).collect();
    let mut marked = String::with_capacity(ir.len() + ir.len() / 16);
    for line in ir.lines() {
        match place_for_mark(line, &functions) {
            Some(at) => marked.extend([&line[..at], " convergent", &line[at..], "\n"]),
            None => marked.extend([line, "\n"]),
        }
    }
    marked
}

fn place_for_mark(line: &str, functions: &HashSet<&str>) -> Option<usize> {
    if let Some(header) = ir::header(line) {
        return (!header.name.starts_with("llvm.")).then_some(header.attributes);
    }
    let call = ir::call(line)?;
    let needs_mark = match call.callee {
        Callee::Asm(text) => is_convergent(&ir::asm_source(text)),
        Callee::Symbol(name) => !functions.contains(name),
        Callee::Pointer => true,
    };
    needs_mark.then_some(call.attributes)
}

#[cfg(test)]
mod tests {
    use super::mark;

    #[test]
    fn marks_stand_where_llvm_reads_them() {
        let ir = "\
@alias = alias void (), ptr @f
define internal void @f(i32 %0) unnamed_addr #1 {
  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"(), !srcloc !1
  %2 = call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()
  callbr void asm sideeffect \"barrier.cta.sync 0; // ${0:l}\", \"!i\"() #2
          to label %3 [label %4]
  call void @f(i32 1)
  call void %2(i32 1) #3
  call void @alias() #3
  call void @llvm.assume(i1 true)
}
declare void @llvm.assume(i1) #4
declare i32 @vprintf(ptr, ptr)
";
        let marked = "\
@alias = alias void (), ptr @f
define internal void @f(i32 %0) unnamed_addr convergent #1 {
  call void asm sideeffect \"bar.sync 0;\", \"~{memory}\"() convergent, !srcloc !1
  %2 = call i32 asm \"mov.u32 $0, %laneid;\", \"=r\"()
  callbr void asm sideeffect \"barrier.cta.sync 0; // ${0:l}\", \"!i\"() convergent #2
          to label %3 [label %4]
  call void @f(i32 1)
  call void %2(i32 1) convergent #3
  call void @alias() convergent #3
  call void @llvm.assume(i1 true)
}
declare void @llvm.assume(i1) #4
declare i32 @vprintf(ptr, ptr) convergent
";
        assert_eq!(mark(ir), marked);
    }
}
