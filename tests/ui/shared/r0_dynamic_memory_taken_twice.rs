//! Memory of the launch is taken once: what is left comes back with what was taken.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    let _one = dynamic.try_take::<SharedArray<f32, 1024>>();
    let _other = dynamic.try_take::<SharedArray<f32, 1024>>();
}
