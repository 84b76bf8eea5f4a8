//! Dynamic shared memory is handed out once.

use ptx::launch::Cta;
use ptx::shared::{DynamicShared, OwnVectors};

pub fn kernel(cta: &Cta, dynamic: DynamicShared) -> [OwnVectors<f32>; 2] {
    let (one, dynamic) = dynamic.take_own(cta, 64);
    let (other, _) = dynamic.take_own(cta, 64);
    [one, other]
}
