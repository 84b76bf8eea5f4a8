//! A pipeline of three stages: one thread loads, the warps after the first add up.

use ptx::global::Global;
use ptx::launch::{Cta, trap};
use ptx::mask::CtaMask;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::{cta_group, scope, sem, space, swizzle_mode, ty};
use ptx::raw;
use ptx::shared::SharedMemory;
use ptx::tensor::{Box2, TensorMap, TensorMapObject};

use crate::cluster::cluster_sync;
use crate::{scope as closure, sync, thread_count, thread_rank};

const N: usize = 256;
const BYTES: u32 = 4 * N as u32;
const STAGES: u32 = 3;

ptx::shared_memory! {
    struct Smem { memory: PipelineMemory<[u32; N], 3> }
}
ptx::shared_memory! {
    struct Pairs { memory: PipelineMemory<([u32; N / 2], [u32; N / 2]), 3> }
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
    let copy = |i, stage, full| unsafe {
        raw::cp_async_bulk_shared_cta_global(stage, src.add(i * N).cast(), BYTES, full)
    };
    raw_run::<1, Smem>(n / N, out, || 0, copy, word);
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
    let first = || {
        if raw::cluster_nctarank() != 2 {
            trap();
        }
        0
    };
    let copy = |i, stage, full| unsafe {
        let part = raw::cluster_ctarank() * BYTES / 2;
        let src = src.add(i * N).cast::<u8>().add(part as usize);
        raw::cp_async_bulk_shared_cluster_global_multicast_cluster(
            stage + part,
            src,
            BYTES / 2,
            full,
            CtaMask::CTA_0 | CtaMask::CTA_1,
        )
    };
    raw_run::<2, Smem>(n / N, out, first, copy, word);
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
            |producer| producer.load(map.at([0, 8])),
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
    let copy = |i, stage, full| unsafe {
        raw::cp_async_bulk_tensor_2d_global_tile(
            space::SharedCta,
            cta_group::None,
            stage,
            map.cast(),
            [0, 8 * (i as i32 + 1)],
            full,
        )
    };
    raw_run::<1, Smem>(1, out, || 0, copy, word);
}

/// Two tiles of half the words a stage, the second shared by a row of two CTAs.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_pairs(
    map: *const TensorMapObject,
    src: *const u32,
    n: usize,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Pairs>() };
    let map = unsafe { TensorMap::<u32, Box2<16, 8>>::from_raw(map) };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<{ N / 2 }>();
    let mut sum = 0_u32;
    cta.cluster(smem.memory, |cluster, pipeline| {
        let Some(row) = cluster.row::<2>() else { trap() };
        let pipeline = pipeline.run_multicast(
            &cluster,
            ((), row),
            |mut producer| {
                let mut i = 0;
                while let Some(tile) = tiles.get(i) {
                    producer = producer.load((map.at([0, 8 * i as i32]), tile));
                    i += 1;
                }
                producer
            },
            |mut consumer| {
                let mut i = 0;
                while i < tiles.count() {
                    let stage = consumer.wait();
                    let rank = stage.rank() as usize % (N / 2);
                    let (x, y) = stage.tiles();
                    let at = x.swizzle(swizzle_mode::B64);
                    let both = x.get(at(rank)).and_then(|x| Some(x.wrapping_mul(y.get(rank)?)));
                    sum = sum.wrapping_add(both.unwrap_or(0));
                    consumer = stage.release();
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
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_pairs(
    map: *const TensorMapObject,
    src: *const u32,
    n: usize,
    out: *mut u32,
) {
    let first = || {
        let x = raw::cluster_ctaid_x();
        if raw::cluster_nctaid_x() != 2 {
            trap();
        }
        raw::cluster_ctarank() - x
    };
    let copy = |i, stage, full| unsafe {
        raw::cp_async_bulk_tensor_2d_global_tile(
            space::SharedCta,
            cta_group::None,
            stage,
            map.cast(),
            [0, 8 * i as i32],
            full,
        );
        let (x, first) = (raw::cluster_ctaid_x(), raw::cluster_ctarank() - raw::cluster_ctaid_x());
        let src = src.add(i * (N / 2)).cast::<u8>().add((x * BYTES / 4) as usize);
        raw::cp_async_bulk_shared_cluster_global_multicast_cluster(
            stage + BYTES / 2 + x * BYTES / 4,
            src,
            BYTES / 4,
            full,
            CtaMask::from_bits_retain((1 << first | 1 << (first + 1)) as u16),
        )
    };
    let product = |stage: u32, rank: u32| {
        let i = 4 * (rank % (N / 2) as u32);
        let at = ((stage + i) ^ (stage + i) >> 3 & 0x30).wrapping_sub(stage) / 4;
        if at >= N as u32 / 2 {
            return 0;
        }
        let [x, y] = [stage + 4 * at, stage + i + BYTES / 2]
            .map(|at| unsafe { raw::ld_weak(space::SharedCta, ty::B32, at) });
        x.wrapping_mul(y)
    };
    raw_run::<2, Pairs>(n / (N / 2), out, first, copy, product);
}

/// The word of a stage that the consumer of a rank adds.
#[inline(always)]
fn word(stage: u32, rank: u32) -> u32 {
    unsafe { raw::ld_weak(space::SharedCta, ty::B32, stage + 4 * (rank % N as u32)) }
}

/// `copy` loads tile `i` into a stage, or, in a group of `CTAS` from `first` on, a part of it into those of all; `read` gives
/// what a consumer reads of the stage.
#[inline(always)]
fn raw_run<const CTAS: u32, M: SharedMemory>(
    count: usize,
    out: *mut u32,
    first: impl Fn() -> u32,
    copy: impl Fn(usize, u32, u32),
    read: impl Fn(u32, u32) -> u32,
) {
    let (_, smem, _) = unsafe { Cta::enter::<M>() };
    let base: u32 = unsafe { core::mem::transmute_copy(&smem) };
    let mut sum = 0_u32;
    let sync = || unsafe { if CTAS == 1 { sync() } else { cluster_sync() } };
    closure(|| unsafe {
        if CTAS > 1 {
            cluster_sync();
        }
        let first = first();
        if CTAS > 1 && thread_count() % 32 != 0 {
            trap();
        }
        let (rank, threads) = (thread_rank(), thread_count());
        if threads <= 32 {
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
                sum = sum.wrapping_add(read(base + stage * BYTES, rank - 32));
                release::<CTAS>(full(stage) + 8, first);
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
unsafe fn release<const CTAS: u32>(empty: u32, first: u32) {
    unsafe {
        if CTAS == 1 {
            raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty);
            return;
        }
        raw::bar_warp_sync(u32::MAX);
        let lane = raw::laneid();
        if lane < CTAS {
            let bar = raw::mapa_shared_cluster(empty, first + lane);
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
