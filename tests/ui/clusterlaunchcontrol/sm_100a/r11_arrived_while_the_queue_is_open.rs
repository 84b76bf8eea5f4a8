//! The queue of a cluster waits at the cluster's barrier, so no arrival there is pending while the queue is open.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::group::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    cta.cluster_scope((), |mut cluster, ()| {
        clusters.scope(&mut cluster, |cluster, queue| {
            #[cfg(not(fixed))]
            let _arrived = cluster.arrive();
            #[cfg(fixed)]
            cluster.sync();
            queue.close()
        });
        #[cfg(not(fixed))]
        {
            (cluster, ())
        }
        #[cfg(fixed)]
        {
            (cluster.arrive().wait(), ())
        }
    });
}
