//! Cluster shared memory: arrays that all CTAs of the cluster have at the same offset, and that each CTA can access in its peers
//! (DSMEM).

use core::marker::PhantomData;

use super::Cluster;
use crate::atomic::{Atomic, AtomicRef, AtomicValue, IntoAtomic};
use crate::group::{AfterSync, End};
use crate::mark::hold;
use crate::qualifier::{Sealed, scope, space};
use crate::raw;
use crate::shared::{Element, Ended, Loaded, Published, Shared, SharedArray};
pub use crate::shared::{Openable, Publishable};
use crate::size;

/// State of a [`ClusterSmem`]: every CTA may read the memory of every CTA of the cluster. `After` is the state of the [`Shared`]
/// memory after `close`.
#[derive(Debug)]
pub struct ReadOnly<After>(PhantomData<After>);

states! {
    uses_of_cluster_memory [] [
        PeerReadable "peers read", PeerWritable "peers write", PeerAtomic "atomic operations of peers",
        PeerChanged "publish to the cluster", Closable "`close`"
    ]
    ReadOnly<After = Loaded>: PeerReadable, Closable { type After = After; };
    /// State of a [`ClusterSmem`]: every CTA may write the memory of every CTA of the cluster, and none reads it.
    WriteOnly: PeerWritable, PeerChanged, Closable { type After = Published; };
    Atomic: PeerAtomic, PeerChanged, Closable { type After = Published; };
}

impl<After> Sealed for ReadOnly<After> {}
impl Sealed for WriteOnly {}

/// States of a [`ClusterSmem`] in which a CTA can read the memory of the other CTAs: [`ReadOnly`].
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be read",
    label = "peers may be changing this memory",
    note = "call `.publish()` to end the changes and let the whole cluster read, or end the changes by `.close()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerReadable: Sealed {}

/// States of a [`ClusterSmem`] in which a CTA can write the memory of the other CTAs: [`WriteOnly`].
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` cannot be written",
    label = "not open for writes",
    note = "use `cluster.open_write_only(…)`, in place of `publish` or `open_atomic`, to let the whole cluster write"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerWritable: Sealed {}

/// States of a [`ClusterSmem`] in which a CTA can access the memory of the other CTAs by atomic operations: [`Atomic`].
#[diagnostic::on_unimplemented(
    message = "a peer's shared memory in the state `{Self}` has no atomic elements",
    label = "not open for atomic operations",
    note = "use `cluster.open_atomic(…)`, in place of `open_write_only` or `publish`, for atomic operations of the whole cluster"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerAtomic: Sealed {}

/// States of a [`ClusterSmem`], each with the state of the memory after [`close`](ClusterSmem::close).
#[cfg_attr(doc, doc(hidden))]
pub trait Closable: Sealed {
    /// That state.
    type After;
}

/// States of a [`ClusterSmem`] in which the CTAs change its elements: [`WriteOnly`] and [`Atomic`].
#[diagnostic::on_unimplemented(
    message = "shared memory in the state `{Self}` cannot be published to the cluster",
    label = "the cluster can read this memory already",
    note = "read it by `.peer(rank)`, or end the reads by `.close()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait PeerChanged: Sealed {}

/// `N` elements of shared memory that every CTA of the cluster has at the same offset and that all CTAs may access (DSMEM). The
/// state says how: [`ReadOnly`], [`WriteOnly`] or [`Atomic`].
///
/// ```
/// # use ptx::{cluster::Cluster, shared::{Free, Shared}};
/// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
/// let words = cluster.publish(words.write(cluster.cta(), |i| i as u32)).sync(cluster);
/// let next = (cluster.cta_rank() + 1) % cluster.cta_count();
/// let _of_the_next = words.peer(next).and_then(|peer| peer.get(7));
/// let words = words.close().sync(cluster);
/// # }
/// ```
///
/// What each state allows:
///
#[doc = uses_of_cluster_memory!()]
#[must_use = "the closure of the scope has to return this memory: call `.close()`"]
#[derive(Debug)]
pub struct ClusterSmem<'c, T, const N: usize, State> {
    /// The memory as `close` returns it, but for the state `After`. Read in the state `ReadOnly` alone.
    memory: Shared<'c, T, N, Published>,
    _state: PhantomData<State>,
}

impl<'c> Cluster<'c> {
    /// Lets the whole cluster read the `memory` of each CTA (DSMEM), after a barrier of the cluster.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, group::Together, shared::{Published, Shared, Written}};
    /// # fn body<'c>(cluster: &Cluster<'c>, keys: Shared<'c, u32, 64, Written>, values: Shared<'c, f32, 64, Written>) {
    /// let (keys, values) = (cluster.publish(keys), cluster.publish(values)).sync(cluster);
    /// let first = keys.peer(1).and_then(|peer| peer.get(0)).zip(values.peer(1).and_then(|peer| peer.get(0)));
    /// # let _ = (keys.end(), values.end());
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn publish<T: Element, const N: usize, S: Publishable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, ReadOnly<S::After>>, Cluster<'c>> {
        meet!(self; memory.addr());
        AfterSync::new(ClusterSmem::new(memory))
    }

    /// Lets the whole cluster write the `memory` of each CTA (DSMEM), after a barrier of the cluster. The elements keep their
    /// values until they are written.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, shared::{Shared, Free}};
    /// # fn body<'c>(cluster: &Cluster<'c>, words: Shared<'c, u32, 64, Free>) {
    /// let words = cluster.open_write_only(words).sync(cluster);
    /// if let Some(first) = words.peer(0) {
    ///     first.set(cluster.cta_rank() as usize, 5);
    /// }
    /// let words = words.close().sync(cluster);
    /// let _of_the_second = words.get(1);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn open_write_only<T: Element, const N: usize, S: Openable>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, WriteOnly>, Cluster<'c>> {
        meet!(self; memory.addr());
        AfterSync::new(ClusterSmem::new(memory))
    }

    /// Lets the whole cluster access the `memory` of each CTA by atomic operations (DSMEM), after a barrier of the cluster.
    ///
    /// Collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, qualifier::sem, shared::{Shared, Free}};
    /// # fn body<'c>(cluster: &Cluster<'c>, bins: Shared<'c, u32, 64, Free>) {
    /// let bins = cluster.open_atomic(bins.write(cluster.cta(), |_| 0)).sync(cluster);
    /// if let Some(bin) = bins.peer(1).and_then(|peer| peer.atomic(17)) {
    ///     bin.add(1, sem::Relaxed);
    /// }
    /// let bins = bins.close().sync(cluster);
    /// let _count = bins.get(17);
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn open_atomic<T: AtomicValue + Element, const N: usize, S: IntoAtomic>(
        &self,
        memory: Shared<'c, T, N, S>,
    ) -> AfterSync<ClusterSmem<'c, T, N, Atomic>, Cluster<'c>> {
        meet!(self; memory.addr());
        AfterSync::new(ClusterSmem::new(memory))
    }
}

impl<'c, T: Element, const N: usize, State> ClusterSmem<'c, T, N, State> {
    #[inline(always)]
    fn new<S>(memory: Shared<'c, T, N, S>) -> Self {
        ClusterSmem { memory: memory.into_state(), _state: PhantomData }
    }

    /// The memory of the CTA of rank `rank`, or `None` if the cluster has no such CTA: `cluster.map_shared_rank()` of cooperative
    /// groups. The rank may be the executing CTA's own.
    ///
    /// PTX: `mapa.shared::cluster.u32 d, addr, rank;`
    #[inline(always)]
    pub fn peer(&self, rank: u32) -> Option<Peer<'_, T, N, State>> {
        if rank >= raw::cluster_nctarank() {
            return None;
        }
        // SAFETY: an address in shared memory, and the cluster has the rank. The array lies at the same offset in every CTA
        // (`Cta::enter`).
        let addr = unsafe { raw::mapa_shared_cluster(self.memory.addr(), rank) };
        Some(Peer { addr, _borrow: PhantomData, _elements: PhantomData })
    }

    /// Lets the whole cluster read what the CTAs have written, or the results of their atomic operations, after a barrier of the
    /// cluster.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn publish(self) -> AfterSync<ClusterSmem<'c, T, N, ReadOnly<Published>>, Cluster<'c>>
    where
        State: PeerChanged,
    {
        hold::<Cluster<'_>>(self.memory.addr());
        AfterSync::new(ClusterSmem::new(self.memory))
    }

    /// Ends the accesses of the cluster: after a barrier of the cluster no other CTA accesses the array, and the executing CTA has
    /// its own back as [`Shared`] memory, whose threads see what was written.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn close(self) -> AfterSync<Shared<'c, T, N, State::After>, Cluster<'c>>
    where
        State: Closable,
    {
        hold::<Cluster<'_>>(self.memory.addr());
        AfterSync::new(self.memory.into_state())
    }

    /// Gives the memory up in the kernel's last scope, without the barrier of `close`, and returns the proof that
    /// [`Cta::finish_cluster`](crate::group::Cta::finish_cluster) asks for.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'c, SharedArray<T, N>> {
        Ended::new()
    }
}

// SAFETY: no copy uses the memory. Other CTAs use it only before they end their own handles.
unsafe impl<'c, T: Element, const N: usize, State> End for ClusterSmem<'c, T, N, State> {
    type Ended = Ended<'c, SharedArray<T, N>>;
    #[inline(always)]
    fn end(self) -> Self::Ended {
        ClusterSmem::end(self)
    }
}

impl<'c, T: Element, const N: usize, After> ClusterSmem<'c, T, N, ReadOnly<After>> {
    /// Loads element `i` of the executing CTA's own array; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        self.memory.get(i)
    }

    /// Loads the 16 bytes of the executing CTA's own array that start at byte `16 * i`; `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        self.memory.get_vector(i)
    }
}

/// A handle of one CTA's array in DSMEM, which [`ClusterSmem::peer`] returns: like the pointer of `cluster.map_shared_rank()`.
#[derive(Debug)]
pub struct Peer<'a, T, const N: usize, State> {
    addr: u32,
    /// Borrows the `ClusterSmem`, so that it is not closed while a `Peer` exists.
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

    /// Loads element `i` of the peer CTA's array (`ld.shared::cluster`); `None` past the end.
    ///
    /// PTX: `ld.weak.shared::cluster`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T>
    where
        State: PeerReadable,
    {
        // SAFETY: in bounds; the CTA is alive in the scope; no thread writes in the state `ReadOnly`.
        self.element(i).map(|addr| unsafe { T::load_cluster(addr) })
    }

    /// Loads the 16 bytes of the peer CTA's array that start at byte `16 * i` (`ld.shared::cluster`); `None` past the end.
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
        // SAFETY: in bounds, and aligned: arrays begin at a multiple of 128 bytes. The CTA is alive in the scope; no thread
        // writes in the state `ReadOnly`.
        self.vector(i).map(|addr| unsafe { T::load_vector_cluster(addr) })
    }

    /// Stores `value` in element `i` of the peer CTA's array (`st.shared::cluster`); returns `None` past the end. If several
    /// threads store one element without a barrier in between, its value is unspecified.
    ///
    /// PTX: `st.weak.shared::cluster`
    #[inline(always)]
    pub fn set(&self, i: usize, value: T) -> Option<()>
    where
        State: PeerWritable,
    {
        // SAFETY: in bounds; the CTA is alive in the scope; in the state `WriteOnly` no thread loads and no copy uses the memory.
        // A racing store leaves unspecified bits, which are a value of every element.
        self.element(i).map(|addr| unsafe { T::store_cluster(addr, value) })
    }

    /// Stores `value` in the 16 bytes of the peer CTA's array that start at byte `16 * i`; returns `None` past the end. Elements
    /// have 4 bytes or more.
    ///
    /// PTX: `st.weak.shared::cluster.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn set_vector(&self, i: usize, value: T::Vector) -> Option<()>
    where
        State: PeerWritable,
    {
        const {
            assert!(
                size_of::<T>() >= 4,
                "`set_vector` stores narrow elements as words, which would race with `set` in another size: use elements of 4 bytes or more"
            )
        };
        // SAFETY: in bounds, and aligned: arrays begin at a multiple of 128 bytes. Elements of 4 bytes or more are stored in
        // their own size. The rest is as in `set`: no thread loads, no copy uses the memory, and races leave a value.
        self.vector(i).map(|addr| unsafe { T::store_vector_cluster(addr, value) })
    }

    /// Returns element `i` of the peer CTA's array for atomic operations of cluster scope; `None` past the end. Some operations
    /// are made of several instructions: see [`atomic`](crate::atomic#a-peers-shared-memory).
    #[inline(always)]
    pub fn atomic(&self, i: usize) -> Option<AtomicRef<'a, T, scope::Cluster, space::SharedCluster>>
    where
        T: AtomicValue,
        State: PeerAtomic,
    {
        // SAFETY: in bounds and aligned; the CTA is alive in the scope. In the state `Atomic`, which lasts as long as the borrow,
        // all CTAs access the elements only by this method.
        self.element(i).map(|addr| unsafe { AtomicRef::new(addr) })
    }
}

handles! { ClusterSmem<u32, 4, WriteOnly> }
handles! { Copy: Peer<u32, 4, WriteOnly> }
