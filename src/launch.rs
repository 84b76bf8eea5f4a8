//! The kernel's entry: where a thread becomes part of its CTA, and the CTA gets its shared memory, under the launch shape that the
//! kernel states ([`LaunchShape`]: `__launch_bounds__`, `__cluster_dims__`). And its place between the grids before and after it:
//! programmatic dependent launch ([`Prerequisite`], [`Cta::launch_dependents`]).

use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;

pub use crate::group::{
    AfterSync, Cta, End, FirstWarp, HandOver, HasWarp, PartBarrier, Thread, ThreadGroup, Transitions, Warps,
};
use crate::qualifier::action;
use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};
pub use crate::trap::trap;

mod shape;

pub use shape::{Block, LaunchShape};

impl Cta {
    /// Enters the kernel: gives the CTA, the shared memory that the kernel declares (`()` for none, else a struct
    /// of [`shared_memory!`](crate::shared_memory)), and the shared memory that the launch adds.
    ///
    /// ```
    /// use ptx::{launch::Cta, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: the kernel's first call, in every thread; collective calls are made in uniform control flow.
    /// let (mut cta, smem, _dynamic) = unsafe { Cta::enter::<Smem>() };
    /// cta.async_scope(smem.tile, |cta, tile| tile.write(cta, |i| i as f32).to_async(cta).into_free());
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// This is the one obligation that types cannot carry: **uniform control flow**, the rule of `__syncthreads()`.
    ///
    /// - *Entry.* Every thread of the CTA calls `enter`, once, at the kernel's start.
    /// - *Collective calls.* All threads of a group make each of its collective calls together: from the same place in the program,
    ///   equally often, in the same order; on handles of the same type, for the same memory; with equal arguments where an argument
    ///   steers which calls come next. Every condition and loop bound that decides whether, and in which round, a thread reaches
    ///   the call has the same value in all threads of the group. A call is collective
    ///   - in the CTA, if it takes a `&Cta` or `&mut Cta`, as its receiver or not;
    ///   - in the group `G`, if it takes a `&G`, and in the first warp, if it takes a [`FirstWarp`];
    ///   - in the warp, if it takes a [`Warp`](crate::warp::Warp), or [`Warps`] and a handle of a pipeline: `wait`, `wait_suspended` and `release` of
    ///     the [consumers](crate::pipeline::Consumer), `write` of the [producers](crate::pipeline::Producer);
    ///   - in a group of a warp's lanes, if it takes [`Lanes`](crate::warp::Lanes);
    ///   - in the cluster, if it takes a [`Cluster`](crate::cluster::Cluster) or its [`ArrivedCluster`](crate::cluster::ArrivedCluster), and
    ///     if it is [`Cta::cluster_scope`] or [`Cta::cluster_scope_last`]. Handles are then of the same type, and lie at the same place in the shared memory of
    ///     each CTA, and arguments (permutations, groups, masks, operations) are equal in all of them, but for sources of copies and values. A call that takes a handle of a cluster's scope and a `&Cta`, such as
    ///     [`Sent::receive`](crate::cluster::Sent::receive), is collective in the CTA alone.
    ///
    ///   What a thread does for itself is *not* collective, whatever it takes: [`Cta::thread_rank`],
    ///   [`thread_count`](Cta::thread_count), [`rank`](Cta::grid_rank), [`count`](Cta::grid_size), [`is_leader`](Cta::is_leader),
    ///   [`warp_rank`](Cta::warp_rank), [`warp`](Cta::warp), [`launch_dependents`](Cta::launch_dependents), ranks and counts of
    ///   lanes and clusters; what takes a handle by `&self` alone, such as `get`, `set`, `addr`, `len`, `is_complete` and atomic
    ///   operations; the elements and vectors of [`GlobalElementsMut`](crate::global::GlobalElementsMut) and
    ///   [`GlobalVectorsMut`](crate::global::GlobalVectorsMut); and what its documentation calls so:
    ///   each function that takes a group has a line `Not collective.`, or one that names the threads that make the call.
    /// - *Dividing.* What deals memory out to threads is done alike by all threads that do it, by the same method, with equal parameters and
    ///   arguments: `tiles`, `boxes`, `elements`, `warp_elements`, `vectors`, `rows` and `tile` of what a `from_raw` makes, by all threads of the grid;
    ///   `vectors`, `elements`, `fragment` and `write_to` of a row or a tile, and `take`, `try_take` and `take_own`, by all threads of the CTA.
    /// - *Handles.* What takes a handle by value or by `&mut` without a group (`split`, `join`, `into_free`, `next_tile`, `along`, …) has no
    ///   barrier, and is done alike by all threads that hold the handle, or in a part by all of the part: the same calls, in the same order.
    /// - *Closures.* The bodies of scopes ([`async_scope`](Cta::async_scope), [`async_scope_last`](Cta::async_scope_last), [`cluster`](Cta::cluster_scope),
    ///   [`cluster_scope_last`](Cta::cluster_scope_last), that of a `WorkQueueMemory`), calls ([`invoke_one`](Cta::invoke_one), [`invoke_warp`](Cta::invoke_warp),
    ///   and their `…_at_sync`, `…_last`) and parts ([`Pipeline::run`](crate::pipeline::Pipeline::run), `run_with` and their `…_last`) run once in each of their threads, those of [`unroll`](crate::registers::unroll) and
    ///   [`from_fn`](crate::registers::from_fn) once a round in each: they may contain collective calls. Every other closure (that of
    ///   `write`, `update`, `load_where`, `update_all`, `elect`, …) runs as often as its method says, which differs from thread to
    ///   thread: it contains no collective call of any group. Its method takes the group by `&`, so the compiler does not see it.
    /// - *Parts.* The calls that work in a part of the threads (`invoke_one`, `invoke_warp`, `Pipeline::run`, `run_with`, their
    ///   `…_at_sync` and `…_last`) take the larger group by `&mut`: their closures cannot have it, nor a
    ///   [`Warp`](crate::warp::Warp) of it, and make no collective call of it. The parts' own handles are held by a thread, a warp or [`Warps`]; so is
    ///   what a closure of a part captures, by move or by reference, and changes (`next_tile`, …): no other thread uses that again.
    /// - *The rest.* The grid has fewer than 2^32 CTAs. Nothing else in the kernel uses the memory of `S`, the launch's shared memory,
    ///   the barriers 0 to 15, or the cluster's barrier.
    #[inline(always)]
    pub unsafe fn enter<S: SharedMemory>() -> (Cta, S, DynamicShared) {
        // SAFETY: the caller enters once, so each piece of shared memory is given out once.
        unsafe { (Cta::entered(), S::claim(), DynamicShared::claim()) }
    }

    /// Lets the grids that depend on this one launch, once every CTA has said so or ended. They wait for this grid's memory
    /// by [`Prerequisite::wait`], not by this: it may stand before the last store. Saying it twice changes nothing.
    ///
    /// Not collective.
    ///
    /// PTX: `griddepcontrol.launch_dependents;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// cta.launch_dependents(); // the next grid's prologue overlaps with what follows
    /// # }
    /// ```
    #[inline(always)]
    pub fn launch_dependents(&self) {
        raw::griddepcontrol(action::LaunchDependents);
    }
}

/// Handles of memory that the grids before this one may still use: what a kernel launched with programmatic dependent
/// launch has until it waits for them. They come out by [`wait`](Prerequisite::wait) alone: what is not waited for is forgotten,
/// so that no `Drop` of theirs runs.
///
/// ```
/// use ptx::global::Global;
/// use ptx::launch::Prerequisite;
/// # unsafe fn kernel(cta: &ptx::launch::Cta, x: *const f32, n: usize) {
/// // SAFETY: the host passes `n` elements, which nobody writes once the grid before this one is complete.
/// let x = unsafe { Prerequisite::new(Global::from_raw(x, n)) };
/// // … whatever needs no memory of the grid before …
/// let x = x.wait(cta);
/// let (tiles, tail) = x.tiles::<1024>();
/// # }
/// ```
#[must_use = "the memory of the grids before comes out by `.wait(&cta)`"]
pub struct Prerequisite<T> {
    /// Initialised; read by `wait` alone. `T` is the user's, and its `Drop` or `Debug` may use the handles in it.
    memory: MaybeUninit<T>,
    /// The wait is the thread's.
    _thread: PhantomData<*mut ()>,
}

static_assertions::assert_not_impl_any!(Prerequisite<u32>: Copy, Clone, Send, Sync);
const _: () = {
    /// Stands for a type of the user's.
    struct Dropped;
    impl Drop for Dropped {
        fn drop(&mut self) {}
    }
    assert!(!core::mem::needs_drop::<Prerequisite<Dropped>>());
};

impl<T> fmt::Debug for Prerequisite<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Prerequisite").finish_non_exhaustive()
    }
}

impl<T> Prerequisite<T> {
    /// Puts handles away until the grids before this one are complete.
    ///
    /// ```
    /// use ptx::{global::Global, launch::Prerequisite};
    /// # unsafe fn kernel(x: *const f32, y: *const f32, n: usize) {
    /// // SAFETY: `n` elements each, which nobody writes once the grid before this one is complete.
    /// let memory = unsafe { Prerequisite::new((Global::from_raw(x, n), Global::from_raw(y, n))) };
    /// # let _ = memory;
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// What the constructors of `memory` ask for holds from the completion of the prerequisite grids on, instead of from
    /// now on; until then this kernel has no other handle of that memory.
    #[inline(always)]
    pub const unsafe fn new(memory: T) -> Self {
        Prerequisite { memory: MaybeUninit::new(memory), _thread: PhantomData }
    }

    /// Waits until the prerequisite grids are complete and their memory operations visible. Without any it does not wait.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `griddepcontrol.wait;`
    ///
    /// ```
    /// # use ptx::{global::Global, launch::{Cta, Prerequisite}};
    /// # fn kernel(cta: &Cta, memory: Prerequisite<(Global<f32>, Global<f32>)>) {
    /// let (x, y) = memory.wait(cta);
    /// let sum = x.get(0).zip(y.get(0)).map(|(x, y)| x + y);
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, _cta: &Cta) -> T {
        raw::griddepcontrol(action::Wait);
        // SAFETY: `new` has initialised it.
        unsafe { self.memory.assume_init() }
    }
}
