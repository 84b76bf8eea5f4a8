use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::{scope, sem};

/// Elements of a tile: 4 KiB. Four stages are in flight.
const TILE: usize = 1024;

ptx::shared_memory! {
    struct Smem { stages: PipelineMemory<[f32; TILE], 4> }
}

/// Adds the sum of the whole tiles of `x` to `total[0]`. One thread loads, and the three warps after the first add up.
#[ptx::kernel(threads = 128)]
pub fn sum_in_parts(cta: Cta, #[shared] smem: Smem, x: Global<f32>, total: GlobalAtomics<f32, scope::Gpu>) {
    let (tiles, _) = x.tiles::<TILE>();
    cta.finish(smem.stages, |cta, pipeline| {
        let mut sum = 0.0;
        // The first thread waits for an empty stage and loads; the warps after the first wait for a full one, and add up.
        let mine = tiles.of_cta(cta);
        let run = pipeline.run_tiles(cta, mine, |warps, tile| {
            let mut v = warps.thread_rank() as usize;
            while let Some(x) = tile.get_vector(v) {
                sum += (x[0] + x[1]) + (x[2] + x[3]);
                v += warps.thread_count() as usize;
            }
        });
        let sum = cta.warp().reduce_add(sum);
        if let (0, Some(total)) = (cta.warp().lane(), total.get(0)) {
            total.add(sum, sem::Relaxed);
        }
        run.end()
    });
}
