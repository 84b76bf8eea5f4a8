//! Bulk asynchronous copies (`cp.async.bulk`, 9.7.9.25.4; CUDA's one-dimensional TMA copies), with handles that own the source
//! and the destination of a copy until a wait.
//!
//! A [`Load`] copies one or more tiles to shared memory, and completes on an [`Mbarrier`](crate::mbarrier::Mbarrier). A
//! [`LoadBuffer`] is one tile with its mbarrier. Stores and
//! reductions from shared to global memory complete in a [`BulkGroup`]. The calls are collective in a [`ThreadGroup`]: every
//! thread of the group makes the call and holds the handle. The leader, the thread of rank 0, issues the copy.
//!
//! ```text
//!   store, reduce ──► BulkGroup<_, Uncommitted> ── commit ──► BulkGroup<_, Committed> ── wait ──► sources and destinations
//!                          └─ and, store: more copies      │ ├─ wait_read ──► sources
//!                                                          │ └─ wait_read_split ──► sources, BulkGroup<_, ReadDone>
//!                                                          └─ then: further groups in flight, `InFlight`
//! ```
//!
//! A bulk copy moves a multiple of 16 bytes (9.7.9.25.4.1). The elements of a slice after its whole tiles are a
//! [`Tail`](crate::global::Tail), which threads read, or a [`TailMut`](crate::global::TailMut), which threads update.
//!
//! ```
//! # use ptx::{bulk, global::{GlobalTile, GlobalTileMut}, group::Cta, mbarrier::{Mbarrier, Uninit}, shared::SharedArray};
//! # type Memory = (SharedArray<f32, 1024>, Mbarrier<Uninit>);
//! # fn kernel(cta: Cta, memory: Memory, from: GlobalTile<f32, 1024>, to: GlobalTileMut<f32, 1024>) {
//! cta.finish(memory, |cta, (tile, bar)| {
//!     let load = bulk::load(cta, bar, tile, from);
//!     // Work that does not need the tile, which no thread can reach here.
//!     let (_bar, tile, _from) = load.wait(cta);
//!     let tile = tile.update(cta, |_, x| 2.0 * x).to_async().sync(cta);
//!     (bulk::store(cta, tile, to).commit(cta).wait_read(cta).end(), ())
//! });
//! # }
//! ```

use core::marker::PhantomData;

use crate::async_group::{self, InFlight, Queue, Token};
use crate::cache_policy::MaybeHinted;
use crate::global::GlobalTileMut;
use crate::group::{AfterSync, Cta, ThreadGroup, nothing_to_end};
use crate::mark::deal;
use crate::qualifier::Sealed;
use crate::qualifier::cp_mask;
use crate::raw;
use crate::shared::{Element, Shared};
use crate::size;

mod buffer;
mod load;
mod prefetch;
mod reduce;
mod source;

pub use buffer::{LoadBuffer, LoadTile, Loading, LoadingWith};
pub(crate) use load::copy_tile;
pub use load::{Arriving, Destination, Load, LoadSource, LoadWith, load, load_with};
pub use prefetch::prefetch;
pub use reduce::{BulkReduce, GlobalReduce, Reduce, ReduceTile, reduce};
pub use source::{CopySource, Source};

states! {
    uses_of_group [Sealed] [ Extendable "takes copies", WaitableAsyncGroup "`wait`" ]
    /// State of an async-group before `commit_group`: copies can still be added to the group.
    Uncommitted: Extendable;
    /// State of an async-group after `commit_group`: its copies are in flight, and the group takes no more copies.
    Committed: WaitableAsyncGroup;
    /// State of a [`BulkGroup`] whose copies have read their sources (`wait_group.read`), and may still write their destinations.
    ReadDone: WaitableAsyncGroup;
}

/// States of an async-group in which its copies can be waited for (`wait_group`): [`Committed`] and [`ReadDone`].
#[diagnostic::on_unimplemented(
    message = "an async-group in the state `{Self}` cannot be waited for",
    label = "not committed",
    note = "`wait_group` waits for committed groups: call `.commit(&cta)` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait WaitableAsyncGroup: Sealed {}

/// What a wait for the writes of a bulk async-group returns in this state.
///
/// # Safety
///
/// Implemented in this crate only: the handles are those of the copies, each once.
#[diagnostic::on_unimplemented(
    message = "an async-group in the state `{Self}` cannot be waited for",
    label = "not committed",
    note = "`wait_group` waits for committed groups: call `.commit(&cta)` first"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait AfterWait<Copies>: WaitableAsyncGroup {
    /// The handles.
    type Handles;
    #[doc(hidden)]
    fn handles(copies: Copies, token: Token) -> Self::Handles;
}
// SAFETY: `Split::written` returns the handles.
unsafe impl<Copies: Split> AfterWait<Copies> for Committed {
    type Handles = Copies::Written;
    #[inline(always)]
    fn handles(copies: Copies, token: Token) -> Self::Handles {
        copies.written(token)
    }
}
// SAFETY: these are the handles; what is not to come back, the wait for the reads has kept (`Split::split`).
unsafe impl<Copies> AfterWait<Copies> for ReadDone {
    type Handles = Copies;
    #[inline(always)]
    fn handles(copies: Copies, _: Token) -> Copies {
        copies
    }
}

/// The state of an async-group in which copies can be added to the group: [`Uncommitted`].
#[diagnostic::on_unimplemented(
    message = "an async-group in the state `{Self}` takes no more copies",
    label = "already committed",
    note = "start another group: `.then(&cta, group)` commits the new group after this one"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait Extendable: Sealed {}

/// A bulk async-group (`cp.async.bulk.commit_group`): stores and reductions from shared to global memory that are committed and
/// waited for together. The leader issues the copies, commits the group and waits. The barrier in each wait tells the other
/// threads that the copies are complete.
///
/// `Copies` are the handles that the group owns: nested pairs, with the last copy outermost. `State` is [`Uncommitted`],
/// [`Committed`] or [`ReadDone`].
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, group::Cta, shared::{Published, Shared, Written}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Written>, to: GlobalTileMut<f32, 64>) -> Shared<'s, f32, 64, Published> {
/// let group = bulk::store(cta, tile.to_async().sync(cta), to).commit(cta);
/// let (tile, group) = group.wait_read_split(cta).sync(cta); // the copy has read `tile`
/// let tile = tile.write(cta, |_| 0.0).publish().sync(cta); // while the copy writes `to`
/// let to = group.wait(cta).sync(cta);
/// # tile
/// # }
/// ```
///
/// What each state allows:
///
#[doc = uses_of_group!()]
#[must_use = "copies in flight have to be waited for: call `.commit(cta)`, then `.wait(cta).sync(cta)`"]
#[derive(Debug)]
pub struct BulkGroup<Copies, State, G = Cta> {
    copies: Copies,
    _state: PhantomData<State>,
    _group: PhantomData<fn(&G)>,
}

static_assertions::assert_not_impl_any!(BulkGroup<(), Uncommitted>: Copy, Clone, Queue);
static_assertions::assert_not_impl_any!(BulkGroup<(), ReadDone>: Queue);

/// The handles of a [`store`] in flight from [`Shared`] memory: its source and its destination.
pub type Store<'s, T, const N: usize, S, G = Cta> = (Shared<'s, T, N, S, G>, GlobalTileMut<T, N>);

/// Starts the bulk copy of the tile `src` from shared to global memory (CUDA's `cuda::ptx::cp_async_bulk`), in a new
/// [`BulkGroup`] to commit and wait for.
///
/// `src` is [`Shared`] memory in the state [`Loaded`](crate::shared::Loaded) or [`Fenced`](crate::shared::Fenced). In a cluster,
/// `src` can also be the tile that a DSMEM buffer or a channel has received ([`Received`](crate::cluster::Received),
/// [`ChannelReceived`](crate::cluster::ChannelReceived)). That tile cannot be released to its sender before the copy has read it.
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;`, for a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) after `fence.proxy.async.shared::cta;`
///
/// Stores a tile that another CTA has sent:
///
/// ```
/// # use ptx::{bulk, cluster::{ByTile, Cluster, Received}, global::GlobalTileMut};
/// # fn body<'c>(cluster: &Cluster<'c>, received: Received<'c, f32, 64, ByTile, ()>, dst: GlobalTileMut<f32, 64>) {
/// # let cta = cluster.cta();
/// let _first = received.get(0); // threads can read the tile too
/// let received = bulk::store(cta, received, dst).commit(cta).wait_read(cta).sync(cta);
/// let (_inbox, ()) = received.release().sync(cluster); // for the next tile
/// # }
/// ```
#[inline(always)]
#[track_caller]
#[doc(alias("SM90_BULK_COPY_S2G", "cp_async_bulk", "cuda::ptx::cp_async_bulk"))]
pub fn store<T: Element, const N: usize, Src: CopySource<T, N, Group = G>, G: ThreadGroup<Owner = Cta>>(
    group: &G,
    src: Src,
    dst: impl MaybeHinted<GlobalTileMut<T, N>>,
) -> BulkGroup<(Src, GlobalTileMut<T, N>), Uncommitted, G> {
    let (dst, hint) = dst.split();
    start_store(group, &src, &dst, hint, cp_mask::None);
    BulkGroup::new((src, dst))
}

/// Starts a [`store`] of some bytes of a tile: of each 16-byte chunk, the bytes whose bits are set in `bytes` (`.cp_mask`). The
/// other bytes of the destination keep their values. `src` is as for [`store`].
///
/// Collective in the group.
///
/// PTX, by the leader: `cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dst], [src], bytes, byteMask;`, for a DSMEM buffer
/// [`ByElement`](crate::cluster::ByElement) after `fence.proxy.async.shared::cta;`
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, group::Cta, mask::ByteMask, shared::{Fenced, Free, Shared}};
/// # #[cfg(feature = "sm_100")]
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>, dst: GlobalTileMut<u32, 64>) -> Shared<'s, u32, 64, Free> {
/// // The low half of each `u32`.
/// let low = ByteMask::from_bits_retain(0x3333);
/// let tile = bulk::store_masked(cta, tile, dst, low).commit(cta).wait_read(cta).sync(cta);
/// # tile
/// # }
/// ```
#[cfg(feature = "sm_100")]
#[inline(always)]
#[track_caller]
#[doc(alias("cp_async_bulk_cp_mask", "cuda::ptx::cp_async_bulk_cp_mask"))]
pub fn store_masked<
    T: Element,
    const N: usize,
    Src: CopySource<T, N, Group = G>,
    G: ThreadGroup<Owner = Cta>,
>(
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
#[track_caller]
fn start_store<T: Element, const N: usize, G: ThreadGroup>(
    group: &G,
    src: &impl CopySource<T, N, Group = G>,
    dst: &GlobalTileMut<T, N>,
    hint: impl raw::L2CacheHint,
    mask: impl raw::BulkCpMask,
) {
    meet!(group; src.place());
    deal::<G, _>(dst.base);
    if group.is_leader() {
        // SAFETY: the type of `dst` proves its size and alignment, and this CTA owns `dst`. The source is aligned to 128 bytes
        // and visible to the async proxy (`CopySource::tile`). The group owns both until a wait.
        unsafe {
            raw::cp_async_bulk_global_shared_cta(
                dst.base.cast(),
                src.tile(),
                const { size::tile::<T, N>() },
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
}

impl<Copies, State, G: ThreadGroup> BulkGroup<Copies, State, G> {
    /// Joins two uncommitted groups: the next [`commit`](BulkGroup::commit) (`cp.async.bulk.commit_group`) covers the copies of
    /// both.
    ///
    /// PTX: none
    #[inline(always)]
    pub fn and<More>(self, more: BulkGroup<More, Uncommitted, G>) -> BulkGroup<(Copies, More), Uncommitted, G>
    where
        State: Extendable,
    {
        // 9.7.9.25.6.1: a commit takes all prior uncommitted copies, so the next commit takes the copies of both groups.
        BulkGroup::new((self.copies, more.copies))
    }

    /// Commits the copies of this group as one bulk async-group (`cp.async.bulk.commit_group`, CUTLASS's `tma_store_arrive()`). A
    /// committed group takes no more copies.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cp_async_bulk_commit_group", "cuda::ptx::cp_async_bulk_commit_group", "tma_store_arrive"))]
    pub fn commit(self, group: &G) -> BulkGroup<Copies, Committed, G>
    where
        State: Extendable,
    {
        meet!(group);
        if group.is_leader() {
            // SAFETY: `commit_group` has no condition of its own (`# Safety`), and the group owns its copies until a wait.
            unsafe { raw::cp_async_bulk_commit_group() }
        }
        BulkGroup::new(self.copies)
    }

    /// Commits the copies of `next` as the next async-group while this group stays in flight, and returns both as a queue
    /// ([`InFlight`]), whose oldest group can be waited for alone (`wait_group N`).
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    #[inline(always)]
    #[track_caller]
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

    /// Waits in the leader until the copies of this group have read their sources in shared memory
    /// (`cp.async.bulk.wait_group.read`, CUTLASS's `tma_store_wait<0>()`), and returns the sources, which are there after the
    /// barrier: [`Shared`] memory as [`Free`](crate::shared::Free), the tile of a DSMEM buffer unchanged, the tile of a channel as
    /// [`ChannelReleased`](crate::cluster::ChannelReleased).
    ///
    /// The copies may still write their destinations, which are complete when the grid is.
    /// [`wait_read_split`](BulkGroup::wait_read_split) keeps them, for a later wait.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader; in a [`FirstWarp`](crate::group::FirstWarp) and in a
    /// [`Thread`](crate::group::Thread) after `fence.proxy.async.shared::cta;`, by each thread
    #[inline(always)]
    #[track_caller]
    #[doc(alias(
        "cp_async_bulk_wait_group_read",
        "cuda::ptx::cp_async_bulk_wait_group_read",
        "tma_store_wait"
    ))]
    pub fn wait_read(self, group: &G) -> AfterSync<Copies::Sources, G>
    where
        Copies: Split,
        State: WaitableAsyncGroup,
    {
        await_read(group, 0);
        AfterSync::new(self.copies.split(Token::NEW).0)
    }

    /// Waits as [`wait_read`](BulkGroup::wait_read) does, and returns the sources, and a group that owns the destinations, whose
    /// writes the kernel can still [`wait`](BulkGroup::wait) for: before it tells another CTA that a result is in global memory.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the leader; in a [`FirstWarp`](crate::group::FirstWarp) and in a
    /// [`Thread`](crate::group::Thread) after `fence.proxy.async.shared::cta;`, by each thread
    #[inline(always)]
    #[track_caller]
    #[expect(clippy::type_complexity, reason = "the returned handles, each in its state")]
    pub fn wait_read_split(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, BulkGroup<Copies::Destinations, ReadDone, G>), G>
    where
        Copies: Split,
        State: WaitableAsyncGroup,
    {
        await_read(group, 0);
        let (sources, destinations) = self.copies.split(Token::NEW);
        AfterSync::new((sources, BulkGroup::new(destinations)))
    }

    /// Waits in the leader until the copies of this group have written global memory (`cp.async.bulk.wait_group`), and returns all
    /// handles of the group, except that a part of the CTA does not regain its destinations in global memory (`()`). After the
    /// barrier all threads see the writes. Sources keep their contents.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader
    #[inline(always)]
    #[track_caller]
    #[doc(alias("cp_async_bulk_wait_group", "cuda::ptx::cp_async_bulk_wait_group"))]
    pub fn wait<Written>(self, group: &G) -> AfterSync<Written, G>
    where
        State: AfterWait<Copies, Handles = Written>,
    {
        await_written(group, 0);
        AfterSync::new(State::handles(self.copies, Token::NEW))
    }
}

// The copies have read their sources, and their writes are complete when the grid is.
nothing_to_end! { [Copies, G] BulkGroup<Copies, ReadDone, G>; }

/// Makes the leader, which committed the groups, wait until all but the `newer` most recent groups are written.
#[inline(always)]
#[track_caller]
fn await_written(group: &impl ThreadGroup, newer: u32) {
    meet!(group);
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group, newer);
    }
}

/// Makes the leader wait until the copies of all but the `newer` most recent groups have read their sources. A `Loaded` source
/// comes back free: copies may overwrite what threads of the group have read.
#[inline(always)]
#[track_caller]
fn await_read<G: ThreadGroup>(group: &G, newer: u32) {
    meet!(group);
    G::fence_reads();
    if group.is_leader() {
        async_group::wait_group!(cp_async_bulk_wait_group_read, newer);
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
    /// Commits the copies of `next` as the next async-group (`cp.async.bulk.commit_group`); the groups of this queue stay in
    /// flight.
    ///
    /// Collective in the group.
    ///
    /// PTX, by the leader: `cp.async.bulk.commit_group;`
    #[inline(always)]
    #[track_caller]
    pub fn then<More>(
        self,
        group: &G,
        next: BulkGroup<More, Uncommitted, G>,
    ) -> InFlight<Self, BulkGroup<More, Committed, G>> {
        InFlight::new(self, next.commit(group))
    }

    /// Waits in the leader until the copies of the queue's oldest group have read their sources in shared memory
    /// (`cp.async.bulk.wait_group.read N`). Returns the sources, as [`BulkGroup::wait_read`] does, and the queue of the newer
    /// groups, `N` of them, which stay in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group.read N;` by the leader; in a [`FirstWarp`](crate::group::FirstWarp) and in a
    /// [`Thread`](crate::group::Thread) after `fence.proxy.async.shared::cta;`, by each thread
    ///
    /// ```
    /// # use ptx::{bulk, global::TilesMut, group::Cta, shared::SharedArray};
    /// # fn kernel(cta: Cta, memory: (SharedArray<u32, 1024>, SharedArray<u32, 1024>), mut dst: TilesMut<u32, 1024>) {
    /// cta.finish(memory, |cta, (a, b)| {
    ///     let (Some((i, to_a)), Some((j, to_b))) = (dst.next_tile(), dst.next_tile()) else { return (a.end(), b.end()) };
    ///     let a = a.write(cta, |k| (i + k) as u32).to_async().sync(cta);
    ///     let queue = bulk::store(cta, a, to_a).commit(cta);
    ///     // Computed while the first store runs.
    ///     let b = b.write(cta, |k| (j + k) as u32).to_async().sync(cta);
    ///     let queue = queue.then(cta, bulk::store(cta, b, to_b));
    ///     let (a, queue) = queue.wait_read_oldest(cta).sync(cta); // the second store goes on
    ///     (a.end(), queue.wait_read(cta).end())
    /// });
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "tma_store_wait")]
    pub fn wait_read_oldest<Copies: Split>(
        self,
        group: &G,
    ) -> AfterSync<(Copies::Sources, <Self as Queue>::Newer), G>
    where
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // 9.7.9.25.6.2: waits until "only N or fewer of the most recent bulk async-groups are pending". The N newer groups of
        // this queue were committed after the oldest group, so the oldest group is never one of the N most recent.
        await_read(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies.split(Token::NEW).0, newer))
    }

    /// Waits in the leader until the copies of the queue's oldest group have written global memory (`cp.async.bulk.wait_group N`).
    /// After the barrier all threads see the writes. The newer groups, `N` of them, stay in flight.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group N;` by the leader
    #[inline(always)]
    #[track_caller]
    #[doc(alias = "__pipeline_wait_prior")]
    pub fn wait_oldest<Copies, Written>(self, group: &G) -> AfterSync<(Written, <Self as Queue>::Newer), G>
    where
        Copies: Split<Written = Written>,
        Older: Queue<Oldest = BulkGroup<Copies, Committed, G>>,
    {
        // The oldest group is not among the N most recent, as in `wait_read_oldest`.
        await_written(group, const { Older::GROUPS });
        let (oldest, newer) = self.take_oldest(Token::NEW);
        AfterSync::new((oldest.copies.written(Token::NEW), newer))
    }

    /// Waits in the leader until the copies of all groups of the queue have written global memory (`cp.async.bulk.wait_group 0`).
    /// After the barrier all threads see the writes.
    ///
    /// Collective in the group.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the leader
    #[inline(always)]
    #[track_caller]
    pub fn wait<Written>(self, group: &G) -> AfterSync<Written, G>
    where
        (Older::Copies, Newest): Split<Written = Written>,
    {
        await_written(group, 0);
        AfterSync::new(self.into_copies(Token::NEW).written(Token::NEW))
    }
}

/// The handles that the copies of an async-group own, which can be divided into sources and destinations.
///
/// # Safety
///
/// Implemented in this crate only: the two parts hold each handle of the whole exactly once.
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait Split {
    /// The handles of the memory that the copies read.
    type Sources;
    /// The handles of the memory that the copies write.
    type Destinations;
    /// Divides the handles of the copies into sources and destinations. The token proves that the caller has waited; a barrier or
    /// an mbarrier tells the other threads.
    #[doc(hidden)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations);
    /// The handles after the copies: a part of the CTA does not regain tiles of the CTA ([`ThreadGroup::Regained`]).
    type Written;
    /// Returns the handles after the copies. The token proves that the caller has waited for the writes.
    #[doc(hidden)]
    fn written(self, token: Token) -> Self::Written;
}

// SAFETY: the parts are the two handles of the pair.
unsafe impl<Src: Source<Group: ThreadGroup>, T, const N: usize> Split for (Src, GlobalTileMut<T, N>) {
    type Sources = Src::Read;
    type Destinations = <Src::Group as ThreadGroup>::Regained<GlobalTileMut<T, N>>;
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        (self.0.when_read(token), Src::Group::regain(self.1, token))
    }
    type Written = (Src, Self::Destinations);
    #[inline(always)]
    fn written(self, token: Token) -> Self::Written {
        (self.0, Src::Group::regain(self.1, token))
    }
}

// SAFETY: both halves divide their own handles (`Split`), and each part combines two disjoint parts.
unsafe impl<Rest: Split, Last: Split> Split for (Rest, Last) {
    type Sources = (Rest::Sources, Last::Sources);
    type Destinations = (Rest::Destinations, Last::Destinations);
    #[inline(always)]
    fn split(self, token: Token) -> (Self::Sources, Self::Destinations) {
        let ((rest_src, rest_dst), (last_src, last_dst)) = (self.0.split(token), self.1.split(token));
        ((rest_src, last_src), (rest_dst, last_dst))
    }
    type Written = (Rest::Written, Last::Written);
    #[inline(always)]
    fn written(self, token: Token) -> Self::Written {
        (self.0.written(token), self.1.written(token))
    }
}
