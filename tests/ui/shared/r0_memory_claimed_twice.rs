//! Only `enter` returns the memory of the kernel, once.

use ptx::group::Cta;
use ptx::shared::{SharedArray, SharedMemory};

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 1024> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 1024>, pub other: SharedArray<f32, 1024> }
}

pub fn kernel(cta: &mut Cta, smem: Smem) {
    #[cfg(not(fixed))]
    let again = Smem::claim();
    #[cfg(not(fixed))]
    cta.async_scope((smem.tile, again.tile), |_, tiles| tiles);
    #[cfg(fixed)]
    cta.async_scope((smem.tile, smem.other), |_, tiles| tiles);
}
