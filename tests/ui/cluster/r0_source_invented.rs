//! What is sent is read by a copy: a source of one's own is promised by `unsafe impl`.

use ptx::cluster::Sendable;

pub struct Words(u32);

impl Sendable<u32, 128> for Words {
    fn tile(&self) -> u32 {
        self.0
    }
}
