//! Sums by a pipeline: one thread of each CTA loads tiles, the warps after the first add them up.

use ptx::global::{Global, GlobalMut};
use ptx::launch::Cta;
use ptx::pipeline::PipelineMemory;

const N: usize = 512;

ptx::shared_memory! {
    struct Smem { memory: PipelineMemory<u32, N, 4> }
}

/// The CTA of rank b takes the tiles b, b + CTAs, … of 512 words; its consumer of rank j adds up their words j, j +
/// consumers, …, and output\[b * threads + 32 + j\] is the sum. Any grid of CTAs of more than a warp.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the address, aligned to 16 bytes, of `n` words of global memory, and `output` of a word for each thread of
///   the grid; they do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn pipeline_sum(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common.
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let threads = cta.count() as usize * cta.thread_count() as usize;
    // SAFETY: the contract above; every thread makes the same handles, once. (One tile is more than the output has, so
    // that all of it is the tail.)
    let (input, output) = unsafe {
        (Global::from_raw(input, n as usize), GlobalMut::<_, { 1 << 16 }>::from_raw(output, threads))
    };
    let (tiles, _) = input.tiles::<N>();
    let mut sum = 0_u32;
    let (first, step) = (cta.rank() as usize, cta.count() as usize);

    cta.lend(smem.memory, |cta, pipeline| {
        pipeline.run(
            cta,
            |mut producer| {
                let mut index = first;
                while let Some(tile) = tiles.get(index) {
                    producer = producer.load(tile);
                    index += step;
                }
                producer
            },
            |mut consumer| {
                let mut index = first;
                while index < tiles.count() {
                    let tile = consumer.wait();
                    let mut i = tile.rank() as usize;
                    while let Some(word) = tile.get(i) {
                        sum = sum.wrapping_add(word);
                        i += tile.count() as usize;
                    }
                    consumer = tile.release();
                    index += step;
                }
                consumer
            },
        )
    });
    output.tiles(&cta).1.update(&cta, |_, _| sum);
}
