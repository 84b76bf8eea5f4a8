//! A halo is a 16-bit operand below 512 pixels, or below 32.

use ptx::tensor::{BoundingBox, Im2colW4, Im2colW128x4, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<2>) {
    // SAFETY: the host encodes such tensor maps.
    #[cfg(not(fixed))]
    let w: TensorMap<u8, Im2colW4<32, 64, 512>> = unsafe { TensorMap::from_raw_within(object, starts) };
    // SAFETY: the host encodes such tensor maps.
    #[cfg(not(fixed))]
    let w_128: TensorMap<u8, Im2colW128x4<32, 32>> = unsafe { TensorMap::from_raw_within(object, starts) };
    // SAFETY: the host encodes such tensor maps.
    #[cfg(fixed)]
    let w: TensorMap<u8, Im2colW4<32, 64, 511>> = unsafe { TensorMap::from_raw_within(object, starts) };
    // SAFETY: the host encodes such tensor maps.
    #[cfg(fixed)]
    let w_128: TensorMap<u8, Im2colW128x4<32, 31>> = unsafe { TensorMap::from_raw_within(object, starts) };
    _ = (w, w_128);
}
