//! Accesses to memory: finds the memory of an address, and checks that what happened before orders the access.

use std::hash::Hasher;

use crate::address::{LOCAL_WINDOW, PARAM_WINDOW, Place, RANK_SHIFT, SHARED_BASE};
use crate::execution::machine::Machine;
use crate::execution::thread::value;
use crate::execution::word::copy;
use crate::finding::Rule;
use crate::frontend::op::{Address, Scope, Space};
use crate::order::clock::{Proxy, View};
use crate::order::explore::{Thing, Use};
use crate::order::shadow::{Access, Conflict, Epoch, Shadow};
use crate::report::{Fault, FaultKind};

/// How an access uses memory.
#[derive(Debug, Clone, Copy)]
pub enum How<'a> {
    Reads,
    /// Reads, and nobody learns when.
    Prefetches,
    Writes,
    /// A plain store of these bytes, in elements.
    Stores {
        bytes: &'a [u8],
        element: u8,
    },
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

impl Machine<'_> {
    /// Finds the memory of an address operand, and checks bounds and alignment.
    #[inline(always)]
    pub fn resolve(
        &mut self,
        cta: usize,
        thread: usize,
        address: Address,
        len: usize,
        align: u64,
    ) -> Result<Place, Fault> {
        let base = value(&self.constants, &self.ctas[cta].threads[thread], address.base);
        let at = base.wrapping_add_signed(address.offset);
        self.place(cta, thread, address.space, at, len, align)
    }

    /// Finds the memory of an address. `align` is a power of two.
    #[inline(always)]
    pub fn place(
        &mut self,
        cta: usize,
        thread: usize,
        space: Space,
        at: u64,
        len: usize,
        align: u64,
    ) -> Result<Place, Fault> {
        match self.near_place(cta, space, at, len) {
            Some(place) if at & (align - 1) == 0 => Ok(place),
            _ => self.any_place(cta, thread, space, at, len, align),
        }
    }

    #[inline(never)]
    fn any_place(
        &mut self,
        cta: usize,
        thread: usize,
        space: Space,
        at: u64,
        len: usize,
        align: u64,
    ) -> Result<Place, Fault> {
        if !at.is_multiple_of(align) {
            let fault = self.fault(cta, thread, format!("the address {at:#x} is not a multiple of {align}"));
            return Err(Fault { kind: FaultKind::Misaligned, ..fault });
        }
        self.find_place(cta, thread, space, at, len)
            .map_err(|fault| Fault { kind: FaultKind::Address, ..fault })
    }

    /// Finds the memory of most addresses: those of global memory, and of the shared memory of the thread's block.
    #[inline]
    fn near_place(&self, cta: usize, space: Space, at: u64, len: usize) -> Option<Place> {
        match space {
            Space::SharedCta => {
                let block = &self.ctas[cta];
                let offset = (at as u32).wrapping_sub(block.rank << RANK_SHIFT | SHARED_BASE) as usize;
                let fits = offset < block.shared.len() && block.shared.len() - offset >= len;
                fits.then_some(Place::Shared(cta, offset))
            }
            Space::Global => self.global.find(at, len).map(|(index, offset)| Place::Global(index, offset)),
            _ => None,
        }
    }

    fn find_place(
        &mut self,
        cta: usize,
        thread: usize,
        space: Space,
        at: u64,
        len: usize,
    ) -> Result<Place, Fault> {
        let space = match (space, at >> 32) {
            (Space::Generic, 1) => Space::SharedCluster,
            (Space::Generic, 2) => return self.find_place(cta, thread, Space::Local, at - LOCAL_WINDOW, len),
            (Space::Generic, 3) => Space::Param,
            (Space::Generic | Space::Const, _) => Space::Global,
            (space, _) => space,
        };
        let place = match space {
            Space::SharedCta | Space::SharedCluster => {
                let at = at as u32;
                let (rank, offset) = (at >> RANK_SHIFT, at & ((1 << RANK_SHIFT) - 1));
                let block = &self.ctas[cta];
                if space == Space::SharedCta && rank != block.rank {
                    let what =
                        format!("the `.shared::cta` address {at:#x} is of block {rank} of the cluster");
                    return Err(self.fault(cta, thread, what));
                }
                if rank >= self.cluster_size() {
                    let what =
                        format!("the `.shared::cluster` address {at:#x} is of no block of the cluster");
                    return Err(self.fault(cta, thread, what));
                }
                let slot = block.cluster + rank as usize;
                let offset = (offset as usize).wrapping_sub(SHARED_BASE as usize);
                let owner = &self.ctas[slot];
                if offset.saturating_add(len) > owner.shared.len() {
                    let what = format!(
                        "{len} bytes at the shared address {at:#x}, but the block has {} bytes from {SHARED_BASE:#x} on",
                        owner.shared.len()
                    );
                    return Err(self.fault(cta, thread, what));
                }
                if owner.live == 0 && slot != cta {
                    let what =
                        format!("an access to shared memory of block {:?}, which has ended", owner.index);
                    self.wrong(Rule::PeerExited, cta, thread, what);
                }
                self.check_started(cta, thread, slot);
                Place::Shared(slot, offset)
            }
            Space::Local => {
                let offset = at as usize;
                if offset.saturating_add(len) > self.ctas[cta].threads[thread].local.len() {
                    return Err(self.fault(
                        cta,
                        thread,
                        format!("{len} bytes at {at:#x} are out of local memory"),
                    ));
                }
                Place::Local(offset)
            }
            Space::Param => {
                let offset = at.wrapping_sub(if at >= PARAM_WINDOW { PARAM_WINDOW } else { 0 }) as usize;
                if offset.saturating_add(len) > self.launch.params.len() {
                    return Err(self.fault(
                        cta,
                        thread,
                        format!("{len} bytes at {at:#x} are out of the parameters"),
                    ));
                }
                Place::Param(offset)
            }
            _ => match self.global.find(at, len) {
                Some((index, offset)) => Place::Global(index, offset),
                None => {
                    let beside = self
                        .global
                        .beside(at, len)
                        .map_or(String::new(), |beside| format!(": they {beside}"));
                    let what =
                        format!("{len} bytes at the global address {at:#x} are in no allocation{beside}");
                    return Err(self.fault(cta, thread, what));
                }
            },
        };
        Ok(place)
    }

    /// Checks that a thread knows that another block of its cluster has started.
    pub fn check_started(&mut self, cta: usize, thread: usize, slot: usize) {
        if slot == cta || !self.options.check {
            return;
        }
        let started = self.ctas[self.ctas[cta].cluster].cluster_barrier.started;
        let clock = self.ctas[cta].threads[thread].view.clock(Proxy::Generic);
        let owner = &self.ctas[slot];
        if !clock.knows_cta(owner.number) && (started == 0 || clock.get(started) == 0) {
            let what = format!(
                "an access to shared memory of block {:?}, and nothing has told the thread that the block has started: a barrier \
                 of the cluster does",
                owner.index
            );
            self.wrong(Rule::PeerNotStarted, cta, thread, what);
        }
    }

    /// Returns the bytes of a place, unchecked.
    pub fn peek(&self, cta: usize, thread: usize, place: Place, len: usize) -> &[u8] {
        match place {
            Place::Global(index, offset) => &self.global.allocations[index].bytes[offset..offset + len],
            Place::Shared(slot, offset) => &self.ctas[slot].shared[offset..offset + len],
            Place::Local(offset) => &self.ctas[cta].threads[thread].local[offset..offset + len],
            Place::Param(offset) => &self.launch.params[offset..offset + len],
        }
    }

    pub fn poke(&mut self, cta: usize, thread: usize, place: Place, bytes: &[u8]) {
        let len = bytes.len();
        let to = match place {
            Place::Global(index, offset) => &mut self.global.allocations[index].bytes[offset..offset + len],
            Place::Shared(slot, offset) => &mut self.ctas[slot].shared[offset..offset + len],
            Place::Local(offset) => &mut self.ctas[cta].threads[thread].local[offset..offset + len],
            Place::Param(_) => return,
        };
        copy(to, bytes);
    }

    /// Checks an access of a thread against the earlier accesses.
    #[inline]
    pub fn check(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        len: usize,
        how: How<'_>,
        strong: Option<Scope>,
    ) {
        let conflict = self.check_how(cta, thread, place, len, how, strong);
        self.note(cta, thread, conflict, (place, len), how);
    }

    /// Checks a load. Returns whether the load reads memory that nothing has written.
    #[inline]
    pub fn check_load(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        len: usize,
        strong: Option<Scope>,
    ) -> bool {
        let conflict = self.check_how(cta, thread, place, len, How::Reads, strong);
        if conflict == Some(Conflict::Uninitialized) {
            return true;
        }
        self.note(cta, thread, conflict, (place, len), How::Reads);
        false
    }

    #[inline]
    fn note(
        &mut self,
        cta: usize,
        thread: usize,
        conflict: Option<Conflict>,
        (place, len): (Place, usize),
        how: How<'_>,
    ) {
        if let Some(conflict) = conflict {
            self.note_conflict(cta, thread, conflict, (place, len), !matches!(how, How::Reads));
        }
    }

    #[cold]
    fn note_conflict(
        &mut self,
        cta: usize,
        thread: usize,
        conflict: Conflict,
        (place, len): (Place, usize),
        wrote: bool,
    ) {
        let (here, at, what) = (self.party(cta, thread), self.at(cta, thread), self.describe(place, len));
        self.conflict(conflict, wrote, here, at, &what);
    }

    #[inline]
    fn check_how(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        len: usize,
        how: How<'_>,
        strong: Option<Scope>,
    ) -> Option<Conflict> {
        // No other thread can access these two.
        if !self.options.check || matches!(place, Place::Local(_) | Place::Param(_)) {
            return None;
        }
        let at = self.at(cta, thread);
        let t = &self.ctas[cta].threads[thread];
        let (view, passed) = (t.view.clone(), t.passed.clone());
        let stored = if let How::Stores { element, .. } = how { element } else { 0 };
        let epoch =
            Epoch { id: t.id, time: t.times[0], at, proxy: t.proxy, by: thread as u16, stored, strong };
        let (alias_fence, passed) = (t.times[Proxy::Alias as usize], passed.as_deref());
        let access = Access { alias_fence, passed, ..self.access(epoch, &view) };
        self.touch(place, len, how, &access)
    }

    /// Returns whether memory has bytes that nothing has written.
    pub fn is_uninitialized(&mut self, place: Place, len: usize) -> bool {
        let found = self.shadow(place).and_then(|(shadow, _, offset)| shadow.uninitialized(offset, len));
        found.is_some()
    }

    /// Checks that the memory that an atomic operation reads is initialized.
    pub fn check_old_value(&mut self, cta: usize, thread: usize, place: Place, len: usize) {
        if self.options.check && self.is_uninitialized(place, len) {
            self.note(cta, thread, Some(Conflict::Uninitialized), (place, len), How::Reads);
        }
    }

    pub fn access<'v>(&self, epoch: Epoch, view: &'v View) -> Access<'v> {
        Access { epoch, view, cluster: self.cluster_size(), alias_fence: 0, passed: None }
    }

    /// Returns the shadow memory of a place that several threads can access, the memory, and the place's offset there.
    fn shadow(&mut self, place: Place) -> Option<(&mut Shadow, &[u8], usize)> {
        match place {
            Place::Global(index, offset) => {
                let allocation = &mut self.global.allocations[index];
                Some((&mut allocation.shadow, &allocation.bytes, offset))
            }
            Place::Shared(slot, offset) => {
                let block = &mut self.ctas[slot];
                Some((&mut block.shadow, &block.shared, offset))
            }
            Place::Local(_) | Place::Param(_) => None,
        }
    }

    /// Notes an access in shadow memory.
    #[inline]
    pub fn touch(&mut self, place: Place, len: usize, how: How<'_>, access: &Access<'_>) -> Option<Conflict> {
        let (shadow, memory, offset) = self.shadow(place)?;
        let old = &memory[offset..offset + len];
        let conflict = match how {
            How::Reads => shadow.read(offset, len, access),
            How::Prefetches => shadow.prefetch(offset, len, access),
            How::Writes => shadow.write(offset, len, access, old, None),
            How::Stores { bytes, .. } => shadow.write(offset, len, access, old, Some(bytes)),
        };
        let thing = match place {
            Place::Global(index, _) => Thing::Global(index),
            Place::Shared(slot, _) => Thing::Shared(slot),
            Place::Local(_) | Place::Param(_) => return None,
        };
        let combines = self.combines.take();
        if self.explorer.is_none() {
            return conflict;
        }
        let how = match combines {
            Some(rmw) => Use::Combines(rmw),
            None => match how {
                How::Reads | How::Prefetches => Use::Reads,
                // The order of weak stores of one value does not matter.
                How::Stores { bytes, .. } if access.epoch.strong.is_none() => Use::Stores(hash(bytes)),
                How::Writes | How::Stores { .. } => Use::Writes,
            },
        };
        self.touches(thing, offset..offset + len, how);
        conflict
    }

    pub fn describe(&self, place: Place, len: usize) -> String {
        match place {
            Place::Global(index, offset) => {
                format!("{len} bytes at byte {offset} of global allocation {index}")
            }
            Place::Shared(slot, offset) => {
                let block = self.ctas[slot].index;
                format!(
                    "{len} bytes at {:#x} of the shared memory of block {block:?}",
                    offset + SHARED_BASE as usize
                )
            }
            Place::Local(offset) => format!("{len} bytes at byte {offset} of local memory"),
            Place::Param(offset) => format!("{len} bytes at byte {offset} of the parameters"),
        }
    }

    pub fn read(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        bytes: &mut [u8],
        strong: Option<Scope>,
    ) -> Result<(), Fault> {
        self.check(cta, thread, place, bytes.len(), How::Reads, strong);
        copy(bytes, self.peek(cta, thread, place, bytes.len()));
        Ok(())
    }

    /// Writes bytes that are not those of a plain store.
    pub fn write(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        bytes: &[u8],
        strong: Option<Scope>,
    ) -> Result<(), Fault> {
        self.write_how(cta, thread, place, bytes, How::Writes, strong)
    }

    /// Writes the elements of a plain store, each of `element` bytes.
    pub fn write_elements(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        (bytes, element): (&[u8], usize),
        strong: Option<Scope>,
    ) -> Result<(), Fault> {
        self.write_how(cta, thread, place, bytes, How::Stores { bytes, element: element as u8 }, strong)
    }

    fn write_how(
        &mut self,
        cta: usize,
        thread: usize,
        place: Place,
        bytes: &[u8],
        how: How<'_>,
        strong: Option<Scope>,
    ) -> Result<(), Fault> {
        if let Place::Param(_) = place {
            return Err(self.fault(cta, thread, "a store to the parameters of the kernel"));
        }
        if let Place::Shared(slot, offset) = place {
            self.overwrites_mbarrier(cta, thread, slot, offset, bytes.len());
        }
        self.check(cta, thread, place, bytes.len(), how, strong);
        self.poke(cta, thread, place, bytes);
        self.wake_spinning(place);
        Ok(())
    }

    /// Wakes the threads that wait for a write to a place.
    pub fn wake_spinning(&mut self, place: Place) {
        let waiting = std::mem::take(&mut self.spinning);
        for (other, (cta, thread)) in waiting {
            if other == place {
                self.wake(cta as usize, thread);
            } else {
                self.spinning.push((other, (cta, thread)));
            }
        }
    }

    /// Reports a store over a valid mbarrier.
    fn overwrites_mbarrier(&mut self, cta: usize, thread: usize, slot: usize, offset: usize, len: usize) {
        if !self.options.check || self.ctas[slot].mbarriers.is_empty() || len > 64 {
            return;
        }
        // An mbarrier is aligned to its 8 bytes.
        let mut words = (offset as u32 & !7..(offset + len) as u32).step_by(8);
        if words.any(|at| self.ctas[slot].mbarriers.contains_key(&at)) {
            self.wrong(Rule::Mbarrier, cta, thread, "writes over a valid mbarrier");
        }
    }
}
