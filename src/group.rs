//! Thread groups (cooperative groups): the thread block ([`Cta`]), its first warp ([`FirstWarp`]), one [`Thread`] of it, and the
//! [`Warps`] that run a part of a pipeline. A group holds handles and makes collective calls on them.
//!
//! What needs the group's barrier to take effect returns an [`AfterSync`], and `.sync(cta)` is the barrier, for one or for a tuple
//! ([`Together`]). [`Cta::finish`] lends shared memory for the rest of the kernel.

use core::fmt;
use core::marker::PhantomData;

use crate::async_group::Token;
use crate::mark::{self, Split};
use crate::qualifier::{Sealed, convergence::Aligned, op, space, threads};
use crate::raw;
use crate::special_register;

mod hand_over;
mod transition;
#[cfg(any(wgmma, tcgen05))]
mod warpgroup;
mod warps;

pub(crate) use hand_over::come_back;
pub use hand_over::{HandOver, Held};
pub use transition::{AfterSync, End, IsThere, Together, Transitions};
pub(crate) use transition::{Passed, nothing_to_end};
#[cfg(any(wgmma, tcgen05))]
pub(crate) use warpgroup::WARPGROUP;
#[cfg(any(wgmma, tcgen05))]
pub use warpgroup::Warpgroup;
pub use warps::Warps;

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

    /// Returns the thread's rank in the grid: the CTA's rank times its number of threads, plus the thread's rank in the CTA. A loop
    /// from this rank in steps of [`grid_thread_count`](Cta::grid_thread_count) is a grid-stride loop. In a grid of 2^32 threads or
    /// more, ranks wrap around.
    ///
    /// Not collective.
    ///
    /// PTX, in a block and a grid of one dimension: `mov.u32 t, %tid.x;`, `mov.u32 c, %ctaid.x;`, `mov.u32 n, %ntid.x;` and
    /// `mad.lo.s32 d, c, n, t;`. If the kernel states its threads, n is a constant, and a power of two is a shift.
    #[inline(always)]
    #[doc(alias = "cg::grid_group::thread_rank")]
    pub fn grid_thread_rank(&self) -> u32 {
        self.grid_rank() * self.thread_count() + self.thread_rank()
    }

    /// Returns the number of threads of the grid. It wraps around at 2^32.
    ///
    /// Not collective.
    ///
    /// PTX, in a block and a grid of one dimension: `mov.u32 c, %nctaid.x;`, `mov.u32 n, %ntid.x;` and `mul.lo.s32 d, c, n;`. If the
    /// kernel states its threads, n is a constant, and a power of two is a shift.
    #[inline(always)]
    #[doc(alias = "cg::grid_group::num_threads")]
    pub fn grid_thread_count(&self) -> u32 {
        self.grid_size() * self.thread_count()
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
/// use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::{Cta, ThreadGroup}, mbarrier::{Mbarrier, Ready}};
/// use ptx::shared::{Free, Shared};
/// /// Copies a tile of global memory through shared memory that any group holds.
/// fn copy<'s, G: ThreadGroup<Owner = Cta>>(
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
    note = "the `warps` of `pipeline.run(…)` have no barrier of their own: use `run_tiles_with` or `run_with`, which give them a `ConsumersBarrier`"
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
    /// What the group regains of global memory of the CTA when its copy is complete: a part regains none, since the other threads
    /// have the handle too, and do not wait for the part.
    #[doc(hidden)]
    type Regained<Tile>;
    /// To whom the global memory is dealt out that the group's copies write: the CTA; or the group itself where several groups run one
    /// closure, since each of them has what the closure captures.
    type Owner: mark::Group;
    #[doc(hidden)]
    fn regain<Tile>(tile: Tile, token: Token) -> Self::Regained<Tile>;
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
    type Regained<Tile> = Tile;
    type Owner = Cta;
    #[inline(always)]
    fn regain<Tile>(tile: Tile, _: Token) -> Tile {
        tile
    }
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
    type Regained<Tile> = ();
    type Owner = Cta;
    #[inline(always)]
    fn regain<Tile>(_: Tile, _: Token) {}
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
    type Regained<Tile> = ();
    type Owner = Cta;
    #[inline(always)]
    fn regain<Tile>(_: Tile, _: Token) {}
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
                    let _idle = split.part::<$Part<'_>, _>(|| unsafe { body($($borrow)+ $part(self), handles.hand_over()) });
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
                    let _ended = split.part::<$Part<'_>, _>(|| unsafe { body($($borrow)+ $part(self), handles.hand_over()) });
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

handles! { Cta, Thread, FirstWarp }
