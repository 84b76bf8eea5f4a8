//! Only the call that starts a load makes a load in flight.

use ptx::bulk::{self, Load};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Arrived, Mbarrier, Ready};
use ptx::shared::{Free, Shared};

#[cfg(not(fixed))]
pub fn load<'s>(
    bar: Mbarrier<Arrived>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) -> Load<Shared<'s, f32, 64, Free>, GlobalTile<f32, 64>> {
    Load { bar, dst: tile, src }
}

#[cfg(fixed)]
pub fn load<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) -> Load<Shared<'s, f32, 64, Free>, GlobalTile<f32, 64>> {
    bulk::load(cta, bar, tile, src)
}
