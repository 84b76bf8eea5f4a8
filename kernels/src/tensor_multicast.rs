//! Sums over the rows of a matrix by a pipeline with tensor multicast: each CTA of a pair loads half of every tile, swizzled, for
//! both CTAs. On sm_120f, which has no multicast of its own, the driver replaces each of these loads by a call.

use ptx::global::GlobalElementsMut;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMap};
use ptx::trap;

const SIDE: usize = 32;
/// The part of a tile that each CTA of a pair loads.
type Half = Box2<SIDE, { SIDE / 2 }, swizzle_mode::B128>;

ptx::shared_memory! {
    struct Smem { stages: PipelineMemory<[u32; SIDE * SIDE], 3> }
}

/// Hashes sums over rows: pair c of CTAs takes block c and every second block of 32 rows after it. In each block, thread 32 + j
/// of the CTA of rank r adds up the words x of row j, times 2x + 1 + r, and then hash ← 31 * hash + sum. In CTA b,
/// `output[64 * b + 32 + j]` is the hash after the last block.
///
/// Launch: 1-D grid of 4 CTAs of 64 threads, in clusters of 2.
#[ptx::kernel(threads = 64, cluster = 2)]
pub fn tensor_multicast(
    cta: Cta,
    #[shared] smem: Smem,
    input: TensorMap<u32, Half>,
    #[len(256)] output: GlobalElementsMut<u32, u32>,
    width: u32,
    height: u32,
) {
    let (columns, rows) = (width.div_ceil(SIDE as u32) as i32, height.div_ceil(SIDE as u32) as i32);
    let first = (cta.grid_rank() / 2) as i32;
    let mut hash = 0_u32;
    let outputs = output.elements(&cta);

    cta.finish_cluster(smem.stages, |mut cluster, pipeline| {
        let Some(pair) = cluster.whole::<2>() else { trap() };
        let rank = pair.cta_rank();
        let run = pipeline.multicast(pair).run(
            &mut cluster,
            |thread, mut producer| {
                let mut row = first;
                while row < rows {
                    // Each CTA of the pair loads one box of the block of rows.
                    let y = 2 * row + rank as i32;
                    let mut column = 0;
                    while column < columns {
                        producer = producer.load(thread, input.box_at([column, y]));
                        column += 1;
                    }
                    row += 2;
                }
                producer
            },
            |warps, mut consumer| {
                let mut row = first;
                while row < rows {
                    let (mut sum, mut factor, mut column) = (0_u32, 1 + rank, 0);
                    while column < columns {
                        let stage = consumer.wait(warps);
                        let tile = stage.tiles();
                        let words = tile.as_2d::<SIDE>().swizzled(Half::SWIZZLE);
                        let row = warps.thread_rank() as usize % SIDE;
                        let mut plain = 0_u32;
                        for x in 0..SIDE {
                            let word = words.get([x, row]).unwrap_or(0);
                            plain = plain.wrapping_add(word);
                            sum = sum.wrapping_add(word.wrapping_mul(2 * x as u32));
                        }
                        sum = sum.wrapping_add(plain.wrapping_mul(factor));
                        factor += 2 * SIDE as u32;
                        consumer = stage.release(warps);
                        column += 1;
                    }
                    hash = hash.wrapping_mul(31).wrapping_add(sum);
                    row += 2;
                }
                consumer
            },
        );
        (cluster, run.end())
    });
    outputs.for_each(|(_, output)| output.write(hash));
}
