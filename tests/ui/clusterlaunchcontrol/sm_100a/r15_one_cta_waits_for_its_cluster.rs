//! What a cluster has asked for, all its CTAs wait for.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Answer, Request};

pub fn body<'s>(cluster: &'s Cluster<'s>, request: Request<'s, Cluster<'s>>) -> Answer<'s, Cluster<'s>> {
    request.wait(cluster.cta())
}
