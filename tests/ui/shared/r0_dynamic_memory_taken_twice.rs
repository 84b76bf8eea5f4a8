//! Dynamic shared memory is taken once: `take` also returns the rest.

use ptx::group::Cta;
use ptx::shared::{DynamicShared, SharedArray, ThreadVectors};

pub fn arrays(dynamic: DynamicShared) {
    #[cfg(not(fixed))]
    let _one = dynamic.try_take::<SharedArray<f32, 1024>>();
    #[cfg(fixed)]
    let Ok((_one, dynamic)) = dynamic.try_take::<SharedArray<f32, 1024>>() else { return };
    let _other = dynamic.try_take::<SharedArray<f32, 1024>>();
}

pub fn vectors(cta: &Cta, dynamic: DynamicShared) -> [ThreadVectors<f32>; 2] {
    #[cfg(not(fixed))]
    let (one, _) = dynamic.take_thread_vectors(cta, 64);
    #[cfg(fixed)]
    let (one, dynamic) = dynamic.take_thread_vectors(cta, 64);
    let (other, _) = dynamic.take_thread_vectors(cta, 64);
    [one, other]
}
