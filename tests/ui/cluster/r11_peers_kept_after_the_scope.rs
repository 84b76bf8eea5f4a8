//! A group stays in its scope: outside it, its CTAs may have exited.

use ptx::cluster::Peers;
use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    let mut kept: Option<Peers<2>> = None;
    cta.cluster_scope(tile, |cluster, tile| {
        kept = cluster.whole();
        (cluster, tile)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) -> Option<u32> {
    let mut kept = None;
    cta.cluster_scope(tile, |cluster, tile| {
        kept = cluster.whole::<2>().map(|pair| pair.cta_rank());
        (cluster, tile)
    });
    kept
}
