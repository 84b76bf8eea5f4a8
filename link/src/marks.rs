//! Marks convergence in a module before LLVM's first optimization.

use std::collections::HashSet;

use crate::Error;
use crate::convergence::is_convergent;
use crate::ir::{self, Callee};
use crate::program::{is_of_the_driver, words};

/// The start of the asm of each convergent instruction of `ptx`; the version of `ptx` follows. The name is not an instruction, so
/// ptxas refuses a kernel that another linker has made.
const TOKEN: &str = "link_this_kernel_with_ptx_link_";
const VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION_MAJOR"),
    "_",
    env!("CARGO_PKG_VERSION_MINOR"),
    "_",
    env!("CARGO_PKG_VERSION_PATCH")
);

/// Removes the token of each asm of `ptx`.
///
/// # Errors
///
/// If a token has another version than this linker.
pub fn without_tokens(ir: &str) -> Result<String, Error> {
    let mut text = String::with_capacity(ir.len());
    for line in ir.lines() {
        match version_of_token(line) {
            None => text.push_str(line),
            Some(VERSION) => text.push_str(&line.replacen(&format!("\"{TOKEN}{VERSION}; "), "\"", 1)),
            Some(version) => {
                return Err(Error::OtherVersion {
                    ptx: version.replace('_', "."),
                    linker: VERSION.replace('_', "."),
                });
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// Returns the version in the token of the asm on a line. Other text, such as a string or a comment, may hold the token's words.
fn version_of_token(line: &str) -> Option<&str> {
    // Avoids parsing the lines of other instructions.
    if !line.contains(TOKEN) {
        return None;
    }
    let Callee::Asm(text) = ir::call(line)?.callee else { return None };
    text.strip_prefix(TOKEN)?.split_once("; ").map(|(version, _)| version)
}

/// Marks a module of LLVM IR in the form that `opt -S` prints. The following get the mark `convergent`:
///
/// - every function that is not an intrinsic (intrinsics have their own attributes) and not declared as one of the driver's,
///   which each thread calls for itself, unless module asm names it too; LLVM removes the mark again from a function whose body has
///   nothing convergent;
/// - every call through a pointer or an alias, because LLVM does not know the function;
/// - every inline asm for which [`is_convergent`] returns true.
pub fn mark(ir: &str) -> String {
    let functions: HashSet<&str> = ir.lines().filter_map(ir::header).map(|header| header.name).collect();
    let in_asm: HashSet<&str> = ir.lines().filter_map(ir::module_asm).flat_map(words).collect();
    let mut marked = String::with_capacity(ir.len() + ir.len() / 16);
    for line in ir.lines() {
        match place_for_mark(line, &functions, &in_asm) {
            Some(at) => marked.extend([&line[..at], " convergent", &line[at..], "\n"]),
            None => marked.extend([line, "\n"]),
        }
    }
    marked
}

fn place_for_mark(line: &str, functions: &HashSet<&str>, in_asm: &HashSet<&str>) -> Option<usize> {
    if let Some(header) = ir::header(line) {
        let is_defined = header.defined || in_asm.contains(header.name);
        let is_of_the_driver = !is_defined && is_of_the_driver(header.name);
        let is_known = header.name.starts_with("llvm.") || is_of_the_driver;
        return (!is_known).then_some(header.attributes);
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
    use super::{VERSION, mark, without_tokens};

    #[test]
    fn tokens_of_the_same_version_are_removed() {
        let asm =
            |token: &str| format!("  call void asm sideeffect \"{token}bar.sync 0;\", \"~{{memory}}\"()\n");
        let token = format!("link_this_kernel_with_ptx_link_{VERSION}; ");
        let ir = asm(&token) + "  ret void\n" + &asm(&token) + &asm("");
        assert_eq!(without_tokens(&ir).unwrap(), asm("") + "  ret void\n" + &asm("") + &asm(""));
        let error = without_tokens(&asm("link_this_kernel_with_ptx_link_99_7; ")).unwrap_err().to_string();
        // A linker that knew two numbers alone refuses three, and this linker refuses two.
        assert!(without_tokens(&asm("link_this_kernel_with_ptx_link_0_1; ")).is_err());
        assert!(
            error.contains("`ptx` 99.7") && error.contains("cargo install cargo-ptx --version 99.7"),
            "{error}"
        );
    }

    #[test]
    fn the_words_of_a_token_elsewhere_stay() {
        let token = format!("link_this_kernel_with_ptx_link_{VERSION}; ");
        let ir = format!(
            "@text = private constant [64 x i8] c\"\\22{token}\"\n  \
             call void asm sideeffect \"// {token}bar.sync 0;\", \"\"()\n  \
             call void asm sideeffect \"link_this_kernel_with_ptx_link_\", \"\"()\n"
        );
        assert_eq!(without_tokens(&ir).unwrap(), ir);
    }

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
define ptr @malloc(i64 %0) #1 {
declare void @of_another_file()
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
declare i32 @vprintf(ptr, ptr)
define ptr @malloc(i64 %0) convergent #1 {
declare void @of_another_file() convergent
";
        assert_eq!(mark(ir), marked);
    }
}
