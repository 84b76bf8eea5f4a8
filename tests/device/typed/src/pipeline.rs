//! Pipelines of three stages, in which one thread loads and the warps after the first add up; and a ring of three stages of two
//! tiles.

use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{Global, GlobalMut, GlobalTile, GlobalTileMut};
use ptx::group::{Cta, Warps};
use ptx::launch::Block;
use ptx::mask::CtaMask;
use ptx::pipeline::{
    BarrierPair, Consumer, ConsumersBarrier, NextStage, PipelineMemory, Producer, RingMemory,
};
use ptx::qualifier::{
    arrivals, cache_hint, convergence::Aligned, cp_mask, cta_group, evict, multicast, op, scope, sem, space,
    suspend_time_hint, swizzle_mode, threads, ty,
};
use ptx::raw;
use ptx::shared::SharedArray;
use ptx::tensor::{Box2, TensorMap, TensorMapObject};
use ptx::trap;

use crate::cluster::cluster_sync;
use crate::{
    cta_count, cta_rank, each_own, elected, fence_async, scope as closure, sync, thread_count, thread_rank,
};

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
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.async_scope(smem.memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, mut producer| {
                    let mut i = 0;
                    while let Some(tile) = tiles.get(i) {
                        producer = producer.load(thread, tile);
                        i += 1;
                    }
                    producer
                },
                |warps, mut consumer| {
                    let mut i = 0;
                    while i < tiles.count() {
                        let tile = consumer.wait(warps);
                        sum = sum.wrapping_add(tile.get(warps.thread_rank() as usize % N).unwrap_or(0));
                        consumer = tile.release(warps);
                        i += 1;
                    }
                    consumer
                },
            )
            .join(cta)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run(src: *const u32, n: usize, out: *mut u32) {
    let count = n / N;
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        run(
            base,
            |mut at| {
                let mut i = 0;
                while let Some(src) = tile::<N>(src, count, i) {
                    at = load::<0>(at, |stage, full, _| unsafe {
                        raw::cp_async_bulk_shared_cta_global(stage, src, BYTES, full, cache_hint::None)
                    });
                    i += 1;
                }
                at
            },
            |mut at, rank, _| {
                let mut i = 0;
                while i < count {
                    wait::<0>(&at);
                    sum = sum.wrapping_add(read(&at, rank));
                    at = release::<0>(at);
                    i += 1;
                }
                at
            },
        )
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_tiles(src: *const u32, n: u32, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n as usize) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.async_scope(smem.memory, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        let run = pipeline.run_tiles(cta, mine, |warps, tile| {
            sum = sum.wrapping_add(tile.get(warps.thread_rank() as usize % N).unwrap_or(0));
        });
        run.join(cta)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_tiles(src: *const u32, n: u32, out: *mut u32) {
    let count = n / N as u32;
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        let (first, step) = (cta_rank(), cta_count().clamp(1, 1 << 31));
        run(
            base,
            |mut at| {
                let mut i = first;
                while i < count {
                    let src = unsafe { src.add(i as usize * N) }.cast();
                    at = load::<0>(at, |stage, full, _| unsafe {
                        raw::cp_async_bulk_shared_cta_global(stage, src, BYTES, full, cache_hint::None)
                    });
                    i += step;
                }
                at
            },
            |mut at, rank, _| {
                let mut i = first;
                while i < count {
                    wait::<0>(&at);
                    sum = sum.wrapping_add(read(&at, rank));
                    at = release::<0>(at);
                    i += step;
                }
                at
            },
        )
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_keyed_tiles(src: *const u32, n: u32, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n as usize) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.async_scope(smem.memory, |cta, pipeline| {
        let mine = (0_u32..).zip(tiles.of_cta(cta));
        let run = pipeline.run_keyed_tiles(cta, mine, |warps, round, tile| {
            sum = sum.wrapping_add(tile.get(warps.thread_rank() as usize % N).unwrap_or(0) ^ round);
        });
        run.join(cta)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_keyed_tiles(src: *const u32, n: u32, out: *mut u32) {
    let count = n / N as u32;
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        let (first, step) = (cta_rank(), cta_count().clamp(1, 1 << 31));
        run(
            base,
            |mut at| {
                let mut i = first;
                while i < count {
                    let src = unsafe { src.add(i as usize * N) }.cast();
                    at = load::<0>(at, |stage, full, _| unsafe {
                        raw::cp_async_bulk_shared_cta_global(stage, src, BYTES, full, cache_hint::None)
                    });
                    i += step;
                }
                at
            },
            |mut at, rank, _| {
                let (mut i, mut round) = (first, 0);
                while i < count {
                    wait::<0>(&at);
                    sum = sum.wrapping_add(read(&at, rank) ^ round);
                    at = release::<0>(at);
                    i += step;
                    round += 1;
                }
                at
            },
        )
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_cache_hint(src: *const u32, n: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, 4 * N) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.async_scope(smem.memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| {
                    let policy = CachePolicy::evict_first();
                    match tiles.get(2) {
                        Some(tile) => producer.load(thread, tile.cache_hint(policy)),
                        None => producer,
                    }
                },
                |warps, consumer| {
                    let before = warps.thread_count() ^ warps.thread_rank();
                    let tile = consumer.wait(warps);
                    let vector = tile.get_vector(3).map_or(0, |vector| vector[1]);
                    sum = vector ^ warps.thread_count() ^ before;
                    tile.release(warps)
                },
            )
            .join(cta)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_cache_hint(src: *const u32, n: usize, out: *mut u32) {
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        run(
            base,
            |at| {
                let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
                let src = unsafe { src.add(2 * N) }.cast();
                load::<0>(at, |stage, full, _| unsafe {
                    raw::cp_async_bulk_shared_cta_global(stage, src, BYTES, full, cache_hint::Policy(policy))
                })
            },
            |at, rank, count| {
                let before = count ^ rank;
                wait::<0>(&at);
                let vector = unsafe { raw::ld_weak_v4(space::SharedCta, ty::B32, at.tile() + 48) };
                sum = vector[1] ^ count ^ before;
                release::<0>(at)
            },
        )
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_end(src: *const u32, n: usize, out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, 4 * N) }.tiles::<N>();
    cta.finish(smem.memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| match tiles.get(2) {
                    Some(tile) => producer.load(thread, tile),
                    None => producer,
                },
                |warps, consumer| {
                    let tile = consumer.wait(warps);
                    unsafe { out.add(warps.thread_rank() as usize).write(tile.get(3).unwrap_or(0)) };
                    tile.release(warps)
                },
            )
            .end()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_end(src: *const u32, n: usize, out: *mut u32) {
    let base = memory();
    closure(|| unsafe {
        run_last::<0>(
            Position { base, stage: 0, parity: 0, first: 0, rank: 0 },
            |at| {
                let src = unsafe { src.add(2 * N) }.cast();
                load::<0>(at, |stage, full, _| unsafe {
                    raw::cp_async_bulk_shared_cta_global(stage, src, BYTES, full, cache_hint::None)
                })
            },
            |at, rank, _| {
                wait::<0>(&at);
                unsafe { out.add(rank as usize).write(read(&at, 3)) };
                release::<0>(at)
            },
        )
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_tensor(
    map: *const TensorMapObject,
    n: usize,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let map = unsafe { TensorMap::<u32, Box2<32, 8>>::from_raw(map) };
    let mut sum = 0_u32;
    cta.async_scope(smem.memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| producer.load(thread, map.box_at([0, 1])),
                |warps, consumer| {
                    let tile = consumer.wait(warps);
                    sum = sum.wrapping_add(tile.get(warps.thread_rank() as usize % N).unwrap_or(0));
                    tile.release(warps)
                },
            )
            .join(cta)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_tensor(
    map: *const TensorMapObject,
    n: usize,
    out: *mut u32,
) {
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        run(
            base,
            |at| {
                load::<0>(at, |stage, full, _| unsafe {
                    raw::cp_async_bulk_tensor_2d_global_tile(
                        space::SharedCta,
                        cta_group::None,
                        stage,
                        map.cast(),
                        [0, 8],
                        full,
                        multicast::None,
                        cache_hint::None,
                    )
                })
            },
            |at, rank, _| {
                wait::<0>(&at);
                sum = sum.wrapping_add(read(&at, rank));
                release::<0>(at)
            },
        )
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_multicast(src: *const u32, n: usize, out: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<N>();
    let mut sum = 0_u32;
    cta.cluster_scope(smem.memory, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let pipeline = pipeline
            .multicast(pair)
            .run(
                &mut cluster,
                |thread, mut producer| {
                    let mut i = 0;
                    while let Some(tile) = tiles.get(i) {
                        producer = producer.load(thread, tile);
                        i += 1;
                    }
                    producer
                },
                |warps, mut consumer| {
                    let mut i = 0;
                    while i < tiles.count() {
                        let tile = consumer.wait(warps);
                        sum = sum.wrapping_add(tile.get(warps.thread_rank() as usize % N).unwrap_or(0));
                        consumer = tile.release(warps);
                        i += 1;
                    }
                    consumer
                },
            )
            .join(&cluster);
        (cluster, pipeline)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_multicast(src: *const u32, n: usize, out: *mut u32) {
    let count = n / N;
    let base = memory();
    let mut sum = 0_u32;
    closure(|| unsafe {
        if raw::cluster_nctarank() != 2 {
            trap();
        }
        let rank = raw::cluster_ctarank();
        run_in::<2>(
            Position { base, stage: 0, parity: 0, first: 0, rank },
            |mut at| {
                let mut i = 0;
                while let Some(src) = tile::<N>(src, count, i) {
                    at = load::<2>(at, |stage, full, (_, rank)| unsafe {
                        let part = rank * (BYTES / 2);
                        let mask = CtaMask::CTA_0 | CtaMask::CTA_1;
                        raw::cp_async_bulk_shared_cluster_global(
                            stage + part,
                            src.wrapping_add(part as usize),
                            BYTES / 2,
                            full,
                            multicast::Cluster(mask),
                            cache_hint::None,
                        )
                    });
                    i += 1;
                }
                at
            },
            |mut at, rank, _| {
                let mut i = 0;
                while i < count {
                    wait::<2>(&at);
                    sum = sum.wrapping_add(read(&at, rank));
                    at = release::<2>(at);
                    i += 1;
                }
                at
            },
        );
        cluster_sync();
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

/// Runs stages of two tiles, each with half the words. A row of two CTAs shares the second tile.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_pairs(
    map: *const TensorMapObject,
    src: *const u32,
    n: usize,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Pairs>() };
    let map = unsafe { TensorMap::<u32, Box2<16, 8, swizzle_mode::B64>>::from_raw(map) };
    let (tiles, _) = unsafe { Global::from_raw(src, n) }.tiles::<{ N / 2 }>();
    let mut sum = 0_u32;
    cta.cluster_scope(smem.memory, |mut cluster, pipeline| {
        let Some(row) = cluster.row::<2>() else { trap() };
        let pipeline = pipeline
            .multicast(((), row))
            .run(
                &mut cluster,
                |thread, producer| match tiles.get(1) {
                    Some(tile) => producer.load(thread, (map.box_at([0, 1]), tile)),
                    None => producer,
                },
                |warps, consumer| {
                    let stage = consumer.wait(warps);
                    let rank = warps.thread_rank() as usize % (N / 2);
                    let (x, y) = stage.tiles();
                    let at = x.swizzle_index(swizzle_mode::B64);
                    sum = x.get(at(rank)).and_then(|x| Some(x.wrapping_mul(y.get(rank)?))).unwrap_or(0)
                        ^ y.addr();
                    stage.release(warps)
                },
            )
            .join(&cluster);
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
    const HALF: usize = N / 2;
    let count = n / HALF;
    let (_, smem, _) = unsafe { Cta::enter::<Pairs>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let mut sum = 0_u32;
    closure(|| unsafe {
        let Some((first, x)) = crate::cluster::row(2) else { trap() };
        run_in::<2>(
            Position { base, stage: 0, parity: 0, first, rank: x },
            |at| {
                let Some(src) = tile::<HALF>(src, count, 1) else { return at };
                load::<2>(at, |stage, full, (first, rank)| unsafe {
                    raw::cp_async_bulk_tensor_2d_global_tile(
                        space::SharedCta,
                        cta_group::None,
                        stage,
                        map.cast(),
                        [0, 8],
                        full,
                        multicast::None,
                        cache_hint::None,
                    );
                    let part = rank * (BYTES / 4);
                    let mask = CtaMask::from_bits_retain((1 << first | 1 << (first + 1)) as u16);
                    raw::cp_async_bulk_shared_cluster_global(
                        stage + BYTES / 2 + part,
                        src.wrapping_add(part as usize),
                        BYTES / 4,
                        full,
                        multicast::Cluster(mask),
                        cache_hint::None,
                    )
                })
            },
            |at, rank, _| {
                wait::<2>(&at);
                let tile = at.tile();
                let y = 4 * (rank as usize % HALF) as u32;
                let x = ((tile + y) ^ (tile + y) >> 3 & 0x30).wrapping_sub(tile) as usize / 4;
                let x = (x < HALF).then(|| raw::ld_weak(space::SharedCta, ty::B32, tile + 4 * x as u32));
                let y = || raw::ld_weak(space::SharedCta, ty::B32, tile + BYTES / 2 + y);
                sum = x.map_or(0, |x| x.wrapping_mul(y())) ^ (tile + BYTES / 2);
                release::<2>(at)
            },
        );
        cluster_sync();
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

/// Multicasts half a tile to both CTAs, from each of them.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_multicast_tensor(
    map: *const TensorMapObject,
    out: *mut u32,
) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let map = unsafe { TensorMap::<u32, Box2<16, 8>>::from_raw(map) };
    let mut sum = 0_u32;
    cta.cluster_scope(smem.memory, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let pipeline = pipeline
            .multicast(pair)
            .run(
                &mut cluster,
                |thread, producer| {
                    let producer = producer.load(thread, map.box_at([0, 1]));
                    producer.load(thread, map.box_at([1, 1]).cache_hint(CachePolicy::evict_first()))
                },
                |warps, consumer| {
                    let tile = consumer.wait(warps);
                    sum = tile.get(5).unwrap_or(0);
                    let tile = tile.release(warps).wait(warps);
                    sum ^= tile.get(9).unwrap_or(0);
                    tile.release(warps)
                },
            )
            .join(&cluster);
        (cluster, pipeline)
    });
    unsafe { out.add(cta.thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_multicast_tensor(
    map: *const TensorMapObject,
    out: *mut u32,
) {
    let base = memory();
    let map = map.cast::<u8>();
    let both = CtaMask::CTA_0 | CtaMask::CTA_1;
    let mut sum = 0_u32;
    closure(|| unsafe {
        if raw::cluster_nctarank() != 2 {
            trap();
        }
        let rank = raw::cluster_ctarank();
        run_in::<2>(
            Position { base, stage: 0, parity: 0, first: 0, rank },
            |at| {
                let at = load::<2>(at, |stage, full, (_, rank)| unsafe {
                    raw::cp_async_bulk_tensor_2d_global_tile(
                        space::SharedCluster,
                        cta_group::None,
                        stage + rank * (BYTES / 2),
                        map,
                        [0, 8],
                        full,
                        multicast::Cluster(both),
                        cache_hint::None,
                    )
                });
                let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
                load::<2>(at, |stage, full, (_, rank)| unsafe {
                    raw::cp_async_bulk_tensor_2d_global_tile(
                        space::SharedCluster,
                        cta_group::None,
                        stage + rank * (BYTES / 2),
                        map,
                        [16, 8],
                        full,
                        multicast::Cluster(both),
                        cache_hint::Policy(policy),
                    )
                })
            },
            |at, _, _| {
                wait::<2>(&at);
                sum = read(&at, 5);
                let at = release::<2>(at);
                wait::<2>(&at);
                sum ^= read(&at, 9);
                release::<2>(at)
            },
        );
        cluster_sync();
    });
    unsafe { out.add(thread_rank() as usize).write(sum) };
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_multicast_end(
    map: *const TensorMapObject,
    out: *mut u32,
) {
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let map = unsafe { TensorMap::<u32, Box2<16, 8, swizzle_mode::B64>>::from_raw(map) };
    cta.finish_cluster(smem.memory, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let ended = pipeline
            .multicast(pair)
            .run(
                &mut cluster,
                |thread, producer| producer.load(thread, map.box_at([0, 1])),
                |warps, consumer| {
                    let stage = consumer.wait(warps);
                    let rank = warps.thread_rank() as usize;
                    let tile = stage.tiles();
                    let rows = tile.as_2d::<16>().swizzled(swizzle_mode::B64);
                    unsafe { out.add(rank).write(rows.get([5, 3]).unwrap_or(0)) };
                    stage.release(warps)
                },
            )
            .end();
        (cluster, ended)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_multicast_end(map: *const TensorMapObject, out: *mut u32) {
    let base = memory();
    closure(|| unsafe {
        if raw::cluster_nctarank() != 2 {
            trap();
        }
        let rank = raw::cluster_ctarank();
        run_last::<2>(
            Position { base, stage: 0, parity: 0, first: 0, rank },
            |at| {
                load::<2>(at, |stage, full, (_, rank)| unsafe {
                    raw::cp_async_bulk_tensor_2d_global_tile(
                        space::SharedCluster,
                        cta_group::None,
                        stage + rank * (BYTES / 2),
                        map.cast(),
                        [0, 8],
                        full,
                        multicast::Cluster(CtaMask::CTA_0 | CtaMask::CTA_1),
                        cache_hint::None,
                    )
                })
            },
            |at, rank, _| {
                wait::<2>(&at);
                let addr = at.tile() + 4 * (3 * 16 + 5);
                let word = raw::ld_weak(space::SharedCta, ty::B32, addr ^ addr >> 3 & 0x30);
                out.add(rank as usize).write(word);
                release::<2>(at)
            },
        );
        cluster_sync();
    });
}

/// Returns the address of the pipeline.
#[inline(always)]
fn memory() -> u32 {
    let (_, smem, _) = unsafe { Cta::enter::<Smem>() };
    unsafe { core::mem::transmute(smem.memory) }
}

/// Runs `produce` in the first thread and `consume` in the warps after the first. `consume` receives the thread's rank among the
/// consumers, and their number.
#[inline(always)]
unsafe fn run(
    base: u32,
    produce: impl FnOnce(Position) -> Position,
    consume: impl FnOnce(Position, u32, u32) -> Position,
) {
    unsafe { run_in::<0>(Position { base, stage: 0, parity: 0, first: 0, rank: 0 }, produce, consume) }
}

/// Does what [`run`] does, in a group of `CTAS` CTAs of the cluster, or without a group.
#[inline(always)]
unsafe fn run_in<const CTAS: u32>(
    at: Position,
    produce: impl FnOnce(Position) -> Position,
    consume: impl FnOnce(Position, u32, u32) -> Position,
) {
    let base = at.base;
    unsafe {
        run_last::<CTAS>(at, produce, consume);
        sync_all::<CTAS>();
        if thread_rank() == 0 {
            for_each_stage(|stage| {
                raw::mbarrier_inval(space::SharedCta, full(base, stage));
                raw::mbarrier_inval(space::SharedCta, empty(base, stage));
            });
        }
        sync();
    }
}

#[inline(always)]
unsafe fn sync_all<const CTAS: u32>() {
    unsafe { if CTAS == 0 { sync() } else { cluster_sync() } }
}

/// Does what [`run_in`] does, without invalidation of the mbarriers.
#[inline(always)]
unsafe fn run_last<const CTAS: u32>(
    at: Position,
    produce: impl FnOnce(Position) -> Position,
    consume: impl FnOnce(Position, u32, u32) -> Position,
) {
    unsafe {
        let (rank, threads) = (thread_rank(), thread_count());
        if threads <= 32 || threads % 32 != 0 {
            trap();
        }
        let base = at.base;
        let releases = if CTAS == 0 { 1 } else { CTAS } * (threads / 32 - 1);
        if rank == 0 {
            for_each_stage(|stage| {
                raw::mbarrier_init(space::SharedCta, full(base, stage), 1);
                raw::mbarrier_init(space::SharedCta, empty(base, stage), releases);
            });
            raw::fence_mbarrier_init();
            raw::fence_proxy_async(space::SharedCta);
        }
        sync_all::<CTAS>();
        if rank == 0 {
            drain::<CTAS>(produce(at));
        } else if rank >= 32 {
            consume(at, rank - 32, threads - 32);
        }
    }
}

/// Returns tile `i` of the source.
#[inline(always)]
fn tile<const LEN: usize>(src: *const u32, count: usize, i: usize) -> Option<*const u8> {
    if i >= count {
        return None;
    }
    Some(unsafe { src.add(i * LEN) }.cast())
}

#[inline(always)]
fn full(base: u32, stage: u32) -> u32 {
    base + STAGES * BYTES + 16 * stage
}

#[inline(always)]
fn empty(base: u32, stage: u32) -> u32 {
    full(base, stage) + 8
}

#[inline(always)]
fn for_each_stage(mut each: impl FnMut(u32)) {
    let mut stage = 0;
    while stage < STAGES {
        each(stage);
        stage += 1;
    }
}

/// A thread's stage, and the parity of the stage's phase.
struct Position {
    base: u32,
    stage: u32,
    parity: u32,
    /// The rank of the group's first CTA, and this CTA's rank in the group.
    first: u32,
    rank: u32,
}

impl Position {
    #[inline(always)]
    fn tile(&self) -> u32 {
        self.base + self.stage * BYTES
    }

    #[inline(always)]
    fn advance(&mut self) {
        let wraps = self.stage + 1 == STAGES;
        self.stage = if wraps { 0 } else { self.stage + 1 };
        self.parity ^= u32::from(wraps);
    }
}

#[inline(always)]
fn wait_parity<const CTAS: u32>(bar: u32, parity: u32) {
    let space = space::SharedCta;
    while !unsafe {
        if CTAS == 0 {
            raw::mbarrier_try_wait_parity(
                sem::Acquire,
                scope::Cta,
                space,
                bar,
                parity,
                suspend_time_hint::None,
            )
        } else {
            raw::mbarrier_try_wait_parity(
                sem::Relaxed,
                scope::Cluster,
                space,
                bar,
                parity,
                suspend_time_hint::None,
            )
        }
    } {}
}

#[inline(always)]
fn wait_full<const CTAS: u32>(full: u32, parity: u32) {
    wait_parity::<CTAS>(full, parity);
    if CTAS > 0 {
        raw::fence_acquire_sync_restrict();
    }
}

#[inline(always)]
fn load<const CTAS: u32>(mut at: Position, copy: impl FnOnce(u32, u32, (u32, u32))) -> Position {
    let Position { base, stage, parity, first, rank } = at;
    let (full, empty) = (full(base, stage), empty(base, stage));
    wait_parity::<CTAS>(empty, parity ^ 1);
    if CTAS > 0 {
        raw::fence_proxy_async_generic_acquire_sync_restrict();
    }
    unsafe { raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, full, BYTES) };
    copy(base + stage * BYTES, full, (first, rank));
    at.advance();
    at
}

#[inline(always)]
fn drain<const CTAS: u32>(mut at: Position) {
    let mut stages = STAGES;
    while stages > 0 {
        wait_full::<CTAS>(full(at.base, at.stage), at.parity ^ 1);
        at.advance();
        stages -= 1;
        unsafe {
            core::arch::asm!("// {0}", inout(reg32) stages, options(pure, nomem, nostack, preserves_flags))
        };
    }
}

#[inline(always)]
fn wait<const CTAS: u32>(at: &Position) {
    wait_full::<CTAS>(full(at.base, at.stage), at.parity);
}

#[inline(always)]
fn read(at: &Position, rank: u32) -> u32 {
    let i = rank as usize % N;
    unsafe { raw::ld_weak(space::SharedCta, ty::B32, at.tile() + (i * size_of::<u32>()) as u32) }
}

#[inline(always)]
fn release<const CTAS: u32>(at: Position) -> Position {
    release_of::<CTAS, true>(at)
}

/// Releases a stage, after ordinary loads if `LOADED`.
#[inline(always)]
fn release_of<const CTAS: u32, const LOADED: bool>(mut at: Position) -> Position {
    let empty = empty(at.base, at.stage);
    unsafe {
        raw::bar_warp_sync(u32::MAX);
        let lane = thread_rank() % 32;
        if CTAS == 0 {
            if lane == 0 {
                raw::mbarrier_arrive(sem::Release, scope::Cta, space::SharedCta, empty, arrivals::One);
            }
        } else if lane < CTAS {
            let bar = raw::mapa_shared_cluster(empty, at.first + lane);
            if LOADED {
                raw::fence_proxy_async_generic_release_sync_restrict();
            }
            raw::mbarrier_arrive_shared_cluster(sem::Relaxed, scope::Cluster, bar, arrivals::One);
        }
    }
    at.advance();
    at
}

ptx::shared_memory! {
    struct Parts { memory: PipelineMemory<[u32; N], 3>, out: SharedArray<u32, N>, consumers: ConsumersBarrier<1> }
}
/// The offset of the array in `Parts`: after the stages and their mbarriers, aligned.
const OUT: u32 = STAGES * BYTES + 128;

/// Returns a tile of `src` and, in the first CTA, a tile of `dst`.
#[inline(always)]
unsafe fn one_each(
    cta: &Cta,
    src: *const u32,
    dst: *mut u32,
) -> Option<(GlobalTile<u32, N>, GlobalTileMut<u32, N>)> {
    let (from, to) = unsafe { (Global::from_raw(src, N), GlobalMut::from_raw(dst, N)) };
    Some((from.tiles().0.get(0)?, to.tiles(cta).0.next_tile()?.1))
}

/// Runs consumers that hold an array, fill the array together, and store it.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_with(src: *const u32, dst: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    let Parts { memory, out, consumers } = smem;
    let Some((from, to)) = (unsafe { one_each(&cta, src, dst) }) else { return };
    cta.async_scope((memory, out), |cta, (pipeline, out)| {
        let (pipeline, out, _) = pipeline
            .run_with(
                cta,
                consumers,
                out,
                |thread, producer| producer.load(thread, from),
                |warps, consumer, out| {
                    let tile = consumer.wait(warps);
                    let written = out.write(warps, |i| tile.get(i).unwrap_or(0) ^ 1);
                    let consumer = tile.release(warps);
                    warps.sync();
                    let fenced = written.to_async().sync(warps);
                    (consumer, bulk::store(warps, fenced, to).commit(warps).wait_read(warps).end())
                },
            )
            .join(cta);
        (pipeline, out.to_async().sync(cta).into_free())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_with(src: *const u32, dst: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    if cta_rank() != 0 {
        return;
    }
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    closure(|| unsafe {
        run(
            base,
            |at| load_from(at, src),
            |at, rank, _| {
                wait::<0>(&at);
                turn_over(at.tile(), base + OUT, rank);
                let at = release::<0>(at);
                sync_consumers();
                raw::fence_proxy_async(space::SharedCta);
                sync_consumers();
                if rank == 0 {
                    store_to(dst, base + OUT);
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                at
            },
        );
        fence_async();
    });
}

/// Does what [`typed_pipeline_run_with`] does, at the end of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_with_end(src: *const u32, dst: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    let Parts { memory, out, consumers } = smem;
    let Some((from, to)) = (unsafe { one_each(&cta, src, dst) }) else { return };
    cta.finish((memory, out), |cta, (pipeline, out)| {
        let (pipeline, out) = pipeline
            .run_with(
                cta,
                consumers,
                out,
                |thread, producer| producer.load(thread, from),
                |warps, consumer, out| {
                    let tile = consumer.wait(warps);
                    let fenced = out.write(warps, |i| tile.get(i).unwrap_or(0) ^ 1).to_async().sync(warps);
                    let out = bulk::store(warps, fenced, to).commit(warps).wait_read(warps).end();
                    (tile.release(warps), out)
                },
            )
            .end();
        (pipeline, out)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_with_end(src: *const u32, dst: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    if cta_rank() != 0 {
        return;
    }
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    closure(|| unsafe {
        run_last::<0>(
            Position { base, stage: 0, parity: 0, first: 0, rank: 0 },
            |at| load_from(at, src),
            |at, rank, _| {
                wait::<0>(&at);
                turn_over(at.tile(), base + OUT, rank);
                raw::fence_proxy_async(space::SharedCta);
                sync_consumers();
                if rank == 0 {
                    store_to(dst, base + OUT);
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                release::<0>(at)
            },
        )
    });
}

/// Runs consumers that wait for each other in each round.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_run_tiles_with(src: *const u32, n: u32, out: *mut u32) {
    let (cta, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    let Parts { memory, consumers, .. } = smem;
    let (tiles, _) = unsafe { Global::from_raw(src, n as usize) }.tiles::<N>();
    cta.finish(memory, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        let run = pipeline.run_tiles_with(cta, consumers, (), mine, |warps, rounds, ()| {
            let (consumer, sum) = rounds.run(warps, 0_u32, |tile, sum| {
                let sum = sum.wrapping_add(tile.get(3).unwrap_or(0));
                warps.sync();
                (tile.release(warps), sum)
            });
            unsafe { out.add(warps.thread_rank() as usize).write(sum) };
            (consumer, ())
        });
        run.end().0
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_run_tiles_with(src: *const u32, n: u32, out: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    let count = n / N as u32;
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    closure(|| unsafe {
        let (first, step) = (cta_rank(), cta_count().clamp(1, 1 << 31));
        run_last::<0>(
            Position { base, stage: 0, parity: 0, first: 0, rank: 0 },
            |mut at| {
                let mut i = first;
                while i < count {
                    at = load_from(at, unsafe { src.add(i as usize * N) });
                    i += step;
                }
                at
            },
            |mut at, rank, _| {
                let (mut i, mut sum) = (first, 0_u32);
                while i < count {
                    wait::<0>(&at);
                    sum = sum.wrapping_add(read(&at, 3));
                    sync_consumers();
                    at = release::<0>(at);
                    i += step;
                }
                unsafe { out.add(rank as usize).write(sum) };
                at
            },
        )
    });
}

/// Runs consumers that read stages by assembly that knows their address.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_wait_async(src: *const u32, n: usize) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let (tiles, _) = unsafe { Global::from_raw(src, 4 * N) }.tiles::<N>();
    cta.cluster_scope(smem.memory, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let pipeline = pipeline
            .multicast(pair)
            .run(
                &mut cluster,
                |thread, producer| match tiles.get(2) {
                    Some(tile) => producer.load(thread, tile),
                    None => producer,
                },
                |warps, consumer| {
                    let stage = consumer.wait_async(warps);
                    use_address(stage.addr());
                    stage.release(warps)
                },
            )
            .join(&cluster);
        (cluster, pipeline)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_wait_async(src: *const u32, n: usize) {
    let base = memory();
    closure(|| unsafe {
        if raw::cluster_nctarank() != 2 {
            trap();
        }
        let rank = raw::cluster_ctarank();
        run_in::<2>(
            Position { base, stage: 0, parity: 0, first: 0, rank },
            |at| {
                load::<2>(at, |stage, full, (_, rank)| unsafe {
                    let part = rank * (BYTES / 2);
                    let mask = CtaMask::CTA_0 | CtaMask::CTA_1;
                    raw::cp_async_bulk_shared_cluster_global(
                        stage + part,
                        src.add(2 * N).cast::<u8>().wrapping_add(part as usize),
                        BYTES / 2,
                        full,
                        multicast::Cluster(mask),
                        cache_hint::None,
                    )
                })
            },
            |at, _, _| {
                wait::<2>(&at);
                use_address(at.tile());
                release_of::<2, false>(at)
            },
        );
        cluster_sync();
    });
}

/// Runs consumers that read a stage by a copy alone.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_store_stage(src: *const u32, dst: *mut u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    let Parts { memory, consumers, .. } = smem;
    let Some((from, to)) = (unsafe { one_each(&cta, src, dst) }) else { return };
    cta.async_scope(memory, |cta, pipeline| {
        let (pipeline, (), _) = pipeline
            .run_with(
                cta,
                consumers,
                (),
                |thread, producer| producer.load(thread, from),
                |warps, consumer, ()| {
                    let stage = consumer.wait_async(warps);
                    let stage = bulk::store(warps, stage, to).commit(warps).wait_read(warps).sync(warps);
                    (stage.release(warps), ())
                },
            )
            .join(cta);
        pipeline
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_store_stage(src: *const u32, dst: *mut u32) {
    let (_, smem, _) = unsafe { Cta::enter_with::<Parts, Block<128>>() };
    if cta_rank() != 0 {
        return;
    }
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    closure(|| unsafe {
        run(
            base,
            |at| load_from(at, src),
            |at, rank, _| {
                wait::<0>(&at);
                if rank == 0 {
                    store_to(dst, at.tile());
                    raw::cp_async_bulk_wait_group_read::<0>();
                }
                sync_consumers();
                release::<0>(at)
            },
        )
    });
}

#[inline(always)]
fn use_address(addr: u32) {
    unsafe { core::arch::asm!("// {0}", in(reg32) addr, options(nostack)) };
}

#[inline(always)]
fn load_from(at: Position, src: *const u32) -> Position {
    load::<0>(at, |stage, full, _| unsafe {
        raw::cp_async_bulk_shared_cta_global(stage, src.cast(), BYTES, full, cache_hint::None)
    })
}

/// Copies one consumer's share of the tile to the array: vectors of sixteen bytes, with the last bit of each word flipped.
#[inline(always)]
unsafe fn turn_over(tile: u32, out: u32, rank: u32) {
    let mut first = 0;
    let vector = |v: u32| unsafe {
        let values = core::array::from_fn(|lane| {
            let word: u32 = raw::ld_weak(space::SharedCta, ty::B32, tile + 16 * v + 4 * lane as u32);
            word ^ 1
        });
        raw::st_weak_v4(space::SharedCta, ty::B32, out + 16 * v, values);
    };
    while first + 96 <= BYTES / 16 {
        vector(first + rank);
        first += 96;
    }
    if first + rank < BYTES / 16 {
        vector(first + rank);
    }
}

#[inline(always)]
unsafe fn store_to(dst: *mut u32, from: u32) {
    unsafe {
        raw::cp_async_bulk_global_shared_cta(dst.cast(), from, BYTES, cache_hint::None, cp_mask::None);
        raw::cp_async_bulk_commit_group();
    }
}

#[inline(always)]
unsafe fn sync_consumers() {
    unsafe { raw::barrier_cta_sync(Aligned, 1, threads::Count(96)) }
}

type Pair = BarrierPair<1, 2, 64, 32>;
ptx::shared_memory! { struct Tile { tile: PipelineMemory<[u32; N], 1, Pair> } }

#[inline(always)]
fn produce<'p>(
    warps: &Warps<'p>,
    mut producer: Producer<'p, [u32; N], 1, Pair>,
    rounds: u32,
) -> Producer<'p, [u32; N], 1, Pair> {
    let (rank, mut round) = (warps.thread_rank(), 0);
    while round < rounds {
        producer = producer.write(warps, |i| (round ^ rank) + i as u32);
        round += 1;
    }
    producer
}

#[inline(always)]
fn consume<'p, B>(
    warps: &Warps<'p, B>,
    mut consumer: Consumer<'p, [u32; N], 1, Pair>,
    (rounds, out): (u32, *mut u32),
) -> Consumer<'p, [u32; N], 1, Pair> {
    let (mut sum, mut round) = (0, 0);
    while round < rounds {
        let tile = consumer.wait(warps);
        sum += tile.get(warps.thread_rank() as usize).unwrap_or(0);
        consumer = tile.release(warps);
        round += 1;
    }
    unsafe { out.add(warps.thread_rank() as usize).write(warps.warp().reduce_add(sum)) };
    consumer
}

/// Runs two parts of whole warps, over two named barriers.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_barrier_pair(out: *mut u32, rounds: u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Tile>() };
    cta.async_scope(smem.tile, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |warps, producer| produce(warps, producer, rounds),
                |warps, consumer| consume(warps, consumer, (rounds, out)),
            )
            .join(cta)
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_barrier_pair(out: *mut u32, rounds: u32) {
    closure(|| unsafe {
        hand_off::<false>(out, rounds);
        sync();
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_barrier_pair_end(out: *mut u32, rounds: u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<Tile>() };
    cta.finish(smem.tile, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |warps, producer| produce(warps, producer, rounds),
                |warps, consumer| consume(warps, consumer, (rounds, out)),
            )
            .end()
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_barrier_pair_end(out: *mut u32, rounds: u32) {
    closure(|| unsafe { hand_off::<false>(out, rounds) });
}

ptx::shared_memory! { struct TileWith { tile: PipelineMemory<[u32; N], 1, Pair>, consumers: ConsumersBarrier<3> } }

/// Runs consumers that also meet at a barrier of their own.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_barrier_pair_with(out: *mut u32, rounds: u32) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<TileWith>() };
    let TileWith { tile, consumers } = smem;
    cta.async_scope(tile, |cta, pipeline| {
        let (pipeline, (), _) = pipeline
            .run_with(
                cta,
                consumers,
                (),
                |warps, producer| produce(warps, producer, rounds),
                |warps, consumer, ()| {
                    warps.sync();
                    (consume(warps, consumer, (rounds, out)), ())
                },
            )
            .join(cta);
        pipeline
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_barrier_pair_with(out: *mut u32, rounds: u32) {
    closure(|| unsafe {
        hand_off::<true>(out, rounds);
        sync();
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_barrier_pair_with_end(out: *mut u32, rounds: u32) {
    let (cta, smem, _) = unsafe { Cta::enter::<TileWith>() };
    let TileWith { tile, consumers } = smem;
    cta.finish(tile, |cta, pipeline| {
        let (ended, ()) = pipeline
            .run_with(
                cta,
                consumers,
                (),
                |warps, producer| produce(warps, producer, rounds),
                |warps, consumer, ()| {
                    warps.sync();
                    (consume(warps, consumer, (rounds, out)), ())
                },
            )
            .end();
        ended
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_barrier_pair_with_end(out: *mut u32, rounds: u32) {
    closure(|| unsafe { hand_off::<true>(out, rounds) });
}

#[inline(always)]
unsafe fn hand_off<const MEET: bool>(out: *mut u32, rounds: u32) {
    let base: u32 = unsafe {
        if MEET {
            let (_, smem, _) = Cta::enter::<TileWith>();
            core::mem::transmute::<PipelineMemory<[u32; N], 1, Pair>, u32>(smem.tile)
        } else {
            let (_, smem, _) = Cta::enter::<Tile>();
            core::mem::transmute::<PipelineMemory<[u32; N], 1, Pair>, u32>(smem.tile)
        }
    };
    let (rank, threads) = (thread_rank(), thread_count());
    let below = |number: u32, bound: u32| number < bound;
    if below(threads, 96) {
        trap();
    }
    if MEET {
        unsafe { sync() };
    }
    if below(rank, 64) {
        unsafe {
            let mut round = 0;
            while round < rounds {
                raw::barrier_cta_sync(Aligned, 2, threads::Count(96));
                let (own, word) = (base + 4 * rank, (round ^ rank) + rank);
                raw::st_weak(space::SharedCta, ty::B32, own, word);
                raw::st_weak(space::SharedCta, ty::B32, own + 256, word + 64);
                raw::st_weak(space::SharedCta, ty::B32, own + 512, word + 128);
                raw::st_weak(space::SharedCta, ty::B32, own + 768, word + 192);
                raw::barrier_cta_arrive(Aligned, 1, 96);
                round += 1;
            }
            raw::barrier_cta_sync(Aligned, 2, threads::Count(96));
        }
    } else if below(rank, 96) {
        unsafe {
            let (rank, mut sum, mut round) = (rank - 64, 0, 0);
            raw::barrier_cta_arrive(Aligned, 2, 96);
            if MEET {
                raw::barrier_cta_sync(Aligned, 3, threads::Count(32));
            }
            while round < rounds {
                raw::barrier_cta_sync(Aligned, 1, threads::Count(96));
                let word: u32 = raw::ld_weak(space::SharedCta, ty::B32, base + 4 * rank);
                sum += word;
                raw::barrier_cta_arrive(Aligned, 2, 96);
                round += 1;
            }
            out.add(rank as usize).write(raw::redux_sync(op::Add, ty::U32, sum, u32::MAX));
        }
    }
}

ptx::shared_memory! {
    struct Rings { memory: RingMemory<[u32; N], 3> }
}
/// Bytes of a stage of the ring: the input's tile, then the output's.
const STAGE: u32 = 2 * BYTES;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_ring(x: *const u32, y: *mut u32, n: usize) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Rings>() };
    let (x, _) = unsafe { Global::from_raw(x, n) }.tiles::<N>();
    let (y, _) = unsafe { GlobalMut::<_, N>::from_raw(y, n) }.tiles(&cta);
    cta.async_scope(smem.memory, |cta, ring| {
        let mut ring = ring.start(cta, [x], y);
        loop {
            ring = match ring.wait(cta) {
                NextStage::Full(full) => full.update(cta, |[x], y| x ^ y).store(cta).refill(cta),
                NextStage::Done(done) => return done.join(cta),
            };
        }
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_ring(x: *const u32, y: *mut u32, n: usize) {
    let (_, smem, _) = unsafe { Cta::enter::<Rings>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let (next, count, step) = (cta_rank() as usize, n / N, cta_count() as usize);
    closure(|| unsafe {
        let mut ring = Ring::start(base, [(x, n / N)], y, next, count, step);
        loop {
            ring = match ring.next() {
                Some(full) => full.update(|[x], y| x ^ y).store().refill(),
                None => return,
            };
        }
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_ring_update_all(x: *const u32, y: *mut u32, n: usize) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Rings>() };
    let (x, _) = unsafe { Global::from_raw(x, n) }.tiles::<N>();
    let (y, _) = unsafe { GlobalMut::<_, N>::from_raw(y, n) }.tiles(&cta);
    cta.async_scope(smem.memory, |cta, ring| ring.update_all(cta, [x], y, |[x], y| x ^ y).join(cta));
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_ring_update_all(x: *const u32, y: *mut u32, n: usize) {
    let (_, smem, _) = unsafe { Cta::enter::<Rings>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let (next, count, step) = (cta_rank() as usize, n / N, cta_count() as usize);
    closure(|| unsafe {
        let mut ring = Ring::start(base, [(x, n / N)], y, next, count, step);
        while ring.has(0) {
            ring.wait();
            ring = ring.update(|[x], y| x ^ y).store_and_refill();
        }
        ring.close();
    });
}

/// Waits for all copies in flight; the remaining tiles are not processed.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_ring_finish(x: *const u32, y: *mut u32, n: usize) {
    let (mut cta, smem, _) = unsafe { Cta::enter::<Rings>() };
    let (x, _) = unsafe { Global::from_raw(x, n) }.tiles::<N>();
    let (y, _) = unsafe { GlobalMut::<_, N>::from_raw(y, n) }.tiles(&cta);
    cta.async_scope(smem.memory, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_ring_finish(x: *const u32, y: *mut u32, n: usize) {
    let (_, smem, _) = unsafe { Cta::enter::<Rings>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let (next, count, step) = (cta_rank() as usize, n / N, cta_count() as usize);
    closure(|| unsafe { Ring::start(base, [(x, n / N)], y, next, count, step).finish() });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_ring_update_all_end(x: *const u32, y: *mut u32, n: usize) {
    let (cta, smem, _) = unsafe { Cta::enter::<Rings>() };
    let (x, _) = unsafe { Global::from_raw(x, n) }.tiles::<N>();
    let (y, _) = unsafe { GlobalMut::<_, N>::from_raw(y, n) }.tiles(&cta);
    cta.finish(smem.memory, |cta, ring| ring.update_all(cta, [x], y, |[x], y| x ^ y).end());
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_ring_update_all_end(x: *const u32, y: *mut u32, n: usize) {
    let (_, smem, _) = unsafe { Cta::enter::<Rings>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let (next, count, step) = (cta_rank() as usize, n / N, cta_count() as usize);
    closure(|| unsafe {
        let mut ring = Ring::start(base, [(x, n / N)], y, next, count, step);
        while ring.has(0) {
            ring.wait();
            ring = ring.update(|[x], y| x ^ y).store_and_refill();
        }
        ring.await_stores();
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn typed_pipeline_ring_finish_end(x: *const u32, y: *mut u32, n: usize) {
    let (cta, smem, _) = unsafe { Cta::enter::<Rings>() };
    let (x, _) = unsafe { Global::from_raw(x, n) }.tiles::<N>();
    let (y, _) = unsafe { GlobalMut::<_, N>::from_raw(y, n) }.tiles(&cta);
    cta.finish(smem.memory, |cta, ring| ring.start(cta, [x], y).finish(cta).end());
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn raw_pipeline_ring_finish_end(x: *const u32, y: *mut u32, n: usize) {
    let (_, smem, _) = unsafe { Cta::enter::<Rings>() };
    let base: u32 = unsafe { core::mem::transmute(smem.memory) };
    let (next, count, step) = (cta_rank() as usize, n / N, cta_count() as usize);
    closure(|| unsafe {
        let mut ring = Ring::start(base, [(x, n / N)], y, next, count, step);
        ring.await_loads();
        ring.await_stores();
    });
}

/// The state of a ring, which is equal in all threads.
struct Ring {
    base: u32,
    bars: u32,
    stage: u32,
    parity: u32,
    index: usize,
    count: usize,
    step: usize,
    inputs: [*const u32; 1],
    y: *mut u32,
}

impl Ring {
    #[inline(always)]
    unsafe fn start(
        base: u32,
        inputs: [(*const u32, usize); 1],
        y: *mut u32,
        next: usize,
        count: usize,
        step: usize,
    ) -> Ring {
        if inputs.iter().any(|input| input.1 < count) {
            trap();
        }
        unsafe {
            let ring = Ring {
                base,
                bars: Ring::bar(base, 0),
                stage: 0,
                parity: 0,
                index: next,
                count,
                step,
                inputs: inputs.map(|(input, _)| input.wrapping_add(next * N)),
                y: y.wrapping_add(next * N),
            };
            if elected() {
                for_each_stage(|stage| raw::mbarrier_init(space::SharedCta, Ring::bar(base, stage), 1));
                raw::fence_mbarrier_init();
                raw::fence_proxy_async(space::SharedCta);
                let mut stage = 0;
                while stage < STAGES as usize && ring.has(stage) {
                    ring.load(stage as u32, stage);
                    stage += 1;
                }
            }
            sync();
            ring
        }
    }

    #[inline(always)]
    fn bar(base: u32, stage: u32) -> u32 {
        base + STAGES * STAGE + 8 * stage
    }

    #[inline(always)]
    fn tile(&self, stage: u32, tile: u32) -> u32 {
        self.base + stage * STAGE + tile * BYTES
    }

    #[inline(always)]
    fn has(&self, ahead: usize) -> bool {
        self.index + ahead * self.step < self.count
    }

    #[inline(always)]
    unsafe fn load(&self, stage: u32, ahead: usize) {
        let (bar, offset) = (self.bars + 8 * stage, ahead * self.step * N);
        unsafe {
            raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, bar, STAGE);
            for (i, input) in self.inputs.iter().enumerate() {
                let src = input.wrapping_add(offset).cast();
                raw::cp_async_bulk_shared_cta_global(
                    self.tile(stage, i as u32),
                    src,
                    BYTES,
                    bar,
                    cache_hint::None,
                );
            }
            let src = self.y.wrapping_add(offset).cast_const().cast();
            raw::cp_async_bulk_shared_cta_global(self.tile(stage, 1), src, BYTES, bar, cache_hint::None);
        }
    }

    #[inline(always)]
    fn wait(&self) {
        wait_parity::<0>(self.bars + 8 * self.stage, self.parity);
    }

    /// Waits for the next stage and returns the ring, or `None` when all tiles have passed.
    #[inline(always)]
    unsafe fn next(self) -> Option<Ring> {
        if !self.has(0) {
            unsafe { self.close() };
            return None;
        }
        self.wait();
        Some(self)
    }

    #[inline(always)]
    unsafe fn update(self, mut f: impl FnMut([u32; 1], u32) -> u32) -> Ring {
        each_own(BYTES / 16, |v| {
            let at = |tile| self.tile(self.stage, tile) + 16 * v;
            unsafe {
                let inputs: [[u32; 4]; 1] =
                    core::array::from_fn(|i| raw::ld_weak_v4(space::SharedCta, ty::B32, at(i as u32)));
                let mut values = raw::ld_weak_v4(space::SharedCta, ty::B32, at(1));
                for (lane, y) in values.iter_mut().enumerate() {
                    *y = f(core::array::from_fn(|i| inputs[i][lane]), *y);
                }
                raw::st_weak_v4(space::SharedCta, ty::B32, at(1), values);
            }
        });
        self
    }

    #[inline(always)]
    unsafe fn store(self) -> Ring {
        unsafe {
            fence_async();
            if elected() {
                raw::cp_async_bulk_global_shared_cta(
                    self.y.cast(),
                    self.tile(self.stage, 1),
                    BYTES,
                    cache_hint::None,
                    cp_mask::None,
                );
                raw::cp_async_bulk_commit_group();
            }
        }
        self
    }

    #[inline(always)]
    unsafe fn refill(mut self) -> Ring {
        if elected() && self.has(STAGES as usize) {
            unsafe {
                raw::cp_async_bulk_wait_group_read::<0>();
                self.load(self.stage, STAGES as usize);
            }
        }
        self.advance();
        self
    }

    /// Does what `store` and `refill` do, under one condition of the leader.
    #[inline(always)]
    unsafe fn store_and_refill(mut self) -> Ring {
        unsafe {
            fence_async();
            if elected() {
                raw::cp_async_bulk_global_shared_cta(
                    self.y.cast(),
                    self.tile(self.stage, 1),
                    BYTES,
                    cache_hint::None,
                    cp_mask::None,
                );
                raw::cp_async_bulk_commit_group();
                if self.has(STAGES as usize) {
                    raw::cp_async_bulk_wait_group_read::<0>();
                    self.load(self.stage, STAGES as usize);
                }
            }
        }
        self.advance();
        self
    }

    #[inline(always)]
    fn advance(&mut self) {
        let wraps = self.stage + 1 == STAGES;
        self.stage = if wraps { 0 } else { self.stage + 1 };
        self.parity ^= u32::from(wraps);
        self.index += self.step;
        for input in &mut self.inputs {
            *input = input.wrapping_add(self.step * N);
        }
        self.y = self.y.wrapping_add(self.step * N);
    }

    #[inline(always)]
    unsafe fn finish(mut self) {
        self.await_loads();
        unsafe { self.close() };
    }

    #[inline(always)]
    fn await_loads(&mut self) {
        let mut stages = 0;
        while stages < STAGES as usize && self.has(0) {
            self.wait();
            self.advance();
            stages += 1;
        }
    }

    #[inline(always)]
    unsafe fn await_stores(&self) {
        if elected() {
            unsafe { raw::cp_async_bulk_wait_group_read::<0>() };
        }
    }

    #[inline(always)]
    unsafe fn close(self) {
        unsafe {
            self.await_stores();
            sync();
            if elected() {
                for_each_stage(|stage| raw::mbarrier_inval(space::SharedCta, self.bars + 8 * stage));
            }
            sync();
        }
    }
}
