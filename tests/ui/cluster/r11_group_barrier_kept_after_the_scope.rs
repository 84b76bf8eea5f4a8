//! A group barrier stays in its scope: outside it, the CTAs at whose mbarriers it arrives may have exited.

use ptx::cluster::GroupBarrier;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &mut Cta, memory: [Mbarrier<Uninit>; 2]) {
    let mut kept: Option<GroupBarrier<2>> = None;
    cta.cluster_scope((), |cluster, ()| {
        if let Some(pair) = cluster.whole() {
            kept = Some(pair.barrier(&cluster, memory));
        }
        (cluster, ())
    });
    let _arrived = kept.map(|barrier| barrier.arrive(cta));
}
