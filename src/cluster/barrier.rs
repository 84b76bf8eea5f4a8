//! Barriers of peers (`cutlass::arch::ClusterBarrier`): a row, a column or the whole of a cluster.

use core::marker::PhantomData;

use super::{Cluster, Peers};
use crate::group::{AfterSync, Cta, End};
use crate::mark::hold;
use crate::mbarrier::{
    Arrivable, Arrived, Idle, Mbarrier, Phase, Ready, Retired, Uninit, Waitable, await_parity,
};
use crate::qualifier::{arrivals, scope, sem, space, suspend_time_hint};
use crate::raw;
use crate::shared::Place;
use crate::trap::trap_because;

/// A barrier of [`Peers`], such as a row of the cluster (`barrier.cluster` always waits for the whole cluster). It
/// consists of two mbarriers in each CTA, one for even and one for odd rounds.
///
/// ```text
///   Peers ── barrier ──► PeerBarrier<Ready> ── arrive ──► PeerBarrier<Arrived>
///                             │       ▲                        │
///   [Mbarrier; 2] ◄── close, inval ──┘└──────── wait ──────────┘
/// ```
///
/// ```
/// # use ptx::{cluster::{Cluster, PeerBarrier}, mbarrier::{Mbarrier, Uninit}};
/// # fn body<'c>(cluster: &Cluster<'c>, memory: [Mbarrier<Uninit>; 2], work: fn()) {
/// if let Some(row) = cluster.row::<4>() {
///     let mut barrier: PeerBarrier<4> = row.barrier(cluster, memory).sync(cluster);
///     for _round in 0..10 {
///         let arrived = barrier.arrive(cluster.cta());
///         work(); // while the other CTAs arrive
///         barrier = arrived.wait(cluster.cta());
///     }
///     let _memory = barrier.close().sync(cluster).inval(cluster.cta());
/// }
/// # }
/// ```
#[must_use = "a `PeerBarrier` owns two mbarriers: end it by `.close()`, or by `.end()` in the last scope"]
#[derive(Debug)]
#[doc(alias = "cutlass::arch::ClusterBarrier")]
pub struct PeerBarrier<'c, const CTAS: u32, P: Phase = Ready> {
    /// The address and the parity of this round's mbarrier, then those of the next round's.
    round: [(u32, u32); 2],
    peers: Peers<'c, CTAS>,
    _phase: PhantomData<P>,
}

impl<'c, const CTAS: u32> Peers<'c, CTAS> {
    /// Makes a [`PeerBarrier`] of these CTAs from two mbarriers (`mbarrier.init`), which is there after a barrier of the
    /// cluster. All CTAs of the cluster make their `PeerBarrier` in this call. Traps if a CTA has fewer threads than
    /// has CTAs.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], CTAS;` twice, `fence.mbarrier_init.release.cluster;`
    #[inline(always)]
    #[track_caller]
    pub fn barrier(
        self,
        cluster: &Cluster<'c>,
        memory: [Mbarrier<Uninit>; 2],
    ) -> AfterSync<PeerBarrier<'c, CTAS>, Cluster<'c>> {
        let (cta, addrs) = (cluster.cta(), memory.map(|mbarrier| mbarrier.addr()));
        meet!(cluster; addrs[0], addrs[1], self.stride());
        if cta.thread_count() < CTAS {
            trap_because!("the block has fewer threads than peers")
        }
        if cta.is_leader() {
            for addr in addrs {
                // SAFETY: `Mbarrier<Uninit>` owns its memory, which holds no valid mbarrier; `members` asserts a count of 1 to
                // 16.
                unsafe { raw::mbarrier_init(space::SharedCta, addr, CTAS) };
            }
            raw::fence_mbarrier_init();
        }
        AfterSync::new(PeerBarrier::new(addrs.map(|addr| (addr, 0)), self))
    }
}

impl<'c, const CTAS: u32, P: Phase> PeerBarrier<'c, CTAS, P> {
    #[inline(always)]
    fn new(round: [(u32, u32); 2], peers: Peers<'c, CTAS>) -> Self {
        PeerBarrier { round, peers, _phase: PhantomData }
    }

    /// Arrives for the CTA at this round's mbarrier of every peer (`mbarrier.arrive.release.cluster`), and does not
    /// wait for the other CTAs. All writes that the CTA's threads made before are visible to every thread of the peers
    /// after its [`wait`](PeerBarrier::wait). This is not a cluster call: the CTAs make it at different times.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `barrier.cta.sync.aligned 0;`, then by as many threads as there are peers
    /// `mapa.shared::cluster.u32 bar, bar, cta;` `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    #[must_use = "the other CTAs wait for this CTA's next arrival, which comes after its wait: call `.wait(cta)`"]
    #[inline(always)]
    #[track_caller]
    pub fn arrive(self, cta: &Cta) -> PeerBarrier<'c, CTAS, Arrived>
    where
        P: Arrivable,
    {
        hold::<Cta>(self.round[0].0);
        cta.sync();
        let rank = cta.thread_rank();
        if rank < CTAS {
            // SAFETY: the mbarrier lies at the same offset in every peer, where it is valid; these CTAs are alive in
            // the scope. It is this CTA's one arrival of the round: the next one comes after `wait`.
            unsafe {
                let bar = raw::mapa_shared_cluster(self.round[0].0, self.peers.cta(rank));
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar, arrivals::One);
            }
        }
        PeerBarrier::new(self.round, self.peers)
    }

    /// Ends this barrier: after a barrier of the cluster no CTA arrives or waits any more, and [`inval`](PeerBarrier::inval)
    /// returns the memory.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, PeerBarrier}, group::Together};
    /// # fn body<'c>(cluster: &Cluster<'c>, row: PeerBarrier<'c, 4>, column: PeerBarrier<'c, 2>) {
    /// let (row, column) = (row.close(), column.close()).sync(cluster);
    /// let _memory = (row.inval(cluster.cta()), column.inval(cluster.cta()));
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self) -> AfterSync<PeerBarrier<'c, CTAS, Retired>, Cluster<'c>>
    where
        P: Idle,
    {
        hold::<Cluster<'_>>(self.round[0].0);
        AfterSync::new(PeerBarrier::new(self.round, self.peers))
    }

    /// Gives this barrier up in the kernel's last scope ([`Cta::finish_cluster`]), without a barrier of the cluster and
    /// without `mbarrier.inval`. Its memory does not come back.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self)
    where
        P: Idle,
    {
    }

    /// Waits until all peers have arrived in this round (`mbarrier.try_wait.parity.acquire.cluster`).
    ///
    /// Collective in the CTA.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self, cta: &Cta) -> PeerBarrier<'c, CTAS>
    where
        P: Waitable,
    {
        meet!(cta; self.round[0].0);
        let [(bar, parity), next] = self.round;
        // SAFETY: the CTA's own valid mbarrier. `parity` names its current phase or the one before: the phase after needs this
        // CTA's arrival, two rounds on, and by then all its threads have waited for this round.
        unsafe { await_parity(sem::Acquire, scope::Cluster, bar, parity, suspend_time_hint::None) };
        PeerBarrier::new([next, (bar, parity ^ 1)], self.peers)
    }
}

impl<'c, const CTAS: u32> PeerBarrier<'c, CTAS, Retired> {
    /// Invalidates the barrier's two mbarriers (`mbarrier.inval`) and returns their memory, for new mbarriers.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.inval.shared::cta.b64 [bar];` twice
    #[inline(always)]
    #[track_caller]
    pub fn inval(self, cta: &Cta) -> [Mbarrier<Uninit>; 2] {
        meet!(cta; self.round[0].0);
        self.round.map(|(addr, _)| {
            if cta.is_leader() {
                // SAFETY: the mbarrier is valid. `Retired` says that no thread uses it (9.7.13.15.10). The next `mbarrier.init`
                // comes from this same thread, or from another one after the barrier with which a run of a pipeline begins.
                unsafe { raw::mbarrier_inval(space::SharedCta, addr) };
            }
            // SAFETY: `addr` is the memory of a former `Mbarrier<Uninit>`, and holds no valid mbarrier after `inval`.
            unsafe { Mbarrier::at(addr) }
        })
    }
}

// SAFETY: no copy uses the mbarriers. Other CTAs arrive at them only before they end their own handles.
unsafe impl<const CTAS: u32, P: Idle> End for PeerBarrier<'_, CTAS, P> {
    type Ended = ();
    #[inline(always)]
    fn end(self) {
        PeerBarrier::end(self);
    }
}

handles! { PeerBarrier<2>, PeerBarrier<2, Arrived> }
