//! The byte counts of copies do not wrap around, and neither do their sums on one mbarrier.

use ptx::bulk::{self, BulkGroup, Load, Reduce, ReduceTile, Store, Uncommitted};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::qualifier::op;
use ptx::shared::{Fenced, Free, Shared};

#[cfg(not(fixed))]
type Tiles<'s> = (Shared<'s, u8, { 1 << 63 }, Free>, Shared<'s, u8, { 1 << 63 }, Free>);
#[cfg(fixed)]
type Tiles<'s> = (Shared<'s, u8, 16, Free>, Shared<'s, u8, 16, Free>);
#[cfg(not(fixed))]
type Sources = (GlobalTile<u8, { 1 << 63 }>, GlobalTile<u8, { 1 << 63 }>);
#[cfg(fixed)]
type Sources = (GlobalTile<u8, 16>, GlobalTile<u8, 16>);

pub fn load<'s>(cta: &Cta, bar: Mbarrier<Ready>, tiles: Tiles<'s>, from: Sources) -> Load<Tiles<'s>, Sources> {
    bulk::load(cta, bar, tiles, from)
}

#[cfg(not(fixed))]
type Stored<'s> = BulkGroup<Store<'s, u32, { (1 << 62) + 4 }, Fenced>, Uncommitted>;
#[cfg(fixed)]
type Stored<'s> = BulkGroup<Store<'s, u32, 16, Fenced>, Uncommitted>;
#[cfg(not(fixed))]
type Reduced<'s> = BulkGroup<Reduce<'s, u32, { (1 << 62) + 4 }, Fenced>, Uncommitted>;
#[cfg(fixed)]
type Reduced<'s> = BulkGroup<Reduce<'s, u32, 16, Fenced>, Uncommitted>;

#[cfg(not(fixed))]
pub fn store<'s>(
    cta: &Cta,
    tile: Shared<'s, u32, { (1 << 62) + 4 }, Fenced>,
    to: GlobalTileMut<u32, { (1 << 62) + 4 }>,
) -> Stored<'s> {
    bulk::store(cta, tile, to)
}

#[cfg(fixed)]
pub fn store<'s>(cta: &Cta, tile: Shared<'s, u32, 16, Fenced>, to: GlobalTileMut<u32, 16>) -> Stored<'s> {
    bulk::store(cta, tile, to)
}

#[cfg(not(fixed))]
pub fn reduce<'s>(
    cta: &Cta,
    tile: Shared<'s, u32, { (1 << 62) + 4 }, Fenced>,
    to: ReduceTile<u32, { (1 << 62) + 4 }>,
) -> Reduced<'s> {
    bulk::reduce(cta, op::Add, tile, to)
}

#[cfg(fixed)]
pub fn reduce<'s>(cta: &Cta, tile: Shared<'s, u32, 16, Fenced>, to: ReduceTile<u32, 16>) -> Reduced<'s> {
    bulk::reduce(cta, op::Add, tile, to)
}
