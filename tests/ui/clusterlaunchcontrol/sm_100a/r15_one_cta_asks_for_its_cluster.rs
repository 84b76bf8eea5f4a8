//! A cluster's request answers all its CTAs, which all expect it: the cluster asks, not one CTA.

use ptx::clusterlaunchcontrol::{Response, WorkQueue};
use ptx::cluster::Cluster;

pub fn body<'s, 'c>(cluster: &'s Cluster<'c>, queue: WorkQueue<'s, Cluster<'c>>) -> Response<'s, Cluster<'c>> {
    queue.try_cancel(cluster.cta()).wait(cluster)
}
