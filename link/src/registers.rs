//! Instructions that write their registers after later ones have begun: `wgmma.mma_async` until `wgmma.wait_group`, `tcgen05.ld`
//! until `tcgen05.wait::ld`. No instruction may touch such a register meanwhile, so no call may pass it: a call moves it, or puts it
//! into memory.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::ir::{self, Callee};

/// The starts of the texts of these instructions.
const LATER: [&str; 2] = ["wgmma.mma_async.", "tcgen05.ld."];

/// Returns true if a module has such an instruction.
pub fn has_later_writes(ir: &str) -> bool {
    LATER.iter().any(|start| ir.contains(start))
}

/// Marks the functions that execute such an instruction, or call one that does, so that LLVM inlines them into the kernels; and all that
/// these functions and kernels call, which can have the registers of others in flight or their addresses. A function that does not
/// return remains a call.
pub fn inlined(ir: &str) -> Cow<'_, str> {
    if !has_later_writes(ir) {
        return ir.into();
    }
    let mut of: HashMap<&str, (bool, HashSet<&str>)> = HashMap::new();
    let groups = attribute_groups(ir);
    let mut returns: HashSet<&str> = HashSet::new();
    let mut current = "";
    for line in ir.lines() {
        if let Some(header) = ir::header(line).filter(|header| header.defined) {
            current = header.name;
            if !with_words(&groups, &line[header.attributes..]).contains("noreturn") {
                returns.insert(current);
            }
        }
        let Some(call) = ir::call(line) else { continue };
        let (writes, callees) = of.entry(current).or_default();
        match call.callee {
            Callee::Asm(text) => *writes |= LATER.iter().any(|start| text.contains(start)),
            Callee::Symbol(name) => _ = callees.insert(name),
            Callee::Pointer => {}
        }
    }
    let mut found: HashSet<&str> = HashSet::new();
    loop {
        let next = of.iter().filter(|(name, (writes, callees))| {
            !found.contains(*name) && (*writes || !callees.is_disjoint(&found))
        });
        let next: Vec<&str> = next.map(|(name, _)| *name).collect();
        if next.is_empty() {
            break;
        }
        found.extend(next);
    }
    let mut callers: Vec<&str> = found.iter().copied().collect();
    while let Some(caller) = callers.pop() {
        let callees = of.get(caller).into_iter().flat_map(|(_, callees)| callees);
        callers.extend(callees.copied().filter(|name| returns.contains(name) && found.insert(name)));
    }
    let mut text = String::with_capacity(ir.len() + 64 * found.len());
    for line in ir.lines() {
        match ir::header(line)
            .filter(|header| header.defined && !header.is_kernel && found.contains(header.name))
        {
            Some(header) => {
                let (start, rest) = line.split_at(header.attributes);
                text.extend([start, " alwaysinline", &with_words(&groups, rest), "\n"]);
            }
            None => text.extend([line, "\n"]),
        }
    }
    text.into()
}

/// Returns the words of the attribute groups by their numbers.
fn attribute_groups(ir: &str) -> HashMap<&str, &str> {
    let groups = ir.lines().filter_map(|line| line.strip_prefix("attributes #")?.split_once(" = { "));
    groups.map(|(number, words)| (number, words.trim_end_matches(" }"))).collect()
}

/// Returns the end of a header with the words of its attribute group in place of the number, without those that hinder inlining.
fn with_words(groups: &HashMap<&str, &str>, rest: &str) -> String {
    let Some((before, after)) = rest.split_once('#') else { return rest.to_owned() };
    let number = after.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    let group = groups.get(number).copied().unwrap_or_default();
    let hinders = |word: &&str| !matches!(*word, "noinline" | "optnone" | "alwaysinline");
    let words: Vec<_> = group.split(' ').filter(hinders).collect();
    format!("{before}{}{}", words.join(" "), &after[number.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_with_registers_in_flight_are_inlined() {
        let ir = "define ptx_kernel void @k() #0 {\n  call void @outer()\n  call void @of_k()\n  call void @never()\n  ret void\n}\n\
            define internal void @outer() unnamed_addr #1 {\n  call void @inner()\n  call void @of_outer()\n  ret void\n}\n\
            define internal void @inner() #1 {\n  call void @of_inner()\n  call void asm sideeffect \"wgmma.mma_async.sync.aligned.m64n8k16\", \"\"()\n  ret void\n}\n\
            define internal void @of_k() #1 {\n  ret void\n}\n\
            define internal void @of_outer() #1 {\n  ret void\n}\n\
            define internal void @of_inner() #1 {\n  ret void\n}\n\
            define internal void @apart() #1 {\n  ret void\n}\n\
            define internal void @never() #2 {\n  unreachable\n}\n\
            attributes #0 = { nounwind }\nattributes #1 = { noinline nounwind \"target-cpu\"=\"sm_90a\" }\n\
            attributes #2 = { noinline noreturn nounwind }\n";
        let marked = inlined(ir);
        for line in [
            "define ptx_kernel void @k() #0 {",
            "define internal void @outer() unnamed_addr alwaysinline nounwind \"target-cpu\"=\"sm_90a\" {",
            "define internal void @inner() alwaysinline nounwind \"target-cpu\"=\"sm_90a\" {",
            "define internal void @of_k() alwaysinline nounwind \"target-cpu\"=\"sm_90a\" {",
            "define internal void @of_outer() alwaysinline nounwind \"target-cpu\"=\"sm_90a\" {",
            "define internal void @of_inner() alwaysinline nounwind \"target-cpu\"=\"sm_90a\" {",
            "define internal void @never() #2 {",
            "define internal void @apart() #1 {",
        ] {
            assert!(marked.contains(line), "{line}\n{marked}");
        }
        let plain = ir.replace("wgmma.mma_async", "wgmma.fence");
        assert_eq!(inlined(&plain), plain);
    }
}
