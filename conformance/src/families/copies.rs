//! Asynchronous copies and reductions without tensors: `cp.async`, `cp.async.bulk`, `cp.reduce.async.bulk`, their groups and
//! prefetches; `st.bulk`; hints to the caches about ranges.

use crate::builder::{Builder, Slot};
use crate::case::{Case, Compare, Shape};
use crate::families::Space;
use crate::families::atom::sums;
use crate::families::mbarrier::{initialized, wait_for};
use crate::form::{Class, Form};
use crate::values::{self, noise};

const THREADS: u32 = 64;
/// Bytes of the source and of the destination.
const BYTES: usize = 4096;
/// The pieces that the copies move: the offset in source and destination, and the bytes. The bytes between pieces stay.
const PIECES: [(usize, usize); 4] = [(0, 16), (16, 16), (48, 32), (96, 3984)];

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let words: Vec<&str> = form.words().collect();
    vec![match words[..] {
        ["st", ..] => st_bulk(form),
        ["cp", "async", "commit_group" | "wait_all" | "wait_group", ..] => cp_async_groups(form),
        ["cp", "async", "bulk", "commit_group" | "wait_group", ..] => bulk_groups(form),
        ["cp", "async", "bulk", "prefetch", ..] | ["applypriority", ..] | ["prefetch", ..] => prefetch(form),
        ["cp", "async", "bulk", ..] | ["cp", "reduce", ..] if form.has("bulk_group") => to_global(form),
        ["cp", "async", "bulk", ..] | ["cp", "reduce", ..] => to_shared(form),
        _ => cp_async(form),
    }]
}

/// Returns the case of `cp.async`: threads have different numbers of source bytes, or every third ignores its source.
fn cp_async(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let bytes = [16, 8, 4].into_iter().find(|size| form.text.contains(&format!(" {size}"))).unwrap_or(16);
    let total = bytes * THREADS as usize;
    let source = b.memory("source", bytes, 256, None, &noise(total, 11));
    let old = b.memory("destination", bytes, 16, Some(Compare::Equal), &noise(total, 12));
    let shared = b.shared(total, 16);
    b.stage_in(old, shared, total);
    let to = b.set(Class::B32, format!("mad.lo.u32 {{}}, %t, {bytes}, %shared"));
    let to = b.set(Class::B32, format!("add.u32 {{}}, {to}, {shared}"));
    let at = b.at(source);
    let from = b.set(Class::B64, format!("mad.wide.u32 {{}}, %t, {bytes}, %memory"));
    let from = b.set(Class::B64, format!("add.u64 {{}}, {from}, {at}"));
    let mut registers = vec![to, from];
    for class in &form.classes()[2..] {
        registers.push(match class {
            Class::Pred => b.input("ignore-src", Class::Pred, |thread| (thread % 3 == 0).into()),
            Class::B32 => b.input("src-size", Class::B32, |thread| (thread % (bytes + 1)) as u128),
            _ => b.policy(),
        });
    }
    b.sync();
    b.line(form.with(&registers));
    b.line("cp.async.commit_group");
    b.line("cp.async.wait_group 0");
    b.sync();
    b.stage_out(old, shared, total);
    b.finish("")
}

/// Returns the case of two groups: after the wait for the first, its copy is done; after the wait for all, the second copy too.
fn cp_async_groups(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let total = 32 * THREADS as usize;
    let source = b.memory("source", 32, 256, None, &noise(total, 13));
    let shared = b.shared(total, 16);
    let to = b.set(Class::B32, "mad.lo.u32 {}, %t, 32, %shared");
    let from = b.set(Class::B64, "mad.wide.u32 {}, %t, 32, %memory");
    let at = b.at(source);
    let or = |word: &str, usual: &str| if form.has(word) { form.text.clone() } else { usual.into() };
    b.line(format!("cp.async.cg.shared::cta.global [{to}+{shared}], [{from}+{at}], 16"));
    b.line(or("commit_group", "cp.async.commit_group"));
    b.line(format!("cp.async.ca.shared::cta.global [{to}+{}], [{from}+{}], 8", shared + 16, at + 16));
    b.line(format!("cp.async.ca.shared::cta.global [{to}+{}], [{from}+{}], 8", shared + 24, at + 24));
    b.line(or("commit_group", "cp.async.commit_group"));
    b.line(or("wait_group", "cp.async.wait_group 1"));
    let load = |b: &mut Builder<'_>, i: usize| {
        let word = b.set(Class::B64, format!("ld.shared::cta.b64 {{}}, [{to}+{}]", shared + 8 * i));
        b.output(&format!("word {i}"), Class::B64, &word, Compare::Equal);
    };
    load(&mut b, 0);
    load(&mut b, 1);
    b.line(or("wait_all", "cp.async.wait_group 0"));
    load(&mut b, 2);
    load(&mut b, 3);
    b.finish("")
}

/// Stores words of shared memory through the generic proxy, then makes them visible to copies.
fn fill_shared(b: &mut Builder<'_>, slot: Slot, shared: usize) {
    b.stage_in(slot, shared, BYTES);
    b.line("fence.proxy.async.shared::cta");
}

/// Returns old values and operands. In a reduction, both blocks of a cluster get the same ones.
fn contents(form: &Form, copies: usize) -> (Vec<u8>, Vec<u8>) {
    let ops = ["add", "min", "max", "inc", "dec", "and", "or", "xor"];
    if form.one_of(&ops).is_none() {
        return (noise(BYTES * copies, 14), noise(BYTES * copies, 15));
    }
    let ty = form.last();
    let size = values::bits(ty) as usize / 8;
    let [old, operands] = values::columns(ty, BYTES / size);
    (old.repeat(copies), operands.repeat(copies))
}

/// Returns the bytes of an element in the report.
fn element(form: &Form) -> usize {
    if form.words().nth(1) == Some("reduce") { values::bits(form.last()) as usize / 8 } else { 16 }
}

/// Returns the case of copies or reductions from shared memory to global memory.
fn to_global(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let (old, new) = contents(form, 1);
    let element = element(form);
    let reduces = form.words().nth(1) == Some("reduce");
    let compare = if reduces { sums(form) } else { Compare::Equal };
    let to = b.memory("destination", element, 16, Some(compare), &old);
    let from = b.memory("source", element, 16, None, &new);
    let shared = b.shared(BYTES, 16);
    fill_shared(&mut b, from, shared);
    b.sync();
    let at = b.at(to);
    b.one_thread(|b| {
        let policy = form.has("L2::cache_hint").then(|| b.policy());
        for (i, (offset, bytes)) in PIECES.into_iter().enumerate() {
            let to = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", at + offset));
            let from = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", shared + offset));
            let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {bytes}"));
            let mask = [0xffff, 0x0001, 0xa5a5, 0x8001][i];
            let mask = form.has("cp_mask").then(|| b.set(Class::B16, format!("mov.b16 {{}}, {mask}")));
            let all = [to, from, bytes].into_iter().chain(policy.clone()).chain(mask);
            b.line(form.with(&all.collect::<Vec<_>>()));
        }
        b.line("cp.async.bulk.commit_group");
        b.line("cp.async.bulk.wait_group 0");
    });
    b.finish("")
}

/// Returns the case of copies to shared memory: block 0 issues them, and each block that gets bytes waits for them.
fn to_shared(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, THREADS));
    let from_shared = form.has("shared::cta") && form.has("shared::cluster");
    let (old, new) = contents(form, 2);
    let element = element(form);
    let to = b.memory("destination", element, 16, Some(Compare::Equal), &old);
    let from = b.memory("source", element, 16, None, &new);
    let target = b.shared(BYTES, 16);
    let total: usize = PIECES.iter().map(|(_, bytes)| bytes).sum();
    let (mask_slot, mask) = b.uniform("blocks that get the bytes, as a mask", Class::B32, 1);
    fill_shared(&mut b, to, target);
    let source = from_shared.then(|| b.shared(BYTES, 16));
    if let Some(source) = source {
        fill_shared(&mut b, from, source);
    }
    let mbarrier = initialized(&mut b, 1);
    // The bit of this block in the mask.
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let bit = b.set(Class::B32, format!("shr.u32 {{}}, {mask}, {rank}"));
    let bit = b.set(Class::B32, format!("and.b32 {{}}, {bit}, 1"));
    b.one_thread(|b| {
        let bytes = b.set(Class::B32, format!("mul.lo.u32 {{}}, {bit}, {total}"));
        b.line(format!(
            "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {bytes}"
        ));
    });
    b.sync();
    let at = b.at(from);
    b.block_0(|b| {
        b.one_thread(|b| {
            let policy = form.has("L2::cache_hint").then(|| b.policy());
            // Without multicast, the mask has one block: 0 or 1.
            let there = b.set(Class::B32, format!("shr.u32 {{}}, {mask}, 1"));
            let wide = form.has("multicast::cluster::32b");
            let multicast = wide || form.has("multicast::cluster");
            let remote = |b: &mut Builder<'_>, offset: usize| {
                let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {offset}"));
                match multicast || !form.has("shared::cluster") {
                    true => own,
                    false => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {there}")),
                }
            };
            for (offset, bytes) in PIECES {
                let to = remote(b, target + offset);
                let mbarrier = remote(b, mbarrier);
                let from = match source {
                    Some(source) => b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", source + offset)),
                    None => b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", at + offset)),
                };
                let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {bytes}"));
                let multicast = multicast.then(|| match wide {
                    true => mask.clone(),
                    false => b.set(Class::B16, format!("cvt.u16.u32 {{}}, {mask}")),
                });
                // Bytes that the copy leaves out may get any value, so none is left out.
                let none = form.has("ignore_oob").then(|| b.set(Class::B32, "mov.u32 {}, 0"));
                let ignored = none.iter().chain(&none).cloned();
                let all = [to, from, bytes].into_iter().chain(ignored).chain([mbarrier]);
                let all = all.chain(multicast).chain(policy.clone());
                b.line(form.with(&all.collect::<Vec<_>>()));
            }
        });
    });
    wait_for(&mut b, mbarrier, 0, "cluster");
    b.sync();
    b.stage_out(to, target, BYTES);
    let masks: &[(&str, u64)] = match () {
        () if form.has("multicast::cluster") || form.has("multicast::cluster::32b") => {
            &[("both blocks", 3), ("own block", 1), ("the peer", 2)]
        }
        () if from_shared => &[("the peer", 2)],
        () if form.has("shared::cluster") => &[("own block", 1), ("the peer", 2)],
        () => &[("", 1)],
    };
    for (name, mask) in masks {
        b.run_with(*name, &[(mask_slot, *mask)]);
    }
    b.finish("")
}

/// Returns the case of two groups of stores: after the wait for the first, its bytes are visible, or its source may change.
fn bulk_groups(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let to = b.memory("destination", 16, 16, Some(Compare::Equal), &[0; BYTES]);
    let from = b.memory("source", 16, 16, None, &noise(BYTES, 16));
    let shared = b.shared(BYTES, 16);
    fill_shared(&mut b, from, shared);
    b.sync();
    let at = b.at(to);
    let or = |word: &str, usual: &str| if form.has(word) { form.text.clone() } else { usual.into() };
    let half = BYTES / 2;
    let word = b.set(Class::B64, "mov.u64 {}, 0");
    b.one_thread(|b| {
        let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {half}"));
        for part in 0..2 {
            let to = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", at + part * half));
            let from = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", shared + part * half));
            b.line(format!("cp.async.bulk.global.shared::cta.bulk_group [{to}], [{from}], {bytes}"));
            b.line(or("commit_group", "cp.async.bulk.commit_group"));
        }
        b.line(or("wait_group", "cp.async.bulk.wait_group 1"));
        if form.has("sync_restrict::proxy::async") {
            // The bytes are there for copies alone.
        } else if form.has("read") {
            b.line(format!("st.shared::cta.b64 [%shared+{shared}], {word}"));
        } else {
            b.line(format!("ld.global.b64 {word}, [%memory+{}]", at + 16));
        }
        b.line("cp.async.bulk.wait_group 0");
    });
    b.output("word", Class::B64, &word, Compare::Equal);
    b.finish("")
}

/// Returns the case of a prefetch, which changes nothing.
fn prefetch(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let source = b.memory("source", 16, 16, Some(Compare::Equal), &noise(BYTES, 17));
    let at = b.at(source);
    b.one_thread(|b| {
        for (offset, bytes) in PIECES {
            let from = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", at + offset));
            let bytes =
                (form.family != "prefetch").then(|| b.set(Class::B32, format!("mov.u32 {{}}, {bytes}")));
            let policy = form.has("L2::cache_hint").then(|| b.policy());
            b.line(form.with(&[from].into_iter().chain(bytes).chain(policy).collect::<Vec<_>>()));
        }
        if form.has("bulk_group") {
            b.line("cp.async.bulk.commit_group");
            b.line("cp.async.bulk.wait_group 0");
        }
    });
    let from = b.set(Class::B64, "mad.wide.u32 {}, %t, 8, %memory");
    let word = b.set(Class::B64, format!("ld.global.b64 {{}}, [{from}+{at}]"));
    b.output("word", Class::B64, &word, Compare::Equal);
    b.finish("")
}

/// Returns the case of `st.bulk`, which writes zeros.
fn st_bulk(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let memory = b.memory("memory", 8, 16, Some(Compare::Equal), &noise(BYTES, 18));
    let shared = b.shared(BYTES, 16);
    b.stage_in(memory, shared, BYTES);
    b.sync();
    b.one_thread(|b| {
        for (offset, bytes) in [(0, 8), (16, 16), (48, 24), (80, 2048), (4088, 8)] {
            let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", shared + offset));
            let address = match Space::of(form) {
                Space::Generic => {
                    let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
                    b.set(Class::B64, format!("cvta.shared::cta.u64 {{}}, {wide}"))
                }
                _ => own,
            };
            let bytes = b.set(Class::B64, format!("mov.u64 {{}}, {bytes}"));
            b.line(form.with(&[address, bytes]));
        }
    });
    b.sync();
    b.stage_out(memory, shared, BYTES);
    b.finish("")
}
