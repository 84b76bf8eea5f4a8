//! A copy reads the address of a source, so a source of a user's type needs `unsafe impl`.

use ptx::bulk::CopySource;
use ptx::shared::{Fenced, Shared};

pub struct Bytes(pub [u8; 4]);

#[cfg(not(fixed))]
impl CopySource<Bytes, 128> for Shared<'_, u32, 128, Fenced> {
    fn tile(&self) -> u32 {
        self.addr()
    }
}

// SAFETY: the source has the same bytes, at the same address, in the same state.
#[cfg(fixed)]
unsafe impl CopySource<Bytes, 128> for Shared<'_, u32, 128, Fenced> {
    fn tile(&self) -> u32 {
        self.addr()
    }
}
