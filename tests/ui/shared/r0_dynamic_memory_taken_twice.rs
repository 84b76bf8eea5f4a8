//! Dynamic shared memory is taken once: `take` also returns the rest.

use ptx::shared::{DynamicShared, SharedArray};

pub fn kernel(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    let _one = dynamic.try_take::<SharedArray<f32, 1024>>();
    #[cfg(fixed)]
    let Ok((_one, dynamic)) = dynamic.try_take::<SharedArray<f32, 1024>>() else { return };
    let _other = dynamic.try_take::<SharedArray<f32, 1024>>();
}
