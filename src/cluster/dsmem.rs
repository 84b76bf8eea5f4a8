//! DSMEM buffers: shared memory that other CTAs of the cluster fill asynchronously, with the mbarrier that counts the bytes.

use core::marker::PhantomData;
use core::ops::Deref;

use super::{Cluster, Permutation};
use crate::bulk::CopySource;
use crate::group::{Brand, Cta, End};
use crate::mbarrier::{Ready, Uninit, await_copies};
use crate::qualifier::{Sealed, scope, sem, space, suspend_time_hint};
use crate::raw;
use crate::shared::{ALIGN, Element, Ended, Lendable, Loaded, Place, Scoped, Shared, for_each_vector};
use crate::size;

mod channel;
mod element;
mod reduce;
mod source;
mod tile;

pub use channel::{Channel, ChannelAcknowledged, ChannelReceived, ChannelReleased, ChannelSent};
pub use reduce::ClusterReduce;
pub use source::Origin;

states! {
    what_fills [Sealed] [Via "fills a buffer"]
    /// Marker of a [`DsmemBuffer`] that bulk copies fill: tile by tile, through the async proxy (`cp.async.bulk`, TMA).
    ByTile: Via {
        const TIMES: usize = 1;
    };
    /// Marker of a [`DsmemBuffer`] that threads of other CTAs fill element by element (`st.async`, `red.async`). Up to 15 CTAs
    /// may fill the buffer in one phase of its mbarrier, so it holds 69,904 bytes at most (9.7.13.15.2).
    ByElement: Via {
        const TIMES: usize = OTHERS;
        const BY_THREADS: bool = true;
    };
    /// Marker of a [`DsmemBuffer`] that bulk copies fill along one [`Permutation`], tile after tile, as a [`Channel`]. It has a
    /// second mbarrier, at which the receiver acknowledges that it has read a tile.
    ByChannel: Via {
        const TIMES: usize = 1;
        const MBARRIERS: u32 = 2;
    };
}

/// Marker of what fills a [`DsmemBuffer`]: bulk copies ([`ByTile`], [`ByChannel`]), or element by element the threads of other
/// CTAs ([`ByElement`]). Part of the buffer's type: a change would need a proxy fence (9.7.9.25.2).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a marker of what fills a DSMEM buffer",
    label = "not `ByTile`, `ByElement` or `ByChannel`",
    note = "use `ByTile` (bulk copies of whole tiles), `ByElement` (`st.async` and `red.async` of threads) or `ByChannel` (the tiles of a `Channel`)"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Via: Sealed {
    /// How many times the bytes of a whole [`DsmemBuffer`] can arrive in one phase of its mbarrier.
    #[doc(hidden)]
    const TIMES: usize;
    /// The number of mbarriers of a [`DsmemBuffer`].
    #[doc(hidden)]
    const MBARRIERS: u32 = 1;
    /// Whether threads write the [`DsmemBuffer`], through the generic proxy (`st.async`, `red.async`).
    #[doc(hidden)]
    const BY_THREADS: bool = false;
}

/// The number of other CTAs in the largest cluster.
const OTHERS: usize = 15;

/// Handle of `N` elements in distributed shared memory (DSMEM), which other CTAs fill, and of the mbarrier that counts the bytes.
///
/// Elements and mbarrier share one handle, because the destination of a remote write and the mbarrier that it signals have to lie
/// in the same CTA. Outside a cluster scope the buffer is at rest; inside, it is an [`Inbox`]. `Fill` says what fills it:
/// [`ByTile`], [`ByElement`] or [`ByChannel`]. `Phase` says whether its mbarriers are initialized:
/// [`Ready`] after [`init_with`](DsmemBuffer::init_with); otherwise the scope initializes them. The
/// elements take a multiple of 16 bytes, fewer than 2^20, and are aligned to 128 bytes.
///
/// Example: an all-reduce.
///
/// ```
/// # use ptx::{cluster::{ByElement, DsmemBuffer}, group::Cta, qualifier::op};
/// ptx::shared_memory! { struct Smem { minima: DsmemBuffer<u32, 128, ByElement> } }
/// # fn kernel(cta: &mut Cta, smem: Smem, mine: fn(usize) -> u32) {
/// let minima = smem.minima.init_with(cta, mine);
/// let minima = cta.cluster_scope(minima, |cluster, inbox| {
///     let received = inbox.reduce_to_others(&cluster, op::Min, mine).receive(cluster.cta());
///     let _least_of_the_cluster = received.get(0);
///     let inbox = received.release().sync(&cluster);
///     (cluster, inbox)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct DsmemBuffer<T, const N: usize, Fill, Phase = Uninit> {
    addr: u32,
    /// The parity of the mbarrier's current phase.
    parity: u32,
    _elements: PhantomData<(*mut [T; N], Fill, Phase)>,
}

/// The bytes of the elements; the mbarriers follow them.
const fn buffer_bytes<T: Element, const N: usize, Fill: Via>() -> u32 {
    phase_bytes::<T, N>(Fill::TIMES)
}

/// The bytes of a tile. Asserts that `times` such tiles can arrive in one phase.
const fn phase_bytes<T: Element, const N: usize>(times: usize) -> u32 {
    let bytes = size::tile::<T, N>() as usize;
    assert!(
        size::product([times, bytes]) < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most, and 15 CTAs may send to this DSMEM buffer: choose fewer elements (PTX ISA 9.7.13.15.2)"
    );
    bytes as u32
}

// SAFETY: `SIZE` covers the elements and the mbarriers after them. `size::tile` asserts a multiple of 16 bytes, so the mbarriers
// are aligned to 8.
unsafe impl<T: Element, const N: usize, Fill: Via> Place for DsmemBuffer<T, N, Fill> {
    const SIZE: u32 = buffer_bytes::<T, N, Fill>() + 8 * Fill::MBARRIERS;
    const ALIGN: u32 = ALIGN;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        DsmemBuffer { addr, parity: 0, _elements: PhantomData }
    }
}

// SAFETY: an `Inbox` has nothing in flight, and only a `Cluster` of the same lifetime can send to it. `init` makes the mbarriers
// ready.
unsafe impl<T: Element, const N: usize, Fill: Via> Scoped for DsmemBuffer<T, N, Fill> {
    type InScope<'s> = Inbox<'s, T, N, Fill>;
    type Ended<'s> = Ended<'s, Self>;
    const FILLED_BY_COPIES: bool = !Fill::BY_THREADS;
    const INITIALIZED: bool = true;
    #[inline(always)]
    unsafe fn init_mbarriers(&self, _cta: &Cta) {
        for bar in mbarriers::<T, N, Fill>(self.addr) {
            // SAFETY: `DsmemBuffer<…, Uninit>` owns its memory, which holds no valid mbarrier; a count of 1 is valid
            // (9.7.13.15.9).
            unsafe { raw::mbarrier_init(space::SharedCta, bar, 1) };
        }
    }
    #[inline(always)]
    unsafe fn open<'s>(self) -> Inbox<'s, T, N, Fill> {
        Inbox { addr: self.addr, parity: 0, _scope: PhantomData, _elements: PhantomData }
    }
    #[inline(always)]
    unsafe fn inval_mbarriers(lent: &Inbox<'_, T, N, Fill>) {
        for bar in mbarriers::<T, N, Fill>(lent.addr) {
            // SAFETY: the mbarrier is valid, and nothing is in flight to an `Inbox`. The scope's barriers lie before and after.
            unsafe { raw::mbarrier_inval(space::SharedCta, bar) };
        }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Inbox<'_, T, N, Fill>) -> Self {
        DsmemBuffer { addr: lent.addr, parity: 0, _elements: PhantomData }
    }
}

// SAFETY: an `Inbox` has nothing in flight, and only a `Cluster` of the same lifetime can send to it.
unsafe impl<T: Element, const N: usize, Fill: Via> Scoped for DsmemBuffer<T, N, Fill, Ready> {
    type InScope<'s> = Inbox<'s, T, N, Fill>;
    type Ended<'s> = Ended<'s, DsmemBuffer<T, N, Fill>>;
    const FILLED_BY_COPIES: bool = !Fill::BY_THREADS;
    #[inline(always)]
    unsafe fn open<'s>(self) -> Inbox<'s, T, N, Fill> {
        Inbox { addr: self.addr, parity: self.parity, _scope: PhantomData, _elements: PhantomData }
    }
    #[inline(always)]
    unsafe fn give_back(lent: Inbox<'_, T, N, Fill>) -> Self {
        DsmemBuffer { addr: lent.addr, parity: lent.parity, _elements: PhantomData }
    }
}

// SAFETY: the buffer is at rest, and holds no mbarrier before the scope.
unsafe impl<T: Element, const N: usize, Fill: Via> Lendable for DsmemBuffer<T, N, Fill> {}
// SAFETY: the buffer is at rest. `init_with` or an earlier scope has initialized its mbarriers, which the scope fences.
unsafe impl<T: Element, const N: usize, Fill: Via> Lendable for DsmemBuffer<T, N, Fill, Ready> {}

/// The addresses of the mbarriers of the DSMEM buffer at `addr`.
#[inline(always)]
fn mbarriers<T: Element, const N: usize, Fill: Via>(addr: u32) -> impl Iterator<Item = u32> {
    (0..Fill::MBARRIERS).map(move |i| addr + const { buffer_bytes::<T, N, Fill>() } + 8 * i)
}

impl<T: Element, const N: usize, Fill: Via> DsmemBuffer<T, N, Fill> {
    /// Sets element `i` to `f(i)` and initializes the mbarriers of the DSMEM buffer (`mbarrier.init`), for a cluster scope that
    /// keeps the elements. Reductions of other CTAs ([`reduce`](Inbox::reduce), [`send_reduce`](Inbox::send_reduce)) are applied
    /// to these values. Each thread stores its share, 16 bytes at a time. A buffer that is lent to the scope without this call is
    /// initialized there, and its elements are unspecified until something arrives.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, by the leader: `mbarrier.init.shared::cta.b64 [bar], 1;`, per 16 bytes: `st.weak.shared::cta.v4.b32`, or `.v2.b64`,
    /// or `.b128`; unless the buffer is [`ByElement`], by all: `fence.proxy.async.shared::cta;`. The scope begins with the fences
    /// of the mbarriers.
    ///
    /// ```
    /// # use ptx::{cluster::{ByTile, DsmemBuffer}, group::Cta};
    /// # fn kernel(cta: &mut Cta, buffer: DsmemBuffer<u32, 1024, ByTile>) {
    /// let buffer = buffer.init_with(cta, |_| u32::MAX); // for minima
    /// let buffer = cta.cluster_scope(buffer, |cluster, inbox| (cluster, inbox));
    /// # }
    /// ```
    #[must_use = "the returned handle owns the DSMEM buffer: keep it"]
    #[inline(always)]
    #[track_caller]
    pub fn init_with(self, cta: &Cta, f: impl FnMut(usize) -> T) -> DsmemBuffer<T, N, Fill, Ready> {
        meet!(cta; self.addr);
        if cta.is_leader() {
            // SAFETY: the leader makes this call. `Cluster::begin` fences the mbarriers for the other CTAs.
            unsafe { self.init_mbarriers(cta) };
        }
        // SAFETY: this handle owns the elements; other CTAs use them only after the barrier that begins a cluster scope.
        unsafe { fill::<T, N>(cta, self.addr, f) };
        if const { !Fill::BY_THREADS } {
            // The bulk reductions of other CTAs access the elements through the async proxy.
            raw::fence_proxy_async(space::SharedCta);
        }
        DsmemBuffer { addr: self.addr, parity: 0, _elements: PhantomData }
    }
}

/// Stores `f(i)` to element `i`. Each thread stores its share.
///
/// # Safety
///
/// `N` elements lie at `addr`, aligned to 16 bytes, and only this call of the CTA uses them.
#[inline(always)]
unsafe fn fill<T: Element, const N: usize>(cta: &Cta, addr: u32, mut f: impl FnMut(usize) -> T) {
    for_each_vector::<T, N>(cta, |v| {
        // SAFETY: the vector is in bounds and this thread's alone (`for_each_vector`), aligned and unused by others (`# Safety`).
        unsafe { T::store_vector(addr + 16 * v, vector::<T>(v, &mut f)) }
    });
}

/// The elements of vector `v`: 16 bytes.
#[inline(always)]
fn vector<T: Element>(v: u32, f: &mut impl FnMut(usize) -> T) -> T::Vector {
    // SAFETY: a `Vector` is an array of elements (`Element`, clause 2), and all-zero bits are a value of every element.
    let mut vector = unsafe { core::mem::zeroed::<T::Vector>() };
    let first = v as usize * vector.as_ref().len();
    for (lane, value) in vector.as_mut().iter_mut().enumerate() {
        *value = f(first + lane);
    }
    vector
}

/// Calls `f` with the rank of each other CTA, the next rank first, so that the CTAs do not all start with the same one.
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

/// A [`DsmemBuffer`] inside the cluster scope `'c`, ready for CTAs to send to it. In every CTA of the cluster its mbarrier is
/// valid and in the same phase, and nothing is in flight. It holds the elements that `init` stored or that have arrived since.
///
/// A cluster call that sends takes the `Inbox` of every CTA, fills those of the receiving CTAs, and returns a [`Sent`] in every
/// CTA.
#[must_use = "the closure of the scope has to return this handle: return it"]
#[derive(Debug)]
pub struct Inbox<'c, T, const N: usize, Fill> {
    addr: u32,
    parity: u32,
    _scope: Brand<'c>,
    _elements: PhantomData<(*mut [T; N], Fill)>,
}

/// A DSMEM buffer with data in flight to it; [`receive`](Sent::receive) waits for the data. It owns the source from which this
/// CTA sends.
#[must_use = "data is in flight to this DSMEM buffer and has to be received: call `.receive(cta)`"]
#[derive(Debug)]
pub struct Sent<'c, T, const N: usize, Fill, Src> {
    inbox: Inbox<'c, T, N, Fill>,
    src: Src,
}

/// A DSMEM buffer that has received everything that was sent to it. It lends its elements as [`Shared`] memory, by `Deref`.
#[must_use = "the closure of the scope has to return the DSMEM buffer: call `.release()`"]
#[derive(Debug)]
pub struct Received<'c, T, const N: usize, Fill, Src> {
    inbox: Inbox<'c, T, N, Fill>,
    /// The elements of the inbox. Only lent: the next tile is sent after a barrier that uses this handle up.
    tile: Shared<'c, T, N, Loaded>,
    src: Src,
}

impl<'c, T: Element, const N: usize, Fill: Via> Inbox<'c, T, N, Fill> {
    const BYTES: u32 = buffer_bytes::<T, N, Fill>();

    #[inline(always)]
    fn bar(&self) -> u32 {
        self.addr + Self::BYTES
    }

    /// Arms the current phase of the CTA's own mbarrier: the phase completes once `bytes` bytes have arrived. Bytes that arrive
    /// before this call make the tx-count negative, within its range (9.7.13.15.2); the phase waits for this arrival
    /// (9.7.13.15.6).
    ///
    /// # Safety
    ///
    /// The cluster call that arms the phase makes the other CTAs send exactly `bytes` to this DSMEM buffer, at most 2^20 - 1.
    #[inline(always)]
    unsafe fn expect(&self, cta: &Cta, bytes: u32) {
        if cta.is_leader() {
            // SAFETY: the mbarrier of an `Inbox` is valid. This is the one arrival of the phase, and all threads have waited for
            // the phase before: a barrier of the cluster, or of the CTA in a `Channel`, lies in between.
            unsafe {
                raw::mbarrier_arrive_expect_tx(sem::Release, scope::Cta, space::SharedCta, self.bar(), bytes)
            };
        }
    }

    /// Expects one tile and sends one. `start` starts the copy or the reduction from the operands that it gets: destination,
    /// source, bytes and mbarrier. They meet the contracts of the raw copies:
    ///
    /// - 9.7.9.25.4.1: "the destination has to be in the shared memory of a different CTA within the cluster". A permutation
    ///   leads to another CTA.
    /// - The destination's DSMEM buffer is ready, and the mbarrier is the one after the destination tile.
    /// - The types prove the size. `CopySource::tile` promises an alignment of 128 bytes and visibility to the async proxy.
    /// - The caller owns `src` until the receiver has waited.
    #[inline(always)]
    fn send_tile(
        &self,
        cta: &Cta,
        permutation: Permutation<'c>,
        src: &impl CopySource<T, N>,
        start: impl FnOnce(u32, u32, u32, u32),
    ) {
        // SAFETY: a permutation is a bijection, so one CTA sends one tile to this CTA.
        unsafe { self.expect(cta, Self::BYTES) };
        if cta.is_leader() {
            // SAFETY: a permutation consists of ranks of its cluster.
            let (dst, mbar) = unsafe { self.of(permutation.to) };
            start(dst, src.tile(), Self::BYTES, mbar);
        }
    }

    /// Waits for the current phase.
    #[inline(always)]
    fn wait(&self) {
        // SAFETY: the CTA's own valid mbarrier; the parity is that of the phase that `expect` armed, and the next phase is armed
        // after a barrier that follows this wait in every thread.
        unsafe { await_copies(self.bar(), self.parity, suspend_time_hint::None) };
    }

    /// The addresses of this DSMEM buffer's elements and mbarrier in the CTA of rank `rank`.
    ///
    /// # Safety
    ///
    /// The cluster has a CTA of this rank.
    #[inline(always)]
    unsafe fn of(&self, rank: u32) -> (u32, u32) {
        // SAFETY: both are addresses in shared memory, and the cluster has the rank (`# Safety`). The DSMEM buffer lies at the
        // same offset in every CTA (`Cta::enter`).
        unsafe { (raw::mapa_shared_cluster(self.addr, rank), raw::mapa_shared_cluster(self.bar(), rank)) }
    }
}

impl<'c, T: Element, const N: usize, Fill: Via> Inbox<'c, T, N, Fill> {
    /// Gives up this DSMEM buffer in the last scope of the kernel ([`Cta::finish_cluster`]), whose `body` returns the result.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn end(self) -> Ended<'c, DsmemBuffer<T, N, Fill>> {
        Ended::new()
    }
}

impl<'c, T: Element, const N: usize, Fill: Via, Src: End> Received<'c, T, N, Fill, Src> {
    /// Gives up this DSMEM buffer and the source that its CTA sent, without the barrier of `release`, in the last scope of the
    /// kernel ([`Cta::finish_cluster`]), whose `body` returns the results.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::{ByElement, DsmemBuffer}, group::Cta, mbarrier::Ready};
    /// # fn kernel(cta: Cta, buffer: DsmemBuffer<u32, 64, ByElement, Ready>, value: u32, out: &mut u32) {
    /// cta.finish_cluster(buffer, |cluster, inbox| {
    ///     let Some(to_the_next) = cluster.rotation(1) else { return (cluster, inbox.end()) };
    ///     let received = inbox.store(&cluster, to_the_next, |_| value).receive(cluster.cta());
    ///     *out = received.get(cluster.cta().thread_rank() as usize).unwrap_or(0);
    ///     let (buffer, ()) = received.end();
    ///     (cluster, buffer)
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn end(self) -> (Ended<'c, DsmemBuffer<T, N, Fill>>, Src::Ended) {
        (Ended::new(), self.src.end())
    }
}

// SAFETY: everything that was sent to this CTA has arrived. Other CTAs may still copy from this CTA, until they end what they
// received.
unsafe impl<'c, T: Element, const N: usize, Fill: Via, Src: End> End for Received<'c, T, N, Fill, Src> {
    type Ended = (Ended<'c, DsmemBuffer<T, N, Fill>>, Src::Ended);
    #[inline(always)]
    fn end(self) -> Self::Ended {
        Received::end(self)
    }
}

impl<'c, T: Element, const N: usize, Fill: Via, Src> Sent<'c, T, N, Fill, Src> {
    /// Waits until everything that was sent to this CTA's DSMEM buffer has arrived, which all its threads may then read
    /// (`mbarrier.try_wait`). This is not a cluster call: the CTAs make it at different times.
    ///
    /// Collective in the CTA.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 waitComplete, [bar], parity;`, then
    /// `fence.acquire.sync_restrict::shared::cluster.cluster;`
    #[inline(always)]
    #[track_caller]
    pub fn receive(self, cta: &Cta) -> Received<'c, T, N, Fill, Src> {
        meet!(cta; self.inbox.addr);
        self.inbox.wait();
        let inbox = Inbox { parity: self.inbox.parity ^ 1, ..self.inbox };
        Received { tile: Shared::new(inbox.addr), inbox, src: self.src }
    }

    /// Returns the source that this CTA is sending: the `src` of [`send`](Inbox::send) or a sibling. The copy only reads it, so
    /// threads may read it too, if it is [`Loaded`](crate::shared::Loaded) memory or a forwarded tile.
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
    }
}

impl<'c, T: Element, const N: usize, Fill: Via, Src> Received<'c, T, N, Fill, Src> {
    /// Returns the source that this CTA sent, the `src` of [`send`](Inbox::send) or a sibling, as [`Sent::source`] does.
    ///
    /// ```
    /// # use ptx::cluster::{ByTile, Cluster, Inbox, Received, Permutation};
    /// # type Tiles<'c> = Inbox<'c, f32, 64, ByTile>;
    /// # type Tile<'c> = Received<'c, f32, 64, ByTile, ()>;
    /// # fn body<'c>(cluster: &Cluster<'c>, (b, c): (Tiles<'c>, Tiles<'c>), to_the_next: Permutation<'c>, a: Tile<'c>) {
    /// # let cta = cluster.cta();
    /// // One DSMEM buffer per tile, so no barrier of the cluster is needed before the end.
    /// let b = b.send(cluster, to_the_next, a).receive(cta);
    /// let c = c.send(cluster, to_the_next, b).receive(cta);
    /// let _of_all_three = [c.get(0), c.source().get(0), c.source().source().get(0)];
    /// let (_c, (_b, (_a, ()))) = c.release().sync(cluster);
    /// # }
    /// ```
    #[inline(always)]
    pub fn source(&self) -> &Src {
        &self.src
    }
}

impl<'c, T, const N: usize, Fill, Src> Deref for Received<'c, T, N, Fill, Src> {
    type Target = Shared<'c, T, N, Loaded>;
    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.tile
    }
}

handles! {
    DsmemBuffer<u32, 4, ByTile>, DsmemBuffer<u32, 4, ByTile, Ready>, Inbox<u32, 4, ByTile>,
    Sent<u32, 4, ByTile, ()>, Received<u32, 4, ByTile, ()>,
}
