//! A group is waited for once, and ends at one barrier.

use ptx::async_group::InFlight;
use ptx::bulk::{self, BulkGroup, Committed, Store};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Fenced, Free, Shared};

type Group<'s> = BulkGroup<Store<'s, f32, 64, Fenced>, Committed>;

pub fn read_and_written(cta: &Cta, group: Group) {
    #[cfg(not(fixed))]
    let _ = cta.sync_with((group.wait_read_at_sync(cta), group.wait_at_sync(cta)));
    #[cfg(fixed)]
    let (_tile, writing) = cta.sync_with(group.wait_read_at_sync(cta));
    #[cfg(fixed)]
    let _ = cta.sync_with(writing.wait_at_sync(cta));
}

pub fn ended_and_waited_for(cta: &Cta, group: Group) {
    #[cfg(not(fixed))]
    let _ = group.end(cta);
    #[cfg(not(fixed))]
    let _ = group.wait(cta);
    #[cfg(fixed)]
    let _ = group.wait(cta).0.end();
}

pub fn two_oldest<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    #[cfg(not(fixed))]
    let _ = cta.sync_with((queue.wait_read_oldest_at_sync(cta), queue.wait_oldest_at_sync(cta)));
    #[cfg(fixed)]
    let (_oldest, newer) = cta.sync_with(queue.wait_oldest_at_sync(cta));
    #[cfg(fixed)]
    let _ = cta.sync_with(newer.wait_at_sync(cta));
}

pub fn a_phase_and_a_barrier<'s>(
    cta: &Cta,
    bar: Mbarrier<Ready>,
    tile: Shared<'s, f32, 64, Free>,
    src: GlobalTile<f32, 64>,
    group: Group<'s>,
) {
    let stored = group.wait_at_sync(cta);
    let load = bulk::load_with(cta, bar, tile, src, stored);
    #[cfg(not(fixed))]
    let _ = cta.sync_with(stored);
    _ = load.wait(cta);
}

pub fn oldest_twice<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    let (_oldest, newer) = queue.wait_oldest(cta);
    #[cfg(not(fixed))]
    let _ = queue.wait_oldest(cta);
    _ = newer.wait(cta);
}

pub fn oldest_read_twice<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>) {
    let (_oldest, _writing, newer) = queue.wait_read_oldest(cta);
    #[cfg(not(fixed))]
    let _ = queue.wait_read_oldest(cta);
    _ = newer.wait_read(cta);
}
