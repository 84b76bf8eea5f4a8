//! Instructions of a warp: each warp of the block has a mask and operands of its own. Lanes outside the mask do not take part.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};
use crate::values;

/// The masks of the warps. The last warp is partial.
const MASKS: [u32; 16] = [
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    0x0000_ffff,
    0xffff_0000,
    0x5555_5555,
    1,
    0x8000_0000,
    0x8000_0001,
    0x00ff_3c01,
    0x7fff_fffe,
    0x0000_ffff,
];
const THREADS: u32 = 16 * 32 - 16;

/// Begins a kernel, and returns the register of the mask of each thread.
fn begin<'f>(form: &'f Form) -> (Builder<'f>, String) {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let mask = b.input("membermask", Class::B32, |thread| MASKS[thread / 32].into());
    (b, mask)
}

/// Makes lanes outside the mask jump to the label that this function returns.
fn skip(b: &mut Builder<'_>, mask: &str) -> String {
    let skip = b.label();
    let lane = b.set(Class::B32, "and.b32 {}, %t, 31");
    let bit = b.set(Class::B32, format!("shr.u32 {{}}, {mask}, {lane}"));
    let bit = b.set(Class::B32, format!("and.b32 {{}}, {bit}, 1"));
    let out = b.set(Class::Pred, format!("setp.eq.u32 {{}}, {bit}, 0"));
    b.line(format!("@{out} bra {skip}"));
    skip
}

/// Returns a result register that has a value in all lanes.
fn result(b: &mut Builder<'_>, class: Class) -> String {
    match class {
        Class::Pred => b.set(class, "setp.ne.u32 {}, %t, %t"),
        _ => b.set(class, "mov.b32 {}, 0xeeeeeeee"),
    }
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    match form.words().next().unwrap_or_default() {
        "shfl" => shuffle(form),
        "elect" => elect(form),
        "activemask" => activemask(form),
        "bar" => bar_warp(form),
        _ => one_operand(form),
    }
}

/// Returns the case of `vote`, `match` or `redux`.
fn one_operand(form: &Form) -> Vec<Case<'_>> {
    let (mut b, mask) = begin(form);
    let classes = form.classes();
    let operand = classes[classes.len() - 2];
    let ty = form.last();
    let threads = b.shape.threads();
    let rows = values::rows(&[ty], threads);
    let is_match = form.words().next() == Some("match");
    let warps = (threads as u32).div_ceil(32);
    let a = b.input("a", operand, |thread| {
        let warp = thread as u32 / 32;
        match (operand, is_match) {
            // The predicate holds in no lane, all lanes, one lane, all but one, or some.
            (Class::Pred, _) => match warp % 5 {
                0 => 0,
                1 => 1,
                2 => (thread % 32 == 9).into(),
                3 => (thread % 32 != 16).into(),
                _ => (thread % 3 == 0).into(),
            },
            // All lanes have one value, two values that differ in the highest or the lowest bit, a value each, or few values.
            (_, true) => {
                let top = 8 * operand.bytes() as u32 - 1;
                u128::from(match warp % 5 {
                    0 => 0x1234_5678,
                    1 => (thread as u64 & 1) << top,
                    2 => 0x8000_0000 | thread as u64 >> 1 & 1,
                    3 => thread as u64,
                    _ => rows[thread % 5][0],
                })
            }
            _ => rows[(thread + 32 * (warp + warps) as usize) % threads][0].into(),
        }
    });
    let results: Vec<_> =
        classes[..classes.len() - 2].iter().map(|class| (*class, result(&mut b, *class))).collect();
    let end = skip(&mut b, &mask);
    let mut registers: Vec<_> = results.iter().map(|(_, register)| register.clone()).collect();
    registers.extend([a, mask]);
    b.line(form.with(&registers));
    b.place(&end);
    for (class, register) in results {
        b.output(if class == Class::Pred { "p" } else { "d" }, class, &register, Compare::Equal);
    }
    vec![b.finish("")]
}

/// Returns the case of `shfl`. The source lanes are in the mask, because other lanes give unspecified values.
fn shuffle(form: &Form) -> Vec<Case<'_>> {
    let (mut b, mask) = begin(form);
    let random = values::noise(4 * b.shape.threads(), 8);
    let word = |thread: usize| u32::from_le_bytes(std::array::from_fn(|i| random[4 * thread + i]));
    let a = b.input("a", Class::B32, |thread| word(thread).into());
    let is_full = |thread: usize| MASKS[thread / 32] == u32::MAX;
    let source = b.input("b", Class::B32, |thread| {
        u128::from(match (is_full(thread), thread / 32) {
            (true, 0) => 1,
            (true, 1) => 16,
            (true, 2) => thread as u32 % 32,
            (true, 3) => 31,
            // A number of more than 5 bits, different in each lane.
            (true, _) => word(thread) >> 3,
            (false, warp) if form.has("idx") => MASKS[warp].trailing_zeros(),
            (false, _) => 0,
        })
    });
    let clamp = b.input("c", Class::B32, |thread| {
        u128::from(match (is_full(thread), thread / 32) {
            (true, 0) if form.has("up") => 0,
            (true, 0) => 0x1f,
            (true, 1) if form.has("up") => 0x1000,
            (true, 1) => 0x101f,
            (true, 2) => 0x1807,
            (true, 3) => 0x1c1f,
            (true, 4) => 0x1f1f,
            (true, _) => word(thread) >> 7 & 0x1f1f,
            (false, _) => 0x1f,
        })
    });
    let d = result(&mut b, Class::B32);
    let p = (form.classes().len() == 6).then(|| result(&mut b, Class::Pred));
    let end = skip(&mut b, &mask);
    let registers: Vec<_> =
        [d.clone()].into_iter().chain(p.clone()).chain([a, source, clamp, mask]).collect();
    b.line(form.with(&registers));
    b.place(&end);
    b.output("d", Class::B32, &d, Compare::Equal);
    if let Some(p) = p {
        b.output("p", Class::Pred, &p, Compare::Equal);
    }
    vec![b.finish("")]
}

/// Returns the case of `elect`: one lane of the mask is elected, all lanes get its number, and a second election agrees.
fn elect(form: &Form) -> Vec<Case<'_>> {
    let (mut b, mask) = begin(form);
    let (d, p) = (result(&mut b, Class::B32), result(&mut b, Class::Pred));
    let (again, p_again) = (b.reg(Class::B32), b.reg(Class::Pred));
    let ok = b.set(Class::Pred, "setp.eq.u32 {}, %t, %t");
    let end = skip(&mut b, &mask);
    b.line(form.with(&[&d, &p, &mask]));
    b.line(form.with(&[&again, &p_again, &mask]));
    let elected = b.set(Class::B32, format!("vote.sync.ballot.b32 {{}}, {p}, {mask}"));
    let bit = b.set(Class::B32, format!("shl.b32 {{}}, 1, {d}"));
    b.line(format!("setp.eq.u32 {ok}, {elected}, {bit}"));
    b.line(format!("setp.eq.and.u32 {ok}, {again}, {d}, {ok}"));
    let in_mask = b.set(Class::B32, format!("and.b32 {{}}, {bit}, {mask}"));
    b.line(format!("setp.ne.and.u32 {ok}, {in_mask}, 0, {ok}"));
    b.place(&end);
    b.output("one lane of the mask, the same for all and twice", Class::Pred, &ok, Compare::Holds);
    vec![b.finish("")]
}

/// Returns the case of `activemask`: the thread itself is active, and lanes on the other side of a branch are not.
fn activemask(form: &Form) -> Vec<Case<'_>> {
    let (mut b, mask) = begin(form);
    let ok = b.set(Class::Pred, "setp.eq.u32 {}, %t, %t");
    let end = skip(&mut b, &mask);
    let d = b.reg(Class::B32);
    b.line(form.with(&[&d]));
    let others = b.set(Class::B32, format!("not.b32 {{}}, {mask}"));
    let others = b.set(Class::B32, format!("and.b32 {{}}, {others}, {d}"));
    let own = b.set(Class::B32, "mov.u32 {}, %lanemask_eq");
    let own = b.set(Class::B32, format!("and.b32 {{}}, {own}, {d}"));
    b.line(format!("setp.eq.u32 {ok}, {others}, 0"));
    b.line(format!("setp.ne.and.u32 {ok}, {own}, 0, {ok}"));
    b.place(&end);
    b.output("the lane itself, and no lane that has branched", Class::Pred, &ok, Compare::Holds);
    vec![b.finish("")]
}

/// Returns the case of `bar.warp.sync`: each lane of the mask reads what the next lane has written before the barrier.
fn bar_warp(form: &Form) -> Vec<Case<'_>> {
    let (mut b, mask) = begin(form);
    let shared = b.shared(4 * THREADS as usize, 16);
    let next = b.input("the next thread of the mask", Class::B32, |thread| {
        let (mask, lane) = (MASKS[thread / 32], thread as u32 % 32);
        let above = mask.checked_shr(lane + 1).unwrap_or(0);
        let next = if above == 0 { mask.trailing_zeros() } else { lane + 1 + above.trailing_zeros() };
        u128::from(thread as u32 / 32 * 32 + next)
    });
    let value = b.input("value", Class::B32, |thread| 1000 + thread as u128);
    let d = result(&mut b, Class::B32);
    let end = skip(&mut b, &mask);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    b.line(format!("st.shared::cta.b32 [{own}+{shared}], {value}"));
    b.line(form.with(&[&mask]));
    let next = b.set(Class::B32, format!("mad.lo.u32 {{}}, {next}, 4, %shared"));
    b.line(format!("ld.shared::cta.b32 {d}, [{next}+{shared}]"));
    b.place(&end);
    b.output("d", Class::B32, &d, Compare::Equal);
    vec![b.finish("")]
}
