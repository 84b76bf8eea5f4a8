//! A prefetch reads: memory that CTAs may write is not its source.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::tensor::{self, Box1, TensorTile, TensorTileMut};

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: TensorTileMut<f32, Box1<64>>) {
    tensor::prefetch(cta, tile);
    tensor::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, tile: TensorTile<f32, Box1<64>>) {
    tensor::prefetch(cta, tile);
    tensor::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));
}
