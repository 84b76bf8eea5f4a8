//! A slice of run-time length has its maximum length in its type, which is the length of the shared array.

use ptx::bulk::{self, Load};
use ptx::global::{Global, GlobalSlice};
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tile<'s> = Shared<'s, f32, 1024, Free>;

pub fn longer<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Tile<'s>,
    x: Global<f32>,
) -> Load<Tile<'s>, GlobalSlice<f32, 2048>> {
    let slice = x.slice::<2048>(0, 1024).unwrap();
    bulk::load(cta, bar, tile, slice)
}

pub fn unchecked<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Tile<'s>,
    x: Global<f32>,
) -> Load<Tile<'s>, GlobalSlice<f32, 1024>> {
    bulk::load(cta, bar, tile, x.slice::<1024>(0, 1024))
}

pub fn forged(x: *const f32) -> GlobalSlice<f32, 1024> {
    GlobalSlice { base: x, len: 1 << 20 }
}
