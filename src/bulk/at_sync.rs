//! Waits for groups whose barrier is shared with other transitions, or with the next load
//! ([`Cta::sync_with`](crate::launch::Cta::sync_with)).

use super::{BulkGroup, Committed, ReadDone, Split, Waitable};
use crate::async_group::{self, InFlight, Queue, Token};
use crate::group::{AfterSync, End, ThreadGroup};

/// The leader, which has committed the groups, waits for all but the `newer` ones.
#[inline(always)]
pub(super) fn await_written(group: &impl ThreadGroup, newer: u32) {
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group, newer);
    }
}

/// The same, until the sources are read.
#[inline(always)]
fn await_read(group: &impl ThreadGroup, newer: u32) {
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group_read, newer);
    }
}

impl<Copies, State, G: ThreadGroup> BulkGroup<Copies, State, G> {
    /// [`wait_read`](BulkGroup::wait_read), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader
    ///
    /// ```
    /// # use ptx::{bulk::{BulkGroup, Committed, Store}, launch::Cta, shared::{Fenced, Free, Loaded, Shared}};
    /// # fn kernel<'s>(cta: &Cta, read: Shared<'s, f32, 64, Loaded>,
    /// #     stores: BulkGroup<Store<'s, f32, 64, Fenced>, Committed>) -> (Shared<'s, f32, 64, Free>, Shared<'s, f32, 64, Free>) {
    /// // One barrier: all threads have read the one tile, and the copy has read the other.
    /// let (one, (other, _writing)) = cta.sync_with((read.release_at_sync(), stores.wait_read_at_sync(cta)));
    /// # (one, other.into_free()) }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "what comes back, each in its state")]
    pub fn wait_read_at_sync(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>), G>
    where
        State: Waitable,
        Copies: Split,
    {
        await_read(group, 0);
        let (sources, destinations) = self.copies.split(Token::NEW);
        AfterSync::new((sources, BulkGroup::new(destinations)))
    }

    /// Ends the use of the sources in the last scope of the kernel ([`Cta::async_scope_last`](crate::launch::Cta::async_scope_last)): the leader stays until they are read,
    /// the others go on.
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
    pub fn end(self, group: &G) -> <Copies::Sources as End>::Ended
    where
        State: Waitable,
        Copies: Split<Sources: End>,
    {
        await_read(group, 0);
        // The sources are read. What is still written is complete when the grid is, and the kernel has no handle of it.
        self.copies.split(Token::NEW).0.end()
    }

    /// [`wait`](BulkGroup::wait), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader
    #[inline(always)]
    pub fn wait_at_sync(self, group: &G) -> AfterSync<Copies, G>
    where
        State: Waitable,
    {
        await_written(group, 0);
        AfterSync::new(self.copies)
    }
}

// What is still written is complete when the grid is, and the sources are read.
crate::group::nothing_to_end! { [Copies, G] BulkGroup<Copies, ReadDone, G>; }

impl<Older: Queue, Newest, G: ThreadGroup> InFlight<Older, BulkGroup<Newest, Committed, G>> {
    /// [`wait_read_oldest`](InFlight::wait_read_oldest), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read N;` by the leader
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "what `wait_read_oldest` gives")]
    pub fn wait_read_oldest_at_sync<Copies: Split>(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>, <Self as Queue>::Newer), G>
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // 9.7.9.25.6.2: waits until "only N or fewer of the most recent bulk async-groups are pending". The N newer groups of
        // this queue were committed after the oldest, so it is not among the N most recent, whatever was committed
        // besides.
        await_read(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        let (sources, destinations) = oldest.copies.split(Token::NEW);
        AfterSync::new((sources, BulkGroup::new(destinations), newer))
    }

    /// [`wait_oldest`](InFlight::wait_oldest), at a barrier that other transitions share.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group N;` by the leader
    #[inline(always)]
    pub fn wait_oldest_at_sync<Copies>(self, group: &G) -> AfterSync<(Copies, <Self as Queue>::Newer), G>
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // As in `wait_read_oldest_at_sync`.
        await_written(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies, newer))
    }
}
