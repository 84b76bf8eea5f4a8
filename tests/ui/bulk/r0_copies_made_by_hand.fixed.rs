//! A copy in flight, its group, and their order come from the calls that start, commit, and queue them.

use ptx::async_group::InFlight;
use ptx::bulk::{self, BulkGroup, Committed, Load, Open, Store};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Shared};

type Copy<'s> = Store<'s, f32, 64, Fenced>;

pub fn group<'s>(cta: &Cta, group: BulkGroup<Copy<'s>, Open>) -> BulkGroup<Copy<'s>, Committed> {
    group.commit(cta)
}

pub fn queue<'s>(
    cta: &Cta,
    older: BulkGroup<Copy<'s>, Committed>,
    newest: BulkGroup<Copy<'s>, Open>,
) -> InFlight<BulkGroup<Copy<'s>, Committed>, BulkGroup<Copy<'s>, Committed>> {
    older.then(cta, newest)
}

pub fn load<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
) -> Load<'s, f32, 64, GlobalTile<f32, 64>> {
    bulk::load(cta, bar, tile, src)
}
