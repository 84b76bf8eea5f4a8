//! `tcgen05` of one thread (PTX ISA 9.7.16): products into tensor memory, copies to it, fences, and commits. An operation is computed
//! when it is issued. It reads shared memory at a time of its own, as an asynchronous operation does, and has then ended.

use std::ops::Range;

use crate::address::Place;
use crate::execution::agent::{Done, Piece};
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::tensor_memory::{Class, Operation, ROWS, Touched};
use crate::execution::thread::value;
use crate::execution::warpgroup::{Descriptor, Lines};
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::float::Format;
use crate::numbers::matrix::{Element, Sparsity, Term, sum};
use crate::numbers::narrow::Narrow;
use crate::order::clock::Proxy;
use crate::report::Fault;

/// What an instruction descriptor says (9.7.16.4.2).
#[derive(Debug, Clone, Copy)]
struct Shape {
    m: usize,
    n: usize,
    /// The elements of a row of A that are stored: K, or half of it of a sparse A.
    stored: usize,
    is_sparse: bool,
    a: Element,
    b: Element,
    d: Element,
    satfinite: bool,
    negated: [bool; 2],
    mn_major: [bool; 2],
    /// Whether A and B have elements of 4 bits without padding.
    is_packed: bool,
    /// The scale factors of a row or a column, the first byte of those of A and of B in a word, and whether they are `.ue8m0`.
    factors: usize,
    first_factors: [usize; 2],
    powers: bool,
    /// The metadata of A of 16 or 32 bits is in one of two columns.
    selector: usize,
    /// The most columns that a `zero-column-mask-desc` may shift B by.
    most_shift: u64,
}

impl Shape {
    /// Reads an instruction descriptor. An error says what is wrong with it.
    fn of(bits: u32, what: &TensorMultiply) -> Result<Self, String> {
        let field = |at: u32, len: u32| (bits >> at & ((1 << len) - 1)) as usize;
        let has = |at: u32| bits >> at & 1 == 1;
        let small = |code: usize| match code {
            0 => Some(Element::Float(Format::E4m3)),
            1 => Some(Element::Float(Format::E5m2)),
            3 => Some(Element::Narrow(Narrow::E2m3)),
            4 => Some(Element::Narrow(Narrow::E3m2)),
            5 => Some(Element::Narrow(Narrow::E2m1)),
            _ => None,
        };
        let element = |code: usize| match (what.kind, code) {
            (Kind::F16, 0) => Some(Element::Float(Format::F16)),
            (Kind::F16, 1) => Some(Element::Float(Format::Bf16)),
            (Kind::Tf32, 2) => Some(Element::Tf32),
            (Kind::F8f6f4 | Kind::Mxf8f6f4, code) => small(code),
            (Kind::I8, 0 | 1) => Some(Element::Integer { bits: 8, signed: code == 1 }),
            (Kind::Mxf4 | Kind::Mxf4nvf4, 1) => Some(Element::Narrow(Narrow::E2m1)),
            _ => None,
        };
        let types = |which: &str, code: usize| {
            element(code).ok_or_else(|| format!("type {code} of {which}, which the kind does not have"))
        };
        let (a, b) =
            (types("A", field(7, 3))?, types("B", field(10, if what.kind == Kind::Mxf4 { 2 } else { 3 }))?);
        let scaled = what.kind.has_scales();
        let d = match (what.kind, field(4, 2)) {
            _ if scaled => Element::Float(Format::F32),
            (Kind::I8, 2) => Element::Integer { bits: 32, signed: true },
            (Kind::F16 | Kind::F8f6f4, 0) => Element::Float(Format::F16),
            (Kind::F16 | Kind::Tf32 | Kind::F8f6f4, 1) => Element::Float(Format::F32),
            (_, code) => return Err(format!("type {code} of D, which the kind does not have")),
        };
        if d == Element::Float(Format::F16) && a == Element::Float(Format::Bf16) {
            return Err("`.bf16` with a D of `.f16`".into());
        }
        if what.kind == Kind::F16 && a != b {
            return Err("two types of A and B, of which `.kind::f16` has one".into());
        }
        let is_sparse = what.metadata.is_some();
        if has(2) != is_sparse {
            let text = "a dense A in a `.sp`, or a sparse one in another instruction";
            return Err(text.into());
        }
        let selector = if is_sparse && !scaled { field(0, 2) } else { 0 };
        let selectors = if a.bits() >= 16 { 2 } else { 1 };
        if selector >= selectors {
            return Err(match selectors {
                1 => format!("sparsity selector {selector}: it is 0 for the kind (9.7.16.10.8.4)"),
                _ => format!("sparsity selector {selector}: the interpreter models 0 and 1"),
            });
        }
        let is_fp4 = what.kind == Kind::Mxf4 || what.kind == Kind::Mxf4nvf4;
        let mut shape = Self {
            m: if scaled { field(27, 2) << 7 } else { field(24, 5) << 4 },
            n: field(17, 6) << 3,
            stored: match is_fp4 {
                true if has(31) => 96,
                true => 64,
                false => 256 / a.bits().max(8) as usize,
            },
            is_sparse,
            a,
            b,
            d,
            satfinite: what.kind == Kind::I8 && has(3),
            negated: [has(13), has(14)],
            mn_major: [has(15), has(16)],
            is_packed: is_fp4,
            factors: what.factors,
            first_factors: [0; 2],
            powers: has(23),
            selector,
            most_shift: [0, 8, 16, 32][field(30, 2)],
        };
        if scaled {
            shape.first_factors = [field(29, 2), field(4, 2)];
            // K = 96 has half as many again.
            let mut step = what.factors;
            if shape.stored == 96 {
                shape.factors += what.factors / 2;
                step = what.factors / 2;
                if is_sparse {
                    return Err("K = 96 with a sparse A".into());
                }
            }
            let is_ue4m3 = !shape.powers;
            if is_ue4m3 && (what.kind != Kind::Mxf4nvf4 || what.factors == 2) {
                return Err(
                    "scale factors of `.ue4m3`, which the kind or the `.scale_vectorsize` does not have"
                        .into(),
                );
            }
            if shape.first_factors.iter().any(|first| first % step != 0) {
                let (count, first) = (shape.factors, shape.first_factors);
                return Err(format!("{count} scale factors from byte {first:?} of a word on"));
            }
        } else if !what.weight_stationary && field(30, 2) != 0 {
            return Err("a shift of B, which `.ws` alone has".into());
        }
        if what.kind == Kind::I8 && shape.negated != [false; 2] {
            return Err("a negated matrix of integers".into());
        }
        if is_fp4 && shape.mn_major != [false; 2] {
            return Err("a transposed matrix of 4-bit elements".into());
        }
        if (0..2).any(|i| shape.mn_major[i] && [a, b][i].bits() < 8) {
            return Err("a transposed matrix of elements of less than 8 bits (9.7.16.10.3)".into());
        }
        match shape.is_legal(what) {
            true => Ok(shape),
            false => Err(format!(
                "a shape of M = {} and N = {}, which the kind does not have (9.7.16.2.1)",
                shape.m, shape.n
            )),
        }
    }

    /// Returns whether the ISA has M and N (9.7.16.2.1, 9.7.16.10.1).
    fn is_legal(&self, what: &TensorMultiply) -> bool {
        let (m, n) = (self.m, self.n);
        let to_256 = |step: usize| n >= step && n <= 256 && n % step == 0;
        if what.weight_stationary {
            return [32, 64, 128].contains(&m)
                && [64, 128, 256].contains(&n)
                && !(self.is_sparse && n == 256);
        }
        let rows: &[usize] = match (what.kind.has_scales(), what.pair) {
            (false, false) => &[64, 128],
            (true, false) => &[128],
            (true, true) if self.is_sparse || self.stored == 96 => &[256],
            (_, true) => &[128, 256],
        };
        let columns = match (what.kind, what.pair) {
            (Kind::I8, false) => to_256(16) || [8, 24].contains(&n),
            (Kind::I8, true) => to_256(32),
            (_, false) => to_256(8),
            (_, true) => to_256(16),
        };
        let transposes_bytes = self.mn_major[1] && self.b.bits() == 8;
        rows.contains(&m) && columns && (!transposes_bytes || to_256(if what.pair { 32 } else { 16 }))
    }

    fn k(&self) -> usize {
        if self.is_sparse { 2 * self.stored } else { self.stored }
    }

    /// Returns the rows of a block of the pair, or of the one block.
    fn rows(&self, pair: bool) -> usize {
        if pair { self.m / 2 } else { self.m }
    }

    /// Returns the columns of a lane. The lanes are in parts, each of which has all rows of the block and its own columns of D.
    fn columns(&self, what: &TensorMultiply) -> usize {
        match (self.rows(what.pair), what.pair || what.weight_stationary) {
            (64, true) => self.n / 2,
            (32, _) => self.n / 4,
            _ => self.n,
        }
    }

    /// Returns the lane, from that of the address of D on, of an element of D: of a row of the block (9.7.16.10.5). The column there is
    /// the element's own, modulo [`Self::columns`].
    fn lane(&self, what: &TensorMultiply, row: usize, column: usize) -> usize {
        let (rows, per) = (self.rows(what.pair), self.columns(what));
        match (rows, self.n / per) {
            // 16 rows in each 32 lanes.
            (64, 1) => 32 * (row / 16) + row % 16,
            _ => row + rows * (column / per),
        }
    }
}

impl Machine<'_> {
    pub fn tcgen05(&mut self, cta: usize, thread: usize, op: &Tcgen05) -> Outcome {
        match op {
            Tcgen05::Fence { before } => self.tensor_fence(cta, thread, *before),
            Tcgen05::Commit { pair, mbarrier, mask } => self.commit(cta, thread, *pair, *mbarrier, *mask)?,
            Tcgen05::Copy { pair, shape, source, to, from } => {
                self.copy_to_tensor(cta, thread, *pair, (*shape, *source), *to, *from)?
            }
            Tcgen05::Multiply(what) => self.multiply_tensor(cta, thread, what)?,
        }
        Ok(Flow::Next)
    }

    fn commit(
        &mut self,
        cta: usize,
        thread: usize,
        pair: bool,
        mbarrier: Address,
        mask: Option<Multicast>,
    ) -> Result<(), Fault> {
        self.check_group(cta, thread, pair);
        let place = self.resolve(cta, thread, mbarrier, 8, 8)?;
        let Place::Shared(slot, offset) = place else {
            return Err(self.fault(cta, thread, "an mbarrier that is not in shared memory"));
        };
        let slots = match mask {
            Some(mask) => self.multicast_slots(cta, thread, slot, mask),
            None => vec![slot],
        };
        for slot in &slots {
            self.check_started(cta, thread, *slot);
            self.known_mbarrier(cta, thread, *slot, offset as u32)?;
        }
        let tells = self.commit_tensor(cta, thread);
        let to = slots.into_iter().map(|slot| (slot, offset as u32)).collect();
        let agent = self.new_agent(cta, thread, Done::Commit { to, cta, thread, tells });
        self.start(agent);
        Ok(())
    }

    /// Starts the part of an operation that reads shared memory.
    fn start_tensor(&mut self, cta: usize, thread: usize, reads: Vec<Piece>) {
        let state = self.tensor_thread(cta, thread);
        let done = Done::Tensor { cta, thread, id: state.groups, group: state.group + 1 };
        let mut agent = self.new_agent(cta, thread, done);
        agent.proxies = (Proxy::AsyncShared, Proxy::AsyncShared);
        agent.buffer = vec![0; reads.iter().map(|piece| piece.len).sum()];
        agent.reads = reads;
        self.start(agent);
    }

    /// Returns the blocks whose tensor memory an instruction works on: the even one of a pair comes first.
    fn blocks(&mut self, cta: usize, thread: usize, pair: bool) -> Result<Vec<usize>, Fault> {
        self.check_group(cta, thread, pair);
        if !pair {
            return Ok(vec![cta]);
        }
        let peer = self.peer(cta, thread)?;
        self.check_started(cta, thread, peer);
        if self.ctas[peer].live == 0 {
            self.wrong(
                Rule::PeerExited,
                cta,
                thread,
                "`.cta_group::2`, and the peer CTA has ended (9.7.16.5)",
            );
        }
        Ok(vec![cta.min(peer), cta.max(peer)])
    }

    /// Reads the descriptor of A or B. Elements of 32 bits along M or N are in patterns of 32 bytes, and no others (9.7.16.10.1).
    fn matrix_descriptor(
        &mut self,
        cta: usize,
        thread: usize,
        src: Src,
        (which, shape): (usize, &Shape),
    ) -> Result<Descriptor, Fault> {
        let name = ["A", "B"][which];
        let descriptor = self.tensor_descriptor(cta, thread, src, (name, shape.stored == 96))?;
        let is_wide = [shape.a, shape.b][which].bits() == 32 && shape.mn_major[which];
        if descriptor.is_of_32_bytes() != is_wide {
            let order = if shape.mn_major[which] { "transposed" } else { "not transposed" };
            let what = format!(
                "the descriptor of {name}, which is {order}: 128-byte swizzling of 32 bytes is that of transposed matrices of \
                 `.kind::tf32`, which have no other (9.7.16.10.1)"
            );
            return Err(self.fault(cta, thread, what));
        }
        Ok(descriptor)
    }

    /// Reads a matrix descriptor of shared memory. Rows of 48 bytes may have their end elsewhere.
    fn tensor_descriptor(
        &mut self,
        cta: usize,
        thread: usize,
        src: Src,
        (which, has_48_bytes): (&str, bool),
    ) -> Result<Descriptor, Fault> {
        let bits = value(&self.constants, &self.ctas[cta].threads[thread], src);
        let problem = match (bits >> 61, bits >> 46 & 7, bits >> 52 & 1, bits >> 53 & 0xff) {
            (3 | 5 | 7, ..) => format!("swizzling mode {}", bits >> 61),
            (_, version, ..) if version != 1 => format!("{version} in bits 46 to 48, which are 0b001"),
            (.., fixed) if fixed != 0 => format!("{fixed:#x} in bits 53 to 60, which are 0"),
            (.., 1, _) if !has_48_bytes => {
                "an absolute leading dimension, which rows of 48 bytes alone have (9.7.16.3.1.2)".into()
            }
            (swizzling, _, 1, _) if swizzling != 2 || bits >> 49 & 7 != 0 || bits >> 16 & 7 != 0 => {
                "an absolute leading dimension without 128-byte swizzling of 16 bytes, with a base offset, or that is no multiple of \
                 128 (9.7.16.3.1.2)"
                    .into()
            }
            _ => return Ok(Descriptor::of_tensor(bits)),
        };
        let what = format!("the descriptor {bits:#018x} of {which} has {problem} (9.7.16.4.1)");
        Err(self.fault(cta, thread, what))
    }

    fn copy_to_tensor(
        &mut self,
        cta: usize,
        thread: usize,
        pair: bool,
        (shape, source): (CopyShape, Source),
        to: Address,
        from: Src,
    ) -> Result<(), Fault> {
        let blocks = self.blocks(cta, thread, pair)?;
        let descriptor = self.tensor_descriptor(cta, thread, from, ("the source", false))?;
        let (first, column) = self.taddr(cta, thread, to);
        // The rows of the source, the parts of 16 bytes of each, and the lanes of a row.
        type Lanes = fn(usize) -> Vec<usize>;
        let (rows, chunks, lanes): (usize, usize, Lanes) = match shape {
            CopyShape::Lanes128 { chunks } => (128, chunks as usize, |row| vec![row]),
            CopyShape::Lanes64 { beside: false } => (64, 1, |row| vec![row, row + 64]),
            CopyShape::Lanes64 { beside: true } => {
                (64, 1, |row| vec![row / 32 * 64 + row % 32, row / 32 * 64 + row % 32 + 32])
            }
            CopyShape::Lanes32 => (32, 1, |row| (0..4).map(|part| 32 * part + row).collect()),
            CopyShape::Lanes4 => (4, 2, |row| vec![32 * row]),
        };
        let last = if shape == CopyShape::Lanes4 { 31 } else { 0 };
        if first > last {
            let what = format!(
                "a copy to tensor memory from lane {first} on: the interpreter models lanes to {last}"
            );
            return Err(self.fault(cta, thread, what));
        }
        // Each 16 bytes of the source become four words.
        let (of_chunk, bits, shift) = match source {
            Source::Bits6 => (16, 6, 0),
            Source::Bits4 => (16, 4, 2),
            _ => (4, 32, 0),
        };
        let operation = self.new_operation(cta, thread, Class::Copy, pair);
        let mut pieces = Vec::new();
        for slot in blocks {
            self.check_columns((cta, thread), slot, 0..128, column..column + 4 * chunks, "a copy")?;
            let lines = Lines { slot, start: 0, count: rows, mn_major: false };
            let line = (of_chunk * chunks, bits, of_chunk);
            let elements = self.in_memory((cta, thread), descriptor, lines, line, &mut pieces)?;
            let mut places = (0..rows).flat_map(|row| {
                let columns = (0..4 * chunks).map(|word| column + word);
                columns.flat_map(move |column| lanes(row).into_iter().map(move |lane| (first + lane, column)))
            });
            self.use_tensor(cta, thread, &operation, Touched { slot, places: &mut places, writes: true });
            let memory = self.tensor_memory(slot);
            for (i, elements) in elements.chunks(of_chunk / 4).enumerate() {
                let bytes = elements.iter().rev().fold(0, |all, element| all << 8 | element << shift);
                for lane in lanes(i / (4 * chunks)) {
                    memory.set(first + lane, column + i % (4 * chunks), bytes as u32);
                }
            }
        }
        self.progress += 1;
        self.start_tensor(cta, thread, pieces);
        Ok(())
    }

    fn multiply_tensor(&mut self, cta: usize, thread: usize, what: &TensorMultiply) -> Result<(), Fault> {
        let v = |machine: &Self, src: Src| value(&machine.constants, &machine.ctas[cta].threads[thread], src);
        let blocks = self.blocks(cta, thread, what.pair)?;
        let bits = v(self, what.idesc) as u32;
        let shape = match Shape::of(bits, what) {
            Ok(shape) => shape,
            Err(problem) => {
                let what = format!("the instruction descriptor {bits:#010x} has {problem} (9.7.16.4.2)");
                return Err(self.fault(cta, thread, what));
            }
        };
        let (row, column) = self.taddr(cta, thread, what.d);
        let rows = shape.rows(what.pair);
        let is_half = rows == 64 && !what.pair && !what.weight_stationary;
        if !(row == 0 || is_half && row == 16) {
            let what = format!(
                "a D of M = {} from lane {row} of tensor memory on: it begins at lane 0{} (9.7.16.10.5)",
                shape.m,
                if is_half { " or 16" } else { "" }
            );
            return Err(self.fault(cta, thread, what));
        }
        let enabled = v(self, what.enable) & 1 == 1;
        let masked: Vec<u32> = what.lanes.iter().map(|src| v(self, *src) as u32).collect();
        let class = Class::Multiply((row << 16 | column) as u32, [shape.m, shape.n, shape.k()], what.kind);
        let operation = self.new_operation(cta, thread, class, what.pair);
        let width = shape.columns(what);
        let mut pieces = Vec::new();
        let b = self.matrix_b(cta, thread, what, &shape, &blocks, &mut pieces)?;
        for (block, slot) in blocks.iter().copied().enumerate() {
            let lanes =
                |i: usize| masked.get(4 * block + i / 32).is_some_and(|word| word >> (i % 32) & 1 == 1);
            // The elements of D that the block has: the lane, the row and the columns.
            let parts: Vec<(usize, usize, Range<usize>)> = (0..rows)
                .flat_map(|r| {
                    let per = width;
                    (0..shape.n / per).map(move |part| (r, part * per..(part + 1) * per))
                })
                .map(|(r, columns)| (row + shape.lane(what, r, columns.start), r, columns))
                .filter(|(lane, ..)| !lanes(*lane))
                .collect();
            self.check_columns((cta, thread), slot, 0..128, column..column + width, "a product")?;
            let a = self.matrix_a(cta, thread, what, (&shape, &operation), (slot, row), &mut pieces)?;
            let scales = match what.scales {
                Some(scales) => {
                    Some(self.scale_factors(cta, thread, what, (&shape, &operation), slot, scales)?)
                }
                None => None,
            };
            let metadata = match what.metadata {
                Some(address) => {
                    Some(self.metadata_of(cta, thread, what, (&shape, &operation), slot, address)?)
                }
                None => None,
            };
            let places = || {
                parts.iter().flat_map(|(lane, _, columns)| (0..columns.len()).map(|i| (*lane, column + i)))
            };
            if enabled {
                let touched = Touched { slot, places: &mut places(), writes: false };
                if let Some((lane, column)) = self.use_tensor(cta, thread, &operation, touched) {
                    let what = format!(
                        "adds to lane {lane} of column {column} of tensor memory, which nothing has written since its allocation"
                    );
                    self.wrong(Rule::Uninitialized, cta, thread, what);
                }
            }
            self.use_tensor(cta, thread, &operation, Touched { slot, places: &mut places(), writes: true });
            let depth = shape.k();
            let scale_d = (-f64::from(what.scale_d)).exp2();
            let memory = self.tensor_memory(slot);
            for (lane, r, columns) in &parts {
                let stored = a.of_lane(*lane, *r, shape.stored);
                let expanded = metadata.as_ref().map(|metadata| metadata.expanded(&shape, *lane, *r, stored));
                let left = expanded.as_deref().unwrap_or(stored);
                for (i, n) in columns.clone().enumerate() {
                    let start = match enabled {
                        true => shape.d.value(memory.word(*lane, column + i).into()) * scale_d,
                        false => 0.0,
                    };
                    let right = &b[n * depth..(n + 1) * depth];
                    let result = match &scales {
                        None => {
                            sum(start, left.iter().copied().zip(right.iter().copied()), Term::Product, None)
                        }
                        Some(scales) => {
                            let of = depth / shape.factors;
                            let scaled = |at: usize| {
                                let [a, b] = scales.of(*lane, *r, i, at / of);
                                (left[at] * a, right[at] * b)
                            };
                            sum(start, (0..depth).map(scaled), Term::Product, None)
                        }
                    };
                    memory.set(*lane, column + i, shape.d.of_sum(result, shape.satfinite) as u32);
                }
            }
        }
        self.progress += 1;
        self.start_tensor(cta, thread, pieces);
        Ok(())
    }

    /// Returns B by columns. Of a pair, each block has half of the columns.
    fn matrix_b(
        &mut self,
        cta: usize,
        thread: usize,
        what: &TensorMultiply,
        shape: &Shape,
        blocks: &[usize],
        pieces: &mut Vec<Piece>,
    ) -> Result<Vec<f64>, Fault> {
        let descriptor = self.matrix_descriptor(cta, thread, what.b, (1, shape))?;
        let zeros = match what.zero_columns {
            Some(src) => {
                let bits = value(&self.constants, &self.ctas[cta].threads[thread], src);
                let zeros = ZeroColumns::of(bits, shape);
                Some(zeros.map_err(|problem| {
                    let what =
                        format!("the zero-column mask descriptor {bits:#018x} has {problem} (9.7.16.4.3)");
                    self.fault(cta, thread, what)
                })?)
            }
            None => None,
        };
        let line = shape.line(shape.k(), shape.b);
        let shift = zeros.as_ref().map_or(0, |zeros| zeros.shift);
        // Along N, 16 bytes are read together.
        let before = if shape.mn_major[1] { shift % line.2 } else { 0 };
        let count = shape.n / blocks.len();
        let mut all = Vec::new();
        for slot in blocks {
            let (start, count) = (shift - before, before + count);
            let lines = Lines { slot: *slot, start, count, mn_major: shape.mn_major[1] };
            let bits = self.in_memory((cta, thread), descriptor, lines, line, pieces)?;
            let bits = bits.into_iter().skip(before * shape.k());
            all.extend(bits.map(|bits| shape.value(1, shape.b, bits)));
        }
        if let Some(zeros) = zeros {
            for column in (0..shape.n).filter(|column| zeros.has(*column)) {
                all[column * shape.k()..(column + 1) * shape.k()].fill(0.0);
            }
        }
        Ok(all)
    }

    /// Returns the part of A that a block has.
    fn matrix_a(
        &mut self,
        cta: usize,
        thread: usize,
        what: &TensorMultiply,
        (shape, operation): (&Shape, &Operation),
        (slot, first): (usize, usize),
        pieces: &mut Vec<Piece>,
    ) -> Result<MatrixOfBlock, Fault> {
        let rows = shape.rows(what.pair);
        match what.a {
            MatrixA::Shared(src) => {
                let descriptor = self.matrix_descriptor(cta, thread, src, (0, shape))?;
                let lines = Lines { slot, start: 0, count: rows, mn_major: shape.mn_major[0] };
                let bits = self.in_memory(
                    (cta, thread),
                    descriptor,
                    lines,
                    shape.line(shape.stored, shape.a),
                    pieces,
                )?;
                let values = bits.into_iter().map(|bits| shape.value(0, shape.a, bits)).collect();
                Ok(MatrixOfBlock { values, by_lane: false })
            }
            MatrixA::Tensor(address) => {
                let (row, column) = self.taddr(cta, thread, address);
                // An element of 4 or 6 bits has a byte of its own, but where all have 4 bits (9.7.16.10.4.3).
                let bits = if shape.is_packed { 4 } else { shape.a.bits().max(8) as usize };
                let problem = match () {
                    () if shape.mn_major[0] => "a transposed A in tensor memory",
                    () if row != first => "an A from another lane on than D (9.7.16.10.5)",
                    () => "",
                };
                if !problem.is_empty() {
                    return Err(self.fault(
                        cta,
                        thread,
                        format!("{problem}: the interpreter does not model it"),
                    ));
                }
                let width = shape.stored * bits / 32;
                self.check_columns((cta, thread), slot, 0..128, column..column + width, "an A")?;
                // A lane of D has its row of A in the same lane.
                let parts = (0..shape.n).step_by(shape.columns(what));
                let of_row = |r: usize| parts.clone().map(move |n| first + shape.lane(what, r, n));
                let mut lanes: Vec<usize> = (0..rows).flat_map(of_row).collect();
                lanes.sort_unstable();
                lanes.dedup();
                let place = (slot, lanes.iter().copied(), column..column + width);
                let words = self.read_tensor((cta, thread), operation, place, "A", "");
                let per = 32 / bits;
                let mut values = vec![0.0; 128 * shape.stored];
                for (lane, words) in lanes.into_iter().zip(words.chunks(width)) {
                    for k in 0..shape.stored {
                        let word = u64::from(words[k / per]);
                        let element = word >> (k % per * bits);
                        let value = match shape.a.bits() < 8 && !shape.is_packed {
                            true => shape.a.value_in_byte(element),
                            false => shape.a.value(element),
                        };
                        values[lane * shape.stored + k] = shape.signed(0, value);
                    }
                }
                Ok(MatrixOfBlock { values, by_lane: true })
            }
        }
    }

    /// Reads words of the tensor memory of a block, lane by lane, and reports one that nothing has written.
    fn read_tensor(
        &mut self,
        (cta, thread): (usize, usize),
        operation: &Operation,
        (slot, lanes, columns): (usize, impl Iterator<Item = usize> + Clone, Range<usize>),
        name: &str,
        section: &str,
    ) -> Vec<u32> {
        let places = lanes.flat_map(|lane| columns.clone().map(move |column| (lane, column)));
        let touched = Touched { slot, places: &mut places.clone(), writes: false };
        if let Some((lane, column)) = self.use_tensor(cta, thread, operation, touched) {
            let what = format!(
                "reads {name} in lane {lane} of column {column} of tensor memory, which nothing has written{section}"
            );
            self.wrong(Rule::Uninitialized, cta, thread, what);
        }
        let memory = self.tensor_memory(slot);
        places.map(|(lane, column)| memory.word(lane, column)).collect()
    }

    /// Reads the metadata of a sparse A.
    fn metadata_of(
        &mut self,
        cta: usize,
        thread: usize,
        what: &TensorMultiply,
        (shape, operation): (&Shape, &Operation),
        slot: usize,
        address: Address,
    ) -> Result<Metadata, Fault> {
        let rows = shape.rows(what.pair);
        let (row, column) = self.taddr(cta, thread, address);
        if row != 0 || rows == 64 && !what.weight_stationary {
            let what = "a sparse A of 64 rows, or metadata from another lane on than 0: the interpreter does not model it";
            return Err(self.fault(cta, thread, what));
        }
        let count = if shape.a.bits() >= 16 { 1 } else { 2 };
        if count == 1 && column % 2 != 0 {
            let what = format!("metadata of A from column {column} on: the interpreter models even columns");
            return Err(self.fault(cta, thread, what));
        }
        let column = column + shape.selector;
        self.check_columns((cta, thread), slot, 0..128, column..column + count, "metadata")?;
        let place = (slot, 0..128, column..column + count);
        let words = self.read_tensor((cta, thread), operation, place, "metadata", "");
        let sparsity = if shape.is_packed { Sparsity::Pairs } else { Sparsity::of(wide(shape.a)) };
        let metadata = Metadata { words, count, rows, sparsity };
        let groups = shape.k() / sparsity.group();
        let is_wrong = |row: usize| (0..groups).any(|group| metadata.places(row, row, group).is_none());
        if let Some(row) = (0..rows).find(|row| is_wrong(*row)) {
            let what = format!("metadata of row {row} of A that the PTX ISA does not allow (9.7.16.10.8)");
            self.wrong(Rule::Operand, cta, thread, what);
        }
        Ok(metadata)
    }

    /// Reads the scale factors of A and of B.
    fn scale_factors(
        &mut self,
        cta: usize,
        thread: usize,
        what: &TensorMultiply,
        (shape, operation): (&Shape, &Operation),
        slot: usize,
        addresses: [Address; 2],
    ) -> Result<Factors, Fault> {
        let lines = [shape.rows(what.pair), shape.columns(what)];
        let scale = Element::Narrow(if shape.powers { Narrow::Ue8m0 } else { Narrow::Ue4m3 });
        let mut all = [const { Vec::new() }; 2];
        for i in 0..2 {
            let (row, column) = self.taddr(cta, thread, addresses[i]);
            // The upper two bits are the first byte, which the instruction descriptor has too.
            let row = row & 0x3fff;
            if row != 0 {
                let what = format!(
                    "scale factors from lane {row} of tensor memory on: the interpreter models lane 0"
                );
                return Err(self.fault(cta, thread, what));
            }
            // Each 128 rows or columns have four columns of words. Behind those of all are the next words, if there are any.
            let per = 4 * lines[i].div_ceil(128);
            for word in 0..(shape.first_factors[i] + shape.factors).div_ceil(4) {
                let columns = column + word * per..column + word * per + lines[i].div_ceil(32);
                self.check_columns((cta, thread), slot, 0..128, columns.clone(), "scale factors")?;
                let place = (slot, 0..128, columns);
                let words =
                    self.read_tensor((cta, thread), operation, place, "scale factors", " (9.7.16.10.7)");
                let bytes = words.into_iter().flat_map(u32::to_le_bytes);
                all[i].extend(bytes.map(|byte| scale.value(byte.into())));
            }
        }
        Ok(Factors { all, counts: lines.map(|lines| lines.div_ceil(32)), first: shape.first_factors })
    }
}

impl Shape {
    /// Returns the elements of a line along K, the bits between two of them, and their bits. In shared memory, 16 elements of 4 or 6
    /// bits have 16 bytes, with padding, except where all are of 4 bits (9.7.16.10.4).
    fn line(&self, depth: usize, element: Element) -> (usize, usize, usize) {
        let bits = element.bits() as usize;
        let of_chunk = if bits < 8 && !self.is_packed { 16 } else { 128 / bits };
        (depth, bits, of_chunk)
    }

    fn value(&self, which: usize, element: Element, bits: u64) -> f64 {
        self.signed(which, element.value(bits))
    }

    /// Returns a value of A or B, negated if the instruction descriptor says so.
    fn signed(&self, which: usize, value: f64) -> f64 {
        if self.negated[which] { -value } else { value }
    }
}

/// What a zero-column mask descriptor says (9.7.16.4.3): which columns of B are zeros, and from which column on B begins.
///
/// The table of the section and its examples take the two spans for each other. As the names say, and the examples show, the columns
/// of a skip span are zeros, and those of a use span are B's.
struct ZeroColumns {
    bits: u64,
    /// The columns of B, and those of a part of the mask, which has a start of its own.
    per: usize,
    shift: usize,
}

impl ZeroColumns {
    /// Reads a descriptor. An error says what is wrong with it.
    fn of(bits: u64, shape: &Shape) -> Result<Self, String> {
        let shift = bits >> 56 & 63;
        let most = if shape.m == 32 { 16 } else { 32 };
        if bits >> 62 != 0 || bits >> 36 & 7 != 0 {
            return Err("bits that are reserved".into());
        }
        if shift > most || shift > shape.most_shift {
            return Err(format!(
                "a shift of {shift} columns, of which M = {} has {most} and the instruction descriptor {}",
                shape.m, shape.most_shift
            ));
        }
        let zeros = Self { bits, per: shape.n * shape.m / 128, shift: shift as usize };
        let parts = 0..128 / shape.m;
        match parts.into_iter().find(|part| zeros.is_some() && zeros.start(*part) >= zeros.first(*part)) {
            Some(part) => Err(format!(
                "start count {part} of {} for a first span of {} columns: the interpreter models starts within it",
                zeros.start(part),
                zeros.first(part)
            )),
            None => Ok(zeros),
        }
    }

    /// Returns whether a mask is to be generated.
    fn is_some(&self) -> bool {
        self.bits >> 39 & 1 == 1
    }

    fn field(&self, at: u32) -> usize {
        (self.bits >> at & 0xff) as usize
    }

    /// Returns the columns of a span of zeros, or of a span of B.
    fn span(&self, zeros: bool) -> usize {
        self.field(if zeros { 40 } else { 48 }) + 1
    }

    fn begins_with_zeros(&self, part: usize) -> bool {
        self.bits >> (32 + part) & 1 == 1
    }

    /// Returns the columns of the first span of a part, and how many of them are left out.
    fn first(&self, part: usize) -> usize {
        self.span(self.begins_with_zeros(part))
    }

    fn start(&self, part: usize) -> usize {
        self.field(8 * part as u32)
    }

    fn has(&self, column: usize) -> bool {
        let part = column / self.per;
        let at = (column % self.per + self.start(part)) % (self.span(true) + self.span(false));
        self.is_some() && (at < self.first(part)) == self.begins_with_zeros(part)
    }
}

/// The values of A of a block, by rows or by lanes.
struct MatrixOfBlock {
    values: Vec<f64>,
    by_lane: bool,
}

impl MatrixOfBlock {
    fn of_lane(&self, lane: usize, row: usize, depth: usize) -> &[f64] {
        let at = if self.by_lane { lane } else { row };
        &self.values[at * depth..(at + 1) * depth]
    }
}

/// Returns the type whose metadata an element of 4 or 6 bits in a byte has.
fn wide(element: Element) -> Element {
    if element.bits() < 8 { Element::Float(Format::E4m3) } else { element }
}

/// The metadata of a sparse A, by lane.
struct Metadata {
    words: Vec<u32>,
    count: usize,
    rows: usize,
    sparsity: Sparsity,
}

impl Metadata {
    /// Returns where the elements of a group of a row belong, for D in a lane. `None`: the metadata is not allowed.
    fn places(&self, lane: usize, row: usize, group: usize) -> Option<Vec<usize>> {
        // Each part of the lanes has all rows.
        let part = lane / self.rows * self.rows;
        let (lane, bit) = match self.count {
            // A lane has four groups of a row, and of the row 8 below. The next four are 8 lanes on.
            1 => (row / 16 * 16 + 8 * (group / 4) + row % 8, 16 * (row / 8 % 2) + 4 * (group % 4)),
            _ => (row, 4 * group),
        };
        let bits = self.words[(part + lane) * self.count + bit / 32] >> (bit % 32);
        // One pair of indices that decrease is among those that are allowed.
        self.sparsity.places(bits, bits & 15 != 0b0110)
    }

    /// Returns a row with zeros between its elements.
    fn expanded(&self, shape: &Shape, lane: usize, row: usize, stored: &[f64]) -> Vec<f64> {
        let group = self.sparsity.group();
        let mut all = vec![0.0; shape.k()];
        for (i, values) in stored.chunks(group / 2).enumerate() {
            // Hardware does something with any metadata. The interpreter leaves the elements out.
            for (place, value) in self.places(lane, row, i).unwrap_or_default().into_iter().zip(values) {
                all[i * group + place] = *value;
            }
        }
        all
    }
}

/// The scale factors of A and of B, by word of a row, lane, column and byte.
struct Factors {
    all: [Vec<f64>; 2],
    counts: [usize; 2],
    first: [usize; 2],
}

impl Factors {
    /// Returns the factors of a row and of a column of the lane's part of D. Each 32 lanes have those of 32 rows or columns in a word.
    fn of(&self, lane: usize, row: usize, column: usize, block: usize) -> [f64; 2] {
        let part = lane / 32 * 32;
        std::array::from_fn(|i| {
            let (index, byte) = ([row, column][i], self.first[i] + block);
            let word = (byte / 4 * ROWS + part + index % 32) * self.counts[i] + index / 32;
            self.all[i][word * 4 + byte % 4]
        })
    }
}
