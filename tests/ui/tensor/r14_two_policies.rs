//! A copy takes one cache policy, for the global memory that it writes or reads.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};
use ptx::tensor::{self, Box2, TensorReduceTile, TensorTile, TensorTileMut};

type Tile<'s> = Shared<'s, f32, 2048, Fenced>;
type Map = Box2<64, 32>;

pub fn hinted_twice(
    cta: &Cta,
    [a, b]: [Tile; 2],
    (from, to, sums): (TensorTile<f32, Map>, TensorTileMut<f32, Map>, TensorReduceTile<f32, Map>),
) {
    let (first, last) = (CachePolicy::evict_first(), CachePolicy::evict_last());
    #[cfg(not(fixed))]
    tensor::prefetch(cta, from.cache_hint(first).cache_hint(last));
    #[cfg(not(fixed))]
    let _ = tensor::store(cta, a, to.cache_hint(first).cache_hint(last));
    #[cfg(not(fixed))]
    let _ = tensor::reduce(cta, op::Add, b, sums.cache_hint(first).cache_hint(last));
    #[cfg(fixed)]
    tensor::prefetch(cta, from.cache_hint(first));
    #[cfg(fixed)]
    let _ = tensor::store(cta, a, to.cache_hint(last));
    #[cfg(fixed)]
    let _ = tensor::reduce(cta, op::Add, b, sums.cache_hint(last));
}

#[cfg(not(fixed))]
pub fn hinted_as_another(cta: &Cta, [a, b]: [Tile; 2], sums: TensorReduceTile<f32, Map>, from: TensorTile<f32, Map>) {
    let last = CachePolicy::evict_last();
    _ = tensor::store(cta, a, sums.cache_hint(last));
    _ = tensor::reduce(cta, op::Add, b, from.cache_hint(last));
}

#[cfg(fixed)]
pub fn hinted_as_another(cta: &Cta, [a, b]: [Tile; 2], sums: TensorReduceTile<f32, Map>, to: TensorTileMut<f32, Map>) {
    let last = CachePolicy::evict_last();
    _ = tensor::store(cta, a, to.cache_hint(last));
    _ = tensor::reduce(cta, op::Add, b, sums.cache_hint(last));
}
