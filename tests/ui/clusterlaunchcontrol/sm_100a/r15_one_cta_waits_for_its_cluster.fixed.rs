//! What a cluster has asked for, all its CTAs wait for.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Response, Request};

pub fn body<'s>(cluster: &'s Cluster<'s>, request: Request<'s, Cluster<'s>>) -> Response<'s, Cluster<'s>> {
    request.wait(cluster)
}
