//! A cluster's answer meets its barrier: there is no arrive under way meanwhile.

use ptx::clusterlaunchcontrol::ClusterQueue;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: ClusterQueue) {
    cta.cluster((), |mut cluster, ()| {
        clusters.scope(&mut cluster, |cluster, queue| {
            let _arrived = cluster.arrive();
            queue.close()
        });
        (cluster, ())
    });
}
