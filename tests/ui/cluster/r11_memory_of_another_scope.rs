//! Memory of another scope may end before the cluster's scope does, so the cluster cannot use it.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |cta, tile| {
        cta.cluster_scope((), |cluster, ()| {
            _ = cluster.open_write_only(tile).sync(&cluster);
            (cluster, ())
        });
        loop {}
    });
    #[cfg(fixed)]
    cta.cluster_scope(tile, |cluster, tile| {
        let tile = cluster
            .open_write_only(tile)
            .sync(&cluster)
            .close()
            .sync(&cluster)
            .to_async()
            .sync(cluster.cta());
        (cluster, tile.into_free())
    });
}
