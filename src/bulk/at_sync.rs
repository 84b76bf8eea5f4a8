//! Waits for bulk async-groups that share their barrier with other transitions
//! ([`Cta::sync_with`](crate::launch::Cta::sync_with)) or with the next load ([`load_with`](super::load_with)).

use super::{BulkGroup, Committed, ReadDone, Split, WaitableGroup};
use crate::async_group::{self, InFlight, Queue, Token};
use crate::group::{AfterSync, End, ThreadGroup};

/// Makes the leader, which committed the groups, wait until all but the `newer` most recent groups are written.
#[inline(always)]
#[track_caller]
pub(super) fn await_written(group: &impl ThreadGroup, newer: u32) {
    meet!(group);
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group, newer);
    }
}

/// Makes the leader wait until the copies of all but the `newer` most recent groups have read their sources.
#[inline(always)]
#[track_caller]
fn await_read(group: &impl ThreadGroup, newer: u32) {
    meet!(group);
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group_read, newer);
    }
}

impl<Copies, State, G: ThreadGroup> BulkGroup<Copies, State, G> {
    /// Makes the leader thread wait until all copies of this group have read their sources (`cp.async.bulk.wait_group.read`), and
    /// leaves the barrier of [`wait_read`](BulkGroup::wait_read) to [`Cta::sync_with`](crate::launch::Cta::sync_with) or to
    /// [`load_with`](crate::bulk::load_with), which return the handles. Other transitions can share that barrier.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader
    #[inline(always)]
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "the returned handles, each in its state")]
    pub fn wait_read_at_sync(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>), G>
    where
        State: WaitableGroup,
        Copies: Split,
    {
        await_read(group, 0);
        let (sources, destinations) = self.copies.split(Token::NEW);
        AfterSync::new((sources, BulkGroup::new(destinations)))
    }

    /// Ends this group of copies in the last scope of the kernel
    /// ([`Cta::async_scope_last`](crate::launch::Cta::async_scope_last)): the leader thread waits until the copies have read
    /// their sources (`cp.async.bulk.wait_group.read`), and the other threads go on.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<u32, 1024>, to: GlobalTileMut<u32, 1024>) {
    /// cta.async_scope_last(tile, |cta, tile| {
    ///     let tile = tile.write(cta, |i| i as u32).to_async(cta);
    ///     bulk::store(cta, tile, to).commit(cta).end(cta)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn end(self, group: &G) -> <Copies::Sources as End>::Ended
    where
        State: WaitableGroup,
        Copies: Split<Sources: End>,
    {
        await_read(group, 0);
        // The copies may still write: they are complete when the grid is, and the kernel keeps no handle of a destination.
        self.copies.split(Token::NEW).0.end()
    }

    /// Makes the leader thread wait until all copies of this group are written (`cp.async.bulk.wait_group`), and leaves the
    /// barrier of [`wait`](BulkGroup::wait) to [`Cta::sync_with`](crate::launch::Cta::sync_with), like
    /// [`wait_read_at_sync`](BulkGroup::wait_read_at_sync).
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader
    #[inline(always)]
    #[track_caller]
    pub fn wait_at_sync(self, group: &G) -> AfterSync<Copies, G>
    where
        State: WaitableGroup,
    {
        await_written(group, 0);
        AfterSync::new(self.copies)
    }
}

// The copies have read their sources, and their writes are complete when the grid is.
crate::group::nothing_to_end! { [Copies, G] BulkGroup<Copies, ReadDone, G>; }

impl<Older: Queue, Newest, G: ThreadGroup> InFlight<Older, BulkGroup<Newest, Committed, G>> {
    /// Makes the leader thread wait until the copies of this queue's oldest group have read their sources
    /// (`cp.async.bulk.wait_group.read N`), and leaves the barrier of [`wait_read_oldest`](InFlight::wait_read_oldest) to
    /// `sync_with`, like [`BulkGroup::wait_read_at_sync`].
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read N;` by the leader
    #[inline(always)]
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "the result of `wait_read_oldest`")]
    pub fn wait_read_oldest_at_sync<Copies: Split>(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>, <Self as Queue>::Newer), G>
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // 9.7.9.25.6.2: waits until "only N or fewer of the most recent bulk async-groups are pending". The N newer groups of
        // this queue were committed after the oldest group, so the oldest group is never one of the N most recent.
        await_read(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        let (sources, destinations) = oldest.copies.split(Token::NEW);
        AfterSync::new((sources, BulkGroup::new(destinations), newer))
    }

    /// Makes the leader thread wait until the copies of this queue's oldest group are written (`cp.async.bulk.wait_group N`), and
    /// leaves the barrier of [`wait_oldest`](InFlight::wait_oldest) to `sync_with`, like [`BulkGroup::wait_read_at_sync`].
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group N;` by the leader
    #[inline(always)]
    #[track_caller]
    pub fn wait_oldest_at_sync<Copies>(self, group: &G) -> AfterSync<(Copies, <Self as Queue>::Newer), G>
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // The oldest group is not among the N most recent, as in `wait_read_oldest_at_sync`.
        await_written(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies, newer))
    }
}
