//! `atom` and `red`, on scalars and vectors: each thread operates on a location of its own with a pair of edges, then all
//! threads on one location.

use ptx_emu::Format;

use crate::builder::{Builder, Slot};
use crate::case::{Case, Compare, Extra, Shape};
use crate::families::Space;
use crate::form::{Class, Form};
use crate::values;

const THREADS: u32 = 128;

/// The operand of each thread.
type Operands = Box<dyn Fn(usize) -> u64>;

/// The operation of all threads on a shared location.
pub struct Contention {
    pub name: &'static str,
    pub start: u64,
    pub operand: Operands,
    /// True if the set of old values that the threads get does not depend on their order.
    same: bool,
}

fn format(element: &str) -> Option<Format> {
    Some(match element {
        "f16" => Format::F16,
        "bf16" => Format::Bf16,
        "f32" => Format::F32,
        "f64" => Format::F64,
        _ => return None,
    })
}

/// Returns a number in each element of a type.
fn number(ty: &str, value: u64) -> u64 {
    let (element, lanes) = values::packed(ty);
    let bits = format(element).map_or(value, |format| format.from_f64(value as f64));
    (0..lanes).fold(0, |all, lane| all | bits << (lane * values::bits(element)))
}

/// Returns the comparison of memory that the instruction changes.
pub fn sums(form: &Form) -> Compare {
    match format(values::packed(form.last()).0) {
        Some(format) if op_of(form) == "add" => Compare::Float(format),
        _ => Compare::Equal,
    }
}

/// Returns the operation of the instruction.
pub fn op_of(form: &Form) -> &'static str {
    form.one_of(&["add", "inc", "dec", "and", "or", "xor", "min", "max", "exch", "cas"]).unwrap_or_default()
}

/// Returns contention whose result does not depend on the order: equal operands, then different ones if the operation allows.
pub fn contentions(form: &Form, op: &str, ty: &str) -> Vec<Contention> {
    let bits = values::bits(ty).min(64);
    let all = u64::MAX >> (64 - bits);
    let n = |value| number(ty, value);
    let (start, operand) = match op {
        "add" => (n(0), n(1)),
        "inc" | "dec" => (0, 100),
        "and" => (all, 0xf0f0_f0f0_f0f0_f0f0 & all),
        "or" | "xor" => (5, 0xf0f0_f0f0_f0f0_f0f0 & all),
        "min" => (n(200), n(7)),
        "max" => (n(7), n(200)),
        // `exch`, and `cas`, whose operand is the value to compare with.
        _ => (n(1), if op == "cas" { n(1) } else { n(2) }),
    };
    let mut list =
        vec![Contention { name: "shared", start, operand: Box::new(move |_| operand), same: true }];
    let bit = move |thread: usize| 1u64 << (thread as u32 % bits);
    let different: Option<(u64, Operands)> = match op {
        "and" => Some((all, Box::new(move |thread| all & !bit(thread)))),
        "or" | "xor" => Some((0, Box::new(bit))),
        "min" | "max" => {
            let ty = ty.to_owned();
            Some((n(64), Box::new(move |thread| number(&ty, thread as u64 % 128))))
        }
        "add" if format(values::packed(ty).0).is_none() => {
            Some((all, Box::new(move |thread| (thread as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) & all)))
        }
        _ => None,
    };
    if let Some((start, operand)) = different.filter(|_| form.vector() == 1) {
        list.push(Contention { name: "shared by operands that differ", start, operand, same: false });
    }
    list
}

/// A region in which the threads of a block have consecutive locations, and so have the blocks.
struct Target {
    slot: Slot,
    /// The offset in shared memory, and the bytes there.
    shared: usize,
    bytes: usize,
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let returns = form.words().next() == Some("atom");
    let op = op_of(form);
    let ty = form.last().to_owned();
    let count = form.vector();
    let bits = values::bits(&ty);
    let class = Class::of_bits(bits);
    let (element, size) = (class.bytes(), class.bytes() * count);
    let space = Space::of(form);
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let threads = b.shape.threads();

    // Old values and operands: pairs of edges. A value of 128 bits consists of two edges.
    let halves = if bits == 128 { 2 * count } else { count };
    let half_type = if bits == 128 { "b64" } else { &ty };
    let rows = values::rows(&[half_type; 2], threads * halves);
    let value = |thread: usize, i: usize, k: usize| -> u128 {
        if bits == 128 {
            let half = |h: usize| u128::from(rows[thread * halves + 2 * i + h][k]);
            half(0) | half(1) << 64
        } else {
            rows[thread * halves + i][k].into()
        }
    };
    let old: Vec<u8> = (0..threads * count)
        .flat_map(|at| value(at / count, at % count, 0).to_le_bytes().into_iter().take(element))
        .collect();

    let contentions = contentions(form, op, &ty);
    let mut targets = Vec::new();
    let mut add = |b: &mut Builder<'_>, name: &str, content: &[u8], element: usize| {
        let slot = b.memory(name, element, 16, Some(sums(form)), content);
        let bytes = (content.len() / 2).next_multiple_of(16);
        let shared = if space == Space::Global { 0 } else { b.shared(bytes, 16) };
        targets.push(Target { slot, shared, bytes });
    };
    add(&mut b, "memory", &old, size);
    for contention in &contentions {
        // One location of 16 bytes per block.
        let mut content = vec![0; 32];
        for i in 0..count {
            for block in 0..2 {
                let at = block * 16 + i * element;
                content[at..at + element]
                    .copy_from_slice(&u128::from(contention.start).to_le_bytes()[..element]);
            }
        }
        add(&mut b, &format!("memory {}", contention.name), &content, 16);
    }

    let mode = space.mode(&mut b);
    for target in targets.iter().filter(|_| space != Space::Global) {
        b.stage_in(target.slot, target.shared, target.bytes);
    }
    let policy = form.has("L2::cache_hint").then(|| b.policy());
    b.sync();

    let issue = |b: &mut Builder<'_>,
                 address: &str,
                 name: &str,
                 operand: &dyn Fn(usize, usize) -> u128,
                 new: &dyn Fn(usize, usize) -> u128,
                 compare: Compare| {
        let results: Vec<String> =
            if returns { (0..count).map(|_| b.reg(class)).collect() } else { Vec::new() };
        let mut registers = results.clone();
        registers.push(address.into());
        for i in 0..count {
            registers.push(b.input(&format!("operand {i}{name}"), class, |thread| operand(thread, i)));
        }
        if op == "cas" {
            registers.push(b.input(&format!("new{name}"), class, |thread| new(thread, 0)));
        }
        registers.extend(policy.clone());
        b.line(form.with(&registers));
        for (i, result) in results.iter().enumerate() {
            b.output(&format!("d{i}{name}"), class, result, compare);
        }
    };

    let own = b.set(Class::B32, format!("mul.lo.u32 {{}}, %t, {size}"));
    let block_bytes = size * THREADS as usize;
    let address = space.address(&mut b, &mode, &own, targets[0].slot, targets[0].shared, block_bytes, false);
    let compared = |thread: usize, i: usize| match (op, thread % 2) {
        ("cas", 0) => value(thread, i, 0),
        _ => value(thread, i, 1),
    };
    issue(&mut b, &address, "", &compared, &|thread, i| !value(thread, i, 1), Compare::Equal);

    let joint = !form.has("cta");
    let zero = b.set(Class::B32, "mov.u32 {}, 0");
    for (contention, target) in contentions.iter().zip(&targets[1..]) {
        let address = space.address(&mut b, &mode, &zero, target.slot, target.shared, 16, joint);
        let operand = |thread: usize, _: usize| u128::from((contention.operand)(thread));
        let name = format!(" {}", contention.name);
        if returns && !contention.same {
            // The old values depend on the order, so they are not compared.
            let mut registers: Vec<String> = (0..count).map(|_| b.reg(class)).collect();
            registers.push(address);
            registers.push(b.input(&format!("operand{name}"), class, |thread| operand(thread, 0)));
            registers.extend(policy.clone());
            b.line(form.with(&registers));
        } else {
            issue(&mut b, &address, &name, &operand, &|_, _| 3, Compare::Unordered);
        }
    }
    if space != Space::Global {
        b.sync();
        let end = b.label();
        if let Some(global) = &mode.global {
            b.line(format!("@{global} bra {end}"));
        }
        for target in &targets {
            b.stage_out(target.slot, target.shared, target.bytes);
        }
        b.place(&end);
    }
    space.runs(&mut b, &mode, form.has("L2::cache_hint") || count > 1);
    if space == Space::Global {
        b.run("", Extra::Nothing, |_, _| {});
    }
    vec![b.finish("")]
}
