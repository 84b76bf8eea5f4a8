//! The destination of a tensor copy is writable only after the wait, with a cache hint too.

use ptx::cache_policy::CachePolicy;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};
use ptx::tensor::{self, Box1, TensorTile};

pub fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Free>, bar: Mbarrier<Ready>, src: TensorTile<f32, Box1<64>>) {
    let load = tensor::load(cta, bar, tile, src.cache_hint(CachePolicy::evict_first()));
    #[cfg(not(fixed))]
    let _tile = tile.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let (_bar, _tile, _src) = load.wait(cta);
    #[cfg(fixed)]
    let (_bar, tile, _src) = load.wait(cta);
    #[cfg(fixed)]
    let _tile = tile.update(cta, |_, _| 0.0);
}
