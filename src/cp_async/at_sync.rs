//! Waits for `cp.async` groups that share their barrier with other transitions
//! ([`Cta::sync_with`](crate::launch::Cta::sync_with)).

use super::CpAsyncGroup;
use crate::async_group::{self, InFlight, Queue, Token};
use crate::bulk::{Committed, WaitableGroup};
use crate::group::AfterSync;

impl<Copies, State> CpAsyncGroup<Copies, State> {
    /// Waits for this thread's copies of this group (`cp.async.wait_group`), and leaves the barrier of
    /// [`wait`](CpAsyncGroup::wait) to [`Cta::sync_with`](crate::launch::Cta::sync_with), which returns the handles. Other
    /// transitions can share that barrier.
    ///
    /// PTX: `cp.async.wait_group 0;`
    #[inline(always)]
    pub fn wait_at_sync(self) -> AfterSync<Copies>
    where
        State: WaitableGroup,
    {
        async_group::wait_group!(cp_async_wait_group, 0);
        AfterSync::new(self.copies)
    }
}

impl<Older: Queue, Newest> InFlight<Older, CpAsyncGroup<Newest, Committed>> {
    /// Waits for this thread's copies of this queue's oldest group (`cp.async.wait_group N`), and leaves the barrier of
    /// [`wait_oldest`](InFlight::wait_oldest) to `sync_with`, like [`CpAsyncGroup::wait_at_sync`].
    ///
    /// PTX: `cp.async.wait_group N;`
    #[inline(always)]
    pub fn wait_oldest_at_sync<Copies>(self) -> AfterSync<(Copies, <Self as Queue>::Newer)>
    where
        Older: Queue<Oldest = CpAsyncGroup<Copies, Committed>>,
    {
        // 9.7.9.25.3.3: waits until "only N or fewer of the most recent cp.async-groups are pending". The N newer groups of this
        // queue were committed after the oldest group, so the oldest group is never one of the N most recent.
        async_group::wait_group!(cp_async_wait_group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies, newer))
    }

    /// Waits for this thread's copies of all groups of this queue (`cp.async.wait_group`), and leaves the barrier of
    /// [`wait`](InFlight::wait) to `sync_with`, like [`CpAsyncGroup::wait_at_sync`].
    ///
    /// PTX: `cp.async.wait_group 0;`
    #[inline(always)]
    pub fn wait_at_sync(self) -> AfterSync<(Older::Copies, Newest)> {
        async_group::wait_group!(cp_async_wait_group, 0);
        AfterSync::new(self.into_copies(Token::NEW))
    }
}
