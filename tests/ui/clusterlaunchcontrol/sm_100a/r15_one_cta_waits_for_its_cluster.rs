//! All CTAs of a cluster wait for the cluster's request: one CTA alone cannot.

use ptx::cluster::Cluster;
use ptx::clusterlaunchcontrol::{Request, Response};

pub fn body<'s>(cluster: &'s Cluster<'s>, request: Request<'s, Cluster<'s>>) -> Response<'s, Cluster<'s>> {
    #[cfg(not(fixed))]
    {
        request.wait(cluster.cta())
    }
    #[cfg(fixed)]
    {
        request.wait(cluster)
    }
}
