//! A cache policy is no proxy fence: stores of threads are fenced before a copy reads them.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box1, TensorReduceTile, TensorTileMut};

pub fn kernel(
    cta: &mut Cta,
    one: SharedArray<f32, 64>,
    other: SharedArray<f32, 64>,
    dst: TensorTileMut<f32, Box1<64>>,
    sums: TensorReduceTile<f32, Box1<64>>,
) {
    cta.async_scope((one, other), |cta, (one, other)| {
        let policy = CachePolicy::evict_last();
        #[cfg(not(fixed))]
        let one = one.write(cta, |_| 1.0);
        #[cfg(not(fixed))]
        let other = other.write(cta, |_| 1.0);
        #[cfg(fixed)]
        let one = one.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(fixed)]
        let other = other.write(cta, |_| 1.0).to_async().sync(cta);
        let (one, _) = tensor::store(cta, one, dst.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
        let (other, _) =
            tensor::reduce(cta, op::Add, other, sums.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
        #[cfg(not(fixed))]
        {
            (one.to_async().sync(cta).into_free(), other.to_async().sync(cta).into_free())
        }
        #[cfg(fixed)]
        {
            (one.into_free(), other.into_free())
        }
    });
}
