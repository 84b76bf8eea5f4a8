//! A scope cannot end with memory that peers may still read.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    cta.cluster_scope(tile, |cluster, tile| {
        let tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32)).sync(&cluster);
        #[cfg(fixed)]
        let tile = tile.close().sync(&cluster).to_async().sync(cluster.cta()).into_free();
        (cluster, tile)
    });
}
