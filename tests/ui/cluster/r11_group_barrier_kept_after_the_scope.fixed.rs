//! The memory of the group barrier's mbarriers can be kept.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &mut Cta, memory: [Mbarrier<Uninit>; 2]) -> Option<[Mbarrier<Uninit>; 2]> {
    let mut kept = None;
    cta.cluster_scope((), |cluster, ()| {
        if let Some(pair) = cluster.whole::<2>() {
            let barrier = pair.barrier(&cluster, memory);
            kept = Some(barrier.arrive(cluster.cta()).wait(cluster.cta()).close(&cluster));
        }
        (cluster, ())
    });
    kept
}
