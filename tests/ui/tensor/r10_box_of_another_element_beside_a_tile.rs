//! A box and a tile are loaded on one mbarrier: each has the element type of its own shared memory.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};
use ptx::tensor::{Box2, TensorMap};

type Tiles<'s> = (Shared<'s, f32, 2048, Free>, Shared<'s, u32, 64, Free>);

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tiles: Tiles, bar: Mbarrier<Ready>, map: TensorMap<u32, Box2<64, 32>>, src: GlobalTile<u32, 64>) {
    let (_bar, (_a, _b), _) = bulk::load(cta, bar, tiles, (map.box_at([0, 0]), src)).wait(cta);
}

#[cfg(fixed)]
pub fn kernel(cta: &Cta, tiles: Tiles, bar: Mbarrier<Ready>, map: TensorMap<f32, Box2<64, 32>>, src: GlobalTile<u32, 64>) {
    let (_bar, (_a, _b), _) = bulk::load(cta, bar, tiles, (map.box_at([0, 0]), src)).wait(cta);
}
