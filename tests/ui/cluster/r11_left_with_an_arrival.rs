//! A scope cannot end between an arrive and its wait.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    #[cfg(not(fixed))]
    cta.cluster_scope(tile, |cluster, tile| (cluster.arrive(), tile));
    #[cfg(fixed)]
    cta.cluster_scope(tile, |cluster, tile| (cluster.arrive().wait(), tile));
}
