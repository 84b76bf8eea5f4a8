//! All other CTAs may send to a DSMEM buffer at once: its mbarrier counts all their bytes.

use ptx::cluster::{ByElement, DsmemBuffer};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u64, 10000, ByElement>) {
    let _mailbox = buffer.init_with(cta, |_| 0);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u64, 1000, ByElement>) {
    let _mailbox = buffer.init_with(cta, |_| 0);
}
