//! What another scope lends may end before the cluster's does, so the cluster cannot have it.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    cta.lend(tile, |cta, tile| {
        cta.cluster((), |cluster, ()| {
            _ = cluster.open(tile);
            (cluster, ())
        });
        loop {}
    });
}
