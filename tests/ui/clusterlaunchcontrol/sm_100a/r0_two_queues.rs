//! A kernel has one queue: after one refusal, no request is allowed.

use ptx::clusterlaunchcontrol::WorkQueueMemory;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub one: WorkQueueMemory, pub two: WorkQueueMemory }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub one: WorkQueueMemory }
}
