//! `ptx::cluster::GroupBarrier`, over the rows of a cluster.

use ptx::launch::{Cta, trap};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{arrivals, scope, sem, space, suspend_time_hint};
use ptx::raw;
use ptx::shared::SharedArray;

use crate::cluster::cluster_sync;
use crate::{elected, scope as closure, sync, thread_count, thread_rank};

ptx::shared_memory! {
    struct Smem { even: Mbarrier<Uninit>, odd: Mbarrier<Uninit>, words: SharedArray<u32, 4> }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_group_barrier(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let memory = [smem.even, smem.odd];
    cta.cluster(smem.words, |cluster, words| {
        let Some(row) = cluster.row::<2>() else { trap() };
        let cta = cluster.cta();
        let mut barrier = row.barrier(&cluster, memory);
        for round in 0..3 {
            let arrived = barrier.arrive(cta);
            unsafe { out.add(round).write(arrived.is_complete() as u32) };
            barrier = arrived.wait(cta);
        }
        let _memory = barrier.close(&cluster);
        unsafe { out.add(3).write(row.rank()) };
        (cluster, words)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_group_barrier(out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let even = smem.even.addr();
    closure(|| unsafe {
        if raw::cluster_nctaid_x() != 2 {
            trap();
        }
        let (rank, x) = (raw::cluster_ctarank(), raw::cluster_ctaid_x());
        let first = rank - x;
        if thread_count() < 2 {
            trap();
        }
        if elected() {
            raw::mbarrier_init(space::SharedCta, even, 2);
            raw::mbarrier_init(space::SharedCta, even + 8, 2);
            raw::fence_mbarrier_init();
        }
        cluster_sync();
        for round in 0..3 {
            let (bar, parity) = (even + 8 * (round & 1), round >> 1);
            sync();
            let rank = thread_rank();
            if rank < 2 {
                let bar = raw::mapa_shared_cluster(bar, first + rank);
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
            let complete =
                raw::mbarrier_test_wait_parity(sem::Relaxed, scope::Cluster, space::SharedCta, bar, parity);
            out.add(round as usize).write(complete as u32);
            while !raw::mbarrier_try_wait_parity(
                sem::Acquire,
                scope::Cluster,
                space::SharedCta,
                bar,
                parity,
                suspend_time_hint::None,
            ) {}
        }
        cluster_sync();
        if elected() {
            raw::mbarrier_inval(space::SharedCta, even + 8);
        }
        if elected() {
            raw::mbarrier_inval(space::SharedCta, even);
        }
        out.add(3).write(x);
        cluster_sync();
    });
}
