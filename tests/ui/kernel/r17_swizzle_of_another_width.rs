//! A kernel whose tensor map has a swizzle of another width than a row is refused, also where the host launches it.

use ptx::group::Cta;
use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMap};

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn kernel(cta: Cta, map: TensorMap<f32, Box2<16, 64, swizzle_mode::B128>>) {
    map.prefetch_tensormap(&cta);
}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn kernel(cta: Cta, map: TensorMap<f32, Box2<16, 64, swizzle_mode::B64>>) {
    map.prefetch_tensormap(&cta);
}
