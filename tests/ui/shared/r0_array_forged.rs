//! The handle of an array comes from the memory that the kernel declares.

use core::marker::PhantomData;

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(fixed)]
ptx::shared_memory! {
    struct Smem { tile: SharedArray<f32, 1024> }
}

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta) {
    let tile: SharedArray<f32, 1024> = SharedArray { addr: 0, _elements: PhantomData };
    cta.async_scope(tile, |_, tile| tile);
}

#[cfg(fixed)]
pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    cta.async_scope(smem.tile, |_, tile| tile);
}
