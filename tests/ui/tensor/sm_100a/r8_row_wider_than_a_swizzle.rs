//! The modes along W need a swizzle, and a row is as wide as it.

use ptx::tensor::{BoundingBox, Im2colW3, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes the map so.
    let map: TensorMap<f32, Im2colW3<64, 128>> = unsafe { TensorMap::from_raw_within(object, starts) };
    _ = map;
}
