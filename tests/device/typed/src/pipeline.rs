//! A pipeline of three stages: one thread loads, the warps after the first add up.

use ptx::global::Global;
use ptx::launch::{Cta, trap};
use ptx::mask::CtaMask;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::{cta_group, scope, sem, space, ty};
use ptx::raw;
use ptx::tensor::{Box2, TensorMap, TensorMapObject};

use crate::cluster::cluster_sync;
use crate::{scope as closure, sync, thread_count, thread_rank};

const N: usize = 256;
const BYTES: u32 = 4 * N as u32;
const STAGES: u32 = 3;

ptx::shared_memory! {
    struct Smem { memory: PipelineMemory<u32, N, 3> }
}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run(src: *const u32, n: usize, out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.lend(smem.memory, |cta, pipeline| {
        pipeline.run(
            cta,
            |mut producer| {
                let mut i = 0;
                while let Some(tile) = tiles.get(i) {
                    producer = producer.load(tile);
                    i += 1;
                }
                producer
            },
            |mut consumer| {
                let mut i = 0;
                while i < tiles.count() {
                    let tile = consumer.wait();
                    sum = sum.wrapping_add(tile.get(tile.rank() as usize % N).unwrap_or(0));
                    consumer = tile.release();
                    i += 1;
                }
                consumer
            },
        )
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run(src: *const u32, n: usize, out: *mut u32) {
    raw_run::<1>(n / N, out, |i, stage, full| unsafe {
        raw::cp_async_bulk_shared_cta_global(stage, src.add(i * N).cast(), BYTES, full)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_multicast(src: *const u32, n: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.cluster(smem.memory, |cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let pipeline = pipeline.run_multicast(
            &cluster,
            pair,
            |mut producer| {
                let mut i = 0;
                while let Some(tile) = tiles.get(i) {
                    producer = producer.load(tile);
                    i += 1;
                }
                producer
            },
            |mut consumer| {
                let mut i = 0;
                while i < tiles.count() {
                    let tile = consumer.wait();
                    sum = sum.wrapping_add(tile.get(tile.rank() as usize % N).unwrap_or(0));
                    consumer = tile.release();
                    i += 1;
                }
                consumer
            },
        );
        (cluster, pipeline)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_multicast(src: *const u32, n: usize, out: *mut u32) {
    raw_run::<2>(n / N, out, |i, stage, full| unsafe {
        let part = raw::cluster_ctarank() * BYTES / 2;
        let src = src.add(i * N).cast::<u8>().add(part as usize);
        raw::cp_async_bulk_shared_cluster_global_multicast_cluster(
            stage + part,
            src,
            BYTES / 2,
            full,
            CtaMask::CTA_0 | CtaMask::CTA_1,
        )
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_tensor(
    map: *const TensorMapObject,
    n: usize,
    out: *mut u32,
) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let map = unsafe { TensorMap::<u32, Box2<32, 8>>::from_raw(map) };
    let mut sum = 0_u32;
    cta.lend(smem.memory, |cta, pipeline| {
        pipeline.run(
            cta,
            |producer| producer.load_tensor(map.at([0, 8])),
            |consumer| {
                let tile = consumer.wait();
                sum = sum.wrapping_add(tile.get(tile.rank() as usize % N).unwrap_or(0));
                tile.release()
            },
        )
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_tensor(
    map: *const TensorMapObject,
    n: usize,
    out: *mut u32,
) {
    raw_run::<1>(1, out, |i, stage, full| unsafe {
        raw::cp_async_bulk_tensor_2d_global_tile(
            space::SharedCta,
            cta_group::None,
            stage,
            map.cast(),
            [0, 8 * (i as i32 + 1)],
            full,
        )
    });
}

/// `copy` loads tile `i` into a stage, or, in a cluster of `CTAS`, a part of it into those of all.
#[inline(always)]
fn raw_run<const CTAS: u32>(count: usize, out: *mut u32, copy: impl Fn(usize, u32, u32)) {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    let base = cast(smem.memory);
    let mut sum = 0_u32;
    let sync = || unsafe { if CTAS == 1 { sync() } else { cluster_sync() } };
    closure(|| unsafe {
        if CTAS > 1 {
            cluster_sync();
            if raw::cluster_nctarank() != CTAS {
                trap();
            }
        }
        let (rank, threads) = (thread_rank(), thread_count());
        if threads <= 32 || CTAS > 1 && threads % 32 != 0 {
            trap();
        }
        let full = |stage: u32| base + STAGES * BYTES + 16 * stage;
        if rank == 0 {
            let releases = if CTAS == 1 { threads - 32 } else { CTAS * (threads / 32 - 1) };
            let mut stage = 0;
            while stage < STAGES {
                raw::mbarrier_init(space::SharedCta, full(stage), 1);
                raw::mbarrier_init(space::SharedCta, full(stage) + 8, releases);
                stage += 1;
            }
            raw::fence_mbarrier_init();
        }
        raw::fence_proxy_async(space::SharedCta);
        sync();
        if rank == 0 {
            let (mut stage, mut parity) = (0, 0);
            let mut i = 0;
            while i < count {
                wait::<CTAS>(full(stage) + 8, parity ^ 1);
                raw::mbarrier_arrive_expect_tx(
                    sem::Release,
                    scope::Cta,
                    space::SharedCta,
                    full(stage),
                    BYTES,
                );
                copy(i, base + stage * BYTES, full(stage));
                next(&mut stage, &mut parity);
                i += 1;
            }
            let mut left = 0;
            while left < STAGES {
                wait::<CTAS>(full(stage), parity ^ 1);
                next(&mut stage, &mut parity);
                left += 1;
            }
        } else if rank >= 32 {
            let (mut stage, mut parity) = (0, 0);
            let mut i = 0;
            while i < count {
                wait::<CTAS>(full(stage), parity);
                let element = (rank - 32) % N as u32;
                sum = sum.wrapping_add(raw::ld_weak(
                    space::SharedCta,
                    ty::B32,
                    base + stage * BYTES + 4 * element,
                ));
                release::<CTAS>(full(stage) + 8);
                next(&mut stage, &mut parity);
                i += 1;
            }
        }
        sync();
        if rank == 0 {
            let mut stage = 0;
            while stage < STAGES {
                raw::mbarrier_inval(space::SharedCta, full(stage));
                raw::mbarrier_inval(space::SharedCta, full(stage) + 8);
                stage += 1;
            }
        }
        super::sync();
        if CTAS > 1 {
            cluster_sync();
        }
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[inline(always)]
unsafe fn wait<const CTAS: u32>(bar: u32, parity: u32) {
    while !unsafe {
        if CTAS == 1 {
            raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cta, space::SharedCta, bar, parity)
        } else {
            raw::mbarrier_try_wait_parity(sem::Acquire, scope::Cluster, space::SharedCta, bar, parity)
        }
    } {}
}

#[inline(always)]
unsafe fn release<const CTAS: u32>(empty: u32) {
    unsafe {
        if CTAS == 1 {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty);
            return;
        }
        raw::bar_warp_sync(u32::MAX);
        let lane = raw::laneid();
        if lane < CTAS {
            let bar = raw::mapa_shared_cluster(empty, lane);
            raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar);
        }
    }
}

/// On to the stage after this one, and the parity of its phase.
#[inline(always)]
fn next(stage: &mut u32, parity: &mut u32) {
    *stage += 1;
    if *stage == STAGES {
        *stage = 0;
        *parity ^= 1;
    }
}

/// Where a pipeline lies.
#[inline(always)]
fn cast(memory: PipelineMemory<u32, N, 3>) -> u32 {
    unsafe { core::mem::transmute_copy(&memory) }
}
