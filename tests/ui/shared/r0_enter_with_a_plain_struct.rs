//! `enter` returns memory that `shared_memory!` declares.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub struct Smem {
    pub tile: SharedArray<f32, 1024>,
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub tile: SharedArray<f32, 1024> }
}

pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |_, tile| tile);
}
