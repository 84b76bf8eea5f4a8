//! Two halves of a CTA: one loads tiles from global memory, the other sums them, over two named barriers.

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::launch::{Block, Cta};
use ptx::pipeline::{BarrierPair, PipelineMemory};
use ptx::qualifier::{scope, sem};

const TILE: usize = 256;

ptx::shared_memory! {
    struct Smem { tile: PipelineMemory<[u32; TILE], 1, BarrierPair<1, 2, 64, 64>> }
}

/// Consumer `c` of 64 leaves at `output[c]` the sum over all tiles `t` of `(t + 1) * tile[(c + 64 * t) % 256]` and of
/// `tile[255 - c]`.
///
/// Grid: 1 CTA of 160 threads: 64 produce, 64 consume, 32 stand by. `n` is a multiple of 256.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the address, aligned to 16 bytes, of `n` elements of global memory, `output` that of 64, which do not overlap;
///   until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn barrier_handoff(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; the parts differ by warp, within a warp all threads make the same calls.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<160>>() };
    // SAFETY: the contract above; every thread makes the same handles.
    let (input, output) = unsafe {
        (Global::from_raw(input, n as usize), GlobalAtomics::<u32, scope::Cta>::from_raw(output, 64))
    };
    let tiles = n as usize / TILE;
    cta.async_scope_last(smem.tile, |cta, pipeline| {
        pipeline.run_last(
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
        )
    });
}
