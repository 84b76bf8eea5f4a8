//! A column has 1 to 1024 pixels of 1 to 256 channels; a box has at least one element.

use ptx::tensor::{BoundingBox, Box2, Im2col3, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        let _box = TensorMap::<f32, Box2<0, 4>>::from_raw(object);
        let _channels = TensorMap::<f32, Im2col3<0, 64>>::from_raw_within(object, starts);
        let _channels = TensorMap::<f32, Im2col3<260, 64>>::from_raw_within(object, starts);
        let _pixels = TensorMap::<f32, Im2col3<4, 0>>::from_raw_within(object, starts);
        let _pixels = TensorMap::<f32, Im2col3<4, 1025>>::from_raw_within(object, starts);
    }
}
