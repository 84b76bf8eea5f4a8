//! A copy in flight, its group, and their order come from the calls that start, commit, and queue them.

use ptx::async_group::InFlight;
use ptx::bulk::{BulkGroup, Committed, Load, Open, Store};
use ptx::global::GlobalTile;
use ptx::mbarrier::{Arrived, Mbarrier};
use ptx::shared::{Fenced, Free, Shared};

type Copy<'s> = Store<'s, f32, 64, Fenced>;

pub fn group<'s>(group: BulkGroup<Copy<'s>, Open>) -> BulkGroup<Copy<'s>, Committed> {
    BulkGroup::new(group.into_copies())
}

pub fn queue<'s>(
    older: BulkGroup<Copy<'s>, Committed>,
    newest: BulkGroup<Copy<'s>, Committed>,
) -> InFlight<BulkGroup<Copy<'s>, Committed>, BulkGroup<Copy<'s>, Committed>> {
    InFlight::new(older, newest)
}

pub fn load<'s>(
    bar: Mbarrier<Arrived>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) -> Load<'s, f32, 64, GlobalTile<f32, 64>> {
    Load::new(bar, tile, src)
}
