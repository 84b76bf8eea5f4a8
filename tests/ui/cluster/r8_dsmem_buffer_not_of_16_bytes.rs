//! A DSMEM buffer holds a multiple of 16 bytes.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u32, 3, ByTile>) {
    let _mailbox = buffer.init(cta);
}
