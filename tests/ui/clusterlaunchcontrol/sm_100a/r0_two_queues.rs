//! A refusal ends the asking of a kernel: it has one queue.

use ptx::clusterlaunchcontrol::WorkQueueMemory;

ptx::shared_memory! {
    pub struct Smem { pub one: WorkQueueMemory, pub two: WorkQueueMemory }
}
