//! Kernels of clusters and pipelines.

use ptx::global::{Global, GlobalElementsMut, GlobalMut, GlobalScatter};
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::sem;
use ptx::reduce::ReduceMemory;
use ptx::shared::SharedArray;

ptx::shared_memory! {
    struct Stages { stages: PipelineMemory<[f32; 256], 4> }
}
ptx::shared_memory! {
    struct Two { stages: PipelineMemory<([f32; 256], [f32; 256]), 2>, sums: ReduceMemory<f32> }
}
ptx::shared_memory! {
    struct Shares { words: SharedArray<u32, 128>, sums: ReduceMemory<u32> }
}

/// Greatest elements of columns, by a pipeline.
#[ptx::kernel(threads = 160)]
pub fn greatest_by_a_pipeline(
    cta: Cta,
    #[shared] smem: Stages,
    input: Global<f32>,
    output: GlobalScatter<f32>,
) {
    let (tiles, _) = input.tiles::<256>();
    let first = cta.grid_rank() * 128;
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.of_cta(cta);
        let mut greatest = [f32::NEG_INFINITY; 2];
        let run = pipeline.run_tiles(cta, mine, |warps, tile| {
            for (k, greatest) in greatest.iter_mut().enumerate() {
                let i = warps.thread_rank() as usize + 128 * k;
                *greatest = greatest.max(tile.get(i).unwrap_or(f32::NEG_INFINITY));
            }
        });
        if cta.thread_rank() >= 32 {
            output.write((first + cta.thread_rank() - 32) as usize, greatest[0].max(greatest[1]));
        }
        run.end()
    });
}

/// Dot products of tiles by a pipeline of two tiles a stage, with reductions of the consumers' warps.
#[ptx::kernel(threads = 96)]
pub fn dot_by_a_pipeline(
    cta: Cta,
    #[shared] smem: Two,
    x: Global<f32>,
    y: Global<f32>,
    output: GlobalScatter<f32>,
) {
    let ((x, _), (y, _)) = (x.tiles::<256>(), y.tiles::<256>());
    let rank = cta.grid_rank();
    cta.finish(smem.stages, |cta, pipeline| {
        let (x, y) = (x.of_cta(cta), y.of_cta(cta));
        let mut round = 0;
        let run = pipeline.run_tiles(cta, x.zip(y), |warps, stage| {
            let (x, y) = stage.tiles();
            let mut sum = 0.0;
            for k in 0..4 {
                let i = warps.thread_rank() as usize + 64 * k;
                sum += x.get(i).unwrap_or(0.0) * y.get(i).unwrap_or(0.0);
            }
            let sum = warps.warp().reduce_add(sum);
            if warps.warp().lane() == 0 {
                output.write((round * 64 + rank * 2 + warps.thread_rank() / 32) as usize, sum);
            }
            round += 1;
        });
        run.end()
    });
}

/// Producer and consumers with loops of their own.
#[ptx::kernel(threads = 160)]
pub fn sums_by_loops_of_parts(
    cta: Cta,
    #[shared] smem: Stages,
    input: Global<f32>,
    output: GlobalScatter<f32>,
    n: u32,
) {
    let (tiles, _) = input.tiles::<256>();
    let first = cta.grid_rank() * 128;
    cta.finish(smem.stages, |cta, pipeline| {
        let mine = tiles.every(cta.grid_rank(), cta.grid_size());
        let rounds = mine.count() as u32;
        let mine = tiles.every(cta.grid_rank(), cta.grid_size());
        let run = pipeline.run(
            cta,
            |thread, mut producer| {
                for tile in mine {
                    producer = producer.load(thread, tile);
                }
                producer
            },
            |warps, mut consumer| {
                let mut sum = 0.0;
                for _ in 0..rounds.min(n) {
                    let tile = consumer.wait(warps);
                    sum += tile.get(warps.thread_rank() as usize).unwrap_or(0.0);
                    consumer = tile.release(warps);
                }
                output.write((first + warps.thread_rank()) as usize, sum);
                consumer
            },
        );
        run.end()
    });
}

/// A sum of a cluster: each CTA publishes its sum, and all read those of all.
#[ptx::kernel(threads = 128, cluster = 4)]
pub fn sum_of_a_cluster(
    cta: Cta,
    #[shared] smem: Shares,
    input: Global<u32>,
    output: GlobalElementsMut<u32>,
) {
    let mut sums = smem.sums;
    let mut elements = output.elements(&cta);
    let i = cta.grid_thread_rank();
    cta.finish_cluster(smem.words, |cluster, words| {
        let cta = cluster.cta();
        let sum = sums.reduce_add(cta, input.get(i as usize).unwrap_or(0));
        let words = cluster.open_atomic(words.write(cta, |_| sum)).sync(&cluster);
        let words = words.publish().sync(&cluster);
        let all: u32 = (0..4).map(|rank| words.peer(rank).and_then(|peer| peer.get(0)).unwrap_or(0)).sum();
        if let Some((_, element)) = elements.next() {
            element.write(all);
        }
        (cluster, words.end())
    });
}

/// Rounds of a cluster, as many as a parameter says, and for two CTAs one of their own more.
#[ptx::kernel(threads = 128, cluster = 2)]
pub fn rounds_of_a_cluster(cta: Cta, #[shared] smem: Shares, output: GlobalElementsMut<u32>, rounds: u32) {
    let mut elements = output.elements(&cta);
    cta.finish_cluster(smem.words, |cluster, words| {
        let words = cluster.open_atomic(words.write(cluster.cta(), |_| 0)).sync(&cluster);
        for round in 0..rounds {
            let other = (cluster.cta_rank() + round) % 2;
            let i = cluster.cta().thread_rank() as usize;
            if let Some(word) = words.peer(other).and_then(|peer| peer.atomic(i)) {
                word.add(round, sem::Relaxed);
            }
            cluster.sync();
        }
        if cluster.cta_rank() == 1 {
            cluster.cta().sync();
        }
        let i = cluster.cta().thread_rank() as usize;
        let sum = words
            .peer(cluster.cta_rank())
            .and_then(|peer| peer.atomic(i))
            .map_or(0, |x| x.load(sem::Relaxed));
        if let Some((_, element)) = elements.next() {
            element.write(sum);
        }
        let words = words.publish().sync(&cluster);
        (cluster, words.end())
    });
}

/// The warps of a CTA work on tiles of their own, with a barrier after each round.
#[ptx::kernel(threads = 128)]
pub fn rounds_of_warps(cta: Cta, input: Global<u32>, output: GlobalMut<u32, 128>) {
    let (mut tiles, _) = output.tiles(&cta);
    while let Some((index, tile)) = tiles.next_tile() {
        let warp = cta.warp();
        let x = input.get(index * 128 + cta.thread_rank() as usize).unwrap_or(0);
        let y = match cta.warp_rank() {
            0 => warp.reduce_add(x),
            1 => warp.reduce_max(x),
            _ => warp.inclusive_sum(x),
        };
        cta.sync();
        tile.write(&cta, |_| y);
    }
}
