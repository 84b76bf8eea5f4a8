//! An ordinary bulk reduction takes no multimem address.

use ptx::bulk;
use ptx::group::Cta;
use ptx::multimem::{self, MulticastTile};
use ptx::qualifier::op;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, sums: MulticastTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        let tile = bulk::reduce(cta, op::Add, tile, sums).commit(cta).wait_read(cta).sync(cta);
        #[cfg(fixed)]
        let tile = multimem::bulk_reduce(cta, op::Add, tile, sums).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}
