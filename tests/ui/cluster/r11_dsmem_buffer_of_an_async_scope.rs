//! Memory of an async scope belongs to this CTA alone: no other CTA may send to it.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, buffer: DsmemBuffer<f32, 64, ByTile, Ready>, tile: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    cta.async_scope(buffer, |cta, inbox| {
        cta.cluster_scope((), |cluster, ()| {
            let Some(pair) = cluster.whole::<2>() else { return (cluster, ()) };
            _ = inbox.multicast(&cluster, pair, tile);
            (cluster, ())
        });
        loop {}
    });
    #[cfg(fixed)]
    cta.cluster_scope(buffer, |cluster, inbox| {
        let Some(pair) = cluster.whole::<2>() else { return (cluster, inbox) };
        let (inbox, _tile) =
            inbox.multicast(&cluster, pair, tile).receive(cluster.cta()).release().sync(&cluster);
        (cluster, inbox)
    });
}
