//! A cluster's request answers all its CTAs, which all expect it: the cluster asks, not one CTA.

use ptx::clusterlaunchcontrol::{Answer, Queue};
use ptx::cluster::Cluster;

pub fn body<'s, 'c>(cluster: &'s Cluster<'c>, queue: Queue<'s, Cluster<'c>>) -> Answer<'s, Cluster<'c>> {
    queue.request(cluster.cta()).wait(cluster)
}
