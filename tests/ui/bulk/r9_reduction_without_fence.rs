//! Stores of threads are fenced before a reduction reads them.

use ptx::bulk::{self, GlobalReduce};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, sums: GlobalReduce<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |_| 1.0);
        #[cfg(not(fixed))]
        let Some(dst) = sums.get(0) else { return tile.to_async().sync(cta).into_free() };
        #[cfg(fixed)]
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(fixed)]
        let Some(dst) = sums.get(0) else { return tile.into_free() };
        let tile = bulk::reduce(cta, op::Add, tile, dst).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}
