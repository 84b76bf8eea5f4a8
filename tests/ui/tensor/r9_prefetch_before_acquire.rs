//! A tensor map that the CTA made is acquired before a copy or a prefetch uses it.

use ptx::group::Cta;
use ptx::tensor::{self, Box2, ReleasedTensorMap};

pub fn kernel(cta: &Cta, released: ReleasedTensorMap<f32, Box2<64, 32>>) {
    #[cfg(not(fixed))]
    tensor::prefetch_tensormap(cta, &released);
    #[cfg(fixed)]
    tensor::prefetch_tensormap(cta, &released.acquire(cta));
}
