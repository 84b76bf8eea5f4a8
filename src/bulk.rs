//! Bulk copies (9.7.9.25.4) that own what they move until they are waited for.
//!
//! A [`Load`], of one tile or of several, completes on an [`Mbarrier`](crate::mbarrier::Mbarrier); stores complete in a
//! [`BulkGroup`]. Both are collective in a [`ThreadGroup`]: every thread of the group makes the call and holds the handle, the
//! leader issues the copy.
//!
//! ```text
//!   store, reduce ──► BulkGroup<_, Uncommitted> ── commit ──► BulkGroup<_, Committed> ── wait ──► sources and destinations
//!                          └─ and, store: more copies      │ └─ wait_read ──► sources, BulkGroup<_, ReadDone>
//!                                                          └─ then: further groups in flight, `InFlight`
//! ```
//!
//! Bulk copies move whole multiples of 16 bytes (9.7.9.25.4.1). What is left of a slice after its whole tiles is a
//! [`Tail`](crate::global::Tail), read by threads or by [`cp_async::load_zero_filled`](crate::cp_async::load_zero_filled),
//! and a [`TailMut`](crate::global::TailMut), updated by threads.

use core::marker::PhantomData;

use crate::async_group::{InFlight, Queue, Token};
use crate::cache_policy::MaybeHinted;
use crate::global::GlobalTileMut;
use crate::group::{Cta, ThreadGroup, sync_with};
use crate::qualifier::Sealed;
use crate::qualifier::cp_mask;
use crate::raw;
use crate::shared::{Element, Shared};
use crate::size;

mod at_sync;
mod load;
mod prefetch;
mod reduce;
mod source;

pub(crate) use load::copy_tile;
pub use load::{Arriving, Destination, Load, LoadSource, LoadWith, load, load_with};
pub use prefetch::prefetch;
pub use reduce::{BulkReduce, GlobalReduce, Reduce, ReduceTile, reduce};
pub use source::{CopySource, Source};

const fn tile_bytes<T, const N: usize>() -> u32 {
    size::shared(size::bytes::<T, N>())
}

/// State: the group takes copies.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed, Uncommitted}, launch::Cta};
/// fn close<Copies>(cta: &Cta, group: BulkGroup<Copies, Uncommitted>) -> BulkGroup<Copies, Committed> {
///     group.commit(cta)
/// }
/// ```
#[derive(Debug)]
pub enum Uncommitted {}
/// State: the group is complete as a list, and under way.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed}, launch::Cta};
/// fn finish<Copies>(cta: &Cta, group: BulkGroup<Copies, Committed>) -> Copies {
///     group.wait(cta)
/// }
/// ```
#[derive(Debug)]
pub enum Committed {}
/// State: all sources are read; the writes may be under way.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, ReadDone}, global::GlobalTileMut, launch::Cta};
/// // The source has been given back; the destination is still the group's.
/// fn finish(cta: &Cta, group: BulkGroup<GlobalTileMut<f32, 64>, ReadDone>) -> GlobalTileMut<f32, 64> {
///     group.wait(cta)
/// }
/// ```
#[derive(Debug)]
pub enum ReadDone {}

/// States of a group that can be waited for.
#[diagnostic::on_unimplemented(
    message = "an async-group in the state `{Self}` cannot be waited for",
    label = "never committed",
    note = "`wait_group` waits for committed groups: call `.commit(&cta)` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Waitable: Sealed {}
impl Sealed for Uncommitted {}
impl Sealed for Committed {}
impl Sealed for ReadDone {}
impl Waitable for Committed {}
impl Waitable for ReadDone {}

/// States of a group in which its list of copies is not closed.
#[diagnostic::on_unimplemented(
    message = "an async-group in the state `{Self}` takes no more copies",
    label = "already committed",
    note = "start another group: `.then(&cta, group)` commits it after this one"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Extendable: Sealed {}
impl Extendable for Uncommitted {}

// What each state is not for.
static_assertions::assert_not_impl_any!(Uncommitted: Waitable);
static_assertions::assert_not_impl_any!(Committed: Extendable);
static_assertions::assert_not_impl_any!(ReadDone: Extendable);

/// A bulk async-group: stores from shared to global memory that are waited for together. It belongs to the
/// leader; what that thread learns by waiting, the others learn by a barrier.
///
/// `Copies` are the handles that it owns: nested pairs, the last copy outermost.
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>)
/// # -> Shared<'s, f32, 64, Fenced> {
/// let group = bulk::store(cta, tile, to).commit(cta);
/// let (tile, group) = group.wait_read(cta); // `tile` is free for something else
/// let to = group.wait(cta);
/// # tile
/// # }
/// ```
#[must_use = "copies in flight have to be waited for: call `.commit(&cta)`, then `.wait(&cta)`"]
#[derive(Debug)]
pub struct BulkGroup<Copies, State, G = Cta> {
    copies: Copies,
    _state: PhantomData<State>,
    _group: PhantomData<fn(&G)>,
}

static_assertions::assert_not_impl_any!(BulkGroup<(), Uncommitted>: Copy, Clone, Queue);
static_assertions::assert_not_impl_any!(BulkGroup<(), ReadDone>: Queue);

/// A store of [`Shared`] memory in flight: its source and its destination.
///
/// ```
/// # use ptx::{bulk::{BulkGroup, Committed, Store}, launch::Cta, shared::{Fenced, Free, Shared}};
/// fn finish<'s>(
///     cta: &Cta,
///     group: BulkGroup<Store<'s, f32, 64, Fenced>, Committed>,
/// ) -> Shared<'s, f32, 64, Free> {
///     let (tile, _to) = group.wait(cta);
///     tile.into_free()
/// }
/// ```
pub type Store<'s, T, const N: usize, S, G = Cta> = (Shared<'s, T, N, S, G>, GlobalTileMut<T, N>);

/// Starts a group with the copy of `src` to `dst`. `src` is [`Shared`] memory that was loaded or fenced, or, in a cluster, what a
/// DSMEM buffer or a channel has received ([`Received`](crate::cluster::Received), [`ChannelReceived`](crate::cluster::ChannelReceived)):
/// it cannot be released to its sender before the copy has read it.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;`, of a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) `fence.proxy.async.shared::cta;` before it
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared, Written}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Written>, to: GlobalTileMut<f32, 64>)
/// # -> Shared<'s, f32, 64, Fenced> {
/// let (tile, _to) = bulk::store(cta, tile.to_async(cta), to).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
///
/// A tile that another CTA has sent:
///
/// ```
/// # use ptx::{bulk, cluster::{ByTile, Cluster, Received}, global::GlobalTileMut};
/// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, ()>, dst: GlobalTileMut<f32, 64>) {
/// # let cta = cluster.cta();
/// let _first = received.get(0); // threads may read it before
/// let (received, _writing) = bulk::store(cta, received, dst).commit(cta).wait_read(cta);
/// let (_inbox, ()) = received.release(cluster); // for the next tile
/// # }
/// ```
#[inline(always)]
pub fn store<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, G: ThreadGroup>(
    group: &G,
    src: Src,
    dst: impl MaybeHinted<GlobalTileMut<T, N>>,
) -> BulkGroup<(Src, GlobalTileMut<T, N>), Uncommitted, G> {
    let (dst, hint) = dst.split();
    start_store(group, &src, &dst, hint, cp_mask::None);
    BulkGroup::new((src, dst))
}

/// [`store`] of the bytes of each 16-byte chunk that `bytes` holds; the others keep what they are. `src` is as of [`store`].
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dst], [src], bytes, byteMask;`, of a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) `fence.proxy.async.shared::cta;` before it
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, mask::ByteMask, shared::{Fenced, Shared}};
/// # #[cfg(feature = "sm_100")]
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>, dst: GlobalTileMut<u32, 64>) -> Shared<'s, u32, 64, Fenced> {
/// // The low half of each `u32`.
/// let low = ByteMask::from_bits_retain(0x3333);
/// let (tile, _writing) = bulk::store_masked(cta, tile, dst, low).commit(cta).wait_read(cta);
/// # tile
/// # }
/// ```
#[cfg(feature = "sm_100")]
#[inline(always)]
pub fn store_masked<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, G: ThreadGroup>(
    group: &G,
    src: Src,
    dst: impl MaybeHinted<GlobalTileMut<T, N>>,
    bytes: crate::mask::ByteMask,
) -> BulkGroup<(Src, GlobalTileMut<T, N>), Uncommitted, G> {
    let (dst, hint) = dst.split();
    start_store(group, &src, &dst, hint, cp_mask::Bytes(bytes));
    BulkGroup::new((src, dst))
}

#[inline(always)]
fn start_store<T: Element, const N: usize, G: ThreadGroup>(
    group: &G,
    src: &impl CopySource<T, N, Group = G>,
    dst: &GlobalTileMut<T, N>,
    hint: impl raw::L2CacheHint,
    mask: impl raw::BulkCpMask,
) {
    if group.is_leader() {
        // SAFETY: the tile's type proves the size and the alignment of the destination, which is this CTA's alone; the source
        // is aligned to 128 bytes and visible to the async proxy, by `tile`; both handles go into the group.
        unsafe {
            raw::cp_async_bulk_global_shared_cta(
                dst.base.cast(),
                src.tile(),
                const { tile_bytes::<T, N>() },
                hint,
                mask,
            )
        }
    }
}

impl<Copies, State, G> BulkGroup<Copies, State, G> {
    #[inline(always)]
    pub(crate) fn new(copies: Copies) -> Self {
        BulkGroup { copies, _state: PhantomData, _group: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn into_copies(self) -> Copies {
        self.copies
    }
}

impl<Copies, State, G: ThreadGroup> BulkGroup<Copies, State, G> {
    /// Adds the copy of `src` to `dst`.
    ///
    /// Collective in the group.
    ///
    /// PTX: as [`store`].
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
    /// # type Tile<'s> = Shared<'s, f32, 64, Fenced>;
    /// # fn kernel<'s>(cta: &Cta, a: Tile<'s>, b: Tile<'s>, to: [GlobalTileMut<f32, 64>; 2])
    /// # -> (Tile<'s>, Tile<'s>) {
    /// let [to_a, to_b] = to;
    /// let group = bulk::store(cta, a, to_a).store(cta, b, to_b).commit(cta);
    /// let ((a, _), (b, _)) = group.wait(cta);
    /// # (a, b)
    /// # }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "the group with one copy more")]
    pub fn store<T: Element, const N: usize, Src: CopySource<T, N, Group = G>>(
        self,
        group: &G,
        src: Src,
        dst: impl MaybeHinted<GlobalTileMut<T, N>>,
    ) -> BulkGroup<(Copies, (Src, GlobalTileMut<T, N>)), Uncommitted, G>
    where
        State: Extendable,
    {
        let (dst, hint) = dst.split();
        start_store(group, &src, &dst, hint, cp_mask::None);
        BulkGroup::new((self.copies, (src, dst)))
    }

    /// The copies of two groups as one group.
    ///
    /// PTX: none
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &Cta, a: Shared<'s, f32, 64, Fenced>, b: Shared<'s, u8, 64, Fenced>, to: (GlobalTileMut<f32, 64>, GlobalTileMut<u8, 64>)) {
    /// let ((_a, _), (_b, _)) = bulk::store(cta, a, to.0).and(bulk::store(cta, b, to.1)).commit(cta).wait(cta);
    /// # }
    /// ```
    #[inline(always)]
    pub fn and<More>(self, more: BulkGroup<More, Uncommitted, G>) -> BulkGroup<(Copies, More), Uncommitted, G>
    where
        State: Extendable,
    {
        // 9.7.9.25.6.1: a commit takes all prior copies that are not committed, so both are in the group that is committed
        // next.
        BulkGroup::new((self.copies, more.copies))
    }

    /// Closes the list of copies.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>)
    /// # -> Shared<'s, f32, 64, Fenced> {
    /// let group = bulk::store(cta, tile, to).commit(cta);
    /// let (tile, to) = group.wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn commit(self, group: &G) -> BulkGroup<Copies, Committed, G>
    where
        State: Extendable,
    {
        if group.is_leader() {
            // SAFETY: the group owns the copies until a wait.
            unsafe { raw::cp_async_bulk_commit_group() }
        }
        BulkGroup::new(self.copies)
    }

    /// Commits another group after this one, which has been committed and stays in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
    /// # type Tile<'s> = Shared<'s, f32, 64, Fenced>;
    /// # fn kernel<'s>(cta: &Cta, a: Tile<'s>, b: Tile<'s>, to: [GlobalTileMut<f32, 64>; 2])
    /// # -> (Tile<'s>, Tile<'s>) {
    /// let [to_a, to_b] = to;
    /// let queue = bulk::store(cta, a, to_a).commit(cta).then(cta, bulk::store(cta, b, to_b));
    /// let ((a, _), queue) = queue.wait_oldest(cta); // the second store goes on
    /// let (b, _) = queue.wait(cta);
    /// # (a, b)
    /// # }
    /// ```
    #[inline(always)]
    pub fn then<More>(
        self,
        group: &G,
        next: BulkGroup<More, Uncommitted, G>,
    ) -> InFlight<Self, BulkGroup<More, Committed, G>>
    where
        Self: Queue,
    {
        InFlight::new(self, next.commit(group))
    }

    /// Waits until all sources are read, and gives them back with the group of the destinations, still being written. The sources are
    /// behind the barrier of this wait, so [`Shared`] memory comes back as [`Fenced`](crate::shared::Fenced): free by
    /// [`into_free`](Shared::into_free), readable by [`into_loaded`](Shared::into_loaded). The tile of a DSMEM buffer comes back as it
    /// was, that of a channel as [`ChannelReleased`](crate::cluster::ChannelReleased).
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>)
    /// # -> Shared<'s, f32, 64, Published> {
    /// let (tile, writing) = bulk::store(cta, tile, to).commit(cta).wait_read(cta);
    /// let tile = tile.into_free().write(cta, |_| 0.0).publish(cta); // while `to` is being written
    /// let to = writing.wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_read(self, group: &G) -> (Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>)
    where
        Copies: Split,
        State: Waitable,
    {
        sync_with(group, self.wait_read_at_sync(group))
    }

    /// Waits until everything is written and visible, and gives back all that the group owns.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk::{BulkGroup, Committed, Store}, launch::Cta, shared::{Fenced, Shared}};
    /// # fn kernel<'s>(cta: &Cta, group: BulkGroup<Store<'s, f32, 64, Fenced>, Committed>)
    /// # -> Shared<'s, f32, 64, Fenced> {
    /// let (tile, to) = group.wait(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, group: &G) -> Copies
    where
        State: Waitable,
    {
        sync_with(group, self.wait_at_sync(group))
    }
}

impl<Copies, G> Sealed for BulkGroup<Copies, Committed, G> {}
impl<Copies, G> Queue for BulkGroup<Copies, Committed, G> {
    const GROUPS: u32 = 1;
    type Oldest = Self;
    type Newer = ();
    type Copies = Copies;
    #[inline(always)]
    fn take_oldest(self, _: Token) -> (Self, ()) {
        (self, ())
    }
    #[inline(always)]
    fn into_copies(self, _: Token) -> Copies {
        self.copies
    }
}

impl<Older: Queue, Newest, G: ThreadGroup> InFlight<Older, BulkGroup<Newest, Committed, G>> {
    /// Commits another group after these, which stay in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    ///
    /// ```
    /// # use ptx::{async_group::InFlight, bulk::{self, BulkGroup, Committed, Store}, global::GlobalTileMut};
    /// # use ptx::{launch::Cta, shared::{Fenced, Shared}};
    /// # type Tile<'s> = Shared<'s, f32, 64, Fenced>;
    /// # type Group<'s> = BulkGroup<Store<'s, f32, 64, Fenced>, Committed>;
    /// # type Queue<'s> = InFlight<Group<'s>, Group<'s>>;
    /// # fn kernel<'s>(cta: &Cta, queue: Queue<'s>, c: Tile<'s>, to: GlobalTileMut<f32, 64>)
    /// # -> [Tile<'s>; 3] {
    /// let queue = queue.then(cta, bulk::store(cta, c, to)); // three in flight
    /// let (((a, _), (b, _)), (c, _)) = queue.wait(cta);
    /// # [a, b, c]
    /// # }
    /// ```
    #[inline(always)]
    pub fn then<More>(
        self,
        group: &G,
        next: BulkGroup<More, Uncommitted, G>,
    ) -> InFlight<Self, BulkGroup<More, Committed, G>> {
        InFlight::new(self, next.commit(group))
    }

    /// Waits until the sources of the oldest group are read, and gives them back with the group of its
    /// destinations, still being written; the newer groups, `N` of them, stay in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read N;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{bulk, global::TilesMut, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, memory: (SharedArray<u32, 1024>, SharedArray<u32, 1024>), mut dst: TilesMut<u32, 1024>) {
    /// cta.async_scope(memory, |cta, (a, b)| {
    ///     let (Some((i, to_a)), Some((j, to_b))) = (dst.next_tile(), dst.next_tile()) else { return (a, b) };
    ///     let a = a.write(cta, |k| (i + k) as u32).to_async(cta);
    ///     let queue = bulk::store(cta, a, to_a).commit(cta);
    ///     // Computed while the first store runs.
    ///     let b = b.write(cta, |k| (j + k) as u32).to_async(cta);
    ///     let queue = queue.then(cta, bulk::store(cta, b, to_b));
    ///     let (a, _writing, queue) = queue.wait_read_oldest(cta); // the second store goes on
    ///     let (b, _writing) = queue.wait_read(cta);
    ///     (a.into_free(), b.into_free())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[expect(clippy::type_complexity, reason = "what comes back, each in its state")]
    pub fn wait_read_oldest<Copies: Split>(
        self,
        group: &G,
    ) -> (Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>, <Self as Queue>::Newer)
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        sync_with(group, self.wait_read_oldest_at_sync(group))
    }

    /// Waits until everything of the oldest group is written and visible; the newer groups, `N` of them, stay in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group N;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{async_group::InFlight, bulk::{BulkGroup, Committed, Store}, launch::Cta};
    /// # use ptx::shared::{Fenced, Shared};
    /// # type Group<'s> = BulkGroup<Store<'s, f32, 64, Fenced>, Committed>;
    /// # fn kernel<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>)
    /// # -> [Shared<'s, f32, 64, Fenced>; 2] {
    /// let ((a, to_a), queue) = queue.wait_oldest(cta);
    /// // `to_a` is written, the second store goes on.
    /// let (b, to_b) = queue.wait(cta);
    /// # [a, b]
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait_oldest<Copies>(self, group: &G) -> (Copies, <Self as Queue>::Newer)
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        sync_with(group, self.wait_oldest_at_sync(group))
    }

    /// Waits until everything of all groups is written and visible.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader, then `barrier.cta.sync.aligned 0;`
    ///
    /// ```
    /// # use ptx::{async_group::InFlight, bulk::{BulkGroup, Committed, Store}, launch::Cta};
    /// # use ptx::shared::{Fenced, Shared};
    /// # type Group<'s> = BulkGroup<Store<'s, f32, 64, Fenced>, Committed>;
    /// # fn kernel<'s>(cta: &Cta, queue: InFlight<Group<'s>, Group<'s>>)
    /// # -> [Shared<'s, f32, 64, Fenced>; 2] {
    /// let ((a, to_a), (b, to_b)) = queue.wait(cta);
    /// # [a, b]
    /// # }
    /// ```
    #[inline(always)]
    pub fn wait(self, group: &G) -> (Older::Copies, Newest) {
        at_sync::await_written(group, 0);
        group.sync();
        self.into_copies(Token::NEW)
    }
}

/// The copies of a group as its sources and its destinations.
///
/// # Safety
///
/// Implemented here only: the parts are those of the whole, each once.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Split {
    /// What the copies read.
    type Sources;
    /// What they write.
    type Destinations;
    /// Takes them apart. With a token: who calls it has waited, and a barrier or an mbarrier's phase tells the other threads.
    #[doc(hidden)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations);
}

// SAFETY: a tuple.
unsafe impl<Src: Source, T, const N: usize> Split for (Src, GlobalTileMut<T, N>) {
    type Sources = Src::Read;
    type Destinations = GlobalTileMut<T, N>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), self.1)
    }
}

// SAFETY: both are.
unsafe impl<Rest: Split, Last: Split> Split for (Rest, Last) {
    type Sources = (Rest::Sources, Last::Sources);
    type Destinations = (Rest::Destinations, Last::Destinations);
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        let ((rest_src, rest_dst), (last_src, last_dst)) = (self.0.split(token), self.1.split(token));
        ((rest_src, last_src), (rest_dst, last_dst))
    }
}
