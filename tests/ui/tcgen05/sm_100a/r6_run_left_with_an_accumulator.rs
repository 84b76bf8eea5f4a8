//! The warpgroup leaves the run without an accumulator.

use ptx::bf16;
use ptx::group::Cta;
use ptx::pipeline::Pipeline;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{TensorMemory, Tile};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stage = (Tile<bf16, Rows<128>>, Tile<bf16, Rows<64>>);

pub fn part(cta: &mut Cta, memory: TensorMemory<N64, 2>, pipeline: Pipeline<'_, Stage, 4>) {
    _ = memory.run(
        cta,
        pipeline,
        (),
        |_, producer| producer,
        |_, consumer, issuer| (consumer, issuer),
        |warpgroup, accumulators, ()| {
            let sums = accumulators.wait(warpgroup);
            #[cfg(not(fixed))]
            {
                (sums, ())
            }
            #[cfg(fixed)]
            {
                (sums.release(warpgroup), ())
            }
        },
    );
}
