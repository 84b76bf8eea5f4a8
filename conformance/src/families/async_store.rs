//! `st.async` and `red.async`: with an mbarrier, from the threads of a block to the shared memory of its peer; without one, to
//! global memory.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::Space;
use crate::families::atom::{contentions, op_of};
use crate::families::mbarrier::{initialized, wait_for};
use crate::form::{Class, Form};
use crate::values;

const THREADS: u32 = 64;

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    vec![if form.has("mbarrier::complete_tx::bytes") { to_shared(form) } else { to_global(form) }]
}

/// Returns the old values and the operands of all elements, as bytes.
fn contents(ty: &str, count: usize) -> (Vec<u8>, Vec<u8>) {
    if values::bits(ty) == 128 {
        return (values::noise(16 * count, 21), values::noise(16 * count, 22));
    }
    let [old, operands] = values::columns(ty, count);
    (old, operands)
}

fn value(content: &[u8], element: usize, i: usize) -> u128 {
    let mut bytes = [0; 16];
    bytes[..element].copy_from_slice(&content[i * element..(i + 1) * element]);
    u128::from_le_bytes(bytes)
}

fn to_shared(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let (ty, count) = (form.last(), form.vector());
    let class = Class::of_bits(values::bits(ty));
    let element = class.bytes();
    let size = element * count;
    let reduces = form.words().next() == Some("red");
    let (old, new) = contents(ty, count * THREADS as usize);
    let total = size * THREADS as usize;
    let memory = b.memory("memory", size, 16, Some(Compare::Equal), &old.repeat(2));
    let shared = b.shared(total, 16);
    b.stage_in(memory, shared, total);
    // The reductions of all threads into one location.
    let joint = if reduces { contentions(form, op_of(form), ty) } else { Vec::new() };
    let mut places = Vec::new();
    for contention in &joint {
        let mut content = [0; 32];
        content[..8].copy_from_slice(&contention.start.to_le_bytes());
        content[16..24].copy_from_slice(&contention.start.to_le_bytes());
        let slot = b.memory(&format!("memory {}", contention.name), 16, 16, Some(Compare::Equal), &content);
        let at = b.shared(16, 16);
        b.stage_in(slot, at, 16);
        places.push((slot, at));
    }
    let mbarrier = initialized(&mut b, 1);
    let bytes = total + element * THREADS as usize * joint.len();
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let receives = b.set(Class::B32, format!("mul.lo.u32 {{}}, {rank}, {bytes}"));
    b.one_thread(|b| {
        b.line(format!(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {receives}"
        ));
    });
    b.sync();
    let generic = Space::of(form) == Space::Generic;
    let remote = |b: &mut Builder<'_>, own: &str| {
        let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 1"));
        if !generic {
            return there;
        }
        let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {there}"));
        b.set(Class::B64, format!("cvta.shared::cluster.u64 {{}}, {wide}"))
    };
    b.block_0(|b| {
        let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {mbarrier}"));
        let mbarrier = remote(b, &own);
        let own = b.set(Class::B32, format!("mad.lo.u32 {{}}, %t, {size}, %shared"));
        let own = b.set(Class::B32, format!("add.u32 {{}}, {own}, {shared}"));
        let address = remote(b, &own);
        let mut registers = vec![address];
        for i in 0..count {
            registers.push(b.input(&format!("operand {i}"), class, |thread| {
                value(&new, element, (thread % THREADS as usize) * count + i)
            }));
        }
        registers.push(mbarrier.clone());
        b.line(form.with(&registers));
        for (contention, (_, at)) in joint.iter().zip(&places) {
            let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
            let address = remote(b, &own);
            let name = format!("operand {}", contention.name);
            let operand = b.input(&name, class, |thread| (contention.operand)(thread).into());
            b.line(form.with(&[address, operand, mbarrier.clone()]));
        }
    });
    wait_for(&mut b, mbarrier, 0, "cluster");
    b.sync();
    b.stage_out(memory, shared, total);
    for (slot, at) in places {
        b.stage_out(slot, at, 16);
    }
    b.finish("")
}

fn to_global(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let class = Class::of_bits(values::bits(form.last()));
    let element = class.bytes();
    let (old, new) = contents(form.last(), THREADS as usize);
    let memory = b.memory("memory", element, 16, Some(Compare::Equal), &old);
    let at = b.at(memory);
    let address = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, {element}, %memory"));
    let address = b.set(Class::B64, format!("add.u64 {{}}, {address}, {at}"));
    let address = match Space::of(form) {
        Space::Global => address,
        _ => b.set(Class::B64, format!("cvta.global.u64 {{}}, {address}")),
    };
    let operand = b.input("operand", form.classes()[1], |thread| value(&new, element, thread));
    b.line(form.with(&[address, operand]));
    b.finish("")
}
