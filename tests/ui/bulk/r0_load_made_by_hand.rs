//! Only the call that starts a load makes a load in flight.

use ptx::bulk::Load;
use ptx::global::GlobalTile;
use ptx::mbarrier::{Arrived, Mbarrier};
use ptx::shared::{Free, Shared};

pub fn load<'s>(
    bar: Mbarrier<Arrived>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) -> Load<Shared<'s, f32, 64, Free>, GlobalTile<f32, 64>> {
    Load { bar, dst: tile, src }
}
