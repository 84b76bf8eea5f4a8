//! A kernel has one queue: `DynamicShared` could hand out more.

use ptx::clusterlaunchcontrol::ClusterQueue;
use ptx::shared::DynamicShared;

pub fn kernel(dynamic: DynamicShared) -> ClusterQueue {
    let (queue, _) = dynamic.take::<ClusterQueue>();
    queue
}
