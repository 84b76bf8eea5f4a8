//! What is stored or sent is read by a copy: that an address is a source of one's own elements is promised by `unsafe impl`.

use ptx::bulk::CopySource;
use ptx::shared::{Fenced, Shared};

pub struct Bytes(pub [u8; 4]);

// SAFETY: as many bytes, at the same address, in the same state.
unsafe impl CopySource<Bytes, 128> for Shared<'_, u32, 128, Fenced> {
    fn tile(&self) -> u32 {
        self.addr()
    }
}
