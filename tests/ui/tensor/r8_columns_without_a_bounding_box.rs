//! Columns start within the bounding box of their tensor map, which only the caller of `from_raw` knows.

use ptx::tensor::{BoundingBox, Im2col4, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such a tensor map.
    #[cfg(not(fixed))]
    let _map = unsafe { TensorMap::<f32, Im2col4<64, 32>>::from_raw(object) };
    #[cfg(fixed)]
    let starts = BoundingBox { first: [-1, -1], last: [30, 30] };
    // SAFETY: the host encodes such a tensor map, of 32 by 32 pixels, with the corners (-1, -1) and (-1, -1).
    #[cfg(fixed)]
    let _map = unsafe { TensorMap::<f32, Im2col4<64, 32>>::from_raw_within(object, starts) };
}
