//! A DSMEM buffer holds a multiple of 16 bytes.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u32, 3, ByTile>) {
    let _mailbox = buffer.init_with(cta, |_| 0);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u32, 4, ByTile>) {
    let _mailbox = buffer.init_with(cta, |_| 0);
}
