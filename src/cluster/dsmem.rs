//! Arrays with the mbarrier that counts what arrives in them.

use core::marker::PhantomData;

use super::{Brand, Cluster, Permutation};
use crate::bulk::CopySource;
use crate::global::tile_bytes;
use crate::group::{Cta, End};
use crate::mbarrier::{Ready, Uninit, await_parity};
use crate::qualifier::{Sealed, scope, sem, space, suspend_time_hint};
use crate::raw;
use crate::shared::{ALIGN, Element, Ended, Place, Scoped, for_each_vector};
use crate::size;

mod channel;
mod element;
mod reduce;
mod source;
mod tile;

pub use channel::{Acknowledged, Channel, ChannelReceived, ChannelReleased, ChannelSent};
pub use reduce::ClusterReduce;
pub use source::{Origin, Releasable};

/// Bulk copies fill the [`DsmemBuffer`]: whole tiles, through the async proxy.
///
/// ```
/// # use ptx::{cluster::{ByTile, DsmemBuffer}, launch::Cta};
/// ptx::shared_memory! { struct Smem { tiles: DsmemBuffer<f32, 1024, ByTile> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let tiles = smem.tiles.init(cta);
/// # }
/// ```
#[derive(Debug)]
pub enum ByTile {}
/// Threads of other CTAs fill the [`DsmemBuffer`], by `st.async` and `red.async`.
///
/// ```
/// # use ptx::{cluster::{ByElement, DsmemBuffer}, launch::Cta};
/// ptx::shared_memory! { struct Smem { sums: DsmemBuffer<u32, 128, ByElement> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let sums = smem.sums.init(cta, |_| 0);
/// # }
/// ```
#[derive(Debug)]
pub enum ByElement {}
/// Bulk copies fill the [`DsmemBuffer`] along one [`Permutation`], tile after tile, as a [`Channel`]. It has a second mbarrier, where
/// the receiver says that it has read.
///
/// ```
/// # use ptx::{cluster::{ByChannel, DsmemBuffer}, launch::Cta};
/// ptx::shared_memory! { struct Smem { stream: DsmemBuffer<f32, 1024, ByChannel> } }
/// # fn kernel(cta: &Cta, smem: Smem) {
/// let stream = smem.stream.init(cta);
/// # }
/// ```
#[derive(Debug)]
pub enum ByChannel {}

/// What fills a [`DsmemBuffer`]. It is part of the type because a change would need a proxy fence (9.7.9.25.2).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what fills a DSMEM buffer",
    label = "not `ByTile`, `ByElement` or `ByChannel`",
    note = "`ByTile`: bulk copies of whole tiles; `ByElement`: `st.async` and `red.async` of threads; `ByChannel`: the tiles of a `Channel`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Via: Sealed {
    /// What can arrive in one phase: this many times the DSMEM buffer.
    #[doc(hidden)]
    const TIMES: usize;
    /// The mbarriers that it has.
    #[doc(hidden)]
    const MBARRIERS: u32 = 1;
    /// Whether threads write it, through the generic proxy.
    #[doc(hidden)]
    const BY_THREADS: bool = false;
}
impl Sealed for ByTile {}
impl Sealed for ByElement {}
impl Sealed for ByChannel {}
impl Via for ByTile {
    const TIMES: usize = 1;
}
impl Via for ByChannel {
    const TIMES: usize = 1;
    const MBARRIERS: u32 = 2;
}
impl Via for ByElement {
    const TIMES: usize = OTHERS;
    const BY_THREADS: bool = true;
}

/// The other CTAs of the largest cluster.
const OTHERS: usize = 15;

/// `N` elements of shared memory with the mbarrier that counts what arrives in them: a datum and its mbarrier cannot
/// come from different CTAs. Outside a cluster's scope it is at rest; inside it is an [`Inbox`].
///
/// ```
/// # use ptx::{cluster::{ByElement, DsmemBuffer}, launch::Cta, qualifier::op};
/// ptx::shared_memory! { struct Smem { buffer: DsmemBuffer<u32, 128, ByElement> } }
/// # fn kernel(cta: &mut Cta, smem: Smem) {
/// let buffer = smem.buffer.init(cta, |_| 0);
/// let buffer = cta.cluster_scope(buffer, |cluster, inbox| {
///     let sent = inbox.reduce_to_others(&cluster, op::Add, |i| i as u32);
///     let inbox = sent.receive(cluster.cta()).release(&cluster);
///     (cluster, inbox)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct DsmemBuffer<T, const N: usize, V, Phase = Uninit> {
    addr: u32,
    /// Of the mbarrier's current phase.
    parity: u32,
    _elements: PhantomData<(*mut [T; N], V, Phase)>,
}

static_assertions::assert_not_impl_any!(DsmemBuffer<u32, 4, ByTile>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(DsmemBuffer<u32, 4, ByTile, Ready>: Copy, Clone, Send, Sync);
static_assertions::assert_not_impl_any!(Inbox<'static, u32, 4, ByTile>: Copy, Clone, Send, Sync);

/// The bytes of the tile; its mbarriers follow.
const fn buffer_bytes<T: Element, const N: usize, V: Via>() -> u32 {
    phase_bytes::<T, N>(V::TIMES)
}

/// The bytes of a tile, of which `times` may arrive in one phase.
const fn phase_bytes<T: Element, const N: usize>(times: usize) -> u32 {
    let bytes = tile_bytes::<T, N>();
    assert!(
        size::product([times, bytes]) < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most, and 15 CTAs may send to this DSMEM buffer: choose fewer elements (PTX ISA 9.7.13.15.2)"
    );
    bytes as u32
}

// SAFETY: the tile and the mbarriers behind it, aligned as both want: the tile is of a multiple of 16 bytes.
unsafe impl<T: Element, const N: usize, V: Via> Place for DsmemBuffer<T, N, V> {
    const SIZE: u32 = buffer_bytes::<T, N, V>() + 8 * V::MBARRIERS;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        DsmemBuffer { addr, parity: 0, _elements: PhantomData }
    }
}

// SAFETY: an inbox has nothing in flight, and only a cluster's scope of the same lifetime can use it.
unsafe impl<T: Element, const N: usize, V: Via> Scoped for DsmemBuffer<T, N, V, Ready> {
    type InScope<'s> = Inbox<'s, T, N, V>;
    type Ended<'s> = Ended<'s, Self>;
    const FILLED_BY_COPIES: bool = !V::BY_THREADS;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Inbox<'s, T, N, V> {
        Inbox { addr: self.addr, parity: self.parity, _scope: PhantomData, _elements: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Inbox<'_, T, N, V>) -> Self {
        DsmemBuffer { addr: lent.addr, parity: lent.parity, _elements: PhantomData }
    }
}

impl<T: Element, const N: usize, V: Via> DsmemBuffer<T, N, V> {
    const BAR: u32 = buffer_bytes::<T, N, V>();

    #[inline(always)]
    fn init_mbarrier(self, cta: &Cta) -> DsmemBuffer<T, N, V, Ready> {
        if cta.is_leader() {
            for i in 0..V::MBARRIERS {
                // SAFETY: the handle is the only one of its memory, which holds no valid mbarrier; the count is 1.
                unsafe { raw::mbarrier_init(space::SharedCta, self.addr + Self::BAR + 8 * i, 1) };
            }
        }
        // The fences and the barrier at the beginning of a cluster's scope show the mbarriers to the other CTAs.
        DsmemBuffer { addr: self.addr, parity: 0, _elements: PhantomData }
    }
}

impl<T: Element, const N: usize> DsmemBuffer<T, N, ByTile> {
    /// Makes it ready for a cluster's scope. What the elements are is unspecified until a tile has arrived; to reduce into
    /// them, begin with [`init_with`](DsmemBuffer::init_with).
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], 1;`. The scope begins with its fences.
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<f32, 1024, ByTile>) {
    /// let buffer = buffer.init(cta);
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the DSMEM buffer through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta) -> DsmemBuffer<T, N, ByTile, Ready> {
        self.init_mbarrier(cta)
    }

    /// Makes it ready for a cluster's scope, element `i` being `f(i)`: what others reduce comes on top. Each thread does its
    /// share, sixteen bytes at a time.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], 1;`, per sixteen bytes: `st.weak.shared::cta.v4.b32`,
    /// or `.v2.b64`, or `.b128`, by all: `fence.proxy.async.shared::cta;`. The scope begins with the fences of the mbarrier.
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 1024, ByTile>) {
    /// let buffer = buffer.init_with(cta, |_| u32::MAX); // for minima
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the DSMEM buffer through the handle that this returns"]
    #[inline(always)]
    pub fn init_with(self, cta: &Cta, f: impl FnMut(usize) -> T) -> DsmemBuffer<T, N, ByTile, Ready> {
        let buffer = self.init_mbarrier(cta);
        // SAFETY: the memory is this DSMEM buffer's, and only others use it from the barrier of a cluster's scope on.
        unsafe { fill::<T, N>(cta, buffer.addr, f) };
        // The async proxy of other CTAs sees the elements.
        raw::fence_proxy_async(space::SharedCta);
        buffer
    }
}

impl<T: Element, const N: usize> DsmemBuffer<T, N, ByChannel> {
    /// Makes it ready for a cluster's scope.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], 1;` twice. The scope begins with their fences.
    ///
    /// ```
    /// # use ptx::{cluster::{ByChannel, DsmemBuffer}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<f32, 1024, ByChannel>) {
    /// let buffer = buffer.init(cta);
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the DSMEM buffer through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta) -> DsmemBuffer<T, N, ByChannel, Ready> {
        self.init_mbarrier(cta)
    }
}

impl<T: Element, const N: usize> DsmemBuffer<T, N, ByElement> {
    /// Makes it ready for a cluster's scope, element `i` being `f(i)`. Each thread does its share, sixteen bytes at a time.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], 1;`, per sixteen bytes: `st.weak.shared::cta.v4.b32`,
    /// or `.v2.b64`, or `.b128`. The scope begins with the fence of the mbarrier.
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, DsmemBuffer}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 128, ByElement>) {
    /// let buffer = buffer.init(cta, |i| i as u32); // what others add comes on top
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "use the DSMEM buffer through the handle that this returns"]
    #[inline(always)]
    pub fn init(self, cta: &Cta, f: impl FnMut(usize) -> T) -> DsmemBuffer<T, N, ByElement, Ready> {
        let buffer = self.init_mbarrier(cta);
        // SAFETY: the memory is this DSMEM buffer's, and only others use it from the barrier of a cluster's scope on.
        unsafe { fill::<T, N>(cta, buffer.addr, f) };
        buffer
    }
}

impl<T: Element, const N: usize, V: Via> DsmemBuffer<T, N, V, Ready> {
    /// Ends the life of its mbarrier, or of both.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.inval.shared::cta.b64 [bar];` for each
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, launch::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<f32, 1024, ByTile>) {
    /// let buffer = buffer.init(cta);
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// let buffer = buffer.inval(cta); // as it was before `init`
    /// # }
    /// ```
    #[inline(always)]
    pub fn inval(self, cta: &Cta) -> DsmemBuffer<T, N, V> {
        if cta.is_leader() {
            for i in 0..V::MBARRIERS {
                // SAFETY: valid by its phase; all threads that waited on it have passed the barrier at the end of the
                // cluster's scope, with nothing in flight. This same thread initialises it again, if any.
                unsafe {
                    raw::mbarrier_inval(space::SharedCta, self.addr + DsmemBuffer::<T, N, V>::BAR + 8 * i)
                };
            }
        }
        DsmemBuffer { addr: self.addr, parity: 0, _elements: PhantomData }
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

/// Calls `f` with the ranks of the other CTAs, the next one first, so that not all begin with the same.
#[inline(always)]
fn for_each_other(cluster: &Cluster<'_>, mut f: impl FnMut(u32)) {
    let (rank, size) = (cluster.cta_rank(), cluster.cta_count());
    let mut to = rank;
    loop {
        to += 1;
        if to == size {
            to = 0;
        }
        if to == rank {
            break;
        }
        f(to);
    }
}

/// A [`DsmemBuffer`] inside the cluster's scope `'c`: in every CTA of the cluster its mbarrier is valid, in the same phase, and
/// nothing is under way. It holds what `init` has given it, or what has arrived since.
///
/// ```
/// # use ptx::{cluster::{ByElement, Cluster, Inbox}, qualifier::op};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) -> Inbox<'c, u32, 64, ByElement> {
/// let received = inbox.reduce_to_others(cluster, op::Add, |_| 1).receive(cluster.cta());
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

/// A DSMEM buffer that others are filling: in every CTA of the cluster. It owns what is being sent from here.
///
/// ```
/// # use ptx::{cluster::{ByElement, Cluster, Inbox, Sent}, qualifier::op};
/// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>, work: fn()) {
/// let sent: Sent<u32, 64, ByElement, ()> = inbox.reduce_to_others(cluster, op::Add, |_| 1);
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

static_assertions::assert_not_impl_any!(Sent<'static, u32, 4, ByTile, ()>: Copy, Clone, Send, Sync);

/// A DSMEM buffer that has received what was sent to it, and is readable.
///
/// ```
/// # use ptx::cluster::{ByElement, Cluster, Received, Sent};
/// # fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 64, ByElement, ()>) {
/// let received: Received<u32, 64, ByElement, ()> = sent.receive(cluster.cta());
/// let _sum = (0..64).filter_map(|i| received.get(i)).sum::<u32>();
/// let inbox = received.release(cluster);
/// # }
/// ```
#[must_use = "the scope has to return the DSMEM buffer: call `.release(&cluster)`"]
#[derive(Debug)]
pub struct Received<'c, T, const N: usize, V, Src> {
    inbox: Inbox<'c, T, N, V>,
    src: Src,
}

static_assertions::assert_not_impl_any!(Received<'static, u32, 4, ByTile, ()>: Copy, Clone, Send, Sync);

impl<'c, T: Element, const N: usize, V: Via> Inbox<'c, T, N, V> {
    const BYTES: u32 = buffer_bytes::<T, N, V>();

    #[inline(always)]
    fn bar(&self) -> u32 {
        self.addr + Self::BYTES
    }

    /// Makes the current phase of the CTA's own mbarrier expect `bytes`. Others may have sent some already: the tx-count is
    /// then below zero for a while, which its range allows, and the phase cannot complete before this arrival.
    ///
    /// # Safety
    ///
    /// The cluster call that this is part of makes the other CTAs send exactly `bytes` to this DSMEM buffer, at most 2^20 - 1.
    #[inline(always)]
    unsafe fn expect(&self, cta: &Cta, bytes: u32) {
        if cta.is_leader() {
            // SAFETY: valid in an `Inbox`; this is the phase's one arrival, and all threads have waited for the phase
            // before: a barrier is in between, of the cluster or, in a `Channel`, of the CTA.
            unsafe {
                raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, self.bar(), bytes)
            };
        }
    }

    /// Expects a tile and sends one: `start` starts the copy or the reduction with the operands that it gets, destination,
    /// source, bytes and mbarrier, for which this holds: 9.7.9.25.4.1: "the destination has to be in the shared memory of a
    /// different CTA within the cluster": a permutation leads to another. The DSMEM buffer is ready there, and the copy signals the
    /// mbarrier of the tile that it fills. The type proves the size; the source is aligned to 128 bytes and visible to the async
    /// proxy, by its `tile`. The caller owns it until the receiver has waited.
    #[inline(always)]
    fn send_tile(
        &self,
        cta: &Cta,
        permutation: Permutation<'c>,
        src: &impl CopySource<T, N>,
        start: impl FnOnce(u32, u32, u32, u32),
    ) {
        // SAFETY: by the permutation, one CTA sends one tile here.
        unsafe { self.expect(cta, Self::BYTES) };
        if cta.is_leader() {
            // SAFETY: the cluster has the ranks of its permutations.
            let (dst, mbar) = unsafe { self.of(permutation.to) };
            start(dst, src.tile(), Self::BYTES, mbar);
        }
    }

    /// Waits for the current phase.
    #[inline(always)]
    fn wait(&self) {
        // SAFETY: the CTA's own mbarrier, valid; the parity is of the phase that `expect` armed. The next is armed after a
        // barrier that follows this wait in every thread. Of the cluster's scope, as the complete-tx of another CTA is.
        unsafe { await_parity(scope::Cluster, self.bar(), self.parity, suspend_time_hint::None) };
    }

    /// The tile and the mbarrier of this DSMEM buffer in the CTA of that rank.
    ///
    /// # Safety
    ///
    /// The cluster has the rank.
    #[inline(always)]
    unsafe fn of(&self, rank: u32) -> (u32, u32) {
        // SAFETY: addresses in shared memory, and the caller's. By the contract of `enter` the DSMEM buffer lies at the same
        // place there.
        unsafe { (raw::mapa_shared_cluster(self.addr, rank), raw::mapa_shared_cluster(self.bar(), rank)) }
    }
}

impl<'c, T: Element, const N: usize, V: Via> Inbox<'c, T, N, V> {
    /// Ends the use of the DSMEM buffer in the last scope of the kernel ([`Cta::cluster_scope_last`]).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, launch::Cta, mbarrier::Ready};
    /// # fn kernel(cta: Cta, buffer: DsmemBuffer<f32, 64, ByTile, Ready>) {
    /// cta.cluster_scope_last(buffer, |cluster, inbox| (cluster, inbox.end()));
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> Ended<'c, DsmemBuffer<T, N, V, Ready>> {
        Ended::new()
    }
}

impl<'c, T: Element, const N: usize, V: Via, Src: End> Received<'c, T, N, V, Src> {
    /// Ends the use of the DSMEM buffer, and of what it was filled from, in the last scope of the kernel ([`Cta::cluster_scope_last`]), without the
    /// barrier of `release`.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, DsmemBuffer}, launch::Cta, mbarrier::Ready};
    /// # fn kernel(cta: Cta, buffer: DsmemBuffer<u32, 64, ByElement, Ready>, value: u32, out: &mut u32) {
    /// cta.cluster_scope_last(buffer, |cluster, inbox| {
    ///     let Some(to_the_next) = cluster.rotation(1) else { return (cluster, inbox.end()) };
    ///     let received = inbox.store(&cluster, to_the_next, |_| value).receive(cluster.cta());
    ///     *out = received.get(cluster.cta().thread_rank() as usize).unwrap_or(0);
    ///     let (buffer, ()) = received.end();
    ///     (cluster, buffer)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> (Ended<'c, DsmemBuffer<T, N, V, Ready>>, Src::Ended) {
        (Ended::new(), self.src.end())
    }
}

// SAFETY: what came has come. Other CTAs still copy what they have from here until they end what they received.
unsafe impl<'c, T: Element, const N: usize, V: Via, Src: End> End for Received<'c, T, N, V, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, V, Ready>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Received::end(self)
    }
}

impl<'c, T: Element, const N: usize, V: Via, Src> Sent<'c, T, N, V, Src> {
    /// Waits until everything that is sent to this CTA has arrived. A call of the CTA, not of the cluster.
    ///
    /// Collective in the CTA.
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

    /// What is being sent from here: a copy only reads it, and so may threads meanwhile, where it is
    /// [`Loaded`](crate::shared::Loaded) or a tile that is forwarded.
    ///
    /// ```
    /// # use ptx::cluster::{ByTile, Cluster, Inbox, Received, Permutation};
    /// # type Tile<'c> = Received<'c, f32, 64, ByTile, ()>;
    /// # fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 64, ByTile>, to_the_next: Permutation<'c>, tile: Tile<'c>) {
    /// let sent = inbox.send(cluster, to_the_next, tile);
    /// let _first = sent.source().get(0); // while it goes on
    /// let received = sent.receive(cluster.cta());
    /// # let _inbox = received.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
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
    /// What was sent from here, as of [`Sent::source`].
    ///
    /// ```
    /// # use ptx::cluster::{ByTile, Cluster, Inbox, Received, Permutation};
    /// # type Tiles<'c> = Inbox<'c, f32, 64, ByTile>;
    /// # type Tile<'c> = Received<'c, f32, 64, ByTile, ()>;
    /// # fn body<'c>(cluster: &Cluster<'c>, (b, c): (Tiles<'c>, Tiles<'c>), to_the_next: Permutation<'c>, a: Tile<'c>) {
    /// # let cta = cluster.cta();
    /// // As many DSMEM buffers as tiles: no CTA waits for all before the end.
    /// let b = b.send(cluster, to_the_next, a).receive(cta);
    /// let c = c.send(cluster, to_the_next, b).receive(cta);
    /// let _of_all_three = [c.get(0), c.source().get(0), c.source().source().get(0)];
    /// let (_c, (_b, (_a, ()))) = c.release(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
    }

    /// The `.shared::cta` address of the first element.
    ///
    /// ```
    /// # use ptx::cluster::{ByTile, Received};
    /// # fn body(received: &Received<'_, u32, 64, ByTile, ()>) {
    /// let operand = received.addr(); // for an instruction of your own that reads shared memory
    /// # }
    /// ```
    #[inline(always)]
    pub fn addr(&self) -> u32 {
        self.inbox.addr
    }

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
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
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
        // SAFETY: in bounds, and aligned since the DSMEM buffer is to 128; otherwise as in `get`.
        (i < const { size::vectors::<T, N>() })
            .then(|| unsafe { T::load_vector(self.inbox.addr + 16 * i as u32) })
    }
}
