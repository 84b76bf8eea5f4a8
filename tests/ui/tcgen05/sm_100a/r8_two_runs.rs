//! A kernel has one run: it gives up the right to allocate tensor memory.

use ptx::bf16;
use ptx::group::Cta;
use ptx::pipeline::Pipeline;
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::tcgen05::{TensorMemory, Tile};
use ptx::tensor::Box2;

type Rows<const R: usize> = Box2<64, R, swizzle_mode::B128>;
type Stages<'s> = Pipeline<'s, (Tile<bf16, Rows<128>>, Tile<bf16, Rows<64>>), 2>;

pub fn part<'s>(cta: &mut Cta, memory: TensorMemory<N64, 2>, first: Stages<'s>, second: Stages<'s>) {
    #[cfg(not(fixed))]
    {
        let _run = memory.run(cta, first, (), |_, p| p, |_, c, i| (c, i), |_, a, ()| (a, ()));
        let _run = memory.run(cta, second, (), |_, p| p, |_, c, i| (c, i), |_, a, ()| (a, ()));
    }
    #[cfg(fixed)]
    let _run = memory.run(cta, (first, second), (), |_, p| p, |_, c, i| (c, i), |_, a, ()| (a, ()));
}
