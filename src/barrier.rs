//! Named barriers 1 to 15 of the CTA (`bar.sync`, `barrier.cta`; 9.7.13.1) as owned resources. Barrier 0 belongs to
//! [`Cta::sync`](crate::group::Cta::sync), CUDA's `__syncthreads()`, and to every collective call of the CTA.
//!
//! A kernel declares its barriers in [`shared_memory!`](crate::shared_memory), where a number that occurs twice does not compile.
//! Each type uses one kind of instruction, so `barrier.cta.red` never meets `.sync` or `.arrive` on the same barrier:
//!
//! - [`NamedBarrier`]: a fixed number of threads wait for each other (`.sync`).
//! - [`ReductionBarrier`]: the threads also combine a predicate by one operation (`.red`).
//! - [`BarrierPair`](crate::pipeline::BarrierPair): the first warps of the CTA fill a pipeline's stage and the next warps read
//!   the stage, over two barriers (`.arrive` on one side, `.sync` on the other).
//!
//! The calls take a [`Warp`]: they are collective in the warp, not in the CTA. They are `.aligned`, as CUTLASS's named barriers
//! (`bar.sync`) are: all threads of the warp execute the same instruction.
//!
//! A [`ConsumersBarrier`](crate::pipeline::ConsumersBarrier), which a pipeline lends to its consumers, makes their warps a group
//! that holds handles ([`Warps`](crate::group::Warps)).

use core::marker::PhantomData;

use crate::qualifier::op::{And, Or};
use crate::qualifier::{Sealed, convergence::Aligned, threads};
use crate::raw;
use crate::shared::Place;
use crate::warp::Warp;

/// The bit of barrier `id` in [`Place::BARRIERS`]. Asserts that `id` and the thread count are valid.
pub(crate) const fn bit(id: u32, threads: u32) -> u16 {
    assert!(
        id != 0,
        "barrier 0 belongs to `cta.sync()` and all collective calls of the CTA: choose a number from 1 to 15"
    );
    assert!(id <= 15, "a CTA has the barriers 0 to 15: choose a number from 1 to 15 (PTX ISA 9.7.13.1)");
    assert!(
        threads > 0 && threads.is_multiple_of(32) && threads <= 1024,
        "a barrier's thread count is a multiple of 32, the warp size, and at most 1024 (PTX ISA 9.7.13.1)"
    );
    1 << id
}

states! {
    uses_of_barrier [BarrierKind] [Syncs "`sync`"]
    /// Kind of a [`NamedBarrier`] at which threads wait for each other and reduce nothing (`barrier.cta.sync`). This is the
    /// default kind.
    SyncOnly: Syncs;
    /// Kind of a [`ReductionBarrier`] that counts the threads whose predicate is true (`barrier.cta.red.popc`; CUDA's
    /// `__syncthreads_count()`).
    Popc: ;
    And: ;
    Or: ;
}

/// The kind of a [`NamedBarrier`], which fixes the one instruction that uses it: `barrier.cta.sync`, or `barrier.cta.red` with
/// one operation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind of barrier",
    label = "neither `SyncOnly` nor one of the three reductions",
    note = "the kinds are `barrier::SyncOnly` (the default), and to combine a predicate `barrier::Popc`, `qualifier::op::And`, `qualifier::op::Or`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait BarrierKind: Sealed {}
impl Sealed for SyncOnly {}
impl Sealed for Popc {}

/// Kinds of a [`NamedBarrier`] without a reduction (`barrier.cta.sync`): the bound of [`NamedBarrier::sync`].
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` is for reductions and has no `sync`",
    label = "call `.red(&warp, predicate)`, or declare another barrier",
    note = "`.sync` and `.red` must not be mixed on one barrier (PTX ISA 9.7.13.1); `NamedBarrier<ID, THREADS>` is a barrier for `.sync`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Syncs: BarrierKind {}

static_assertions::assert_not_impl_any!(SyncOnly: Reduction<u32>, Reduction<bool>);

/// Kinds of a [`ReductionBarrier`] (`barrier.cta.red`), whose result every thread gets as an `Output`: a count (`u32`) or a
/// `bool`.
///
/// # Safety
///
/// Implemented here only: on a barrier of this kind, `red` is the only instruction.
#[diagnostic::on_unimplemented(
    message = "a barrier of the kind `{Self}` does not reduce",
    label = "not declared for a reduction, or `barrier.cta.red` has no such reduction",
    note = "declare a `ReductionBarrier<ID, THREADS, Op>`, where `Op` is `barrier::Popc`, `qualifier::op::And` or \
            `qualifier::op::Or`"
)]
pub unsafe trait Reduction<Output>: Sealed {
    /// Executes the `barrier.cta.red` of this kind, and returns the combined predicates.
    ///
    /// # Safety
    ///
    /// The contract of `barrier.cta.red` with a thread count: `id` and `threads` are valid, the threads of the warp call this
    /// from the same place, and no other instruction uses the barrier.
    #[doc(hidden)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> Output;
}

// SAFETY: `.red.popc` is the only instruction.
unsafe impl Reduction<u32> for Popc {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> u32 {
        // SAFETY: the caller keeps the contract of `barrier.cta.red` (`# Safety`).
        unsafe { raw::barrier_cta_red_popc(Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.and` is the only instruction.
unsafe impl Reduction<bool> for And {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller keeps the contract of `barrier.cta.red` (`# Safety`).
        unsafe { raw::barrier_cta_red(And, Aligned, id, predicate, threads::Count(threads)) }
    }
}

// SAFETY: `.red.or` is the only instruction.
unsafe impl Reduction<bool> for Or {
    #[inline(always)]
    unsafe fn red(id: u32, threads: u32, predicate: bool) -> bool {
        // SAFETY: the caller keeps the contract of `barrier.cta.red` (`# Safety`).
        unsafe { raw::barrier_cta_red(Or, Aligned, id, predicate, threads::Count(threads)) }
    }
}

/// Handle of named barrier `ID` of the CTA (`barrier.cta`), which completes when `THREADS` threads, in whole warps, have arrived.
/// Any warps of the CTA can arrive. `ID` is 1 to 15; `THREADS` is a multiple of 32 and at most 1024. The kind `K` selects the
/// instruction: [`SyncOnly`], or the operation of a [`ReductionBarrier`].
///
/// ```
/// use ptx::barrier::NamedBarrier;
/// ptx::shared_memory! { struct Smem { half: NamedBarrier<1, 64> } }
/// # fn kernel(cta: &ptx::group::Cta, smem: Smem) {
/// if cta.warp_rank() < 2 {
///     smem.half.sync(&cta.warp()); // the first two warps wait for each other
/// }
/// # }
/// ```
#[derive(Debug)]
#[doc(alias = "cutlass::arch::NamedBarrier")]
pub struct NamedBarrier<const ID: u32, const THREADS: u32, K = SyncOnly> {
    /// Bound to its CTA.
    _thread: PhantomData<(*mut (), K)>,
}

/// Named barrier on which `THREADS` threads also combine a predicate by `Op`: [`Popc`], [`And`] or [`Or`].
/// CUDA's counterparts for the whole CTA are `__syncthreads_count()`, `__syncthreads_and()` and `__syncthreads_or()`.
///
/// ```
/// use ptx::{barrier::{Popc, ReductionBarrier}, qualifier::op::Or};
/// ptx::shared_memory! {
///     struct Smem { any: ReductionBarrier<1, 64, Or>, votes: ReductionBarrier<2, 64, Popc> }
/// }
/// # fn kernel(cta: &ptx::group::Cta, smem: Smem, value: f32) {
/// // Of two warps.
/// let any_nan: bool = smem.any.red(&cta.warp(), value.is_nan());
/// let negative: u32 = smem.votes.red(&cta.warp(), value < 0.0);
/// # }
/// ```
pub type ReductionBarrier<const ID: u32, const THREADS: u32, Op> = NamedBarrier<ID, THREADS, Op>;

static_assertions::const_assert_eq!(size_of::<NamedBarrier<1, 32>>(), 0);

// SAFETY: the handle takes no bytes and uses barrier `ID` alone.
unsafe impl<const ID: u32, const THREADS: u32, K: BarrierKind> Place for NamedBarrier<ID, THREADS, K> {
    const SIZE: u32 = 0;
    const ALIGN: u32 = 1;
    const BARRIERS: u16 = bit(ID, THREADS);

    #[inline(always)]
    unsafe fn at(_addr: u32) -> Self {
        NamedBarrier { _thread: PhantomData }
    }
}

impl<const ID: u32, const THREADS: u32, K> NamedBarrier<ID, THREADS, K> {
    /// Arrives at the named barrier with this warp's 32 threads, and waits until `THREADS` threads have arrived
    /// (`barrier.cta.sync`). Writes of these threads before the barrier are visible to all of them after the barrier.
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.sync.aligned ID, THREADS;`
    #[inline(always)]
    #[track_caller]
    pub fn sync(&self, warp: &Warp)
    where
        K: Syncs,
    {
        meet!(warp);
        const { _ = bit(ID, THREADS) };
        // SAFETY: `bit` asserts the barrier number and the thread count (9.7.13.1). This handle is the only one of the barrier,
        // and its kind has no other instruction. The threads of the warp call `sync` from the same place.
        unsafe { raw::barrier_cta_sync(Aligned, ID, threads::Count(THREADS)) }
    }

    /// Waits at the named barrier as [`sync`](NamedBarrier::sync) does, and returns the count, the AND or the OR of the
    /// predicates of all `THREADS` threads (`barrier.cta.red`).
    ///
    /// Collective in the warp.
    ///
    /// PTX: `barrier.cta.red.popc.aligned.u32 d, ID, THREADS, c;` or `barrier.cta.red.op.aligned.pred p, ID, THREADS, c;`
    #[inline(always)]
    #[track_caller]
    pub fn red<Output>(&self, warp: &Warp, predicate: bool) -> Output
    where
        K: Reduction<Output>,
    {
        meet!(warp);
        const { _ = bit(ID, THREADS) };
        // SAFETY: `bit` asserts the barrier number and the thread count (9.7.13.1). The kind has this one instruction, with one
        // `.op`, so `.red` meets neither `.sync` nor `.arrive` on the barrier. The threads of the warp call `red` from the same
        // place.
        unsafe { K::red(ID, THREADS, predicate) }
    }
}

handles! { NamedBarrier<1, 32> }
