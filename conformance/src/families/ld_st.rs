//! `ld` and `st` on global and shared memory: each thread accesses a location of its own. With `.acquire` or `.release`, threads also pass
//! a message: a flag that the instruction loads or stores, and a word that the flag orders.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::Space;
use crate::form::{Class, Form};
use crate::values;

const THREADS: u32 = 64;

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let loads = form.words().next() == Some("ld");
    let (ty, count) = (form.last(), form.vector());
    let bits = values::bits(ty);
    let element = bits as usize / 8;
    let size = element * count;
    let class = form.classes().into_iter().find(|class| !is_address(form, *class)).unwrap_or(Class::B32);
    // These take global memory alone, by its addresses or by generic ones.
    let is_global = form.has("mmio") || form.has("proxy::readonly");
    let space = if is_global { Space::Global } else { Space::of(form) };
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let threads = b.shape.threads();
    let per_block = size * THREADS as usize;
    let (compare, content) = match loads {
        true => (None, values::noise(per_block * 2, 1)),
        false => (Some(Compare::Equal), vec![0; per_block * 2]),
    };
    let slot = b.memory("memory", size, 16, compare, &content);
    let shared = b.shared(per_block, 16);
    // The flag and the word of the message.
    let message = match space {
        Space::Global => {
            let slot = b.memory("message", 32, 16, None, &[0; 32]);
            b.at(slot)
        }
        _ => b.shared(32, 16),
    };
    let mode = space.mode(&mut b);
    if space != Space::Global {
        b.stage_in(slot, shared, per_block);
        b.one_thread(|b| {
            let zero = b.set(Class::B64, "mov.u64 {}, 0");
            for at in (0..32).step_by(8) {
                b.line(format!("st.shared::cta.b64 [%shared+{}], {zero}", message + at));
            }
        });
    }
    b.sync();
    let offset = b.set(Class::B32, format!("mul.lo.u32 {{}}, %t, {size}"));
    let mut address = space.address(&mut b, &mode, &offset, slot, shared, per_block, false);
    if space != Space::of(form) {
        address = b.set(Class::B64, format!("cvta.global.u64 {{}}, {address}"));
    }
    if loads {
        let results: Vec<_> = (0..count).map(|_| b.reg(class)).collect();
        let mut registers = results.clone();
        registers.push(address);
        b.line(form.with(&registers));
        for (i, result) in results.iter().enumerate() {
            b.output(&format!("d{i}"), class, result, Compare::Equal);
        }
    } else {
        let values = values::noise(threads * count * 16, 2);
        let mut registers = vec![address];
        for i in 0..count {
            registers.push(b.input(&format!("operand {i}"), class, |thread| {
                let at = 16 * (thread * count + i);
                u128::from_le_bytes(std::array::from_fn(|byte| values[at + byte]))
            }));
        }
        b.line(form.with(&registers));
        if space != Space::Global {
            b.sync();
            b.stage_out(slot, shared, per_block);
        }
    }
    if form.has("acquire") || form.has("release") {
        b.sync();
        pass_message(&mut b, space, &mode.peer, message, class);
        if space == Space::Global {
            b.run_with("by a thread of block 0", &[(mode.slot, 0)]);
            b.run_with("by a thread of block 1", &[(mode.slot, 1)]);
        }
    }
    space.runs(&mut b, &mode, false);
    vec![b.finish("")]
}

/// Returns true if a class is that of the address alone.
fn is_address(form: &Form, class: Class) -> bool {
    let of_address = match form.one_of(&["shared::cta", "shared::cluster"]) {
        Some(_) => Class::B32,
        None => Class::B64,
    };
    class == of_address && form.classes().iter().filter(|other| **other == class).count() == 1
}

/// Passes a message: one thread stores a word and then the flag, another waits for the flag and then loads the word. One of
/// them accesses the flag by the form, in global memory or in the memory of block 0, the other by the form's counterpart.
fn pass_message(b: &mut Builder<'_>, space: Space, peer: &str, message: usize, class: Class) {
    let form = b.form;
    let (store, load) = (
        form.text.replacen("ld.mmio.acquire", "st.mmio.release", 1).replacen("ld.acquire", "st.release", 1),
        form.text.replacen("st.mmio.release", "ld.mmio.acquire", 1).replacen("st.release", "ld.acquire", 1),
    );
    let (store, load) = (opcode(&store), opcode(&load));
    let count = form.vector();
    let here = |b: &mut Builder<'_>| b.set(Class::B32, format!("add.u32 {{}}, %shared, {message}"));
    let (flag, name) = match space {
        Space::Global => (b.set(Class::B64, format!("add.u64 {{}}, %memory, {message}")), "global"),
        Space::SharedCta => (here(b), "shared::cta"),
        _ => {
            let here = here(b);
            (b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {here}, 0")), "shared::cluster")
        }
    };
    // The block of the thread that executes the form, and the block of the other.
    let rank = match space {
        Space::Global => "%cta".into(),
        _ => b.set(Class::B32, "mov.u32 {}, %cluster_ctarank"),
    };
    let other = if form.has("cta") { peer.to_owned() } else { "0".into() };
    let (by_store, by_load) =
        if form.has("release") { (peer, other.as_str()) } else { (other.as_str(), peer) };
    let is = |b: &mut Builder<'_>, thread: u32, block: &str| {
        let thread = b.set(Class::Pred, format!("setp.eq.u32 {{}}, %t, {thread}"));
        b.set(Class::Pred, format!("setp.eq.and.u32 {{}}, {rank}, {block}, {thread}"))
    };
    let (stores, loads) = (is(b, 0, by_store), is(b, 32, by_load));
    let (after_store, after_load) = (b.label(), b.label());
    let braced = |registers: &[String]| match registers {
        [one] => one.clone(),
        all => format!("{{{}}}", all.join(", ")),
    };
    b.line(format!("@!{stores} bra {after_store}"));
    let word = b.set(Class::B32, "mov.u32 {}, 4711");
    b.line(format!("st.weak.{name}.b32 [{flag}+16], {word}"));
    let one = one(b, class);
    let ones: Vec<_> = (0..count).map(|_| one.clone()).collect();
    // The address of the flag, for the form and its counterpart.
    let operand = match space != Space::of(form) {
        true => b.set(Class::B64, format!("cvta.global.u64 {{}}, {flag}")),
        false => flag.clone(),
    };
    b.line(format!("{store} [{operand}], {}", braced(&ones)));
    b.place(&after_store);
    let got = b.set(Class::B32, "mov.u32 {}, 0");
    b.line(format!("@!{loads} bra {after_load}"));
    b.until(|b| {
        let flags: Vec<_> = (0..count).map(|_| b.reg(class)).collect();
        let operand = match space != Space::of(form) {
            true => b.set(Class::B64, format!("cvta.global.u64 {{}}, {flag}")),
            false => flag.clone(),
        };
        b.line(format!("{load} {}, [{operand}]", braced(&flags)));
        is_set(b, class, &flags[0])
    });
    b.line(format!("ld.weak.{name}.b32 {got}, [{flag}+16]"));
    b.place(&after_load);
    b.output("word", Class::B32, &got, Compare::Equal);
}

fn opcode(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// Returns a register that holds 1.
fn one(b: &mut Builder<'_>, class: Class) -> String {
    match class {
        Class::B128 => {
            let one = b.set(Class::B64, "mov.u64 {}, 1");
            b.set(Class::B128, format!("mov.b128 {{}}, {{{one}, {one}}}"))
        }
        _ => b.set(class, format!("mov.b{} {{}}, 1", 8 * class.bytes())),
    }
}

fn is_set(b: &mut Builder<'_>, class: Class, register: &str) -> String {
    match class {
        Class::B128 => {
            let (low, high) = (b.reg(Class::B64), b.reg(Class::B64));
            b.line(format!("mov.b128 {{{low}, {high}}}, {register}"));
            b.set(Class::Pred, format!("setp.ne.b64 {{}}, {low}, 0"))
        }
        _ => b.set(Class::Pred, format!("setp.ne.b{} {{}}, {register}, 0", 8 * class.bytes())),
    }
}
