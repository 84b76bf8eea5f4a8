//! Thread block clusters: the cluster scope, distributed shared memory (DSMEM), and DSMEM buffers that other CTAs fill
//! asynchronously.
//!
//! [`Cta::cluster_scope`] opens a scope in which all CTAs of the cluster are alive. A barrier of the cluster comes before each
//! access to another CTA (a peer), so every CTA has started. Another ends the scope, so no CTA exits while a peer uses its shared
//! memory. Handles to a peer's memory cannot leave the scope.
//!
//! Two types give access to peers:
//!
//! - [`ClusterSmem`]: an array at the same offset in every CTA. Between two barriers of the cluster, all CTAs read it, all write
//!   it, or all access it by atomic operations.
//! - [`DsmemBuffer`]: an array and the mbarrier that counts the bytes that arrive in the array. Peers fill the array; only its
//!   own CTA waits.
//!
//! ```text
//!   Shared<'c, …> ── Cluster::publish ──────────► ClusterSmem<ReadOnly<After>> ── close ──► Shared<After>
//!   Shared<'c, …> ── Cluster::open_write_only ──► ClusterSmem<WriteOnly> ──────── close ──► Shared<Published>
//!   Shared<'c, …> ── Cluster::open_atomic ──────► ClusterSmem<Atomic> ─────────── close ──► Shared<Published>
//!                    ClusterSmem<WriteOnly>, ClusterSmem<Atomic> ── publish ──► ClusterSmem<ReadOnly<Published>>
//!
//!   DsmemBuffer ── Cta::cluster_scope ──► Inbox ── send, store, … ──► Sent
//!        ▲                                │   ▲                         │ receive
//!        └──────── end of the scope ──────┘   └────── release ────── Received
//! ```
//!
//! [`Peers`] are a row, a column or the whole of the cluster. A multicast loads a tile into all of them; a
//! [`PeerBarrier`] synchronizes them. A [`Permutation`] maps each CTA to the CTA that it sends to.
//!
//! | a DSMEM buffer | is filled by | from |
//! | --- | --- | --- |
//! | [`ByTile`] | [`send`](Inbox::send) along a [`Permutation`] | shared memory, or a tile that a DSMEM buffer has received |
//! | | [`send_reduce`](Inbox::send_reduce) along a [`Permutation`] | the same |
//! | | [`send_reduce_to_others`](Inbox::send_reduce_to_others) | the same |
//! | | [`multicast`](Inbox::multicast), [`multicast_tensor`](Inbox::multicast_tensor) to a [`Peers`] | global memory |
//! | [`ByElement`] | [`store`](Inbox::store), [`reduce`](Inbox::reduce) along a [`Permutation`] | each thread's values |
//! | | [`reduce_to_others`](Inbox::reduce_to_others) | each thread's values |
//! | [`ByChannel`] | [`Channel::send`] along a [`Permutation`], tile after tile | as [`send`](Inbox::send) |
//!
//! A received tile can be forwarded to another CTA from where it lies, and bulk copies can write it to global memory
//! ([`bulk::store`](crate::bulk::store()), [`bulk::reduce`](crate::bulk::reduce())). A [`Channel`] streams tiles from CTA to CTA
//! without a barrier of the cluster between two tiles.
//!
//! # Barriers
//!
//! A method that changes a state at a barrier of the cluster returns an [`AfterSync`], and `.sync(&cluster)` executes the barrier
//! (`cluster.sync()`). One barrier completes several transitions, those of the CTA's own handles included:
//! `(tile.close(), row.close()).sync(&cluster)`, with [`Together`](crate::group::Together).
//!
//! | transition | completes at a barrier of |
//! | --- | --- |
//! | [`Cluster::publish`], [`Cluster::open_write_only`], [`Cluster::open_atomic`] | the cluster |
//! | [`ClusterSmem::publish`], `ClusterSmem::close` | the cluster |
//! | [`Peers::barrier`]; [`PeerBarrier::close`], then [`inval`](PeerBarrier::inval) | the cluster |
//! | `Received::release`, [`reclaim`](Received::reclaim) | the cluster |
//! | [`Channel::into_inbox`] | the cluster |
//! | [`ChannelReceived::release`], then [`acknowledge`](ChannelReleased::acknowledge) | the CTA |
//! | [`ChannelAcknowledged::reclaim`] | the CTA |
//!
//! [`PeerBarrier::arrive`], and the cluster's [`arrive`](Cluster::arrive) and [`wait`](ArrivedCluster::wait), are barriers
//! themselves, or begin with one.
//!
//! # Cluster calls
//!
//! A *cluster call* is [`Cta::cluster_scope`], [`Cta::finish_cluster`], or a call that takes a [`Cluster`] or an
//! [`ArrivedCluster`], except queries ([`Cluster::cta_rank`] …). All threads of all CTAs of the cluster make each cluster call,
//! in the same order and with equal arguments; only sources and values may differ (see [`Cta::enter`]).

use core::marker::PhantomData;

#[cfg(doc)]
use crate::group::AfterSync;
use crate::group::{Brand, Completes, Cta, HasBarrier};
use crate::mark;
use crate::qualifier::{Sealed, convergence::Aligned, sem};
use crate::raw;
use crate::shared::{Lendable, Scoped, publish_inits};

mod barrier;
#[cfg(any(wgmma, tcgen05))]
mod blocks;
mod dsmem;
mod peers;
mod permutation;
mod shared;

pub use crate::mbarrier::Retired;
pub use barrier::PeerBarrier;
pub use dsmem::*;
pub use peers::Peers;
pub use permutation::Permutation;
pub use shared::*;

/// Handle of the executing CTA's cluster inside a [cluster scope](Cta::cluster_scope), in which all its CTAs are alive
/// (`cooperative_groups::cluster_group`).
///
/// A grid launched without clusters has clusters of one CTA.
#[must_use = "the closure of the scope has to return the `Cluster`: return it"]
#[derive(Debug)]
#[doc(alias = "cg::cluster_group")]
pub struct Cluster<'c> {
    cta: &'c mut Cta,
    _scope: Brand<'c>,
}

/// A cluster at whose barrier this thread has arrived but not yet waited (`cluster.barrier_arrive()`). No [`Cluster`] exists
/// until [`wait`](ArrivedCluster::wait), so no cluster call can be made.
#[must_use = "this thread has arrived at the cluster's barrier and has to wait before it arrives again: call `.wait()`"]
#[derive(Debug)]
pub struct ArrivedCluster<'c> {
    cta: &'c mut Cta,
    _scope: Brand<'c>,
}

impl Sealed for Cluster<'_> {}
// SAFETY: all threads of the cluster hold the handle.
unsafe impl mark::Group for Cluster<'_> {
    const NUMBER: u32 = 4;
}
// SAFETY: all threads of the cluster hold the handle.
unsafe impl mark::Group for ArrivedCluster<'_> {
    const NUMBER: u32 = 4;
}

impl HasBarrier for Cluster<'_> {
    #[inline(always)]
    fn sync(&self) {
        Cluster::sync(self);
    }
}
// SAFETY: the barrier is that of all threads of the cluster of the scope `'c`.
unsafe impl<'c> Completes<Cluster<'c>> for Cluster<'c> {}
// SAFETY: the barrier waits for all threads of each CTA, with the same ordering. 9.7.13.3: `barrier.cluster.wait` waits "for all
// non-exited threads of the cluster to perform `barrier.cluster.arrive`", and "memory accesses (except asynchronous operations)
// requested, in program order, prior to the preceding `barrier.cluster.arrive` by all threads in the cluster are complete and
// visible to the executing thread". The exception is harmless: a thread has waited for the asynchronous operation before it arrives.
unsafe impl Completes<Cta> for Cluster<'_> {}

#[inline(always)]
fn arrive() {
    // SAFETY: 9.7.13.3: "Each thread must arrive at the barrier only once before the barrier completes." Each arrival is followed
    // by a wait before the next arrival: in `sync`, or because `ArrivedCluster` holds the `Cluster` and lends no `&mut Cta`,
    // which another scope would need. `.aligned`: all threads make a cluster call from the same place (`Cta::enter`).
    unsafe { raw::barrier_cluster_arrive(sem::Release, Aligned) }
}

#[inline(always)]
fn wait() {
    // SAFETY: every call of `wait` follows a call of `arrive` in the same thread; `.aligned`: as in `arrive`.
    unsafe { raw::barrier_cluster_wait(Aligned) }
}

impl Cta {
    /// Calls `body` with the shared memory `handles`, in a scope in which all CTAs of the cluster are alive and can access each
    /// other's shared memory (DSMEM), and waits at its end until all CTAs have left it (`cluster.sync()`).
    ///
    /// `body` gets the [`Cluster`] and the handles and has to return both: the handles idle, the cluster not between an arrive
    /// and its wait. The scope's lifetime belongs to this call alone, so no handle to a peer's memory leaves the scope.
    ///
    /// All threads of all CTAs of the cluster make this call. The scope can be nested in an async scope ([`Cta::async_scope`]) or
    /// in another cluster scope ([`Cluster::cta_mut`]). A nested scope cannot use the outer scope's memory, and the outer
    /// [`Cluster`] makes no call until the nested scope ends.
    ///
    /// Collective in the cluster.
    ///
    /// PTX, at the end: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`. If a [`DsmemBuffer`]
    /// is lent, the same at the beginning. Before that, by the leader, once for all DSMEM buffers:
    /// `fence.mbarrier_init.release.cluster;`, and `fence.proxy.async.shared::cta;` unless all are [`ByElement`]. Mbarriers that
    /// are lent are initialized and invalidated as in [`async_scope`](Cta::async_scope).
    ///
    /// ```
    /// # use ptx::{group::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    /// cta.cluster_scope(tile, |cluster, tile| {
    ///     let rank = cluster.cta_rank();
    ///     let tile = tile.write(cluster.cta(), |i| rank + i as u32);
    ///     let tile = cluster.publish(tile).sync(&cluster);
    ///     let _of_the_first = tile.peer(0).and_then(|peer| peer.get(5));
    ///     let tile = tile.close().sync(&cluster);
    ///     let tile = tile.to_async().sync(cluster.cta()).into_free();
    ///     (cluster, tile)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::this_cluster")]
    pub fn cluster_scope<H: Lendable>(
        &mut self,
        handles: H,
        body: impl for<'c> FnOnce(Cluster<'c>, H::InScope<'c>) -> (Cluster<'c>, H::InScope<'c>),
    ) -> H {
        // SAFETY: the lifetime `'c` belongs to this call alone, so the handles are opened once, and `body` returns handles of
        // this scope. `begin` and the end of the scope execute the barriers after `init_mbarriers` and around `inval_mbarriers`.
        unsafe {
            let cluster = Cluster::begin(self, &handles);
            let (cluster, lent) = body(cluster, handles.open());
            // No CTA exits or reuses its memory before all CTAs have ended the scope.
            cluster.sync();
            if const { H::INITIALIZED } {
                cluster.cta.invalidate::<H>(&lent);
            }
            H::give_back(lent)
        }
    }

    /// Runs `body` in a scope in which all CTAs of the cluster are alive, like [`cluster_scope`](Cta::cluster_scope), as the last
    /// part of the kernel: no memory comes back. So `body` need not make the handles idle.
    ///
    /// `body` returns, for each handle, the result of its `.end()`; a handle can be ended in any state except in flight. No CTA
    /// uses a peer's memory after the barrier at the end of this scope, so a handle needs no barrier of its own.
    /// [`Cta::finish`] says which value each handle returns, and which values to take from the `Cta` before the call.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: as [`cluster_scope`](Cta::cluster_scope).
    ///
    /// ```
    /// # use ptx::{group::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, tile: SharedArray<u32, 128>, from_the_first: &mut u32) {
    /// cta.finish_cluster(tile, |cluster, tile| {
    ///     let rank = cluster.cta_rank();
    ///     let tile = cluster.publish(tile.write(cluster.cta(), |i| rank + i as u32)).sync(&cluster);
    ///     *from_the_first = tile.peer(0).and_then(|peer| peer.get(5)).unwrap_or(0);
    ///     (cluster, tile.end()) // without the barrier of `close`
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "cg::this_cluster")]
    pub fn finish_cluster<H: Lendable>(
        mut self,
        handles: H,
        body: impl for<'c> FnOnce(Cluster<'c>, H::InScope<'c>) -> (Cluster<'c>, H::Ended<'c>),
    ) {
        // SAFETY: `'c` belongs to this call alone. An `Ended` says that no operation of this CTA on the handle's memory is in
        // flight, except copies that another CTA waits for before the barrier below. No other async scope is open: it would hold
        // the `Cta`. `begin` executes the barrier after `init_mbarriers`.
        let (cluster, _ended) = unsafe {
            let cluster = Cluster::begin(&mut self, &handles);
            body(cluster, handles.open())
        };
        // No CTA uses a peer's memory after this barrier.
        cluster.sync();
    }
}

impl<'c> Cluster<'c> {
    /// Checks that all threads of the CTA make the caller's call.
    #[cfg(feature = "checked")]
    #[inline(always)]
    #[track_caller]
    pub(crate) fn meet(&self) {
        self.cta.meet();
    }

    /// Begins a scope: initializes the lent mbarriers. If peers use the lent memory without a further barrier (DSMEM buffers),
    /// synchronizes the cluster: then all CTAs have started and see each other's initialized mbarriers. Every other access to a
    /// peer begins with a barrier of its own.
    ///
    /// # Safety
    ///
    /// All threads make this call, and `open` follows.
    #[inline(always)]
    #[track_caller]
    unsafe fn begin<H: Scoped>(cta: &'c mut Cta, handles: &H) -> Self {
        let cluster = Cluster { cta, _scope: PhantomData };
        meet!(cluster);
        let cta = &*cluster.cta;
        if const { H::USED_BY_PEERS } {
            if cta.is_leader() {
                // SAFETY: the leader makes this call, before `open` (`# Safety`).
                unsafe { handles.init_mbarriers(cta) };
                // The leader has initialized the mbarriers; these fences show them to the cluster and to the async proxy.
                publish_inits(H::FILLED_BY_COPIES);
            }
            arrive();
            wait();
        } else {
            // SAFETY: the caller keeps the same clauses (`# Safety`).
            unsafe { cta.begin_async(handles) };
        }
        cluster
    }

    /// Returns the handle of the executing CTA ([`Cta`], like `cooperative_groups::thread_block`), for calls that are collective
    /// in the CTA.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn cta(&self) -> &Cta {
        self.cta
    }

    /// Returns the handle of the executing CTA by `&mut`, for scopes ([`Cta::async_scope`]) and for calls in which a part of the
    /// threads works ([`Cta::invoke_one`]). This cluster makes no call while the borrow lasts.
    ///
    /// Not collective.
    ///
    /// ```
    /// # use ptx::{bulk, cluster::Cluster, global::GlobalTileMut, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &mut Cluster<'c>, tile: Shared<'c, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) {
    /// let tile = cluster.cta_mut().invoke_one(tile, |thread, tile| {
    ///     bulk::store(thread, tile, to).commit(thread).wait(thread).sync(thread).0
    /// });
    /// let tile = tile.sync(cluster);
    /// # let _ = tile;
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta_mut(&mut self) -> &mut Cta {
        self.cta
    }

    /// Returns the CTA's rank in the cluster, below [`cta_count`](Cluster::cta_count): `cluster.block_rank()` of cooperative
    /// groups.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_ctarank;`
    #[inline(always)]
    pub fn cta_rank(&self) -> u32 {
        raw::cluster_ctarank()
    }

    /// Returns the number of CTAs in the cluster: `cluster.num_blocks()` of cooperative groups.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_nctarank;`
    #[inline(always)]
    pub fn cta_count(&self) -> u32 {
        raw::cluster_nctarank()
    }

    /// Returns the cluster's extents in CTAs, x first: `cluster.dim_blocks()` of cooperative groups.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_nctaid.x;`, `.y`, `.z`
    #[inline(always)]
    pub fn shape(&self) -> [u32; 3] {
        [raw::cluster_nctaid_x(), raw::cluster_nctaid_y(), raw::cluster_nctaid_z()]
    }

    /// Returns the CTA's position in the cluster, x first: `cluster.block_index()` of cooperative groups.
    ///
    /// Not collective.
    ///
    /// PTX: `mov.u32 d, %cluster_ctaid.x;`, `.y`, `.z`
    #[inline(always)]
    pub fn position(&self) -> [u32; 3] {
        [raw::cluster_ctaid_x(), raw::cluster_ctaid_y(), raw::cluster_ctaid_z()]
    }

    /// Waits for all threads of all CTAs of the cluster, as `cluster.sync()` of cooperative groups does. All writes made before
    /// the barrier are visible to all these threads after it.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    #[inline(always)]
    #[track_caller]
    pub fn sync(&self) {
        meet!(self);
        arrive();
        wait();
    }

    /// The first half of [`sync`](Cluster::sync): arrives without waiting (`cluster.barrier_arrive()`). Until
    /// [`wait`](ArrivedCluster::wait), the CTA can work on its own memory and on memory that is already published; this work is
    /// not ordered with the work of other CTAs.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Free, Shared}};
    /// # fn body<'c>(cluster: Cluster<'c>, own: Shared<'c, u32, 64, Free>) {
    /// let arrived = cluster.arrive();
    /// let own = own.write(arrived.cta(), |i| i as u32); // while other CTAs arrive
    /// let cluster = arrived.wait();
    /// let own = cluster.publish(own).sync(&cluster);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn arrive(self) -> ArrivedCluster<'c> {
        meet!(self);
        arrive();
        ArrivedCluster { cta: self.cta, _scope: PhantomData }
    }
}

impl<'c> ArrivedCluster<'c> {
    /// Checks that all threads of the CTA make the caller's call.
    #[cfg(feature = "checked")]
    #[inline(always)]
    #[track_caller]
    fn meet(&self) {
        self.cta.meet();
    }

    /// Returns the handle of the executing CTA ([`Cta`], like `cooperative_groups::thread_block`), for calls that are collective
    /// in the CTA. There is no `cta_mut`: a scope opened there would arrive again before the wait.
    ///
    /// Not collective.
    #[inline(always)]
    pub fn cta(&self) -> &Cta {
        self.cta
    }

    /// The second half of [`Cluster::sync`]: waits until all threads of the cluster have arrived (`cluster.barrier_wait()`).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.wait.acquire.aligned;`
    #[inline(always)]
    #[track_caller]
    pub fn wait(self) -> Cluster<'c> {
        meet!(self);
        wait();
        Cluster { cta: self.cta, _scope: PhantomData }
    }
}

handles! { Cluster, ArrivedCluster }
