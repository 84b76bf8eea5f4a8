//! Clusters: a scope in which the CTAs of a cluster are alive, what they see of each other's shared memory there, and
//! DSMEM buffers that asynchronous operations of other CTAs fill.
//!
//! [`Cta::cluster_scope`] opens the scope. It ends with the cluster's barrier, so no CTA has exited while another uses its shared memory;
//! no way to a peer opens before a barrier either, so that every CTA has begun; and what stands for that memory cannot leave
//! the scope. Two ways lead to a peer:
//!
//! - [`ClusterSmem`]: an array that every CTA has at the same place, read by all, written by all or atomic for all, between two
//!   barriers of the cluster.
//! - [`DsmemBuffer`]: an array with the mbarrier that counts what arrives in it. Others fill it, its own CTA alone waits.
//!
//! ```text
//!   Shared<'c, …>  ── Cluster::publish ──►  ClusterSmem<ReadOnly>  ── close ──►  Shared, in the state it had
//!   Shared<'c, …>  ── Cluster::open_write_only ─────►  ClusterSmem<WriteOnly> ─────── close ──►  Shared<Published>
//!   Shared<'c, …>  ── open_atomic ───────►  ClusterSmem<Atomic> ───── close ──►  Shared<Published>
//!                     ClusterSmem<WriteOnly>, ClusterSmem<Atomic>  ── publish ──►  ClusterSmem<ReadOnly<Published>>
//!
//!   DsmemBuffer<Uninit> ── init ──► DsmemBuffer<Ready> ── Cta::cluster_scope ──► Inbox ── send, store, … ──► Sent
//!          ▲                      │      ▲                         │   ▲                             │ receive
//!          └──────── inval ───────┘      └──── end of the scope ───┘   └────────── release ──────── Received
//! ```
//!
//! A [`Group`] is a row, a column or the whole of the cluster: tiles are multicast to one, and a [`GroupBarrier`] waits for one.
//!
//! | a DSMEM buffer | is filled | from |
//! | --- | --- | --- |
//! | [`ByTile`] | [`send`](Inbox::send), [`send_reduce`](Inbox::send_reduce) along a [`Permutation`] | shared memory, or what a DSMEM buffer has received |
//! | | [`send_reduce_to_others`](Inbox::send_reduce_to_others) | the same |
//! | | [`multicast`](Inbox::multicast), [`multicast_tensor`](Inbox::multicast_tensor) to a [`Group`] | global memory |
//! | | [`multicast_to`](Inbox::multicast_to) any CTAs | the same |
//! | [`ByElement`] | [`store`](Inbox::store), [`reduce`](Inbox::reduce) along a [`Permutation`] | each thread's values |
//! | | [`reduce_to_others`](Inbox::reduce_to_others) | the same |
//!
//! Each method that changes a state behind a cluster barrier has a twin, `…_at_sync`, without the barrier; several of these share one
//! [`Cluster::sync_with`]. It serves transitions of the CTA's own handles too.
//!
//! | transition | at a barrier of |
//! | --- | --- |
//! | [`Cluster::publish_at_sync`], [`open_at_sync`](Cluster::open_write_only_at_sync), [`open_atomic_at_sync`](Cluster::open_atomic_at_sync), [`ClusterSmem::publish_at_sync`], `ClusterSmem::close_at_sync` | the cluster |
//! | [`Group::barrier_at_sync`], [`GroupBarrier::close_at_sync`] and then [`inval`](GroupBarrier::inval) | the cluster |
//! | `Received::release_at_sync`, [`reclaim_at_sync`](Received::reclaim_at_sync), [`Channel::into_inbox_at_sync`] | the cluster |
//! | [`AfterSync::release_at_sync`](crate::launch::AfterSync::release_at_sync), of DSMEM buffers that a copy has read | the cluster |
//! | [`ChannelReceived::release_at_sync`] and then [`acknowledge`](ChannelReleased::acknowledge), [`Acknowledged::reclaim_at_sync`] | the CTA |
//!
//! What has arrived can be sent on from where it lies, and goes to global memory from there by bulk copies ([`bulk::store`](
//! crate::bulk::store()), [`bulk::reduce`](crate::bulk::reduce())). A [`Channel`] is a DSMEM buffer that streams tiles from CTA to CTA
//! without a barrier of the cluster between them.
//!
//! *Cluster calls* are [`Cta::cluster_scope`], [`Cta::cluster_scope_last`] and those that take a [`Cluster`] or an [`ArrivedCluster`], but for questions ([`Cluster::cta_rank`] …): all
//! threads of all CTAs of the cluster make them, in the same order, with equal arguments but for sources and values (see
//! [`Cta::enter`]).

use core::marker::PhantomData;

use crate::group::{AfterSync, Cta, Passed, Transitions};
use crate::qualifier::{Sealed, convergence::Aligned, sem, space};
use crate::raw;
use crate::shared::Scoped;

mod barrier;
mod dsmem;
mod group;
mod permutation;
mod shared;

pub use barrier::{GroupBarrier, Unused};
pub use dsmem::*;
pub use group::Group;
pub use permutation::Permutation;
pub use shared::*;

/// Invariant in `'c`: one scope, one lifetime. And bound to its thread.
type Brand<'c> = PhantomData<(fn(&'c ()) -> &'c (), *mut ())>;

/// The executing CTA's cluster, inside the scope `'c`: all its CTAs are alive.
///
/// A grid launched without clusters has clusters of one CTA.
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
/// let tile = cta.cluster_scope(tile, |cluster, tile| {
///     let _is_last = cluster.cta_rank() + 1 == cluster.cta_count();
///     (cluster, tile) // the scope gets both back
/// });
/// # }
/// ```
#[must_use = "the scope has to return the cluster: keep it"]
#[derive(Debug)]
pub struct Cluster<'c> {
    cta: &'c mut Cta,
    _scope: Brand<'c>,
}

/// A cluster at whose barrier this thread has arrived, and not yet waited. There is no [`Cluster`] meanwhile, and so no
/// cluster call.
///
/// ```
/// # use ptx::cluster::{ArrivedCluster, Cluster};
/// # fn body<'c>(cluster: Cluster<'c>, work: fn()) -> Cluster<'c> {
/// let arrived: ArrivedCluster = cluster.arrive();
/// work(); // with the CTA's own memory
/// arrived.wait()
/// # }
/// ```
#[must_use = "a thread that has arrived has to wait before it can arrive again: call `.wait()`"]
#[derive(Debug)]
pub struct ArrivedCluster<'c> {
    cta: &'c mut Cta,
    _scope: Brand<'c>,
}

impl Sealed for Cluster<'_> {}

// A barrier of the cluster is one of each of its CTAs, and of the same ordering. 9.7.13.3: `barrier.cluster.wait` waits "for all
// non-exited threads of the cluster to perform `barrier.cluster.arrive`", and "memory accesses (except asynchronous operations)
// requested, in program order, prior to the preceding `barrier.cluster.arrive` by all threads in the cluster are complete and
// visible to the executing thread". An asynchronous operation whose handle is a transition is complete for the thread that has
// waited for it, and its writes are accesses that this thread has seen.
impl<Handles> Transitions<Cluster<'_>> for AfterSync<Handles, Cta> {
    type Handles = Handles;
    #[inline(always)]
    fn handles(self, passed: Passed) -> Handles {
        Transitions::<Cta>::handles(self, passed)
    }
}

static_assertions::assert_not_impl_any!(Cluster<'static>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(ArrivedCluster<'static>: Copy, Clone, Send, Sync);

#[inline(always)]
fn arrive() {
    // SAFETY: 9.7.13.3: "Each thread must arrive at the barrier only once before the barrier completes." Every arrival is
    // followed by a wait before the next: in `sync`, or because `ArrivedCluster` has taken the `Cluster` and lends no
    // `&mut Cta`, without which no other scope is opened. `.aligned`: cluster calls are made from the same place.
    unsafe { raw::barrier_cluster_arrive(sem::Release, Aligned) }
}

#[inline(always)]
fn wait() {
    // SAFETY: this thread has arrived, see `arrive`; `.aligned` likewise.
    unsafe { raw::barrier_cluster_wait(Aligned) }
}

impl Cta {
    /// Lends memory to a scope of the whole cluster. `body` gets the [`Cluster`] and the handles, and has to return
    /// both: the handles idle, the cluster not between an arrive and its wait. The scope's lifetime belongs to this call
    /// alone, so nothing that stands for a peer's memory can leave it.
    ///
    /// A cluster call: all threads of all CTAs of the cluster make it. It can stand inside of an async scope ([`Cta::async_scope`]) or of another such
    /// scope ([`Cluster::cta_mut`]), whose memory it does not have, and whose cluster makes no call until it ends.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, at the end: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`. If a [`DsmemBuffer`] is lent, at the
    /// beginning too, and before it by the leader, once for all DSMEM buffers: `fence.mbarrier_init.release.cluster;`, and
    /// `fence.proxy.async.shared::cta;` unless all are [`ByElement`].
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    /// cta.cluster_scope(tile, |cluster, tile| {
    ///     let rank = cluster.cta_rank();
    ///     let tile = tile.write(cluster.cta(), |i| rank + i as u32);
    ///     let tile = cluster.publish(tile);
    ///     let _of_the_first = tile.peer(0).and_then(|peer| peer.get(5));
    ///     let tile = tile.close(&cluster);
    ///     let tile = tile.to_async(cluster.cta()).into_free();
    ///     (cluster, tile)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn cluster_scope<H: Scoped>(
        &mut self,
        handles: H,
        body: impl for<'c> FnOnce(Cluster<'c>, H::InScope<'c>) -> (Cluster<'c>, H::InScope<'c>),
    ) -> H {
        let cluster = Cluster::begin::<H>(self);
        // SAFETY: `'c` is this call's alone, so what `body` returns comes from this async scope.
        let (cluster, lent) = unsafe { body(cluster, handles.open()) };
        // No CTA exits, or uses its memory otherwise, before all have come here.
        cluster.sync();
        // SAFETY: as above.
        unsafe { H::give_back(lent) }
    }

    /// [`cluster`](Cta::cluster_scope), as the last scope of the kernel: its last barrier is the one behind which no CTA uses another's memory,
    /// so `body` ends the use of what it has (`.end()`), in any state but in flight, without a barrier for each. What it returns for each
    /// handle, and what to take from the `Cta` before, is as of [`Cta::async_scope_last`].
    ///
    /// A cluster call: all threads of all CTAs of the cluster make it.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`cluster`](Cta::cluster_scope).
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<u32, 128>, from_the_first: &mut u32) {
    /// cta.cluster_scope_last(tile, |cluster, tile| {
    ///     let rank = cluster.cta_rank();
    ///     let tile = cluster.publish(tile.write(cluster.cta(), |i| rank + i as u32));
    ///     *from_the_first = tile.peer(0).and_then(|peer| peer.get(5)).unwrap_or(0);
    ///     (cluster, tile.end()) // without the barrier of `close`
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn cluster_scope_last<H: Scoped>(
        mut self,
        handles: H,
        body: impl for<'c> FnOnce(Cluster<'c>, H::InScope<'c>) -> (Cluster<'c>, H::Ended<'c>),
    ) {
        let cluster = Cluster::begin::<H>(&mut self);
        // SAFETY: `'c` is this call's alone; what `body` returns says that no operation of this CTA on this async scope is in flight, but for
        // copies that another CTA waits for before it comes to the barrier below; there is no other async scope, which would hold a `&Cta`.
        let (cluster, _ended) = unsafe { body(cluster, handles.open()) };
        // Behind this no CTA uses another's memory.
        cluster.sync();
    }
}

impl<'c> Cluster<'c> {
    /// Begins a scope. Where other CTAs use what is lent from here on: when all have begun, and what each did to its memory before is
    /// visible to all. Everything else that leads to a peer's memory begins with a barrier of its own.
    #[inline(always)]
    fn begin<H: Scoped>(cta: &'c mut Cta) -> Self {
        if const { H::USED_BY_PEERS } {
            if cta.is_leader() {
                // The leader has initialised the mbarriers: the cluster and the async proxy see them.
                raw::fence_mbarrier_init();
                if const { H::FILLED_BY_COPIES } {
                    raw::fence_proxy_async(space::SharedCta);
                }
            }
            arrive();
            wait();
        }
        Cluster { cta, _scope: PhantomData }
    }

    /// The executing CTA, for the collective calls of its threads alone.
    ///
    /// Not collective.
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>, value: u32) {
    /// let sum: u32 = cluster.cta().warp().reduce_add(value); // a call of this CTA's threads alone
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta(&self) -> &Cta {
        self.cta
    }

    /// The executing CTA, for scopes ([`Cta::async_scope`]) and for calls in which a part of the threads works ([`Cta::invoke_one`]). Until these
    /// are over this cluster makes no call.
    ///
    /// Not collective.
    ///
    /// ```
    /// # use ptx::{bulk, cluster::Cluster, global::GlobalTileMut, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &mut Cluster<'c>, tile: Shared<'c, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    /// let tile = cluster.cta_mut().invoke_one(tile, |thread, tile| {
    ///     bulk::store(thread, tile, to).commit(thread).wait_read(thread).0
    /// });
    /// # let _ = tile;
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta_mut(&mut self) -> &mut Cta {
        self.cta
    }

    /// The CTA's rank in the cluster, less than [`size`](Cluster::cta_count).
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_ctarank;`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let is_first = cluster.cta_rank() == 0;
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta_rank(&self) -> u32 {
        raw::cluster_ctarank()
    }

    /// How many CTAs the cluster has.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_nctarank;`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let next = (cluster.cta_rank() + 1) % cluster.cta_count();
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta_count(&self) -> u32 {
        raw::cluster_nctarank()
    }

    /// The cluster's extents in CTAs, x first.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_nctaid.x;`, `.y`, `.z`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let [x, y, z] = cluster.shape();
    /// let size = x * y * z; // `cluster.cta_count()`
    /// # }
    /// ```
    #[inline(always)]
    pub fn shape(&self) -> [u32; 3] {
        [raw::cluster_nctaid_x(), raw::cluster_nctaid_y(), raw::cluster_nctaid_z()]
    }

    /// Where the CTA is in the cluster, x first.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_ctaid.x;`, `.y`, `.z`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let [column, row, _] = cluster.position();
    /// let on_diagonal = column == row;
    /// # }
    /// ```
    #[inline(always)]
    pub fn position(&self) -> [u32; 3] {
        [raw::cluster_ctaid_x(), raw::cluster_ctaid_y(), raw::cluster_ctaid_z()]
    }

    /// Waits for all threads of all CTAs of the cluster; what each wrote before is visible to all after.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{atomic::GlobalAtomics, cluster::Cluster, qualifier::{scope, sem}};
    /// # fn body(cluster: &Cluster<'_>, counts: GlobalAtomics<u32, scope::Gpu>) {
    /// counts.get(0).map(|count| count.add(1, sem::Relaxed));
    /// cluster.sync();
    /// let _with_all_of_the_cluster = counts.get(0).map(|count| count.fetch_or(0, sem::Relaxed));
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync(&self) {
        arrive();
        wait();
    }

    /// [`sync`](Cluster::sync), the barrier of all the transitions: gives the handles in their next states. It takes what the methods
    /// `…_at_sync` of the cluster's handles give, and of the CTA's, since all threads of the CTA meet here too.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Loaded, Shared, Written}};
    /// # fn body<'c>(cluster: &Cluster<'c>, old: Shared<'c, f32, 64, Loaded>, new: Shared<'c, f32, 64, Written>) {
    /// // One barrier: peers can read the one array, and the CTA has read the other.
    /// let (new, old) = cluster.sync_with((cluster.publish_at_sync(new), old.release_at_sync()));
    /// let _of_the_first = new.peer(0).and_then(|peer| peer.get(5));
    /// # let _ = (new.end(), old);
    /// # }
    /// ```
    #[inline(always)]
    pub fn sync_with<T: Transitions<Cluster<'c>>>(&self, transitions: T) -> T::Handles {
        self.sync();
        transitions.handles(Passed::NEW)
    }

    /// The first half of [`sync`](Cluster::sync). What is done before the other half, with the CTA's own memory or with
    /// what is already published, is ordered neither before nor after what other CTAs do.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;`
    ///
    /// ```
    /// # use ptx::cluster::Cluster;
    /// # fn body(cluster: Cluster<'_>) {
    /// let arrived = cluster.arrive();
    /// // work of this CTA alone
    /// let cluster = arrived.wait();
    /// # let _ = cluster;
    /// # }
    /// ```
    #[inline(always)]
    pub fn arrive(self) -> ArrivedCluster<'c> {
        arrive();
        ArrivedCluster { cta: self.cta, _scope: PhantomData }
    }
}

impl<'c> ArrivedCluster<'c> {
    /// The executing CTA, for the collective calls of its threads alone. A scope of the cluster would arrive again, so it is not lent as
    /// `&mut`.
    ///
    /// ```
    /// # fn body<'c>(cluster: ptx::cluster::Cluster<'c>, value: u32) -> ptx::cluster::Cluster<'c> {
    /// let arrived = cluster.arrive();
    /// let _sum: u32 = arrived.cta().warp().reduce_add(value); // while others arrive
    /// arrived.wait()
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta(&self) -> &Cta {
        self.cta
    }

    /// The second half of [`Cluster::sync`]. A cluster call.
    ///
    /// PTX: `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Free, Shared}};
    /// # fn body<'c>(cluster: Cluster<'c>, own: Shared<'c, u32, 64, Free>) {
    /// let arrived = cluster.arrive();
    /// let own = own.write(arrived.cta(), |i| i as u32); // while others arrive
    /// let cluster = arrived.wait();
    /// let own = cluster.publish(own);
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self) -> Cluster<'c> {
        wait();
        Cluster { cta: self.cta, _scope: PhantomData }
    }
}
