//! A cluster's answer meets its barrier: there is no arrive under way meanwhile.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    cta.cluster_scope((), |mut cluster, ()| {
        clusters.scope(&mut cluster, |cluster, queue| {
            cluster.sync();
            queue.close()
        });
        (cluster.arrive().wait(), ())
    });
}
