//! Arrays that all CTAs of the cluster have at the same place.

use core::marker::PhantomData;

use super::{Brand, Cluster};
use crate::atomic::{Atomic, AtomicRef, AtomicValue, IntoAtomic};
use crate::group::{AfterSync, End};
use crate::qualifier::{Sealed, scope, space};
use crate::raw;
use crate::shared::{
    Element, Ended, Fenced, Free, FreeGeneric, Loaded, Published, Shared, SharedArray, Written,
};
use crate::size;

/// State of a [`ClusterSmem`]: every CTA may read every other's. `After` is the state of its memory afterwards.
///
/// ```
/// # use ptx::{cluster::{Cluster, ClusterSmem, ReadOnly}, shared::{Loaded, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Loaded>) {
/// let tile: ClusterSmem<f32, 64, ReadOnly<Loaded>> = cluster.publish(tile);
/// let tile: Shared<f32, 64, Loaded> = tile.close(cluster);
/// # }
/// ```
#[derive(Debug)]
pub struct ReadOnly<After>(PhantomData<After>);
/// State of a [`ClusterSmem`]: every CTA may write into every other's.
///
/// ```
/// # use ptx::{cluster::{Cluster, ClusterSmem, WriteOnly}, shared::{Free, Published, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Free>) {
/// let tile: ClusterSmem<f32, 64, WriteOnly> = cluster.open_write_only(tile);
/// let tile: Shared<f32, 64, Published> = tile.close(cluster);
/// # }
/// ```
#[derive(Debug)]
pub enum WriteOnly {}

impl<After> Sealed for ReadOnly<After> {}
impl Sealed for WriteOnly {}

/// States of shared memory that the cluster may read.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be published to the cluster",
    label = "not readable: not written, published or loaded",
    note = "publish what was written (`.write(cta, …)`) or loaded; `Fenced` memory is readable again by `.into_loaded()`; to let peers write into it, use `cluster.open_write_only(…)`"
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

/// States of a [`ClusterSmem`] in which it is read.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be read",
    label = "peers may be writing into it",
    note = "end the writing with `.close(&cluster)`, then `cluster.publish(…)` lets the whole cluster read"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerReadable: Sealed {}
impl<After> PeerReadable for ReadOnly<After> {}

/// States of a [`ClusterSmem`] in which it is written.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be written",
    label = "it was published for reading",
    note = "`cluster.open_write_only(…)`, in place of `cluster.publish(…)`, lets the whole cluster write"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerWritable: Sealed {}
impl PeerWritable for WriteOnly {}

/// States of a [`ClusterSmem`] in which it is accessed by atomic operations.
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` has no atomic elements",
    label = "not atomic now",
    note = "`cluster.open_atomic(…)`, in place of `open` or `publish`, is for atomic operations of the whole cluster"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerAtomic: Sealed {}
impl PeerAtomic for Atomic {}

/// States of a [`ClusterSmem`] in which the cluster changes it.
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be published to the cluster",
    label = "the cluster may read it already",
    note = "read it by `.peer(rank)`, or end its use with `.close(&cluster)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerChanged: Sealed {}
impl PeerChanged for WriteOnly {}
impl PeerChanged for Atomic {}

// What each state is not for.
static_assertions::assert_not_impl_any!(Free: Publishable);
static_assertions::assert_not_impl_any!(FreeGeneric: Publishable, Openable);
static_assertions::assert_not_impl_any!(Fenced: Publishable, Openable);
static_assertions::assert_not_impl_any!(Atomic: Publishable, Openable, PeerReadable, PeerWritable);
static_assertions::assert_not_impl_any!(WriteOnly: PeerReadable, PeerAtomic);
static_assertions::assert_not_impl_any!(ReadOnly<Loaded>: PeerWritable, PeerAtomic);

/// `N` elements of shared memory that every CTA of the cluster has at the same place, and that all of them may read or
/// write, as the state says.
///
/// ```
/// # use ptx::{cluster::Cluster, shared::{Free, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
/// let words = cluster.publish(words.write(cluster.cta(), |i| i as u32));
/// let next = (cluster.cta_rank() + 1) % cluster.cta_count();
/// let _of_the_next = words.peer(next).and_then(|peer| peer.get(7));
/// let words = words.close(cluster);
/// # }
/// ```
#[must_use = "the scope has to return this memory: end its use with `.close(&cluster)`"]
#[derive(Debug)]
pub struct ClusterSmem<'c, T, const N: usize, State> {
    addr: u32,
    _scope: Brand<'c>,
    _elements: PhantomData<(*mut [T; N], State)>,
}

impl<'c> Cluster<'c> {
    /// Lets the whole cluster read what each CTA has in `memory`.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Loaded, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, f32, 64, Loaded>) {
    /// let tile = cluster.publish(tile);
    /// let firsts = (0..cluster.cta_count()).filter_map(|rank| tile.peer(rank)?.get(0));
    /// let _sum: f32 = firsts.sum();
    /// let tile = tile.close(cluster); // loaded, as before
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish<T: Element, const N: usize, S: Publishable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> ClusterSmem<'c, T, N, ReadOnly<S::After>> {
        self.sync_with(self.publish_at_sync(memory))
    }

    /// [`publish`](Cluster::publish), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Published, Shared, Written}};
    /// # fn body<'c>(cluster: &Cluster<'c>, keys: Shared<'c, u32, 64, Written>, values: Shared<'c, f32, 64, Written>) {
    /// let (keys, values) = cluster.sync_with((cluster.publish_at_sync(keys), cluster.publish_at_sync(values)));
    /// let first = keys.peer(1).and_then(|peer| peer.get(0)).zip(values.peer(1).and_then(|peer| peer.get(0)));
    /// # let _ = (keys.end(), values.end());
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish_at_sync<T: Element, const N: usize, S: Publishable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, ReadOnly<S::After>>, Cluster<'c>> {
        AfterSync::new(ClusterSmem::new(memory.addr()))
    }

    /// Lets the whole cluster write into the `memory` of each CTA, which keeps what it holds.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Shared, Free}};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
    /// let words = cluster.open_write_only(words);
    /// if let Some(first) = words.peer(0) {
    ///     first.set(cluster.cta_rank() as usize, 5);
    /// }
    /// let words = words.close(cluster);
    /// let _of_the_second = words.get(1);
    /// # }
    /// ```
    #[inline(always)]
    pub fn open_write_only<T: Element, const N: usize, S: Openable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> ClusterSmem<'c, T, N, WriteOnly> {
        self.sync_with(self.open_write_only_at_sync(memory))
    }

    /// [`open`](Cluster::open_write_only), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Free, Shared, Written}};
    /// # fn body<'c>(cluster: &Cluster<'c>, from: Shared<'c, u32, 64, Written>, to: Shared<'c, u32, 64, Free>) {
    /// let (from, to) = cluster.sync_with((cluster.publish_at_sync(from), cluster.open_write_only_at_sync(to)));
    /// if let (Some(word), Some(peer)) = (from.peer(0).and_then(|first| first.get(5)), to.peer(1)) {
    ///     peer.set(cluster.cta_rank() as usize, word);
    /// }
    /// # let _ = (from.end(), to.end());
    /// # }
    /// ```
    #[inline(always)]
    pub fn open_write_only_at_sync<T: Element, const N: usize, S: Openable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, WriteOnly>, Cluster<'c>> {
        AfterSync::new(ClusterSmem::new(memory.addr()))
    }

    /// Lets the whole cluster access the `memory` of each CTA by atomic operations.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
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
    ) -> ClusterSmem<'c, T, N, Atomic> {
        self.sync_with(self.open_atomic_at_sync(memory))
    }

    /// [`open_atomic`](Cluster::open_atomic), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, qualifier::sem, shared::{Free, Shared}};
    /// # fn body<'c>(cluster: &Cluster<'c>, low: Shared<'c, u32, 64, Free>, high: Shared<'c, u32, 64, Free>) {
    /// let [low, high] = [low, high].map(|bins| bins.write(cluster.cta(), |_| 0));
    /// let (low, high) = cluster.sync_with((cluster.open_atomic_at_sync(low), cluster.open_atomic_at_sync(high)));
    /// if let Some(bin) = high.peer(1).and_then(|peer| peer.atomic(17)) {
    ///     bin.add(1, sem::Relaxed);
    /// }
    /// # let _ = (low.end(), high.end());
    /// # }
    /// ```
    #[inline(always)]
    pub fn open_atomic_at_sync<T: AtomicValue + Element, const N: usize, S: IntoAtomic>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, Atomic>, Cluster<'c>> {
        AfterSync::new(ClusterSmem::new(memory.addr()))
    }
}

impl<'c, T: Element, const N: usize, State> ClusterSmem<'c, T, N, State> {
    #[inline(always)]
    fn new(addr: u32) -> Self {
        ClusterSmem { addr, _scope: PhantomData, _elements: PhantomData }
    }

    /// The memory of the CTA of that rank, one's own included, or `None` where the cluster has no such CTA.
    ///
    /// PTX: `mapa.shared::cluster.u32 d, addr, rank;`
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterSmem, WriteOnly};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: &ClusterSmem<'c, u32, 64, WriteOnly>) {
    /// if let Some(above) = words.peer(cluster.cta_rank() + 1) {
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

    /// Lets the whole cluster read what all CTAs have written, or changed by atomic operations, here.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, qualifier::sem, shared::{Shared, Written}};
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: Shared<'c, u32, 64, Written>) {
    /// let bins = cluster.open_atomic(bins);
    /// if let Some(bin) = bins.peer(0).and_then(|peer| peer.atomic(17)) {
    ///     bin.add(1, sem::Relaxed);
    /// }
    /// let bins = bins.publish(cluster);
    /// let _of_all = bins.peer(0).and_then(|peer| peer.get(17));
    /// let bins = bins.close(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish(self, cluster: &Cluster<'c>) -> ClusterSmem<'c, T, N, ReadOnly<Published>>
    where
        State: PeerChanged,
    {
        cluster.sync_with(self.publish_at_sync())
    }

    /// [`publish`](ClusterSmem::publish), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, cluster::{Cluster, ClusterSmem, WriteOnly}};
    /// # type Words<'c, State> = ClusterSmem<'c, u32, 64, State>;
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: Words<'c, Atomic>, words: Words<'c, WriteOnly>) {
    /// let (bins, words) = cluster.sync_with((bins.publish_at_sync(), words.publish_at_sync()));
    /// let both = bins.peer(0).and_then(|peer| peer.get(17)).zip(words.get(5));
    /// # let _ = (bins.end(), words.end());
    /// # }
    /// ```
    #[inline(always)]
    pub fn publish_at_sync(self) -> AfterSync<ClusterSmem<'c, T, N, ReadOnly<Published>>, Cluster<'c>>
    where
        State: PeerChanged,
    {
        AfterSync::new(ClusterSmem::new(self.addr))
    }

    /// Ends the use of the memory in the last scope of the kernel ([`Cta::cluster_scope_last`](crate::launch::Cta::cluster_scope_last)), whose last
    /// barrier closes it.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, words: SharedArray<u32, 64>, out: &mut u32) {
    /// cta.cluster_scope_last(words, |cluster, words| {
    ///     let words = cluster.publish(words.write(cluster.cta(), |i| i as u32));
    ///     *out = words.peer(0).and_then(|peer| peer.get(1)).unwrap_or(0);
    ///     (cluster, words.end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> Ended<'c, SharedArray<T, N>> {
        Ended::new()
    }

    /// The number of elements in each CTA.
    ///
    /// ```
    /// # fn body(words: &ptx::cluster::ClusterSmem<'_, u32, 64, ptx::cluster::WriteOnly>) {
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
    /// # fn body(words: &ptx::cluster::ClusterSmem<'_, u32, 64, ptx::cluster::WriteOnly>) {
    /// let none = words.is_empty(); // false
    /// # }
    /// ```
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        N == 0
    }
}

// SAFETY: no copy uses it. Other CTAs do until they end theirs.
unsafe impl<'c, T: Element, const N: usize, State> End for ClusterSmem<'c, T, N, State> {
    type Ended = Ended<'c, SharedArray<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        ClusterSmem::end(self)
    }
}

impl<'c, T: Element, const N: usize, After> ClusterSmem<'c, T, N, ReadOnly<After>> {
    /// Element `i` of the executing CTA, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{cluster::{ClusterSmem, ReadOnly}, shared::Published};
    /// # fn body(words: &ClusterSmem<'_, u32, 64, ReadOnly<Published>>) {
    /// let mine = words.get(17);
    /// let of_the_first = words.peer(0).and_then(|peer| peer.get(17));
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds; by the state nobody writes.
        (i < N).then(|| unsafe { T::load(self.addr + (i * size_of::<T>()) as u32) })
    }

    /// The sixteen bytes of the executing CTA that start at byte `16 * i`, or `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{cluster::{ClusterSmem, ReadOnly}, shared::Published};
    /// # fn body(words: &ClusterSmem<'_, u32, 64, ReadOnly<Published>>) {
    /// if let Some([a, b, c, d]) = words.get_vector(1) {
    ///     let _of_elements_4_to_7 = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds, and aligned since arrays are to 128; by the state nobody writes.
        (i < const { size::vectors::<T, N>() }).then(|| unsafe { T::load_vector(self.addr + 16 * i as u32) })
    }

    /// Waits until all CTAs have read what they want.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, ClusterSmem, ReadOnly}, shared::Loaded};
    /// # fn body<'c>(cluster: &Cluster<'c>, tile: ClusterSmem<'c, f32, 64, ReadOnly<Loaded>>) {
    /// let tile = tile.close(cluster);
    /// let tile = tile.release(cluster.cta()); // free for the next load
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, After> {
        cluster.sync_with(self.close_at_sync())
    }

    /// [`close`](ClusterSmem::close), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{Cluster, ClusterSmem, ReadOnly}, shared::{Loaded, Shared, Written}};
    /// # type Tile<'c> = ClusterSmem<'c, f32, 64, ReadOnly<Loaded>>;
    /// # fn body<'c>(cluster: &Cluster<'c>, old: Tile<'c>, new: Shared<'c, f32, 64, Written>) {
    /// // The cluster has read one tile and may read the next.
    /// let (old, new) = cluster.sync_with((old.close_at_sync(), cluster.publish_at_sync(new)));
    /// # let _ = (old, new.end());
    /// # }
    /// ```
    #[inline(always)]
    pub fn close_at_sync(self) -> AfterSync<Shared<'c, T, N, After>, Cluster<'c>> {
        AfterSync::new(Shared::new(self.addr))
    }
}

impl<'c, T: Element, const N: usize> ClusterSmem<'c, T, N, WriteOnly> {
    /// Waits until all CTAs have written what they want, which is then visible to the threads of the memory's CTA.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterSmem, WriteOnly};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: ClusterSmem<'c, u32, 64, WriteOnly>) {
    /// let words = words.close(cluster);
    /// let _from_a_peer = words.get(0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, Published> {
        cluster.sync_with(self.close_at_sync())
    }

    /// [`close`](ClusterSmem::close), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::cluster::{Cluster, ClusterSmem, WriteOnly};
    /// # fn body<'c>(cluster: &Cluster<'c>, a: ClusterSmem<'c, u32, 64, WriteOnly>, b: ClusterSmem<'c, u32, 64, WriteOnly>) {
    /// let (a, b) = cluster.sync_with((a.close_at_sync(), b.close_at_sync()));
    /// let from_peers = a.get(17).zip(b.get(17));
    /// # }
    /// ```
    #[inline(always)]
    pub fn close_at_sync(self) -> AfterSync<Shared<'c, T, N, Published>, Cluster<'c>> {
        AfterSync::new(Shared::new(self.addr))
    }
}

impl<'c, T: Element, const N: usize> ClusterSmem<'c, T, N, Atomic> {
    /// Waits until all CTAs have done what they want, which is then visible to the threads of the memory's CTA.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: `barrier.cluster.arrive.release.aligned;` `barrier.cluster.wait.acquire.aligned;`
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, cluster::{Cluster, ClusterSmem}};
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: ClusterSmem<'c, u32, 64, Atomic>) {
    /// let bins = bins.close(cluster);
    /// let _count = bins.get(0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn close(self, cluster: &Cluster<'c>) -> Shared<'c, T, N, Published> {
        cluster.sync_with(self.close_at_sync())
    }

    /// [`close`](ClusterSmem::close), at a barrier that other transitions share ([`Cluster::sync_with`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{atomic::Atomic, cluster::{Cluster, ClusterSmem}};
    /// # fn body<'c>(cluster: &Cluster<'c>, a: ClusterSmem<'c, u32, 64, Atomic>, b: ClusterSmem<'c, u32, 64, Atomic>) {
    /// let (a, b) = cluster.sync_with((a.close_at_sync(), b.close_at_sync()));
    /// let counts = a.get(17).zip(b.get(17));
    /// # }
    /// ```
    #[inline(always)]
    pub fn close_at_sync(self) -> AfterSync<Shared<'c, T, N, Published>, Cluster<'c>> {
        AfterSync::new(Shared::new(self.addr))
    }
}

/// The memory of one CTA of the cluster, as [`ClusterSmem::peer`] gives it.
///
/// ```
/// # use ptx::{cluster::{ClusterSmem, Peer, ReadOnly}, shared::Published};
/// # fn body(words: &ClusterSmem<'_, u32, 64, ReadOnly<Published>>) {
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
        (i < const { size::vectors::<T, N>() }).then(|| self.addr + 16 * i as u32)
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
    /// PTX: `ld.weak.shared::cluster.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
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
    /// # use ptx::{cluster::{WriteOnly, Peer}, launch::Cta};
    /// # fn body(cta: &Cta, peer: Peer<'_, u32, 64, WriteOnly>) {
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
    /// PTX: `st.weak.shared::cluster.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{cluster::{WriteOnly, Peer}, launch::Cta};
    /// # fn body(cta: &Cta, peer: Peer<'_, u32, 64, WriteOnly>) {
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

    /// Element `i`, for atomic operations of cluster scope; `None` past the end. Some are put together from others: see
    /// [`atomic`](crate::atomic#a-peers-shared-memory).
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

static_assertions::assert_not_impl_any!(ClusterSmem<'static, u32, 4, WriteOnly>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Peer<'static, u32, 4, WriteOnly>: Send, Sync);
