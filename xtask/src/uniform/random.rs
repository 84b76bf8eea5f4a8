//! Random kernels with collective calls, handles and memory that is dealt out, under conditions of which some are equal in a group
//! and some are not. The proof may take only those that run clean.

use std::fmt::Write as _;

use fastrand::Rng;

/// What the kernels of a crate share.
const HEAD: &str = "\
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
#![allow(warnings)]

use core::mem::swap;

use ptx::global::{Global, GlobalElementsMut, GlobalRowsMut};
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;
use ptx::shared::{FreeGeneric, Shared, SharedArray};

ptx::panic_handler!();

ptx::shared_memory! {
    struct Memory { a: ReduceMemory<u32>, b: ReduceMemory<u32>, s: SharedArray<u32, 64>, t: SharedArray<u32, 64> }
}

type Tile<'s> = Shared<'s, u32, 64, FreeGeneric>;

fn fill<'s>(cta: &Cta, tile: Tile<'s>, x: u32, i: u32) -> (Tile<'s>, u32) {
    let tile = tile.write(cta, |k| x ^ k as u32).publish().sync(cta);
    let y = tile.get((i % 64) as usize).unwrap_or(0);
    (tile.release().sync(cta), y)
}

#[inline(never)]
fn sync_if(cta: &Cta, condition: bool) {
    if condition {
        cta.sync();
    }
}

fn apply<F: FnMut(u32) -> u32>(times: u32, mut x: u32, mut f: F) -> u32 {
    for _ in 0..times {
        x = f(x);
    }
    x
}
";

/// The words of the input, and the elements of the output.
pub const WORDS: usize = 256;
/// The extents of the matrix whose rows are dealt out.
pub const ROWS: [usize; 2] = [5, 40];
/// The CTAs of a launch.
pub const GRID: u32 = 3;

/// A random kernel.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The name, with the kernel's number.
    pub name: String,
    /// The threads of a CTA.
    pub threads: u32,
    /// The source code.
    pub source: String,
}

/// Returns the kernel of a number.
pub fn kernel(seed: u64, number: usize) -> Kernel {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64);
    let threads = [32, 64, 64, 96, 48][rng.usize(..5)];
    let mut writer = Writer {
        rng,
        threads,
        text: String::new(),
        indent: 2,
        budget: 0,
        names: 0,
        loops: Vec::new(),
        parts: vec![Part::Cta],
    };
    writer.budget = writer.rng.usize(4..14);
    while writer.budget > 0 {
        writer.statement(true);
    }
    let name = format!("k{number}");
    let source = format!(
        "
#[ptx::kernel(threads = {threads})]
pub fn {name}(
    cta: Cta,
    #[shared] memory: Memory,
    n: u32,
    input: Global<u32>,
    out: GlobalElementsMut<u32>,
    rows: GlobalRowsMut<u32>,
) {{
    let (rank, block, lane) = (cta.thread_rank(), cta.grid_rank(), cta.warp().lane());
    let (mut a, mut b) = (memory.a, memory.b);
    let (mut out, mut rows) = (Some(out), Some(rows));
    let (mut u0, mut u1, mut u2) = (n, block, 3_u32);
    let (mut w0, mut w1) = (rank / 32, 1_u32);
    let (mut t0, mut t1) = (rank, lane);
    cta.finish((memory.s, memory.t), |cta, (s, t)| {{
        let (mut s, mut t) = (s.into_free_generic(), t.into_free_generic());
{}        if let Some(out) = out.take() {{
            let all = u0 ^ u1 ^ u2 ^ w0 ^ w1 ^ t0 ^ t1;
            out.elements(cta).for_each(|(_, x)| x.write(all));
        }}
        (s.end(), t.end())
    }});
}}
",
        writer.text
    );
    Kernel { name, threads, source }
}

/// Returns the source code of a crate of kernels.
pub fn crate_of(kernels: &[Kernel]) -> String {
    kernels.iter().fold(HEAD.to_owned(), |text, kernel| text + &kernel.source)
}

/// How equal the values of an expression are meant to be. What the program makes of them may differ.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Aim {
    Cta,
    Warp,
    Thread,
}

/// Who executes the statements.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Cta,
    /// The first warp, in a part.
    Warp,
    Lanes,
    /// One thread of a part, or a closure that may not contain collective calls.
    Thread,
}

struct Writer {
    rng: Rng,
    threads: u32,
    text: String,
    indent: usize,
    /// The statements to write.
    budget: usize,
    /// The names that are taken.
    names: usize,
    /// The labels of the loops around.
    loops: Vec<usize>,
    parts: Vec<Part>,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 4 * self.indent);
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.rng.usize(..count) == 0
    }

    fn part(&self) -> Part {
        self.parts.last().copied().unwrap_or(Part::Cta)
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    fn aim(&mut self) -> Aim {
        match self.rng.u32(..20) {
            0..14 => Aim::Cta,
            14..17 => Aim::Warp,
            _ => Aim::Thread,
        }
    }

    fn small(&mut self) -> u32 {
        self.rng.u32(1..8)
    }

    /// Returns a variable that is meant to be so equal.
    fn variable(&mut self, aim: Aim) -> &'static str {
        let names: &[&str] = match aim {
            Aim::Cta => &["u0", "u1", "u2"],
            Aim::Warp => &["w0", "w1"],
            Aim::Thread => &["t0", "t1"],
        };
        names[self.rng.usize(..names.len())]
    }

    fn expression(&mut self, aim: Aim, depth: u32) -> String {
        if depth > 0 && self.one_in(2) {
            let aims = [aim, self.aim_within(aim)];
            let [x, y] = aims.map(|aim| self.expression(aim, depth - 1));
            let k = self.small();
            return match self.rng.u32(..8) {
                0 => format!("{x}.wrapping_add({y})"),
                1 => format!("({x} ^ {y})"),
                2 => format!("({x} & {y})"),
                3 => format!("{x}.wrapping_mul({y} | {k})"),
                4 => format!("({x} % {k})"),
                5 => format!("({x} >> {k})"),
                6 => format!("{x}.min({y})"),
                _ => format!("(if {x} < {y} {{ {k} }} else {{ {y} }})"),
            };
        }
        let aim = self.aim_within(aim);
        match (aim, self.rng.u32(..8)) {
            (_, 0) => format!("{}_u32", self.rng.u32(..9)),
            (Aim::Cta, 1) => "n".into(),
            (Aim::Cta, 2) => "block".into(),
            (Aim::Warp, 1..3) => "(rank / 32)".into(),
            (Aim::Warp, 3) => format!("u32::from(rank < {})", 32 * self.rng.u32(..3)),
            (Aim::Thread, 1..3) => "rank".into(),
            (Aim::Thread, 3) => "lane".into(),
            (_, 4) if depth > 0 => {
                let i = self.expression(aim, depth - 1);
                format!("input.get(({i} % 300) as usize).unwrap_or(1)")
            }
            _ => self.variable(aim).into(),
        }
    }

    /// Returns a random aim that is at least as equal as another.
    fn aim_within(&mut self, aim: Aim) -> Aim {
        let other = self.aim();
        if other <= aim && self.one_in(3) { other } else { aim }
    }

    fn value(&mut self) -> String {
        let aim = [Aim::Cta, Aim::Warp, Aim::Thread, Aim::Thread][self.rng.usize(..4)];
        self.expression(aim, 2)
    }

    fn condition(&mut self, aim: Aim) -> String {
        let x = self.expression(aim, 2);
        let k = self.small();
        match self.rng.u32(..6) {
            0 => format!("{x} % {} == {}", k + 1, k / 2),
            1 => {
                let y = self.expression(aim, 1);
                format!("{x} != {y}")
            }
            2 if aim == Aim::Warp => {
                format!("rank {} {}", ["<", ">="][self.rng.usize(..2)], 32 * self.rng.u32(..3))
            }
            3 if aim == Aim::Warp => "rank / 32 == 1".into(),
            3 => {
                let y = self.expression(aim, 1);
                format!("{x} < {k} || {y} > {}", k + 1)
            }
            _ => format!("{x} {} {k}", ["<", ">", "==", "!="][self.rng.usize(..4)]),
        }
    }

    /// Writes some statements in braces. Without `calls`, none of them is collective.
    fn block(&mut self, open: &str, close: &str, calls: bool) {
        self.line(open);
        self.indent += 1;
        let count = self.rng.usize(1..4);
        for _ in 0..count {
            self.statement(calls);
        }
        self.indent -= 1;
        self.line(close);
    }

    /// Returns whether collective calls may stand under a condition. Mostly they do only where it is meant to be equal, so that
    /// the proof takes some kernels.
    fn calls_under(&mut self, aim: Aim, calls: bool) -> bool {
        calls && (aim == Aim::Cta || self.one_in(if aim == Aim::Warp { 3 } else { 8 }))
    }

    /// Returns who executes the calls of a warp, or `None` in one thread.
    fn lanes(&mut self) -> Option<String> {
        Some(match self.part() {
            Part::Cta => "cta.warp()".into(),
            Part::Warp => "warp.warp()".into(),
            Part::Lanes => "lanes".into(),
            Part::Thread => return None,
        })
    }

    fn statement(&mut self, calls: bool) {
        self.budget = self.budget.saturating_sub(1);
        let is_deep = self.indent > 6;
        match self.rng.u32(..20) {
            0..7 if calls => self.call(),
            7..10 if !is_deep => self.branch(calls),
            10..13 if !is_deep => self.a_loop(calls),
            13 if !is_deep && calls => self.split(),
            14 if calls && self.part() == Part::Cta => self.deal(calls),
            15 => self.exit(),
            16 if !is_deep => self.helper(calls),
            17 => self.array(),
            _ => self.assign(),
        }
    }

    fn assign(&mut self) {
        let aim = self.aim();
        let value = if self.one_in(8) { self.value() } else { self.expression(aim, 2) };
        let target = self.variable(aim);
        self.line(&format!("{target} = {value};"));
        if self.one_in(3) {
            let swap = ["swap(&mut a, &mut b);", "swap(&mut s, &mut t);"][self.rng.usize(..2)];
            self.line(swap);
        }
    }

    fn call(&mut self) {
        if self.part() == Part::Cta && !self.one_in(3) {
            return self.call_of_cta();
        }
        let Some(lanes) = self.lanes() else { return self.assign() };
        let value = self.value();
        let aim = self.aim();
        let condition = self.condition(aim);
        let (warp, thread) = (self.variable(Aim::Warp), self.variable(Aim::Thread));
        // In lanes, the results are equal among the members alone.
        let to = if lanes == "lanes" { thread } else { warp };
        let last = if self.threads == 48 { 16 } else { 32 };
        let line = match self.rng.u32(..10) {
            0..2 => format!("{lanes}.sync();"),
            2 => format!("{to} = {lanes}.reduce_add({value} & 0xff);"),
            3 => format!("{to} = {lanes}.ballot({condition}).bits();"),
            4 => format!("{to} = u32::from({lanes}.any({condition}));"),
            5 if lanes != "lanes" => {
                let lane = self.expression(Aim::Warp, 1);
                format!("{to} = {lanes}.shuffle({value}, {lane} % {last});")
            }
            6 if lanes != "lanes" => format!("{thread} = {lanes}.inclusive_sum({value} & 0xff);"),
            7 if lanes != "lanes" => format!("{thread} = {lanes}.tile::<8>().reduce_add({value} & 0xff);"),
            8 if lanes != "lanes" => {
                format!("{thread} = {lanes}.invoke_elected(|| {value}).unwrap_or({thread});")
            }
            _ => format!("{thread} = {lanes}.reduce_max({value});"),
        };
        self.line(&line);
    }

    fn call_of_cta(&mut self) {
        let (value, other) = (self.value(), self.value());
        let aim = [Aim::Cta, Aim::Thread][self.rng.usize(..2)];
        let condition = self.condition(aim);
        let (uniform, thread) = (self.variable(Aim::Cta), self.variable(Aim::Thread));
        let memory = ["a", "b"][self.rng.usize(..2)];
        let tile = ["s", "t"][self.rng.usize(..2)];
        let line = match self.rng.u32(..12) {
            0..3 => "cta.sync();".into(),
            3 => format!("{uniform} = cta.sync_count({condition});"),
            4 => format!("{uniform} = u32::from(cta.sync_or({condition}));"),
            5 => format!("{uniform} = {memory}.reduce_add(cta, {value} & 0xff);"),
            6 => format!("{uniform} = {memory}.reduce_max(cta, {value});"),
            7 => format!("{uniform} = {memory}.broadcast(cta, {value});"),
            8 => format!("({thread}, {uniform}) = {memory}.inclusive_sum(cta, {value} & 0xff);"),
            9 | 10 => format!("({tile}, {thread}) = fill(cta, {tile}, {value}, {other});"),
            _ => "cta.sync();".into(),
        };
        self.line(&line);
    }

    fn branch(&mut self, calls: bool) {
        let aim = self.aim();
        let calls = self.calls_under(aim, calls);
        let condition = self.condition(aim);
        match self.rng.u32(..5) {
            0 => {
                let x = self.expression(aim, 2);
                self.line(&format!("match {x} % 3 {{"));
                self.indent += 1;
                self.block("0 => {", "}", calls);
                self.block("1 => {", "}", calls);
                self.line("_ => {}");
                self.indent -= 1;
                self.line("}");
            }
            1 => {
                let (value, to) = (self.expression(aim, 2), self.variable(aim));
                let open = format!("if let Some(x) = ({condition}).then_some({value}) {{");
                self.line(&open);
                self.indent += 1;
                self.line(&format!("{to} = x;"));
                self.indent -= 1;
                self.block("", "}", calls);
            }
            2 => {
                self.block(&format!("if {condition} {{"), "} else {", calls);
                self.block("", "}", calls);
            }
            _ => self.block(&format!("if {condition} {{"), "}", calls),
        }
    }

    fn a_loop(&mut self, calls: bool) {
        let aim = self.aim();
        let calls = self.calls_under(aim, calls);
        let (label, count) = (self.name(), self.expression(aim, 2));
        let condition = self.condition(aim);
        self.loops.push(label);
        match self.rng.u32(..4) {
            0 => {
                self.line(&format!("let mut fuel{label} = {};", self.rng.clone().u32(1..5)));
                self.line(&format!("'l{label}: while fuel{label} > 0 && ({condition}) {{"));
                self.indent += 1;
                self.line(&format!("fuel{label} -= 1;"));
                self.indent -= 1;
                self.block("", "}", calls);
            }
            1 => {
                self.line(&format!("let mut fuel{label} = 0;"));
                self.line(&format!("'l{label}: loop {{"));
                self.indent += 1;
                // First, so that no `continue` skips the end.
                self.line(&format!("fuel{label} += 1;"));
                self.line(&format!("if fuel{label} > 4 {{ break; }}"));
                self.indent -= 1;
                self.block("", &format!("if {condition} {{ break; }}"), calls);
                self.line("}");
            }
            2 => self.block(&format!("'l{label}: for i in {count} % 3..4 {{"), "}", calls),
            _ => self.block(&format!("'l{label}: for i in 0..{count} % 4 {{"), "}", calls),
        }
        self.loops.pop();
    }

    /// Ends the kernel, the part or a loop.
    fn exit(&mut self) {
        let aim = self.aim();
        let condition = self.condition(aim);
        let label = (!self.loops.is_empty()).then(|| self.loops[self.rng.usize(..self.loops.len())]);
        let exit = match (label, self.rng.u32(..4)) {
            (Some(label), 0..2) => format!("break 'l{label}"),
            (Some(label), 2) => format!("continue 'l{label}"),
            _ if self.one_in(4) => "ptx::trap()".into(),
            _ if self.parts.contains(&Part::Thread) || self.parts.contains(&Part::Warp) => "return".into(),
            _ => "return (s.end(), t.end())".into(),
        };
        // A trap is a clean end of no run.
        let condition = if exit == "ptx::trap()" { format!("({condition}) && n > 1000") } else { condition };
        self.line(&format!("if {condition} {{ {exit}; }}"));
    }

    /// Parts the threads by a call of the library.
    fn split(&mut self) {
        let Some(lanes) = self.lanes() else { return self.assign() };
        let part = self.part();
        let loops = std::mem::take(&mut self.loops);
        match self.rng.u32(..5) {
            0 if part == Part::Cta => self.inside(Part::Thread, "cta.invoke_one((), |_, ()| {", "});", false),
            1 | 2 if part == Part::Cta => {
                self.inside(Part::Warp, "cta.invoke_warp((), |warp, ()| {", "});", true)
            }
            0 if part == Part::Warp => {
                self.inside(Part::Thread, "warp.invoke_one((), |_, ()| {", "});", false)
            }
            3 if part != Part::Lanes => {
                let value = self.value();
                self.loops = loops.clone();
                self.inside(
                    Part::Lanes,
                    &format!("{{ let lanes = {lanes}.partition_by({value} % 3);"),
                    "}",
                    true,
                );
            }
            _ if part != Part::Lanes => {
                let aim = self.aim();
                let condition = self.condition(aim);
                self.loops = loops.clone();
                self.inside(
                    Part::Lanes,
                    &format!("if let Some(lanes) = {lanes}.filter({condition}) {{"),
                    "}",
                    true,
                );
            }
            _ => self.assign(),
        }
        self.loops = loops;
    }

    fn inside(&mut self, part: Part, open: &str, close: &str, calls: bool) {
        // Nothing leaves a closure but by its end.
        self.parts.push(part);
        self.block(open, close, calls);
        self.parts.pop();
    }

    fn deal(&mut self, calls: bool) {
        let value = self.value();
        let aim = self.aim();
        if self.one_in(2) {
            let label = self.name();
            self.line("if let Some(taken) = rows.take() {");
            self.indent += 1;
            self.loops.push(label);
            self.block(
                &format!("'l{label}: for (y, row) in taken.rows(cta) {{"),
                "",
                calls && aim == Aim::Cta,
            );
            self.indent += 1;
            let deal = match self.rng.u32(..4) {
                0 => {
                    let condition = self.condition(aim);
                    format!(
                        "if {condition} {{ row.vectors(cta).for_each(|(_, x)| x.write([{value}; 4])); }} else {{ row.elements(cta).for_each(|(_, x)| x.write({value})); }}"
                    )
                }
                1 => format!("row.vectors(cta).for_each(|(_, x)| x.write([{value}; 4]));"),
                _ => format!("row.elements(cta).for_each(|(_, x)| x.write({value}));"),
            };
            self.line(&deal);
            self.indent -= 1;
            self.line("}");
            self.loops.pop();
            self.indent -= 1;
            self.line("}");
        } else {
            let way = match self.rng.u32(..3) {
                0 => format!(
                    "out.warp_elements(cta).for_each(|(_, x)| if let Some(x) = x {{ x.write({value}) }});"
                ),
                _ => format!("out.elements(cta).for_each(|(_, x)| x.write({value}));"),
            };
            self.line(&format!("if let Some(out) = out.take() {{ {way} }}"));
        }
    }

    fn helper(&mut self, calls: bool) {
        let aim = self.aim();
        let (count, to) = (self.expression(aim, 1), self.variable(aim));
        if calls && self.part() == Part::Cta && self.one_in(2) {
            let condition = self.condition(aim);
            self.line(&format!("sync_if(cta, {condition});"));
            return;
        }
        let calls = self.calls_under(aim, calls) && self.one_in(2);
        let call = if calls {
            self.lanes().map_or(String::new(), |lanes| format!("{lanes}.sync(); "))
        } else {
            String::new()
        };
        let value = self.expression(aim, 1);
        self.line(&format!(
            "{to} = apply({count} % 3, {value}, |x| {{ {call}x.wrapping_mul(3) ^ {value} }});"
        ));
    }

    /// Values that go through memory of the thread.
    fn array(&mut self) {
        let aim = self.aim();
        let name = self.name();
        let [x, i, j] = [0; 3].map(|_| self.expression(aim, 1));
        let to = self.variable(aim);
        self.line(&format!("let mut array{name} = [{x}, 1, 2, 3];"));
        self.line(&format!("array{name}[({i} % 4) as usize] = {to};"));
        self.line(&format!("{to} = array{name}[({j} % 4) as usize];"));
    }
}

#[cfg(test)]
mod tests {
    use super::{crate_of, kernel};

    #[test]
    fn a_number_is_one_kernel() {
        assert_eq!(kernel(1, 7).source, kernel(1, 7).source);
        assert_ne!(kernel(1, 7).source, kernel(2, 7).source);
        assert!(crate_of(&[kernel(1, 7)]).contains("pub fn k7("));
    }
}
