//! Only `enter` returns the memory of the kernel, once.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 1024>, pub other: SharedArray<f32, 1024> }
}

pub fn kernel(cta: &mut Cta, smem: Smem) {
    cta.async_scope((smem.tile, smem.other), |_, tiles| tiles);
}
