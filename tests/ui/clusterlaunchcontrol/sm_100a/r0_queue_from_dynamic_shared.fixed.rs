//! A kernel has one queue: `DynamicShared` could return more.

use ptx::clusterlaunchcontrol::WorkQueueMemory;

ptx::shared_memory! {
    pub struct Smem { queue: WorkQueueMemory }
}

pub fn kernel(smem: Smem) -> WorkQueueMemory {
    smem.queue
}
