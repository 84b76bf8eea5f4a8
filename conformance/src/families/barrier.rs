//! Barriers of the block and of the cluster: threads read after the barrier what others have written before it.

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};

const THREADS: u32 = 256;

/// The variant of a case in which the halves of each warp are at different places.
pub const HALVES: &str = "halves of a warp at two places";

/// Adds lines, for `halves` once for each half of a warp, at different places: only instructions without `.aligned` allow that.
fn diverged(b: &mut Builder<'_>, halves: bool, lines: impl Fn(&mut Builder<'_>)) {
    if !halves {
        return lines(b);
    }
    let (other, end) = (b.label(), b.label());
    let lane = b.set(Class::B32, "and.b32 {}, %t, 16");
    let upper = b.set(Class::Pred, format!("setp.ne.u32 {{}}, {lane}, 0"));
    b.line(format!("@{upper} bra {other}"));
    lines(b);
    b.line(format!("bra {end}"));
    b.place(&other);
    lines(b);
    b.place(&end);
}

/// Makes each thread store a word to shared memory.
fn store(b: &mut Builder<'_>, round: u32) -> (String, usize) {
    let shared = b.shared(4 * THREADS as usize, 16);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let value = b.set(Class::B32, format!("mad.lo.u32 {{}}, %g, 5, {}", 1000 * (round + 1)));
    b.line(format!("st.shared::cta.b32 [{own}+{shared}], {value}"));
    (own, shared)
}

/// Loads the word of the thread whose number is higher by `distance`, modulo `group`.
fn load_other(b: &mut Builder<'_>, name: &str, shared: usize, distance: u32, group: u32) {
    let base = b.set(Class::B32, format!("and.b32 {{}}, %t, {}", !(group - 1)));
    let other = b.set(Class::B32, format!("add.u32 {{}}, %t, {distance}"));
    let other = b.set(Class::B32, format!("and.b32 {{}}, {other}, {}", group - 1));
    let other = b.set(Class::B32, format!("add.u32 {{}}, {other}, {base}"));
    let other = b.set(Class::B32, format!("mad.lo.u32 {{}}, {other}, 4, %shared"));
    let word = b.set(Class::B32, format!("ld.shared::cta.b32 {{}}, [{other}+{shared}]"));
    b.output(name, Class::B32, &word, Compare::Equal);
}

pub fn cta(form: &Form) -> Vec<Case<'_>> {
    let halves: &[bool] = if form.has("aligned") { &[false] } else { &[true, false] };
    halves.iter().map(|halves| cta_case(form, *halves)).collect()
}

fn cta_case(form: &Form, halves: bool) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let classes = form.classes();
    let (id, first) = b.uniform("a", Class::B32, 0);
    let registers = |barrier: &str, count: Option<&String>| -> Vec<String> {
        [barrier.to_owned()].into_iter().chain(count.cloned()).collect()
    };
    match form.words().nth(2).unwrap_or_default() {
        "arrive" => {
            let count = b.set(Class::B32, format!("mov.u32 {{}}, {THREADS}"));
            let half = THREADS / 2;
            let (_, shared) = store(&mut b, 0);
            let (other, end) = (b.label(), b.label());
            let consumer = b.set(Class::Pred, format!("setp.ge.u32 {{}}, %t, {half}"));
            b.line(format!("@{consumer} bra {other}"));
            diverged(&mut b, halves, |b| b.line(b.form.with(&registers(&first, Some(&count)))));
            b.line(format!("bra {end}"));
            b.place(&other);
            b.line(format!("barrier.cta.sync.aligned {first}, {count}"));
            load_other(&mut b, "word of a thread that arrived", shared, half, THREADS);
            b.place(&end);
        }
        "sync" => {
            // With a count, each half of the block has a barrier of its own.
            let counted = classes.len() == 2;
            let group = if counted { THREADS / 2 } else { THREADS };
            let count = counted.then(|| b.set(Class::B32, format!("mov.u32 {{}}, {group}")));
            let mut barrier = first.clone();
            if counted {
                let half = b.set(Class::B32, "shr.u32 {}, %t, 7");
                barrier = b.set(Class::B32, format!("xor.b32 {{}}, {first}, {half}"));
            }
            for round in 0..2 {
                let (_, shared) = store(&mut b, round);
                diverged(&mut b, halves, |b| b.line(b.form.with(&registers(&barrier, count.as_ref()))));
                load_other(&mut b, &format!("word {round}"), shared, 37, group);
            }
        }
        _ => {
            let counted = classes.len() == 4;
            let group = if counted { THREADS / 2 } else { THREADS };
            let count = counted.then(|| b.set(Class::B32, format!("mov.u32 {{}}, {group}")));
            let mut barrier = first.clone();
            if counted {
                let half = b.set(Class::B32, "shr.u32 {}, %t, 7");
                barrier = b.set(Class::B32, format!("xor.b32 {{}}, {first}, {half}"));
            }
            let patterns: [fn(usize) -> bool; 6] = [
                |_| false,
                |_| true,
                |thread| thread == 77,
                |thread| thread != 200,
                |thread| thread % 3 == 0,
                |thread| thread < 128,
            ];
            for (i, pattern) in patterns.into_iter().enumerate() {
                let c = b.input(&format!("c{i}"), Class::Pred, |thread| pattern(thread).into());
                let (_, shared) = store(&mut b, i as u32);
                let d = b.reg(classes[0]);
                diverged(&mut b, halves, |b| {
                    let mut all = vec![d.clone()];
                    all.extend(registers(&barrier, count.as_ref()));
                    all.push(c.clone());
                    b.line(b.form.with(&all));
                });
                b.output(&format!("d{i}"), classes[0], &d, Compare::Equal);
                load_other(&mut b, &format!("word {i}"), shared, 37, group);
            }
        }
    }
    for number in [0, 5, 14] {
        b.run_with(format!("barrier {number}"), &[(id, number)]);
    }
    b.finish(if halves { HALVES } else { "" })
}

/// Returns the case of a cluster of 4: each block reads what the next block has written.
pub fn cluster(form: &Form) -> Vec<Case<'_>> {
    let mut b = Builder::new(form, Shape::new(4, 64));
    let shared = b.shared(256, 16);
    let halves = !form.has("aligned");
    let arrives = form.has("arrive");
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 4, %shared");
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let next = b.set(Class::B32, format!("add.u32 {{}}, {rank}, 1"));
    let next = b.set(Class::B32, format!("and.b32 {{}}, {next}, 3"));
    let there = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {next}"));
    for round in 0..2 {
        let value = b.set(Class::B32, format!("mad.lo.u32 {{}}, %g, 7, {round}"));
        b.line(format!("st.shared::cta.b32 [{own}+{shared}], {value}"));
        if form.has("relaxed") {
            b.line("fence.acq_rel.cluster");
        }
        diverged(&mut b, halves, |b| {
            b.line(if arrives { b.form.text.clone() } else { "barrier.cluster.arrive.release".into() });
        });
        diverged(&mut b, halves, |b| {
            b.line(if arrives { "barrier.cluster.wait.acquire".into() } else { b.form.text.clone() });
        });
        let word = b.set(Class::B32, format!("ld.shared::cluster.b32 {{}}, [{there}+{shared}]"));
        b.output(&format!("word {round}"), Class::B32, &word, Compare::Equal);
        b.sync();
    }
    vec![b.finish("")]
}
