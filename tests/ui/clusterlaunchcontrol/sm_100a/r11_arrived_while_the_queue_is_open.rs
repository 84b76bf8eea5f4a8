//! The queue of a cluster waits at the cluster's barrier, so no arrival there is pending while the queue is open.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    cta.cluster_scope((), |mut cluster, ()| {
        clusters.scope(&mut cluster, |cluster, queue| {
            let _arrived = cluster.arrive();
            queue.close()
        });
        (cluster, ())
    });
}
