//! The handle of a peer's memory stays in the scope: the peer may exit afterwards.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    let mut kept = None;
    cta.cluster_scope(tile, |cluster, tile| {
        kept.replace(cluster.open_write_only(tile));
        loop {}
    });
    drop(kept);
}
