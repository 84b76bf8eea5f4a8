//! After `inval` there is no mbarrier.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 128, ByTile, Ready>) {
    #[cfg(not(fixed))]
    let buffer = buffer.inval(cta);
    #[cfg(fixed)]
    let buffer = buffer.inval(cta).init(cta);
    cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
}
