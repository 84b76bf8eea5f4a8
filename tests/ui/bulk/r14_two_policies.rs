//! A copy takes one cache policy, for its global memory.

use ptx::bulk::{self, ReduceTile};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

type Tile<'s> = Shared<'s, f32, 64, Fenced>;

pub fn hinted_twice(
    cta: &Cta,
    [a, b]: [Tile; 2],
    (from, to, sums): (GlobalTile<f32, 64>, GlobalTileMut<f32, 64>, ReduceTile<f32, 64>),
) {
    let (first, last) = (CachePolicy::evict_first(), CachePolicy::evict_last());
    #[cfg(not(fixed))]
    bulk::prefetch(cta, from.cache_hint(first).cache_hint(last));
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, a, to.cache_hint(first).cache_hint(last));
    #[cfg(not(fixed))]
    let _ = bulk::reduce(cta, op::Add, b, sums.cache_hint(first).cache_hint(last));
    #[cfg(fixed)]
    bulk::prefetch(cta, from.cache_hint(first));
    #[cfg(fixed)]
    let _ = bulk::store(cta, a, to.cache_hint(last));
    #[cfg(fixed)]
    let _ = bulk::reduce(cta, op::Add, b, sums.cache_hint(last));
}

pub fn hinted_shared_memory(cta: &Cta, tile: Tile, sums: ReduceTile<f32, 64>) {
    #[cfg(not(fixed))]
    let _ = bulk::reduce(cta, op::Add, tile.cache_hint(CachePolicy::evict_last()), sums);
    #[cfg(fixed)]
    let _ = bulk::reduce(cta, op::Add, tile, sums.cache_hint(CachePolicy::evict_last()));
}
