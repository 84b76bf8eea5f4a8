//! `multimem`, and its bulk copies and reductions: a multicast object of three memories. Each thread has an element of its own.

use crate::builder::Builder;
use crate::case::{Case, Compare, NAME, Shape};
use crate::form::{Class, Form};
use crate::values;

const THREADS: u32 = 128;
/// The memories that the object stands for.
const MEMORIES: usize = 3;
/// Bytes of a bulk reduction.
const BULK: usize = 2048;

/// The declaration of the parameter after the address of the memory.
const OBJECT: &str = ", .param .u64 KERNEL_object";

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    vec![match form.words().nth(1) {
        Some("cp") => bulk(form),
        Some("ld_reduce") => load(form),
        _ => store(form),
    }]
}

/// Returns elements of a type: the contents of each memory, and operands.
fn contents(ty: &str, count: usize) -> (Vec<Vec<u8>>, Vec<u8>) {
    let [memories @ .., operands] = values::columns::<{ MEMORIES + 1 }>(ty, count);
    (memories.into(), operands)
}

/// Declares the object as a parameter, and returns its address.
fn object(b: &mut Builder<'_>) -> String {
    b.takes(OBJECT);
    let object = b.set(Class::B64, format!("ld.param.u64 {{}}, [{NAME}_object]"));
    b.set(Class::B64, format!("cvta.to.global.u64 {{}}, {object}"))
}

fn load(form: &Form) -> Case<'_> {
    let (ty, count) = (form.last(), form.vector());
    let class = form.classes()[0];
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let object = object(&mut b);
    b.multicast(contents(ty, count * THREADS as usize).0);
    let own = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, {}, {object}", count * class.bytes()));
    let results: Vec<String> = (0..count).map(|_| b.reg(class)).collect();
    let registers: Vec<String> = results.iter().cloned().chain([own]).collect();
    b.line(form.with(&registers));
    for (i, result) in results.iter().enumerate() {
        b.output(&format!("d{i}"), class, result, Compare::Equal);
    }
    b.finish("")
}

fn store(form: &Form) -> Case<'_> {
    let (ty, count) = (form.last(), form.vector());
    let class = form.classes()[1];
    // A byte stands in a register of 16 bits.
    let bytes = values::bits(ty) as usize / 8;
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let object = object(&mut b);
    let (memories, operands) = contents(ty, count * THREADS as usize);
    b.multicast(memories);
    let mut own = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, {}, {object}", count * bytes));
    if !form.has("global") {
        own = b.set(Class::B64, format!("cvta.global.u64 {{}}, {own}"));
    }
    let mut registers = vec![own];
    for i in 0..count {
        registers.push(b.input(&format!("operand {i}"), class, |thread| {
            let mut value = [0; 16];
            let at = (thread * count + i) * bytes;
            value[..bytes].copy_from_slice(&operands[at..at + bytes]);
            u128::from_le_bytes(value)
        }));
    }
    b.line(form.with(&registers));
    b.finish("")
}

/// Returns the case of bulk reductions from shared memory into all memories of the object.
fn bulk(form: &Form) -> Case<'_> {
    // A copy moves words of any type.
    let ty = if form.has("reduce") { form.last() } else { "b64" };
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let object = object(&mut b);
    let element = values::bits(ty) as usize / 8;
    let (memories, operands) = contents(ty, BULK / element);
    let source = b.memory("source", element, 16, None, &operands);
    b.multicast(memories);
    let shared = b.shared(BULK, 16);
    b.stage_in(source, shared, BULK);
    b.line("fence.proxy.async.shared::cta");
    b.sync();
    b.one_thread(|b| {
        // All but the last 16 bytes, in two parts.
        for (offset, bytes) in [(0, 1024), (1024, BULK - 1040)] {
            let to = b.set(Class::B64, format!("add.u64 {{}}, {object}, {offset}"));
            let from = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", shared + offset));
            let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {bytes}"));
            let mask = form.has("cp_mask").then(|| b.set(Class::B16, "mov.b16 {}, 0xa5a5"));
            b.line(form.with(&[to, from, bytes].into_iter().chain(mask).collect::<Vec<_>>()));
        }
        b.line("cp.async.bulk.commit_group");
        b.line("cp.async.bulk.wait_group 0");
    });
    b.finish("")
}
