//! A kernel has one queue: `DynamicShared` could return more.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) -> WorkQueueMemory {
    let (queue, _) = dynamic.take::<WorkQueueMemory>();
    queue
}
