//! `ptx::cluster::PeerBarrier` on the rows of a cluster.

use ptx::group::Cta;
use ptx::group::Together;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::{arrivals, scope, sem, space, suspend_time_hint, ty};
use ptx::raw;
use ptx::shared::SharedArray;
use ptx::trap;

use crate::cluster::{cluster_sync, row};
use crate::{elected, scope as closure, sync, thread_count, thread_rank};

ptx::shared_memory! {
    struct Smem { even: Mbarrier<Uninit>, odd: Mbarrier<Uninit>, words: SharedArray<u32, 4> }
}

#[inline(always)]
unsafe fn init(first: u32, second: u32) {
    if elected() {
        unsafe {
            raw::mbarrier_init(space::SharedCta, first, 2);
            raw::mbarrier_init(space::SharedCta, second, 2);
        }
        raw::fence_mbarrier_init();
    }
}

/// Arrives for this CTA at both CTAs of its row. `first` is the rank of the row's first CTA.
#[inline(always)]
unsafe fn arrive(bar: u32, first: u32) {
    unsafe {
        sync();
        let rank = thread_rank();
        if rank < 2 {
            let bar = raw::mapa_shared_cluster(bar, first + rank);
            raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
        }
    }
}

#[inline(always)]
unsafe fn wait(bar: u32, parity: u32) {
    while !unsafe {
        raw::mbarrier_try_wait_parity(
            sem::Acquire,
            scope::Cluster,
            space::SharedCta,
            bar,
            parity,
            suspend_time_hint::None,
        )
    } {}
}

#[inline(always)]
unsafe fn inval(even: u32) {
    if elected() {
        unsafe { raw::mbarrier_inval(space::SharedCta, even + 8) };
    }
    if elected() {
        unsafe { raw::mbarrier_inval(space::SharedCta, even) };
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_peer_barrier(out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let memory = [smem.even, smem.odd];
    cta.cluster_scope(smem.words, |cluster, words| {
        let Some(row) = cluster.row::<2>() else { trap() };
        let cta = cluster.cta();
        let mut barrier = row.barrier(&cluster, memory).sync(&cluster);
        for _ in 0..3 {
            let arrived = barrier.arrive(cta);
            barrier = arrived.wait(cta);
        }
        let _memory = barrier.close().sync(&cluster).inval(cta);
        unsafe { out.add(3).write(row.cta_rank()) };
        (cluster, words)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_peer_barrier(out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let even = smem.even.addr();
    closure(|| unsafe {
        let Some((first, x)) = row(2) else { trap() };
        if thread_count() < 2 {
            trap();
        }
        init(even, even + 8);
        cluster_sync();
        for round in 0..3 {
            let (bar, parity) = (even + 8 * (round & 1), round >> 1);
            arrive(bar, first);
            wait(bar, parity);
        }
        cluster_sync();
        inval(even);
        out.add(3).write(x);
        cluster_sync();
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_peer_barrier_together(out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let memory = [smem.even, smem.odd];
    cta.finish_cluster(smem.words, |cluster, words| {
        let Some(row) = cluster.row::<2>() else { trap() };
        let cta = cluster.cta();
        let (barrier, words) = (row.barrier(&cluster, memory), cluster.open_write_only(words)).sync(&cluster);
        let barrier = barrier.arrive(cta).wait(cta);
        let (barrier, words) = (barrier.close(), words.close()).sync(&cluster);
        unsafe { out.write(words.get(3).unwrap_or(0)) };
        let barrier = row.barrier(&cluster, barrier.inval(cta)).sync(&cluster);
        barrier.arrive(cta).wait(cta).end();
        (cluster, words.end())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_peer_barrier_together(out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (even, odd) = (smem.even.addr(), smem.odd.addr());
    closure(|| unsafe {
        let Some((first, _)) = row(2) else { trap() };
        if thread_count() < 2 {
            trap();
        }
        init(even, odd);
        cluster_sync();
        arrive(even, first);
        wait(even, 0);
        cluster_sync();
        out.write(raw::ld_weak(space::SharedCta, ty::B32, even + 128 + 12));
        inval(even);
        if thread_count() < 2 {
            trap();
        }
        // The memory is returned with the mbarrier of the next round first.
        init(odd, even);
        cluster_sync();
        arrive(odd, first);
        wait(odd, 0);
        cluster_sync();
    });
}
