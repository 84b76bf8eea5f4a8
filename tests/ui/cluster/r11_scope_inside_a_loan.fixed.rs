//! A cluster's scope is opened by who has the CTA alone: inside another scope it is shared.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>, other: SharedArray<u32, 128>) {
    cta.cluster(other, |mut cluster, other| {
        cluster.cta_mut().lend(tile, |_, tile| tile);
        (cluster, other)
    });
}
