//! The mbarrier of a DSMEM buffer is initialized once, together with the first contents.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::group::Cta;

pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u32, 128, ByTile>) {
    #[cfg(not(fixed))]
    let buffer = buffer.init_with(cta, |_| 1);
    let _mailbox = buffer.init_with(cta, |_| 0);
}
