//! Scopes: memory at rest is lent to a closure, for asynchronous copies, and comes back when these are complete.

use core::marker::PhantomData;

use super::{ALIGN, AtRest, Element, Free, Place, Shared};
use crate::group::{Brand, Cta, End, HandOver};
use crate::size;

/// An array of `N` elements in shared memory (`__shared__ T a[N]`), at rest: no copy is in flight, no thread reads or writes.
///
/// [`Cta::async_scope`] lends the array to threads and copies, as a [`Shared`].
#[derive(Debug)]
pub struct SharedArray<T, const N: usize> {
    addr: u32,
    _elements: PhantomData<*mut [T; N]>,
}

// SAFETY: the handle uses `N` elements from `addr` on, which are `SIZE` bytes.
unsafe impl<T: Element, const N: usize> Place for SharedArray<T, N> {
    const SIZE: u32 = size::shared(size::bytes::<T, N>());
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        SharedArray { addr, _elements: PhantomData }
    }
}

/// Handles of shared memory that [`Cta::async_scope`] and [`Cta::cluster_scope`] lend to their closures for asynchronous copies,
/// and return when these copies are complete. A tuple of one to six handles is lent as one.
///
/// # Safety
///
/// - An `InScope<'s>` stands for idle memory of the scope `'s`. Safe code gets it from `open` alone, which it calls once for each
///   scope.
/// - Safe code gets an `Ended<'s>` only when no operation of its CTA on the memory is in flight. The exception is a copy that
///   another CTA waits for before that CTA gets its own `Ended`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be lent to a scope",
    label = "not a handle at rest",
    note = "a scope takes a `SharedArray`, a `RingMemory`, a `PipelineMemory`, an `Mbarrier<Ready>`, a `DsmemBuffer<T, N, V, Ready>`, or a tuple of one to six of them",
    note = "`.init(&cta)` makes an `Mbarrier<Uninit>` ready, `init` a DSMEM buffer; hand an `Mbarrier<Uninit>` that one thread uses to `cta.invoke_one(…)` instead"
)]
pub unsafe trait Scoped {
    /// The handle inside the scope `'s`.
    type InScope<'s>;
    /// The proof that a last scope asks for ([`Cta::async_scope_last`], [`Cta::cluster_scope_last`]): an [`Ended`], or `()` for a
    /// handle without memory of a copy, such as an `Mbarrier<Ready>`.
    type Ended<'s>;
    /// Whether other CTAs may use the memory, or the mbarriers in it, from the start of a cluster scope on, before the first
    /// cluster barrier inside the scope.
    #[doc(hidden)]
    const USED_BY_PEERS: bool = true;
    /// Whether bulk copies of other CTAs complete on the mbarriers of the handle.
    #[doc(hidden)]
    const FILLED_BY_COPIES: bool = false;
    /// Lends the handle to the scope `'s`.
    ///
    /// # Safety
    ///
    /// No other scope has this `'s`. The handle that `open` gives comes back, or its use is ended, before the kernel ends.
    #[doc(hidden)]
    unsafe fn open<'s>(self) -> Self::InScope<'s>;
    /// Takes the lent handle back at the end of its scope.
    ///
    /// # Safety
    ///
    /// `lent` comes from the scope that ends.
    #[doc(hidden)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self;
}

// SAFETY: `open` alone makes the first `Shared` of a scope, in an idle state; a copy in flight owns its `Shared`.
unsafe impl<T: Element, const N: usize> Scoped for SharedArray<T, N> {
    type InScope<'s> = Shared<'s, T, N, Free>;
    type Ended<'s> = Ended<'s, Self>;
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Shared<'s, T, N, Free> {
        Shared::new(self.addr)
    }
    #[inline(always)]
    unsafe fn give_back(lent: Shared<'_, T, N, Free>) -> Self {
        SharedArray { addr: lent.addr, _elements: PhantomData }
    }
}

// SAFETY: `()` lends no memory.
unsafe impl Scoped for () {
    type InScope<'s> = ();
    type Ended<'s> = ();
    const USED_BY_PEERS: bool = false;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {}
    #[inline(always)]
    unsafe fn give_back(_lent: Self::InScope<'_>) {}
}

macro_rules! lend_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each part of the tuple is `Scoped`.
        unsafe impl<$($H: Scoped),+> Scoped for ($($H,)+) {
            type InScope<'s> = ($($H::InScope<'s>,)+);
            type Ended<'s> = ($($H::Ended<'s>,)+);
            const USED_BY_PEERS: bool = $($H::USED_BY_PEERS)||+;
            const FILLED_BY_COPIES: bool = $($H::FILLED_BY_COPIES)||+;
            #[inline(always)]
            unsafe fn open<'s>(self) -> Self::InScope<'s> {
                // SAFETY: the caller's contract (`# Safety` of `open`) covers each part.
                unsafe { ($(self.$i.open(),)+) }
            }
            #[inline(always)]
            unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
                // SAFETY: the caller's contract (`# Safety` of `give_back`) covers each part.
                unsafe { ($($H::give_back(lent.$i),)+) }
            }
        }
    )* };
}
lend_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

impl Cta {
    /// Lends shared memory to `body` for async copies (TMA, `cp.async`), and returns the memory when no copy is in flight.
    ///
    /// `body` gets each array as a [`Shared`] in the state [`Free`] and returns it in that state. With a copy in flight `body`
    /// cannot return: the copy owns its handles. The lifetime `'s` belongs to this call alone, so handles of another scope are
    /// not accepted, and no handle leaves the scope. `body` gets the CTA as `&mut`, so it can open async scopes and cluster
    /// scopes, and make calls such as [`invoke_one`](Cta::invoke_one).
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 1024>) {
    /// let (tile, bar) = cta.async_scope((tile, bar), |cta, (tile, bar)| {
    ///     let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
    ///     let _first = tile.get(0);
    ///     (tile.release(cta), bar)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn async_scope<H: Scoped>(
        &mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::InScope<'s>,
    ) -> H {
        meet!(self);
        // SAFETY: `'s` belongs to this call alone, so `body` returns the handles of this scope, which ends after `body`.
        unsafe { H::give_back(body(self, handles.open())) }
    }

    /// Runs `body` as the kernel's last [`async_scope`](Cta::async_scope): the memory does not come back, so `body` needs no
    /// barrier and no fence to leave it idle.
    ///
    /// With a copy in flight `body` cannot return. The call uses the `Cta` up: each thread continues alone, without the
    /// [`Warp`](crate::warp::Warp)s of the CTA. Read ranks and counts before the call, and make the collective calls of a warp in
    /// `body`.
    ///
    /// For each lent handle `body` returns proof that its use has ended ([`Scoped::Ended`]):
    ///
    /// - for shared memory, the result of `end()`, in any state and without a wait;
    /// - for the sources of a [`BulkGroup`](crate::bulk::BulkGroup), the result of `end(cta)`: the leader waits until the copies
    ///   have read the sources. `end` drops the destinations, which are written by the end of the grid. (`wait_read` returns a
    ///   pair instead: the sources, and the group of the destinations, for which the kernel can still wait);
    /// - for an [`AfterSync`](crate::launch::AfterSync), the result of `end()`;
    /// - for a ring or a pipeline, the result of `update_all_last`, `finish_last` or `run_last`;
    /// - for an `Mbarrier<Ready>`, `()`: an mbarrier holds no memory of a copy.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalMut}, launch::Cta, pipeline::RingMemory};
    /// # fn kernel(cta: Cta, ring: RingMemory<f32, 1024, 1, 2>, x: Global<f32>, y: GlobalMut<f32, 1024>) {
    /// let ((x, _), (y, _)) = (x.tiles::<1024>(), y.tiles(&cta));
    /// cta.async_scope_last(ring, |cta, ring| ring.update_all_last(cta, [x], y, |[x], y| x + y));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn async_scope_last<H: Scoped>(
        mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::Ended<'s>,
    ) {
        meet!(self);
        // SAFETY: `'s` belongs to this call alone. The result of `body` proves that no copy of this scope is in flight, and no
        // outer scope is open: it would borrow the `Cta`, which this call owns.
        let _ended = unsafe { body(&mut self, handles.open()) };
    }
}

/// Proof that a kernel has ended its use of memory of the scope `'s`, for [`Cta::async_scope_last`] and
/// [`Cta::cluster_scope_last`]: the kernel does not use the memory again, and no copy uses it.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::sem, shared::SharedArray};
/// # fn kernel(cta: Cta, bins: SharedArray<u32, 256>, byte: u8, out: &mut u32) {
/// cta.async_scope_last(bins, |cta, bins| {
///     let bins = bins.write(cta, |_| 0).into_atomic(cta);
///     if let Some(bin) = bins.atomic(byte.into()) {
///         bin.add(1, sem::Relaxed);
///     }
///     let bins = bins.publish(cta);
///     *out = bins.get(0).unwrap_or(0);
///     bins.end() // no barrier, and no proxy fence
/// });
/// # }
/// ```
#[must_use = "return it from the body of the last scope"]
pub struct Ended<'s, Memory> {
    _scope: Brand<'s>,
    _memory: PhantomData<*mut Memory>,
}

impl<Memory> Ended<'_, Memory> {
    /// The caller asserts that no copy in flight uses the memory.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Ended { _scope: PhantomData, _memory: PhantomData }
    }
}

// SAFETY: a copy in flight owns its `Shared`, so no copy uses this memory.
unsafe impl<'s, T: Element, const N: usize, State, G> End for Shared<'s, T, N, State, G> {
    type Ended = Ended<'s, SharedArray<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Shared::end(self)
    }
}
// SAFETY: in an `AtRest` state no thread uses the memory, and a copy would own the handle. A handle is an address, and in both
// states the async proxy has seen every store: handles that differ only in state are interchangeable.
unsafe impl<'s, T: Element, const N: usize, State: AtRest, Of> HandOver<Of> for Shared<'s, T, N, State, Of> {
    type HeldBy<G> = Shared<'s, T, N, State, G>;
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        Shared::new(self.addr)
    }
}
impl<Memory> core::fmt::Debug for Ended<'_, Memory> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Ended")
    }
}
