//! The modes along W need a swizzle as wide as a row.

use ptx::tensor::{BoundingBox, Im2colW3, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes such a tensor map.
    #[cfg(not(fixed))]
    let map: TensorMap<f32, Im2colW3<64, 128>> = unsafe { TensorMap::from_raw_within(object, starts) };
    // SAFETY: the host encodes such a tensor map.
    #[cfg(fixed)]
    let map: TensorMap<f32, Im2colW3<32, 128>> = unsafe { TensorMap::from_raw_within(object, starts) };
    _ = map;
}
