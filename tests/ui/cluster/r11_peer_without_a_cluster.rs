//! Outside a cluster's scope there is no peer: it may not have started, or may have exited.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as u32).publish().sync(cta);
        let _ = tile.peer(1);
        tile.to_async().sync(cta).into_free()
    });
    #[cfg(fixed)]
    cta.cluster_scope(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
        let _ = tile.peer(1);
        let tile = tile.close().sync(&cluster).to_async().sync(cluster.cta()).into_free();
        (cluster, tile)
    });
}
