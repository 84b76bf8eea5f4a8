//! All CTAs of a cluster wait for a request of the cluster.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Response, Request};

pub fn body<'s>(cluster: &'s Cluster<'s>, request: Request<'s, Cluster<'s>>) -> Response<'s, Cluster<'s>> {
    request.wait(cluster.cta())
}
