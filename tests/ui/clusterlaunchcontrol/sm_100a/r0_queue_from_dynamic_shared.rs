//! A kernel has one queue: `DynamicShared` could return more.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::shared::DynamicShared;

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { queue: WorkQueueMemory }
}

#[cfg(not(fixed))]
pub fn kernel(dynamic: DynamicShared) -> WorkQueueMemory {
    let (queue, _) = dynamic.take::<WorkQueueMemory>();
    queue
}

#[cfg(fixed)]
pub fn kernel(smem: Smem) -> WorkQueueMemory {
    smem.queue
}
