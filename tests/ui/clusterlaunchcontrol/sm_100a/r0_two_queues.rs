//! A kernel has one queue: after one refusal, no request is allowed.

use ptx::clusterlaunchcontrol::WorkQueueMemory;

ptx::shared_memory! {
    pub struct Smem { pub one: WorkQueueMemory, pub two: WorkQueueMemory }
}
