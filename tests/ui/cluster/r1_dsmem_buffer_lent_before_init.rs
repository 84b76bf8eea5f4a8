//! A DSMEM buffer's mbarrier is initialised before the cluster's scope, whose first barrier tells the others.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 128, ByTile>) {
    cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
}
