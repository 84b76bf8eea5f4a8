//! A reduction starts at nonnegative coordinates.

use ptx::launch::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMapReduce};

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 256>, sums: TensorMapReduce<u32, Box2<32, 8>>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as u32).to_async(cta);
        #[cfg(not(fixed))]
        let (tile, _) = tensor::reduce(cta, op::Add, tile, sums.at_const::<4, -1>()).commit(cta).wait(cta);
        #[cfg(fixed)]
        let (tile, _) = tensor::reduce(cta, op::Add, tile, sums.at_const::<4, 0>()).commit(cta).wait(cta);
        tile.into_free()
    });
}
