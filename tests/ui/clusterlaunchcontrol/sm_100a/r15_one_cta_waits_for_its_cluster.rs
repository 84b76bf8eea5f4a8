//! All CTAs of a cluster wait for the cluster's request: one CTA alone cannot.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Response, Request};

pub fn body<'s>(cluster: &'s Cluster<'s>, request: Request<'s, Cluster<'s>>) -> Response<'s, Cluster<'s>> {
    request.wait(cluster.cta())
}
