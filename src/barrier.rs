//! The CTA's barriers 1 to 15 (9.7.13.1) as owned resources. Barrier 0 is [`Cta::sync`](crate::launch::Cta::sync), the one of every collective call.
//!
//! The kernel declares them in its [`shared_memory!`](crate::shared_memory), where a number given twice does not compile.
//! A type has one kind of use, so `barrier.cta.red` never meets `.sync` or `.arrive` on one barrier:
//!
//! - [`NamedBarrier`]: as many threads as it names meet (`.sync`);
//! - [`ReductionBarrier`]: they meet and combine a predicate (`.red`), by one operation;
//! - [`BarrierPair`](crate::pipeline::BarrierPair): the first warps of the CTA fill the stage of a pipeline, the next ones read it, over two barriers
//!   (`.arrive` on one side, `.sync` on the other).
//!
//! The calls of a barrier take a [`Warp`]: they are collective in the warp, not in the CTA. A [`NamedBarrier`] that is lent to the consumers of a pipeline
//! ([`Pipeline::run_with`](crate::pipeline::Pipeline::run_with)) makes these warps a group that holds handles ([`Warps`]). They are `.aligned`, as CUTLASS's named barriers
//! (`bar.sync`) are: all threads of the warp execute the same instruction.

use core::marker::PhantomData;

use crate::group::{PartBarrier, ThreadGroup, Transitions, Warps, sync_with};
use crate::qualifier::{Sealed, convergence::Aligned, op, threads};
use crate::raw;
use crate::shared::Place;
use crate::warp::Warp;

/// The bit of barrier `id`, where `threads` meet.
pub(crate) const fn bit(id: u32, threads: u32) -> u16 {
    assert!(
        id != 0,
        "barrier 0 is the one of every collective call (`cta.sync()`): a barrier of your own has a number from 1 to 15"
    );
    assert!(id <= 15, "a CTA has the barriers 0 to 15 (PTX ISA 9.7.13.1)");
    assert!(
        threads > 0 && threads.is_multiple_of(32) && threads <= 1024,
        "a barrier's thread count is a multiple of the warp size, 32, and 1024 at most (PTX ISA 9.7.13.1)"
    );
    1 << id
}

/// [`Kind`]: threads meet (`barrier.cta.sync`).
///
/// ```
/// use ptx::barrier::{SyncOnly, NamedBarrier};
/// /// The kind that `NamedBarrier<1, 64>` has when none is named.
/// type Half = NamedBarrier<1, 64, SyncOnly>;
/// # fn kernel(cta: &ptx::launch::Cta, half: &Half) {
/// half.sync(&cta.warp());
/// # }
/// ```
#[derive(Debug)]
pub enum SyncOnly {}
/// [`Kind`]: threads meet, and count those whose predicate is true (`barrier.cta.red.popc`).
///
/// ```
/// # use ptx::barrier::{Popc, ReductionBarrier};
/// # fn kernel(cta: &ptx::launch::Cta, votes: &ReductionBarrier<1, 128, Popc>, value: f32) {
/// let negative: u32 = votes.red(&cta.warp(), value < 0.0); // of 128 threads
/// # }
/// ```
#[derive(Debug)]
pub enum Popc {}

/// The kind of a barrier: the one instruction that it is for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no kind of barrier",
    label = "neither a meeting nor one of the three reductions",
    note = "threads meet (`barrier::SyncOnly`), or combine a predicate: `barrier::Popc`, `qualifier::op::And`, `qualifier::op::Or`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Kind: Sealed {}
impl Sealed for SyncOnly {}
impl Sealed for Popc {}
impl Kind for SyncOnly {}
impl Kind for Popc {}
impl Kind for op::And {}
impl Kind for op::Or {}

/// Kinds without a reduction.
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` is for reductions: `.sync` must not be mixed with them",
    label = "call `.red(&warp, predicate)`, or declare another barrier",
    note = "one barrier has one kind of instruction (PTX ISA 9.7.13.1); `NamedBarrier<ID, THREADS>` is one for `.sync`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Syncs: Kind {}
impl Syncs for SyncOnly {}

static_assertions::assert_not_impl_any!(Popc: Syncs);
static_assertions::assert_not_impl_any!(op::And: Syncs);
static_assertions::assert_not_impl_any!(op::Or: Syncs);
static_assertions::assert_not_impl_any!(SyncOnly: Reduction<u32>, Reduction<bool>);

/// Kinds with a reduction, of which every thread gets the `Output`: a count or a `bool`.
///
/// ```
/// use ptx::{barrier::{NamedBarrier, Reduction}, warp::Warp};
/// /// Whether the answer of a reduction by `And` or by `Or`, whichever `K` is, is `true`.
/// fn agreed<K: Reduction<bool>>(warp: &Warp, votes: &NamedBarrier<1, 64, K>, mine: bool) -> bool {
///     votes.red(warp, mine)
/// }
/// ```
///
/// # Safety
///
/// Implemented here only: `red` is the one instruction on a barrier of this kind.
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` does not reduce",
    label = "declared for something else, or `barrier.cta.red` has no such reduction",
    note = "a predicate is counted or combined on a barrier of its own: `ReductionBarrier<ID, THREADS, Op>`, `Op` being \
            `barrier::Popc`, `qualifier::op::And` or `qualifier::op::Or`"
)]
pub unsafe trait Reduction<Output>: Sealed {
    /// # Safety
    ///
    /// That of `barrier.cta.red` with a thread count.
    #[doc(hidden)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> Output;
}

// SAFETY: `.red.popc`.
unsafe impl Reduction<u32> for Popc {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> u32 {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red_popc(Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.and`.
unsafe impl Reduction<bool> for op::And {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red(op::And, Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.or`.
unsafe impl Reduction<bool> for op::Or {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller's.
        unsafe { raw::barrier_cta_red(op::Or, Aligned, id, predicate, threads::Count(threads)) }
    }
}

/// Barrier `ID`, where `THREADS` threads meet: whole warps, whichever come first. Its kind says by which
/// instruction.
///
/// ```
/// use ptx::barrier::{NamedBarrier, Popc};
/// ptx::shared_memory! {
///     struct Smem { half: NamedBarrier<1, 64>, votes: NamedBarrier<2, 64, Popc> }
/// }
/// # fn kernel(cta: &ptx::launch::Cta, smem: Smem) {
/// smem.half.sync(&cta.warp()); // of a CTA of 64 threads, or by two of its warps
/// # }
/// ```
#[derive(Debug)]
pub struct NamedBarrier<const ID: u32, const THREADS: u32, K = SyncOnly> {
    /// Bound to its CTA.
    _thread: PhantomData<(*mut (), K)>,
}

/// A barrier where `THREADS` threads combine a predicate by `Op`: [`Popc`], [`And`](op::And) or [`Or`](op::Or).
///
/// ```
/// use ptx::{barrier::ReductionBarrier, qualifier::op::Or};
/// ptx::shared_memory! { struct Smem { any: ReductionBarrier<1, 64, Or> } }
/// # fn kernel(cta: &ptx::launch::Cta, smem: Smem, found: bool) {
/// let any: bool = smem.any.red(&cta.warp(), found);
/// # }
/// ```
pub type ReductionBarrier<const ID: u32, const THREADS: u32, Op> = NamedBarrier<ID, THREADS, Op>;

static_assertions::const_assert_eq!(size_of::<NamedBarrier<1, 32>>(), 0);
static_assertions::assert_not_impl_any!(NamedBarrier<1, 32>: Copy, Clone, Send, Sync);

// SAFETY: no bytes; barrier `ID` alone.
unsafe impl<const ID: u32, const THREADS: u32, K: Kind> Place for NamedBarrier<ID, THREADS, K> {
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    const BARRIERS: u16 = bit(ID, THREADS);

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        NamedBarrier { _thread: PhantomData }
    }
}

impl<const ID: u32, const THREADS: u32, K> NamedBarrier<ID, THREADS, K> {
    /// Waits until `THREADS` threads have come, this warp's 32 among them; what each wrote before is visible to all after.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    ///
    /// ```
    /// use ptx::barrier::NamedBarrier;
    /// ptx::shared_memory! { struct Smem { half: NamedBarrier<1, 64> } }
    /// # fn kernel(cta: &ptx::launch::Cta, smem: Smem) {
    /// if cta.warp_rank() < 2 {
    ///     smem.half.sync(&cta.warp()); // the first two warps meet
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync(&self, _warp: &Warp)
    where
        K: Syncs,
    {
        const { _ = bit(ID, THREADS) };
        // SAFETY: 9.7.13.1: "sixteen barriers numbered 0..15", "the value must be a multiple of the warp size", both
        // asserted by `bit`; the kind has no other instruction on its barrier, which has no other handle; the threads of the warp
        // call it from the same place.
        unsafe { raw::barrier_cta_sync(Aligned, ID, threads::Count(THREADS)) }
    }

    /// Waits until `THREADS` threads have come, and combines their predicates; what each wrote before is visible to all
    /// after.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.red.popc.aligned.u32 d, ID, THREADS, c;` or `barrier.cta.red.op.aligned.pred p, ID, THREADS, c;`
    ///
    /// ```
    /// use ptx::barrier::{Popc, ReductionBarrier};
    /// ptx::shared_memory! { struct Smem { votes: ReductionBarrier<1, 64, Popc> } }
    /// # fn kernel(cta: &ptx::launch::Cta, smem: Smem, value: u32) {
    /// let large: u32 = smem.votes.red(&cta.warp(), value > 100);
    /// # }
    /// ```
    #[inline(always)]
    pub fn red<Output>(&self, _warp: &Warp, predicate: bool) -> Output
    where
        K: Reduction<Output>,
    {
        const { _ = bit(ID, THREADS) };
        // SAFETY: the numbers as in `sync`; "`barrier{.cta}.red` should not be intermixed with `barrier{.cta}.sync` or
        // `barrier{.cta}.arrive` using the same active barrier": the kind has this one instruction, of one `.op`, on its barrier.
        unsafe { K::red(ID, THREADS, predicate) }
    }
}

// SAFETY: it counts `THREADS`.
unsafe impl<const ID: u32, const THREADS: u32> PartBarrier for NamedBarrier<ID, THREADS> {
    const THREADS: Option<u32> = Some(THREADS);
}

/// The barrier is lent to the part ([`Pipeline::run_with`](crate::pipeline::Pipeline::run_with)), and has as many threads.
impl<const ID: u32, const THREADS: u32> ThreadGroup for Warps<'_, NamedBarrier<ID, THREADS>> {
    #[inline(always)]
    fn thread_rank(&self) -> u32 {
        Warps::thread_rank(self)
    }
    #[inline(always)]
    fn thread_count(&self) -> u32 {
        Warps::thread_count(self)
    }
    #[inline(always)]
    fn is_leader(&self) -> bool {
        Warps::thread_rank(self) == 0
    }
    #[inline(always)]
    fn sync(&self) {
        // SAFETY: as in `NamedBarrier::sync`: the part has `THREADS` threads, and nothing else has the barrier while it runs: `run_with` begins and ends
        // behind a barrier of the CTA, `run_with_last` takes it for good.
        unsafe { raw::barrier_cta_sync(Aligned, ID, threads::Count(THREADS)) }
    }
}

impl<const ID: u32, const THREADS: u32> Warps<'_, NamedBarrier<ID, THREADS>> {
    /// Waits for all threads of the part; what each wrote before is visible to all after.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::NamedBarrier, launch::Warps};
    /// fn meet(warps: &Warps<'_, NamedBarrier<1, 96>>) {
    ///     warps.sync(); // three warps, whatever the others do
    /// }
    /// ```
    #[inline(always)]
    pub fn sync(&self) {
        ThreadGroup::sync(self);
    }

    /// Waits for all threads of the part, the barrier of all the transitions: gives the handles in their next states.
    ///
    /// Collective in the group.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    ///
    /// ```
    /// # use ptx::{barrier::NamedBarrier, launch::Warps, shared::{Fenced, Free, Loaded, Shared, Written}};
    /// # type Consumers<'p> = Warps<'p, NamedBarrier<1, 96>>;
    /// # fn part<'s, 'p>(
    /// #     warps: &Consumers<'p>,
    /// #     read: Shared<'s, f32, 64, Loaded, Consumers<'p>>,
    /// #     written: Shared<'s, f32, 64, Written, Consumers<'p>>,
    /// # ) -> (Shared<'s, f32, 64, Free, Consumers<'p>>, Shared<'s, f32, 64, Fenced, Consumers<'p>>) {
    /// let (free, fenced) = warps.sync_with((read.release_at_sync(), written.to_async_at_sync()));
    /// # (free, fenced) }
    /// ```
    #[inline(always)]
    pub fn sync_with<T: Transitions<Self>>(&self, transitions: T) -> T::Handles {
        sync_with(self, transitions)
    }
}
