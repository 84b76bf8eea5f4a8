//! A request of a cluster answers all its CTAs, and all of them expect the response: the cluster makes the request, not one CTA.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Response, WorkQueue};

pub fn body<'s, 'c>(cluster: &'s Cluster<'c>, queue: WorkQueue<'s, Cluster<'c>>) -> Response<'s, Cluster<'c>> {
    #[cfg(not(fixed))]
    {
        queue.try_cancel(cluster.cta()).wait(cluster)
    }
    #[cfg(fixed)]
    {
        queue.try_cancel(cluster).wait(cluster)
    }
}
