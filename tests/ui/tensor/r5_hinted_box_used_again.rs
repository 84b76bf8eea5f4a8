//! A box with a cache policy is still the only handle of the memory that the store writes.

use ptx::cache_policy::CachePolicy;
use ptx::launch::Cta;
use ptx::shared::{Fenced, Shared};
use ptx::tensor::{self, Box2, TensorTileMut};

pub fn store(cta: &Cta, [a, b]: [Shared<'_, f32, 2048, Fenced>; 2], to: TensorTileMut<f32, Box2<64, 32>>) {
    let hinted = to.cache_hint(CachePolicy::evict_last());
    #[cfg(not(fixed))]
    let _ = tensor::store(cta, a, hinted).commit(cta).wait_read(cta);
    #[cfg(fixed)]
    let (_a, to) = tensor::store(cta, a, hinted).commit(cta).wait(cta);
    _ = tensor::store(cta, b, to).commit(cta).wait(cta);
}
