//! Tensor memory (PTX ISA 9.7.16): its allocation, the loads and stores of warps, and the order of the operations of `tcgen05`.
//!
//! Each block has 512 columns of its own: the interpreter runs each block on a multiprocessor of its own. What an operation does to
//! tensor memory is done when it is issued: in a correct program, what it reads is there by then, and nothing sees what it writes
//! before it has ended. The order of two operations on a word is checked by [`Machine::use_tensor`]: the later one needs to know
//! that the earlier one has ended, or both are a pair that the PTX ISA keeps in order (9.7.16.6.2), and then that the earlier one
//! was issued. A thread knows this of itself. Of other threads, and of what an mbarrier has told it, it knows what happened before
//! its last `tcgen05.fence::after_thread_sync`.
//!
//! An object stands for the loads of a warp, one for its stores, one for the groups of operations that the `tcgen05.commit` of a
//! thread end, and one for the operations that a thread has issued before its last fence. Their times are in the clocks that
//! releases and acquires hand over, with the bit [`PHASES`], so that relaxed ones hand them over too.

use std::rc::Rc;

use crate::address::Place;
use crate::execution::machine::Machine;
use crate::execution::matrix::LANES;
use crate::execution::thread::{State, value};
use crate::execution::word::combine;
use crate::finding::Rule;
use crate::frontend::op::*;
use crate::numbers::float::{self, Format};
use crate::order::clock::{Clock, Id, PHASES, PROXIES, Proxy, Release, Time, generic};
use crate::order::explore::{Thing, Use};
use crate::order::shadow::At;
use crate::order::taint::{Origin, Read};
use crate::report::Fault;

/// The lanes and the columns of tensor memory.
pub const ROWS: usize = 128;
pub const COLUMNS: usize = 512;

/// The tensor memory of a block.
#[derive(Debug)]
pub struct TensorMemory {
    words: Vec<u32>,
    uses: Vec<Uses>,
    /// All operations on this tensor memory, by the numbers that [`Uses`] has.
    operations: Vec<Operation>,
    allocations: Vec<Allocation>,
    /// The columns of the last allocation.
    last: Option<u32>,
    /// The first `tcgen05.relinquish_alloc_permit`.
    relinquished: Option<(u32, At)>,
    /// The instruction of a warp that waits for one of the peer CTA, and whether the peer's warp has come.
    offered: Option<(usize, TensorWarp)>,
    granted: bool,
    /// Whether `tcgen05` of the block is that of a pair, and where.
    pair: Option<(bool, At)>,
}

/// The last write of a word, and the reads since: numbers of operations. Zero: none.
#[derive(Debug, Clone, Default)]
struct Uses {
    write: u32,
    reads: Vec<u32>,
}

#[derive(Debug)]
struct Allocation {
    start: u32,
    columns: u32,
    thread: u32,
    at: At,
}

/// What kind of operation, as far as its order is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Load,
    Store,
    /// With the address of D, and M, N, K and the kind.
    Multiply(u32, [usize; 3], Kind),
    Copy,
}

/// An asynchronous operation on tensor memory.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub class: Class,
    pair: bool,
    thread: Id,
    at: At,
    /// The object and the time at which the operation has ended.
    end: (Id, Time),
    /// The object and the time at which it was issued.
    issue: (Id, Time),
}

/// What `tcgen05` keeps of a thread.
#[derive(Debug, Default)]
pub struct TensorThread {
    /// The object of the operations that the thread has issued, and their number.
    issue: Id,
    issued: Time,
    /// The object of the groups of operations that commits end, and the number of commits.
    pub groups: Id,
    pub group: Time,
    /// What the thread knows to have ended or to have been issued.
    known: Clock,
    /// What the last `tcgen05.fence::before_thread_sync` has released.
    pub release: Option<Release>,
}

/// The loads or the stores of a warp.
#[derive(Debug, Default)]
pub struct Queue {
    id: Id,
    issued: Time,
    waited: Time,
}

impl TensorTile {
    /// Returns the lane and the column, from the first ones on, of a lane's register. With packed halves, a column stands for two.
    fn place(self, lane: usize, register: usize) -> (usize, usize) {
        let (group, place) = (lane / 4, lane % 4);
        match self.shape {
            TensorShape::Lanes32 => (lane, register),
            TensorShape::Bits64 => (group + 8 * (place % 2), 2 * register + place / 2),
            TensorShape::Bits128 => (group + 8 * (register % 2), 4 * (register / 2) + place),
            TensorShape::Bits256 => {
                (group + 8 * (register / 2 % 2), 8 * (register / 4) + 2 * place + register % 2)
            }
            TensorShape::Split => (lane % 16, register),
        }
    }

    /// Returns the lane and the column of each half, or of the word, of a lane's register, and their number. `first` is where the tile
    /// begins.
    fn places(self, first: (usize, usize), lane: usize, register: usize) -> ([(usize, usize); 2], usize) {
        let (row, column) = self.place(lane, register);
        let second = if self.shape == TensorShape::Split && lane >= 16 { self.offset as usize } else { 0 };
        let at = |column: usize| (first.0 + row, first.1 + second + column);
        match self.packed {
            true => ([at(2 * column), at(2 * column + 1)], 2),
            false => ([at(column); 2], 1),
        }
    }

    /// Returns the lane and the column of each word of a tile that begins at `first`.
    fn words(self, first: (usize, usize)) -> impl Iterator<Item = (usize, usize)> {
        let registers = (0..LANES).flat_map(move |lane| (0..self.registers()).map(move |it| (lane, it)));
        registers.flat_map(move |(lane, register)| {
            let (places, count) = self.places(first, lane, register);
            places.into_iter().take(count)
        })
    }
}

impl TensorMemory {
    fn new() -> Self {
        Self {
            words: vec![0xa5a5_a5a5; ROWS * COLUMNS],
            uses: vec![Uses::default(); ROWS * COLUMNS],
            // Number 0 is none.
            operations: Vec::new(),
            allocations: Vec::new(),
            last: None,
            relinquished: None,
            offered: None,
            granted: false,
            pair: None,
        }
    }

    /// Returns the first column of so many free ones, at a multiple of their number.
    fn room(&self, columns: u32, other: Option<&Self>) -> Option<u32> {
        let is_free = |memory: &Self, start: u32| {
            memory.allocations.iter().all(|it| start + columns <= it.start || it.start + it.columns <= start)
        };
        let starts = (0..COLUMNS as u32).step_by(columns.max(32) as usize);
        starts
            .into_iter()
            .filter(|start| start + columns <= COLUMNS as u32)
            .find(|start| is_free(self, *start) && other.is_none_or(|other| is_free(other, *start)))
    }

    fn free(&self) -> u32 {
        COLUMNS as u32 - self.allocations.iter().map(|it| it.columns).sum::<u32>()
    }

    pub fn word(&self, row: usize, column: usize) -> u32 {
        self.words[row * COLUMNS + column]
    }

    pub fn set(&mut self, row: usize, column: usize, word: u32) {
        self.words[row * COLUMNS + column] = word;
    }
}

/// Words of the tensor memory of a block, and whether they are written.
pub struct Touched<'a> {
    pub slot: usize,
    pub places: &'a mut dyn Iterator<Item = (usize, usize)>,
    pub writes: bool,
}

impl Machine<'_> {
    pub fn tensor_memory(&mut self, slot: usize) -> &mut TensorMemory {
        self.ctas[slot].tensor.get_or_insert_with(|| Box::new(TensorMemory::new()))
    }

    /// Returns what `tcgen05` keeps of a thread.
    pub fn tensor_thread(&mut self, cta: usize, thread: usize) -> &mut TensorThread {
        if self.ctas[cta].threads[thread].tensor.is_none() {
            let (issue, groups) = (self.new_object(), self.new_object());
            let state = TensorThread { issue, groups, ..TensorThread::default() };
            self.ctas[cta].threads[thread].tensor = Some(Box::new(state));
        }
        self.ctas[cta].threads[thread].tensor.get_or_insert_default()
    }

    /// Returns the other block of a pair (9.7.16.5.1).
    pub fn peer(&self, cta: usize, thread: usize) -> Result<usize, Fault> {
        let (first, rank) = (self.ctas[cta].cluster, self.ctas[cta].rank as usize ^ 1);
        if rank >= self.cluster_size() as usize {
            let what = "`.cta_group::2` in a block that has no other of its pair in the cluster (9.7.16.5.1)";
            return Err(self.fault(cta, thread, what));
        }
        Ok(first + rank)
    }

    /// Checks that all `tcgen05` of a kernel have one `.cta_group`.
    pub fn check_group(&mut self, cta: usize, thread: usize, pair: bool) {
        let at = self.at(cta, thread);
        let (first, other) = *self.tensor_memory(cta).pair.get_or_insert((pair, at));
        if first != pair && self.options.check {
            let (here, other) = (self.party(cta, thread), (other, self.party_at(false, None, None, other)));
            let what = "`tcgen05` with `.cta_group::1` and with `.cta_group::2` in one kernel (9.7.16.7.1)";
            self.find(Rule::Operand, what.into(), here, Some(other.1), (at, other.0));
        }
    }

    /// Returns an address of tensor memory: the lane and the column.
    pub fn taddr(&self, cta: usize, thread: usize, address: Address) -> (usize, usize) {
        let base = value(&self.constants, &self.ctas[cta].threads[thread], address.base);
        let all = base.wrapping_add_signed(address.offset) as u32;
        ((all >> 16) as usize, (all & 0xffff) as usize)
    }

    /// Checks that lanes exist, and that columns are allocated.
    pub fn check_columns(
        &mut self,
        (cta, thread): (usize, usize),
        slot: usize,
        rows: std::ops::Range<usize>,
        columns: std::ops::Range<usize>,
        what: &str,
    ) -> Result<(), Fault> {
        if rows.end > ROWS || columns.end > COLUMNS {
            let what = format!(
                "{what} of the lanes {} to {} and the columns {} to {} of tensor memory, which has 128 lanes and 512 columns (9.7.16.1)",
                rows.start,
                rows.end - 1,
                columns.start,
                columns.end - 1
            );
            return Err(self.fault(cta, thread, what));
        }
        let memory = self.tensor_memory(slot);
        let is_allocated = |column: usize| {
            memory
                .allocations
                .iter()
                .any(|it| (it.start as usize..(it.start + it.columns) as usize).contains(&column))
        };
        if let Some(column) = columns.clone().find(|column| !is_allocated(*column)) {
            let what =
                format!("{what} of column {column} of tensor memory, which is not allocated (9.7.16.1.2)");
            self.wrong(Rule::Tensor, cta, thread, what);
        }
        Ok(())
    }

    /// Returns a new operation that a thread issues, and that its next `tcgen05.commit` tracks.
    pub fn new_operation(&mut self, cta: usize, thread: usize, class: Class, pair: bool) -> Operation {
        let (at, id) = (self.at(cta, thread), self.ctas[cta].threads[thread].id);
        let state = self.tensor_thread(cta, thread);
        state.issued += 1;
        let (issue, end) = ((state.issue, state.issued), (state.groups, state.group + 1));
        Operation { class, pair, thread: id, at, end, issue }
    }

    fn new_warp_operation(&mut self, cta: usize, thread: usize, class: Class) -> Operation {
        let stores = usize::from(class == Class::Store);
        if self.ctas[cta].warps[thread / LANES].tensor.is_none() {
            let ids = [self.new_object(), self.new_object()];
            let queues = ids.map(|id| Queue { id, ..Queue::default() });
            self.ctas[cta].warps[thread / LANES].tensor = Some(Box::new(queues));
        }
        let (at, id) = (self.at(cta, thread), self.ctas[cta].threads[thread].id);
        let mut end = (0, 0);
        if let Some(queues) = &mut self.ctas[cta].warps[thread / LANES].tensor {
            let queue = &mut queues[stores];
            queue.issued += 1;
            end = (queue.id, queue.issued);
        }
        Operation { class, pair: false, thread: id, at, end, issue: end }
    }

    /// Checks that each earlier operation on the words is ordered before this one, and notes the use. Returns the first word that is
    /// read and that nothing has written.
    pub fn use_tensor(
        &mut self,
        cta: usize,
        thread: usize,
        operation: &Operation,
        touched: Touched<'_>,
    ) -> Option<(usize, usize)> {
        let Touched { slot, places, writes } = touched;
        self.touches(Thing::Tensor(slot), 0..1, if writes { Use::Writes } else { Use::Reads });
        let known = self.tensor_thread(cta, thread).known.clone();
        let check = self.options.check;
        let memory = self.tensor_memory(slot);
        memory.operations.push(*operation);
        let number = memory.operations.len() as u32;
        let (mut unwritten, mut conflict, mut fine) = (None, None, 0);
        for (row, column) in places {
            let uses = &mut memory.uses[row * COLUMNS + column];
            if uses.write == 0 && !writes {
                unwritten = unwritten.or(Some((row, column)));
            }
            // Neighbors often have one last operation.
            if check && ![fine, number, 0].contains(&uses.write) {
                let earlier = &memory.operations[uses.write as usize - 1];
                match earlier.precedes(operation, &known) {
                    true => fine = uses.write,
                    false => conflict = conflict.or(Some((*earlier, row, column))),
                }
            }
            if writes {
                if check && conflict.is_none() {
                    let earlier =
                        |read: &&u32| !memory.operations[**read as usize - 1].precedes(operation, &known);
                    if let Some(read) = uses.reads.iter().find(earlier) {
                        conflict = Some((memory.operations[*read as usize - 1], row, column));
                    }
                }
                uses.write = number;
                uses.reads.clear();
            } else {
                // Of one thread or warp, the last read counts.
                let is_alike = |read: &u32| memory.operations[*read as usize - 1].end.0 == operation.end.0;
                match uses.reads.iter().position(is_alike) {
                    Some(place) => uses.reads[place] = number,
                    None => uses.reads.push(number),
                }
            }
        }
        if let Some((earlier, row, column)) = conflict {
            self.unordered((cta, thread), operation, &earlier, (row, column), writes);
        }
        unwritten
    }

    /// Reports an operation that nothing orders after an earlier one.
    fn unordered(
        &mut self,
        (cta, thread): (usize, usize),
        operation: &Operation,
        earlier: &Operation,
        (row, column): (usize, usize),
        writes: bool,
    ) {
        let verb = if writes { "writes" } else { "reads" };
        let t = &self.ctas[cta].threads[thread];
        let told = t.view.clock(Proxy::Generic).get(earlier.end.0 | PHASES) >= earlier.end.1;
        let of_warp = earlier.thread / 32 == t.id / 32;
        let (here, at) = (self.party(cta, thread), self.at(cta, thread));
        let scopes = self.narrow_scopes(&here, earlier.end.0 | PHASES, earlier.end.1);
        let reason = match earlier.class {
            _ if scopes.is_some() => "the thread has not synchronized with its end",
            _ if told => {
                "nothing orders the two but a synchronization without a `tcgen05.fence::after_thread_sync` behind it (9.7.16.6.3)"
            }
            _ if earlier.is_pipelined(operation) => {
                "its thread has not told, behind a `tcgen05.fence::before_thread_sync`, that it has issued it (9.7.16.6.4.3)"
            }
            Class::Load if of_warp => "no `tcgen05.wait::ld` is between the two (9.7.16.8.5)",
            Class::Store if of_warp => "no `tcgen05.wait::st` is between the two (9.7.16.8.5)",
            Class::Load => {
                "the other warp has not told, behind its `tcgen05.wait::ld`, that the load has ended (9.7.16.6.4.4)"
            }
            Class::Store => {
                "the other warp has not told, behind its `tcgen05.wait::st`, that the store has ended (9.7.16.6.4.4)"
            }
            Class::Multiply(..) | Class::Copy => {
                "no mbarrier has told the thread that the operation has ended: `tcgen05.commit` lets one track it (9.7.16.6.4.2)"
            }
        };
        let name = match earlier.class {
            Class::Load => "`tcgen05.ld` reads",
            Class::Store => "`tcgen05.st` writes",
            Class::Multiply(..) => "`tcgen05.mma` uses",
            Class::Copy => "`tcgen05.cp` writes",
        };
        let what = format!(
            "{verb} lane {row} of column {column} of tensor memory, which another {name}, and {reason}{}",
            scopes.unwrap_or_default()
        );
        let mut other = self.party_of(earlier.thread, earlier.at, None);
        other.asynchronous = true;
        self.find(Rule::Tensor, what, here, Some(other), (at, earlier.at));
    }

    /// Returns whether an instruction of a warp has to wait: for columns, or for a warp of the peer CTA.
    pub fn tensor_waits(&mut self, cta: usize, thread: usize, what: TensorWarp) -> Result<bool, Fault> {
        let Some(pair) = what.pair() else {
            return Ok(false);
        };
        self.touches(Thing::Tensor(cta), 0..1, Use::Writes);
        let peer = if pair { Some(self.peer(cta, thread)?) } else { None };
        if let Some(peer) = peer {
            self.touches(Thing::Tensor(peer), 0..1, Use::Writes);
        }
        let memory = self.tensor_memory(cta);
        if std::mem::take(&mut memory.granted) {
            memory.offered = None;
            return Ok(false);
        }
        let mut has_room = true;
        if let TensorWarp::Allocate { .. } = what {
            let columns = self.columns(cta, thread)?;
            let is_first = self.tensor_memory(cta).relinquished.is_none();
            if let Some(peer) = peer {
                self.tensor_memory(peer);
            }
            let other = peer.and_then(|peer| self.ctas[peer].tensor.as_deref());
            has_room =
                self.ctas[cta].tensor.as_ref().is_some_and(|memory| memory.room(columns, other).is_some());
            // A wait that cannot end would hide the finding.
            has_room |= !is_first;
        }
        let Some(peer) = peer else { return Ok(!has_room) };
        let is_there = self.tensor_memory(peer).offered.is_some_and(|(_, theirs)| theirs == what);
        if is_there && has_room {
            self.tensor_memory(peer).granted = true;
            self.tensor_memory(cta).offered = None;
            return Ok(false);
        }
        self.tensor_memory(cta).offered = Some((thread, what));
        Ok(true)
    }

    /// Returns the operand `nCols` of a thread's instruction.
    fn columns(&mut self, cta: usize, thread: usize) -> Result<u32, Fault> {
        let program = self.program;
        let t = &self.ctas[cta].threads[thread];
        let op = &program.functions[t.frame.function].code[t.pc as usize].op;
        let Op::Warp(op) = op else { return Ok(0) };
        let Some(src) = op.fragments.as_ref().and_then(|fragments| fragments.columns) else { return Ok(0) };
        let columns = value(&self.constants, t, src) as u32;
        if !columns.is_power_of_two() || !(32..=COLUMNS as u32).contains(&columns) {
            let what = format!(
                "{columns} columns of tensor memory: their number is a power of 2 from 32 to 512 (9.7.16.7.1)"
            );
            return Err(self.fault(cta, thread, what));
        }
        Ok(columns)
    }

    /// Lets warps go on that wait for columns, or that the peer CTA has joined.
    pub fn wake_tensor(&mut self, cta: usize) -> Result<(), Fault> {
        for warp in 0..self.ctas[cta].warps.len() {
            let Some(lane) = self.ctas[cta].warps[warp].waiting.first() else { continue };
            let thread = LANES * warp + *lane as usize;
            if self.ctas[cta].threads[thread].state == State::Warp
                && let Op::Warp(op) = &self.current(cta, thread).op
                && let Collective::Matrix(Matrix::Tensor(_)) = op.what
            {
                self.try_collective(cta, warp, thread)?;
            }
        }
        Ok(())
    }

    /// Lets the blocks go on whose warps an instruction of this block lets go on.
    pub fn after_tensor(&mut self, cta: usize, what: TensorWarp) -> Result<(), Fault> {
        let Some(pair) = what.pair() else {
            return Ok(());
        };
        if pair {
            let first = self.ctas[cta].cluster;
            let peer = first + (self.ctas[cta].rank as usize ^ 1);
            if self.tensor_memory(peer).granted {
                self.wake_tensor(peer)?;
            }
        }
        if let TensorWarp::Deallocate { .. } = what {
            self.wake_tensor(cta)?;
        }
        Ok(())
    }

    /// Runs an instruction of tensor memory for the lanes of a warp.
    pub fn tensor_warp(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        what: TensorWarp,
    ) -> Result<(), Fault> {
        let Some(&(lane, fragments)) = lanes.first() else { return Ok(()) };
        let thread = first + lane;
        if let Some(columns) = fragments.columns {
            self.same(cta, first, lanes, columns, ("`nCols`", "9.7.16.7.1"));
        }
        match what {
            TensorWarp::Allocate { pair } => {
                self.allocate(cta, thread, fragments, pair)?;
                // The store of the address is ordered before later accesses of each lane (9.7.16.6.1).
                let t = &mut self.ctas[cta].threads[thread];
                let (id, time) = (t.id, t.times[0]);
                t.times[0] += t.step;
                for (lane, _) in lanes.iter().filter(|(lane, _)| first + lane != thread && self.options.check)
                {
                    Rc::make_mut(&mut self.ctas[cta].threads[first + lane].view).set(id, generic(time));
                }
            }
            TensorWarp::Deallocate { pair } => self.deallocate(cta, thread, fragments, pair)?,
            TensorWarp::Relinquish { pair } => {
                self.check_group(cta, thread, pair);
                let at = self.at(cta, thread);
                self.tensor_memory(cta).relinquished.get_or_insert((thread as u32, at));
            }
            TensorWarp::Load(tile, reduction) => self.load_tensor(cta, first, lanes, tile, reduction)?,
            TensorWarp::Store(tile) => self.store_tensor(cta, first, lanes, tile)?,
            TensorWarp::Wait { stores } => {
                self.touches(Thing::Tensor(cta), 0..1, Use::Writes);
                let queues = self.ctas[cta].warps[first / LANES].tensor.as_mut();
                let Some(queue) = queues.map(|queues| &mut queues[usize::from(stores)]) else {
                    return Ok(());
                };
                queue.waited = queue.issued;
                let (id, time) = (queue.id | PHASES, queue.waited);
                for (lane, _) in lanes {
                    self.know_tensor(cta, first + lane, id, time);
                }
            }
        }
        Ok(())
    }

    /// Notes that a thread knows of the end of its own operations.
    fn know_tensor(&mut self, cta: usize, thread: usize, id: Id, time: Time) {
        self.tensor_thread(cta, thread).known.set(id, time);
        Rc::make_mut(&mut self.ctas[cta].threads[thread].view).set(id, generic(time));
    }

    fn allocate(
        &mut self,
        cta: usize,
        thread: usize,
        fragments: &Fragments,
        pair: bool,
    ) -> Result<(), Fault> {
        self.check_group(cta, thread, pair);
        let columns = self.columns(cta, thread)?;
        let at = self.at(cta, thread);
        if let Some((other, place)) = self.tensor_memory(cta).relinquished {
            let (here, index) = (self.party(cta, thread), self.ctas[cta].index);
            let other = self.party_at(false, Some(index), Some(other), place);
            let what =
                "allocates tensor memory after a `tcgen05.relinquish_alloc_permit` of the block (9.7.16.7.1)";
            if self.options.check {
                self.find(Rule::Tensor, what.into(), here, Some(other), (at, place));
            }
        }
        if let Some(last) = self.tensor_memory(cta).last.filter(|last| *last < columns) {
            let what = format!(
                "allocates {columns} columns after {last}: their number does not increase (9.7.16.7.1)"
            );
            self.wrong(Rule::Tensor, cta, thread, what);
        }
        let peer = if pair { Some(self.peer(cta, thread)?) } else { None };
        let other = peer.and_then(|peer| self.ctas[peer].tensor.as_deref());
        // The warp of the peer that came first has the same columns: its allocation is not there yet, or is the one to repeat.
        let room = self.ctas[cta].tensor.as_ref().and_then(|memory| match other {
            Some(other) if other.allocations.len() > memory.allocations.len() => {
                other.allocations.last().map(|theirs| theirs.start)
            }
            _ => memory.room(columns, other),
        });
        let Some(start) = room else {
            let what = format!(
                "no {columns} columns of tensor memory are free, after the block has given up its right to allocate"
            );
            return Err(self.fault(cta, thread, what));
        };
        let memory = self.tensor_memory(cta);
        memory.last = Some(columns);
        memory.allocations.push(Allocation { start, columns, thread: thread as u32, at });
        // What was there is no value.
        for row in 0..ROWS {
            for column in start..start + columns {
                memory.words[row * COLUMNS + column as usize] = 0xa5a5_a5a5;
                memory.uses[row * COLUMNS + column as usize] = Uses::default();
            }
        }
        if let Some(address) = fragments.address {
            let place = self.resolve(cta, thread, address, 4, 4)?;
            match place {
                Place::Shared(owner, _) if owner == cta => {}
                _ => {
                    return Err(self.fault(
                        cta,
                        thread,
                        "the address is not in shared memory of the executing CTA",
                    ));
                }
            }
            self.write(cta, thread, place, &start.to_le_bytes(), None)?;
        }
        Ok(())
    }

    fn deallocate(
        &mut self,
        cta: usize,
        thread: usize,
        fragments: &Fragments,
        pair: bool,
    ) -> Result<(), Fault> {
        self.check_group(cta, thread, pair);
        let columns = self.columns(cta, thread)?;
        let Some(address) = fragments.taddr else { return Ok(()) };
        let (row, column) = self.taddr(cta, thread, address);
        let known = self.ctas[cta].threads[thread].view.clock(Proxy::Generic).clone();
        let own = self.tensor_thread(cta, thread).known.clone();
        let memory = self.tensor_memory(cta);
        let is_it = |it: &Allocation| (it.start as usize, it.columns) == (column, columns) && row == 0;
        let Some(place) = memory.allocations.iter().position(is_it) else {
            let what = format!(
                "deallocates {columns} columns from lane {row} and column {column} of tensor memory on, which are no allocation \
                 (9.7.16.7.1)"
            );
            self.wrong(Rule::Tensor, cta, thread, what);
            return Ok(());
        };
        memory.allocations.remove(place);
        // Of a pair, the warp that comes first may deallocate for both blocks.
        let peer = if pair { Some(self.peer(cta, thread)?) } else { None };
        let mut late = None;
        for slot in [Some(cta), peer].into_iter().flatten() {
            let memory = self.tensor_memory(slot);
            for row in 0..ROWS {
                for column in column..column + columns as usize {
                    let uses = &memory.uses[row * COLUMNS + column];
                    let numbers = [uses.write].into_iter().chain(uses.reads.iter().copied());
                    let operations = numbers
                        .filter(|number| *number != 0)
                        .map(|number| &memory.operations[number as usize - 1]);
                    let mut pending = operations
                        .filter(|it| !it.has_ended(&known) && !it.has_ended(&own))
                        .map(|it| (*it, row, column));
                    late = late.or_else(|| pending.next());
                }
            }
        }
        if let Some((operation, row, column)) = late.filter(|_| self.options.check) {
            let what = format!(
                "deallocates column {column} of tensor memory, and nothing has told the thread that the operation on its lane {row} has \
                 ended (9.7.16.5)"
            );
            let (here, at) = (self.party(cta, thread), self.at(cta, thread));
            let mut other = self.party_of(operation.thread, operation.at, None);
            other.asynchronous = true;
            self.find(Rule::Tensor, what, here, Some(other), (at, operation.at));
        }
        Ok(())
    }

    /// Checks, when a block has ended, that all its tensor memory is deallocated.
    pub fn check_tensor(&mut self, cta: usize) {
        let Some(memory) = &self.ctas[cta].tensor else { return };
        let Some(left) = memory.allocations.first() else { return };
        let (columns, thread, at) = (left.columns, left.thread, left.at);
        let here = self.party_at(false, Some(self.ctas[cta].index), Some(thread), at);
        let what = format!(
            "the block ends, and {columns} columns of tensor memory are not deallocated (9.7.16.7.1)"
        );
        self.find(Rule::Tensor, what, here, None, (at, 0));
    }

    /// Says what a warp in an instruction that allocates or deallocates waits for.
    pub fn waited_tensor(&self, cta: usize, what: TensorWarp) -> Option<String> {
        let pair = what.pair()?;
        let name = Collective::Matrix(Matrix::Tensor(what)).name();
        let memory = self.ctas[cta].tensor.as_ref()?;
        let free = memory.free();
        match (memory.offered, what) {
            (None, TensorWarp::Allocate { .. }) => {
                Some(format!("`{name}`, for whose columns the block's {free} free ones have no room"))
            }
            (Some(_), _) if pair => Some(format!(
                "`{name}` of a pair, which a warp of the peer CTA does not execute, or {free} free columns have no room for"
            )),
            _ => None,
        }
    }

    /// Returns the address that the lanes of a warp give, and checks the lanes that it reaches.
    fn tile_address(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: TensorTile,
        name: &str,
    ) -> Result<(usize, usize), Fault> {
        let of = |machine: &Self, lane: usize, fragments: &Fragments| {
            fragments.taddr.map(|address| machine.taddr(cta, first + lane, address))
        };
        let Some(&(lane, fragments)) = lanes.first() else { return Ok((0, 0)) };
        let Some((row, column)) = of(self, lane, fragments) else { return Ok((0, 0)) };
        if let Some((other, _)) = lanes.iter().find(|(lane, it)| of(self, *lane, it) != Some((row, column))) {
            let what = "`taddr` differs between the threads of a warp (9.7.16.8.3)";
            self.wrong(Rule::Operand, cta, first + other, what);
        }
        let count = if tile.shape == TensorShape::Lanes32 { 32 } else { 16 };
        let own = first / LANES % 4 * 32;
        if row < own || row + count > own + 32 {
            let what = format!(
                "{name} of the lanes {row} to {} of tensor memory: warp {} reaches the lanes {own} to {} (9.7.16.8.1)",
                row + count - 1,
                first / LANES,
                own + 31
            );
            return Err(self.fault(cta, first + lane, what));
        }
        let width = tile.words((0, 0)).map(|(_, column)| column + 1).max().unwrap_or(0);
        self.check_columns((cta, first + lane), cta, row..row + count, column..column + width, name)?;
        Ok((row, column))
    }

    fn load_tensor(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: TensorTile,
        reduction: Option<TensorReduction>,
    ) -> Result<(), Fault> {
        let start = self.tile_address(cta, first, lanes, tile, "a load")?;
        let thread = first + lanes.first().map_or(0, |(lane, _)| *lane);
        let operation = self.new_warp_operation(cta, thread, Class::Load);
        let all = tile.registers();
        let touched = Touched { slot: cta, places: &mut tile.words(start), writes: false };
        let unwritten = self.use_tensor(cta, thread, &operation, touched);
        for (lane, fragments) in lanes {
            let mut words = Vec::with_capacity(all);
            for (register, d) in fragments.d.iter().enumerate().take(all) {
                let (places, count) = tile.places(start, *lane, register);
                let memory = self.tensor_memory(cta);
                let [low, high] = places.map(|(row, column)| memory.word(row, column));
                let word = if count == 2 { low & 0xffff | high << 16 } else { low };
                let missing = places
                    .iter()
                    .take(count)
                    .find(|(row, column)| memory.uses[row * COLUMNS + column].write == 0);
                let missing = unwritten.and(missing).copied();
                self.set(cta, first + lane, *d, word.into());
                if let Some((row, column)) = missing.filter(|_| self.options.check) {
                    let (block, thread) = (self.ctas[cta].index, (first + lane) as u32);
                    let at = self.at(cta, first + lane);
                    let read = Read::Tensor(row as u32, column as u32);
                    self.taint(cta, first + lane, *d, Origin { at, block, thread, read });
                }
                words.push(u64::from(word));
            }
            if let (Some(reduction), Some(d)) = (reduction, fragments.d.get(all)) {
                let result = reduction.of(&words);
                self.set(cta, first + lane, *d, result);
            }
        }
        Ok(())
    }

    fn store_tensor(
        &mut self,
        cta: usize,
        first: usize,
        lanes: &[(usize, &Fragments)],
        tile: TensorTile,
    ) -> Result<(), Fault> {
        let start = self.tile_address(cta, first, lanes, tile, "a store")?;
        let words = self.words(cta, first, lanes, |fragments| &fragments.a);
        let thread = first + lanes.first().map_or(0, |(lane, _)| *lane);
        let width = tile.count * if tile.packed { 2 } else { 1 };
        if tile.shape == TensorShape::Split && tile.offset < width {
            let what = format!(
                "the parts of `.16x32bx2` have {width} columns and are {} apart: a store to both writes some twice (9.7.16.8.4)",
                tile.offset
            );
            self.wrong(Rule::Operand, cta, thread, what);
        }
        let operation = self.new_warp_operation(cta, thread, Class::Store);
        let touched = Touched { slot: cta, places: &mut tile.words(start), writes: true };
        self.use_tensor(cta, thread, &operation, touched);
        self.progress += 1;
        let memory = self.tensor_memory(cta);
        for (lane, words) in words.iter().enumerate() {
            for (register, word) in words.iter().enumerate() {
                let (places, count) = tile.places(start, lane, register);
                let word = *word as u32;
                match count {
                    1 => memory.set(places[0].0, places[0].1, word),
                    _ => {
                        for ((row, column), half) in places.into_iter().zip([word & 0xffff, word >> 16]) {
                            memory.set(row, column, half);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs a `tcgen05.fence`.
    pub fn tensor_fence(&mut self, cta: usize, thread: usize, before: bool) {
        let state = self.tensor_thread(cta, thread);
        if before {
            let (id, time) = (state.issue | PHASES, state.issued);
            if time > 0 {
                self.know_tensor(cta, thread, id, time);
            }
            let t = &self.ctas[cta].threads[thread];
            let release = Release { view: Rc::new(t.view.only(PHASES)), id: t.id, times: [0; PROXIES] };
            self.tensor_thread(cta, thread).release = Some(release);
            return;
        }
        let t = &self.ctas[cta].threads[thread];
        let mut known = t.view.clock(Proxy::Generic).only(PHASES);
        t.seen.add_phases(&mut known);
        self.tensor_thread(cta, thread).known.join(&known);
        // What relaxed loads have told of it goes on to others.
        let t = &mut self.ctas[cta].threads[thread];
        Rc::make_mut(&mut Rc::make_mut(&mut t.view).clocks[Proxy::Generic as usize]).join(&known);
    }

    /// Returns what the arrival of a `tcgen05.commit` tells, and counts the commit. It is a fence before the synchronization too.
    pub fn commit_tensor(&mut self, cta: usize, thread: usize) -> [(Id, Time); 2] {
        self.tensor_fence(cta, thread, true);
        let state = self.tensor_thread(cta, thread);
        state.group += 1;
        [(state.groups, state.group), (state.issue, state.issued)]
    }
}

impl Operation {
    fn has_ended(&self, known: &Clock) -> bool {
        known.get(self.end.0 | PHASES) >= self.end.1
    }

    /// Returns whether this operation and a later one are a pair that ends in the order in which it was issued (9.7.16.6.2).
    fn is_pipelined(&self, later: &Self) -> bool {
        self.pair == later.pair
            && match (self.class, later.class) {
                (Class::Multiply(..), Class::Multiply(..)) => self.class == later.class,
                (Class::Copy, Class::Multiply(..)) => true,
                _ => false,
            }
    }

    /// Returns whether this operation is ordered before a later one of a thread that knows so much.
    fn precedes(&self, later: &Self, known: &Clock) -> bool {
        let is_issued = || self.thread == later.thread || known.get(self.issue.0 | PHASES) >= self.issue.1;
        self.has_ended(known) || self.is_pipelined(later) && is_issued()
    }
}

impl TensorReduction {
    /// Returns the minimum or the maximum of words.
    fn of(self, words: &[u64]) -> u64 {
        let operands = words.iter().map(|word| if self.abs { word & 0x7fff_ffff } else { *word });
        let reduced = operands.reduce(|all, word| match self.ty {
            Type::Float(format) => {
                let function = if self.rmw == Rmw::Min { float::Function::Min } else { float::Function::Max };
                let modifiers = float::Modifiers { nan: self.nan, ..float::Modifiers::NEAREST };
                float::compute(function, format, [all, word, 0], &modifiers)
            }
            ty => combine(self.rmw, ty, all, word),
        });
        match reduced {
            Some(bits) if matches!(self.ty, Type::Float(_)) && Format::F32.is_nan(bits) => 0x7fff_ffff,
            bits => bits.unwrap_or_default(),
        }
    }
}
