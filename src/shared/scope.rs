//! Scopes: memory at rest is lent to a closure, for asynchronous copies, and comes back when these are complete.

use core::marker::PhantomData;

use super::{ALIGN, AtRest, Element, Free, FreeGeneric, Place, Shared};
use crate::group::{AfterSync, Brand, Cta, End, HandOver, Held, Passed, come_back};
use crate::qualifier::space;
use crate::raw;
use crate::size;

/// An array of `N` elements in shared memory (`__shared__ T a[N]`), at rest: no copy is in flight, no thread reads or writes.
///
/// [`Cta::async_scope`] lends the array to threads and copies, as a [`Shared`].
#[derive(Debug)]
#[doc(alias = "__shared__")]
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
/// and return when these copies are complete. A tuple of one to six handles is lent as one, and so is a tuple of tuples.
///
/// # Safety
///
/// - An `InScope<'s>` stands for idle memory of the scope `'s`. Safe code gets it from `open` alone, which it calls once for each
///   scope.
/// - Safe code gets an `Ended<'s>` only when no operation of its CTA on the memory is in flight. The exception is a copy that
///   another CTA waits for before that CTA gets its own `Ended`.
pub unsafe trait Scoped {
    /// The handle inside the scope `'s`.
    type InScope<'s>;
    /// The proof that a last scope asks for ([`Cta::finish`], [`Cta::finish_cluster`]): an [`Ended`], or `()` for a handle without
    /// memory of a copy, such as an mbarrier.
    type Ended<'s>;
    /// Whether other CTAs may use the memory, or the mbarriers in it, from the start of a cluster scope on, before the first
    /// cluster barrier inside the scope.
    #[doc(hidden)]
    const USED_BY_PEERS: bool = true;
    /// Whether copies complete on the mbarriers of the handle.
    #[doc(hidden)]
    const FILLED_BY_COPIES: bool = false;
    /// Whether the scope initializes mbarriers of the handle, by [`init_mbarriers`](Self::init_mbarriers).
    #[doc(hidden)]
    const INITIALIZED: bool = false;
    /// Initializes the mbarriers of the handle, which fences and a barrier then show to the other threads.
    ///
    /// # Safety
    ///
    /// The leader alone makes this call, before `open`.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn init_mbarriers(&self, _cta: &Cta) {}
    /// Invalidates the mbarriers that [`init_mbarriers`](Self::init_mbarriers) has initialized.
    ///
    /// # Safety
    ///
    /// The leader alone makes this call, between two barriers, before `give_back`. `lent` comes from the scope that ends.
    #[doc(hidden)]
    #[inline(always)]
    unsafe fn inval_mbarriers(_lent: &Self::InScope<'_>) {}
    /// Lends the handle to the scope `'s`.
    ///
    /// # Safety
    ///
    /// No other scope has this `'s`. After `init_mbarriers`, a barrier has come. The handle that `open` gives comes back, or its use
    /// is ended, before the kernel ends.
    #[doc(hidden)]
    unsafe fn open<'s>(self) -> Self::InScope<'s>;
    /// Takes the lent handle back at the end of its scope.
    ///
    /// # Safety
    ///
    /// `lent` comes from the scope that ends. After `inval_mbarriers`, a barrier comes before the handle is used.
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

/// Handles that a scope lends. What is [`Scoped`] and not this type of handle stands there for its message: the types of a body
/// then fit the handles, and no further error follows.
///
/// # Safety
///
/// Implemented in this crate only: the handle is at rest, and what it says of its mbarriers holds for all threads.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be lent to a scope",
    label = "not a handle at rest",
    note = "a scope takes a `SharedArray`, a `LoadBuffer`, a `RingMemory`, a `PipelineMemory`, an `Mbarrier<Uninit>`, a `DsmemBuffer`, an array of one of them, or a tuple of one to six of them",
    note = "the scope initializes an `Mbarrier<Uninit>` itself: lend it as `shared_memory!` gives it, without `.init(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Lendable: Scoped {}
// SAFETY: an array is at rest, and has no mbarrier.
unsafe impl<T: Element, const N: usize> Lendable for SharedArray<T, N> {}
// SAFETY: `()` has no memory.
unsafe impl Lendable for () {}

/// Implements [`Scoped`] for handles that are not [`Lendable`].
macro_rules! never_lent {
    ($( [$($generics:tt)*] $T:ty as $Lent:ty; )*) => { $(
        // SAFETY: nobody gets a handle of this scope.
        unsafe impl<$($generics)*> $crate::shared::Scoped for $T {
            type InScope<'s> = $Lent;
            type Ended<'s> = ();
            unsafe fn open<'s>(self) -> Self::InScope<'s> {
                $crate::trap::trap()
            }
            unsafe fn give_back(_lent: Self::InScope<'_>) -> Self {
                $crate::trap::trap()
            }
        }
    )* };
}
pub(crate) use never_lent;
never_lent! { [Handles, G] AfterSync<Handles, G> as Handles; }

macro_rules! lend_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each part of the tuple is `Lendable`.
        unsafe impl<$($H: Lendable),+> Lendable for ($($H,)+) {}
        // SAFETY: each part of the tuple is `Scoped`.
        unsafe impl<$($H: Scoped),+> Scoped for ($($H,)+) {
            type InScope<'s> = ($($H::InScope<'s>,)+);
            type Ended<'s> = ($($H::Ended<'s>,)+);
            const USED_BY_PEERS: bool = $($H::USED_BY_PEERS)||+;
            const FILLED_BY_COPIES: bool = $($H::FILLED_BY_COPIES)||+;
            const INITIALIZED: bool = $($H::INITIALIZED)||+;
            #[inline(always)]
            unsafe fn init_mbarriers(&self, cta: &Cta) {
                // SAFETY: the caller's contract (`# Safety` of `init_mbarriers`) covers each part.
                unsafe { $(self.$i.init_mbarriers(cta));+ }
            }
            #[inline(always)]
            unsafe fn inval_mbarriers(lent: &Self::InScope<'_>) {
                // SAFETY: the caller's contract (`# Safety` of `inval_mbarriers`) covers each part.
                unsafe { $($H::inval_mbarriers(&lent.$i));+ }
            }
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

// SAFETY: each element uses its own bytes, at the alignment of one.
unsafe impl<P: Place, const N: usize> Place for [P; N] {
    const SIZE: u32 = size::shared(size::product([size::aligned(P::SIZE as usize, P::ALIGN), N]));
    const ALIGN: u32 = P::ALIGN;
    const BARRIERS: u16 = {
        assert!(P::BARRIERS == 0 && !P::CANCELS, "the elements of an array would use the same barrier");
        0
    };

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        let step = const { size::shared(size::aligned(P::SIZE as usize, P::ALIGN)) };
        // SAFETY: the caller passes the bytes of all elements (`# Safety`).
        core::array::from_fn(|i| unsafe { P::at(addr + i as u32 * step) })
    }
}

// SAFETY: each element is `Lendable`.
unsafe impl<H: Lendable, const N: usize> Lendable for [H; N] {}
// SAFETY: each element is `Scoped`.
unsafe impl<H: Scoped, const N: usize> Scoped for [H; N] {
    type InScope<'s> = [H::InScope<'s>; N];
    type Ended<'s> = [H::Ended<'s>; N];
    const USED_BY_PEERS: bool = H::USED_BY_PEERS;
    const FILLED_BY_COPIES: bool = H::FILLED_BY_COPIES;
    const INITIALIZED: bool = H::INITIALIZED;
    #[inline(always)]
    unsafe fn init_mbarriers(&self, cta: &Cta) {
        // SAFETY: the caller's contract (`# Safety` of `init_mbarriers`) covers each element.
        self.iter().for_each(|handle| unsafe { handle.init_mbarriers(cta) });
    }
    #[inline(always)]
    unsafe fn inval_mbarriers(lent: &Self::InScope<'_>) {
        // SAFETY: the caller's contract (`# Safety` of `inval_mbarriers`) covers each element.
        lent.iter().for_each(|handle| unsafe { H::inval_mbarriers(handle) });
    }
    #[inline(always)]
    unsafe fn open<'s>(self) -> Self::InScope<'s> {
        // SAFETY: the caller's contract (`# Safety` of `open`) covers each element.
        self.map(|handle| unsafe { handle.open() })
    }
    #[inline(always)]
    unsafe fn give_back(lent: Self::InScope<'_>) -> Self {
        // SAFETY: the caller's contract (`# Safety` of `give_back`) covers each element.
        lent.map(|handle| unsafe { H::give_back(handle) })
    }
}

impl Cta {
    /// Lends shared memory to `body` for async copies (TMA, `cp.async`), and returns the memory when no copy is in flight.
    ///
    /// `body` gets each array as a [`Shared`] in the state [`Free`] and returns it in that state. With a copy in flight `body`
    /// cannot return: the copy owns its handles. The lifetime `'s` belongs to this call alone, so handles of another scope are
    /// not accepted, and no handle leaves the scope. `body` gets the CTA as `&mut`, so it can open async scopes and cluster
    /// scopes, and make calls such as [`invoke_one`](Cta::invoke_one). The scope initializes the mbarriers that it lends
    /// ([`Mbarrier`](crate::mbarrier::Mbarrier), [`LoadBuffer`](crate::bulk::LoadBuffer)), and invalidates them at its end.
    ///
    /// Most kernels have one scope, their last: [`finish`](Cta::finish) gives no memory back, and needs less.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none; if mbarriers are lent, at the beginning by the leader `mbarrier.init.shared::cta.b64` of each,
    /// `fence.mbarrier_init.release.cluster;` `fence.proxy.async.shared::cta;`, then `barrier.cta.sync.aligned 0;`, and at the end
    /// `barrier.cta.sync.aligned 0;`, by the leader `mbarrier.inval.shared::cta.b64` of each, `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk::LoadBuffer, global::GlobalTile, group::Cta};
    /// # fn kernel(cta: &mut Cta, memory: LoadBuffer<f32, 1024>, src: GlobalTile<f32, 1024>) {
    /// let memory = cta.async_scope(memory, |cta, buffer| {
    ///     let tile = buffer.load(cta, src).wait(cta);
    ///     let _first = tile.get(0);
    ///     tile.release().sync(cta)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn async_scope<H: Lendable>(
        &mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::InScope<'s>,
    ) -> H {
        // SAFETY: `'s` belongs to this call alone, so `body` returns the handles of this scope, which ends after `body`.
        // `begin_async` and `invalidate` execute the barriers after `init_mbarriers` and around `inval_mbarriers`.
        unsafe {
            self.begin_async(&handles);
            // `lent` holds no reference to the CTA, so the barriers below may use it again.
            let lent = body(&mut *core::ptr::from_mut(self), handles.open());
            if const { H::INITIALIZED } {
                self.sync();
                self.invalidate::<H>(&lent);
            }
            H::give_back(lent)
        }
    }

    /// Runs `body` with shared memory `handles` as the last part of the kernel: like [`async_scope`](Cta::async_scope), but the
    /// memory does not come back, so `body` needs no barrier and no fence to leave it idle.
    ///
    /// With a copy in flight `body` cannot return. The call uses the `Cta` up: each thread continues alone, without the
    /// [`Warp`](crate::warp::Warp)s of the CTA. Read ranks and counts before the call, and make the collective calls of a warp in
    /// `body`.
    ///
    /// For each lent handle `body` returns what has ended ([`Scoped::Ended`]):
    ///
    /// - for shared memory, the result of `end()`, in any state and without a wait;
    /// - for the sources of a [`BulkGroup`](crate::bulk::BulkGroup), `wait_read(cta).end()`: the leader waits until the copies have
    ///   read the sources. The destinations are written by the end of the grid;
    /// - for any other [`AfterSync`], the result of `end()`, without its barrier;
    /// - for a ring or a pipeline, the result of `end()` of what `update_all`, `finish` or `run` returns;
    /// - for an mbarrier, `()`: it holds no memory of a copy.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none; if mbarriers are lent, as at the beginning of [`async_scope`](Cta::async_scope)
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalMut}, group::Cta, pipeline::RingMemory};
    /// # fn kernel(cta: Cta, ring: RingMemory<[f32; 1024], 2>, x: Global<f32>, y: GlobalMut<f32, 1024>) {
    /// let ((x, _), (y, _)) = (x.tiles::<1024>(), y.tiles(&cta));
    /// cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| x + y).end());
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn finish<H: Lendable>(
        mut self,
        handles: H,
        body: impl for<'s> FnOnce(&'s mut Cta, H::InScope<'s>) -> H::Ended<'s>,
    ) {
        // SAFETY: `'s` belongs to this call alone. The result of `body` proves that no copy of this scope is in flight, and no
        // outer scope is open: it would borrow the `Cta`, which this call owns. `begin_async` executes the barrier after
        // `init_mbarriers`.
        let _ended = unsafe {
            self.begin_async(&handles);
            body(&mut self, handles.open())
        };
    }

    /// Initializes the mbarriers of the handles, and shows them to all threads and to the async proxy.
    ///
    /// # Safety
    ///
    /// All threads make this call, and `open` follows.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn begin_async<H: Scoped>(&self, handles: &H) {
        meet!(self);
        if const { H::INITIALIZED } {
            if self.is_leader() {
                // SAFETY: the leader makes this call, before `open` (`# Safety`).
                unsafe { handles.init_mbarriers(self) };
                publish_inits(H::FILLED_BY_COPIES);
            }
            self.sync();
        }
    }

    /// Invalidates the mbarriers of the lent handles.
    ///
    /// # Safety
    ///
    /// All threads make this call after a barrier that follows their last use of the handles; `give_back` follows.
    #[inline(always)]
    #[track_caller]
    pub(crate) unsafe fn invalidate<H: Scoped>(&self, lent: &H::InScope<'_>) {
        if self.is_leader() {
            // SAFETY: the leader makes this call between two barriers, before `give_back` (`# Safety`).
            unsafe { H::inval_mbarriers(lent) };
        }
        self.sync();
    }
}

/// Shows the mbarriers that this thread has initialized to the cluster, after the next barrier, and to the async proxy if copies
/// complete on them.
#[inline(always)]
pub(crate) fn publish_inits(filled_by_copies: bool) {
    raw::fence_mbarrier_init();
    if filled_by_copies {
        raw::fence_proxy_async(space::SharedCta);
    }
}

/// Proof that a kernel has ended its use of memory of the scope `'s`, for [`Cta::finish`] and
/// [`Cta::finish_cluster`]: the group `G` does not use the memory again, and no copy uses it.
///
/// ```
/// # use ptx::{group::Cta, qualifier::sem, shared::SharedArray};
/// # fn kernel(cta: Cta, bins: SharedArray<u32, 256>, byte: u8, out: &mut u32) {
/// cta.finish(bins, |cta, bins| {
///     let bins = bins.write(cta, |_| 0).into_atomic(cta);
///     if let Some(bin) = bins.atomic(byte.into()) {
///         bin.add(1, sem::Relaxed);
///     }
///     let bins = bins.publish().sync(cta);
///     *out = bins.get(0).unwrap_or(0);
///     bins.end() // no barrier, and no proxy fence
/// });
/// # }
/// ```
#[must_use = "return it from the body of the last scope"]
pub struct Ended<'s, Memory, G = Cta> {
    _scope: Brand<'s>,
    _memory: PhantomData<*mut Memory>,
    _group: PhantomData<fn(&G)>,
}

impl<Memory, G> Ended<'_, Memory, G> {
    /// The caller asserts that no copy in flight uses the memory.
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Ended { _scope: PhantomData, _memory: PhantomData, _group: PhantomData }
    }
}

// SAFETY: a copy in flight owns its `Shared`, so no copy uses this memory.
unsafe impl<'s, T: Element, const N: usize, State, G> End for Shared<'s, T, N, State, G> {
    type Ended = Ended<'s, SharedArray<T, N>, G>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Shared::end(self)
    }
}
// SAFETY: a handle of the array in the same state.
unsafe impl<'s, T: Element, const N: usize, State, By, Of> Held<Of> for Shared<'s, T, N, State, By> {
    type HeldBy<G> = Shared<'s, T, N, State, G>;
    type EndedBy<G> = Ended<'s, SharedArray<T, N>, G>;
    type Back = AfterSync<Self, Of>;
    type Joined = Shared<'s, T, N, FreeGeneric, By>;
}
// SAFETY: in an `AtRest` state no thread uses the memory, and a copy would own the handle. A handle is an address, and in both
// states the async proxy has seen every store: handles that differ only in state are interchangeable.
unsafe impl<'s, T: Element, const N: usize, State: AtRest, Of> HandOver<Of> for Shared<'s, T, N, State, Of> {
    come_back! { Of }
    /// The part has ended its handle in some state, so no copy uses the memory, and threads may have stored to it.
    #[inline(always)]
    fn joined(self, _: Passed) -> Self::Joined {
        Shared::new(self.addr)
    }
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
        Shared::new(self.addr)
    }
}
impl<Memory, G> core::fmt::Debug for Ended<'_, Memory, G> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("Ended")
    }
}
