//! A slice of run-time length has its maximum length in its type, which is the length of the shared array.

use ptx::bulk::{self, Load};
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::{Global, GlobalSlice};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tile<'s> = Shared<'s, f32, 1024, Free>;

#[cfg(not(fixed))]
pub fn longer<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Tile<'s>, x: Global<f32>) -> Load<Tile<'s>, GlobalSlice<f32, 2048>> {
    let slice = x.slice::<2048>(0, 1024).unwrap();
    bulk::load(cta, bar, tile, slice)
}

#[cfg(fixed)]
pub fn longer<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Tile<'s>, x: Global<f32>) -> Load<Tile<'s>, GlobalSlice<f32, 1024>> {
    let slice = x.slice::<1024>(0, 1024).unwrap();
    bulk::load(cta, bar, tile, slice.cache_hint(CachePolicy::evict_first()))
}

#[cfg(not(fixed))]
pub fn unchecked<'s>(cta: &Cta, bar: Mbarrier<Ready>, tile: Tile<'s>, x: Global<f32>) -> Load<Tile<'s>, GlobalSlice<f32, 1024>> {
    bulk::load(cta, bar, tile, x.slice::<1024>(0, 1024))
}

#[cfg(fixed)]
pub fn unchecked<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Tile<'s>,
    x: Global<f32>,
) -> Option<Load<Tile<'s>, GlobalSlice<f32, 1024>>> {
    Some(bulk::load(cta, bar, tile, x.slice::<1024>(0, 1024)?))
}

#[cfg(not(fixed))]
pub fn forged(x: *const f32) -> GlobalSlice<f32, 1024> {
    GlobalSlice { base: x, len: 1 << 20 }
}

#[cfg(fixed)]
pub fn forged(x: Global<f32>) -> Option<GlobalSlice<f32, 1024>> {
    x.slice(0, 1024)
}
