//! The handle of a peer's memory stays in the scope: the peer may exit afterwards.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    let mut kept = None;
    cta.cluster_scope(tile, |cluster, tile| {
        #[cfg(not(fixed))]
        {
            kept.replace(cluster.open_write_only(tile).sync(&cluster));
            loop {}
        }
        #[cfg(fixed)]
        {
            let tile = cluster.open_write_only(tile).sync(&cluster).close().sync(&cluster);
            kept = tile.get(0);
            let tile = tile.to_async().sync(cluster.cta()).into_free();
            (cluster, tile)
        }
    });
    #[cfg(not(fixed))]
    drop(kept);
    #[cfg(fixed)]
    let _ = kept;
}
