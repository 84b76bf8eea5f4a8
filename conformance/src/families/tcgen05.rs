//! `tcgen05`: each case allocates tensor memory, fills it, executes the form, and stores what is then in tensor memory. No GPU at hand
//! has the instructions.

use super::matrix::{metadata, register};
use crate::builder::{Builder, Slot};
use crate::case::{Case, Compare, Shape};
use crate::form::{Class, Form};

const THREADS: u32 = 128;

/// The tensor memory of a case.
struct Memory {
    pair: bool,
    columns: usize,
    taddr: String,
    /// The address in the lanes of the warp.
    mine: String,
    leader: String,
    mbarrier: usize,
}

/// What words are filled with.
#[derive(Clone, Copy)]
enum Fill {
    /// Differing words.
    Noise,
    /// Small numbers of a type.
    Numbers(&'static str),
    /// One word.
    Word(u32),
}

pub fn cases(form: &Form) -> Vec<Case<'_>> {
    let what = form.words().nth(1).unwrap_or_default();
    match what {
        "ld" => vec![load(form)],
        "st" => vec![store(form)],
        "cp" => vec![copy(form)],
        "mma" => vec![product(form)],
        "commit" => vec![commit(form)],
        _ => vec![lifecycle(form)],
    }
}

/// Starts a case, whose tensor memory has so many columns. A form of the allocation takes the place of the usual instruction.
fn begin(form: &Form, columns: usize) -> (Builder<'_>, Memory) {
    let pair = form.has("cta_group::2");
    let mut b = Builder::new(form, Shape::new(if pair { 2 } else { 1 }, THREADS));
    let place = b.shared(16, 16);
    let group = if pair { 2 } else { 1 };
    let dst = b.set(Class::B32, format!("add.u32 {{}}, %shared, {place}"));
    let count = b.set(Class::B32, format!("mov.u32 {{}}, {columns}"));
    let line = match form.has("alloc") {
        true if form.has("shared::cta") => form.with(&[&dst, &count]),
        true => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {dst}"));
            let generic = b.set(Class::B64, format!("cvta.shared.u64 {{}}, {wide}"));
            form.with(&[&generic, &count])
        }
        false => format!("tcgen05.alloc.cta_group::{group}.sync.aligned.shared::cta.b32 [{dst}], {count}"),
    };
    b.threads(0..32, |b| b.line(line));
    b.one_thread(|b| b.line(format!("mbarrier.init.shared::cta.b64 [{dst}+8], 1")));
    b.sync();
    let taddr = b.set(Class::B32, format!("ld.shared.b32 {{}}, [{dst}]"));
    let warp = b.set(Class::B32, "shr.u32 {}, %t, 5");
    let lane = b.set(Class::B32, format!("shl.b32 {{}}, {warp}, 21"));
    let mine = b.set(Class::B32, format!("add.u32 {{}}, {lane}, {taddr}"));
    // Of a pair, one thread of the even block starts operations.
    let number = if pair { "%g" } else { "%t" };
    let leader = b.set(Class::Pred, format!("setp.eq.u32 {{}}, {number}, 0"));
    (b, Memory { pair, columns, taddr, mine, leader, mbarrier: place + 8 })
}

impl Memory {
    fn group(&self) -> u32 {
        if self.pair { 2 } else { 1 }
    }

    /// Orders what the threads have done with tensor memory.
    fn sync(&self, b: &mut Builder<'_>) {
        b.line("tcgen05.fence::before_thread_sync");
        b.sync();
        b.line("tcgen05.fence::after_thread_sync");
    }

    /// Runs the lines for each eight columns from a first one on, with the register of the columns before.
    fn for_columns(
        &self,
        b: &mut Builder<'_>,
        from: usize,
        columns: usize,
        lines: impl FnOnce(&mut Builder<'_>, &str),
    ) {
        let (again, at) = (b.label(), b.set(Class::B32, format!("mov.u32 {{}}, {from}")));
        b.place(&again);
        lines(b, &at);
        b.line(format!("add.u32 {at}, {at}, 8"));
        let more = b.set(Class::Pred, format!("setp.lt.u32 {{}}, {at}, {}", from + columns));
        b.line(format!("@{more} bra {again}"));
    }

    fn fill(&self, b: &mut Builder<'_>, from: usize, columns: usize, with: Fill) {
        self.for_columns(b, from, columns, |b, at| {
            let words: Vec<String> = (0..8).map(|i| word(b, at, i, with)).collect();
            let address = b.set(Class::B32, format!("add.u32 {{}}, {}, {at}", self.mine));
            b.line(format!("tcgen05.st.sync.aligned.32x32b.x8.b32 [{address}], {{{}}}", words.join(", ")));
        });
        b.line("tcgen05.wait::st.sync.aligned");
    }

    /// Stores all words of tensor memory, as they are at the end.
    fn store(&self, b: &mut Builder<'_>) {
        let bytes = 4 * self.columns;
        let slot =
            b.memory("tensor memory", 4, 16, Some(Compare::Equal), &vec![0xee; bytes * b.shape.threads()]);
        let row = b.set(Class::B64, format!("mad.wide.u32 {{}}, %g, {bytes}, %memory"));
        let place = b.at(slot);
        self.for_columns(b, 0, self.columns, |b, at| {
            let words: Vec<String> = (0..8).map(|_| b.reg(Class::B32)).collect();
            let address = b.set(Class::B32, format!("add.u32 {{}}, {}, {at}", self.mine));
            b.line(format!("tcgen05.ld.sync.aligned.32x32b.x8.b32 {{{}}}, [{address}]", words.join(", ")));
            b.line("tcgen05.wait::ld.sync.aligned");
            let to = b.set(Class::B64, format!("mad.wide.u32 {{}}, {at}, 4, {row}"));
            for (i, four) in words.chunks(4).enumerate() {
                b.line(format!("st.global.v4.b32 [{to}+{}], {{{}}}", place + 16 * i, four.join(", ")));
            }
        });
    }

    /// Commits the leader's operations by an instruction, and lets all threads wait for them.
    fn commit(&self, b: &mut Builder<'_>, line: Option<String>) {
        let usual = |b: &mut Builder<'_>| {
            let address = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", self.mbarrier));
            format!(
                "tcgen05.commit.cta_group::{}.mbarrier::arrive::one.shared::cluster.b64 [{address}]",
                self.group()
            )
        };
        let line = line.unwrap_or_else(|| usual(b));
        b.line(format!("@{} {line}", self.leader));
        // Without a multicast, the mbarrier of the even block alone completes. The other block learns of it by the barrier.
        let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", self.mbarrier));
        let wait = |b: &mut Builder<'_>| {
            b.until(|b| {
                b.set(Class::Pred, format!("mbarrier.try_wait.parity.shared::cta.b64 {{}}, [{own}], 0"))
            });
        };
        if self.pair {
            b.block_0(wait)
        } else {
            wait(b)
        }
        self.sync(b);
    }

    /// Deallocates, and ends the case.
    fn finish<'f>(&self, mut b: Builder<'f>) -> Case<'f> {
        self.end(&mut b);
        b.finish("")
    }

    fn end(&self, b: &mut Builder<'_>) {
        self.sync(b);
        let form = b.form;
        let count = b.set(Class::B32, format!("mov.u32 {{}}, {}", self.columns));
        let dealloc = match form.has("dealloc") {
            true => form.with(&[&self.taddr, &count]),
            false => format!(
                "tcgen05.dealloc.cta_group::{}.sync.aligned.b32 {}, {count}",
                self.group(),
                self.taddr
            ),
        };
        b.threads(0..32, |b| {
            b.line(dealloc);
            b.line(format!("tcgen05.relinquish_alloc_permit.cta_group::{}.sync.aligned", self.group()));
        });
    }
}

/// Returns the register of a word of a lane and of a column.
fn word(b: &mut Builder<'_>, at: &str, i: usize, with: Fill) -> String {
    let column = b.set(Class::B32, format!("add.u32 {{}}, {at}, {i}"));
    let product = b.set(Class::B32, format!("mul.lo.u32 {{}}, {column}, 40503"));
    let mixed = b.set(Class::B32, format!("mad.lo.u32 {{}}, %g, 0x9e3779b1, {product}"));
    let number = |b: &mut Builder<'_>| {
        let high = b.set(Class::B32, format!("shr.u32 {{}}, {mixed}, 20"));
        b.set(Class::B32, format!("and.b32 {{}}, {high}, 7"))
    };
    match with {
        Fill::Noise => mixed,
        Fill::Numbers("f16") => {
            let (number, half) = (number(b), b.reg(Class::B16));
            b.line(format!("cvt.rn.f16.u32 {half}, {number}"));
            b.set(Class::B32, format!("cvt.u32.u16 {{}}, {half}"))
        }
        Fill::Numbers("f32") => {
            let number = number(b);
            b.set(Class::B32, format!("cvt.rn.f32.u32 {{}}, {number}"))
        }
        Fill::Numbers(_) => number(b),
        Fill::Word(word) => b.set(Class::B32, format!("mov.b32 {{}}, {word:#x}")),
    }
}

/// The registers of `{…}` in a form, how many.
fn registers(form: &Form) -> usize {
    let list = form.text.split('{').nth(1).and_then(|list| list.split('}').next());
    list.map_or(0, |list| list.split(',').count())
}

fn load(form: &Form) -> Case<'_> {
    // A packed load of 128 registers has 256 or 512 columns.
    let (mut b, memory) = begin(form, 512);
    let with = if form.last() == "f32" { Fill::Numbers("f32") } else { Fill::Noise };
    memory.fill(&mut b, 0, 512, with);
    let count = registers(form);
    let words: Vec<String> = (0..count).map(|_| b.reg(Class::B32)).collect();
    let mut operands = words.clone();
    if form.has("red") {
        operands.push(b.reg(Class::B32));
    }
    operands.push(memory.mine.clone());
    b.line(form.with(&operands));
    b.line("tcgen05.wait::ld.sync.aligned");
    if form.has("red") {
        b.output("redval", Class::B32, &operands[count].clone(), Compare::Equal);
    }
    let bytes = 4 * count;
    let slot = b.memory("r", 4, 16, Some(Compare::Equal), &vec![0xee; bytes * THREADS as usize]);
    let row = b.set(Class::B64, format!("mad.wide.u32 {{}}, %g, {bytes}, %memory"));
    for (i, word) in words.iter().enumerate() {
        b.line(format!("st.global.b32 [{row}+{}], {word}", b.at(slot) + 4 * i));
    }
    memory.finish(b)
}

fn store(form: &Form) -> Case<'_> {
    let (mut b, memory) = begin(form, 512);
    memory.fill(&mut b, 0, 512, Fill::Noise);
    let zero = b.set(Class::B32, "mov.u32 {}, 1000");
    let words: Vec<String> = (0..registers(form)).map(|i| word(&mut b, &zero, i, Fill::Noise)).collect();
    // The second part of `.16x32bx2` is behind the first one.
    b.line(form.with(&[vec![memory.mine.clone()], words].concat()).replace("], 16, {", "], 256, {"));
    b.line("tcgen05.wait::st.sync.aligned");
    memory.store(&mut b);
    memory.finish(b)
}

/// Returns the register of a descriptor of shared memory from an offset on, without swizzling.
fn descriptor(b: &mut Builder<'_>, at: usize, stride: u64) -> String {
    let start = b.set(Class::B32, format!("add.u32 {{}}, %shared, {at}"));
    let start = b.set(Class::B32, format!("shr.u32 {{}}, {start}, 4"));
    let start = b.set(Class::B32, format!("and.b32 {{}}, {start}, 0x3fff"));
    let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {start}"));
    let rest: u64 = 1 << 46 | (stride / 16) << 32 | (128 / 16) << 16;
    b.set(Class::B64, format!("or.b64 {{}}, {wide}, {rest:#x}"))
}

/// Fills shared memory with words, and returns its offset.
fn staged(b: &mut Builder<'_>, bytes: usize, mut word: impl FnMut(usize) -> u32) -> usize {
    let blocks = b.shape.blocks();
    let content: Vec<u8> =
        (0..blocks * bytes / 4).flat_map(|at| word(at * 4 % bytes).to_le_bytes()).collect();
    let slot: Slot = b.memory("shared memory", 4, 16, None, &content);
    let shared = b.shared(bytes, 1024);
    b.stage_in(slot, shared, bytes);
    b.line("fence.proxy.async");
    b.sync();
    shared
}

fn copy(form: &Form) -> Case<'_> {
    let (mut b, memory) = begin(form, 32);
    memory.fill(&mut b, 0, 32, Fill::Noise);
    memory.sync(&mut b);
    let mut rng = fastrand::Rng::with_seed(5);
    let shared = staged(&mut b, 4096, |_| rng.u32(..));
    // A row has 16 or 32 bytes.
    let stride = if form.has("128x256b") || form.has("4x256b") { 256 } else { 128 };
    let from = descriptor(&mut b, shared, stride);
    let line = form.with(&[&memory.taddr, &from]);
    b.line(format!("@{} {line}", memory.leader));
    memory.commit(&mut b, None);
    memory.store(&mut b);
    memory.finish(b)
}

fn commit(form: &Form) -> Case<'_> {
    let (mut b, memory) = begin(form, 32);
    memory.fill(&mut b, 0, 32, Fill::Noise);
    let own = b.set(Class::B32, format!("add.u32 {{}}, %shared, {}", memory.mbarrier));
    let address = match form.has("shared::cluster") {
        true => own,
        false => {
            let wide = b.set(Class::B64, format!("cvt.u64.u32 {{}}, {own}"));
            b.set(Class::B64, format!("cvta.shared.u64 {{}}, {wide}"))
        }
    };
    let mut operands = vec![address];
    if form.has("multicast::cluster") {
        // The even block of a pair.
        operands.push(b.set(Class::B16, "mov.b16 {}, 1"));
    }
    let line = form.with(&operands);
    memory.commit(&mut b, Some(line));
    memory.store(&mut b);
    memory.finish(b)
}

fn lifecycle(form: &Form) -> Case<'_> {
    let (mut b, memory) = begin(form, 32);
    memory.fill(&mut b, 0, 32, Fill::Noise);
    if form.words().any(|word| word.starts_with("wait::") || word.starts_with("fence::")) {
        b.line(&form.text);
    }
    memory.store(&mut b);
    memory.finish(b)
}

fn product(form: &Form) -> Case<'_> {
    let (mut b, memory) = begin(form, 128);
    let kind = form.words().find_map(|word| word.strip_prefix("kind::")).unwrap_or_default();
    let (is_sparse, ws, is_scaled) = (form.has("sp"), form.has("ws"), form.has("block_scale"));
    // The type of A and B, the type of D, the bits of the descriptor, and words of A and of scale factors.
    let (ty, sums, types, of_a): (&str, &'static str, u32, u32) = match kind {
        "f16" => ("f16", "f32", 0x10, 0x3c00_bc00),
        "tf32" => ("tf32", "f32", 0x910, 0x3f80_0000),
        "i8" => ("s8", "s32", 0x4a0, 0x01fe_03fd),
        "mxf4" | "mxf4nvf4" => ("e2m1", "f32", 0x480, 0x2a3b_1425),
        _ => ("e4m3", "f32", 0x10, 0x38b8_3cb0),
    };
    let ue4m3 = kind == "mxf4nvf4" && form.one_of(&["scale_vec::4X", "block16"]).is_some();
    let (m, n) = match (memory.pair, ws) {
        (true, _) => (256, 32),
        (_, true) => (128, 64),
        _ => (128, 32),
    };
    let shape = if is_scaled { m >> 7 << 27 | u32::from(!ue4m3) << 23 } else { m >> 4 << 24 };
    let types = if is_scaled { types & !0x30 } else { types };
    let idesc = types | shape | (n / 8) << 17 | u32::from(is_sparse) << 2;

    memory.fill(&mut b, 0, 64, Fill::Numbers(sums));
    memory.fill(&mut b, 64, 16, Fill::Word(of_a));
    memory.fill(&mut b, 80, 32, Fill::Word(if ue4m3 { 0x3830_3840 } else { 0x7f80_7e7f }));
    let mut rng = fastrand::Rng::with_seed(u64::from(idesc));
    let indices = metadata(&mut rng, ty) as u32;
    memory.fill(&mut b, 112, 16, Fill::Word(indices));
    memory.sync(&mut b);
    // A row of A has 32 bytes, and one of B as many, or twice as many.
    let depth = if is_sparse { 64 } else { 32 };
    let a_bytes = 128 * 32;
    let of_b = n as usize / if memory.pair { 2 } else { 1 } * depth;
    let shared = staged(&mut b, a_bytes + of_b, |_| register(&mut rng, ty, 32, false) as u32);
    let a = descriptor(&mut b, shared, 256);
    let of_b = descriptor(&mut b, shared + a_bytes, 8 * depth as u64);

    let at = |b: &mut Builder<'_>, columns: usize| {
        b.set(Class::B32, format!("add.u32 {{}}, {}, {columns}", memory.taddr))
    };
    let mut operands = vec![memory.taddr.clone()];
    operands.push(if form.classes()[1] == Class::B64 { a } else { at(&mut b, 64) });
    operands.push(of_b);
    if is_sparse {
        operands.push(at(&mut b, 112));
    }
    operands.push(b.set(Class::B32, format!("mov.b32 {{}}, {idesc:#x}")));
    if is_scaled {
        operands.extend([at(&mut b, 80), at(&mut b, 96)]);
    }
    let masks = registers(form);
    operands.extend((0..masks).map(|i| b.set(Class::B32, format!("mov.b32 {{}}, {:#x}", 0x10ff << i))));
    let (slot, enabled) = b.uniform("enable-input-d", Class::B32, 1);
    operands.push(b.set(Class::Pred, format!("setp.ne.u32 {{}}, {enabled}, 0")));
    if operands.len() < form.classes().len() {
        // Of each seven columns of B, four are used and three are zeros.
        operands.push(b.set(Class::B64, format!("mov.b64 {{}}, {:#x}", 1_u64 << 39 | 2 << 40 | 3 << 48)));
    }
    let line = form.with(&operands);
    b.line(format!("@{} {line}", memory.leader));
    memory.commit(&mut b, None);
    memory.store(&mut b);
    memory.end(&mut b);
    b.run_with("D is added", &[(slot, 1)]);
    b.run_with("D is ignored", &[(slot, 0)]);
    b.finish("")
}
