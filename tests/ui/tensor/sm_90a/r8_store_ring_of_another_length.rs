//! The buffers are the whole array.

use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, memory: Shared<'_, f32, 512, Free>) {
    #[cfg(not(fixed))]
    let ring = memory.into_store_ring::<128, 2>();
    #[cfg(fixed)]
    let ring = memory.into_store_ring::<256, 2>();
    _ = ring.end(cta);
}
