//! A group barrier stays in its scope: outside it, the CTAs at whose mbarriers it arrives may have exited.

use ptx::cluster::PeerBarrier;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: [Mbarrier<Uninit>; 2]) {
    let mut kept: Option<PeerBarrier<2>> = None;
    cta.cluster_scope((), |cluster, ()| {
        if let Some(pair) = cluster.whole() {
            kept = Some(pair.barrier(&cluster, memory).sync(&cluster));
        }
        (cluster, ())
    });
    let _arrived = kept.map(|barrier| barrier.arrive(cta));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, memory: [Mbarrier<Uninit>; 2]) -> Option<[Mbarrier<Uninit>; 2]> {
    let mut kept = None;
    cta.cluster_scope((), |cluster, ()| {
        if let Some(pair) = cluster.whole::<2>() {
            let barrier = pair.barrier(&cluster, memory).sync(&cluster);
            kept = Some(
                barrier.arrive(cluster.cta()).wait(cluster.cta()).close().sync(&cluster).inval(cluster.cta()),
            );
        }
        (cluster, ())
    });
    kept
}
