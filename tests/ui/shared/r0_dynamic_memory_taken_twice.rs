//! Dynamic shared memory is taken once: `take` also returns the rest.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    let _one = dynamic.try_take::<SharedArray<f32, 1024>>();
    let _other = dynamic.try_take::<SharedArray<f32, 1024>>();
}
