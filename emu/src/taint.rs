//! Unspecified values: a load of memory that nothing has written, or a shuffle from a lane that does not take part, is no mistake
//! until its value reaches a store, an address or a branch. A compiler loads before it knows whether what it loads is wanted, and
//! in a reduction of some lanes others compute what nothing uses.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::exec::{Plain, Registers, plain};
use crate::finding::{Party, Rule};
use crate::machine::{Flow, Machine, Outcome, Thread};
use crate::memory::Place;
use crate::op::{Load, Op, Slot, Src, Store};
use crate::shadow::At;

/// The instruction that has read an unspecified value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    at: At,
    block: [u32; 3],
    thread: u32,
    read: Read,
}

/// What has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    /// Bytes that nothing has written.
    Memory(Place, usize),
    /// A lane that takes no part in a shuffle, and the shuffle's mask.
    Lane(u32, u32),
}

/// The uninitialized values of a thread.
#[derive(Debug, Default)]
pub struct Taint {
    /// The registers of all frames that hold such a value.
    registers: Vec<(usize, Origin)>,
    /// The bytes of local memory that hold one.
    local: Vec<(Range<usize>, Origin)>,
    /// A value of `registers` that the current instruction has read.
    used: Cell<Option<Origin>>,
}

/// The place of the carry flag among the registers.
const CARRY: usize = usize::MAX;

impl Taint {
    /// Returns whether no register holds an uninitialized value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty()
    }

    pub fn of(&self, register: usize) -> Option<Origin> {
        self.registers.iter().find(|(tainted, _)| *tainted == register).map(|(_, origin)| *origin)
    }

    pub fn set(&mut self, register: usize, origin: Option<Origin>) {
        self.registers.retain(|(tainted, _)| *tainted != register);
        self.registers.extend(origin.map(|origin| (register, origin)));
    }

    /// Notes that the current instruction reads a register.
    #[inline]
    pub fn reads(&self, register: usize) {
        if !self.registers.is_empty()
            && let Some(origin) = self.of(register)
        {
            self.used.set(Some(origin));
        }
    }

    /// Notes that an instruction writes a register.
    #[inline]
    pub fn writes(&mut self, register: usize) {
        if !self.registers.is_empty() {
            self.set(register, None);
        }
    }

    /// Returns the value that the current instruction has read since the last call.
    pub fn take_used(&self) -> Option<Origin> {
        self.used.take()
    }

    /// Forgets the registers and the local memory of a frame that has ended.
    pub fn leave(&mut self, registers: usize, local: usize) {
        self.registers.retain(|(register, _)| *register < registers || *register == CARRY);
        self.local.retain(|(range, _)| range.start < local);
    }

    /// Copies bytes of local memory: the arguments or the results of a call.
    pub fn copy_local(&mut self, from: Range<usize>, to: usize) {
        if self.local.is_empty() {
            return;
        }
        let inside = |range: &Range<usize>| from.start <= range.start && range.end <= from.end;
        let copied: Vec<_> = self.local.iter().filter(|(range, _)| inside(range)).cloned().collect();
        self.write_local(to..to + from.len(), None);
        let there = |range: Range<usize>| to + range.start - from.start..to + range.end - from.start;
        self.local.extend(copied.into_iter().map(|(range, origin)| (there(range), origin)));
    }

    pub fn write_local(&mut self, bytes: Range<usize>, origin: Option<Origin>) {
        self.local.retain(|(range, _)| range.end <= bytes.start || bytes.end <= range.start);
        self.local.extend(origin.map(|origin| (bytes, origin)));
    }

    pub fn of_local(&self, bytes: &Range<usize>) -> Option<Origin> {
        let meets = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
        self.local.iter().find(|(range, _)| meets(range)).map(|(_, origin)| *origin)
    }

    /// Forgets a value, which has been reported.
    fn forget(&mut self, origin: Origin) {
        self.registers.retain(|(_, other)| *other != origin);
        self.local.retain(|(_, other)| *other != origin);
    }
}

/// The registers that instructions on registers alone read and write.
pub trait Bank {
    fn value(&self, src: Src) -> u64;
    fn get(&self, slot: Slot) -> u64;
    fn set(&mut self, slot: Slot, bits: u64);
    fn carry(&self) -> u64;
    fn set_carry(&mut self, bits: u64);
}

/// Registers that keep what is written apart, and note which uninitialized values are read. A trial gives these other values.
struct Traced<'a> {
    registers: Registers<'a>,
    taint: &'a [(usize, Origin)],
    /// The first register of the frame.
    base: usize,
    /// The values of a trial.
    trial: Option<&'a [u64]>,
    used: Cell<Option<Origin>>,
    /// The initialized values that are read.
    others: RefCell<Vec<u64>>,
    written: Vec<(usize, u64)>,
}

impl Traced<'_> {
    fn read(&self, register: usize, value: u64) -> u64 {
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
            others: RefCell::default(),
            written: Vec::new(),
        };
        let flow = plain(&mut traced, op);
        let used = traced.used.take();
        let written = std::mem::take(&mut traced.written);
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
                (Rule::Uninitialized, format!("uses a value read from {what}, which nothing has written"))
            }
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
