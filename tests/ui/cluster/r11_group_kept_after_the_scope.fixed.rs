//! The numbers of a group can be kept.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) -> Option<u32> {
    let mut kept = None;
    cta.cluster_scope(tile, |cluster, tile| {
        kept = cluster.whole::<2>().map(|pair| pair.cta_rank());
        (cluster, tile)
    });
    kept
}
