//! Instructions whose effect is on the machine: cache policies, register counts, dependent launches.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::Space;
use crate::form::{Class, Form};
use crate::values::noise;

/// Returns the case of `createpolicy`: the policy is opaque, and a load with the policy returns the word.
pub fn createpolicy(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, 64));
    let memory = b.memory("memory", 4, 128, None, &noise(4096, 41));
    let at = b.at(memory);
    let policy = b.reg(Class::B64);
    let mut registers = vec![policy.clone()];
    if form.has("cvt") {
        // The property of a normal access, as CUDA's `__createpolicy_fractional` makes it.
        registers.push(b.set(Class::B64, "mov.u64 {}, 0x10f0000000000000"));
    } else if form.has("fractional") {
        registers.push(b.set(Class::B32, "mov.b32 {}, 0f3e800000"));
    } else {
        let address = b.set(Class::B64, format!("add.u64 {{}}, %memory, {at}"));
        registers.push(match Space::of(form) {
            Space::Global => address,
            _ => b.set(Class::B64, format!("cvta.global.u64 {{}}, {address}")),
        });
        registers.push(b.set(Class::B32, "mov.u32 {}, 1024"));
        registers.push(b.set(Class::B32, "mov.u32 {}, 4096"));
    }
    b.line(form.with(&registers));
    let own = b.set(Class::B64, "mad.wide.u32 {}, %t, 4, %memory");
    let word = b.set(Class::B32, format!("ld.global.L2::cache_hint.b32 {{}}, [{own}+{at}], {policy}"));
    b.output("word", Class::B32, &word, Compare::Equal);
    vec![b.finish("")]
}

/// Returns the case of `griddepcontrol`, which has no effect without a dependent or prerequisite grid.
pub fn griddepcontrol(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, 64));
    b.line(form.text.clone());
    let word = b.set(Class::B32, "mad.lo.u32 {}, %t, 3, 1");
    b.output("word", Class::B32, &word, Compare::Equal);
    vec![b.finish("")]
}

/// Returns the case of `setmaxnreg`: values in registers survive. One warpgroup releases registers, and the other requests as
/// many: `.inc` waits until the pool of the block has them (9.7.19.5).
pub fn setmaxnreg(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(1, 256));
    // The registers of a thread at launch, then the instructions of the two warpgroups. The form sets 64 registers.
    let (all, gives, takes) = match form.has("dec") {
        true => (128, form.text.as_str(), "setmaxnreg.inc.sync.aligned.u32 192"),
        false => (48, "setmaxnreg.dec.sync.aligned.u32 32", form.text.as_str()),
    };
    b.directive(".maxntid 256");
    b.directive(&format!(".maxnreg {all}"));
    let values: Vec<String> = (0..8)
        .map(|i| b.input(&format!("value {i}"), Class::B32, |thread| thread as u128 * 77 + i))
        .collect();
    b.line("barrier.cta.sync.aligned 0");
    b.threads(0..128, |b| b.line(gives));
    b.threads(128..256, |b| b.line(takes));
    let mut sum = b.set(Class::B32, "mov.u32 {}, 0");
    for value in &values {
        sum = b.set(Class::B32, format!("mad.lo.u32 {{}}, {sum}, 31, {value}"));
    }
    b.output("sum", Class::B32, &sum, Compare::Equal);
    vec![b.finish("")]
}
