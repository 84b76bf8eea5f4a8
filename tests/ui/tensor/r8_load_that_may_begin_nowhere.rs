//! A load starts at an innermost coordinate that is a multiple of 16 bytes: for a computed coordinate, `at` may return `None`.

use ptx::group::Cta;
use ptx::tensor::{self, Box2, TensorMap};

pub fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>, x: i32) {
    #[cfg(not(fixed))]
    tensor::prefetch(cta, map.at([x, 0]));
    #[cfg(fixed)]
    tensor::prefetch(cta, map.box_at([x, 0]));
}
