//! [`TensorMemory`]: the allocation of tensor memory, and the run of its parts.

use core::marker::PhantomData;

use super::accumulator::{Accumulators, Issuer};
use crate::async_group::Token;
use crate::barrier::bit;
use crate::group::{Cta, FirstWarp, HandOver, Thread, WARPGROUP, Warpgroup};
use crate::mark::{Group, Split, hold};
use crate::mbarrier::await_parity;
use crate::pipeline::{FinishedWarpgroups, Pipelines};
use crate::qualifier::{
    Columns, cta_group, mode, multicast, scope, sem, space, suspend_time_hint, thread_sync,
};
use crate::raw;
use crate::shared::{Element, Place};
use crate::size;
use crate::trap::trap_because;

/// `BUFFERS` accumulators in tensor memory, each of 128 lanes and `N` columns: a field of
/// [`shared_memory!`](crate::shared_memory), which holds the address of the columns, and the mbarriers of the accumulators.
///
/// [`run`](TensorMemory::run) allocates the columns, a power of two from 32 to 512, and deallocates them. It uses the named barrier 15 of the
/// CTA, so a kernel has one such handle.
///
/// ```
/// use ptx::{qualifier::n, tcgen05::TensorMemory};
/// ptx::shared_memory! { struct Smem { accumulators: TensorMemory<n::N256, 2> } } // all of tensor memory
/// ```
#[derive(Debug)]
#[doc(alias("cute::TMEM::Allocator1Sm", "TMEM"))]
pub struct TensorMemory<N, const BUFFERS: usize> {
    addr: u32,
    _columns: PhantomData<*mut N>,
}

/// The warpgroup's barrier.
const BARRIER: u32 = 15;
const WARP: u32 = 32;

/// The memory of a [`TensorMemory`]: the address of the columns, an mbarrier that the thread's last commit completes, and for each
/// accumulator an mbarrier `full` and an mbarrier `empty`.
pub(super) struct Layout<N, const BUFFERS: usize>(PhantomData<N>);

impl<N: Columns, const BUFFERS: usize> Layout<N, BUFFERS> {
    const BYTES: u32 = size::shared(size::sum(16, size::product([16, BUFFERS])));
    /// The columns to allocate.
    const COLUMNS: u32 = {
        assert!(
            N::COUNT.is_multiple_of(16),
            "an accumulator of 128 rows has a multiple of 16 columns: choose another tag of `n` (PTX ISA 9.7.16.2.1)"
        );
        assert!(BUFFERS > 0, "there is at least one accumulator: choose `BUFFERS` of 1 or more");
        let columns = size::product([N::COUNT, BUFFERS]);
        assert!(
            columns <= 512,
            "tensor memory has 512 columns: choose fewer accumulators, or fewer columns of each"
        );
        if columns < 32 { 32 } else { columns.next_power_of_two() as u32 }
    };

    #[inline(always)]
    fn done(base: u32) -> u32 {
        base + 8
    }
    /// The mbarrier whose phase completes when the products of the accumulator have.
    #[inline(always)]
    pub(super) fn full(base: u32, buffer: u32) -> u32 {
        base + 16 + 16 * buffer
    }
    /// The mbarrier whose phase completes when all warps have given the accumulator back.
    #[inline(always)]
    pub(super) fn empty(base: u32, buffer: u32) -> u32 {
        Self::full(base, buffer) + 8
    }
}

// SAFETY: the address and the mbarriers take `Layout::BYTES` bytes from `addr` on, and the warpgroup uses the barrier.
unsafe impl<N: Columns, const BUFFERS: usize> Place for TensorMemory<N, BUFFERS> {
    const SIZE: u32 = {
        _ = Layout::<N, BUFFERS>::COLUMNS;
        Layout::<N, BUFFERS>::BYTES
    };
    const ALIGN: u32 = 8;
    const BARRIERS: u16 = bit(BARRIER, WARPGROUP);

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        TensorMemory { addr, _columns: PhantomData }
    }
}

impl<N: Columns, const BUFFERS: usize> TensorMemory<N, BUFFERS> {
    /// Allocates the columns, runs the three parts of a product, and deallocates the columns when all parts are done, whatever their
    /// closures do. The CTA has 256 threads:
    ///
    /// - the first one loads, as [`Pipeline::run`](crate::pipeline::Pipeline::run) has it;
    /// - the first one of the second warp multiplies the stages, in order, into the accumulators, one after another;
    /// - the second half, a warpgroup, gets the accumulators in the same order, and the handles, which it returns ended.
    ///
    /// The thread commits as many accumulators as the warpgroup waits for: a warpgroup that waits for more waits forever. With a pair of
    /// pipelines, both threads get a pair of handles. The allocation waits until other CTAs of the multiprocessor have deallocated enough. A
    /// kernel makes one such run, its last work.
    ///
    /// Collective in the CTA or the cluster that runs it.
    ///
    /// PTX: as [`Pipeline::run`](crate::pipeline::Pipeline::run); before the barrier by the first thread three `mbarrier.init.shared::cta.b64`
    /// with one accumulator, and two more for each further one, and by the first warp
    /// `tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [memory], columns;`
    /// `tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;`; behind the closure that multiplies a
    /// `tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64` and a wait for it; at the end by every thread
    /// `tcgen05.fence::before_thread_sync;` `barrier.cta.sync.aligned 0;`, and by the first warp `tcgen05.fence::after_thread_sync;`
    /// `tcgen05.dealloc.cta_group::1.sync.aligned.b32 taddr, columns;` (9.7.16.7.1, sm_100f, sm_110f)
    #[inline(always)]
    #[track_caller]
    pub fn run<'s, By: Group, P: Pipelines<'s, By>, H: HandOver<Cta>>(
        self,
        by: &mut By,
        pipelines: P,
        handles: H,
        produce: impl for<'p> FnOnce(&Thread<'p>, P::Producers<'p>) -> P::Producers<'p>,
        multiply: impl for<'p> FnOnce(
            &Thread<'p>,
            P::Consumers<'p>,
            Issuer<'p, N, BUFFERS>,
        ) -> (P::Consumers<'p>, Issuer<'p, N, BUFFERS>),
        consume: impl for<'p> FnOnce(
            &Warpgroup<'p, 1>,
            Accumulators<'p, N, BUFFERS>,
            H::HeldBy<Warpgroup<'p, 1>>,
        ) -> (Accumulators<'p, N, BUFFERS>, H::EndedBy<Warpgroup<'p, 1>>),
    ) -> FinishedWarpgroups<P, H> {
        meet!(by, P::cta(by));
        pipelines.hold();
        hold::<By>(self.addr);
        let columns = Layout::<N, BUFFERS>::COLUMNS;
        let base = self.addr;
        let (rank, threads) = (P::cta(by).thread_rank(), P::cta(by).thread_count());
        if threads != 2 * WARPGROUP {
            trap_because!(
                "`TensorMemory::run` needs 256 threads: a warpgroup that reads the sums, and one whose threads load and multiply"
            )
        }
        // SAFETY: the run owns the memory, which is idle and holds no valid mbarrier. One thread releases a stage, by a commit. The whole
        // first warp allocates, once in a kernel: the barrier of the warpgroup is in one place of a kernel alone.
        unsafe {
            if rank == 0 {
                raw::mbarrier_init(space::SharedCta, Layout::<N, BUFFERS>::done(base), 1);
                let mut buffer = 0;
                while buffer < BUFFERS as u32 {
                    raw::mbarrier_init(space::SharedCta, Layout::<N, BUFFERS>::full(base, buffer), 1);
                    raw::mbarrier_init(
                        space::SharedCta,
                        Layout::<N, BUFFERS>::empty(base, buffer),
                        WARPGROUP / WARP,
                    );
                    buffer += 1;
                }
                pipelines.init(1);
            }
            let split = Split::new();
            if split.role(rank < WARP) {
                split.begin::<FirstWarp<'_>>();
                raw::tcgen05_alloc(cta_group::One, space::SharedCta, base, columns);
                raw::tcgen05_relinquish_alloc_permit(cta_group::One);
                split.end();
            }
        }
        P::sync(by);
        // SAFETY: the first warp has written the address before the barrier.
        let taddr = unsafe { <u32 as Element>::load(base) };
        // SAFETY: each thread makes its group and its handles once, and `'p` belongs to the call of its closure alone. The part of the
        // warpgroup is a whole one, and only this run uses the barrier. The mbarriers are valid until the kernel ends, and the columns
        // are allocated until all threads have met below. The closures return the handles that they got. The warpgroup alone uses
        // `handles`, and the CTA ends its own.
        unsafe {
            let split = Split::new();
            // Lane 0's number is that of the whole warp. So ptxas computes with it in uniform registers.
            let warpgroup = split.role_index(raw::shfl_sync(mode::Idx, rank / WARPGROUP, 0, 0x1f, u32::MAX));
            if warpgroup == 0 {
                let one = Split::new();
                let part = one.role_index(if rank == 0 {
                    0
                } else if rank == WARP {
                    1
                } else {
                    2
                });
                if part == 0 {
                    let producers = pipelines.producers();
                    one.part::<Thread<'_>, _>(|| {
                        P::drain(produce(&Thread::of_part(), producers), Token::NEW);
                    });
                } else if part == 1 {
                    let consumers = pipelines.consumers();
                    let issuer = Issuer::new(base, taddr);
                    one.part::<Thread<'_>, _>(|| {
                        let _done = multiply(&Thread::of_part(), consumers, issuer);
                        // Whatever the closure has committed: all products have completed behind the wait.
                        let done = Layout::<N, BUFFERS>::done(base);
                        raw::tcgen05_commit(cta_group::One, space::SharedCluster, done, multicast::None);
                        await_parity(sem::Acquire, scope::Cta, done, 0, suspend_time_hint::None);
                        raw::tcgen05_fence(thread_sync::After);
                    });
                }
            } else {
                let rank = rank % WARPGROUP;
                let group = Warpgroup::of_part(rank, 0, BARRIER);
                split.begin::<Warpgroup<'_, 1>>();
                // The lanes of a warp are the 32 from 32 times its index on.
                let accumulators = Accumulators::new(base, taddr + ((rank / WARP) << 21));
                let _done = consume(&group, accumulators, handles.hand_over());
                split.end();
            }
        }
        raw::tcgen05_fence(thread_sync::Before);
        P::cta(by).sync();
        let split = Split::new();
        if split.role(rank < WARP) {
            split.begin::<FirstWarp<'_>>();
            raw::tcgen05_fence(thread_sync::After);
            // SAFETY: the whole first warp deallocates what it has allocated. The products have completed, and so have the loads, each in
            // its call; the barrier is behind them.
            unsafe { raw::tcgen05_dealloc(cta_group::One, taddr, columns) };
            split.end();
        }
        FinishedWarpgroups::new(pipelines, handles)
    }
}

handles! { TensorMemory<(), 2> }
