//! Who makes a call together: the executing CTA (thread block), whose threads hold its handles.

use core::marker::PhantomData;

use crate::qualifier::{Sealed, convergence::Aligned, op, threads};
use crate::raw;
use crate::special_register;

/// The executing CTA, as each of its threads holds it.
///
/// Methods that take a `&Cta` are *collective* in the CTA, as `__syncthreads()` is: all its threads make the call, from the same
/// place; the contract of [`Cta::enter`] says it exactly, and which methods only answer. Where one thread has to issue an
/// instruction, it is the elected one, [`Cta::is_elected`]. The value has no size.
///
/// ```
/// use ptx::launch::Cta;
/// /// Collective: every thread of the CTA calls it.
/// fn is_common(cta: &Cta, condition: bool) -> bool {
///     2 * cta.sync_count(condition) > cta.thread_count()
/// }
/// ```
#[derive(Debug)]
pub struct Cta {
    /// Bound to its thread.
    _thread: PhantomData<*mut ()>,
}

static_assertions::const_assert_eq!(size_of::<Cta>(), 0);
static_assertions::assert_not_impl_any!(Cta: Copy, Clone, Send, Sync);

impl Cta {
    /// The CTA of the executing thread.
    ///
    /// # Safety
    ///
    /// As [`Cta::enter`], whose contract is the program's from here on.
    #[inline(always)]
    pub(crate) unsafe fn entered() -> Cta {
        Cta { _thread: PhantomData }
    }

    /// The thread's rank in the CTA, x fastest.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let lane = cta.thread_rank() % 32;
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        special_register::tid_x()
            + special_register::ntid_x()
                * (special_register::tid_y() + special_register::ntid_y() * special_register::tid_z())
    }

    /// The number of threads of the CTA.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let warps = cta.thread_count().div_ceil(32);
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        special_register::ntid_x() * special_register::ntid_y() * special_register::ntid_z()
    }

    /// The CTA's rank in the grid, x fastest.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let i = cta.rank() * cta.thread_count() + cta.thread_rank(); // this thread's number in the grid
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        special_register::ctaid_x()
            + special_register::nctaid_x()
                * (special_register::ctaid_y() + special_register::nctaid_y() * special_register::ctaid_z())
    }

    /// The number of CTAs of the grid.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, tiles: u32, mut work: impl FnMut(u32)) {
    /// let mut tile = cta.rank();
    /// while tile < tiles {
    ///     work(tile); // every CTA its share
    ///     tile += cta.count();
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> u32 {
        special_register::nctaid_x() * special_register::nctaid_y() * special_register::nctaid_z()
    }

    /// Whether this is the thread that issues what one thread has to issue: the one of rank 0.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// if cta.is_elected() {
    ///     // … once a CTA; no collective call in here …
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_elected(&self) -> bool {
        (special_register::tid_x() | special_register::tid_y() | special_register::tid_z()) == 0
    }

    /// The warp's rank in the CTA: 32 threads each, by their rank.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let producer = cta.warp_rank() == 0;
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp_rank(&self) -> u32 {
        self.thread_rank() / 32
    }

    /// Waits for all threads of the CTA; what each wrote before is visible to all after.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// // … what this thread writes …
    /// cta.sync();
    /// // … the others read …
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync(&self) {
        // SAFETY: 9.7.13.1: without a count "all threads in the CTA participate", and `.aligned` wants that all "execute the
        // same barrier{.cta} instruction": by the contract of `enter` they all make this call from the same place. Barrier 0
        // has only collective calls, so no other kind of instruction is active on it.
        unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) }
    }

    /// [`sync`](Cta::sync), and in how many threads the predicate is true.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.popc.aligned.u32 d, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: f32) {
    /// let negative = cta.sync_count(value < 0.0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_count(&self, predicate: bool) -> u32 {
        // SAFETY: as in `sync`: each collective call completes barrier 0, and all threads make the same, so a reduction
        // meets neither `.sync` nor another reduction there.
        unsafe { raw::barrier_cta_red_popc(Aligned, 0, predicate, threads::All) }
    }

    /// [`sync`](Cta::sync), and whether the predicate is true in all threads.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.and.aligned.pred p, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let sorted: bool = cta.sync_and(value < 100);
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_and(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync_count`.
        unsafe { raw::barrier_cta_red(op::And, Aligned, 0, predicate, threads::All) }
    }

    /// [`sync`](Cta::sync), and whether the predicate is true in any thread. The same answer in all threads, so it may
    /// steer which collective calls come next.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.or.aligned.pred p, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, mut step: impl FnMut() -> bool) {
    /// while cta.sync_or(step()) {} // until no thread has more to do
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_or(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync_count`.
        unsafe { raw::barrier_cta_red(op::Or, Aligned, 0, predicate, threads::All) }
    }
}

/// Handles that are in their next state once all threads of the CTA have met: what a transition has done before its barrier.
/// [`Cta::sync_with`] is the barrier; several transitions can share it.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Fenced, Free, Loaded, Shared, Written}};
/// /// One `__syncthreads()`: what was loaded is free again, what was written can be stored.
/// fn exchange<'s>(
///     cta: &Cta,
///     loaded: Shared<'s, f32, 1024, Loaded>,
///     written: Shared<'s, f32, 1024, Written>,
/// ) -> (Shared<'s, f32, 1024, Free>, Shared<'s, f32, 1024, Fenced>) {
///     cta.sync_with((loaded.release_at_sync(), written.to_async_at_sync()))
/// }
/// ```
#[must_use = "the handles come out behind the barrier: `cta.sync_with(…)`"]
pub struct AfterSync<Handles, G = Cta> {
    handles: Handles,
    _group: PhantomData<fn(&G)>,
}

impl<Handles, G> AfterSync<Handles, G> {
    /// Each thread of the group has done what comes before the barrier of the transition to `handles`.
    #[inline(always)]
    pub(crate) fn new(handles: Handles) -> Self {
        AfterSync { handles, _group: PhantomData }
    }
}

impl<Handles: End, G> AfterSync<Handles, G> {
    /// Ends the use of the handles in the last scope of the kernel ([`Cta::lend_last`]), without the barrier: each thread has done its
    /// part when it returns from the scope, and the memory stays until all threads have.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<u32, 1024>, src: GlobalTile<u32, 1024>) {
    /// cta.lend_last(tile, |cta, tile| {
    ///     let load = cp_async::load(cta, tile, src).commit(cta);
    ///     // The tile is not needed after all: each thread waits for its own copies.
    ///     let (tile, ()) = load.wait_at_sync().end();
    ///     tile
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> Handles::Ended {
        self.handles.end()
    }
}

impl<Handles, G> core::fmt::Debug for AfterSync<Handles, G> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("AfterSync")
    }
}

/// What [`Cta::sync_with`] takes: an [`AfterSync`], or a tuple of two to four.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not wait for a barrier of `{G}`",
    label = "no transition that ends at this barrier",
    note = "`cta.sync_with`, and `bulk::load_with` beside its load, takes what the methods `…_at_sync` give, or a tuple of two to four of these"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Transitions<G>: Sealed {
    /// The handles in their next states.
    type Handles;
    /// Takes them out. With a token: who calls it has passed the barrier.
    #[doc(hidden)]
    fn handles(self, passed: Passed) -> Self::Handles;
}

mod passed {
    /// What only this crate can make: it stands for a barrier that the thread has passed, or for the phase of an mbarrier in which
    /// every thread of the CTA has arrived.
    #[derive(Debug, Clone, Copy)]
    pub struct Passed(());
    impl Passed {
        pub(crate) const NEW: Passed = Passed(());
    }
}
pub(crate) use passed::Passed;

impl<Handles, G> Sealed for AfterSync<Handles, G> {}
impl<Handles, G> Transitions<G> for AfterSync<Handles, G> {
    type Handles = Handles;
    #[inline(always)]
    fn handles(self, _: Passed) -> Handles {
        self.handles
    }
}

macro_rules! transitions {
    ($( ($($T:ident $GroupOf:ident $i:tt),+) )*) => { $(
        impl<$($T, $GroupOf),+> Sealed for ($(AfterSync<$T, $GroupOf>,)+) {}
        impl<G, $($T, $GroupOf),+> Transitions<G> for ($(AfterSync<$T, $GroupOf>,)+)
        where
            $(AfterSync<$T, $GroupOf>: Transitions<G, Handles = $T>),+
        {
            type Handles = ($($T,)+);
            #[inline(always)]
            fn handles(self, passed: Passed) -> Self::Handles {
                ($(self.$i.handles(passed),)+)
            }
        }
    )* };
}
transitions! {
    (A OfA 0, B OfB 1)
    (A OfA 0, B OfB 1, C OfC 2)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3)
}

impl Cta {
    /// [`sync`](Cta::sync), the barrier of all the transitions: gives the handles in their next states.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared, Spent, Written}};
    /// # fn kernel<'s>(cta: &Cta, old: Shared<'s, u32, 64, Published>, new: Shared<'s, u32, 64, Written>)
    /// # -> (Shared<'s, u32, 64, Spent>, Shared<'s, u32, 64, Published>) {
    /// // Two buffers change places: one is free to be written, the other can be read.
    /// let (old, new) = cta.sync_with((old.release_at_sync(), new.publish_at_sync()));
    /// # (old, new) }
    /// ```
    #[inline(always)]
    pub fn sync_with<T: Transitions<Cta>>(&self, transitions: T) -> T::Handles {
        self.sync();
        transitions.handles(Passed::NEW)
    }
}

/// Handles whose use can end where they are: [`Shared`](crate::shared::Shared), what a cluster's scope makes of it, and pairs.
///
/// # Safety
///
/// Implemented here only: what `end` gives says that no copy uses the memory, or in a cluster's scope, that none does once all its
/// CTAs have ended theirs.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait End {
    /// What the last scope gets.
    type Ended;
    /// Ends it.
    fn end(self) -> Self::Ended;
}

// SAFETY: of both.
unsafe impl<A: End, B: End> End for (A, B) {
    type Ended = (A::Ended, B::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        (self.0.end(), self.1.end())
    }
}

/// What holds no shared memory has nothing to end.
macro_rules! nothing_to_end {
    ($( [$($generics:tt)*] $T:ty; )*) => { $(
        // SAFETY: it holds no shared memory.
        unsafe impl<$($generics)*> $crate::group::End for $T {
            type Ended = ();
            #[inline(always)]
            fn end(self) {}
        }
    )* };
}
pub(crate) use nothing_to_end;

nothing_to_end! { [] (); }
