//! Fences: a message that the fence orders, or a copy that reads what the fence has made visible to its proxy.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::mbarrier::{initialized, try_wait, wait_for};
use crate::form::{Class, Form};
use crate::values::noise;

const BYTES: usize = 1024;

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let restricted = form.text.contains("sync_restrict");
    vec![match () {
        () if form.has("alias") => alias(form),
        () if form.has("cluster::read") => reads(form),
        () if form.has("mbarrier_init") || form.has("async::generic") => initialization(form),
        () if form.has("async") => proxy(form),
        () if restricted => restricted_message(form),
        () => message(form),
    }]
}

/// Adds lines that only the thread of this number in the grid runs.
fn only(b: &mut Builder<'_>, thread: u32, lines: impl FnOnce(&mut Builder<'_>)) {
    let skip = b.label();
    let others = b.set(Class::Pred, format!("setp.ne.u32 {{}}, %g, {thread}"));
    b.line(format!("@{others} bra {skip}"));
    lines(b);
    b.place(&skip);
}

/// Passes a word and a flag through global memory: the fence orders them in the storing thread, the loading thread, or both.
/// With `.sc`, both threads also store a word each and load the other's: at least one sees the other's word.
fn message(form: &Form) -> Case<'_> {
    let scope = form.one_of(&["cta", "cluster", "gpu", "sys"]).unwrap_or("cta");
    let mut b = Builder::new(form, Shape::new(if scope == "cta" { 1 } else { 2 }, 64));
    let reader = if scope == "cta" { 32 } else { 64 };
    let zeros = [0; 64];
    let memory = b.memory("word, flag, x and y", 16, 64, Some(Compare::Equal), &zeros);
    let at = b.at(memory);
    let fence = |b: &mut Builder<'_>, sem: &str| {
        let own = form.has(sem) || form.has("acq_rel") || form.has("sc");
        b.line(if own { form.text.clone() } else { format!("fence.acq_rel.{scope}") });
    };
    let got = b.set(Class::B32, "mov.u32 {}, 0");
    only(&mut b, 0, |b| {
        let word = b.set(Class::B32, "mov.u32 {}, 4711");
        b.line(format!("st.weak.global.b32 [%memory+{at}], {word}"));
        fence(b, "release");
        b.line(format!("st.relaxed.{scope}.global.b32 [%memory+{}], {word}", at + 16));
    });
    only(&mut b, reader, |b| {
        let load = format!("ld.relaxed.{scope}.global.b32 {{}}, [%memory+{}]", at + 16);
        b.until(|b| {
            let flag = b.set(Class::B32, load);
            b.set(Class::Pred, format!("setp.ne.u32 {{}}, {flag}, 0"))
        });
        fence(b, "acquire");
        b.line(format!("ld.weak.global.b32 {got}, [%memory+{at}]"));
    });
    b.output("word", Class::B32, &got, Compare::Equal);
    if form.has("sc") {
        let seen = b.shared(16, 16);
        b.sync();
        for (thread, own, other) in [(0, 32, 48), (reader, 48, 32)] {
            only(&mut b, thread, |b| {
                let one = b.set(Class::B32, "mov.u32 {}, 1");
                b.line(format!("st.relaxed.{scope}.global.b32 [%memory+{}], {one}", at + own));
                b.line(form.text.clone());
                let word = b
                    .set(Class::B32, format!("ld.relaxed.{scope}.global.b32 {{}}, [%memory+{}]", at + other));
                let there = b.set(Class::B32, format!("add.u32 {{}}, %shared, {seen}"));
                let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {there}, 0"));
                b.line(format!("st.shared::cluster.b32 [{there}+{}], {word}", own / 4 - 8));
            });
        }
        b.sync();
        let ok = b.set(Class::Pred, "setp.eq.u32 {}, %t, %t");
        only(&mut b, 0, |b| {
            let first = b.set(Class::B32, format!("ld.shared::cta.b32 {{}}, [%shared+{seen}]"));
            let second = b.set(Class::B32, format!("ld.shared::cta.b32 {{}}, [%shared+{}]", seen + 4));
            let any = b.set(Class::B32, format!("or.b32 {{}}, {first}, {second}"));
            b.line(format!("setp.eq.u32 {ok}, {any}, 1"));
        });
        b.output("one of two threads sees the other's store", Class::Pred, &ok, Compare::Holds);
    }
    b.finish("")
}

/// Passes words through the shared memory of block 0, which block 1 reads after a phase of its mbarrier. Arrivals and waits are
/// relaxed, and the fences order the words.
fn restricted_message(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, 64));
    let shared = b.shared(256, 16);
    let at = initialized(&mut b, 64);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let fence = |b: &mut Builder<'_>, sem: &str| {
        b.line(if form.has(sem) { form.text.clone() } else { "fence.acq_rel.cluster".into() });
    };
    b.block_0(|b| {
        let value = b.set(Class::B32, "mad.lo.u32 {}, %t, 11, 5");
        b.line(format!("st.shared::cta.b32 [{own}+{shared}], {value}"));
        fence(b, "release");
        let mbarrier = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
        let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {mbarrier}, 1"));
        b.line(format!("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [{there}]"));
    });
    let word = b.set(Class::B32, "mov.u32 {}, 0");
    let skip = b.label();
    let first = b.set(Class::Pred, "setp.lt.u32 {}, %g, 64");
    b.line(format!("@{first} bra {skip}"));
    try_wait(&mut b, "relaxed", "cluster", at, 0);
    fence(&mut b, "acquire");
    let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0"));
    b.line(format!("ld.shared::cluster.b32 {word}, [{there}+{shared}]"));
    b.place(&skip);
    b.output("word", Class::B32, &word, Compare::Equal);
    b.finish("")
}

/// Returns the case of an mbarrier that block 1 initializes and block 0 uses: by an arrival, or by a copy, which needs the
/// fences of the async proxy.
fn initialization(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, 64));
    let source = b.memory("source", 16, 16, None, &noise(BYTES, 31));
    let target = b.memory("destination", 16, 16, Some(Compare::Equal), &[0; 2 * BYTES]);
    let shared = b.shared(BYTES, 16);
    let mbarrier = b.shared(8, 8);
    let copies = form.has("async::generic");
    let or = |word: &str, usual: &str| {
        if form.has(word) && copies { form.text.clone() } else { usual.to_owned() }
    };
    only(&mut b, 64, |b| {
        let count = b.set(Class::B32, "mov.u32 {}, 1");
        b.line(format!("mbarrier.init.shared::cta.b64 [%shared+{mbarrier}], {count}"));
        b.line("fence.mbarrier_init.release.cluster");
        if copies {
            b.line(or("release", "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"));
            let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {BYTES}"));
            b.line(format!(
                "mbarrier.arrive.expect_tx.relaxed.cta.shared::cta.b64 _, [%shared+{mbarrier}], {bytes}"
            ));
        }
    });
    b.line("barrier.cluster.arrive.relaxed.aligned");
    b.line("barrier.cluster.wait.acquire.aligned");
    only(&mut b, 0, |b| {
        let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {mbarrier}"));
        let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 1"));
        if !copies {
            b.line(format!("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{there}]"));
            return;
        }
        b.line(or("acquire", "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"));
        let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {shared}"));
        let to = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 1"));
        let from = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", b.at(source)));
        let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {BYTES}"));
        b.line(format!(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{there}]"
        ));
    });
    let skip = b.label();
    let first = b.set(Class::Pred, "setp.lt.u32 {}, %g, 64");
    b.line(format!("@{first} bra {skip}"));
    if !copies {
        // In block 1, only the thread that initialized the mbarrier may use it without an acquire.
        let second = b.set(Class::Pred, "setp.ne.u32 {}, %g, 64");
        b.line(format!("@{second} bra {skip}"));
    }
    wait_for(&mut b, mbarrier, 0, "cluster");
    if copies {
        b.stage_out(target, shared, BYTES);
    }
    b.place(&skip);
    let done = b.set(Class::B32, "mov.u32 {}, 1");
    b.output("done", Class::B32, &done, Compare::Equal);
    b.finish("")
}

/// Returns the case of a fence for reads: block 1 reads a tile, and then block 0 copies another tile over it. Each thread arrives
/// for itself, since the fence orders its own reads alone.
fn reads(form: &Form) -> Case<'_> {
    const TILE: usize = 256;
    let mut b = Builder::new(form, Shape::new(2, 64));
    let source = b.memory("source", 16, 16, None, &noise(2 * TILE, 37));
    let tile = b.shared(TILE, 16);
    let full = initialized(&mut b, 1);
    let empty = initialized(&mut b, 64);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let words = ["word before", "word after"].map(|name| (name, b.set(Class::B32, "mov.u32 {}, 0")));
    // The copy of a tile into block 1, which block 0 or block 1 itself starts.
    let copy = |b: &mut Builder<'_>, offset: usize| {
        let at = |b: &mut Builder<'_>, place: usize| {
            let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {place}"));
            b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 1"))
        };
        let (to, mbarrier) = (at(b, tile), at(b, full));
        let from = b.set(Class::B64, format!("add.u64 {{}}, %memory, {}", b.at(source) + offset));
        let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {TILE}"));
        b.line(format!(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{from}], {bytes}, [{mbarrier}]"
        ));
    };
    let expect = format!("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{full}], {TILE}");

    let skip = b.label();
    let first = b.set(Class::Pred, "setp.lt.u32 {}, %g, 64");
    b.line(format!("@{first} bra {skip}"));
    only(&mut b, 64, |b| {
        b.line(&expect);
        copy(b, 0);
    });
    wait_for(&mut b, full, 0, "cta");
    b.line(format!("ld.shared::cta.b32 {}, [{own}+{tile}]", words[0].1));
    only(&mut b, 64, |b| b.line(&expect));
    b.line(&form.text);
    let mbarrier = b.set(Class::B32, format!("add.u32 {{}}, %shared, {empty}"));
    let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {mbarrier}, 0"));
    b.line(format!("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [{there}]"));
    wait_for(&mut b, full, 1, "cluster");
    b.line(format!("ld.shared::cta.b32 {}, [{own}+{tile}]", words[1].1));
    b.place(&skip);
    only(&mut b, 0, |b| {
        try_wait(b, "relaxed", "cluster", empty, 0);
        b.line("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster");
        copy(b, TILE);
    });
    for (name, word) in words {
        b.output(name, Class::B32, &word, Compare::Equal);
    }
    b.finish("")
}

/// Returns the case of a proxy fence: a copy reads the words that threads have stored.
fn proxy(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, 64));
    let target = b.memory("destination", 16, 16, Some(Compare::Equal), &[0; 2 * BYTES]);
    let source = b.memory("source", 16, 16, Some(Compare::Equal), &[0; 2 * BYTES]);
    let shared = b.shared(BYTES, 16);
    let mbarrier = initialized(&mut b, 1);
    let (from, to) = (b.at(source), b.at(target));
    let own_from = b.set(Class::B64, format!("mad.wide.u32 {{}}, %cta, {BYTES}, %memory"));
    let remote = form.has("shared::cluster");
    if form.has("global") {
        // The copy reads global memory and writes shared memory, which plain accesses then copy out.
        b.for_each(BYTES, 4, |b, offset| {
            let value = b.set(Class::B32, format!("mad.lo.u32 {{}}, {offset}, 3, %cta"));
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {offset}"));
            let there = b.set(Class::B64, format!("add.u64 {{}}, {own_from}, {wide}"));
            b.line(format!("st.global.b32 [{there}+{from}], {value}"));
        });
        b.line(form.text.clone());
        b.sync();
        b.one_thread(|b| {
            let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {BYTES}"));
            b.line(format!("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%shared+{mbarrier}], {bytes}"));
            let own = b.set(Class::B64, format!("add.u64 {{}}, {own_from}, {from}"));
            let to = b.set(Class::B32, format!("add.u32 {{}}, %shared, {shared}"));
            let bar = b.set(Class::B32, format!("add.u32 {{}}, %shared, {mbarrier}"));
            b.line(format!(
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{own}], {bytes}, [{bar}]"
            ));
        });
        wait_for(&mut b, mbarrier, 0, "cta");
        b.stage_out(target, shared, BYTES);
        return b.finish("");
    }
    // The copy reads shared memory that the block itself or its peer has stored.
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let rank = b.set(Class::B32, format!("xor.b32 {{}}, {rank}, {}", u32::from(remote)));
    let base = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, %shared, {rank}"));
    b.for_each(BYTES, 4, |b, offset| {
        let value = b.set(Class::B32, format!("mad.lo.u32 {{}}, {offset}, 5, %cta"));
        let there = b.set(Class::B32, format!("add.u32 {{}}, {base}, {offset}"));
        b.line(format!("st.shared::cluster.b32 [{there}+{shared}], {value}"));
    });
    b.line(form.text.clone());
    b.sync();
    b.one_thread(|b| {
        let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {BYTES}"));
        let own = b.set(Class::B64, format!("add.u64 {{}}, {own_from}, {to}"));
        let from = b.set(Class::B32, format!("add.u32 {{}}, %shared, {shared}"));
        b.line(format!("cp.async.bulk.global.shared::cta.bulk_group [{own}], [{from}], {bytes}"));
        b.line("cp.async.bulk.commit_group");
        b.line("cp.async.bulk.wait_group 0");
    });
    b.finish("")
}

/// Returns the case of `fence.proxy.alias`, which changes nothing if no address has an alias.
fn alias(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, 64));
    let memory = b.memory("memory", 4, 16, Some(Compare::Equal), &[0; 256]);
    let at = b.at(memory);
    let own = b.set(Class::B64, "mad.wide.u32 {}, %t, 4, %memory");
    let value = b.set(Class::B32, "mad.lo.u32 {}, %t, 9, 2");
    b.line(format!("st.global.b32 [{own}+{at}], {value}"));
    b.line(form.text.clone());
    let word = b.set(Class::B32, format!("ld.global.b32 {{}}, [{own}+{at}]"));
    b.output("word", Class::B32, &word, Compare::Equal);
    b.finish("")
}
