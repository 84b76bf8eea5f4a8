//! A request of a cluster answers all its CTAs, and all of them expect the response: the cluster makes the request, not one CTA.

use ptx::clusterlaunchcontrol::{Response, WorkQueue};
use ptx::cluster::Cluster;

pub fn body<'s, 'c>(cluster: &'s Cluster<'c>, queue: WorkQueue<'s, Cluster<'c>>) -> Response<'s, Cluster<'c>> {
    queue.try_cancel(cluster).wait(cluster)
}
