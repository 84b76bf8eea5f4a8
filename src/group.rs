//! Thread groups (cooperative groups): the thread block ([`Cta`]), its first warp ([`FirstWarp`]), one [`Thread`] of it, and the
//! [`Warps`] that run a part of a pipeline. A group holds handles and makes collective calls on them.
//!
//! What needs the group's barrier to take effect returns an [`AfterSync`], and `.sync(cta)` is the barrier, for one or for a tuple
//! ([`Together`]). [`Cta::finish`] lends shared memory for the rest of the kernel.

use core::fmt;
use core::marker::PhantomData;

use crate::mark::{self, Split};
use crate::qualifier::{Sealed, convergence::Aligned, op, space, threads};
use crate::raw;
use crate::special_register;

mod warps;

pub use warps::{PartBarrier, Warps};

/// The executing thread block (CTA; `cooperative_groups::thread_block`); each of its threads holds one `Cta`.
///
/// Methods that take a `&Cta` are *collective* in the CTA, as `__syncthreads()` is: all threads make the call from the same place
/// in the program. [`Cta::enter`] states the exact contract, and which methods are not collective. Methods that run a closure in
/// a part of the threads take a `&mut Cta`: the closure cannot use the CTA, so it cannot make a collective call. If one thread
/// issues an instruction for the CTA, that thread is the leader ([`Cta::is_leader`]). A `Cta` has size 0.
///
/// ```
/// use ptx::group::Cta;
/// /// Whether `condition` is true in more than half of the threads. Collective in the CTA.
/// fn is_common(cta: &Cta, condition: bool) -> bool {
///     2 * cta.sync_count(condition) > cta.thread_count()
/// }
/// ```
#[derive(Debug)]
#[doc(alias = "cg::thread_block")]
pub struct Cta {
    /// Makes the type neither `Send` nor `Sync`: a `Cta` belongs to its thread.
    _thread: PhantomData<*mut ()>,
}

static_assertions::const_assert_eq!(size_of::<Cta>(), 0);

impl Cta {
    /// Returns the CTA of the executing thread.
    ///
    /// # Safety
    ///
    /// The program keeps the contract of [`Cta::enter`] from this call on.
    #[inline(always)]
    pub(crate) unsafe fn entered() -> Cta {
        Cta { _thread: PhantomData }
    }

    /// Returns the thread's rank in the CTA: `threadIdx` as one number, x fastest.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        mark::rank(
            special_register::tid_x()
                + special_register::ntid_x()
                    * (special_register::tid_y() + special_register::ntid_y() * special_register::tid_z()),
        )
    }

    /// Returns the number of threads of the CTA: the product of `blockDim`.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        special_register::ntid_x() * special_register::ntid_y() * special_register::ntid_z()
    }

    /// Returns the CTA's rank in the grid: `blockIdx` as one number, x fastest.
    ///
    /// Not collective.
    #[inline(always)]
    #[doc(alias = "cg::this_grid")]
    pub fn grid_rank(&self) -> u32 {
        special_register::ctaid_x()
            + special_register::nctaid_x()
                * (special_register::ctaid_y() + special_register::nctaid_y() * special_register::ctaid_z())
    }

    /// Returns the number of CTAs of the grid: the product of `gridDim`.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn grid_size(&self) -> u32 {
        special_register::nctaid_x() * special_register::nctaid_y() * special_register::nctaid_z()
    }

    /// Returns the thread's position in the CTA, x first (`threadIdx`).
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %tid.x;`, `.y`, `.z`
    ///
    /// ```
    /// # use ptx::{global::GlobalMatrix, group::Cta};
    /// /// The element of a matrix at the thread's column and row, for a grid in two dimensions.
    /// fn own(cta: &Cta, matrix: GlobalMatrix<f32>) -> Option<f32> {
    ///     let ([tx, ty, _], [bx, by, _]) = (cta.thread_position(), cta.grid_position());
    ///     let [width, height, _] = cta.shape();
    ///     matrix.row((by * height + ty) as usize)?.get((bx * width + tx) as usize)
    /// }
    /// ```
    #[inline(always)]
    #[doc(alias = "cg::thread_block::thread_index")]
    pub fn thread_position(&self) -> [u32; 3] {
        [special_register::tid_x(), special_register::tid_y(), special_register::tid_z()]
    }

    /// Returns the CTA's extents in threads, x first (`blockDim`).
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %ntid.x;`, `.y`, `.z`; none if the kernel states them
    #[inline(always)]
    #[doc(alias = "cg::thread_block::dim_threads")]
    pub fn shape(&self) -> [u32; 3] {
        [special_register::ntid_x(), special_register::ntid_y(), special_register::ntid_z()]
    }

    /// Returns the CTA's position in the grid, x first (`blockIdx`). A kernel whose grid has several dimensions states `any_grid`.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %ctaid.x;`, `.y`, `.z`
    #[inline(always)]
    #[doc(alias = "cg::thread_block::group_index")]
    pub fn grid_position(&self) -> [u32; 3] {
        [special_register::ctaid_x(), special_register::ctaid_y(), special_register::ctaid_z()]
    }

    /// Returns the grid's extents in CTAs, x first (`gridDim`).
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %nctaid.x;`, `.y`, `.z`
    #[inline(always)]
    #[doc(alias = "cg::grid_group::dim_blocks")]
    pub fn grid_shape(&self) -> [u32; 3] {
        [special_register::nctaid_x(), special_register::nctaid_y(), special_register::nctaid_z()]
    }

    /// Returns whether the executing thread is the CTA's leader: the thread of rank 0, which issues what one thread has to issue.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn is_leader(&self) -> bool {
        (special_register::tid_x() | special_register::tid_y() | special_register::tid_z()) == 0
    }

    /// Returns the rank of the thread's warp in the CTA: the thread's rank divided by 32.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn warp_rank(&self) -> u32 {
        self.thread_rank() / 32
    }

    /// Checks that all threads of the CTA make the caller's call.
    #[cfg(feature = "checked")]
    #[inline(always)]
    #[track_caller]
    pub(crate) fn meet(&self) {
        crate::checked::meet_in_cta();
    }

    /// Waits for all threads of the CTA (`__syncthreads()`); each thread's earlier writes are visible to all threads after the
    /// call.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("__syncthreads", "cg::thread_block::sync"))]
    pub fn sync(&self) {
        meet!(self);
        // SAFETY: 9.7.13.1: without a count "all threads in the CTA participate", and `.aligned` asks that all "execute the same
        // barrier{.cta} instruction": the contract of `enter` has all threads make this call from the same place. No other kind
        // of instruction is active on barrier 0, since every call that uses it is collective in the CTA.
        unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) }
    }

    /// Waits as [`sync`](Cta::sync) does, and returns the number of threads in which the predicate is true
    /// (`__syncthreads_count()`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.popc.aligned.u32 d, 0, predicate;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__syncthreads_count")]
    pub fn sync_count(&self, predicate: bool) -> u32 {
        meet!(self);
        // SAFETY: 9.7.13.1: a reduction must not meet `.sync` or another reduction on an active barrier. All threads make the
        // same collective calls in the same order (contract of `enter`), and each call completes barrier 0.
        let count = unsafe { raw::barrier_cta_red_popc(Aligned, 0, predicate, threads::All) };
        mark::uniform::<Cta, _>(count)
    }

    /// Waits as [`sync`](Cta::sync) does, and returns whether the predicate is true in all threads (`__syncthreads_and()`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.and.aligned.pred p, 0, predicate;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__syncthreads_and")]
    pub fn sync_and(&self, predicate: bool) -> bool {
        meet!(self);
        // SAFETY: each collective call completes barrier 0 before the next begins (9.7.13.1; contract of `enter`).
        mark::condition::<Cta>(unsafe { raw::barrier_cta_red(op::And, Aligned, 0, predicate, threads::All) })
    }

    /// Waits as [`sync`](Cta::sync) does, and returns whether the predicate is true in any thread (`__syncthreads_or()`). The
    /// result is the same in all threads, so it may decide which collective calls follow.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.red.or.aligned.pred p, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::group::Cta, mut step: impl FnMut() -> bool) {
    /// while cta.sync_or(step()) {} // until no thread has more to do
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__syncthreads_or")]
    pub fn sync_or(&self, predicate: bool) -> bool {
        meet!(self);
        // SAFETY: each collective call completes barrier 0 before the next begins (9.7.13.1; contract of `enter`).
        mark::condition::<Cta>(unsafe { raw::barrier_cta_red(op::Or, Aligned, 0, predicate, threads::All) })
    }
}

/// A group of threads that make each call on a handle together, as a `cooperative_groups::thread_group`: the [`Cta`], its
/// [`FirstWarp`], one [`Thread`], or the [`Warps`] that produce or consume in a pipeline and have a named barrier.
///
/// The type of a handle names its group, which is the CTA by default: all threads of the CTA hold a `Shared<'s, f32, 64, Free>`,
/// one thread holds a `Shared<'s, f32, 64, Free, Thread<'t>>`. A call on a handle takes its group and synchronizes that group
/// alone. If the documentation of a call says "Collective in the group" and quotes `barrier.cta.sync.aligned 0;`, the barrier
/// depends on the group:
///
/// - a [`Cta`] executes `barrier.cta.sync.aligned 0;`
/// - a [`FirstWarp`] executes `bar.warp.sync 0xffffffff;`
/// - [`Warps`] execute `barrier.cta.sync.aligned ID, THREADS;`
/// - a [`Thread`] has no barrier.
///
/// ```
/// use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::ThreadGroup, mbarrier::{Mbarrier, Ready}};
/// use ptx::shared::{Free, Shared};
/// /// Copies a tile of global memory through shared memory that any group holds.
/// fn copy<'s, G: ThreadGroup>(
///     group: &G,
///     bar: Mbarrier<Ready, 1, G>,
///     tile: Shared<'s, f32, 1024, Free, G>,
///     (from, to): (GlobalTile<f32, 1024>, GlobalTileMut<f32, 1024>),
/// ) -> (Mbarrier<Ready, 1, G>, Shared<'s, f32, 1024, Free, G>) {
///     let (bar, tile, _) = bulk::load(group, bar, tile, from).wait(group);
///     (bar, bulk::store(group, tile, to).commit(group).wait_read(group).sync(group))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of threads",
    label = "expected a `Cta`, a `FirstWarp`, a `Thread`, or `Warps` with a named barrier",
    note = "pass the group that the enclosing closure gets: the `cta` of `cta.async_scope(…)`, the `warp` of `cta.invoke_warp(…)`, the `thread` of `cta.invoke_one(…)`, the `warps` of `pipeline.run_with(…)`",
    note = "the `warps` of `pipeline.run(…)` have no barrier of their own: use `run_with`, which gives them a `NamedBarrier`"
)]
pub trait ThreadGroup: mark::Group + Completes<Self> + fmt::Debug + Sized {
    /// Returns the executing thread's rank in the group.
    #[doc(hidden)]
    fn thread_rank(&self) -> u32;
    /// Returns the number of threads of the group.
    #[doc(hidden)]
    fn thread_count(&self) -> u32;
    /// Returns whether the executing thread is the group's leader: its thread of rank 0.
    #[doc(hidden)]
    fn is_leader(&self) -> bool;
    /// Lets copies that start after the group's barrier overwrite shared memory that threads of the group have read. A barrier of
    /// the CTA does so itself.
    #[doc(hidden)]
    #[inline(always)]
    fn fence_reads() {}
    /// Checks that all threads of the group make the caller's collective call, and traps if one does not (feature `checked`).
    #[cfg(feature = "checked")]
    #[doc(hidden)]
    #[track_caller]
    fn meet(&self);
}

/// Threads with a barrier of their own.
#[cfg_attr(doc, doc(hidden))]
pub trait HasBarrier: Sealed {
    /// Waits for all of these threads; each thread's earlier writes are visible to all of them after the call.
    #[doc(hidden)]
    #[track_caller]
    fn sync(&self);
}

/// Threads whose barrier completes transitions of the handles that the group `G` holds: the group itself, and the
/// [`Cluster`](crate::cluster::Cluster) for handles of its CTAs.
///
/// # Safety
///
/// Implemented in this crate only: the barrier waits for all threads of `G`, and orders their accesses.
#[diagnostic::on_unimplemented(
    message = "a barrier of `{Self}` does not complete a transition of handles that `{G}` holds",
    label = "not the group that holds the handles",
    note = "call `.sync(cta)` for handles of the CTA, `.sync(&cluster)` for handles of the cluster, and in a part of the CTA `.sync(thread)`, `.sync(warp)` or `.sync(warps)`",
    note = "a barrier of the cluster also completes transitions of the CTA's handles"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Completes<G>: HasBarrier {}

impl Sealed for Cta {}
// SAFETY: all threads of the CTA hold the handle.
unsafe impl mark::Group for Cta {
    const NUMBER: u32 = 3;
}
impl HasBarrier for Cta {
    #[inline(always)]
    fn sync(&self) {
        Cta::sync(self);
    }
}
// SAFETY: the barrier is that of all threads of the CTA.
unsafe impl Completes<Cta> for Cta {}
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
    #[cfg(feature = "checked")]
    #[inline(always)]
    fn meet(&self) {
        Cta::meet(self);
    }
}

/// Brands a handle with the scope or the call `'s`: the lifetime is invariant, so it stands for that one alone. Also binds the
/// handle to its thread.
pub(crate) type Brand<'s> = PhantomData<(fn(&'s ()) -> &'s (), *mut ())>;

/// The CTA's leader (thread 0) as a group of one thread, for the time of a call such as [`Cta::invoke_one`]. Its calls wait for
/// no other thread.
#[derive(Debug)]
pub struct Thread<'t> {
    _call: Brand<'t>,
}

static_assertions::const_assert_eq!(size_of::<Thread>(), 0);

impl Thread<'_> {
    /// # Safety
    ///
    /// `'t` belongs to the part of a pipeline that the executing thread runs alone.
    #[inline(always)]
    pub(crate) unsafe fn of_part() -> Self {
        Thread { _call: PhantomData }
    }
}

impl Sealed for Thread<'_> {}
// SAFETY: one thread holds the handle.
unsafe impl mark::Group for Thread<'_> {
    const NUMBER: u32 = 0;
}
impl HasBarrier for Thread<'_> {
    /// One thread waits for no other.
    #[inline(always)]
    fn sync(&self) {}
}
// SAFETY: the group is the executing thread, whose accesses are ordered.
unsafe impl<'t> Completes<Thread<'t>> for Thread<'t> {}
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
    fn fence_reads() {
        raw::fence_proxy_async(space::SharedCta);
    }
    #[cfg(feature = "checked")]
    #[inline(always)]
    fn meet(&self) {}
}

/// The CTA's first warp (threads 0 to 31) as a group, for the time of a call of [`Cta::invoke_warp`]. The leader belongs to it.
/// Its calls are collective in the warp and wait for that warp alone.
#[derive(Debug)]
pub struct FirstWarp<'w> {
    /// The lane, which in the first warp is the rank in the CTA.
    rank: u32,
    /// The number of threads of the warp: 32, or all threads of a smaller CTA.
    threads: u32,
    _call: Brand<'w>,
}

impl Sealed for FirstWarp<'_> {}
// SAFETY: all threads of the warp hold the handle.
unsafe impl mark::Group for FirstWarp<'_> {
    const NUMBER: u32 = 1;
}
impl HasBarrier for FirstWarp<'_> {
    #[inline(always)]
    fn sync(&self) {
        meet!(self);
        sync_first_warp();
    }
}
// SAFETY: the barrier is that of all threads of the warp.
unsafe impl<'w> Completes<FirstWarp<'w>> for FirstWarp<'w> {}
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
    fn fence_reads() {
        raw::fence_proxy_async(space::SharedCta);
    }
    #[cfg(feature = "checked")]
    #[inline(always)]
    fn meet(&self) {
        crate::checked::meet_in_warp(u32::MAX);
    }
}

/// Groups that contain the whole first warp.
///
/// # Safety
///
/// Implemented in this module only: all threads of the first warp are in the group.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not contain the whole first warp of the CTA",
    label = "all threads of a warp have to make this call",
    note = "a whole warp writes a tensor map (`tensormap.cp_fenceproxy` is `.sync.aligned`): pass the `cta`, or the `warp` of `cta.invoke_warp(…)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait HasFirstWarp: ThreadGroup {
    /// Returns whether the executing thread is in the first warp, and how many threads that warp has.
    #[doc(hidden)]
    #[inline(always)]
    fn first_warp(&self) -> (bool, u32) {
        (self.thread_rank() < 32, self.thread_count().min(32))
    }
}
// SAFETY: the CTA contains all its warps.
unsafe impl HasFirstWarp for Cta {}
// SAFETY: the group is that warp.
unsafe impl HasFirstWarp for FirstWarp<'_> {}

/// Waits for the threads of the first warp. All of them make this call.
#[inline(always)]
pub(crate) fn sync_first_warp() {
    // SAFETY: 9.7.13.2: undefined "if the executing thread is not in the `membermask`": the mask names all lanes. All threads of
    // the warp make the call by the contract of `enter`; a lane without a thread counts as exited.
    unsafe { raw::bar_warp_sync(u32::MAX) }
}

/// Handles that are there after a barrier: a transition, such as [`Shared::release`](crate::shared::Shared::release), of which
/// each thread has done its part. [`sync`](AfterSync::sync) executes the group's barrier (`__syncthreads()`) and gives the
/// handles in their next states, such as `Fenced` after `Written`.
///
/// One barrier completes several transitions: `sync` of a tuple ([`Together`]). The phase of a load completes those that
/// [`load_with`](crate::bulk::load_with) took.
///
/// A few calls cannot leave their barrier to the caller, because they go on after it: [`Shared::update`] and
/// [`Shared::into_atomic`], [`Mbarrier::inval`], [`PeerBarrier::arrive`], [`Cta::sync_and`] and its siblings, and the cluster's
/// [`arrive`] and `wait`. A call of [`Cta::invoke_one`] or [`Cta::invoke_warp`] without handles ends with its barrier, since no
/// handle would ask for it.
///
/// [`Shared::update`]: crate::shared::Shared::update
/// [`Shared::into_atomic`]: crate::shared::Shared::into_atomic
/// [`Mbarrier::inval`]: crate::mbarrier::Mbarrier::inval
/// [`PeerBarrier::arrive`]: crate::cluster::PeerBarrier::arrive
/// [`arrive`]: crate::cluster::Cluster::arrive
///
/// ```
/// # use ptx::{group::{Cta, Together}, shared::{Fenced, Free, Loaded, Shared, Written}};
/// /// One `__syncthreads()` completes two transitions: a loaded tile is free again, a written tile can be stored.
/// fn exchange<'s>(
///     cta: &Cta,
///     loaded: Shared<'s, f32, 1024, Loaded>,
///     written: Shared<'s, f32, 1024, Written>,
/// ) -> (Shared<'s, f32, 1024, Free>, Shared<'s, f32, 1024, Fenced>) {
///     (loaded.release(), written.to_async()).sync(cta)
/// }
/// ```
#[must_use = "the handles are there after the barrier: call `.sync(cta)`"]
pub struct AfterSync<Handles, G = Cta> {
    /// In a tuple: where a handle is wanted, rustc would suggest a field of that type.
    handles: (Handles,),
    _group: PhantomData<fn(&G)>,
}

impl<Handles, G> AfterSync<Handles, G> {
    /// Each thread of the group has done its part of the transition to `handles`; the barrier is left.
    #[inline(always)]
    pub(crate) fn new(handles: Handles) -> Self {
        AfterSync { handles: (handles,), _group: PhantomData }
    }

    /// Waits for all threads of the group (`__syncthreads()`), and returns the handles. Handles of the CTA also come back after a
    /// barrier of the [`Cluster`](crate::cluster::Cluster). For one [`Thread`] there is no barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, of a cluster `barrier.cluster.arrive.release.aligned;`
    /// `barrier.cluster.wait.acquire.aligned;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("__syncthreads", "__syncwarp"))]
    pub fn sync<By: Completes<G>>(self, group: &By) -> Handles {
        group.sync();
        self.handles.0
    }

    /// Makes an [`AfterSync`] of handles that need no barrier, for a loop whose first round has nothing to wait for.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::TilesMut, group::{AfterSync, Cta}, shared::{Free, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>, mut to: TilesMut<u32, 64>) -> Shared<'s, u32, 64, Free> {
    /// // The leader waits until the store has read the tile. The barrier at the start of the next round tells the other threads.
    /// // The first round has no store to wait for.
    /// let mut stored = AfterSync::ready(tile);
    /// while let Some((index, to)) = to.next_tile() {
    ///     let written = stored.sync(cta).write(cta, |i| (index * 64 + i) as u32).to_async().sync(cta);
    ///     stored = bulk::store(cta, written, to).commit(cta).wait_read(cta);
    /// }
    /// stored.sync(cta)
    /// # }
    /// ```
    #[inline(always)]
    pub fn ready(handles: Handles) -> Self {
        const {
            assert!(
                !core::mem::needs_drop::<Handles>(),
                "`AfterSync::ready` takes handles only, not a type that runs code when it is dropped"
            )
        };
        AfterSync::new(handles)
    }
}

/// A handle that is there: its text is the error of a call on an [`AfterSync`] that its handle has.
///
/// # Safety
///
/// Nothing implements the trait.
#[diagnostic::on_unimplemented(
    message = "the handle is there after the barrier: call `.sync(cta)` first",
    label = "a method of the handle, which is not there yet",
    note = "`{Self}` is a transition of which each thread has done its part; `.sync(cta)`, or in a part of the CTA `.sync(thread)`, `.sync(warp)` or `.sync(warps)`, waits for the other threads and gives the handle"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait IsThere<Returns> {}

macro_rules! not_there {
    ($( $name:ident ( $($argument:ident)* ) )*) => {
        /// The methods of handles. Without them, rustc would say that the handle has the method in another state.
        impl<Handles, G> AfterSync<Handles, G> { $(
            #[doc(hidden)]
            pub fn $name<Returns>(self, $($argument: impl Sized),*) -> Returns
            where
                Self: IsThere<Returns>,
            {
                let _ = ($($argument,)*);
                unreachable!("an `AfterSync` is no handle")
            }
        )* }
    };
}
not_there! {
    get(i) get_vector(i) set(i value) set_vector(i value) write(group f) write_chunks(group f) update(group f) element_stores() vector_stores()
    release() publish() to_async() into_free() into_loaded() into_free_generic() into_atomic(cta) atomic(i)
    arrive(group) wait(group) inval(group)
}

impl<Handles: End, G> AfterSync<Handles, G> {
    /// Gives the handles up in the kernel's last scope, without their barrier, and returns the proof that [`Cta::finish`] asks
    /// for. No barrier is needed: each thread has done its part when it returns from the scope, and the memory lives until all
    /// threads have exited.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Handles::Ended {
        self.handles.0.end()
    }
}

impl<Handles, G> fmt::Debug for AfterSync<Handles, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AfterSync")
    }
}

/// What one barrier completes: an [`AfterSync`], or a tuple of two to ten.
///
/// # Safety
///
/// Implemented in this crate only: each thread has done its part of the transitions.
#[diagnostic::on_unimplemented(
    message = "a barrier does not complete `{Self}`",
    label = "not a transition that waits for a barrier",
    note = "`.sync(cta)` of a tuple, `load_with` and `arrive_with` take what methods such as `release`, `to_async`, `publish` and `wait_read` return (`AfterSync`), or a tuple of two to ten of them"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Transitions<By> {
    /// The handles in their next states.
    type Handles;
    /// Returns the handles in their next states. The token proves that the caller has passed the barrier.
    #[doc(hidden)]
    fn handles(self, passed: Passed) -> Self::Handles;
}

/// Completes a tuple of transitions by one barrier: import this trait to call `.sync(cta)` on two to ten [`AfterSync`].
///
/// # Safety
///
/// Implemented in this crate only, for tuples.
pub unsafe trait Together: Sized {
    /// Waits for all threads of the group (`__syncthreads()`), and returns the handles of all transitions, as
    /// [`AfterSync::sync`] does for one.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`AfterSync::sync`].
    #[inline(always)]
    #[track_caller]
    fn sync<By: HasBarrier>(self, group: &By) -> Self::Handles
    where
        Self: Transitions<By>,
    {
        group.sync();
        self.handles(Passed::NEW)
    }
}

mod passed {
    /// Proof that the thread has passed a barrier of the group, or an mbarrier phase in which every thread of the group has
    /// arrived. Only this crate can make a `Passed`.
    #[derive(Debug, Clone, Copy)]
    pub struct Passed(());
    impl Passed {
        pub(crate) const NEW: Passed = Passed(());
    }
}
pub(crate) use passed::Passed;

// SAFETY: a method that makes an `AfterSync` has done the thread's part.
unsafe impl<Handles, G, By: Completes<G>> Transitions<By> for AfterSync<Handles, G> {
    type Handles = Handles;
    #[inline(always)]
    fn handles(self, _: Passed) -> Handles {
        self.handles.0
    }
}

macro_rules! transitions {
    ($( ($($T:ident $i:tt),+) )*) => { $(
        // Unconditional: so `.sync` exists for every tuple, and a wrong one gets the text of `Transitions`.
        // SAFETY: a tuple.
        unsafe impl<$($T),+> Together for ($($T,)+) {}
        // SAFETY: each element of the tuple keeps the clause of the trait.
        unsafe impl<By, $($T: Transitions<By>),+> Transitions<By> for ($($T,)+) {
            type Handles = ($($T::Handles,)+);
            #[inline(always)]
            fn handles(self, passed: Passed) -> Self::Handles {
                ($(self.$i.handles(passed),)+)
            }
        }
    )* };
}
transitions! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7, J 8)
    (A 0, B 1, C 2, D 3, E 4, F 5, H 6, I 7, J 8, K 9)
}

/// The types of a handle in other hands than those of the group `Of`. Handles in every state have them, also those that a group
/// cannot hand over: so a wrong call fails by one bound, [`HandOver`].
///
/// # Safety
///
/// Implemented in this crate only: `HeldBy` is the type of the same memory, in the same state.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handle that a group can hold",
    label = "neither `()` nor handles",
    note = "a call without handles passes `()`: `cta.invoke_one((), |thread, ()| …)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Held<Of>: Sized {
    /// The handle as `G` holds it.
    type HeldBy<G>;
    /// The proof that `G` has ended its use of the handle ([`End`]).
    type EndedBy<G>;
    /// What the call gives back: the handles [`AfterSync`], or `()` without handles.
    type Back;
    /// The handles after a barrier, in whatever state the part has left them: shared memory is
    /// [`FreeGeneric`](crate::shared::FreeGeneric).
    type Joined;
}

/// Handles that a group can hand to a part of its threads for the time of a call such as [`Cta::invoke_one`]: shared memory that
/// no thread reads and no copy uses, memory of an mbarrier, and tuples of such handles.
///
/// # Safety
///
/// Implemented in this crate only:
///
/// - The group `Of` holds the handle.
/// - Until all threads of the group have met at a barrier, only the threads of the part use the memory or mbarrier of the handle.
/// - Every thread's copy of the handle is equal.
/// - Two handles whose types differ only in state are interchangeable: the part may return handles in another order.
#[diagnostic::on_unimplemented(
    message = "`{Of}` cannot hand `{Self}` to a part of its threads",
    label = "in use, held by another group, or not a handle of shared memory",
    note = "a call without handles passes `()`: `cta.invoke_one((), |thread, ()| …)`",
    note = "`invoke_one`, `invoke_warp`, `finish_one`, `finish_warp` and a pipeline's `run_with` take shared memory that is `Free` or `Fenced`, `Mbarrier<Uninit>`, and tuples of one to six of them, held by the calling group: free a loaded tile with `.release().sync(cta)` first",
    note = "call `.sync(cta)` on an `AfterSync`, which gives its handle",
    note = "an `Mbarrier<Ready>` counts the threads that called `init`: hand over an `Mbarrier<Uninit>`, and call `.init(thread)` or `.init(warp)` in the closure"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait HandOver<Of>: Held<Of> {
    /// Returns the handle as `G`, the part of the group that gets it, holds it.
    ///
    /// # Safety
    ///
    /// - All threads of the group make this call; only the threads of `G` use the returned handle.
    /// - `self` is never used again, or only after a barrier of the group that follows the return of the handle by `G`.
    #[doc(hidden)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G>;
    /// Returns the handles, which come back after the barrier of `group`. Without handles, executes that barrier.
    #[doc(hidden)]
    #[track_caller]
    fn back(self, group: &Of) -> Self::Back
    where
        Of: ThreadGroup;
    /// Returns the handles after a barrier of the group, which the token proves. The part has ended its own.
    #[doc(hidden)]
    fn joined(self, passed: Passed) -> Self::Joined;
}

// SAFETY: `()` has no memory.
unsafe impl<Of> Held<Of> for () {
    type HeldBy<G> = ();
    type EndedBy<G> = ();
    type Back = ();
    type Joined = ();
}
// SAFETY: `()` has no memory.
unsafe impl<Of> HandOver<Of> for () {
    #[inline(always)]
    unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {}
    #[inline(always)]
    fn back(self, group: &Of)
    where
        Of: ThreadGroup,
    {
        group.sync();
    }
    #[inline(always)]
    fn joined(self, _: Passed) {}
}

// SAFETY: the types are those of the handle. What is not there yet is not handed over.
unsafe impl<Handles: Held<Of>, G, Of> Held<Of> for AfterSync<Handles, G> {
    type HeldBy<Part> = Handles::HeldBy<Part>;
    type EndedBy<Part> = Handles::EndedBy<Part>;
    type Back = AfterSync<Handles, Of>;
    type Joined = Handles::Joined;
}

/// The function of [`HandOver`] by which handles come back after a barrier.
macro_rules! come_back {
    ($Of:ident) => {
        #[inline(always)]
        fn back(self, _: &$Of) -> Self::Back
        where
            $Of: $crate::group::ThreadGroup,
        {
            $crate::group::AfterSync::new(self)
        }
    };
}
pub(crate) use come_back;

macro_rules! hand_over_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each element of the tuple keeps the clause of the trait.
        unsafe impl<Of, $($H: Held<Of>),+> Held<Of> for ($($H,)+) {
            type HeldBy<G> = ($($H::HeldBy<G>,)+);
            type EndedBy<G> = ($($H::EndedBy<G>,)+);
            type Back = AfterSync<Self, Of>;
            type Joined = ($($H::Joined,)+);
        }
        // SAFETY: each element of the tuple keeps the clauses of the trait.
        unsafe impl<Of, $($H: HandOver<Of>),+> HandOver<Of> for ($($H,)+) {
            come_back! { Of }
            #[inline(always)]
            fn joined(self, passed: Passed) -> Self::Joined {
                ($(self.$i.joined(passed),)+)
            }
            #[inline(always)]
            unsafe fn hand_over<G>(&self) -> Self::HeldBy<G> {
                // SAFETY: the caller keeps both clauses of `# Safety` for the tuple, so for each element.
                unsafe { ($(self.$i.hand_over(),)+) }
            }
        }
    )* };
}
hand_over_tuple! { (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5) }

/// Makes the two methods by which a part of the group works alone: with handles that come back, and at the end of the kernel.
/// rustc quotes the line with the name when a call lacks an argument, so the line says what a call without handles passes.
macro_rules! invoke {
    (
        $Group:ty, ($($borrow:tt)+) $Part:ident, $part:expr, $is_in_part:expr,
        $(#[$invoke:meta])* $name:ident,
        $(#[$finish:meta])* $name_finish:ident
    ) => {
        impl $Group {
            $(#[$invoke])*
            #[inline(always)]
            #[track_caller]
            pub fn $name<H: HandOver<Self>>(
                &mut self,
                handles: H,
                body: impl for<'t> FnOnce($($borrow)+ $Part<'t>, H::HeldBy<$Part<'t>>) -> H::HeldBy<$Part<'t>>,
            ) -> H::Back {
                meet!(self);
                let split = Split::new();
                if split.role($is_in_part(self)) {
                    // SAFETY: only the threads of the part use the handles; the other threads go on to the barrier. The lifetime
                    // belongs to this call alone, so `body` returns the handles that it was given, and they are idle.
                    let _idle = split.part(|| unsafe { body($($borrow)+ $part(self), handles.hand_over()) });
                }
                handles.back(self)
            }

            $(#[$finish])*
            #[inline(always)]
            #[track_caller]
            pub fn $name_finish<H: HandOver<Self> + End>(
                &mut self,
                handles: H,
                body: impl for<'t> FnOnce($($borrow)+ $Part<'t>, H::HeldBy<$Part<'t>>) -> H::EndedBy<$Part<'t>>,
            ) -> H::Ended {
                meet!(self);
                let split = Split::new();
                if split.role($is_in_part(self)) {
                    // SAFETY: only the threads of the part use the handles, and no thread uses `handles` again. The lifetime
                    // belongs to this call alone, so `body` has ended the handles that it was given.
                    let _ended = split.part(|| unsafe { body($($borrow)+ $part(self), handles.hand_over()) });
                }
                handles.end()
            }
        }
    };
}

invoke! {
    Cta, (&) Thread, |_: &Cta| Thread { _call: PhantomData }, Cta::is_leader,
    #[doc(alias = "cg::invoke_one")]
    /// Runs `body` in the leader alone, as `cooperative_groups::invoke_one` does, and lends the handles to that [`Thread`], whose
    /// calls have no barrier.
    ///
    /// `body` returns the handles in the states in which it got them. The CTA holds them again after the next barrier: call
    /// `.sync(cta)` on the result ([`AfterSync`]). Until then the other warps go on; the other lanes of the first warp may wait
    /// for the leader to finish `body`. Without handles, `invoke_one((), …)` ends with that barrier itself, so that the other
    /// threads see what the leader did.
    ///
    /// `body` can make no collective call of the CTA or of a warp (`cta.sync()`, `cta.warp().ballot(…)`), because this call
    /// borrows the CTA. Compute ranks and counts that `body` needs before the call. Begin `body` with its `init` calls, and
    /// branch after them: ptxas merges a branch at the beginning with the branch that selects the leader, no longer knows that
    /// one lane is active, and makes each bulk operation a loop over lanes.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none; without handles `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::Cta, mbarrier::{Mbarrier, Uninit}, shared::{Free, Shared}};
    /// # type Tile<'s> = Shared<'s, f32, 64, Free>;
    /// # fn kernel<'s>(cta: &mut Cta, tile: Tile<'s>, bar: Mbarrier<Uninit>, from: GlobalTile<f32, 64>, to: GlobalTileMut<f32, 64>)
    /// # -> Tile<'s> {
    /// // The leader copies a tile, while the other threads do something else.
    /// let lent = cta.invoke_one((tile, bar), |thread, (tile, bar)| {
    ///     let (bar, tile, _) = bulk::load(thread, bar.init(thread).sync(thread), tile, from).wait(thread);
    ///     let tile = bulk::store(thread, tile, to).commit(thread).wait_read(thread);
    ///     (tile.sync(thread), bar.inval(thread))
    /// });
    /// let (tile, _bar) = lent.sync(cta);
    /// # tile }
    /// ```
    invoke_one, // without handles: `invoke_one((), |thread, ()| …)`
    /// Runs `body` in the leader as [`invoke_one`](Cta::invoke_one) does, at the end of the kernel ([`Cta::finish`]): `body`
    /// returns the handles ended, they do not come back, and there is no barrier.
    ///
    /// The other warps go on. The other lanes of the first warp may wait for the leader to finish `body`.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
    /// # type Tile = SharedArray<f32, 1024>;
    /// # fn kernel(cta: Cta, tile: Tile, bar: Mbarrier<Uninit>, from: GlobalTile<f32, 1024>, to: GlobalTileMut<f32, 1024>) {
    /// // The leader copies the tile; the other threads have nothing to do.
    /// cta.finish(tile, |cta, tile| {
    ///     let (tile, ()) = cta.finish_one((tile, bar), |thread, (tile, bar)| {
    ///         let (_bar, tile, _) = bulk::load(thread, bar.init(thread).sync(thread), tile, from).wait(thread);
    ///         (bulk::store(thread, tile, to).commit(thread).wait_read(thread).end(), ())
    ///     });
    ///     tile
    /// });
    /// # }
    /// ```
    finish_one
}
invoke! {
    Cta, (&mut) FirstWarp,
    |cta: &Cta| FirstWarp { rank: cta.thread_rank(), threads: cta.thread_count().min(32), _call: PhantomData },
    |cta: &Cta| cta.thread_rank() < 32,
    /// Runs `body` in the first warp alone and lends the handles to that [`FirstWarp`], whose calls wait for the warp alone.
    ///
    /// As with [`invoke_one`](Cta::invoke_one), `body` makes no collective call of the CTA, and after the next barrier the CTA
    /// holds the handles again; without handles this call ends with that barrier. `body` gets the warp as `&mut`, so that it can
    /// call [`FirstWarp::invoke_one`].
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none; without handles `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, group::Cta, shared::{Free, Shared}};
    /// # fn kernel<'s>(cta: &mut Cta, tile: Shared<'s, u32, 64, Free>, to: GlobalTileMut<u32, 64>, work: impl Fn())
    /// # -> Shared<'s, u32, 64, Free> {
    /// let tile = cta.invoke_warp(tile, |warp, tile| {
    ///     let squares = tile.write(warp, |i| (i * i) as u32).to_async().sync(warp);
    ///     bulk::store(warp, squares, to).commit(warp).wait_read(warp).sync(warp)
    /// });
    /// work(); // the other warps do this while the first warp fills the tile and stores it
    /// let tile = tile.sync(cta);
    /// # tile }
    /// ```
    invoke_warp, // without handles: `invoke_warp((), |warp, ()| …)`
    /// Runs `body` in the first warp as [`invoke_warp`](Cta::invoke_warp) does, at the end of the kernel ([`Cta::finish`]): `body`
    /// returns the handles ended, they do not come back, and there is no barrier. The other warps go on.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: none.
    finish_warp
}
invoke! {
    FirstWarp<'_>, (&) Thread, |_: &FirstWarp<'_>| Thread { _call: PhantomData }, FirstWarp::is_leader,
    /// Runs `body` in the leader alone, as [`Cta::invoke_one`] does, and lends it handles of the warp. The warp holds them again
    /// after its next barrier; without handles this call ends with that barrier. `body` makes no collective call of the warp.
    ///
    /// Collective in the warp.
    ///
    /// PTX: none; without handles `bar.warp.sync 0xffffffff;`
    invoke_one, // without handles: `invoke_one((), |thread, ()| …)`
    /// Runs `body` in the leader as [`Cta::finish_one`] does, with handles of the warp: `body` returns the handles ended, they do
    /// not come back, and there is no barrier.
    ///
    /// Collective in the warp.
    ///
    /// PTX: none.
    finish_one
}

/// Handles whose use can end without a barrier at the end of a kernel: [`Shared`](crate::shared::Shared), the handles that a
/// cluster's scope makes of it, and tuples of such handles.
///
/// # Safety
///
/// Implemented in this crate only: the value that `end` returns proves that no copy uses the memory, or, in a cluster's scope,
/// that no copy uses it once all CTAs have ended theirs.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait End {
    /// The proof that the last scope asks for.
    type Ended;
    /// Gives the handle up in the kernel's last scope, and returns the proof that [`Cta::finish`] or [`Cta::finish_cluster`] asks
    /// for.
    fn end(self) -> Self::Ended;
}

macro_rules! end_tuple {
    ($( ($($H:ident $i:tt),+) )*) => { $(
        // SAFETY: each element of the tuple keeps the clause of the trait.
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

/// Implements [`End`] for types that hold no shared memory: there is nothing to end.
macro_rules! nothing_to_end {
    ($( [$($generics:tt)*] $T:ty; )*) => { $(
        // SAFETY: the type holds no shared memory.
        unsafe impl<$($generics)*> $crate::group::End for $T {
            type Ended = ();
            #[inline(always)]
            fn end(self) {}
        }
    )* };
}
pub(crate) use nothing_to_end;

nothing_to_end! { [] (); }

handles! { Cta, Thread, FirstWarp }
