//! A response is written to memory of the scope, which ends when it is there.

use ptx::clusterlaunchcontrol::{Answer, ClusterQueue};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: ClusterQueue) {
    clusters.scope(cta, |cta, queue| match queue.request(cta).wait(cta) {
        Answer::Cancelled { queue, .. } => queue.close(),
        Answer::NoMore(closed) => closed,
    });
}
