//! A row that is gathered or scattered has 256 elements at most, a column 1024 pixels.

use ptx::tensor::{BoundingBox, Gather4, Im2colW3, Scatter4, TensorMap, TensorMapMut, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        #[cfg(not(fixed))]
        let _rows = TensorMap::<f32, Gather4<512>>::from_raw(object);
        #[cfg(not(fixed))]
        let _rows = TensorMapMut::<f32, Scatter4<512>>::from_raw(object, ());
        #[cfg(not(fixed))]
        let _pixels = TensorMap::<u8, Im2colW3<32, 1025>>::from_raw_within(object, starts);
        #[cfg(fixed)]
        let _rows = TensorMap::<f32, Gather4<256>>::from_raw(object);
        #[cfg(fixed)]
        let _rows = TensorMapMut::<f32, Scatter4<256>>::from_raw(object, ());
        #[cfg(fixed)]
        let _pixels = TensorMap::<u8, Im2colW3<32, 1024>>::from_raw_within(object, starts);
    }
}
