//! mbarriers: phases that complete by arrivals and by bytes, results of waits before and after, and words that waits order.

use std::fmt::Display;

use crate::builder::Builder;
use crate::case::{Case, Compare, Shape};
use crate::families::Space;
use crate::form::{Class, Form};
use crate::values::noise;

const THREADS: u32 = 64;

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let first: Vec<&str> = form.words().take(2).collect();
    match (first[0], first[1]) {
        ("cp", _) => vec![cp_async_arrive(form)],
        (_, "init") => vec![init(form)],
        (_, "check_layout") => vec![check_layout(form)],
        (_, "inval") => vec![inval(form)],
        (_, "expect_tx" | "complete_tx") => vec![bytes(form)],
        (_, "test_wait" | "try_wait") => vec![wait(form)],
        (_, "pending_count") => vec![no_complete(form)],
        _ if form.has("noComplete") => vec![no_complete(form)],
        _ => vec![arrive(form)],
    }
}

/// Initializes an mbarrier in each block, for all threads to use, and returns its offset in `[%shared+{offset}]`.
pub fn initialized(b: &mut Builder<'_>, count: u64) -> usize {
    initialized_with(b, count, "")
}

/// Initializes an mbarrier like [`initialized`], with a `.layout`.
fn initialized_with(b: &mut Builder<'_>, count: u64, layout: &str) -> usize {
    let at = b.shared(8, 8);
    b.one_thread(|b| {
        let count = b.set(Class::B32, format!("mov.u32 {{}}, {count}"));
        b.line(format!("mbarrier.init{layout}.shared::cta.b64 [%shared+{at}], {count}"));
        b.line("fence.mbarrier_init.release.cluster");
        b.line("fence.proxy.async.shared::cta");
    });
    b.sync();
    at
}

/// Outputs whether the phase of a parity has completed on the block's own mbarrier, which nothing may change meanwhile.
fn probe(b: &mut Builder<'_>, when: &str, at: usize, parity: u32) {
    let p = b.set(
        Class::Pred,
        format!("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 {{}}, [%shared+{at}], {parity}"),
    );
    b.output(&format!("phase of parity {parity} {when}"), Class::Pred, &p, Compare::Equal);
}

/// Waits for the phase of a parity.
pub fn wait_for(b: &mut Builder<'_>, at: usize, parity: impl Display, scope: &str) {
    try_wait(b, "acquire", scope, at, parity);
}

/// Waits for the phase of a parity, up to a microsecond at a time. Without this limit, the GPU chooses the time.
pub fn try_wait(b: &mut Builder<'_>, sem: &str, scope: &str, at: usize, parity: impl Display) {
    let wait = format!(
        "mbarrier.try_wait.parity.{sem}.{scope}.shared::cta.b64 {{}}, [%shared+{at}], {parity}, 1000"
    );
    b.until(|b| b.set(Class::Pred, wait));
}

/// Returns the address operand of a form: that of the block's own mbarrier, or of the mbarrier in block 0.
fn operand(b: &mut Builder<'_>, at: usize) -> String {
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
    match Space::of(b.form) {
        Space::SharedCluster => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0")),
        Space::Generic => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
            b.set(Class::B64, format!("cvta.shared::cta.u64 {{}}, {wide}"))
        }
        _ => own,
    }
}

fn scope(form: &Form) -> &'static str {
    if form.has("cluster") { "cluster" } else { "cta" }
}

/// Words in the shared memory of block 0 that the threads of all blocks write before they arrive.
struct Words {
    /// The word of this thread.
    own: String,
    shared: usize,
    /// True if words of other blocks are ordered too.
    remote: bool,
}

fn words(b: &mut Builder<'_>, remote: bool) -> Words {
    let shared = b.shared(4 * b.shape.threads(), 16);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %g, 4, %shared");
    let own = match b.shape.is_cluster() {
        true => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0")),
        false => own,
    };
    Words { own, shared, remote }
}

impl Words {
    fn store(&self, b: &mut Builder<'_>, phase: u32) {
        let value = b.set(Class::B32, format!("mad.lo.u32 {{}}, %g, 3, {}", 1 + 1000 * phase));
        b.line(format!("st.shared::cluster.b32 [{}+{}], {value}", self.own, self.shared));
    }

    /// Outputs the words of other threads. Only threads of block 0 may run these lines.
    fn load(&self, b: &mut Builder<'_>, phase: u32) {
        let other = b.set(Class::B32, "add.u32 {}, %t, 33");
        let other = b.set(Class::B32, format!("and.b32 {{}}, {other}, {}", THREADS - 1));
        let other = b.set(Class::B32, format!("mad.lo.u32 {{}}, {other}, 4, %shared"));
        let word = b.set(Class::B32, format!("ld.shared::cta.b32 {{}}, [{other}+{}]", self.shared));
        b.output(&format!("word in phase {phase}"), Class::B32, &word, Compare::Equal);
        if self.remote {
            let at = self.shared + 4 * THREADS as usize;
            let word = b.set(Class::B32, format!("ld.shared::cta.b32 {{}}, [{other}+{at}]"));
            b.output(&format!("word of the peer in phase {phase}"), Class::B32, &word, Compare::Equal);
        }
    }
}

/// Returns the case of `arrive` or `arrive_drop`: two phases, the first in two halves. Threads that drop skip the second phase.
fn arrive(form: &Form) -> Case<'_> {
    let remote = Space::of(form) == Space::SharedCluster;
    let mut b = Builder::new(form, Shape::new(if remote { 2 } else { 1 }, THREADS));
    let drops = form.words().nth(1) == Some("arrive_drop");
    let expects = form.has("expect_tx");
    let classes = form.classes();
    let returns = !form.text.contains("_, ");
    let operands = classes.len() - usize::from(returns) - 1;
    let counted = operands == 1 && !expects;
    let count = |thread: usize| if counted { 1 + thread as u64 % 3 } else { 1 };
    let bytes = |thread: usize| 16 * (thread as u64 + 1);
    let threads = b.shape.threads();
    let in_first_half = |thread: usize| thread as u32 % THREADS < THREADS / 2;
    let at = initialized(&mut b, (0..threads).map(count).sum());
    let words = words(&mut b, remote && scope(form) == "cluster");
    let value = |thread: usize| u128::from(if expects { bytes(thread) } else { count(thread) });
    let value = (operands == 1).then(|| b.input("count or bytes", Class::B32, value));
    let address = operand(&mut b, at);
    let state = returns.then(|| b.set(Class::B64, "mov.u64 {}, 0"));
    probe(&mut b, "before", at, 0);
    b.sync();
    let issue = |b: &mut Builder<'_>, phase: u32| {
        words.store(b, phase);
        if form.has("relaxed") {
            b.line(format!("fence.acq_rel.{}", scope(form)));
        }
        let all = state.iter().chain([&address]).chain(&value).cloned();
        b.line(form.with(&all.collect::<Vec<_>>()));
    };
    let complete = |b: &mut Builder<'_>, phase: u32, total: u64| {
        if !expects {
            return;
        }
        b.sync();
        probe(b, &format!("with all arrivals, before the bytes, in phase {phase}"), at, phase);
        b.sync();
        b.block_0(|b| {
            b.one_thread(|b| {
                let total = b.set(Class::B32, format!("mov.u32 {{}}, {total}"));
                b.line(format!("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%shared+{at}], {total}"));
            });
        });
    };
    let wait = |b: &mut Builder<'_>, phase: u32| {
        b.block_0(|b| {
            wait_for(b, at, phase, if remote { "cluster" } else { "cta" });
            words.load(b, phase);
        });
        b.sync();
        for parity in [0, 1] {
            probe(b, &format!("behind phase {phase}"), at, parity);
        }
    };
    b.threads(0..THREADS / 2, |b| issue(b, 0));
    b.sync();
    probe(&mut b, "after half of the arrivals", at, 0);
    b.sync();
    b.threads(THREADS / 2..THREADS, |b| {
        if drops {
            // The threads of the second half stay.
            words.store(b, 0);
            let stays = format!("mbarrier.arrive.release.{}.shared::cluster.b64 _", scope(form));
            let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
            let to = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0"));
            let count = b.input("count of those who stay", Class::B32, |thread| count(thread).into());
            b.line(format!("{stays}, [{to}], {count}"));
        } else {
            issue(b, 0);
        }
    });
    let all = |first_only: bool| {
        (0..threads).filter(|thread| !first_only || in_first_half(*thread)).map(bytes).sum()
    };
    complete(&mut b, 0, all(drops));
    wait(&mut b, 0);
    if let Some(state) = &state {
        b.threads(0..if drops { THREADS / 2 } else { THREADS }, |b| {
            let p = b.set(
                Class::Pred,
                format!("mbarrier.test_wait.acquire.cta.shared::cta.b64 {{}}, [%shared+{at}], {state}"),
            );
            b.output("phase of the state", Class::Pred, &p, Compare::Equal);
        });
    }
    b.sync();
    if drops {
        b.threads(THREADS / 2..THREADS, |b| {
            words.store(b, 1);
            let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
            let to = b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0"));
            let count = b.input("count of those who stayed", Class::B32, |thread| count(thread).into());
            b.line(format!("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{to}], {count}"));
        });
        b.block_0(|b| wait_for(b, at, 1, "cluster"));
        b.sync();
        probe(&mut b, "behind phase 1", at, 0);
        probe(&mut b, "behind phase 1 ", at, 1);
    } else {
        issue(&mut b, 1);
        complete(&mut b, 1, all(false));
        wait(&mut b, 1);
    }
    b.finish("")
}

/// Returns the case of `noComplete` or `pending_count`. Equal counts make the pending counts the same in any order.
fn no_complete(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let at = initialized(&mut b, 2 * u64::from(THREADS) + 1);
    let is_count = form.has("pending_count");
    let drops = form.words().nth(1) == Some("arrive_drop");
    let state = b.reg(Class::B64);
    let two = b.set(Class::B32, "mov.u32 {}, 2");
    let pending = b.reg(Class::B32);
    if is_count {
        b.line(format!(
            "mbarrier.arrive.noComplete.release.cta.shared::cta.b64 {state}, [%shared+{at}], {two}"
        ));
        b.line(form.with(&[&pending, &state]));
    } else {
        let address = operand(&mut b, at);
        b.line(form.with(&[&state, &address, &two]));
        b.line(format!("mbarrier.pending_count.b64 {pending}, {state}"));
    }
    b.output("pending counts", Class::B32, &pending, Compare::Unordered);
    b.sync();
    probe(&mut b, "before the last arrival", at, 0);
    b.sync();
    for phase in 0..2 {
        // If the threads have dropped, one arrival completes the second phase.
        let count = if phase == 0 || drops { 1 } else { 2 * THREADS + 1 };
        b.one_thread(|b| {
            let count = b.set(Class::B32, format!("mov.u32 {{}}, {count}"));
            b.line(format!("mbarrier.arrive.release.cta.shared::cta.b64 _, [%shared+{at}], {count}"));
        });
        wait_for(&mut b, at, phase, "cta");
        b.sync();
        for parity in [0, 1] {
            probe(&mut b, &format!("behind phase {phase}"), at, parity);
        }
        b.sync();
    }
    b.finish("")
}

/// Returns the case of `init`: counts up to the largest, which `pending_count` reports.
fn init(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, 32));
    let at = b.shared(8 * 32, 8);
    let largest = if form.has("layout::v1") { (1 << 9) - 1 } else { (1 << 20) - 1 };
    let counts = [2, 3, 31, 64, 1000, 65_535, 65_536, largest].map(|count| u128::min(count, largest));
    let count = b.input("count", Class::B32, |thread| counts[thread % counts.len()]);
    let own = b.set(Class::B32, "mad.lo.u32 {}, %t, 8, %shared");
    let address = match Space::of(form) {
        Space::Generic => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
            b.set(Class::B64, format!("cvta.shared::cta.u64 {{}}, {wide}"))
        }
        _ => own.clone(),
    };
    assert_eq!(at, 0, "the mbarriers are the first of the shared memory");
    b.line(form.with(&[&address, &count]));
    for parity in [0, 1] {
        let p = b.set(
            Class::Pred,
            format!("mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 {{}}, [{own}], {parity}"),
        );
        b.output(&format!("phase of parity {parity}"), Class::Pred, &p, Compare::Equal);
    }
    let one = b.set(Class::B32, "mov.u32 {}, 1");
    let state = b.set(
        Class::B64,
        format!("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 {{}}, [{own}], {one}"),
    );
    let pending = b.set(Class::B32, format!("mbarrier.pending_count.b64 {{}}, {state}"));
    b.output("pending count", Class::B32, &pending, Compare::Equal);
    let rest = b.set(Class::B32, format!("sub.u32 {{}}, {count}, 1"));
    let state =
        b.set(Class::B64, format!("mbarrier.arrive.release.cta.shared::cta.b64 {{}}, [{own}], {rest}"));
    let p =
        b.set(Class::Pred, format!("mbarrier.test_wait.acquire.cta.shared::cta.b64 {{}}, [{own}], {state}"));
    b.output("phase of the state", Class::Pred, &p, Compare::Equal);
    b.finish("")
}

/// Returns the case of `check_layout`, on an mbarrier of each layout.
fn check_layout(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, 32));
    for layout in ["", ".layout::v0", ".layout::v1"] {
        let at = initialized_with(&mut b, 7, layout);
        let address = operand(&mut b, at);
        let p = b.reg(Class::Pred);
        b.line(form.with(&[&p, &address]));
        b.output(&format!("of an mbarrier{layout}"), Class::Pred, &p, Compare::Equal);
    }
    b.finish("")
}

/// Returns the case of `inval`: the memory of an mbarrier serves as a word, then as another mbarrier.
fn inval(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let at = initialized(&mut b, THREADS.into());
    let address = operand(&mut b, at);
    b.line(format!("mbarrier.arrive.release.cta.shared::cta.b64 _, [%shared+{at}]"));
    wait_for(&mut b, at, 0, "cta");
    b.sync();
    b.one_thread(|b| {
        b.line(b.form.with(&[&address]));
        let word = b.set(Class::B64, "mov.u64 {}, 0x0123456789abcdef");
        b.line(format!("st.shared::cta.b64 [%shared+{at}], {word}"));
    });
    b.sync();
    let word = b.set(Class::B64, format!("ld.shared::cta.b64 {{}}, [%shared+{at}]"));
    b.output("word", Class::B64, &word, Compare::Equal);
    b.sync();
    b.one_thread(|b| {
        let one = b.set(Class::B32, "mov.u32 {}, 1");
        b.line(format!("mbarrier.init.shared::cta.b64 [%shared+{at}], {one}"));
    });
    b.sync();
    probe(&mut b, "again", at, 0);
    b.sync();
    b.one_thread(|b| b.line(format!("mbarrier.arrive.release.cta.shared::cta.b64 _, [%shared+{at}]")));
    wait_for(&mut b, at, 0, "cta");
    b.finish("")
}

/// Returns the case of `expect_tx` or `complete_tx`: bytes up to the largest count, and bytes completed before expected.
fn bytes(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(2, 32));
    let at = initialized(&mut b, 1);
    let space = Space::of(form);
    let (slot, word) = b.uniform("1 on the peer's mbarrier", Class::B32, 0);
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
    let rank = b.set(Class::B32, "mov.u32 {}, %cluster_ctarank");
    let rank = b.set(Class::B32, format!("xor.b32 {{}}, {rank}, {word}"));
    let there = match space {
        Space::SharedCta => own,
        _ => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, {rank}")),
    };
    let address = match space {
        Space::Generic => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {there}"));
            b.set(Class::B64, format!("cvta.shared::cluster.u64 {{}}, {wide}"))
        }
        _ => there.clone(),
    };
    let (expects, counterpart) = match form.has("expect_tx") {
        true => (true, "complete_tx"),
        false => (false, "expect_tx"),
    };
    let issue = |b: &mut Builder<'_>, expect: bool, bytes: u32| {
        let bytes = b.set(Class::B32, format!("mov.u32 {{}}, {bytes}"));
        if expect == expects {
            b.line(form.with(&[&address, &bytes]));
        } else {
            b.line(format!("mbarrier.{counterpart}.relaxed.cluster.shared::cluster.b64 [{there}], {bytes}"));
        }
    };
    let largest = (1 << 20) - 1;
    let steps: [(&str, &[(bool, u32)]); 3] = [
        ("small", &[(true, 4096), (false, 4095), (false, 1)]),
        ("the largest", &[(true, largest), (false, 1), (false, largest - 1)]),
        ("completed before expected", &[(false, 160), (false, 16), (true, 176)]),
    ];
    for (phase, (name, steps)) in steps.into_iter().enumerate() {
        let parity = phase as u32 % 2;
        // Without the arrival, the phase does not complete, whatever the bytes are.
        let before = usize::from(name == "completed before expected") * steps.len();
        for (i, (expect, bytes)) in steps.iter().enumerate() {
            b.one_thread(|b| issue(b, *expect, *bytes));
            b.sync();
            probe(&mut b, &format!("{name}, after step {i}"), at, parity);
            b.sync();
            if i == 0 && before == 0 {
                b.one_thread(|b| {
                    b.line(format!("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{there}]"))
                });
                b.sync();
                probe(&mut b, &format!("{name}, after the arrival"), at, parity);
                b.sync();
            }
        }
        if before > 0 {
            b.one_thread(|b| {
                b.line(format!("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{there}]"))
            });
            b.sync();
        }
        wait_for(&mut b, at, parity, "cluster");
        b.sync();
        probe(&mut b, &format!("{name}, behind"), at, parity);
        b.sync();
    }
    if space == Space::SharedCta {
        b.run_with("", &[]);
    } else {
        b.run_with("own mbarrier", &[(slot, 0)]);
        b.run_with("the peer's mbarrier", &[(slot, 1)]);
    }
    b.finish("")
}

/// Returns the case of `test_wait` or `try_wait`: false before the last arrival, then true with the others' words visible.
fn wait(form: &Form) -> Case<'_> {
    let cluster = scope(form) == "cluster";
    let mut b = Builder::new(form, Shape::new(if cluster { 2 } else { 1 }, THREADS));
    let threads = b.shape.threads() as u64;
    // The predicate and the value of a report, which no operation makes here.
    let classes = form.classes();
    let operands = classes.iter().position(|class| ![Class::Pred, Class::B8].contains(class)).unwrap_or(0);
    let layout = if form.has("phase_type::primary") { ".layout::v1" } else { "" };
    let at = initialized_with(&mut b, threads + u64::from(THREADS) * 2, layout);
    let words = words(&mut b, cluster);
    let address = operand(&mut b, at);
    let by_parity = form.has("parity");
    let takes_hint = classes.len() == operands + 3;
    let report: Vec<(String, Class)> =
        classes[1..operands].iter().map(|class| (b.reg(*class), *class)).collect();
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
    let there = match cluster {
        true => b.set(Class::B32, format!("mapa.shared::cluster.u32 {{}}, {own}, 0")),
        false => own.clone(),
    };
    for phase in 0..3u32 {
        let parity = b.set(Class::B32, format!("mov.u32 {{}}, {}", phase % 2));
        let hint = takes_hint.then(|| b.set(Class::B32, format!("mov.u32 {{}}, {}", 500 * phase)));
        // The threads of block 0 arrive twice: once for a state, and then with all others.
        let state = b.set(Class::B64, "mov.u64 {}, 0");
        let issue = |b: &mut Builder<'_>| {
            let p = b.reg(Class::Pred);
            let operand = if by_parity { &parity } else { &state };
            let report = report.iter().map(|(register, _)| register);
            let all = [&p].into_iter().chain(report).chain([&address, operand]).chain(&hint);
            b.line(form.with(&all.collect::<Vec<_>>()));
            p
        };
        b.block_0(|b| {
            let two = b.set(Class::B32, "mov.u32 {}, 2");
            b.line(format!("mbarrier.arrive.release.cta.shared::cta.b64 {state}, [{own}], {two}"));
            let p = issue(b);
            b.output(&format!("before phase {phase} completes"), Class::Pred, &p, Compare::Equal);
        });
        b.sync();
        words.store(&mut b, phase);
        b.line(format!("mbarrier.arrive.release.{}.shared::cluster.b64 _, [{there}]", scope(form)));
        b.block_0(|b| {
            b.until(issue);
            if form.has("relaxed") {
                b.line(format!("fence.acq_rel.{}", scope(form)));
            }
            words.load(b, phase);
            let p = issue(b);
            b.output(&format!("behind phase {phase}"), Class::Pred, &p, Compare::Equal);
            for (register, class) in &report {
                let (class, register) = match class {
                    Class::B8 => (Class::B32, b.set(Class::B32, format!("cvt.u32.u8 {{}}, {register}"))),
                    class => (*class, register.clone()),
                };
                b.output(&format!("report of phase {phase}"), class, &register, Compare::Equal);
            }
        });
        b.sync();
    }
    b.finish("")
}

/// Returns the case of `cp.async.mbarrier.arrive`: after the wait, the copies of all threads have arrived.
fn cp_async_arrive(form: &Form) -> Case<'_> {
    let mut b = Builder::new(form, Shape::new(1, THREADS));
    let noinc = form.has("noinc");
    let at = initialized(&mut b, u64::from(THREADS) * if noinc { 2 } else { 1 });
    let source = b.memory("source", 32, 16, None, &noise(32 * THREADS as usize, 9));
    let shared = b.shared(32 * THREADS as usize, 16);
    let address = operand(&mut b, at);
    let from = b.set(Class::B64, "mad.wide.u32 {}, %t, 32, %memory");
    let to = b.set(Class::B32, "mad.lo.u32 {}, %t, 32, %shared");
    let from_at = b.at(source);
    b.line(format!("cp.async.cg.shared::cta.global [{to}+{shared}], [{from}+{from_at}], 16"));
    b.line(format!("cp.async.ca.shared::cta.global [{to}+{}], [{from}+{}], 8", shared + 16, from_at + 16));
    b.line(format!("cp.async.ca.shared::cta.global [{to}+{}], [{from}+{}], 8", shared + 24, from_at + 24));
    b.line(form.with(&[&address]));
    b.line(format!("mbarrier.arrive.release.cta.shared::cta.b64 _, [%shared+{at}]"));
    wait_for(&mut b, at, 0, "cta");
    let other = b.set(Class::B32, "add.u32 {}, %t, 33");
    let other = b.set(Class::B32, format!("and.b32 {{}}, {other}, {}", THREADS - 1));
    let other = b.set(Class::B32, format!("mad.lo.u32 {{}}, {other}, 32, %shared"));
    for i in 0..4 {
        let word = b.set(Class::B64, format!("ld.shared::cta.b64 {{}}, [{other}+{}]", shared + 8 * i));
        b.output(&format!("word {i}"), Class::B64, &word, Compare::Equal);
    }
    b.sync();
    probe(&mut b, "behind", at, 0);
    probe(&mut b, "behind ", at, 1);
    b.finish("")
}
