//! A refusal ends the asking of a kernel: it has one queue.

use ptx::clusterlaunchcontrol::ClusterQueue;

ptx::shared_memory! {
    pub struct Smem { pub one: ClusterQueue, pub two: ClusterQueue }
}
