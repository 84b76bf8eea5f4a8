//! A prefetch reads: memory that CTAs may write is not its source.

use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: GlobalTileMut<f32, 1024>) {
    bulk::prefetch(cta, tile);
    bulk::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, tile: GlobalTile<f32, 1024>) {
    bulk::prefetch(cta, tile);
    bulk::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));
}
