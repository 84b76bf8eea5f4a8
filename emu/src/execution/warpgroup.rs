//! `wgmma`: products of a warpgroup (PTX ISA 9.7.15). An instruction is an asynchronous operation of each of the four warps, which
//! reads shared memory at a time of its own, and which has ended when all four have. Its sums are computed when a warp issues it: in a correct program, what it reads is there by
//! then. What a thread does to the registers until it has waited is checked by [`Watch`].

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::address::RANK_SHIFT;
use crate::execution::agent::{Agent, Done, Piece};
use crate::execution::machine::Machine;
use crate::execution::matrix::{self, LANES, ROW};
use crate::execution::thread::{State, Thread};
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::matrix::Element;
use crate::order::clock::{Collected, Id, PROXIES, Proxy, Release};
use crate::order::explore::{Thing, Use};
use crate::order::shadow::At;
use crate::order::sync::Point;
use crate::report::Fault;

/// The warps of a warpgroup.
const WARPS: usize = 4;
/// The rows of A and D that a warp has.
const ROWS: usize = 16;
/// The addresses of shared memory that a descriptor can have.
const ADDRESSES: u64 = (1 << 18) - 1;

/// The state of a warpgroup.
#[derive(Debug, Default)]
pub struct Warpgroup {
    /// The identity of its groups.
    pub id: Id,
    /// The number of the group that each warp has not committed yet, and the number of instructions that each warp has issued.
    open: [u32; WARPS],
    issued: [u32; WARPS],
    /// The instructions that some warps have not issued yet, the first of which has this number.
    pending: VecDeque<Pending>,
    first: u32,
    /// The last instruction.
    at: At,
}

/// An instruction that some warps of a warpgroup have issued: the place and the operands of the first one.
#[derive(Debug)]
struct Pending {
    group: u32,
    point: Point,
    thread: u32,
    descriptor: u64,
    /// A bit for each warp that has issued it.
    warps: u32,
}

impl Pending {
    /// Returns the first warp of the warpgroup that has not issued it.
    fn absent(&self) -> usize {
        self.warps.trailing_ones() as usize
    }
}

/// The registers of a thread that `wgmma` uses.
#[derive(Debug, Default)]
pub struct Watch {
    /// The registers of sums and of fragments of A, by their place among all registers of the thread.
    used: FxHashMap<usize, Used>,
    /// The registers that the thread has written since its last `wgmma.fence`, and where.
    written: FxHashMap<usize, At>,
    /// The number of `wgmma.fence` of the thread.
    fences: u32,
}

/// How `wgmma` uses a register.
#[derive(Debug, Clone, Copy)]
struct Used {
    /// The instruction, its group and its shape.
    at: At,
    group: u32,
    shape: [usize; 3],
    is_sum: bool,
    in_flight: bool,
    /// The fences before the instruction.
    fences: u32,
    /// Another access after the instruction has ended, and after the last fence.
    accessed: Option<At>,
}

/// A matrix in shared memory, as a descriptor says (9.7.15.5.1.2.2).
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    base: u64,
    /// The bytes of a row of the swizzled pattern: 16 without swizzling.
    width: u64,
    /// The bytes that stay together.
    atom: u64,
    /// Whether `leading` is the address of what lies behind the end of a row of the pattern (9.7.16.3.1.2).
    is_absolute: bool,
}

/// Lines of a matrix in shared memory of a block: of A or B along M or N, or along K if those along M or N are beside each other.
#[derive(Debug, Clone, Copy)]
pub struct Lines {
    pub slot: usize,
    pub start: usize,
    pub count: usize,
    pub mn_major: bool,
}

/// Returns the elements of a line along K, the bits of one, and the number of them in 16 bytes.
fn stored(depth: usize, element: Element) -> (usize, usize, usize) {
    let width = element.bits() as usize;
    (depth, width, ROW * 8 / width)
}

impl Descriptor {
    fn of(bits: u64) -> Self {
        let field = |shift: u32| (bits >> shift & 0x3fff) << 4;
        let width = [16, 128, 64, 32][(bits >> 62) as usize];
        Self {
            start: field(0),
            leading: field(16),
            stride: field(32),
            base: bits >> 49 & 7,
            width,
            atom: 16,
            is_absolute: false,
        }
    }

    /// Reads a descriptor of `tcgen05` (9.7.16.4.1), which has the width in other bits.
    pub fn of_tensor(bits: u64) -> Self {
        let (width, atom) = match bits >> 61 {
            1 => (128, 32),
            2 => (128, 16),
            4 => (64, 16),
            6 => (32, 16),
            _ => (16, 16),
        };
        Self { width, atom, is_absolute: bits >> 52 & 1 == 1, ..Self::of(bits) }
    }

    /// Returns whether 32 bytes stay together in the pattern.
    pub fn is_of_32_bytes(self) -> bool {
        self.atom == 32
    }

    /// Returns the address of 16 bytes: of a row along K, or along M or N if these are beside each other (`mn_major`). `line` is the
    /// index of the row, `chunk` the index of the 16 bytes in it.
    fn address(self, mn_major: bool, line: u64, chunk: u64) -> u64 {
        if self.is_absolute {
            let along = self.start % self.width + 16 * chunk;
            let start = if along < self.width { self.start - self.start % self.width } else { self.leading };
            let of_row = Self { start, is_absolute: false, ..self };
            return of_row.address(mn_major, line, along % self.width / 16);
        }
        // A pattern of 32 bytes has four rows.
        let lines = if self.atom == 32 { 4 } else { 8 };
        let (across, within) = (line / lines, line % lines);
        let of_row = self.width / 16;
        let at = match (mn_major, self.width) {
            // Eight rows of 16 bytes lie beside each other.
            (false, 16) => 16 * within + self.stride * across + self.leading * chunk,
            (true, 16) => 16 * within + self.leading * across + self.stride * chunk,
            _ => {
                self.width * within
                    + self.stride * across
                    + self.leading * (chunk / of_row)
                    + 16 * (chunk % of_row)
            }
        };
        let at = (self.start + at) & ADDRESSES;
        // The rows of the pattern, of 128 bytes, exchange their 16 or 32 bytes.
        let row = (at >> 7).wrapping_sub(self.base) & (self.width / self.atom - 1);
        at ^ (row * self.atom)
    }
}

impl Machine<'_> {
    /// Returns whether an instruction of a warp has to wait: `wgmma.wait_group` until groups have ended.
    pub fn warpgroup_waits(&self, cta: usize, warp: usize, what: Matrix) -> bool {
        let Matrix::Wait(pending) = what else { return false };
        let Some(group) = self.ctas[cta].warpgroups.get(&(warp / WARPS)) else { return false };
        let until = group.open[warp % WARPS].saturating_sub(pending);
        let is_before = |agent: &Agent| match agent.done {
            Done::Warpgroup { cta: of, warpgroup, group } => {
                (of, warpgroup) == (cta, warp / WARPS) && group < until
            }
            _ => false,
        };
        group.pending.iter().any(|pending| pending.group < until) || self.agents.iter().any(is_before)
    }

    /// Says what a warp in a `wgmma.wait_group` waits for, if another warp of the warpgroup has left out a product.
    pub fn waited_warpgroup(&self, cta: usize, thread: usize) -> Option<String> {
        let warpgroup = thread / LANES / WARPS;
        let pending = self.ctas[cta].warpgroups.get(&warpgroup)?.pending.front()?;
        let line = self.party_at(false, None, None, pending.point.at).line;
        Some(format!(
            "`wgmma.wait_group`: warp {} of the block has not executed the `wgmma.mma_async` of its warpgroup in line {line} of the PTX \
             (9.7.15.5.2)",
            pending.absent() + warpgroup * WARPS
        ))
    }

    /// Lets the warps of a warpgroup go on that wait for groups that have ended.
    pub fn wake_warpgroup(&mut self, cta: usize, warpgroup: usize) -> Result<(), Fault> {
        self.touches(Thing::Groups(cta, warpgroup * WARPS * LANES), 0..1, Use::Arrives);
        for warp in warpgroup * WARPS..(warpgroup + 1) * WARPS {
            let threads = &self.ctas[cta].threads;
            let lanes = warp * LANES..((warp + 1) * LANES).min(threads.len());
            let waits = lanes.into_iter().find(|thread| {
                let is_wait = |op: &Op| {
                    matches!(op, Op::Warp(op) if matches!(op.what, Collective::Matrix(Matrix::Wait(_))))
                };
                threads[*thread].state == State::Warp && is_wait(&self.current(cta, *thread).op)
            });
            if let Some(thread) = waits {
                self.try_collective(cta, warp, thread)?;
            }
        }
        Ok(())
    }

    /// Runs an instruction of a warpgroup for the lanes of a warp.
    pub fn warpgroup(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        what: Matrix,
    ) -> Result<(), Fault> {
        let (warpgroup, warp) = (first / LANES / WARPS, first / LANES % WARPS);
        if !self.ctas[cta].warpgroups.contains_key(&warpgroup) {
            let id = self.new_object();
            self.ctas[cta].warpgroups.insert(warpgroup, Warpgroup { id, ..Warpgroup::default() });
        }
        let Some(group) = self.ctas[cta].warpgroups.get_mut(&warpgroup) else { return Ok(()) };
        match what {
            Matrix::Fence => {
                for (lane, _) in lanes {
                    let t = &mut self.ctas[cta].threads[first + lane];
                    if self.options.check {
                        t.watch.get_or_insert_default().fence();
                        t.taint.trace();
                    }
                }
            }
            Matrix::Commit => group.open[warp] += 1,
            Matrix::Wait(pending) => {
                let until = group.open[warp].saturating_sub(pending);
                let id = group.id;
                self.touches(Thing::Groups(cta, warpgroup * WARPS * LANES), 0..1, Use::Reads);
                for (lane, _) in lanes {
                    let t = &mut self.ctas[cta].threads[first + lane];
                    if until > 0 {
                        // What the groups read happened before the wait returns, for each proxy.
                        Rc::make_mut(&mut t.view).set(id, [until; PROXIES]);
                    }
                    if let Some(watch) = &mut t.watch {
                        watch.waited(until);
                    }
                }
            }
            Matrix::Warpgroup(what) => self.issue(cta, first, lanes, &what)?,
            _ => {}
        }
        Ok(())
    }

    /// Issues a `wgmma.mma_async` for a warp.
    fn issue(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        what: &Multiply,
    ) -> Result<(), Fault> {
        const SECTION: &str = "9.7.15.5.2";
        let Some(&(lane, fragments)) = lanes.first() else { return Ok(()) };
        let thread = first + lane;
        let (warpgroup, warp) = (first / LANES / WARPS, first / LANES % WARPS);
        let scale_d = match fragments.scale_d {
            Some(src) => self.same(cta, first, lanes, src, ("`scale-d`", SECTION)) & 1 == 1,
            None => true,
        };
        let [a_bits, b_bits] = fragments
            .descriptors
            .map(|src| Some(self.same(cta, first, lanes, src?, ("a matrix descriptor", SECTION))));
        let number = self.ctas[cta].warpgroups.get(&warpgroup).map_or(0, |group| group.issued[warp]);
        let group = self.ctas[cta].warpgroups.get(&warpgroup).map_or(0, |group| group.open[warp]);
        for (lane, fragments) in lanes {
            self.watch_issue(cta, first + lane, fragments, what, (group, scale_d));
        }
        let metadata = self.metadata(cta, first, lanes);
        let (places, wrong) = matrix::sparse_places(what, &metadata, fragments.selector);
        if wrong {
            let text = "metadata that names an element twice, or elements out of their order (9.7.15.6.1)";
            self.wrong(Rule::Operand, cta, thread, text);
        }
        let [_, n, k] = what.shape;
        let stored = what.stored();
        let mut chunks: Vec<Piece> = Vec::new();
        let a = match a_bits {
            Some(bits) => {
                let lines =
                    Lines { slot: cta, start: warp * ROWS, count: ROWS, mn_major: fragments.mn_major[0] };
                let of = Descriptor::of(bits);
                self.in_memory((cta, thread), of, lines, self::stored(stored, what.a), &mut chunks)?
            }
            None => {
                let words = self.words(cta, first, lanes, |fragments| &fragments.a);
                matrix::gathered(&words, ROWS, stored, what.bits(what.a))
            }
        };
        let b_bits = b_bits.unwrap_or_default();
        let lines = Lines { slot: cta, start: 0, count: n, mn_major: fragments.mn_major[1] };
        let of = Descriptor::of(b_bits);
        let b = self.in_memory((cta, thread), of, lines, self::stored(k, what.b), &mut chunks)?;
        let c = self.words(cta, first, lanes, |fragments| &fragments.c);
        let [negates_a, negates_b] = fragments.negated.map(|negated| if negated { -1.0 } else { 1.0 });
        let mut left = matrix::spread(what, &a, &places);
        left.iter_mut().for_each(|value| *value *= negates_a);
        let right: Vec<f64> = b.iter().map(|bits| negates_b * what.b.value(*bits)).collect();
        let result = matrix::products(what, (&left, &right), ROWS, |lane, i| match scale_d {
            true => what.d.value(matrix::element(&c[lane], what.d.bits() as usize, i)),
            false => 0.0,
        });
        for (lane, fragments) in lanes {
            for (d, word) in fragments.d.iter().zip(&result[*lane]) {
                self.set(cta, first + lane, *d, *word);
            }
        }
        // The instruction's own accesses to registers are no others.
        for (lane, _) in lanes {
            self.ctas[cta].threads[first + lane].taint.forget_traced();
        }
        self.start_product(cta, first, lanes, group, chunks);
        self.join_pending(cta, thread, (number, group, b_bits))
    }

    /// Starts the operation of a warp, which reads these places. It knows what the threads of the warp know.
    fn start_product(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        group: u32,
        chunks: Vec<Piece>,
    ) {
        let mut known = Collected::default();
        for (lane, _) in lanes {
            let t = &mut self.ctas[cta].threads[first + lane];
            let mut times = t.times;
            times[Proxy::Overwrite as usize] = t.fenced_reads;
            known.add(&Release { view: t.view.clone(), id: t.id, times });
            t.times[0] += t.step;
        }
        let done = Done::Warpgroup { cta, warpgroup: first / LANES / WARPS, group };
        let mut agent = self.new_agent(cta, first + lanes[0].0, done);
        agent.view = known.finish(false).view().clone();
        agent.proxies = (Proxy::AsyncShared, Proxy::AsyncShared);
        agent.buffer = vec![0; chunks.iter().map(|piece| piece.len).sum()];
        agent.reads = chunks;
        self.start(agent);
    }

    /// Notes that a warp has issued an instruction of its warpgroup.
    fn join_pending(
        &mut self,
        cta: usize,
        thread: usize,
        (number, open, descriptor): (u32, u32, u64),
    ) -> Result<(), Fault> {
        let (warpgroup, warp) = (thread / LANES / WARPS, thread / LANES % WARPS);
        let point = self.point(cta, thread);
        let all = self.ctas[cta].warps.len();
        let Some(group) = self.ctas[cta].warpgroups.get_mut(&warpgroup) else { return Ok(()) };
        group.issued[warp] += 1;
        group.at = point.at;
        let index = (number - group.first) as usize;
        if index == group.pending.len() {
            let (point, thread) = (point.clone(), thread as u32);
            group.pending.push_back(Pending { group: open, point, thread, descriptor, warps: 0 });
        }
        let pending = &mut group.pending[index];
        pending.warps |= 1 << warp;
        let other = (pending.point != point).then(|| (pending.thread, pending.point.clone()));
        let is_other_matrix = pending.descriptor != descriptor;
        // A last warpgroup that is not whole has a finding when the block ends.
        let whole = (1 << WARPS.min(all - warpgroup * WARPS)) - 1;
        while group.pending.front().is_some_and(|pending| pending.warps == whole) {
            group.pending.pop_front();
            group.first += 1;
        }
        if let Some((other, theirs)) = other.filter(|_| self.options.check) {
            let what = "not all warps of the warpgroup execute the same `wgmma.mma_async`";
            self.diverge(cta, (thread as u32, &point), (other, &theirs), what.into());
        } else if is_other_matrix {
            let what = "the matrix descriptor of B differs between the warps of the warpgroup (9.7.15.5.2)";
            self.wrong(Rule::Operand, cta, thread, what);
        }
        self.wake_warpgroup(cta, warpgroup)
    }

    /// Checks, when a block has ended, that all warps of each warpgroup have issued each instruction.
    pub fn check_warpgroups(&mut self, cta: usize) {
        let mut groups: Vec<_> = self.ctas[cta].warpgroups.iter().collect();
        groups.sort_by_key(|(number, _)| **number);
        let missing = groups.iter().find_map(|(number, group)| {
            let pending = group.pending.front()?;
            Some((pending.absent() + **number * WARPS, pending.thread, pending.point.at))
        });
        let all = self.ctas[cta].warps.len();
        let partial =
            groups.iter().find(|(number, group)| all < (**number + 1) * WARPS && group.issued[0] > 0);
        if let Some((number, at)) = partial.map(|(number, group)| (**number, group.at)) {
            let warps = all - number * WARPS;
            let what =
                format!("`wgmma.mma_async` in a warpgroup of {warps} warps: the instruction is of four");
            return self.leave_out(cta, (number * WARPS * LANES) as u32, at, what);
        }
        if let Some((absent, thread, at)) = missing {
            let what = format!("warp {absent} of the warpgroup has ended without this `wgmma.mma_async`");
            self.leave_out(cta, thread, at, what);
        }
    }

    /// Reads lines of a matrix in shared memory of a block, and notes the places. A line has so many elements along K, each of so many
    /// bits, and so many in 16 bytes. Returns the bits of the elements.
    pub fn in_memory(
        &mut self,
        (cta, thread): (usize, usize),
        descriptor: Descriptor,
        Lines { slot, start, count, mn_major }: Lines,
        (depth, width, of_chunk): (usize, usize, usize),
        chunks: &mut Vec<Piece>,
    ) -> Result<Vec<u64>, Fault> {
        let own = u64::from(self.ctas[slot].rank) << RANK_SHIFT;
        let space = if slot == cta { Space::SharedCta } else { Space::SharedCluster };
        let mut all = vec![0; count * depth];
        let (lines, across) = if mn_major { (depth, count) } else { (count, depth) };
        for line in 0..lines {
            for chunk in 0..across.div_ceil(of_chunk) {
                let (line_at, chunk_at) = match mn_major {
                    true => (line, chunk + start / of_chunk),
                    false => (line + start, chunk),
                };
                let at = descriptor.address(mn_major, line_at as u64, chunk_at as u64);
                let place = self.place(cta, thread, space, own | at, ROW, ROW as u64)?;
                chunks.push(Piece { place, len: ROW, at: ROW * chunks.len() });
                let mut bytes = [0; ROW];
                bytes.copy_from_slice(self.peek(cta, thread, place, ROW));
                let packed = u128::from_le_bytes(bytes);
                for i in 0..of_chunk.min(across - chunk * of_chunk) {
                    let bits_of = (packed >> (i * width)) as u64 & (u64::MAX >> (64 - width));
                    let along = chunk * of_chunk + i;
                    let (row, column) = if mn_major { (along, line) } else { (line, along) };
                    all[row * depth + column] = bits_of;
                }
            }
        }
        Ok(all)
    }
}

impl Watch {
    fn fence(&mut self) {
        self.fences += 1;
        self.written.clear();
        self.used.values_mut().for_each(|used| used.accessed = None);
    }

    /// Notes that groups have ended.
    fn waited(&mut self, until: u32) {
        self.used.retain(|_, used| used.is_sum || !used.in_flight || used.group >= until);
        for used in self.used.values_mut().filter(|used| used.group < until) {
            used.in_flight = false;
        }
    }

    /// Returns the place of an instruction that nothing has waited for.
    pub fn unwaited(&self) -> Option<At> {
        self.used.values().filter(|used| used.in_flight).map(|used| used.at).min()
    }

    /// Returns the place of the instruction in flight that has a register, whose sums are there if `is_sum`.
    fn in_flight(&self, register: usize) -> Option<Used> {
        self.used.get(&register).copied().filter(|used| used.in_flight)
    }
}

impl Machine<'_> {
    /// Checks the registers of a `wgmma.mma_async` before its use of them, and notes the use.
    fn watch_issue(
        &mut self,
        cta: usize,
        thread: usize,
        fragments: &Fragments,
        what: &Multiply,
        (group, scale_d): (u32, bool),
    ) {
        if !self.options.check {
            return;
        }
        let at = self.at(cta, thread);
        let t = &mut self.ctas[cta].threads[thread];
        let base = t.frame.registers;
        t.taint.trace();
        let watch = t.watch.get_or_insert_default();
        let sums = fragments.d.iter().map(|slot| (base + *slot as usize, true));
        let operands = fragments.a.iter().filter(|src| src.0 >> 30 == 0);
        let operands = operands.map(|src| (base + src.0 as usize, false));
        let mut problem = None;
        if watch.fences == 0 {
            problem = Some((None, "no `wgmma.fence` precedes the thread's first `wgmma.mma_async`"));
        }
        for (register, is_sum) in sums.chain(operands) {
            let used = watch.used.get(&register).copied();
            let written = watch.written.get(&register).copied().filter(|_| scale_d || !is_sum);
            let found = match used {
                Some(used) if used.in_flight && used.is_sum && !is_sum => Some((
                    Some(used.at),
                    "a fragment of A has sums of an instruction that nothing has waited for",
                )),
                Some(used)
                    if used.is_sum && is_sum && used.shape != what.shape && used.fences == watch.fences =>
                {
                    Some((
                        Some(used.at),
                        "the sums are those of an instruction of another shape, without a `wgmma.fence` since",
                    ))
                }
                Some(used) if used.in_flight && !used.is_sum && is_sum => Some((
                    Some(used.at),
                    "the sums are in registers with a fragment of A that an instruction in flight reads",
                )),
                Some(Used { accessed: Some(other), .. }) => {
                    Some((Some(other), "the registers were accessed before, without a `wgmma.fence` since"))
                }
                _ => written.map(|other| {
                    (Some(other), "the registers were written before, without a `wgmma.fence` since")
                }),
            };
            problem = problem.or(found);
            let (shape, fences) = (what.shape, watch.fences);
            let entry = Used { at, group, shape, is_sum, in_flight: true, fences, accessed: None };
            watch.used.insert(register, entry);
        }
        if let Some((other, text)) = problem {
            let here = self.party(cta, thread);
            let party = other.map(|other| self.party_at(false, here.cta, here.thread, other));
            self.find(Rule::Wgmma, text.into(), here, party, (at, other.unwrap_or(0)));
        }
    }

    /// Checks what an instruction has done to registers that `wgmma` uses. `moved`: the register whose value it has moved.
    pub fn watch_accesses(
        &mut self,
        cta: usize,
        thread: usize,
        at: At,
        (reads, writes): (&[usize], &[usize]),
        moves: bool,
    ) {
        let Some(mut watch) = self.ctas[cta].threads[thread].watch.take() else { return };
        let mut problem = None;
        // The compiler renames registers: a move of sums in flight takes them along.
        let moved = match (moves, reads, writes) {
            (true, [from], [to]) => Some((*from, *to)),
            _ => None,
        };
        if let Some((from, to)) = moved {
            match watch.used.get(&from).copied() {
                Some(used) => _ = watch.used.insert(to, used),
                None => {
                    if let Some(used) = watch.in_flight(to) {
                        problem = Some((used, "writes"));
                    }
                    watch.used.remove(&to);
                }
            }
            match watch.written.get(&from).copied() {
                Some(at) => _ = watch.written.insert(to, at),
                None => _ = watch.written.remove(&to),
            }
        } else {
            for register in reads {
                match watch.used.get_mut(register) {
                    Some(used) if used.in_flight && used.is_sum => problem = Some((*used, "reads")),
                    Some(used) if !used.in_flight => used.accessed = Some(at),
                    _ => {}
                }
            }
            for register in writes {
                if let Some(used) = watch.in_flight(*register) {
                    problem = Some((used, "writes"));
                }
                watch.used.remove(register);
                watch.written.insert(*register, at);
            }
        }
        self.ctas[cta].threads[thread].watch = Some(watch);
        if let Some((used, verb)) = problem {
            let registers = if used.is_sum { "sums" } else { "a fragment of A" };
            let what = format!(
                "{verb} a register with {registers} of a `wgmma.mma_async` that no `wgmma.wait_group` has waited for"
            );
            let here = self.party_at(false, Some(self.ctas[cta].index), Some(thread as u32), at);
            let other = self.party_at(true, here.cta, here.thread, used.at);
            self.find(Rule::Wgmma, what, here, Some(other), (at, used.at));
        }
    }

    /// Checks the registers that an instruction has accessed since the last call, as [`Thread::taint`] has noted them.
    pub fn watch_traced(&mut self, cta: usize, thread: usize, at: At) {
        let Some(t) = self.ctas[cta].threads.get_mut(thread).filter(|t: &&mut Thread| t.watch.is_some())
        else {
            return;
        };
        let (reads, writes) = t.taint.take_traced();
        self.watch_accesses(cta, thread, at, (&reads, &writes), false);
    }
}
