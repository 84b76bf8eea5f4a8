//! A barrier of some CTAs of a cluster.

use core::marker::PhantomData;

use super::{Cluster, Group};
use crate::group::Cta;
use crate::mbarrier::{Arrivable, Arrived, Idle, Mbarrier, Phase, Ready, Uninit, Waitable};
use crate::qualifier::{arrivals, scope, sem, space, suspend_time_hint};
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
#[must_use = "it owns its mbarriers: end with `.close(&cluster)`"]
#[derive(Debug)]
pub struct GroupBarrier<'c, const CTAS: u32, P: Phase = Ready> {
    /// The mbarrier of this round and its parity, then that of the next.
    round: [(u32, u32); 2],
    group: Group<'c, CTAS>,
    _phase: PhantomData<P>,
}

static_assertions::assert_not_impl_any!(GroupBarrier<'static, 2>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(GroupBarrier<'static, 2, Arrived>: Copy, Clone, Send, Sync);

impl<'c, const CTAS: u32> Group<'c, CTAS> {
    /// A barrier of the group's CTAs. A cluster call: every group of the cluster makes one. Traps where a CTA has fewer
    /// threads than the group has CTAs.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the elected thread: `mbarrier.init.shared::cta.b64 [bar], CTAS;` twice,
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
        let (cta, addrs) = (cluster.cta(), memory.map(|mbarrier| mbarrier.addr()));
        if cta.thread_count() < CTAS {
            trap();
        }
        if cta.is_elected() {
            for addr in addrs {
                // SAFETY: the handle is the only one of its memory, which by its phase holds no mbarrier; 1 to 16 arrivals.
                unsafe { raw::mbarrier_init(space::SharedCta, addr, CTAS) };
            }
            raw::fence_mbarrier_init();
        }
        cluster.sync();
        GroupBarrier::new(addrs.map(|addr| (addr, 0)), self)
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
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`, by the elected thread
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
        // All have arrived at, and waited on, every mbarrier for the last time.
        cluster.sync();
        self.round.map(|(addr, _)| {
            if cluster.cta().is_elected() {
                // SAFETY: valid, and nobody uses it. This same thread initialises it again, if any.
                unsafe { raw::mbarrier_inval(space::SharedCta, addr) };
            }
            // SAFETY: the memory that this was made of, which holds no mbarrier.
            unsafe { Mbarrier::at(addr) }
        })
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
        while !unsafe {
            raw::mbarrier_try_wait_parity(
                sem::Acquire,
                scope::Cluster,
                space::SharedCta,
                bar,
                parity,
                suspend_time_hint::None,
            )
        } {}
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
