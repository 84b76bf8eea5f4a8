//! The modes along W need a swizzle as wide as a row.

use ptx::tensor::{BoundingBox, Im2colW3, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes such a tensor map.
    let map: TensorMap<f32, Im2colW3<64, 128>> = unsafe { TensorMap::from_raw_within(object, starts) };
    _ = map;
}
