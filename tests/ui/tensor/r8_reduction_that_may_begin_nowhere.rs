//! A reduction starts at nonnegative coordinates, the innermost one a multiple of 16 bytes: `at` may return `None`.

use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box1, TensorMapReduce};

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 256>, sums: TensorMapReduce<u32, Box1<256>>, x: i32) {
    #[cfg(fixed)]
    let Some(part) = sums.at([x]) else { return };
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as u32).to_async().sync(cta);
        #[cfg(not(fixed))]
        let (tile, _) = tensor::reduce(cta, op::Add, tile, sums.at([x])).commit(cta).wait(cta).sync(cta);
        #[cfg(fixed)]
        let (tile, _) = tensor::reduce(cta, op::Add, tile, part).commit(cta).wait(cta).sync(cta);
        tile.into_free()
    });
}
