//! The collective calls of each group, under conditions that differ in it.

use ptx::bulk;
use ptx::cluster::{ByElement, DsmemBuffer};
use ptx::global::{Global, GlobalElementsMut, GlobalMut};
use ptx::group::{Cta, Together};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};
use ptx::reduce::{ReduceMemory, SegmentMemory};
use ptx::shared::SharedArray;

ptx::shared_memory! {
    struct Sums { memory: ReduceMemory<u32>, segments: SegmentMemory<u32> }
}
ptx::shared_memory! {
    struct Tiles { bar: Mbarrier<Uninit>, one: SharedArray<u32, 128>, other: SharedArray<u32, 128> }
}

#[ptx::kernel(threads = 128)]
pub fn count_in_some_threads(cta: Cta) {
    if cta.thread_rank() < 100 {
        cta.sync_count(true); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn and_in_some_warps(cta: Cta) {
    if cta.warp_rank() % 2 == 0 {
        cta.sync_and(true); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn sum_in_some_threads(cta: Cta, #[shared] smem: Sums) {
    let mut memory = smem.memory;
    if cta.thread_rank() != 17 {
        memory.reduce_add(&cta, 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn broadcast_in_the_leader(cta: Cta, #[shared] smem: Sums) {
    let mut memory = smem.memory;
    if cta.is_leader() {
        memory.broadcast(&cta, 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn scan_as_often_as_the_input_says(cta: Cta, #[shared] smem: Sums, input: Global<u32>) {
    let mut memory = smem.memory;
    for _ in 0..input.get(cta.thread_rank() as usize).unwrap_or(0) {
        memory.inclusive_sum(&cta, 1); // wrong
    }
}

/// The sum up to the thread differs, unlike the total.
#[ptx::kernel(threads = 128)]
pub fn by_a_sum_up_to_the_thread(cta: Cta, #[shared] smem: Sums) {
    let mut memory = smem.memory;
    let (before, _) = memory.exclusive_sum(&cta, 1);
    if before > 5 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn by_a_sum_of_a_segment(cta: Cta, #[shared] smem: Sums, input: Global<u32>) {
    let mut memory = smem.segments;
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    let (sum, _) = memory.inclusive_scan(&cta, x, x > 3, |x, y| x + y);
    if sum > 9 {
        cta.sync(); // wrong
    }
}

/// The function is not commutative, so each warp may get another result.
#[ptx::kernel(threads = 128)]
pub fn by_a_reduction_of_a_closure(cta: Cta, #[shared] smem: Sums, input: Global<u32>) {
    let mut memory = smem.memory;
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if memory.reduce(&cta, x, |x, y| x.wrapping_sub(y)) > 9 {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_reduction_of_a_closure(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if cta.warp().reduce(x, |x, y| x.wrapping_sub(y)) > 9 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn vote_in_some_lanes(cta: Cta) {
    if cta.thread_rank() % 32 > 3 {
        cta.warp().all(true); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn match_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().match_any(1_u32); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn shuffle_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().shuffle_xor(1_u32, 1); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn scan_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().inclusive_sum(1_u32); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn segments_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().segmented_reduce(1_u32, true, |x, y| x + y); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn partition_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().partition_by(1_u32).sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn filter_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        let _ = cta.warp().filter(true); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn tile_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().tile::<16>(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn tiles_in_some_lanes(cta: Cta) {
    if cta.warp().lane() > 3 {
        cta.warp().tiles::<16>().reduce_add(1_u32); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn tile_whose_lanes_part(cta: Cta) {
    let tile = cta.warp().tile::<8>();
    if tile.thread_rank() < 3 {
        tile.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn partition_whose_lanes_part(cta: Cta) {
    let lanes = cta.warp().partition_by(cta.thread_rank() % 3);
    if lanes.thread_rank() < 3 {
        lanes.reduce_add(1_u32); // wrong
    }
}

/// The lanes come from a split of each round, and one lane keeps those of the round before.
#[ptx::kernel(threads = 128)]
pub fn lanes_that_are_kept(cta: Cta, input: Global<u32>) {
    let warp = cta.warp();
    let mut kept = warp.filter(true);
    for i in 0..4 {
        let lanes = warp.filter(input.get(i * 128 + cta.thread_rank() as usize) == Some(1));
        if warp.lane() > 0 {
            kept = lanes;
        }
    }
    if let Some(lanes) = kept {
        lanes.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_a_match(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    if cta.warp().match_any(x).count() > 3 {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn warp_by_the_elected(cta: Cta) {
    if cta.warp().invoke_elected(|| ()).is_some() {
        cta.warp().sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn cta_by_a_reduction_of_lanes(cta: Cta, input: Global<u32>) {
    let x = input.get(cta.thread_rank() as usize).unwrap_or(0);
    for _ in 0..cta.warp().reduce_max(x) {
        cta.sync(); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn part_of_one_in_a_loop_of_threads(mut cta: Cta) {
    for _ in 0..cta.thread_rank() % 3 {
        cta.invoke_one((), |_, ()| ()); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn part_of_one_in_some_lanes_of_a_part(mut cta: Cta) {
    cta.invoke_warp((), |warp, ()| {
        if warp.warp().lane() > 7 {
            warp.invoke_one((), |_, ()| ()); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn part_that_some_lanes_leave(mut cta: Cta, input: Global<u32>) {
    cta.invoke_warp((), |warp, ()| {
        if input.get(warp.warp().lane() as usize) == Some(1) {
            return;
        }
        warp.warp().sync(); // wrong
    });
}

#[ptx::kernel(threads = 128)]
pub fn scope_in_some_threads(mut cta: Cta, #[shared] smem: Tiles) {
    let mut one = Some(smem.one);
    if cta.thread_rank() > 4
        && let Some(memory) = one.take()
    {
        cta.async_scope(memory, |_, tile| tile); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn scope_that_some_threads_finish(cta: Cta, #[shared] smem: Tiles) {
    if cta.thread_rank() > 4 {
        cta.finish(smem.one, |_, tile| tile.end()); // wrong
    }
}

#[ptx::kernel(threads = 128)]
pub fn publish_in_some_threads(cta: Cta, #[shared] smem: Tiles, n: u32) {
    cta.finish(smem.one, |cta, tile| {
        let tile = tile.write(cta, |i| i as u32).publish();
        if cta.thread_rank() < n { tile.sync(cta).end() } else { tile.end() } // wrong
    });
}

#[ptx::kernel(threads = 128)]
pub fn tiles_together_in_some_threads(cta: Cta, #[shared] smem: Tiles, n: u32) {
    cta.finish((smem.one, smem.other), |cta, (one, other)| {
        let (one, other) = (one.write(cta, |_| 1).publish(), other.write(cta, |_| 2).publish());
        if cta.thread_rank() < n {
            let (one, other) = (one, other).sync(cta); // wrong
            (one.end(), other.end())
        } else {
            (one.end(), other.end())
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn load_in_some_threads(cta: Cta, #[shared] smem: Tiles, input: Global<u32>) {
    let tile = input.tiles::<128>().0.get(0);
    cta.finish((smem.bar, smem.one), |cta, (bar, one)| match tile {
        Some(from) if cta.thread_rank() % 2 == 0 => {
            let (_, one, _) = bulk::load(cta, bar, one, from).wait(cta); // wrong
            ((), one.end())
        }
        _ => ((), one.end()),
    });
}

#[ptx::kernel(threads = 128)]
pub fn wait_in_some_threads(cta: Cta, #[shared] smem: Tiles) {
    cta.finish(smem.bar, |cta, bar| {
        let arrived = bar.arrive(cta);
        if cta.thread_rank() > 9 {
            arrived.wait(cta); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn arrive_as_often_as_the_rank(cta: Cta, #[shared] smem: Tiles) {
    cta.finish(smem.bar, |cta, mut bar| {
        for _ in 0..cta.thread_rank() {
            bar = bar.arrive(cta).wait(cta); // wrong
        }
    });
}

#[ptx::kernel(threads = 128)]
pub fn write_of_a_tile_in_some_threads(cta: Cta, output: GlobalMut<u32, 128>) {
    let (mut tiles, _) = output.tiles(&cta);
    while let Some((_, tile)) = tiles.next_tile() {
        if cta.thread_rank() > 3 {
            tile.write(&cta, |i| i as u32); // wrong
        }
    }
}

ptx::shared_memory! {
    struct Stages { stages: PipelineMemory<[u32; 128], 2>, consumers: ConsumersBarrier<1> }
}

#[ptx::kernel(threads = 160)]
pub fn pipeline_in_some_threads(cta: Cta, #[shared] smem: Stages, input: Global<u32>) {
    let (tiles, _) = input.tiles::<128>();
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        if cta.thread_rank() > 170 {
            ptx::trap();
        }
        if cta.warp_rank() == 3 {
            cta.warp().sync();
            cta.sync(); // wrong
        }
        pipeline.run_tiles(cta, mine, |_, _| ()).end()
    });
}

/// Each warp of the consumers waits for as many tiles as its rank.
#[ptx::kernel(threads = 160)]
pub fn consumers_that_wait_as_often_as_their_lane(cta: Cta, #[shared] smem: Stages, input: Global<u32>) {
    let (tiles, _) = input.tiles::<128>();
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        let run = pipeline.run(
            cta,
            |thread, mut producer| {
                for tile in mine {
                    producer = producer.load(thread, tile);
                }
                producer
            },
            |warps, mut consumer| {
                for _ in 0..warps.thread_rank() % 3 {
                    consumer = consumer.wait(warps).release(warps); // wrong
                }
                consumer
            },
        );
        run.end()
    });
}

#[ptx::kernel(threads = 160)]
pub fn consumers_of_which_some_release(cta: Cta, #[shared] smem: Stages, input: Global<u32>) {
    let (tiles, _) = input.tiles::<128>();
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        pipeline
            .run_tiles(cta, mine, |warps, tile| {
                if tile.get(warps.thread_rank() as usize) == Some(1) {
                    warps.warp().sync(); // wrong
                }
            })
            .end()
    });
}

ptx::shared_memory! {
    struct Held { stages: PipelineMemory<[u32; 128], 2>, out: SharedArray<u32, 128>, consumers: ConsumersBarrier<1> }
}

/// The barrier of the consumers in one of their warps.
#[ptx::kernel(threads = 160)]
pub fn barrier_of_consumers_in_one_warp(cta: Cta, #[shared] smem: Held, input: Global<u32>) {
    let (tiles, _) = input.tiles::<128>();
    cta.finish((smem.stages, smem.out), |cta, (pipeline, out)| {
        let mine = tiles.of_cta(cta);
        let run = pipeline.run_with(
            cta,
            smem.consumers,
            out,
            |thread, mut producer| {
                for tile in mine {
                    producer = producer.load(thread, tile);
                }
                producer
            },
            |warps, consumer, out| {
                let out = out.write(warps, |i| i as u32).publish();
                if warps.thread_rank() < 32 {
                    (consumer, out.sync(warps).end()) // wrong
                } else {
                    (consumer, out.end())
                }
            },
        );
        run.end()
    });
}

ptx::shared_memory! {
    struct Sent { sums: DsmemBuffer<u32, 128, ByElement>, tile: SharedArray<u32, 128> }
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_scope_in_some_threads(cta: Cta, #[shared] smem: Sent) {
    if cta.thread_rank() > 6 {
        cta.finish_cluster(smem.tile, |cluster, tile| (cluster, tile.end())); // wrong
    }
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_scope_in_one_cta(cta: Cta, #[shared] smem: Sent) {
    if cta.grid_rank() % 2 == 0 {
        cta.finish_cluster(smem.tile, |cluster, tile| (cluster, tile.end())); // wrong
    }
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_the_rank_of_the_cta(cta: Cta) {
    cta.finish_cluster((), |cluster, ()| {
        for _ in 0..cluster.cta_rank() {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_the_threads(cta: Cta) {
    cta.finish_cluster((), |cluster, ()| {
        if cluster.cta().thread_rank() > 3 {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_by_what_each_cta_loads(cta: Cta, input: Global<u32>) {
    cta.finish_cluster((), |cluster, ()| {
        for _ in 0..input.get(cluster.cta().grid_rank() as usize).unwrap_or(0) {
            cluster.sync(); // wrong
        }
        (cluster, ())
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_open_in_one_cta(cta: Cta, #[shared] smem: Sent, output: GlobalElementsMut<u32>) {
    let mut outputs = output.elements(&cta);
    cta.finish_cluster(smem.tile, |cluster, tile| {
        let tile = tile.write(cluster.cta(), |_| 0);
        if cluster.cta_rank() == 1 {
            let tile = cluster.open_atomic(tile).sync(&cluster); // wrong
            let sum = tile
                .peer(0)
                .and_then(|peer| peer.atomic(0))
                .map_or(0, |x| x.load(ptx::qualifier::sem::Relaxed));
            outputs.by_ref().for_each(|(_, x)| x.write(sum));
            (cluster, tile.end())
        } else {
            (cluster, tile.end())
        }
    });
}

#[ptx::kernel(threads = 128, cluster = 2)]
pub fn cluster_arrives_in_one_cta(cta: Cta) {
    cta.finish_cluster((), |cluster, ()| {
        if cluster.cta_rank() == 1 {
            return (cluster.arrive().wait(), ()); // wrong
        }
        (cluster, ())
    });
}
