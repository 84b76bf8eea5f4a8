//! A load begins at an innermost coordinate that is a multiple of 16 bytes: of one that is computed, `at` may say no.

use ptx::launch::Cta;
use ptx::tensor::{self, Box2, TensorMap};

pub fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>, x: i32) {
    tensor::prefetch(cta, map.box_at([x, 0])); // from column 64 * x on
}
