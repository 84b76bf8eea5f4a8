//! Who makes a call together: the executing CTA (thread block), whose threads hold its handles; its first warp; one of its threads; the warps that
//! have a part of a pipeline.

use core::fmt;
use core::marker::PhantomData;

use crate::qualifier::{Sealed, convergence::Aligned, op, threads};
use crate::raw;
use crate::special_register;

mod warps;

pub use warps::{PartBarrier, Warps};

/// The executing CTA, as each of its threads holds it.
///
/// Methods that take a `&Cta` are *collective* in the CTA, as `__syncthreads()` is: all its threads make the call, from the same
/// place; the contract of [`Cta::enter`] says it exactly, and which methods only answer. What runs a closure in a part of the threads
/// takes a `&mut Cta`, so that the closure cannot have the CTA and make such a call. Where one thread has to issue an
/// instruction, it is the elected one, [`Cta::is_leader`]. The value has no size.
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
    /// let i = cta.grid_rank() * cta.thread_count() + cta.thread_rank(); // this thread's number in the grid
    /// # }
    /// ```
    #[inline(always)]
    pub fn grid_rank(&self) -> u32 {
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
    /// let mut tile = cta.grid_rank();
    /// while tile < tiles {
    ///     work(tile); // every CTA its share
    ///     tile += cta.grid_size();
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn grid_size(&self) -> u32 {
        special_register::nctaid_x() * special_register::nctaid_y() * special_register::nctaid_z()
    }

    /// Whether this is the thread that issues what one thread has to issue: the one of rank 0.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// if cta.is_leader() {
    ///     // … once a CTA; no collective call in here …
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_leader(&self) -> bool {
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

/// Threads that hold handles and make collective calls on them: the [`Cta`], its first warp ([`FirstWarp`]), one [`Thread`] of it, or the [`Warps`] of
/// a pipeline's part that have a barrier.
///
/// A handle's type names its group, the CTA by default: `Shared<'s, f32, 1024, Free>` is held by all threads of the CTA,
/// `Shared<'s, f32, 1024, Free, Thread<'t>>` by one. A call on it takes that group, and synchronises that group alone. So in the
/// documentation of what is "Collective in the group", `barrier.cta.sync.aligned 0;` is the barrier of the CTA: for a [`FirstWarp`]
/// it is `bar.warp.sync 0xffffffff;`, for [`Warps`] `barrier.cta.sync.aligned ID, THREADS;`, for a [`Thread`] there is none.
///
/// ```
/// use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, launch::ThreadGroup, mbarrier::{Mbarrier, Ready}, shared::{Free, Shared}};
/// /// Copies a tile, held by whichever group.
/// fn copy<'s, G: ThreadGroup>(
///     group: &G,
///     bar: Mbarrier<Ready, 1, G>,
///     tile: Shared<'s, f32, 1024, Free, G>,
///     (from, to): (GlobalTile<f32, 1024>, GlobalTileMut<f32, 1024>),
/// ) -> (Mbarrier<Ready, 1, G>, Shared<'s, f32, 1024, Free, G>) {
///     let (bar, tile, _) = bulk::load(group, bar, tile, from).wait(group);
///     let (tile, _) = bulk::store(group, tile, to).commit(group).wait_read(group);
///     (bar, tile.into_free())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no group of threads",
    label = "not a `Cta`, a `FirstWarp`, a `Thread`, or `Warps` with a barrier",
    note = "pass what the scope gives: the `cta` of `cta.async_scope(…)`, the `warp` of `cta.invoke_warp(…)`, the `thread` of `cta.invoke_one(…)`, the `warps` of `pipeline.run_with(…)`",
    note = "the `warps` of `pipeline.run(…)` have no barrier of their own: `run_with` gives them a `NamedBarrier`"
)]
pub trait ThreadGroup: Sealed + fmt::Debug + Sized {
    /// The executing thread's rank in the group.
    #[doc(hidden)]
    fn thread_rank(&self) -> u32;
    /// The number of threads of the group.
    #[doc(hidden)]
    fn thread_count(&self) -> u32;
    /// Whether the executing thread issues what one thread of the group has to: the one of rank 0 in the group.
    #[doc(hidden)]
    fn is_leader(&self) -> bool;
    /// Waits for all threads of the group; what each wrote before is visible to all after.
    #[doc(hidden)]
    fn sync(&self);
}

impl Sealed for Cta {}
impl ThreadGroup for Cta {
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        Cta::thread_rank(self)
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        Cta::thread_count(self)
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        Cta::is_leader(self)
    }
    #[inline(always)]
    fn sync(&self) {
        Cta::sync(self);
    }
}

/// Invariant: one call, one lifetime. Bound to its thread.
type Call<'t> = PhantomData<(fn(&'t ()) -> &'t (), *mut ())>;

/// One thread of the CTA, the elected one, for the time of a call of [`Cta::invoke_one`]. Of its calls none waits for another thread.
///
/// ```
/// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, launch::{Cta, Thread}, shared::{Fenced, Shared}};
/// /// One thread's part of a kernel.
/// fn put<'s, 't>(
///     thread: &Thread<'t>,
///     tile: Shared<'s, f32, 64, Fenced, Thread<'t>>,
///     to: GlobalTileMut<f32, 64>,
/// ) -> Shared<'s, f32, 64, Fenced, Thread<'t>> {
///     bulk::store(thread, tile, to).commit(thread).wait_read(thread).0
/// }
/// ```
#[derive(Debug)]
pub struct Thread<'t> {
    _call: Call<'t>,
}

static_assertions::const_assert_eq!(size_of::<Thread>(), 0);
static_assertions::assert_not_impl_any!(Thread: Copy, Clone, Send, Sync);

impl Thread<'_> {
    /// # Safety
    ///
    /// `'t` is the part's alone, which the executing thread has for itself.
    #[inline(always)]
    pub(crate) unsafe fn of_part() -> Self {
        Thread { _call: PhantomData }
    }
}

impl Sealed for Thread<'_> {}
impl ThreadGroup for Thread<'_> {
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        0
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        1
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        true
    }
    #[inline(always)]
    fn sync(&self) {}
}

/// The CTA's first warp, that of the leader, for the time of a call of [`Cta::invoke_warp`]. Its calls are collective in the
/// warp and wait for that warp alone.
///
/// ```
/// # use ptx::{launch::FirstWarp, shared::{Free, Published, Shared}};
/// /// Filled and read by the warp, while the other warps go on.
/// fn squares<'s, 'w>(
///     warp: &FirstWarp<'w>,
///     tile: Shared<'s, u32, 64, Free, FirstWarp<'w>>,
/// ) -> Shared<'s, u32, 64, Published, FirstWarp<'w>> {
///     tile.write(warp, |i| (i * i) as u32).publish(warp)
/// }
/// ```
#[derive(Debug)]
pub struct FirstWarp<'w> {
    /// The lane: in this warp the rank in the CTA.
    rank: u32,
    /// Threads of the warp: 32, or as many as the CTA has.
    threads: u32,
    _call: Call<'w>,
}

static_assertions::assert_not_impl_any!(FirstWarp: Copy, Clone, Send, Sync);

impl Sealed for FirstWarp<'_> {}
impl ThreadGroup for FirstWarp<'_> {
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        self.rank
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        self.threads
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        self.rank == 0
    }
    #[inline(always)]
    fn sync(&self) {
        sync_first_warp();
    }
}

/// Groups that have the first warp whole.
///
/// # Safety
///
/// Implemented here only: all threads of the first warp are in the group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no whole warp",
    label = "one thread cannot do what takes a warp",
    note = "a tensor map is written by a warp (`tensormap.cp_fenceproxy` is `.sync.aligned`): use the `cta`, or the `warp` of `cta.invoke_warp(…)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait HasWarp: ThreadGroup {
    /// Whether the executing thread is in the first warp, and the number of its threads.
    #[doc(hidden)]
    #[inline(always)]
    fn first_warp(&self) -> (bool, u32) {
        (self.thread_rank() < 32, self.thread_count().min(32))
    }
}
// SAFETY: of all warps.
unsafe impl HasWarp for Cta {}
// SAFETY: it is that warp.
unsafe impl HasWarp for FirstWarp<'_> {}

/// Waits for the threads of the first warp, which all make this call.
#[inline(always)]
pub(crate) fn sync_first_warp() {
    // SAFETY: 9.7.13.2: undefined "if the executing thread is not in the `membermask`": all lanes are. All threads of the warp make the call,
    // by the contract of `enter`; a lane without a thread counts as exited.
    unsafe { raw::bar_warp_sync(u32::MAX) }
}

/// The first half of a transition, done. The second half is a barrier of the group; behind it `sync_with` gives the handles in their
/// next states ([`Cta::sync_with`], or that of another group). Several transitions can share one barrier.
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

    /// A transition that is over: the handles are in their states already. For a loop whose first round has nothing to wait for.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::TilesMut, launch::{AfterSync, Cta}, shared::{Fenced, Free, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>, mut to: TilesMut<u32, 64>) -> Shared<'s, u32, 64, Free> {
    /// // The barrier at which a round begins tells all threads that the store of the round before has read the tile: the leader has
    /// // waited for that. The first round has no store.
    /// let mut stored = AfterSync::ready(tile);
    /// while let Some((index, to)) = to.next_tile() {
    ///     let tile = cta.sync_with(stored).into_free();
    ///     let written = tile.write(cta, |i| (index * 64 + i) as u32).to_async(cta);
    ///     stored = bulk::store(cta, written, to).commit(cta).wait_read_at_sync(cta).first();
    /// }
    /// let tile = cta.sync_with(stored).into_free();
    /// # tile }
    /// ```
    #[inline(always)]
    pub fn ready(handles: Handles) -> Self {
        const {
            assert!(
                !core::mem::needs_drop::<Handles>(),
                "handles are ready: no value that runs code where it is dropped"
            )
        };
        AfterSync::new(handles)
    }
}

impl<First, Second, G> AfterSync<(First, Second), G> {
    /// The first of two, such as the sources of a group of copies; the second is dropped.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk::{BulkGroup, Committed}, global::GlobalTileMut, launch::{AfterSync, Cta}, shared::{Fenced, Shared}};
    /// # type Tile<'s> = Shared<'s, u32, 64, Fenced>;
    /// # fn kernel<'s>(cta: &Cta, storing: BulkGroup<(Tile<'s>, GlobalTileMut<u32, 64>), Committed>) -> Tile<'s> {
    /// // The tile alone: the kernel does not wait for what the store writes.
    /// let read: AfterSync<Tile> = storing.wait_read_at_sync(cta).first();
    /// # cta.sync_with(read) }
    /// ```
    #[inline(always)]
    pub fn first(self) -> AfterSync<First, G> {
        AfterSync::new(self.handles.0)
    }
}

impl<Handles: End, G> AfterSync<Handles, G> {
    /// Ends the use of the handles in the last scope of the kernel ([`Cta::async_scope_last`]), without the barrier: each thread has done its
    /// part when it returns from the scope, and the memory stays until all threads have.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cp_async, global::GlobalTile, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<u32, 1024>, src: GlobalTile<u32, 1024>) {
    /// cta.async_scope_last(tile, |cta, tile| {
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

impl<Handles, G> fmt::Debug for AfterSync<Handles, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterSync")
    }
}

/// What [`Cta::sync_with`] and [`Cluster::sync_with`] take: an [`AfterSync`], or a tuple of two to ten.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not wait for a barrier of `{G}`",
    label = "no transition that ends at this barrier",
    note = "`cta.sync_with`, and `bulk::load_with` beside its load, takes what the methods `…_at_sync` of a CTA's handles give, or a tuple of two to ten of these",
    note = "`cluster.sync_with` takes those too, and what the methods `…_at_sync` of the cluster's handles give"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Transitions<G: Sealed>: Sealed {
    /// The handles in their next states.
    type Handles;
    /// Takes them out. With a token: who calls it has passed the barrier.
    #[doc(hidden)]
    fn handles(self, passed: Passed) -> Self::Handles;
}

mod passed {
    /// What only this crate can make: it stands for a barrier of the group that the thread has passed, or for the phase of an mbarrier
    /// in which every thread of the group has arrived.
    #[derive(Debug, Clone, Copy)]
    pub struct Passed(());
    impl Passed {
        pub(crate) const NEW: Passed = Passed(());
    }
}
pub(crate) use passed::Passed;

impl<Handles, G> Sealed for AfterSync<Handles, G> {}
impl<Handles, G: Sealed> Transitions<G> for AfterSync<Handles, G> {
    type Handles = Handles;
    #[inline(always)]
    fn handles(self, _: Passed) -> Handles {
        self.handles
    }
}

macro_rules! transitions {
    ($( ($($T:ident $GroupOf:ident $i:tt),+) )*) => { $(
        impl<$($T, $GroupOf),+> Sealed for ($(AfterSync<$T, $GroupOf>,)+) {}
        impl<G: Sealed, $($T, $GroupOf),+> Transitions<G> for ($(AfterSync<$T, $GroupOf>,)+)
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
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4, F OfF 5)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4, F OfF 5, H OfH 6)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4, F OfF 5, H OfH 6, I OfI 7)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4, F OfF 5, H OfH 6, I OfI 7, J OfJ 8)
    (A OfA 0, B OfB 1, C OfC 2, D OfD 3, E OfE 4, F OfF 5, H OfH 6, I OfI 7, J OfJ 8, K OfK 9)
}

/// The barrier of the group, and of all the transitions.
#[inline(always)]
pub(crate) fn sync_with<G: ThreadGroup, T: Transitions<G>>(group: &G, transitions: T) -> T::Handles {
    group.sync();
    transitions.handles(Passed::NEW)
}

impl Cta {
    /// [`sync`](Cta::sync), the barrier of all the transitions: gives the handles in their next states.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared, FreeGeneric, Written}};
    /// # fn kernel<'s>(cta: &Cta, old: Shared<'s, u32, 64, Published>, new: Shared<'s, u32, 64, Written>)
    /// # -> (Shared<'s, u32, 64, FreeGeneric>, Shared<'s, u32, 64, Published>) {
    /// // Two buffers change places: one is free to be written, the other can be read.
    /// let (old, new) = cta.sync_with((old.release_at_sync(), new.publish_at_sync()));
    /// # (old, new) }
    /// ```
    #[inline(always)]
    pub fn sync_with<T: Transitions<Cta>>(&self, transitions: T) -> T::Handles {
        sync_with(self, transitions)
    }
}

/// Handles that a part of their group can have for itself for a while: shared memory that no thread reads and no copy uses, memory of an
/// mbarrier, and tuples of such.
///
/// # Safety
///
/// Implemented here only: the group `Of` holds the handle; no thread but those of the part uses what it stands for until all threads of the
/// group have met at a barrier. Every thread's copy of the handle is equal. The part may return handles in another order, so two handles whose
/// types differ only in state must be interchangeable.
#[diagnostic::on_unimplemented(
    message = "`{Of}` cannot hand `{Self}` to a part of its threads",
    label = "in use, held by another group, or not a handle of shared memory",
    note = "`invoke_one`, `invoke_warp` and a pipeline's `run_with` take shared memory that is `Free` or `Fenced`, `Mbarrier<Uninit>`, and tuples of one to six of them, held by the group that calls: what was loaded is freed by `.release(&cta)`",
    note = "an `Mbarrier<Ready>` counts the threads that called `init`: hand an `Mbarrier<Uninit>` over, and call `.init(thread)` or `.init(warp)` on it inside"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait HandOver<Of> {
    /// The handle as `G` holds it.
    type HeldBy<G>;
    /// Hands it over.
    ///
    /// # Safety
    ///
    /// - All threads of the group hand it over, the threads of `G` alone use what this gives.
    /// - `self` is used again behind a barrier of the group that comes after `G` has given the handle back, or never.
    #[doc(hidden)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G>;
}

// SAFETY: no handle.
unsafe impl<Of> HandOver<Of> for () {
    type HeldBy<G> = ();
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {}
}

macro_rules! hand_over_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each of its parts.
        unsafe impl<Of, $($H: HandOver<Of>),+> HandOver<Of> for ($($H,)+) {
            type HeldBy<G> = ($($H::HeldBy<G>,)+);
            #[inline(always)]
            unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
                // SAFETY: the caller's contract, for each part.
                unsafe { ($(self.$i.hand_over(),)+) }
            }
        }
    )* };
}
hand_over_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

/// The calls by which a part of the group works for itself.
macro_rules! invoke {
    (
        $Group:ty, ($($borrow:tt)+) $Part:ident, $part:expr, $is_in_part:expr,
        $(#[$invoke:meta])* $name:ident,
        $(#[$at_sync:meta])* $name_at_sync:ident,
        $(#[$last:meta])* $name_last:ident
    ) => {
        impl $Group {
            $(#[$invoke])*
            #[inline(always)]
            pub fn $name<H: HandOver<Self>>(
                &mut self,
                handles: H,
                body: impl for<'t> FnOnce($($borrow)+ $Part<'t>, H::HeldBy<$Part<'t>>) -> H::HeldBy<$Part<'t>>,
            ) -> H {
                let done = self.$name_at_sync(handles, body);
                sync_with(self, done)
            }

            $(#[$at_sync])*
            #[inline(always)]
            pub fn $name_at_sync<H: HandOver<Self>>(
                &mut self,
                handles: H,
                body: impl for<'t> FnOnce($($borrow)+ $Part<'t>, H::HeldBy<$Part<'t>>) -> H::HeldBy<$Part<'t>>,
            ) -> AfterSync<H, Self> {
                if $is_in_part(self) {
                    // SAFETY: the threads of the part use the handles, the others come to the barrier. The lifetime is this call's alone:
                    // what `body` returns is what it got, idle.
                    let _idle = unsafe { body($($borrow)+ $part(self), handles.hand_over()) };
                }
                AfterSync::new(handles)
            }

            $(#[$last])*
            #[inline(always)]
            pub fn $name_last<H: HandOver<Self> + End>(
                &mut self,
                handles: H,
                body: impl for<'t> FnOnce($($borrow)+ $Part<'t>, H::HeldBy<$Part<'t>>) -> H::Ended,
            ) -> H::Ended {
                if $is_in_part(self) {
                    // SAFETY: the threads of the part use the handles, which are not used again.
                    unsafe { body($($borrow)+ $part(self), handles.hand_over()) }
                } else {
                    handles.end()
                }
            }
        }
    };
}

invoke! {
    Cta, (&) Thread, |_: &Cta| Thread { _call: PhantomData }, Cta::is_leader,
    /// One thread, the elected one, works with the handles for itself (`cooperative_groups::invoke_one`): in `body` they are held by that
    /// [`Thread`], whose calls have no barrier. `body` gives them back in the state in which it got them; behind the barrier the CTA has
    /// them again.
    ///
    /// `body` reaches no collective call of the CTA or of a warp (`cta.sync()`, `cta.warp().ballot(…)`): the CTA is lent to this call. What
    /// `body` needs of it, such as a rank, is taken before. Begin `body` with its `init`s, and branch after them: ptxas joins a branch at the
    /// beginning with the election, does not know then that one lane is active, and makes a loop over lanes of each bulk operation.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk::{self, GlobalReduce}, global::Tiles, launch::Cta, mbarrier::{Mbarrier, Uninit}, qualifier::op, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit>, parts: Tiles<f32, 1024>, sums: GlobalReduce<f32, 1024>) {
    /// // Adds tiles up in global memory: loads and reductions, and no barrier but the last.
    /// cta.async_scope(tile, |cta, tile| {
    ///     let (tile, _bar) = cta.invoke_one((tile, bar), |thread, (mut tile, bar)| {
    ///         let mut bar = bar.init(thread);
    ///         for i in 0..parts.count() {
    ///             let (Some(part), Some(sum)) = (parts.get(i), sums.get(0)) else { break };
    ///             let loaded;
    ///             (bar, loaded, _) = bulk::load(thread, bar, tile, part).wait(thread);
    ///             let (read, _adding) = bulk::reduce(thread, op::Add, loaded, sum).commit(thread).wait_read(thread);
    ///             tile = read.into_free();
    ///         }
    ///         (tile, bar.inval(thread))
    ///     });
    ///     tile
    /// });
    /// # }
    /// ```
    ///
    /// One thread loads, all read: the tile is handed over as [`Fenced`](crate::shared::Fenced), since that becomes readable without a
    /// barrier.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Uninit}, shared::{Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Uninit>, from: GlobalTile<f32, 64>)
    /// # -> Shared<'s, f32, 64, Loaded> {
    /// let (tile, _bar) = cta.invoke_one((tile.into_fenced(), bar), |thread, (tile, bar)| {
    ///     let (bar, tile, _) = bulk::load(thread, bar.init(thread), tile.into_free(), from).wait(thread);
    ///     (tile.release(thread).into_fenced(), bar.inval(thread))
    /// });
    /// let tile = tile.into_loaded();
    /// # tile }
    /// ```
    invoke_one,
    /// [`invoke_one`](Cta::invoke_one), at a barrier that other transitions share. Until there the other warps go on; the other lanes of
    /// the first warp may wait behind `body` for the thread.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, out: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>, read: Shared<'s, f32, 64, Loaded>)
    /// # -> (Shared<'s, f32, 64, Fenced>, Shared<'s, f32, 64, Free>) {
    /// let stored = cta.invoke_one_at_sync(out, |thread, out| {
    ///     bulk::store(thread, out, to).commit(thread).wait_read(thread).0
    /// });
    /// let (out, read) = cta.sync_with((stored, read.release_at_sync()));
    /// # (out, read) }
    /// ```
    invoke_one_at_sync,
    /// [`invoke_one`](Cta::invoke_one) at the end of the last scope of the kernel ([`Cta::async_scope_last`]): the handles do not come back, and
    /// there is no barrier. The other warps go on; the other lanes of the first warp may wait behind `body` for the thread.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, launch::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<f32, 1024>, bar: Mbarrier<Uninit>, from: GlobalTile<f32, 1024>, to: GlobalTileMut<f32, 1024>) {
    /// // One thread copies the tile; the others have nothing to do.
    /// cta.async_scope_last(tile, |cta, tile| {
    ///     let (tile, ()) = cta.invoke_one_last((tile, bar), |thread, (tile, bar)| {
    ///         let (_bar, tile, _) = bulk::load(thread, bar.init(thread), tile, from).wait(thread);
    ///         (bulk::store(thread, tile, to).commit(thread).end(thread), ())
    ///     });
    ///     tile
    /// });
    /// # }
    /// ```
    invoke_one_last
}
invoke! {
    Cta, (&mut) FirstWarp,
    |cta: &Cta| FirstWarp { rank: cta.thread_rank(), threads: cta.thread_count().min(32), _call: PhantomData },
    |cta: &Cta| cta.thread_rank() < 32,
    /// [`invoke_one`](Cta::invoke_one) for the first warp: in `body` the handles are held by that [`FirstWarp`], whose calls wait for the
    /// warp alone. `body` reaches no collective call of the CTA. It gets the warp as `&mut`, for [`FirstWarp::invoke_one`].
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Free, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, table: Shared<'s, u32, 64, Free>, work: impl Fn()) -> Shared<'s, u32, 64, Fenced> {
    /// let table = cta.invoke_warp_at_sync(table.into_fenced(), |warp, table| {
    ///     table.into_free().write(warp, |i| (i * i) as u32).to_async(warp)
    /// });
    /// work(); // while the first warp fills the table, the others work
    /// let table = cta.sync_with(table);
    /// # table }
    /// ```
    invoke_warp,
    /// [`invoke_warp`](Cta::invoke_warp), at a barrier that other transitions share.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    invoke_warp_at_sync,
    /// [`invoke_warp`](Cta::invoke_warp) at the end of the last scope of the kernel ([`Cta::async_scope_last`]): the handles do not come back, and
    /// there is no barrier. The other warps go on.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    invoke_warp_last
}
invoke! {
    FirstWarp<'_>, (&) Thread, |_: &FirstWarp<'_>| Thread { _call: PhantomData }, FirstWarp::is_leader,
    /// As [`Cta::invoke_one`], of the warp's handles: behind the barrier of the warp it has them again. `body` reaches no collective call of
    /// the warp.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`
    invoke_one,
    /// [`invoke_one`](FirstWarp::invoke_one), at a barrier that other transitions share.
    ///
    /// Collective in the warp.
    ///
    /// PTX: none.
    invoke_one_at_sync,
    /// As [`Cta::invoke_one_last`], of the warp's handles.
    ///
    /// Collective in the warp.
    ///
    /// PTX: none.
    invoke_one_last
}

impl FirstWarp<'_> {
    /// Waits for all threads of the warp, the barrier of all the transitions: gives the handles in their next states.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `bar.warp.sync 0xffffffff;`
    #[inline(always)]
    pub fn sync_with<T: Transitions<Self>>(&self, transitions: T) -> T::Handles {
        sync_with(self, transitions)
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

macro_rules! end_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: of each of its parts.
        unsafe impl<$($H: End),+> End for ($($H,)+) {
            type Ended = ($($H::Ended,)+);
            #[inline(always)]
            fn end(self) -> Self::Ended {
                ($(self.$i.end(),)+)
            }
        }
    )* };
}
end_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

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
