//! In the part of one thread, no call waits for the other threads of the CTA.

use ptx::cluster::Cluster;
use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn behind_a_barrier(cta: &mut Cta) {
    #[cfg(not(fixed))]
    cta.invoke_one((), |_, ()| cta.sync());
    #[cfg(fixed)]
    cta.invoke_one((), |_, ()| ());
    #[cfg(fixed)]
    cta.sync();
}

pub fn at_a_shared_barrier<'s>(cta: &mut Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Free> {
    #[cfg(not(fixed))]
    let tile = cta.invoke_one(tile, |_, tile| {
        cta.sync();
        tile
    });
    #[cfg(fixed)]
    let tile = cta.invoke_one(tile, |_, tile| tile);
    #[cfg(fixed)]
    cta.sync();
    tile.sync(cta)
}

pub fn at_the_end(cta: &mut Cta) {
    #[cfg(not(fixed))]
    cta.finish_one((), |_, ()| cta.sync());
    #[cfg(fixed)]
    cta.sync();
    #[cfg(fixed)]
    cta.finish_one((), |_, ()| ());
}

pub fn of_the_cluster(cluster: &mut Cluster<'_>) {
    #[cfg(not(fixed))]
    cluster.cta_mut().invoke_one((), |_, ()| cluster.sync());
    #[cfg(fixed)]
    cluster.cta_mut().invoke_one((), |_, ()| ());
    #[cfg(fixed)]
    cluster.sync();
}
