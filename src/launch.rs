//! The kernel's entry: where a thread becomes part of its CTA, and the CTA gets its shared memory. And its place between
//! the grids before and after it ([`Prerequisite`], [`Cta::launch_dependents`]).

use core::marker::PhantomData;

use crate::qualifier::{action, convergence::Unaligned, op, threads};
use crate::raw;
use crate::shared::{DynamicShared, SharedMemory};
use crate::warp::Warp;

/// The executing CTA, as each of its threads holds it.
///
/// Methods that take a `&Cta` are *collective*: every thread of the CTA calls them, in the same order. (Those that take a
/// [`Warp`] are collective among its threads.) Where one thread has to issue an instruction, it is the elected one,
/// [`Cta::is_elected`]. The value has no size.
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
    /// Enters the kernel: gives the CTA, the shared memory that the kernel declares (`()` for none, else a struct
    /// of [`shared_memory!`](crate::shared_memory)), and the shared memory that the launch adds.
    ///
    /// ```
    /// use ptx::{launch::Cta, shared::SharedArray};
    /// ptx::shared_memory! { struct Smem { tile: SharedArray<f32, 1024> } }
    /// # unsafe fn kernel() {
    /// // SAFETY: the kernel begins so, in every thread, and all threads make the same collective calls.
    /// let (cta, smem, _dynamic) = unsafe { Cta::enter::<Smem>() };
    /// cta.lend(smem.tile, |cta, tile| tile.write(cta, |i| i as f32).to_async(cta).into_free());
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// This is the one obligation that types cannot carry:
    ///
    /// - every thread of the CTA calls `enter`, and once only, at the kernel's start;
    /// - all threads of the CTA make the same sequence of collective calls (those that take this `Cta`, or a
    ///   handle obtained through it), each on the same handles, and with equal arguments where an argument steers
    ///   which calls come next;
    /// - all threads of all CTAs of a cluster make the same sequence of *cluster calls* ([`Cta::cluster`], and those
    ///   that take its [`Cluster`](crate::cluster::Cluster) or what became of it), each with equal arguments but for
    ///   sources and values, and on handles that lie at the same place in the shared memory of each CTA;
    /// - inside the parts that [`Pipeline::run`](crate::pipeline::Pipeline::run), `run_multicast` and
    ///   [`Handoff::split`](crate::barrier::Handoff::split) deal out, whose own handles the above does not mean, no thread makes
    ///   a collective call of the CTA or of the cluster (asking for a rank or a count is none);
    /// - calls that take a [`Warp`], or are its own, and [`Arrived::release`](crate::pipeline::Arrived::release), are collective
    ///   among the threads of that warp only: these make the same sequence of them, in the same order with the CTA's, and on
    ///   the same handles. Between two of them the threads of a group of its
    ///   [`Lanes`](crate::warp::Lanes) make the same sequence of the calls of that group;
    /// - the grid has fewer than 2^32 CTAs;
    /// - nothing else in the kernel uses the memory of `S`, the launch's shared memory, the barriers 0 to 15, or the
    ///   cluster's barrier.
    #[inline(always)]
    pub unsafe fn enter<S: SharedMemory>() -> (Cta, S, DynamicShared) {
        // SAFETY: the caller enters once, so each piece of shared memory is given out once.
        unsafe { (Cta { _thread: PhantomData }, S::claim(), DynamicShared::claim()) }
    }

    /// The thread's rank in the CTA, x fastest.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let lane = cta.thread_rank() % 32;
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_rank(&self) -> u32 {
        raw::tid_x() + raw::ntid_x() * (raw::tid_y() + raw::ntid_y() * raw::tid_z())
    }

    /// The number of threads of the CTA.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let warps = cta.thread_count().div_ceil(32);
    /// # }
    /// ```
    #[inline(always)]
    pub fn thread_count(&self) -> u32 {
        raw::ntid_x() * raw::ntid_y() * raw::ntid_z()
    }

    /// The CTA's rank in the grid, x fastest.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta) {
    /// let i = cta.rank() * cta.thread_count() + cta.thread_rank(); // this thread's number in the grid
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        raw::ctaid_x() + raw::nctaid_x() * (raw::ctaid_y() + raw::nctaid_y() * raw::ctaid_z())
    }

    /// The number of CTAs of the grid.
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
        raw::nctaid_x() * raw::nctaid_y() * raw::nctaid_z()
    }

    /// Whether this is the thread that issues what one thread has to issue: the one of rank 0.
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
        (raw::tid_x() | raw::tid_y() | raw::tid_z()) == 0
    }

    /// The warp's rank in the CTA: 32 threads each, by their rank.
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

    /// The thread's warp, whose threads make calls among themselves.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let sum: u32 = cta.warp().reduce_add(value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp(&self) -> Warp {
        Warp::new()
    }

    /// Waits for all threads of the CTA; what each wrote before is visible to all after.
    ///
    /// PTX: `barrier.cta.sync 0;`
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
        // SAFETY: 9.7.13.1: without a count "all threads in the CTA participate", and by the contract of `enter` they all
        // call this. Barrier 0 has only collective calls, so no other kind of instruction is active on it.
        unsafe { raw::barrier_cta_sync(Unaligned, 0, threads::All) }
    }

    /// [`sync`](Cta::sync), and in how many threads the predicate is true.
    ///
    /// PTX: `barrier.cta.red.popc.u32 d, 0, predicate;`
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
        unsafe { raw::barrier_cta_red_popc(Unaligned, 0, predicate, threads::All) }
    }

    /// [`sync`](Cta::sync), and whether the predicate is true in all threads.
    ///
    /// PTX: `barrier.cta.red.and.pred p, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, value: u32) {
    /// let sorted: bool = cta.sync_and(value < 100);
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_and(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync_count`.
        unsafe { raw::barrier_cta_red(op::And, Unaligned, 0, predicate, threads::All) }
    }

    /// [`sync`](Cta::sync), and whether the predicate is true in any thread. The same answer in all threads, so it may
    /// steer which collective calls come next.
    ///
    /// PTX: `barrier.cta.red.or.pred p, 0, predicate;`
    ///
    /// ```
    /// # fn kernel(cta: &ptx::launch::Cta, mut step: impl FnMut() -> bool) {
    /// while cta.sync_or(step()) {} // until no thread has more to do
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_or(&self, predicate: bool) -> bool {
        // SAFETY: as in `sync_count`.
        unsafe { raw::barrier_cta_red(op::Or, Unaligned, 0, predicate, threads::All) }
    }

    /// Lets the grids that depend on this one launch, once every CTA has said so or ended. They wait for this grid's memory
    /// by [`Prerequisite::wait`], not by this: it may stand before the last store. Saying it twice changes nothing.
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
/// launch has until it waits for them. They come out by [`wait`](Prerequisite::wait) alone.
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
#[derive(Debug)]
pub struct Prerequisite<T> {
    memory: T,
    /// The wait is the thread's.
    _thread: PhantomData<*mut ()>,
}

static_assertions::assert_not_impl_any!(Prerequisite<u32>: Copy, Clone, Send, Sync);

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
        Prerequisite { memory, _thread: PhantomData }
    }

    /// Waits until the prerequisite grids are complete and their memory operations visible. Without any it does not wait.
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
        self.memory
    }
}

/// Stops the kernel with an error that the host sees (`CUDA_ERROR_ILLEGAL_INSTRUCTION`).
///
/// ```
/// # fn kernel(input: Option<u32>) {
/// let Some(input) = input else { ptx::launch::trap() };
/// # }
/// ```
#[cold]
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: `trap` ends the grid.
    unsafe {
        core::arch::asm!("trap;", options(noreturn))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("`ptx::launch::trap` was called off the device")
}
