//! A tensor map of the CTA is acquired before a copy, or a prefetch, uses it.

use ptx::launch::Cta;
use ptx::tensor::{Box2, Released};

pub fn kernel(cta: &Cta, released: Released<f32, Box2<64, 32>>) {
    released.prefetch_tensormap(cta);
}
