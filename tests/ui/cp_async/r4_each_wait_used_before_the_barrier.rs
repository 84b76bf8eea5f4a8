//! Each thread waits for its own copies; after the barrier, the copies of the other threads are complete too.

use ptx::async_group::InFlight;
use ptx::bulk::{Committed, Uncommitted};
use ptx::cp_async::{CpAsyncGroup, CpAsyncLoad};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::{Published, Shared};

type Src = GlobalTile<f32, 64>;
type Group<'s, State = Committed> = CpAsyncGroup<CpAsyncLoad<'s, f32, 64, Src>, State>;
type Queue<'s> = InFlight<Group<'s>, Group<'s>>;
type Landed<'s> = (Shared<'s, f32, 64, Published>, Src);

#[cfg(not(fixed))]
pub fn wait<'s>(group: Group<'s>) -> Landed<'s> {
    group.wait()
}

#[cfg(fixed)]
pub fn wait<'s>(cta: &Cta, group: Group<'s>) -> Landed<'s> {
    group.wait().sync(cta)
}

#[cfg(not(fixed))]
pub fn wait_oldest<'s>(queue: Queue<'s>) -> (Landed<'s>, Group<'s>) {
    queue.wait_oldest()
}

#[cfg(fixed)]
pub fn wait_oldest<'s>(cta: &Cta, queue: Queue<'s>) -> (Landed<'s>, Group<'s>) {
    queue.wait_oldest().sync(cta)
}

#[cfg(not(fixed))]
pub fn wait_for_all<'s>(queue: Queue<'s>) -> (Landed<'s>, Landed<'s>) {
    queue.wait()
}

#[cfg(fixed)]
pub fn wait_for_all<'s>(cta: &Cta, queue: Queue<'s>) -> (Landed<'s>, Landed<'s>) {
    queue.wait().sync(cta)
}

#[cfg(not(fixed))]
pub fn read(group: Group) -> Option<f32> {
    group.wait().get(0)
}

#[cfg(fixed)]
pub fn read(cta: &Cta, group: Group) -> Option<f32> {
    group.wait().sync(cta).0.get(0)
}

pub fn never_committed<'s>(cta: &Cta, group: Group<'s, Uncommitted>) -> Landed<'s> {
    #[cfg(not(fixed))]
    {
        group.wait().sync(cta)
    }
    #[cfg(fixed)]
    {
        group.commit(cta).wait().sync(cta)
    }
}

pub fn not_waited_for<'s>(cta: &Cta, group: Group<'s>) {
    #[cfg(not(fixed))]
    let _ = group.sync(cta);
    #[cfg(fixed)]
    let _ = group.wait().sync(cta);
}
