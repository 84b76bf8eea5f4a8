//! Stores of threads are fenced before a reduction reads them.

use ptx::group::Cta;
use ptx::multimem::{self, MulticastTile};
use ptx::qualifier::op;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, sums: MulticastTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |_| 1.0);
        #[cfg(fixed)]
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        let tile = multimem::bulk_reduce(cta, op::Add, tile, sums).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}
