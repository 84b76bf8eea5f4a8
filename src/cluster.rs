//! Clusters: a scope in which the CTAs of a cluster are alive, what they see of each other's shared memory there, and
//! mailboxes that asynchronous operations of other CTAs fill.
//!
//! [`Cta::cluster`] opens the scope. It begins and ends with the cluster's barrier, so no CTA has exited, or not yet
//! begun, while another uses its shared memory; and what stands for that memory cannot leave it. Two ways lead to a peer:
//!
//! - [`ClusterShared`]: an array that every CTA has at the same place, read by all, written by all or atomic for all, between two
//!   barriers of the cluster.
//! - [`Mailbox`]: an array with the mbarrier that counts what arrives in it. Others fill it, its own CTA alone waits.
//!
//! ```text
//!   Shared<'c, …>  ── Cluster::publish ──►  ClusterShared<ReadOnly>  ── close ──►  Shared, in the state it had
//!   Shared<'c, …>  ── Cluster::open ─────►  ClusterShared<Open> ─────── close ──►  Shared<Published>
//!   Shared<'c, …>  ── open_atomic ───────►  ClusterShared<Atomic> ───── close ──►  Shared<Published>
//!
//!   Mailbox<Uninit> ── init ──► Mailbox<Ready> ── Cta::cluster ──► Inbox ── send, store, add, … ──► Sent
//!          ▲                      │      ▲                         │   ▲                             │ receive
//!          └──────── inval ───────┘      └──── end of the scope ───┘   └────────── release ──────── Received
//! ```
//!
//! A [`Group`] is a row, a column or the whole of the cluster: copies are multicast to one, and a [`GroupBarrier`] waits for
//! one. A [`Channel`] is a mailbox that streams tiles from CTA to CTA without a barrier of the cluster between them.
//!
//! *Cluster calls* are [`Cta::cluster`] and those that take a [`Cluster`], but for its questions ([`Cluster::rank`] …): all
//! threads of all CTAs of the cluster make them, in the same order, with equal arguments but for sources and values (see
//! [`Cta::enter`]).

use core::marker::PhantomData;

use crate::atomic::{Atomic, AtomicRef, AtomicValue, IntoAtomic};
use crate::bulk::CachePolicy;
use crate::global::{GlobalTile, tile_bytes};
use crate::launch::Cta;
use crate::mask::CtaMask;
use crate::mbarrier::{Ready, Uninit};
use crate::qualifier::{Sealed, convergence::Unaligned, scope, sem, space, ty};
use crate::raw;
use crate::shared::{
    ALIGN, AsyncSource, Element, Free, Lend, Loaded, Place, Published, Shared, Written, bits, for_each_vector,
};

mod barrier;
mod group;

pub use barrier::GroupBarrier;
pub use group::Group;

/// Invariant in `'c`: one scope, one lifetime. And bound to its thread.
type Brand<'c> = PhantomData<(fn(&'c ()) -> &'c (), *mut ())>;

/// The executing CTA's cluster, inside the scope `'c`: all its CTAs are alive.
///
/// A grid launched without clusters has clusters of one CTA.
///
/// ```
/// # use ptx::{launch::Cta, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
/// let tile = cta.cluster(tile, |cluster, tile| {
///     let _is_last = cluster.rank() + 1 == cluster.size();
///     (cluster, tile) // the scope gets both back
/// });
/// # }
/// ```
#[must_use = "the scope has to return the cluster: keep it"]
#[derive(Debug)]
pub struct Cluster<'c> {
    cta: &'c Cta,
    _scope: Brand<'c>,
}

/// A cluster at whose barrier this thread has arrived, and not yet waited. There is no [`Cluster`] meanwhile, and so no
/// cluster call.
///
/// ```
/// # use ptx::cluster::{Arrived, Cluster};
/// # fn body<'c>(cluster: Cluster<'c>, work: fn()) -> Cluster<'c> {
/// let arrived: Arrived = cluster.arrive();
/// work(); // with the CTA's own memory
/// arrived.wait()
/// # }
/// ```
#[must_use = "a thread that has arrived has to wait before it can arrive again: call `.wait()`"]
#[derive(Debug)]
pub struct Arrived<'c> {
    cta: &'c Cta,
    _scope: Brand<'c>,
}

static_assertions::assert_not_impl_any!(Cluster<'static>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Arrived<'static>: Copy, Clone, Send, Sync);

#[inline(always)]
fn arrive() {
    // SAFETY: 9.7.13.3: "Each thread must arrive at the barrier only once before the barrier completes." Every arrival is
    // followed by a wait before the next: in `sync`, or because `Arrived` has taken the `Cluster` and the scope's `&mut Cta`
    // keeps others from being opened.
    unsafe { raw::barrier_cluster_arrive(sem::Release, Unaligned) }
}

#[inline(always)]
fn wait() {
    // SAFETY: this thread has arrived, see `arrive`.
    unsafe { raw::barrier_cluster_wait(Unaligned) }
}

impl Cta {
    /// Lends memory to a scope of the whole cluster. `body` gets the [`Cluster`] and the handles, and has to return
    /// both: the handles idle, the cluster not between an arrive and its wait. The scope's lifetime belongs to this call
    /// alone, so nothing that stands for a peer's memory can leave it.
    ///
    /// A cluster call: all threads of all CTAs of the cluster make it. There is one scope at a time.
    ///
    /// PTX, at the beginning and at the end: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, tile: SharedArray<u32, 128>) {
    /// cta.cluster(tile, |cluster, tile| {
    ///     let rank = cluster.rank();
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
    pub fn cluster<H: Lend>(
        &mut self,
        handles: H,
        body: impl for<'c> FnOnce(Cluster<'c>, H::Lent<'c>) -> (Cluster<'c>, H::Lent<'c>),
    ) -> H {
        // All CTAs have begun, and what each did to its memory before is visible to all.
        arrive();
        wait();
        let cluster = Cluster { cta: self, _scope: PhantomData };
        // SAFETY: `'c` is this call's alone, so what `body` returns comes from this loan.
        let (cluster, lent) = unsafe { body(cluster, handles.open()) };
        // No CTA exits, or uses its memory otherwise, before all have come here.
        cluster.sync();
        // SAFETY: as above.
        unsafe { H::give_back(lent) }
    }
}

impl<'c> Cluster<'c> {
    /// The executing CTA, for the collective calls of its threads alone.
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>, value: u32) {
    /// let sum: u32 = cluster.cta().warp().reduce_add(value); // a call of this CTA's threads alone
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta(&self) -> &'c Cta {
        self.cta
    }

    /// The CTA's rank in the cluster, less than [`size`](Cluster::size).
    ///
    /// PTX: `mov.u32 d, %cluster_ctarank;`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let is_first = cluster.rank() == 0;
    /// # }
    /// ```
    #[inline(always)]
    pub fn rank(&self) -> u32 {
        raw::cluster_ctarank()
    }

    /// How many CTAs the cluster has.
    ///
    /// PTX: `mov.u32 d, %cluster_nctarank;`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let next = (cluster.rank() + 1) % cluster.size();
    /// # }
    /// ```
    #[inline(always)]
    pub fn size(&self) -> u32 {
        raw::cluster_nctarank()
    }

    /// The cluster's extents in CTAs, x first.
    ///
    /// PTX: `mov.u32 d, %cluster_nctaid.x;`, `.y`, `.z`
    ///
    /// ```
    /// # fn body(cluster: &ptx::cluster::Cluster<'_>) {
    /// let [x, y, z] = cluster.shape();
    /// let size = x * y * z; // `cluster.size()`
    /// # }
    /// ```
    #[inline(always)]
    pub fn shape(&self) -> [u32; 3] {
        [raw::cluster_nctaid_x(), raw::cluster_nctaid_y(), raw::cluster_nctaid_z()]
    }

    /// Where the CTA is in the cluster, x first.
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
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
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

    /// The first half of [`sync`](Cluster::sync). What is done before the other half, with the CTA's own memory or with
    /// what is already published, is ordered neither before nor after what other CTAs do.
    ///
    /// PTX: `barrier.cluster.arrive.release;`
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
    pub fn arrive(self) -> Arrived<'c> {
        arrive();
        Arrived { cta: self.cta, _scope: PhantomData }
    }
}

impl<'c> Arrived<'c> {
    /// The executing CTA, for the collective calls of its threads alone.
    ///
    /// ```
    /// # fn body<'c>(cluster: ptx::cluster::Cluster<'c>, value: u32) -> ptx::cluster::Cluster<'c> {
    /// let arrived = cluster.arrive();
    /// let _sum: u32 = arrived.cta().warp().reduce_add(value); // while others arrive
    /// arrived.wait()
    /// # }
    /// ```
    #[inline(always)]
    pub fn cta(&self) -> &'c Cta {
        self.cta
    }

    /// The second half of [`Cluster::sync`]. A cluster call.
    ///
    /// PTX: `barrier.cluster.wait.acquire;`
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

/// State of a [`ClusterShared`]: every CTA may read every other's. `After` is the state of its memory afterwards.
///
/// ```
/// # use ptx::{cluster::{Cluster, ClusterShared, ReadOnly}, shared::{Loaded, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Loaded>) {
/// let tile: ClusterShared<f32, 64, ReadOnly<Loaded>> = cluster.publish(tile);
/// let tile: Shared<f32, 64, Loaded> = tile.close(cluster);
/// # }
/// ```
#[derive(Debug)]
pub struct ReadOnly<After>(PhantomData<After>);
/// State of a [`ClusterShared`]: every CTA may write into every other's.
///
/// ```
/// # use ptx::{cluster::{Cluster, ClusterShared, Open}, shared::{Free, Published, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Free>) {
/// let tile: ClusterShared<f32, 64, Open> = cluster.open(tile);
/// let tile: Shared<f32, 64, Published> = tile.close(cluster);
/// # }
/// ```
#[derive(Debug)]
pub enum Open {}

impl<After> Sealed for ReadOnly<After> {}
impl Sealed for Open {}

/// States of shared memory that the cluster may read.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be published to the cluster",
    label = "it holds nothing that a peer could read",
    note = "publish what was written (`.write(cta, …)`) or loaded; to let peers write into it, use `cluster.open(…)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Publishable: Sealed {
    /// The state afterwards.
    type After;
}
impl Publishable for Written {
    type After = Published;
}
impl Publishable for Published {
    type After = Published;
}
impl Publishable for Loaded {
    type After = Loaded;
}

/// States of shared memory that the cluster may write into.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be opened to the cluster",
    label = "not for peers to write into",
    note = "open memory that is `Free`, or that was written or loaded and keeps its contents; `Fenced` memory is freed by `.into_free()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Openable: Sealed {}
impl Openable for Free {}
impl Openable for Written {}
impl Openable for Published {}
impl Openable for Loaded {}

/// States of a [`ClusterShared`] in which it is read.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be read",
    label = "peers may be writing into it",
    note = "end the writing with `.close(&cluster)`, then `cluster.publish(…)` lets the whole cluster read"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerReadable: Sealed {}
impl<After> PeerReadable for ReadOnly<After> {}

/// States of a [`ClusterShared`] in which it is written.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be written",
    label = "it was published for reading",
    note = "`cluster.open(…)`, in place of `cluster.publish(…)`, lets the whole cluster write"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerWritable: Sealed {}
impl PeerWritable for Open {}

/// States of a [`ClusterShared`] in which it is accessed by atomic operations.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` has no atomic elements",
    label = "not atomic now",
    note = "`cluster.open_atomic(…)`, in place of `open` or `publish`, is for atomic operations of the whole cluster"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerAtomic: Sealed {}
impl PeerAtomic for Atomic {}

/// `N` elements of shared memory that every CTA of the cluster has at the same place, and that all of them may read or
/// write, as the state says.
///
/// ```
/// # use ptx::{cluster::Cluster, shared::{Free, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
/// let words = cluster.publish(words.write(cluster.cta(), |i| i as u32));
/// let next = (cluster.rank() + 1) % cluster.size();
/// let _of_the_next = words.peer(next).and_then(|peer| peer.get(7));
/// let words = words.close(cluster);
/// # }
/// ```
#[must_use = "the scope has to return this memory: end its use with `.close(&cluster)`"]
#[derive(Debug)]
pub struct ClusterShared<'c, T, const N: usize, State> {
    addr: u32,
    _scope: Brand<'c>,
    _elements: PhantomData<(*mut [T; N], State)>,
}

impl<'c> Cluster<'c> {
    /// Lets the whole cluster read what each CTA has in `memory`.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Loaded, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Loaded>) {
    /// let tile = cluster.publish(tile);
    /// let firsts = (0..cluster.size()).filter_map(|rank| tile.peer(rank)?.get(0));
    /// let _sum: f32 = firsts.sum();
    /// let tile = tile.close(cluster); // loaded, as before
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish<T: Element, const N: usize, S: Publishable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> ClusterShared<'c, T, N, ReadOnly<S::After>> {
        self.sync();
        ClusterShared::new(memory.addr())
    }

    /// Lets the whole cluster write into the `memory` of each CTA, which keeps what it holds.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Shared, Free}};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
    /// let words = cluster.open(words);
    /// if let Some(first) = words.peer(0) {
    ///     first.set(cluster.rank() as usize, 5);
    /// }
    /// let words = words.close(cluster);
    /// let _of_the_second = words.get(1);
    /// # }
    /// ```
    #[inline(always)]
    pub fn open<T: Element, const N: usize, S: Openable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> ClusterShared<'c, T, N, Open> {
        self.sync();
        ClusterShared::new(memory.addr())
    }

    /// Lets the whole cluster access the `memory` of each CTA by atomic operations.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, qualifier::sem, shared::{Shared, Free}};
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: Shared<'c, u32, 64, Free>) {
    /// let bins = cluster.open_atomic(bins.write(cluster.cta(), |_| 0));
    /// if let Some(bin) = bins.peer(1).and_then(|peer| peer.atomic(17)) {
    ///     bin.add(1, sem::Relaxed);
    /// }
    /// let bins = bins.close(cluster);
    /// let _count = bins.get(17);
    /// # }
    /// ```
    #[inline(always)]
    pub fn open_atomic<T: AtomicValue + Element, const N: usize, S: IntoAtomic>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> ClusterShared<'c, T, N, Atomic> {
        self.sync();
        ClusterShared::new(memory.addr())
    }
}

impl<'c, T: Element, const N: usize, State> ClusterShared<'c, T, N, State> {
    #[inline(always)]
    fn new(addr: u32) -> Self {
        ClusterShared { addr, _scope: PhantomData, _elements: PhantomData }
    }

    /// The memory of the CTA of that rank, one's own included, or `None` where the cluster has no such CTA.
    ///
    /// PTX: `mapa.shared::cluster.u32 d, addr, rank;`
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterShared, Open};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: &ClusterShared<'c, u32, 64, Open>) {
    /// if let Some(above) = words.peer(cluster.rank() + 1) {
    ///     above.set(0, 5); // the last CTA has none above
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn peer(&self, rank: u32) -> Option<Peer<'_, T, N, State>> {
        if rank >= raw::cluster_nctarank() {
            return None;
        }
        // SAFETY: an address in shared memory, and the cluster has the rank. By the contract of `enter` the array lies at
        // the same place there.
        let addr = unsafe { raw::mapa_shared_cluster(self.addr, rank) };
        Some(Peer { addr, _borrow: PhantomData, _elements: PhantomData })
    }

    /// The number of elements in each CTA.
    ///
    /// ```
    /// # fn body(words: &ptx::cluster::ClusterShared<'_, u32, 64, ptx::cluster::Open>) {
    /// let len = words.len(); // 64
    /// # }
    /// ```
    #[inline(always)]
    pub const fn len(&self) -> usize {
        N
    }

    /// Whether there are none.
    ///
    /// ```
    /// # fn body(words: &ptx::cluster::ClusterShared<'_, u32, 64, ptx::cluster::Open>) {
    /// let none = words.is_empty(); // false
    /// # }
    /// ```
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
}

impl<'c, T: Element, const N: usize, After> ClusterShared<'c, T, N, ReadOnly<After>> {
    /// Element `i` of the executing CTA, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{cluster::{ClusterShared, ReadOnly}, shared::Published};
    /// # fn body(words: &ClusterShared<'_, u32, 64, ReadOnly<Published>>) {
    /// let mine = words.get(17);
    /// let of_the_first = words.peer(0).and_then(|peer| peer.get(17));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; by the state nobody writes.
        (i < N).then(|| unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// Waits until all CTAs have read what they want.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, ClusterShared, ReadOnly}, shared::Loaded};
    /// # fn body<'c>(cluster: &Cluster<'c>, tile: ClusterShared<'c, f32, 64, ReadOnly<Loaded>>) {
    /// let tile = tile.close(cluster);
    /// let tile = tile.release(cluster.cta()); // free for the next load
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, After> {
        cluster.sync();
        Shared::new(self.addr)
    }
}

impl<'c, T: Element, const N: usize> ClusterShared<'c, T, N, Open> {
    /// Waits until all CTAs have written what they want, which is then visible to the threads of the memory's CTA.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterShared, Open};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: ClusterShared<'c, u32, 64, Open>) {
    /// let words = words.close(cluster);
    /// let _from_a_peer = words.get(0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, Published> {
        cluster.sync();
        Shared::new(self.addr)
    }
}

impl<'c, T: Element, const N: usize> ClusterShared<'c, T, N, Atomic> {
    /// Waits until all CTAs have done what they want, which is then visible to the threads of the memory's CTA.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, cluster::{Cluster, ClusterShared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: ClusterShared<'c, u32, 64, Atomic>) {
    /// let bins = bins.close(cluster);
    /// let _count = bins.get(0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, Published> {
        cluster.sync();
        Shared::new(self.addr)
    }
}

/// The memory of one CTA of the cluster, as [`ClusterShared::peer`] gives it.
///
/// ```
/// # use ptx::{cluster::{ClusterShared, Peer, ReadOnly}, shared::Published};
/// # fn body(words: &ClusterShared<'_, u32, 64, ReadOnly<Published>>) {
/// let first: Option<Peer<u32, 64, _>> = words.peer(0);
/// let sum = first.and_then(|peer| Some(peer.get(0)? + peer.get(1)?));
/// # }
/// ```
#[derive(Debug)]
pub struct Peer<'a, T, const N: usize, State> {
    addr: u32,
    /// The memory is not closed meanwhile.
    _borrow: PhantomData<&'a ()>,
    _elements: PhantomData<(*mut [T; N], State)>,
}

impl<T, const N: usize, State> Clone for Peer<'_, T, N, State> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize, State> Copy for Peer<'_, T, N, State> {}

impl<'a, T: Element, const N: usize, State> Peer<'a, T, N, State> {
    #[inline(always)]
    fn element(&self, i: usize) -> Option<u32> {
        (i < N).then(|| self.addr + (i * size_of::<T>()) as u32)
    }

    #[inline(always)]
    fn vector(&self, i: usize) -> Option<u32> {
        (i < N * size_of::<T>() / 16).then(|| self.addr + 16 * i as u32)
    }

    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cluster`
    ///
    /// ```
    /// # use ptx::{cluster::{Peer, ReadOnly}, shared::Published};
    /// # fn body(peer: Peer<'_, u32, 64, ReadOnly<Published>>) {
    /// let last = peer.get(63);
    /// let past_the_end = peer.get(64); // `None`
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: PeerReadable,
    {
        // SAFETY: in bounds; the CTA is alive in the scope; by the state nobody writes.
        self.element(i).map(|addr| unsafe { T::load_cluster(addr) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cluster.v4.b32`
    ///
    /// ```
    /// # use ptx::{cluster::{Peer, ReadOnly}, shared::Published};
    /// # fn body(peer: Peer<'_, u32, 64, ReadOnly<Published>>) {
    /// if let Some([a, b, c, d]) = peer.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector>
    where
        State: PeerReadable,
    {
        // SAFETY: in bounds, and aligned since arrays are to 128; otherwise as in `get`.
        self.vector(i).map(|addr| unsafe { T::load_vector_cluster(addr) })
    }

    /// Stores element `i`; `None` past the end. Of several threads that store one element, any wins.
    ///
    /// PTX: `st.weak.shared::cluster`
    ///
    /// ```
    /// # use ptx::{cluster::{Open, Peer}, launch::Cta};
    /// # fn body(cta: &Cta, peer: Peer<'_, u32, 64, Open>) {
    /// let i = cta.thread_rank();
    /// let stored = peer.set(i as usize, 2 * i); // `None` for the threads from 64 on
    /// # }
    /// ```
    #[inline(always)]
    pub fn set(&self, i: usize, value: T) -> Option<()>
    where
        State: PeerWritable,
    {
        // SAFETY: in bounds; the CTA is alive in the scope; by the state nobody reads by ordinary loads and no copy uses
        // it. Another store at the same time leaves any bits, which is a value of an element.
        self.element(i).map(|addr| unsafe { T::store_cluster(addr, value) })
    }

    /// Stores the sixteen bytes that start at byte `16 * i`, of elements of four bytes or more; `None` past the end.
    ///
    /// PTX: `st.weak.shared::cluster.v4.b32`
    ///
    /// ```
    /// # use ptx::{cluster::{Open, Peer}, launch::Cta};
    /// # fn body(cta: &Cta, peer: Peer<'_, u32, 64, Open>) {
    /// let v = cta.thread_rank();
    /// peer.set_vector(v as usize, [4 * v, 4 * v + 1, 4 * v + 2, 4 * v + 3]); // of 16 threads
    /// # }
    /// ```
    #[inline(always)]
    pub fn set_vector(&self, i: usize, value: T::Vector) -> Option<()>
    where
        State: PeerWritable,
    {
        const {
            assert!(
                size_of::<T>() >= 4,
                "a vector of narrow elements is stored as words, and would race with `set` in another size: use elements of 4 bytes or more"
            )
        };
        // SAFETY: in bounds, and aligned since arrays are to 128; by the size of the elements it is stored as such; otherwise as
        // in `set`.
        self.vector(i).map(|addr| unsafe { T::store_vector_cluster(addr, value) })
    }

    /// Element `i`, for atomic operations of cluster scope; `None` past the end.
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, cluster::Peer, qualifier::sem};
    /// # fn body(peer: Peer<'_, u32, 64, Atomic>) {
    /// if let Some(bin) = peer.atomic(17) {
    ///     bin.add(1, sem::Relaxed); // red.relaxed.cluster.shared::cluster.add.u32
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> Option<AtomicRef<'a, T, scope::Cluster, space::SharedCluster>>
    where
        T: AtomicValue,
        State: PeerAtomic,
    {
        // SAFETY: in bounds and aligned; the CTA is alive in the scope; in this state, which lasts as long as the borrow,
        // all CTAs access the elements by this method alone.
        self.element(i).map(|addr| unsafe { AtomicRef::new(addr) })
    }
}

/// Elements that `red.async` adds.
///
/// ```
/// use ptx::cluster::{AddAsync, ByElement, Cluster, Inbox};
/// fn count<'c, T: AddAsync>(cluster: &Cluster<'c>, inbox: Inbox<'c, T, 64, ByElement>, mine: T) {
///     let received = inbox.add_to_others(cluster, |_| mine).receive(cluster.cta());
///     let _inbox = received.release(cluster);
/// }
/// ```
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`red.async` does not add elements of `{Self}`",
    label = "not `u32`, `i32` or `u64`",
    note = "`red.async.add` takes `.u32`, `.s32` and `.u64` (PTX ISA 9.7.13.7)"
)]
pub unsafe trait AddAsync: Element {
    /// # Safety
    ///
    /// As [`raw::red_async_add`].
    #[doc(hidden)]
    unsafe fn red_async(self, addr: u32, mbar: u32);
}

macro_rules! add_async {
    ($( $T:ty: $Tag:ident; )*) => { $(
        // SAFETY: the tag's type is this one.
        unsafe impl AddAsync for $T {
            #[inline(always)]
            unsafe fn red_async(self, addr: u32, mbar: u32) {
                // SAFETY: the caller's contract.
                unsafe { raw::red_async_add(space::SharedCluster, ty::$Tag, addr, self, mbar) }
            }
        }
    )* };
}
add_async! { u32: U32; i32: S32; u64: U64; }

/// A way for each CTA of the cluster to another one, such that each sends to one and receives from one.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Inbox, Route};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
/// let next: Option<Route> = cluster.rotation(1);
/// if let Some(next) = next {
///     let inbox = inbox.store(cluster, next, |_| 1).receive(cluster.cta()).release(cluster);
///     let _sent = inbox.store(cluster, next, |_| 2).receive(cluster.cta()); // the same way again
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Route<'c> {
    to: u32,
    from: u32,
    _scope: Brand<'c>,
}

impl<'c> Cluster<'c> {
    /// From each CTA to the one whose rank is greater by `by`, and from the last ones on to the first. `None` unless `by` is
    /// in `1 .. size`: a cluster of one CTA has no other.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, mine: u32) {
    /// let mut max = mine;
    /// for route in (1..cluster.size()).filter_map(|by| cluster.rotation(by)) {
    ///     let received = inbox.store(cluster, route, |_| mine).receive(cluster.cta());
    ///     max = max.max(received.get(0).unwrap_or(0)); // of each other CTA in turn
    ///     inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rotation(&self, by: u32) -> Option<Route<'c>> {
        let size = self.size();
        if by == 0 || by >= size {
            return None;
        }
        let modulo = |rank| if rank >= size { rank - size } else { rank };
        let (to, from) = (modulo(self.rank() + by), modulo(self.rank() + size - by));
        Some(Route { to, from, _scope: PhantomData })
    }

    /// Between the CTAs whose ranks differ by the bits of `mask`. `None` unless the cluster's size is a power of two and
    /// `mask` is in `1 .. size`.
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, mut inbox: Inbox<'c, u32, 64, ByElement>, of_this_cta: u32) {
    /// let (mut sum, mut mask) = (of_this_cta, 1);
    /// while let Some(route) = cluster.exchange(mask) {
    ///     let received = inbox.store(cluster, route, |_| sum).receive(cluster.cta());
    ///     (sum, mask) = (sum + received.get(0).unwrap_or(0), 2 * mask); // of 2, 4, … CTAs
    ///     inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn exchange(&self, mask: u32) -> Option<Route<'c>> {
        let size = self.size();
        if mask == 0 || mask >= size || !size.is_power_of_two() {
            return None;
        }
        let other = self.rank() ^ mask;
        Some(Route { to: other, from: other, _scope: PhantomData })
    }
}

/// Bulk copies fill the [`Mailbox`]: whole tiles, through the async proxy.
///
/// ```
/// # use ptx::{cluster::{ByTile, Mailbox}, launch::Cta};
/// ptx::shared_memory! { struct Smem { tiles: Mailbox<f32, 1024, ByTile> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let tiles = smem.tiles.init(cta);
/// # }
/// ```
#[derive(Debug)]
pub enum ByTile {}
/// Threads of other CTAs fill the [`Mailbox`], by `st.async` and `red.async`.
///
/// ```
/// # use ptx::{cluster::{ByElement, Mailbox}, launch::Cta};
/// ptx::shared_memory! { struct Smem { sums: Mailbox<u32, 128, ByElement> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let sums = smem.sums.init(cta, |_| 0);
/// # }
/// ```
#[derive(Debug)]
pub enum ByElement {}
/// Bulk copies fill the [`Mailbox`] along one [`Route`], tile after tile, as a [`Channel`]. It has a second mbarrier, where
/// the receiver says that it has read.
///
/// ```
/// # use ptx::{cluster::{ByRoute, Mailbox}, launch::Cta};
/// ptx::shared_memory! { struct Smem { stream: Mailbox<f32, 1024, ByRoute> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let stream = smem.stream.init(cta);
/// # }
/// ```
#[derive(Debug)]
pub enum ByRoute {}

/// What fills a [`Mailbox`]. It is part of the type because a change would need a proxy fence (9.7.9.25.2).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what fills a mailbox",
    label = "not `ByTile`, `ByElement` or `ByRoute`",
    note = "`ByTile`: bulk copies of whole tiles; `ByElement`: `st.async` and `red.async` of threads; `ByRoute`: the tiles of a `Channel`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Via: Sealed {
    /// What can arrive in one phase: this many times the mailbox.
    #[doc(hidden)]
    const TIMES: usize;
    /// The mbarriers that it has.
    #[doc(hidden)]
    const MBARRIERS: u32 = 1;
}
impl Sealed for ByTile {}
impl Sealed for ByElement {}
impl Sealed for ByRoute {}
impl Via for ByTile {
    const TIMES: usize = 1;
}
impl Via for ByRoute {
    const TIMES: usize = 1;
    const MBARRIERS: u32 = 2;
}
impl Via for ByElement {
    // The other CTAs of the largest cluster.
    const TIMES: usize = 15;
}

/// `N` elements of shared memory with the mbarrier that counts what arrives in them: a datum and its mbarrier cannot
/// come from different CTAs. Outside a cluster's scope it is at rest; inside it is an [`Inbox`].
///
/// ```
/// # use ptx::{cluster::{ByElement, Mailbox}, launch::Cta};
/// ptx::shared_memory! { struct Smem { mailbox: Mailbox<u32, 128, ByElement> } }
/// # fn kernel(cta: &mut Cta, smem: Smem) {
/// let mailbox = smem.mailbox.init(cta, |_| 0);
/// let mailbox = cta.cluster(mailbox, |cluster, inbox| {
///     let inbox = inbox.add_to_others(&cluster, |i| i as u32).receive(cluster.cta()).release(&cluster);
///     (cluster, inbox)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct Mailbox<T, const N: usize, V, Phase = Uninit> {
    addr: u32,
    /// Of the mbarrier's current phase.
    parity: u32,
    _elements: PhantomData<(*mut [T; N], V, Phase)>,
}

static_assertions::assert_not_impl_any!(Mailbox<u32, 4, ByTile>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Mailbox<u32, 4, ByTile, Ready>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Inbox<'static, u32, 4, ByTile>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Channel<'static, u32, 4>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(ClusterShared<'static, u32, 4, Open>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Peer<'static, u32, 4, Open>: Send, Sync);
static_assertions::assert_not_impl_any!(Route<'static>: Send, Sync);

/// The bytes of the tile; its mbarriers follow.
const fn mailbox_bytes<T: Element, const N: usize, V: Via>() -> u32 {
    let bytes = tile_bytes::<T, N>();
    assert!(
        V::TIMES * bytes < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most, and 15 CTAs may send to this mailbox: choose fewer elements (PTX ISA 9.7.13.15.2)"
    );
    bytes as u32
}

// SAFETY: the tile and the mbarriers behind it, aligned as both want: the tile is of a multiple of 16 bytes.
unsafe impl<T: Element, const N: usize, V: Via> Place for Mailbox<T, N, V> {
    const SIZE: u32 = mailbox_bytes::<T, N, V>() + 8 * V::MBARRIERS;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        Mailbox { addr, parity: 0, _elements: PhantomData }
    }
}

// SAFETY: an inbox has nothing in flight, and only a cluster's scope of the same lifetime can use it.
unsafe impl<T: Element, const N: usize, V: Via> Lend for Mailbox<T, N, V, Ready> {
    type Lent<'s> = Inbox<'s, T, N, V>;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Inbox<'s, T, N, V> {
        Inbox { addr: self.addr, parity: self.parity, _scope: PhantomData, _elements: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Inbox<'_, T, N, V>) -> Self {
        Mailbox { addr: lent.addr, parity: lent.parity, _elements: PhantomData }
    }
}

impl<T: Element, const N: usize, V: Via> Mailbox<T, N, V> {
    const BAR: u32 = mailbox_bytes::<T, N, V>();

    #[inline(always)]
    fn init_mbarrier(self, cta: &Cta, fence: impl FnOnce()) -> Mailbox<T, N, V, Ready> {
        if cta.is_elected() {
            for i in 0..V::MBARRIERS {
                // SAFETY: the handle is the only one of its memory, which holds no valid mbarrier; the count is 1.
                unsafe { raw::mbarrier_init(space::SharedCta, self.addr + Self::BAR + 8 * i, 1) };
            }
            raw::fence_mbarrier_init();
            fence();
        }
        // The barrier at the beginning of a cluster's scope tells the others.
        Mailbox { addr: self.addr, parity: 0, _elements: PhantomData }
    }
}

impl<T: Element, const N: usize> Mailbox<T, N, ByTile> {
    /// Makes it ready for a cluster's scope.
    ///
    /// PTX, by the elected thread: `mbarrier.init.shared::cta.b64 [bar], 1;` `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<f32, 1024, ByTile>) {
    /// let mailbox = mailbox.init(cta);
    /// let mailbox = cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the mailbox through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta) -> Mailbox<T, N, ByTile, Ready> {
        // The async proxy of other CTAs sees the mbarrier.
        self.init_mbarrier(cta, || raw::fence_proxy_async(space::SharedCta))
    }
}

impl<T: Element, const N: usize> Mailbox<T, N, ByRoute> {
    /// Makes it ready for a cluster's scope.
    ///
    /// PTX, by the elected thread: `mbarrier.init.shared::cta.b64 [bar], 1;` twice, `fence.mbarrier_init.release.cluster;`
    /// `fence.proxy.async.shared::cta;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByRoute, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<f32, 1024, ByRoute>) {
    /// let mailbox = mailbox.init(cta);
    /// let mailbox = cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the mailbox through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta) -> Mailbox<T, N, ByRoute, Ready> {
        self.init_mbarrier(cta, || raw::fence_proxy_async(space::SharedCta))
    }
}

impl<T: Element, const N: usize> Mailbox<T, N, ByElement> {
    /// Makes it ready for a cluster's scope, element `i` being `f(i)`. Each thread does its share, sixteen bytes at a time.
    ///
    /// PTX, by the elected thread: `mbarrier.init.shared::cta.b64 [bar], 1;` `fence.mbarrier_init.release.cluster;`, per
    /// sixteen bytes: `st.weak.shared::cta.v4.b32`
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByElement>) {
    /// let mailbox = mailbox.init(cta, |i| i as u32); // what others add comes on top
    /// let mailbox = cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the mailbox through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta, f: impl FnMut(usize) -> T) -> Mailbox<T, N, ByElement, Ready> {
        let mailbox = self.init_mbarrier(cta, || ());
        // SAFETY: the memory is this mailbox's, and only others use it from the barrier of a cluster's scope on.
        unsafe { fill::<T, N>(cta, mailbox.addr, f) };
        mailbox
    }
}

impl<T: Element, const N: usize, V: Via> Mailbox<T, N, V, Ready> {
    /// Ends the life of its mbarrier, or of both.
    ///
    /// PTX, by the elected thread: `mbarrier.inval.shared::cta.b64 [bar];` for each
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<f32, 1024, ByTile>) {
    /// let mailbox = mailbox.init(cta);
    /// let mailbox = cta.cluster(mailbox, |cluster, inbox| (cluster, inbox));
    /// let mailbox = mailbox.inval(cta); // as it was before `init`
    /// # }
    /// ```
    #[inline(always)]
    pub fn inval(self, cta: &Cta) -> Mailbox<T, N, V> {
        if cta.is_elected() {
            for i in 0..V::MBARRIERS {
                // SAFETY: valid by its phase; all threads that waited on it have passed the barrier at the end of the
                // cluster's scope, with nothing in flight. This same thread initialises it again, if any.
                unsafe { raw::mbarrier_inval(space::SharedCta, self.addr + Mailbox::<T, N, V>::BAR + 8 * i) };
            }
        }
        Mailbox { addr: self.addr, parity: 0, _elements: PhantomData }
    }
}

/// Stores `f(i)` to each element.
///
/// # Safety
///
/// `N` elements lie at `addr`, aligned to 16 bytes; nobody else uses them.
#[inline(always)]
unsafe fn fill<T: Element, const N: usize>(cta: &Cta, addr: u32, mut f: impl FnMut(usize) -> T) {
    for_each_vector::<T, N>(cta, |v| {
        // SAFETY: in bounds by `for_each_vector`, and this thread's; the rest is the caller's.
        unsafe { T::store_vector(addr + 16 * v, vector::<T>(v, &mut f)) }
    });
}

/// The elements of vector `v`.
#[inline(always)]
fn vector<T: Element>(v: u32, f: &mut impl FnMut(usize) -> T) -> T::Vector {
    // SAFETY: all-zero bits are a value of every element.
    let mut vector = unsafe { core::mem::zeroed::<T::Vector>() };
    let first = v as usize * vector.as_ref().len();
    for (lane, value) in vector.as_mut().iter_mut().enumerate() {
        *value = f(first + lane);
    }
    vector
}

/// A [`Mailbox`] inside the cluster's scope `'c`: in every CTA of the cluster its mbarrier is valid, in the same phase, and
/// nothing is under way.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Inbox};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) -> Inbox<'c, u32, 64, ByElement> {
/// let received = inbox.add_to_others(cluster, |_| 1).receive(cluster.cta());
/// received.release(cluster) // an inbox again
/// # }
/// ```
#[must_use = "the scope has to return this handle: keep it"]
#[derive(Debug)]
pub struct Inbox<'c, T, const N: usize, V> {
    addr: u32,
    parity: u32,
    _scope: Brand<'c>,
    _elements: PhantomData<(*mut [T; N], V)>,
}

/// A mailbox that others are filling: in every CTA of the cluster. It owns what is being sent from here.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Inbox, Sent};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>, work: fn()) {
/// let sent: Sent<u32, 64, ByElement, ()> = inbox.add_to_others(cluster, |_| 1);
/// work(); // while it is under way
/// let received = sent.receive(cluster.cta());
/// # let _inbox = received.release(cluster);
/// # }
/// ```
#[must_use = "what is under way has to be received: call `.receive(cta)`"]
#[derive(Debug)]
pub struct Sent<'c, T, const N: usize, V, Src> {
    inbox: Inbox<'c, T, N, V>,
    src: Src,
}

/// A mailbox that has received what was sent to it, and is readable.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Received, Sent};
/// # fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 64, ByElement, ()>) {
/// let received: Received<u32, 64, ByElement, ()> = sent.receive(cluster.cta());
/// let _sum = (0..64).filter_map(|i| received.get(i)).sum::<u32>();
/// let inbox = received.release(cluster);
/// # }
/// ```
#[must_use = "the scope has to return the mailbox: call `.release(&cluster)`"]
#[derive(Debug)]
pub struct Received<'c, T, const N: usize, V, Src> {
    inbox: Inbox<'c, T, N, V>,
    src: Src,
}

impl<'c, T: Element, const N: usize, V: Via> Inbox<'c, T, N, V> {
    const BYTES: u32 = mailbox_bytes::<T, N, V>();

    #[inline(always)]
    fn bar(&self) -> u32 {
        self.addr + Self::BYTES
    }

    /// Makes the current phase of the CTA's own mbarrier expect `bytes`. Others may have sent some already: the tx-count is
    /// then below zero for a while, which its range allows, and the phase cannot complete before this arrival.
    ///
    /// # Safety
    ///
    /// The cluster call that this is part of makes the other CTAs send exactly `bytes` to this mailbox, at most 2^20 - 1.
    #[inline(always)]
    unsafe fn expect(&self, cta: &Cta, bytes: u32) {
        if cta.is_elected() {
            // SAFETY: valid in an `Inbox`; this is the phase's one arrival, and all threads have waited for the phase
            // before: a barrier is in between, of the cluster or, in a `Channel`, of the CTA.
            unsafe {
                raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, self.bar(), bytes)
            };
        }
    }

    /// Expects a tile and sends one. The caller owns `src` until the receiver has waited.
    #[inline(always)]
    fn send_tile<S: AsyncSource>(&self, cta: &Cta, route: Route<'c>, src: &Shared<'_, T, N, S>) {
        // SAFETY: by the route, one CTA sends one tile here.
        unsafe { self.expect(cta, Self::BYTES) };
        if cta.is_elected() {
            // SAFETY: 9.7.9.25.4.1: "the destination has to be in the shared memory of a different CTA within the cluster": a
            // route leads to another. The mailbox is ready there, and the copy signals the mbarrier of the tile that it
            // fills. The type proves the size; arrays are aligned to 128 bytes; by its state the source is visible to
            // the async proxy.
            unsafe {
                let (dst, mbar) = self.of(route.to);
                raw::cp_async_bulk_shared_cluster_shared_cta(dst, src.addr(), Self::BYTES, mbar);
            }
        }
    }

    /// Waits for the current phase.
    #[inline(always)]
    fn wait(&self) {
        // SAFETY: the CTA's own mbarrier, valid; the parity is of the phase that `expect` armed. The next is armed after a
        // barrier that follows this wait in every thread. Of the cluster's scope, as the complete-tx of another CTA is.
        while !unsafe {
            raw::mbarrier_try_wait_parity(
                sem::Acquire,
                scope::Cluster,
                space::SharedCta,
                self.bar(),
                self.parity,
            )
        } {}
    }

    /// The tile and the mbarrier of this mailbox in the CTA of that rank.
    ///
    /// # Safety
    ///
    /// The cluster has the rank.
    #[inline(always)]
    unsafe fn of(&self, rank: u32) -> (u32, u32) {
        // SAFETY: addresses in shared memory, and the caller's. By the contract of `enter` the mailbox lies at the same
        // place there.
        unsafe { (raw::mapa_shared_cluster(self.addr, rank), raw::mapa_shared_cluster(self.bar(), rank)) }
    }
}

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByTile> {
    /// Each CTA sends the tile `src` along `route`, and expects one from the CTA that sends to it.
    ///
    /// PTX, by the elected thread: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`
    /// `mapa.shared::cluster.u32` of the tile and of its mbarrier,
    /// `cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dst], [src], bytes, [mbar];`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: Shared<'c, f32, 1024, Fenced>) {
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let received = inbox.send(cluster, to_the_next, src).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let (_inbox, _src) = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn send<'s, S: AsyncSource>(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        src: Shared<'s, T, N, S>,
    ) -> Sent<'c, T, N, ByTile, Shared<'s, T, N, S>> {
        self.send_tile(cluster.cta, route, &src);
        Sent { inbox: self, src }
    }

    /// Loads one tile into the mailbox of every CTA of the cluster: the `src` of the CTA of rank 0.
    ///
    /// PTX, by the elected thread: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;`, of rank 0 besides:
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [dst], [src], bytes, [bar],
    /// ctaMask;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Inbox}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: GlobalTile<f32, 1024>) {
    /// let received = inbox.multicast(cluster, src).receive(cluster.cta());
    /// let _first = received.get(0);
    /// let (_inbox, _src) = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        self.multicast_with(cluster, src, |dst, src, size, mbar, mask| {
            // SAFETY: see `multicast_with`.
            unsafe { raw::cp_async_bulk_shared_cluster_global_multicast_cluster(dst, src, size, mbar, mask) }
        })
    }

    /// [`multicast`](Inbox::multicast) under an L2 cache policy.
    ///
    /// PTX: as [`multicast`](Inbox::multicast), with
    /// `cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [dst], [src],
    /// bytes, [bar], ctaMask, policy;`
    ///
    /// ```
    /// # use ptx::{bulk::CachePolicy, cluster::{ByTile, Cluster, Inbox}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByTile>, src: GlobalTile<f32, 1024>) {
    /// let policy = CachePolicy::evict_last(); // other clusters load it too
    /// let received = inbox.multicast_cache_hint(cluster, src, policy).receive(cluster.cta());
    /// let (_inbox, _src) = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn multicast_cache_hint(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
        policy: CachePolicy,
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        self.multicast_with(cluster, src, |dst, src, size, mbar, mask| {
            // SAFETY: see `multicast_with`.
            unsafe {
                raw::cp_async_bulk_shared_cluster_global_multicast_cluster_cache_hint(
                    dst,
                    src,
                    size,
                    mbar,
                    mask,
                    policy.bits(),
                )
            }
        })
    }

    /// `copy` starts the copy with the operands that it gets, for which this holds: the mask is of the cluster's CTAs; all
    /// their mailboxes are ready, at the same offset; each expects one tile; the tile's type proves the size and the
    /// alignment; nobody writes the source; a scope that ends has waited for the copy in each CTA.
    #[inline(always)]
    fn multicast_with(
        self,
        cluster: &Cluster<'c>,
        src: GlobalTile<T, N>,
        copy: impl FnOnce(u32, *const u8, u32, u32, CtaMask),
    ) -> Sent<'c, T, N, ByTile, GlobalTile<T, N>> {
        // SAFETY: the one copy below brings that many bytes to each CTA.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        if cluster.rank() == 0 && cluster.cta.is_elected() {
            // A cluster has 16 CTAs at most.
            let all = CtaMask::from_bits_retain(((1_u32 << cluster.size()) - 1) as u16);
            copy(self.addr, src.base.cast(), Self::BYTES, self.bar(), all);
        }
        Sent { inbox: self, src }
    }
}

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByElement> {
    /// Each CTA stores `f(i)` to element `i` of the mailbox that `route` leads to. Each thread does its share, sixteen bytes
    /// at a time.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the elected thread; `mapa.shared::cluster.u32`
    /// of the mailbox and of its mbarrier; per sixteen bytes:
    /// `st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [a], b, [mbar];`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 512, ByElement>) {
    /// if let Some(to_the_other) = cluster.exchange(1) {
    ///     let received = inbox.store(cluster, to_the_other, |i| i as u32).receive(cluster.cta());
    ///     let _first = received.get(0);
    ///     let _inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn store(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()> {
        // SAFETY: by the route, one CTA stores each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: the cluster has the ranks of its routes.
        let (dst, mbar) = unsafe { self.of(route.to) };
        for_each_vector::<T, N>(cluster.cta, |v| {
            // SAFETY: the vector, in bounds, and the mbarrier are of one mailbox, in another CTA, where it is ready; nobody
            // reads it, and no scope ends, before the receiver's wait. Sixteen bytes of plain data.
            unsafe {
                let value: [u32; 4] = bits(vector::<T>(v, &mut f));
                raw::st_async_weak_v4(space::SharedCluster, ty::B32, dst + 16 * v, value, mbar)
            }
        });
        Sent { inbox: self, src: () }
    }

    /// Each CTA adds `f(i)` to element `i` of the mailbox that `route` leads to. Element `i` is the work of thread
    /// `i % threads`.
    ///
    /// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [bar], bytes;` by the elected thread; `mapa.shared::cluster.u32`
    /// of the mailbox and of its mbarrier; per element:
    /// `red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add [a], b, [mbar];`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let received = inbox.add(cluster, to_the_next, |i| i as u32).receive(cluster.cta());
    ///     let _of_3 = received.get(3); // 3 more than before
    ///     let _inbox = received.release(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn add(
        self,
        cluster: &Cluster<'c>,
        route: Route<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()>
    where
        T: AddAsync,
    {
        // SAFETY: by the route, one CTA adds to each element once.
        unsafe { self.expect(cluster.cta, Self::BYTES) };
        // SAFETY: the cluster has the ranks of its routes.
        let (dst, mbar) = unsafe { self.of(route.to) };
        for_each_element::<N>(cluster.cta, |i| {
            // SAFETY: 9.7.13.7: `a` and `mbar` "belong to the same CTA", which "is different from the CTA of the executing
            // thread": they are of one mailbox, and a route leads to another CTA. It is ready there, the element
            // in bounds; no scope ends before the receiver's wait.
            unsafe { f(i).red_async(dst + (i * size_of::<T>()) as u32, mbar) }
        });
        Sent { inbox: self, src: () }
    }

    /// Each CTA adds `f(i)` to element `i` of the mailboxes of all others. Element `i` is the work of thread `i % threads`.
    /// With one's own `f(i)` as the first contents, each mailbox receives the sum over the cluster.
    ///
    /// PTX: as [`add`](Inbox::add), for each other CTA
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, Mailbox}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, mailbox: Mailbox<u32, 128, ByElement>, mine: u32) {
    /// let mailbox = mailbox.init(cta, |_| 0);
    /// cta.cluster(mailbox, |cluster, inbox| {
    ///     let received = inbox.add_to_others(&cluster, |_| mine).receive(cluster.cta());
    ///     let _sum = received.get(0).map(|others| others + mine);
    ///     let inbox = received.release(&cluster);
    ///     (cluster, inbox)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn add_to_others(
        self,
        cluster: &Cluster<'c>,
        mut f: impl FnMut(usize) -> T,
    ) -> Sent<'c, T, N, ByElement, ()>
    where
        T: AddAsync,
    {
        let (rank, size) = (cluster.rank(), cluster.size());
        // SAFETY: each of the others adds to each element once; there are 15 at most, see `mailbox_bytes`.
        unsafe { self.expect(cluster.cta, (size - 1) * Self::BYTES) };
        for_each_element::<N>(cluster.cta, |i| {
            let value = f(i);
            // The next one first, so that not all begin with the same.
            let mut to = rank;
            loop {
                to += 1;
                if to == size {
                    to = 0;
                }
                if to == rank {
                    break;
                }
                // SAFETY: the cluster has the rank, and it is not this CTA's; otherwise as in `add`.
                unsafe {
                    let (dst, mbar) = self.of(to);
                    value.red_async(dst + (i * size_of::<T>()) as u32, mbar)
                }
            }
        });
        Sent { inbox: self, src: () }
    }
}

/// Calls `f` with each element that is this thread's: `rank`, `rank + threads`, …
#[inline(always)]
fn for_each_element<const N: usize>(cta: &Cta, mut f: impl FnMut(usize)) {
    let (mut i, threads) = (cta.thread_rank(), cta.thread_count());
    while i < N as u32 {
        f(i as usize);
        i += threads;
    }
}

impl<'c, T: Element, const N: usize, V: Via, Src> Sent<'c, T, N, V, Src> {
    /// Waits until everything that is sent to this CTA has arrived. A call of the CTA, not of the cluster.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Sent}, global::GlobalTile};
    /// # fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, f32, 64, ByTile, GlobalTile<f32, 64>>) {
    /// let received = sent.receive(cluster.cta());
    /// let _first = received.get(0);
    /// # let _inbox = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn receive(self, _cta: &Cta) -> Received<'c, T, N, V, Src> {
        self.inbox.wait();
        Received { inbox: Inbox { parity: self.inbox.parity ^ 1, ..self.inbox }, src: self.src }
    }

    /// Whether a [`receive`](Sent::receive) would return at once. Threads can get different answers.
    ///
    /// PTX: `mbarrier.test_wait.parity.relaxed.cluster.shared::cta.b64 waitComplete, [bar], parity;`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Sent};
    /// # fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 64, ByElement, ()>, step: fn()) {
    /// while !sent.is_complete() {
    ///     step(); // of this thread alone
    /// }
    /// let received = sent.receive(cluster.cta());
    /// # let _inbox = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        // SAFETY: as in `receive`. Relaxed: only the wait makes anything visible.
        unsafe {
            raw::mbarrier_test_wait_parity(
                sem::Relaxed,
                scope::Cluster,
                space::SharedCta,
                self.inbox.bar(),
                self.inbox.parity,
            )
        }
    }
}

impl<'c, T: Element, const N: usize, V: Via, Src> Received<'c, T, N, V, Src> {
    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Received};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    /// let mine = received.get(cluster.cta().thread_rank() as usize); // `None` for the threads from 64 on
    /// # let _inbox = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; everything has arrived, and the next comes after a barrier.
        (i < N).then(|| unsafe { T::load(self.inbox.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Received};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    /// if let Some([a, b, c, d]) = received.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # let _inbox = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds, and aligned since the mailbox is to 128; otherwise as in `get`.
        (i < N * size_of::<T>() / 16).then(|| unsafe { T::load_vector(self.inbox.addr + 16 * i as u32) })
    }
}

impl<'c, T: Element, const N: usize, Src> Received<'c, T, N, ByTile, Src> {
    /// Waits until every CTA has received and read what it wants: the mailbox is ready for more, and the source of what
    /// was sent is no longer read.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, Cluster, Received}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, Shared<'c, f32, 64, Fenced>>) {
    /// let (inbox, src) = received.release(cluster);
    /// let src = src.into_free().write(cluster.cta(), |i| i as f32); // nobody reads the source now
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, cluster: &Cluster<'c>) -> (Inbox<'c, T, N, ByTile>, Src) {
        cluster.sync();
        (self.inbox, self.src)
    }
}

impl<'c, T: Element, const N: usize> Received<'c, T, N, ByElement, ()> {
    /// Waits until every CTA has received and read what it wants: the mailbox is ready for more, and keeps what it holds.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::cluster::{ByElement, Cluster, Received};
    /// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    /// let inbox = received.release(cluster);
    /// let sent = inbox.add_to_others(cluster, |_| 1); // on top of what it holds
    /// # let _inbox = sent.receive(cluster.cta()).release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn release(self, cluster: &Cluster<'c>) -> Inbox<'c, T, N, ByElement> {
        cluster.sync();
        self.inbox
    }
}

/// A [`Mailbox`] that sends tile after tile along one [`Route`], while as many come in. Where an [`Inbox`] waits for the
/// whole cluster between two tiles, this waits for the receiver alone, which arrives on an mbarrier of the sender.
///
/// ```text
///   Inbox<ByRoute> ── along ──► Channel ── send ──► ChannelSent ── receive ──► ChannelReceived
///          ▲                     │   ▲                                              │ acknowledge
///          └──── into_inbox ─────┘   └─────────────── reclaim ─────────────── Acknowledged
/// ```
///
/// ```
/// # use ptx::{cluster::{ByRoute, Channel, Cluster, Inbox}, shared::{Fenced, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByRoute>, src: Shared<'c, f32, 64, Fenced>) {
/// # let cta = cluster.cta();
/// if let Some(to_the_next) = cluster.rotation(1) {
///     let channel: Channel<f32, 64> = inbox.along(to_the_next);
///     let (channel, _src) = channel.send(cluster, src).receive(cta).acknowledge(cta).reclaim(cta);
///     let _inbox = channel.into_inbox(cluster);
/// }
/// # }
/// ```
#[must_use = "the scope has to return the mailbox: call `.into_inbox(&cluster)`"]
#[derive(Debug)]
pub struct Channel<'c, T, const N: usize> {
    inbox: Inbox<'c, T, N, ByRoute>,
    route: Route<'c>,
}

/// A [`Channel`] whose tile is under way, as is the one that comes in. It owns the source.
///
/// ```
/// # use ptx::{cluster::{Channel, ChannelSent, Cluster}, shared::{Fenced, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, src: Shared<'c, f32, 64, Fenced>, work: fn()) {
/// let sent: ChannelSent<f32, 64, _> = channel.send(cluster, src);
/// work(); // while both tiles are under way
/// let received = sent.receive(cluster.cta());
/// # let _acknowledged = received.acknowledge(cluster.cta());
/// # }
/// ```
#[must_use = "what is under way has to be received: call `.receive(cta)`"]
#[derive(Debug)]
pub struct ChannelSent<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

/// A [`Channel`] whose incoming tile is readable.
///
/// ```
/// # use ptx::{cluster::{ChannelReceived, ChannelSent}, launch::Cta, shared::{Fenced, Shared}};
/// # fn body<'c>(cta: &Cta, sent: ChannelSent<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
/// let received: ChannelReceived<f32, 64, _> = sent.receive(cta);
/// let _first = received.get(0);
/// let acknowledged = received.acknowledge(cta);
/// # }
/// ```
#[must_use = "the sender waits for this: call `.acknowledge(cta)`"]
#[derive(Debug)]
pub struct ChannelReceived<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

/// A [`Channel`] that has told its sender, and waits to be told by its receiver.
///
/// ```
/// # use ptx::{cluster::{Acknowledged, ChannelReceived}, launch::Cta, shared::{Fenced, Shared}};
/// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>, work: fn()) {
/// let acknowledged: Acknowledged<f32, 64, _> = received.acknowledge(cta);
/// work(); // the receiver may still be reading
/// let (channel, src) = acknowledged.reclaim(cta);
/// # }
/// ```
#[must_use = "it still owns the source: call `.reclaim(cta)`"]
#[derive(Debug)]
pub struct Acknowledged<'c, T, const N: usize, Src> {
    channel: Channel<'c, T, N>,
    src: Src,
}

impl<'c, T: Element, const N: usize> Inbox<'c, T, N, ByRoute> {
    /// Makes it a channel along `route`.
    ///
    /// ```
    /// # use ptx::cluster::{ByRoute, Cluster, Inbox};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByRoute>) {
    /// if let Some(to_the_other) = cluster.exchange(1) {
    ///     let channel = inbox.along(to_the_other);
    ///     let _inbox = channel.into_inbox(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn along(self, route: Route<'c>) -> Channel<'c, T, N> {
        Channel { inbox: self, route }
    }

    /// The mbarrier where the receiver of this CTA's tiles arrives.
    #[inline(always)]
    fn credit(&self) -> u32 {
        self.bar() + 8
    }
}

impl<'c, T: Element, const N: usize> Channel<'c, T, N> {
    /// Each CTA sends the tile `src` along the route, and expects one from the CTA that sends to it.
    ///
    /// PTX: as [`Inbox::send`]
    ///
    /// ```
    /// # use ptx::{cluster::{ByRoute, Cluster, Inbox}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 1024, ByRoute>, src: Shared<'c, f32, 1024, Fenced>) {
    /// # let cta = cluster.cta();
    /// if let Some(to_the_next) = cluster.rotation(1) {
    ///     let (mut channel, mut src) = (inbox.along(to_the_next), src);
    ///     for _round in 0..4 {
    ///         let received = channel.send(cluster, src).receive(cta);
    ///         let _first = received.get(0);
    ///         (channel, src) = received.acknowledge(cta).reclaim(cta);
    ///     }
    ///     let _inbox = channel.into_inbox(cluster);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn send<'s, S: AsyncSource>(
        self,
        cluster: &Cluster<'c>,
        src: Shared<'s, T, N, S>,
    ) -> ChannelSent<'c, T, N, Shared<'s, T, N, S>> {
        self.inbox.send_tile(cluster.cta, self.route, &src);
        ChannelSent { channel: self, src }
    }

    /// Ends the channel when the channels of all CTAs have come to this point.
    ///
    /// PTX: `barrier.cluster.arrive.release;` `barrier.cluster.wait.acquire;`
    ///
    /// ```
    /// # use ptx::cluster::{Channel, Cluster};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>) {
    /// let inbox = channel.into_inbox(cluster); // for another route, or the scope's end
    /// # }
    /// ```
    #[inline(always)]
    pub fn into_inbox(self, cluster: &Cluster<'c>) -> Inbox<'c, T, N, ByRoute> {
        cluster.sync();
        self.inbox
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelSent<'c, T, N, Src> {
    /// Waits for the tile that comes in.
    ///
    /// PTX: as [`Sent::receive`]
    ///
    /// ```
    /// # use ptx::{cluster::{Channel, Cluster}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, f32, 64>, src: Shared<'c, f32, 64, Fenced>) {
    /// let received = channel.send(cluster, src).receive(cluster.cta());
    /// let _first = received.get(0);
    /// # let _acknowledged = received.acknowledge(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn receive(self, _cta: &Cta) -> ChannelReceived<'c, T, N, Src> {
        self.channel.inbox.wait();
        ChannelReceived { channel: self.channel, src: self.src }
    }
}

impl<'c, T: Element, const N: usize, Src> ChannelReceived<'c, T, N, Src> {
    /// Element `i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, launch::Cta, shared::{Fenced, Shared}};
    /// # fn body<'c>(cta: &Cta, received: &ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let mine = received.get(cta.thread_rank() as usize); // `None` for the threads from 64 on
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; the tile has arrived, and its sender sends the next when it has been told to.
        (i < N).then(|| unsafe { T::load(self.channel.inbox.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, shared::{Fenced, Shared}};
    /// # fn body<'c>(received: &ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// if let Some([a, b, c, d]) = received.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds, and aligned since the mailbox is to 128; otherwise as in `get`.
        (i < N * size_of::<T>() / 16)
            .then(|| unsafe { T::load_vector(self.channel.inbox.addr + 16 * i as u32) })
    }

    /// Gives up the contents: tells the sender when all threads of this CTA have read what they want. An arrival on the
    /// mbarrier of another CTA gives no state, and nobody here waits for it.
    ///
    /// PTX: `barrier.cta.sync 0;`, by the elected thread: `mapa.shared::cluster.u32 bar, bar, from;`
    /// `mbarrier.arrive.release.cluster.shared::cluster.b64 _, [bar];`
    ///
    /// ```
    /// # use ptx::{cluster::ChannelReceived, launch::Cta, shared::{Fenced, Shared}};
    /// # fn body<'c>(cta: &Cta, received: ChannelReceived<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let _first = received.get(0);
    /// let acknowledged = received.acknowledge(cta); // it cannot be read from here on
    /// # let _channel = acknowledged.reclaim(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn acknowledge(self, cta: &Cta) -> Acknowledged<'c, T, N, Src> {
        cta.sync();
        if cta.is_elected() {
            // SAFETY: the mbarrier is valid in all CTAs. Its count is 1, and this its one arrival in the phase: the sender
            // has waited for the phase before, or its tile would not be here (9.7.13.15.4).
            unsafe {
                let bar = raw::mapa_shared_cluster(self.channel.inbox.credit(), self.channel.route.from);
                raw::mbarrier_arrive_shared_cluster(sem::Release, scope::Cluster, bar);
            }
        }
        Acknowledged { channel: self.channel, src: self.src }
    }
}

impl<'c, T: Element, const N: usize, Src> Acknowledged<'c, T, N, Src> {
    /// Waits until the receiver has read: its mailbox is ready for more, and the source is no longer read.
    ///
    /// PTX: `mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 waitComplete, [bar], parity;` by the elected thread,
    /// repeated while false, then `barrier.cta.sync 0;`
    ///
    /// ```
    /// # use ptx::{cluster::{Acknowledged, Cluster}, shared::{Fenced, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, acknowledged: Acknowledged<'c, f32, 64, Shared<'c, f32, 64, Fenced>>) {
    /// let (channel, src) = acknowledged.reclaim(cluster.cta());
    /// let sent = channel.send(cluster, src); // the next round
    /// # let _received = sent.receive(cluster.cta());
    /// # }
    /// ```
    #[inline(always)]
    pub fn reclaim(self, cta: &Cta) -> (Channel<'c, T, N>, Src) {
        let inbox = self.channel.inbox;
        if cta.is_elected() {
            // SAFETY: the CTA's own mbarrier, valid; it is as many phases on as the other, so of the same parity. One thread
            // waits: another could come so late that the phase after is over too.
            while !unsafe {
                raw::mbarrier_try_wait_parity(
                    sem::Acquire,
                    scope::Cluster,
                    space::SharedCta,
                    inbox.credit(),
                    inbox.parity,
                )
            } {}
        }
        cta.sync();
        (Channel { inbox: Inbox { parity: inbox.parity ^ 1, ..inbox }, route: self.channel.route }, self.src)
    }
}
