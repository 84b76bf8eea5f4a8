//! Warp specialization with named barriers (`bar.sync`, `bar.arrive`): two warps load tiles from global memory, two other warps
//! sum them.

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::pipeline::{BarrierPair, PipelineMemory};
use ptx::qualifier::{scope, sem};

const TILE: usize = 256;

ptx::shared_memory! {
    struct Smem { tile: PipelineMemory<[u32; TILE], 1, BarrierPair<1, 2, 64, 64>> }
}

/// `output[c]` ← the sum, over all tiles t of 256 words, of `(t + 1) * tile[(c + 64 * t) % 256] + tile[255 - c]`. Consumer c of
/// 64 computes it.
///
/// Launch: 1 CTA of 160 threads: 64 produce, 64 consume, 32 are idle. `n` is a multiple of 256.
///
/// Technique: a [`BarrierPair`] in place of mbarriers. Barrier 1 and barrier 2 signal that the tile is full and that it is empty.
#[ptx::kernel(threads = 160)]
pub fn barrier_handoff(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<u32>,
    output: GlobalAtomics<u32, scope::Gpu>,
) {
    let tiles = input.len() / TILE;
    cta.finish(smem.tile, |cta, pipeline| {
        let run = pipeline.run(
            cta,
            |warps, mut producer| {
                for tile in 0..tiles {
                    producer = producer.write(warps, |i| input.get(tile * TILE + i).unwrap_or(0));
                }
                producer
            },
            |warps, mut consumer| {
                let (c, mut sum) = (warps.thread_rank() as usize, 0_u32);
                for t in 0..tiles {
                    let tile = consumer.wait(warps);
                    let turning = tile.get((c + 64 * t) % TILE).unwrap_or(0);
                    let fixed = tile.get(TILE - 1 - c).unwrap_or(0);
                    sum = sum.wrapping_add(turning.wrapping_mul(t as u32 + 1)).wrapping_add(fixed);
                    consumer = tile.release(warps);
                }
                if let Some(of_this) = output.get(c) {
                    of_this.swap(sum, sem::Relaxed);
                }
                consumer
            },
        );
        run.end()
    });
}
