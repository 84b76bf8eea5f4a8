//! Values go to memory into which threads store vectors.

use ptx::bf16;
use ptx::group::Warpgroup;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::shared::{Fenced, Free, Shared};
use ptx::tensor::Box2;
use ptx::wgmma::Accumulator;

type Part = Box2<64, 64, swizzle_mode::B128>;
type Buffer<'s, 'p, State> = Shared<'s, bf16, 4096, State, Warpgroup<'p, 1>>;

pub fn part<'s, 'p>(
    warpgroup: &Warpgroup<'p, 1>,
    sums: Accumulator<N64>,
    buffer: Buffer<'s, 'p, Free>,
) -> Buffer<'s, 'p, Fenced> {
    #[cfg(fixed)]
    let buffer = buffer.vector_stores();
    sums.pack::<bf16>().store::<Part, _, _>(warpgroup, [0, 0], &buffer);
    buffer.to_async().sync(warpgroup)
}
