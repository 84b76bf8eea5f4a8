//! A group is waited for once, and ends at one barrier.

use ptx::async_group::InFlight;
use ptx::bulk::{self, BulkGroup, Committed, Store};
use ptx::global::GlobalTile;
use ptx::group::{Cta, Together};
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Shared};

type Group<'s> = BulkGroup<Store<'s, f32, 64, Fenced>, Committed>;

pub fn read_and_written(cta: &Cta, group: Group) {
    #[cfg(not(fixed))]
    let _ = (group.wait_read(cta), group.wait(cta)).sync(cta);
    #[cfg(fixed)]
    let (_tile, writing) = group.wait_read_split(cta).sync(cta);
    #[cfg(fixed)]
    let _ = writing.wait(cta).sync(cta);
}

pub fn ended_and_waited_for(cta: &Cta, group: Group) {
    #[cfg(not(fixed))]
    let _ = group.wait_read(cta).end();
    #[cfg(not(fixed))]
    let _ = group.wait(cta);
    #[cfg(fixed)]
    let _ = group.wait(cta).sync(cta).0.end();
}

pub fn two_oldest<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    #[cfg(not(fixed))]
    let _ = (queue.wait_read_oldest(cta), queue.wait_oldest(cta)).sync(cta);
    #[cfg(fixed)]
    let (_oldest, newer) = queue.wait_oldest(cta).sync(cta);
    #[cfg(fixed)]
    let _ = newer.wait(cta).sync(cta);
}

pub fn a_phase_and_a_barrier<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
    group: Group<'s>,
) {
    let stored = group.wait(cta);
    let load = bulk::load_with(cta, bar, tile, src, stored);
    #[cfg(not(fixed))]
    let _ = stored.sync(cta);
    _ = load.wait(cta);
}

pub fn oldest_twice<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    let (_oldest, newer) = queue.wait_oldest(cta).sync(cta);
    #[cfg(not(fixed))]
    let _ = queue.wait_oldest(cta).sync(cta);
    _ = newer.wait(cta);
}

pub fn oldest_read_twice<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    let (_oldest, newer) = queue.wait_read_oldest(cta).sync(cta);
    #[cfg(not(fixed))]
    let _ = queue.wait_read_oldest(cta).sync(cta);
    _ = newer.wait_read(cta).sync(cta);
}
