//! Values that threads pass to each other through global memory, each with a flag.

use super::{AtomicLoadStore, AtomicViewScope, GlobalAtomics};
use crate::qualifier::{sem, space};

/// Places in global memory for values that one thread sends and others receive: each place is a value and its flag. A receiver
/// that sees the flag gets the value, and sees what the sender did before it sent.
///
/// Value and flag are atomic, so no use of a place is a data race. If a place is used again, with another flag, while a thread
/// still receives the earlier value, then that thread may get the later value: let a receiver answer first, by a message of its
/// own.
///
/// ```
/// # use ptx::{atomic::{GlobalAtomics, Messages}, group::Cta, qualifier::scope};
/// # fn kernel(cta: &Cta, sums: GlobalAtomics<f32, scope::Gpu>, flags: GlobalAtomics<u32, scope::Gpu>, sum: f32) {
/// // Each CTA adds its sum to that of the CTA before it. Memory begins as zeros, and 1 says that a sum is there.
/// let sums = Messages::new(sums, flags);
/// let rank = cta.grid_rank() as usize;
/// if cta.is_leader() {
///     let mut before = if rank == 0 { Some(0.0) } else { None };
///     while before.is_none() {
///         before = sums.receive(rank - 1, 1);
///     }
///     sums.send(rank, before.unwrap_or(0.0) + sum, 1);
/// }
/// # }
/// ```
#[derive(Debug)]
#[doc(alias = "message passing")]
pub struct Messages<T, S> {
    values: GlobalAtomics<T, S>,
    flags: GlobalAtomics<u32, S>,
}

impl<T, S> Clone for Messages<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, S> Copy for Messages<T, S> {}

impl<T: AtomicLoadStore<space::Global>, S: AtomicViewScope> Messages<T, S> {
    /// Makes places of values and flags: place `i` is element `i` of both.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn new(values: GlobalAtomics<T, S>, flags: GlobalAtomics<u32, S>) -> Self {
        Messages { values, flags }
    }

    /// Stores `value` at place `i`, then sets the place's flag to `flag` with release semantics. Returns `None`, and stores nothing,
    /// if there is no such place.
    ///
    /// PTX: `st.relaxed{.scope}.global{.type} [value], value;`, then `st.release{.scope}.global.b32 [flag], flag;`
    #[inline(always)]
    pub fn send(self, i: usize, value: T, flag: u32) -> Option<()> {
        let (to, signal) = (self.values.get(i)?, self.flags.get(i)?);
        to.store(value, sem::Relaxed);
        signal.store(flag, sem::Release);
        Some(())
    }

    /// Returns the value at place `i` if the place's flag is `flag`, which it loads with acquire semantics; `None` if the flag has
    /// another value, or if there is no such place.
    ///
    /// PTX: `ld.acquire{.scope}.global.b32 f, [flag];`, then `ld.relaxed{.scope}.global{.type} d, [value];`
    #[inline(always)]
    #[must_use = "a receiver without the value may as well load the flag alone: use the value, or delete the call"]
    pub fn receive(self, i: usize, flag: u32) -> Option<T> {
        let (from, signal) = (self.values.get(i)?, self.flags.get(i)?);
        (signal.load(sem::Acquire) == flag).then(|| from.load(sem::Relaxed))
    }
}

handles! { Copy: Messages<u32, crate::qualifier::scope::Gpu> }
