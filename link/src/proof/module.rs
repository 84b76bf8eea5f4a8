//! The module that the proof reads: the kernels that ask for it, each with everything that it calls inlined, and values in
//! registers.

use crate::ir::{self, Callee};
use crate::program::is_panic;

use super::marks::Mark;

/// The passes of the proof, which are the same at every opt-level. They inline everything, bottom up, and bring values into
/// registers. None of them changes what a thread executes, and the marks are `nomerge`, so the marks that a thread passes, and
/// their operands, stay what they are in the program.
pub const PASSES: &str = "internalize,globaldce,\
    cgscc(devirt<4>(inline<only-mandatory>,function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg))),\
    globaldce,\
    function(gvn,correlated-propagation,instcombine<no-verify-fixpoint>,simplifycfg,loop-simplify,lcssa,loop(loop-rotate<no-header-duplication>),loop(indvars,loop-unroll-full),\
    sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,adce,loop-simplify,lcssa)";

/// Returns the kernels that ask for the proof.
pub fn proven(ir: &str) -> Vec<&str> {
    let (mut kernels, mut kernel) = (Vec::new(), None);
    for line in ir.lines() {
        if line.starts_with("define ") {
            kernel = ir::header(line).filter(|header| header.is_kernel).map(|header| header.name);
        } else if Mark::read(line).is_some_and(|mark| mark.name == "prove") {
            kernels.extend(kernel.take());
        }
    }
    kernels
}

/// Makes every function of a module one that LLVM inlines, and every panic a trap. The marks get attributes that keep two of them
/// from becoming one.
pub fn prepared(ir: &str) -> String {
    let mut text = String::with_capacity(ir.len() + ir.len() / 16);
    let mut in_panic = false;
    for line in ir.lines() {
        if in_panic {
            in_panic = line != "}";
            continue;
        }
        if let Some(header) = ir::header(line).filter(|header| header.defined && !header.is_kernel) {
            text.extend([&line[..header.attributes], " alwaysinline", &line[header.attributes..], "\n"]);
            if is_panic(header.name) {
                in_panic = true;
                text.push_str("  call void asm sideeffect \"trap;\", \"\"()\n  unreachable\n}\n");
            }
        } else if let Some(attributes) = line.strip_prefix("attributes #") {
            let hinders = |word: &&str| !matches!(*word, "noinline" | "optnone" | "minsize" | "optsize");
            let words: Vec<_> = attributes.split(' ').filter(hinders).collect();
            text.extend(["attributes #", &words.join(" "), "\n"]);
        } else if let Some(mark) = Mark::read(line) {
            text.extend([&line[..mark.attributes], " convergent nomerge", &line[mark.attributes..], "\n"]);
        } else {
            text.extend([line, "\n"]);
        }
    }
    text
}

/// Returns the function that a call still calls after the passes, if it is none whose effects the proof knows.
pub fn is_opaque(callee: &Callee<'_>) -> bool {
    match callee {
        Callee::Asm(_) => false,
        Callee::Symbol(name) => !name.starts_with("llvm.") && !crate::program::is_of_the_driver(name),
        Callee::Pointer => true,
    }
}
