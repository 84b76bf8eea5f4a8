//! What the copies of a load bring to an mbarrier is added up in a number that does not wrap around.

use ptx::bulk::{self, Load};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Shared};

type Tiles<'s> = (Shared<'s, u8, { 1 << 63 }, Free>, Shared<'s, u8, { 1 << 63 }, Free>);
type Sources = (GlobalTile<u8, { 1 << 63 }>, GlobalTile<u8, { 1 << 63 }>);

pub fn load<'s>(cta: &Cta, bar: Mbarrier<Ready>, tiles: Tiles<'s>, from: Sources) -> Load<Tiles<'s>, Sources> {
    bulk::load(cta, bar, tiles, from)
}
