//! Only `enter` returns the memory of the kernel, once.

use ptx::launch::Cta;
use ptx::shared::{SharedArray, SharedMemory};

ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 1024> }
}

pub fn kernel(cta: &mut Cta, smem: Smem) {
    let again = Smem::claim();
    cta.async_scope((smem.tile, again.tile), |_, tiles| tiles);
}
