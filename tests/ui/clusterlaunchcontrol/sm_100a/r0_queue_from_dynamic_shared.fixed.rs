//! A kernel has one queue: `DynamicShared` could hand out more.

use ptx::clusterlaunchcontrol::ClusterQueue;

ptx::shared_memory! {
    pub struct Smem { queue: ClusterQueue }
}

pub fn kernel(smem: Smem) -> ClusterQueue {
    smem.queue
}
