//! A box begins at a multiple of 128 bytes.

use ptx::group::Cta;
use ptx::shared::{Free, Shared};

pub fn kernel(cta: &Cta, memory: Shared<'_, f32, 512, Free>) {
    #[cfg(not(fixed))]
    let ring = memory.into_store_ring::<16, 32>();
    #[cfg(fixed)]
    let ring = memory.into_store_ring::<64, 8>();
    _ = ring.end(cta);
}
