//! Dynamic shared memory is handed out once.

use ptx::launch::Cta;
use ptx::shared::{DynamicShared, ThreadVectors};

pub fn kernel(cta: &Cta, dynamic: DynamicShared) -> [ThreadVectors<f32>; 2] {
    #[cfg(not(fixed))]
    let (one, _) = dynamic.take_thread_vectors(cta, 64);
    #[cfg(fixed)]
    let (one, dynamic) = dynamic.take_thread_vectors(cta, 64);
    let (other, _) = dynamic.take_thread_vectors(cta, 64);
    [one, other]
}
