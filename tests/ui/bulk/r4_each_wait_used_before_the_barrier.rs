//! A wait that shares a barrier returns its handles after that barrier.

use ptx::async_group::InFlight;
use ptx::bulk::{self, BulkGroup, Committed, ReadDone, Store, Uncommitted};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::{Cta, Together};
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Loaded, Shared};

type Tile<'s> = Shared<'s, f32, 64, Fenced>;
type Idle<'s> = Shared<'s, f32, 64, Free>;
type To = GlobalTileMut<f32, 64>;
type Group<'s, State = Committed> = BulkGroup<Store<'s, f32, 64, Fenced>, State>;
type Queue<'s> = InFlight<Group<'s>, Group<'s>>;

pub fn wait<'s>(cta: &Cta, group: Group<'s>) -> (Tile<'s>, To) {
    #[cfg(not(fixed))]
    {
        group.wait(cta)
    }
    #[cfg(fixed)]
    {
        group.wait(cta).sync(cta)
    }
}

pub fn wait_read<'s>(cta: &Cta, group: Group<'s>) -> Idle<'s> {
    #[cfg(not(fixed))]
    {
        group.wait_read(cta)
    }
    #[cfg(fixed)]
    {
        group.wait_read(cta).sync(cta)
    }
}

pub fn wait_read_split<'s>(cta: &Cta, group: Group<'s>) -> (Idle<'s>, BulkGroup<To, ReadDone>) {
    #[cfg(not(fixed))]
    {
        group.wait_read_split(cta)
    }
    #[cfg(fixed)]
    {
        group.wait_read_split(cta).sync(cta)
    }
}

pub fn wait_oldest<'s>(cta: &Cta, queue: Queue<'s>) -> ((Tile<'s>, To), Group<'s>) {
    #[cfg(not(fixed))]
    {
        queue.wait_oldest(cta)
    }
    #[cfg(fixed)]
    {
        queue.wait_oldest(cta).sync(cta)
    }
}

pub fn wait_read_oldest<'s>(cta: &Cta, queue: Queue<'s>) -> (Idle<'s>, Group<'s>) {
    #[cfg(not(fixed))]
    {
        queue.wait_read_oldest(cta)
    }
    #[cfg(fixed)]
    {
        queue.wait_read_oldest(cta).sync(cta)
    }
}

pub fn load_with<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
    group: Group<'s>,
) -> (Mbarrier<Ready>, Shared<'s, f32, 64, Loaded>, GlobalTile<f32, 64>, (Tile<'s>, To)) {
    #[cfg(not(fixed))]
    {
        bulk::load_with(cta, bar, tile, src, group.wait(cta))
    }
    #[cfg(fixed)]
    {
        bulk::load_with(cta, bar, tile, src, group.wait(cta)).wait(cta)
    }
}

pub fn load_with_a_group_in_flight<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
    group: Group<'s>,
) {
    #[cfg(not(fixed))]
    let _ = bulk::load_with(cta, bar, tile, src, group);
    #[cfg(fixed)]
    let _ = bulk::load_with(cta, bar, tile, src, group.wait_read(cta)).wait(cta);
}

pub fn never_committed<'s>(cta: &Cta, [a, b]: [Group<'s, Uncommitted>; 2]) {
    #[cfg(fixed)]
    let (a, b) = (a.commit(cta), b.commit(cta));
    _ = (a.wait(cta), b.wait_read(cta)).sync(cta);
}
