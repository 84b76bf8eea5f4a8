//! A DSMEM buffer is initialized before the cluster's scope, whose first barrier publishes its mbarrier to the other CTAs.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 128, ByTile>) {
    #[cfg(fixed)]
    let buffer = buffer.init(cta);
    cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
}
