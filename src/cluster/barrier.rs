//! A barrier of some CTAs of a cluster.

use core::marker::PhantomData;

use super::{Cluster, Group};
use crate::group::{AfterSync, Cta, End};
use crate::mbarrier::{Arrivable, Arrived, Idle, Mbarrier, Phase, Ready, Uninit, Waitable, await_parity};
use crate::qualifier::{Sealed, arrivals, scope, sem, space, suspend_time_hint};
use crate::raw;
use crate::shared::Place;
use crate::trap::trap;

/// A barrier of the CTAs of a group: where that of the cluster waits for all of it, this waits for a row or a column.
/// Made of an mbarrier for even rounds and one for odd ones, in each CTA.
///
/// ```text
///   Group ── barrier ──► GroupBarrier<Ready> ── arrive ──► GroupBarrier<Arrived>
///                             │       ▲                        │
///   [Mbarrier; 2] ◄── close ──┘       └──────── wait ──────────┘
/// ```
///
/// `close` is [`close_at_sync`](GroupBarrier::close_at_sync), a barrier of the cluster, and [`inval`](GroupBarrier::inval).
///
/// ```
/// # use ptx::{cluster::{Cluster, GroupBarrier}, mbarrier::{Mbarrier, Uninit}};
/// # fn body<'c>(cluster: &Cluster<'c>, memory: [Mbarrier<Uninit>; 2], work: fn()) {
/// if let Some(row) = cluster.row::<4>() {
///     let mut barrier: GroupBarrier<4> = row.barrier(cluster, memory);
///     for _round in 0..10 {
///         let arrived = barrier.arrive(cluster.cta());
///         work(); // while others arrive
///         barrier = arrived.wait(cluster.cta());
///     }
///     let _memory = barrier.close(cluster);
/// }
/// # }
/// ```
#[must_use = "it owns its mbarriers: end with `.close(&cluster)`, or with `.end()` in the last scope"]
#[derive(Debug)]
pub struct GroupBarrier<'c, const CTAS: u32, P: Phase = Ready> {
    /// The mbarrier of this round and its parity, then that of the next.
    round: [(u32, u32); 2],
    group: Group<'c, CTAS>,
    _phase: PhantomData<P>,
}

/// Phase of a [`GroupBarrier`] that all CTAs of the cluster have waited for the last time: its mbarriers can be invalidated.
///
/// ```
/// # use ptx::{cluster::{Cluster, GroupBarrier, Unused}, mbarrier::{Mbarrier, Uninit}};
/// # fn body<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 2>) {
/// let barrier: GroupBarrier<2, Unused> = cluster.sync_with(barrier.close_at_sync());
/// let memory: [Mbarrier<Uninit>; 2] = barrier.inval(cluster.cta());
/// # }
/// ```
#[derive(Debug)]
pub enum Unused {}
impl Sealed for Unused {}
impl Phase for Unused {}

// What each phase is not for.
static_assertions::assert_not_impl_any!(Unused: Arrivable, Waitable, Idle);

static_assertions::assert_not_impl_any!(GroupBarrier<'static, 2>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(GroupBarrier<'static, 2, Arrived>: Copy, Clone, Send, Sync);

impl<'c, const CTAS: u32> Group<'c, CTAS> {
    /// A barrier of the group's CTAs. A cluster call: every group of the cluster makes one. Traps where a CTA has fewer
    /// threads than the group has CTAs.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], CTAS;` twice,
    /// `fence.mbarrier_init.release.cluster;` By every thread `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, Group}, mbarrier::{Mbarrier, Uninit}};
    /// # fn body<'c>(cluster: &Cluster<'c>, column: Group<'c, 2>, memory: [Mbarrier<Uninit>; 2]) {
    /// let barrier = column.barrier(cluster, memory);
    /// let barrier = barrier.arrive(cluster.cta()).wait(cluster.cta());
    /// # let _memory = barrier.close(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn barrier(self, cluster: &Cluster<'c>, memory: [Mbarrier<Uninit>; 2]) -> GroupBarrier<'c, CTAS> {
        cluster.sync_with(self.barrier_at_sync(cluster, memory))
    }

    /// [`barrier`](Group::barrier), at a barrier of the cluster that other transitions share ([`Cluster::sync_with`]).
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], CTAS;` twice,
    /// `fence.mbarrier_init.release.cluster;`
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, Group, GroupBarrier}, mbarrier::{Mbarrier, Uninit}};
    /// # type Memory = [Mbarrier<Uninit>; 2];
    /// # fn body<'c>(cluster: &Cluster<'c>, row: Group<'c, 4>, column: Group<'c, 2>, (a, b): (Memory, Memory)) {
    /// let barriers = (row.barrier_at_sync(cluster, a), column.barrier_at_sync(cluster, b));
    /// let (of_row, of_column): (GroupBarrier<4>, GroupBarrier<2>) = cluster.sync_with(barriers);
    /// # }
    /// ```
    #[inline(always)]
    pub fn barrier_at_sync(
        self,
        cluster: &Cluster<'c>,
        memory: [Mbarrier<Uninit>; 2],
    ) -> AfterSync<GroupBarrier<'c, CTAS>, Cluster<'c>> {
        let (cta, addrs) = (cluster.cta(), memory.map(|mbarrier| mbarrier.addr()));
        if cta.thread_count() < CTAS {
            trap();
        }
        if cta.is_leader() {
            for addr in addrs {
                // SAFETY: the handle is the only one of its memory, which by its phase holds no mbarrier; 1 to 16 arrivals.
                unsafe { raw::mbarrier_init(space::SharedCta, addr, CTAS) };
            }
            raw::fence_mbarrier_init();
        }
        AfterSync::new(GroupBarrier::new(addrs.map(|addr| (addr, 0)), self))
    }
}

impl<'c, const CTAS: u32, P: Phase> GroupBarrier<'c, CTAS, P> {
    #[inline(always)]
    fn new(round: [(u32, u32); 2], group: Group<'c, CTAS>) -> Self {
        GroupBarrier { round, group, _phase: PhantomData }
    }

    /// Arrives for the CTA, at the mbarriers of all of the group: what its threads did before is visible to every thread
    /// of the group after its wait. A call of the CTA, not of the cluster.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, then by as many threads as the group has CTAs `mapa.shared::cluster.u32 bar, bar, cta;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::{cluster::GroupBarrier, launch::Cta};
    /// # fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) {
    /// let arrived = barrier.arrive(cta);
    /// let barrier = arrived.wait(cta);
    /// # let _ = barrier;
    /// # }
    /// ```
    #[must_use = "the others wait for this CTA's next arrival, which is after its wait: call `.wait(cta)`"]
    #[inline(always)]
    pub fn arrive(self, cta: &Cta) -> GroupBarrier<'c, CTAS, Arrived>
    where
        P: Arrivable,
    {
        cta.sync();
        let rank = cta.thread_rank();
        if rank < CTAS {
            // SAFETY: valid in every CTA of the group, alive in the scope, at the same place. This CTA's one arrival of the
            // round there: see `wait`.
            unsafe {
                let bar = raw::mapa_shared_cluster(self.round[0].0, self.group.cta(rank));
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
        GroupBarrier::new(self.round, self.group)
    }

    /// Ends it when all CTAs of the cluster have come to this point, and gives the memory back.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`, by the leader
    /// `mbarrier.inval.shared::cta.b64 [bar];` twice
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, GroupBarrier}, mbarrier::{Mbarrier, Uninit}};
    /// # fn body<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 2>) {
    /// let memory: [Mbarrier<Uninit>; 2] = barrier.close(cluster);
    /// let bars = memory.map(|bar| bar.init(cluster.cta())); // of the CTA's threads
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> [Mbarrier<Uninit>; 2]
    where
        P: Idle,
    {
        cluster.sync_with(self.close_at_sync()).inval(cluster.cta())
    }

    /// The barrier of [`close`](GroupBarrier::close), which other transitions share ([`Cluster::sync_with`]): behind it all CTAs have
    /// arrived at, and waited on, every mbarrier for the last time. The memory comes back by [`inval`](GroupBarrier::inval).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, GroupBarrier};
    /// # fn body<'c>(cluster: &Cluster<'c>, row: GroupBarrier<'c, 4>, column: GroupBarrier<'c, 2>) {
    /// let (row, column) = cluster.sync_with((row.close_at_sync(), column.close_at_sync()));
    /// let _memory = (row.inval(cluster.cta()), column.inval(cluster.cta()));
    /// # }
    /// ```
    #[inline(always)]
    pub fn close_at_sync(self) -> AfterSync<GroupBarrier<'c, CTAS, Unused>, Cluster<'c>>
    where
        P: Idle,
    {
        AfterSync::new(GroupBarrier::new(self.round, self.group))
    }

    /// Ends the use of the barrier in the last scope of the kernel ([`Cta::cluster_scope_last`]), without the barrier of the cluster. Its
    /// memory does not come back.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::{Cta, trap}, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
    /// # fn kernel(cta: Cta, words: SharedArray<u32, 64>, memory: [Mbarrier<Uninit>; 2], work: fn()) {
    /// cta.cluster_scope_last(words, |cluster, words| {
    ///     let Some(row) = cluster.row::<4>() else { trap() };
    ///     let (words, row) = cluster.sync_with((cluster.open_write_only_at_sync(words), row.barrier_at_sync(&cluster, memory)));
    ///     work(); // … with the words of the row …
    ///     row.arrive(cluster.cta()).wait(cluster.cta()).end();
    ///     (cluster, words.end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self)
    where
        P: Idle,
    {
    }

    /// Waits until all CTAs of the group have arrived.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;`
    ///
    /// ```
    /// # use ptx::{cluster::GroupBarrier, launch::Cta};
    /// # fn body<'c>(cta: &Cta, barrier: GroupBarrier<'c, 2>) -> GroupBarrier<'c, 2> {
    /// barrier.arrive(cta).wait(cta)
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, _cta: &Cta) -> GroupBarrier<'c, CTAS>
    where
        P: Waitable,
    {
        let [(bar, parity), next] = self.round;
        // SAFETY: the CTA's own mbarrier, valid. Its next phase is that of the round after the next, in which this CTA
        // arrives when all its threads have waited for the next; so this phase is the current or the one before.
        unsafe { await_parity(scope::Cluster, bar, parity, suspend_time_hint::None) };
        GroupBarrier::new([next, (bar, parity ^ 1)], self.group)
    }

    /// Whether a [`wait`](GroupBarrier::wait) would return at once. Threads can get different answers.
    ///
    /// PTX: `mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 waitComplete, [bar], parity;`
    ///
    /// ```
    /// # use ptx::{cluster::GroupBarrier, launch::Cta, mbarrier::Arrived};
    /// # fn body<'c>(cta: &Cta, arrived: GroupBarrier<'c, 2, Arrived>, step: fn()) {
    /// while !arrived.is_complete() {
    ///     step(); // of this thread alone
    /// }
    /// let barrier = arrived.wait(cta);
    /// # let _ = barrier;
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_complete(&self) -> bool
    where
        P: Waitable,
    {
        let [(bar, parity), _] = self.round;
        // SAFETY: as in `wait`. Relaxed: only the wait makes anything visible.
        unsafe { raw::mbarrier_test_wait_parity(sem::Relaxed, scope::Cluster, space::SharedCta, bar, parity) }
    }
}

impl<'c, const CTAS: u32> GroupBarrier<'c, CTAS, Unused> {
    /// Ends the life of its mbarriers, and gives the memory back.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.inval.shared::cta.b64 [bar];` twice
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterSmem, GroupBarrier, WriteOnly};
    /// # fn body<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 2>, words: ClusterSmem<'c, u32, 64, WriteOnly>) {
    /// let (barrier, words) = cluster.sync_with((barrier.close_at_sync(), words.close_at_sync()));
    /// let memory = barrier.inval(cluster.cta());
    /// # let _ = (memory, words);
    /// # }
    /// ```
    #[inline(always)]
    pub fn inval(self, cta: &Cta) -> [Mbarrier<Uninit>; 2] {
        self.round.map(|(addr, _)| {
            if cta.is_leader() {
                // SAFETY: valid; by the phase nobody uses it. This same thread initialises it again, or another one behind a barrier, with
                // which a run begins that hands it over.
                unsafe { raw::mbarrier_inval(space::SharedCta, addr) };
            }
            // SAFETY: the memory that this was made of, which holds no mbarrier.
            unsafe { Mbarrier::at(addr) }
        })
    }
}

// SAFETY: no copy uses it. Other CTAs arrive at it until they end theirs.
unsafe impl<const CTAS: u32, P: Idle> End for GroupBarrier<'_, CTAS, P> {
    type Ended = ();
    #[inline(always)]
    fn end(self) {
        GroupBarrier::end(self);
    }
}
