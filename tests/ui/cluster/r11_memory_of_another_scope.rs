//! Memory of another scope may end before the cluster's scope does, so the cluster cannot use it.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    cta.async_scope(tile, |cta, tile| {
        cta.cluster_scope((), |cluster, ()| {
            _ = cluster.open_write_only(tile);
            (cluster, ())
        });
        loop {}
    });
}
