//! Unspecified values: a load of memory that nothing has written, or a shuffle from a lane that does not take part, is no mistake
//! until its value reaches a store, an address or a branch. A compiler loads before it knows whether what it loads is wanted, and
//! in a reduction of some lanes others compute what nothing uses.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use crate::address::Place;
use crate::order::shadow::At;

/// The instruction that has read an unspecified value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub at: At,
    pub block: [u32; 3],
    pub thread: u32,
    pub read: Read,
}

/// What has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Bytes that nothing has written.
    Memory(Place, usize),
    /// A lane that takes no part in a shuffle, and the shuffle's mask.
    Lane(u32, u32),
    /// A lane and a column of tensor memory that nothing has written.
    Tensor(u32, u32),
}

/// The uninitialized values of a thread.
#[derive(Debug, Default)]
pub struct Taint {
    /// The registers of all frames that hold such a value.
    pub registers: Vec<(usize, Origin)>,
    /// The bytes of local memory that hold one.
    pub local: Vec<(Range<usize>, Origin)>,
    /// A value of `registers` that the current instruction has read.
    pub used: Cell<Option<Origin>>,
    /// The registers that instructions have read and written since the last look, of a thread whose accesses are traced.
    traced: Option<RefCell<(Vec<usize>, Vec<usize>)>>,
}

/// The place of the carry flag among the registers.
pub const CARRY: usize = usize::MAX;

impl Taint {
    /// Returns whether no register holds an uninitialized value, and no access is traced.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.traced.is_none()
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
        if let Some(traced) = &self.traced {
            traced.borrow_mut().0.push(register);
        }
        if !self.registers.is_empty()
            && let Some(origin) = self.of(register)
        {
            self.used.set(Some(origin));
        }
    }

    /// Notes that an instruction writes a register.
    #[inline]
    pub fn writes(&mut self, register: usize) {
        if let Some(traced) = &mut self.traced {
            traced.get_mut().1.push(register);
        }
        if !self.registers.is_empty() {
            self.set(register, None);
        }
    }

    /// Traces the accesses to registers from now on.
    pub fn trace(&mut self) {
        self.traced.get_or_insert_default();
    }

    /// Returns the registers that were read and written since the last call.
    pub fn take_traced(&self) -> (Vec<usize>, Vec<usize>) {
        self.traced.as_ref().map(RefCell::take).unwrap_or_default()
    }

    /// Forgets the accesses since the last look.
    pub fn forget_traced(&self) {
        self.take_traced();
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
    pub fn forget(&mut self, origin: Origin) {
        self.registers.retain(|(_, other)| *other != origin);
        self.local.retain(|(_, other)| *other != origin);
    }
}
