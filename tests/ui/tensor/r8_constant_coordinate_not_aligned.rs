//! A load starts at an innermost coordinate that is a multiple of 16 bytes, here of four elements.

use ptx::launch::Cta;
use ptx::tensor::{self, Box2, TensorMap};

pub fn kernel(cta: &Cta, map: TensorMap<f32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    tensor::prefetch(cta, map.at_const::<-1, -1>());
    #[cfg(fixed)]
    tensor::prefetch(cta, map.at_const::<-4, -1>());
}
