//! `init_with` initializes a DSMEM buffer and gives it contents.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(cta: &Cta, buffer: DsmemBuffer<u32, 128, ByTile>) {
    let _mailbox = buffer.init_with(cta, |_| 0);
}
