//! Stores of threads are fenced before a copy overwrites them.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Shared, Written};
use ptx::tensor::{self, Box1, TensorTile};

pub fn kernel<'s>(
    cta: &Cta,
    [tile, other]: [Shared<'s, f32, 64, Written>; 2],
    bar: Mbarrier<Ready>,
    src: TensorTile<f32, Box1<64>>,
) {
    #[cfg(not(fixed))]
    let (bar, _tile, _) = tensor::load(cta, bar, tile, src).wait(cta);
    #[cfg(not(fixed))]
    let (_bar, _other, _) = tensor::load(cta, bar, other, src.cache_hint(CachePolicy::evict_first())).wait(cta);
    #[cfg(fixed)]
    let (bar, _tile, _) = tensor::load(cta, bar, tile.to_async().sync(cta).into_free(), src).wait(cta);
    #[cfg(fixed)]
    let (_bar, _other, _) =
        tensor::load(cta, bar, other.to_async().sync(cta).into_free(), src.cache_hint(CachePolicy::evict_first())).wait(cta);
}
