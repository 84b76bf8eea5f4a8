//! Follows unspecified values through the instructions of a thread, and reports their uses.

use std::cell::{Cell, RefCell};

use crate::address::Place;
use crate::execution::agent::Agent;
use crate::execution::machine::{Flow, Machine, Outcome};
use crate::execution::plain::{Bank, Plain, Registers, plain};
use crate::execution::thread::Thread;
use crate::finding::{Party, Rule};
use crate::frontend::op::{Load, Op, Slot, Src, Store};
use crate::order::shadow::At;
use crate::order::taint::{CARRY, Origin, Read};

/// Registers that keep what is written apart, and note which uninitialized values are read. A trial gives these other values.
struct Traced<'a> {
    registers: Registers<'a>,
    taint: &'a [(usize, Origin)],
    /// The first register of the frame.
    base: usize,
    /// The values of a trial.
    trial: Option<&'a [u64]>,
    used: Cell<Option<Origin>>,
    /// The registers that are read.
    reads: RefCell<Vec<usize>>,
    /// The initialized values that are read.
    others: RefCell<Vec<u64>>,
    written: Vec<(usize, u64)>,
}

impl Traced<'_> {
    fn read(&self, register: usize, value: u64) -> u64 {
        self.reads.borrow_mut().push(register);
        let Some(i) = self.taint.iter().position(|(tainted, _)| *tainted == register) else {
            self.others.borrow_mut().push(value);
            return value;
        };
        self.used.set(Some(self.taint[i].1));
        self.trial.map_or(value, |values| values[i % values.len()])
    }
}

impl Bank for Traced<'_> {
    fn value(&self, src: Src) -> u64 {
        let value = self.registers.value(src);
        match src.0 >> 30 {
            0 => self.read(self.base + src.0 as usize, value),
            _ => {
                self.others.borrow_mut().push(value);
                value
            }
        }
    }

    fn get(&self, slot: Slot) -> u64 {
        self.read(self.base + slot as usize, self.registers.get(slot))
    }

    fn set(&mut self, slot: Slot, bits: u64) {
        self.written.push((self.base + slot as usize, bits));
    }

    fn carry(&self) -> u64 {
        self.read(CARRY, self.registers.carry())
    }

    fn set_carry(&mut self, bits: u64) {
        self.written.push((CARRY, bits));
    }
}

/// Values that an uninitialized one may have: extremes of integers, infinities, NaN.
const TRIALS: [u64; 9] = [
    0,
    u64::MAX,
    1,
    0x7fff_ffff_7fff_7f7f,
    0x8000_0000_8000_8080,
    0xff80_0000_ff80_0000,
    0x7f80_0000_7f80_0000,
    0xfff0_0000_fc00_fc00,
    0x7ff0_0000_7c00_7c00,
];

impl Machine<'_> {
    /// Runs the next instruction of a thread with an uninitialized value in a register.
    pub fn step_tainted(&mut self, cta: usize, thread: usize) -> Outcome {
        let program = self.program;
        let t = &self.ctas[cta].threads[thread];
        let instruction = &program.functions[t.frame.function].code[t.pc as usize];
        let at = self.at(cta, thread);
        t.taint.take_used();
        if let Some((guard, negated)) = instruction.guard {
            let register = t.frame.registers + guard as usize;
            let skips = (t.registers[register] & 1 == 1) == negated;
            if let Some(origin) = t.taint.of(register) {
                self.uses(cta, thread, at, origin);
            }
            if skips {
                return Ok(Flow::Next);
            }
        }
        match self.plain_tainted(cta, thread, &instruction.op) {
            Plain::Next => return Ok(Flow::Next),
            Plain::Jump(to) => {
                if let Some(origin) = self.ctas[cta].threads[thread].taint.take_used() {
                    self.uses(cta, thread, at, origin);
                }
                return Ok(Flow::Jump(to));
            }
            Plain::Other => {}
        }
        let flow = self.step(cta, thread, &instruction.op);
        // What a warp does together is checked when it does it.
        if !matches!(instruction.op, Op::Warp(_)) {
            self.watch_traced(cta, thread, at);
        }
        // The threads of a cluster that has ended are gone.
        if let Some(origin) = self.ctas[cta].threads.get(thread).and_then(|t| t.taint.take_used()) {
            match &instruction.op {
                // These compute with an address, or with the state of an mbarrier.
                Op::FromGeneric(d, ..)
                | Op::IsSpace(d, ..)
                | Op::Mapa { d, .. }
                | Op::Getctarank { d, .. }
                | Op::PendingCount(d, _) => self.taint(cta, thread, *d, origin),
                _ => self.uses(cta, thread, at, origin),
            }
        }
        flow
    }

    /// Runs an instruction on registers alone. A result is tainted if it depends on an uninitialized value.
    fn plain_tainted(&mut self, cta: usize, thread: usize, op: &Op) -> Plain {
        let Thread { registers, taint, frame, shared_base, carry, .. } = &mut self.ctas[cta].threads[thread];
        let mut traced = Traced {
            registers: Registers::new(&self.constants, registers, *frame, *shared_base, carry),
            taint: &taint.registers,
            base: frame.registers,
            trial: None,
            used: Cell::new(None),
            reads: RefCell::default(),
            others: RefCell::default(),
            written: Vec::new(),
        };
        let flow = plain(&mut traced, op);
        let used = traced.used.take();
        let written = std::mem::take(&mut traced.written);
        let reads = traced.reads.take();
        let mut depends = vec![false; written.len()];
        if used.is_some() && !written.is_empty() {
            let mut values = TRIALS.to_vec();
            values.append(&mut traced.others.borrow_mut());
            // Each register has another value of the trial.
            let values = [values.clone(), values].concat();
            for first in 0..values.len() / 2 {
                traced.trial = Some(&values[first..]);
                plain(&mut traced, op);
                let results = std::mem::take(&mut traced.written);
                for (i, write) in written.iter().enumerate() {
                    depends[i] |= results.get(i) != Some(write);
                }
            }
        }
        for (register, bits) in &written {
            match *register {
                CARRY => *carry = *bits,
                register => registers[register] = *bits,
            }
        }
        for ((register, _), depends) in written.iter().zip(depends) {
            taint.set(*register, used.filter(|_| depends));
        }
        taint.used.set(used);
        if self.ctas[cta].threads[thread].watch.is_some() {
            let at = self.at(cta, thread);
            let writes: Vec<_> = written.iter().map(|(register, _)| *register).collect();
            self.watch_accesses(cta, thread, at, (&reads, &writes), matches!(op, Op::Move(..)));
        }
        flow
    }

    /// Taints a register.
    pub fn taint(&mut self, cta: usize, thread: usize, slot: Slot, origin: Origin) {
        let t = &mut self.ctas[cta].threads[thread];
        t.taint.set(t.frame.registers + slot as usize, Some(origin));
    }

    /// Reports the use of an uninitialized value.
    pub fn uses(&mut self, cta: usize, thread: usize, at: At, origin: Origin) {
        let place = |block, thread, at| self.party_at(false, Some(block), Some(thread), at);
        let here: Party = place(self.ctas[cta].index, thread as u32, at);
        let read = place(origin.block, origin.thread, origin.at);
        let (rule, what) = match origin.read {
            Read::Memory(place, len) => {
                let what = self.describe(place, len);
                let copy = match self.copy_to(place, len) {
                    Some(at) => {
                        let line = self.party_at(true, None, None, at).line;
                        format!(": the copy of line {line} of the PTX to it is in flight")
                    }
                    None => String::new(),
                };
                (
                    Rule::Uninitialized,
                    format!("uses a value read from {what}, which nothing has written{copy}"),
                )
            }
            Read::Tensor(lane, column) => (
                Rule::Uninitialized,
                format!(
                    "uses a value read from lane {lane} of column {column} of tensor memory, which nothing has written since its allocation"
                ),
            ),
            Read::Lane(lane, mask) => (
                Rule::Divergence,
                format!(
                    "uses the value of lane {lane}, which takes no part in the shuffle with the mask {mask:#010x}: the value is unspecified"
                ),
            ),
        };
        self.find(rule, what, here, Some(read), (at, origin.at));
        self.ctas[cta].threads[thread].taint.forget(origin);
    }

    /// Returns the instruction of an asynchronous operation that is to write memory.
    fn copy_to(&self, place: Place, len: usize) -> Option<At> {
        let writes =
            |agent: &&Agent| agent.writes.iter().any(|piece| piece.place.overlaps(piece.len, place, len));
        self.agents.iter().find(writes).map(|agent| agent.at)
    }

    /// Taints what a shuffle has read of a lane that takes no part in it.
    pub fn taint_shuffled(&mut self, cta: usize, thread: usize, slot: Slot, (lane, mask): (u32, u32)) {
        let (block, at) = (self.ctas[cta].index, self.at(cta, thread));
        let read = Read::Lane(lane, mask);
        self.taint(cta, thread, slot, Origin { at, block, thread: thread as u32, read });
    }

    /// Taints what a load has read of memory that nothing has written, or of local memory that holds such a value.
    pub fn taint_loaded(
        &mut self,
        cta: usize,
        thread: usize,
        load: &Load,
        (place, bytes): (Place, usize),
        is_uninitialized: bool,
    ) {
        let (block, at) = (self.ctas[cta].index, self.at(cta, thread));
        for (i, d) in load.d.iter().enumerate() {
            let Some(d) = d else { continue };
            let place = place.offset(i * bytes);
            let origin = match place {
                Place::Local(offset) => {
                    self.ctas[cta].threads[thread].taint.of_local(&(offset..offset + bytes))
                }
                place if is_uninitialized && self.is_uninitialized(place, bytes) => {
                    Some(Origin { at, block, thread: thread as u32, read: Read::Memory(place, bytes) })
                }
                _ => None,
            };
            if let Some(origin) = origin {
                self.taint(cta, thread, *d, origin);
            }
        }
    }

    /// Moves the uninitialized values that a store to local memory writes. A store elsewhere uses them.
    pub fn taint_stored(&mut self, cta: usize, thread: usize, store: &Store, place: Place, bytes: usize) {
        let t = &mut self.ctas[cta].threads[thread];
        let Place::Local(offset) = place else { return };
        for (i, src) in store.values.iter().enumerate() {
            let origin = if src.0 >> 30 == 0 { t.taint.of(t.frame.registers + src.0 as usize) } else { None };
            let start = offset + i * bytes;
            t.taint.write_local(start..start + bytes, origin);
        }
        t.taint.take_used();
    }

    /// Returns whether local memory of a thread holds an uninitialized value.
    pub fn has_tainted_local(&self, cta: usize, thread: usize) -> bool {
        !self.ctas[cta].threads[thread].taint.local.is_empty()
    }
}
