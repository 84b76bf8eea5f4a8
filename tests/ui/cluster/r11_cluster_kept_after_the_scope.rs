//! The cluster does not leave its scope.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    let mut kept = None;
    #[cfg(not(fixed))]
    cta.cluster_scope(tile, |cluster, _| {
        kept.replace(cluster);
        loop {}
    });
    #[cfg(not(fixed))]
    drop(kept);
    #[cfg(fixed)]
    cta.cluster_scope(tile, |cluster, tile| {
        kept = Some(cluster.cta_rank());
        (cluster, tile)
    });
    #[cfg(fixed)]
    let _ = kept;
}
