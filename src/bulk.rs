//! Bulk copies (9.7.9.25.4) that own what they move until they are waited for.
//!
//! A [`Load`] completes on an [`Mbarrier`]; stores complete in a [`BulkGroup`]. Both are collective: every thread of the
//! CTA makes the call and holds the handle, the elected thread issues the copy.

use crate::global::{GlobalTileMut, TileSource};
use crate::launch::Cta;
use crate::mbarrier::{Arrivable, Arrived, Mbarrier, Ready};
use crate::qualifier::Sealed;
use crate::raw;
use crate::shared::{AsyncDestination, AsyncSource, Element, Free, Loaded, Shared};

/// An L2 cache policy, for copies that take one.
#[derive(Clone, Copy, Debug)]
pub struct CachePolicy(u64);

impl CachePolicy {
    /// What instructions take.
    #[inline(always)]
    pub(crate) fn bits(self) -> u64 {
        self.0
    }

    /// The data is wanted again: keep it longest.
    ///
    /// PTX: `createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 cache-policy, 1.0;`
    #[inline(always)]
    pub fn evict_last() -> Self {
        use crate::qualifier::evict;
        CachePolicy(raw::createpolicy_fractional(evict::Last, evict::Unchanged, 1.0))
    }

    /// The data is not wanted again: let it go first.
    ///
    /// PTX: `createpolicy.fractional.L2::evict_first.L2::evict_unchanged.b64 cache-policy, 1.0;`
    #[inline(always)]
    pub fn evict_first() -> Self {
        use crate::qualifier::evict;
        CachePolicy(raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0))
    }
}

/// A copy from global to shared memory in flight. It owns both ends and the mbarrier.
#[must_use = "a copy in flight has to be waited for: call `.wait(&cta)`"]
#[derive(Debug)]
pub struct Load<'s, T, const N: usize, Src> {
    bar: Mbarrier<Arrived>,
    dst: Shared<'s, T, N, Free>,
    src: Src,
}

/// Starts the copy of a tile to free shared memory, which completes on a ready mbarrier. The bytes that the mbarrier
/// expects are the tile's.
///
/// PTX: `mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 state, [bar], bytes;`
/// `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];` by the elected thread,
/// `mbarrier.arrive.release.cta.shared::cta.b64 state, [bar];` by the others.
#[inline(always)]
pub fn load<'s, T: Element, const N: usize, Src: TileSource<T, N>>(
    cta: &Cta,
    bar: Mbarrier<impl Arrivable>,
    dst: Shared<'s, T, N, impl AsyncDestination>,
    src: Src,
) -> Load<'s, T, N, Src> {
    load_with(cta, bar, dst, src, |dst, src, size, mbar| {
        // SAFETY: see `load_with`.
        unsafe { raw::cp_async_bulk_shared_cta_global(dst, src, size, mbar) }
    })
}

/// [`load`] under an L2 cache policy.
///
/// PTX: as [`load`], with `cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [dst], [src],
/// bytes, [bar], policy;`
#[inline(always)]
pub fn load_cache_hint<'s, T: Element, const N: usize, Src: TileSource<T, N>>(
    cta: &Cta,
    bar: Mbarrier<impl Arrivable>,
    dst: Shared<'s, T, N, impl AsyncDestination>,
    src: Src,
    policy: CachePolicy,
) -> Load<'s, T, N, Src> {
    load_with(cta, bar, dst, src, |dst, src, size, mbar| {
        // SAFETY: see `load_with`.
        unsafe { raw::cp_async_bulk_shared_cta_global_cache_hint(dst, src, size, mbar, policy.0) }
    })
}

/// `copy` starts the copy with the operands that it gets, for which this holds: the tile's type proves the size and the
/// alignment of the source; shared arrays are aligned to 128 bytes; the destination is free and now owned by the copy,
/// as is the mbarrier; nobody writes the source; a scope that ends has waited for the copy.
#[inline(always)]
fn load_with<'s, T: Element, const N: usize, Src: TileSource<T, N>>(
    cta: &Cta,
    bar: Mbarrier<impl Arrivable>,
    dst: Shared<'s, T, N, impl AsyncDestination>,
    src: Src,
    copy: impl FnOnce(u32, *const u8, u32, u32),
) -> Load<'s, T, N, Src> {
    let mbar = bar.addr();
    let bar = if cta.is_elected() {
        // SAFETY: the one copy that follows is of that many bytes, fewer than 2^20 by the tile's type.
        let bar = unsafe { bar.arrive_expect_tx(tile_bytes::<T, N>()) };
        copy(dst.addr(), src.base().cast(), tile_bytes::<T, N>(), mbar);
        bar
    } else {
        bar.arrive(cta)
    };
    Load { bar, dst: dst.into_state(), src }
}

const fn tile_bytes<T, const N: usize>() -> u32 {
    (N * size_of::<T>()) as u32
}

impl<'s, T: Element, const N: usize, Src> Load<'s, T, N, Src> {
    #[inline(always)]
    pub(crate) fn new(bar: Mbarrier<Arrived>, dst: Shared<'s, T, N, Free>, src: Src) -> Self {
        Load { bar, dst, src }
    }

    /// Waits for the copy: the tile is readable, the mbarrier ready for the next, the source no longer read.
    ///
    /// PTX, repeated while false: `mbarrier.try_wait.acquire.cta.shared::cta.b64 waitComplete, [bar], state;`
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> (Mbarrier<Ready>, Shared<'s, T, N, Loaded>, Src) {
        (self.bar.wait(cta), self.dst.into_state(), self.src)
    }

    /// Whether [`wait`](Load::wait) would return at once. Threads can get different answers.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.bar.is_complete()
    }
}

/// State: the group takes copies.
#[derive(Debug)]
pub enum Open {}
/// State: the group is complete as a list, and under way.
#[derive(Debug)]
pub enum Committed {}
/// State: all sources are read; the writes may be under way.
#[derive(Debug)]
pub enum ReadDone {}

/// States of a [`BulkGroup`] that can be waited for.
#[diagnostic::on_unimplemented(
    message = "a bulk group in the state `{Self}` cannot be waited for",
    label = "never committed",
    note = "`cp.async.bulk.wait_group` waits for committed groups: call `.commit(&cta)` first"
)]
pub trait Waitable: Sealed {}
impl Sealed for Open {}
impl Sealed for Committed {}
impl Sealed for ReadDone {}
impl Waitable for Committed {}
impl Waitable for ReadDone {}

/// States of a [`BulkGroup`] in which its list of copies is not closed.
#[diagnostic::on_unimplemented(
    message = "a bulk group in the state `{Self}` takes no more copies",
    label = "already committed",
    note = "start another group with `bulk::store`"
)]
pub trait Extendable: Sealed {}
impl Extendable for Open {}

/// A bulk async-group: stores from shared to global memory that are waited for together. It belongs to the
/// elected thread; what that thread learns by waiting, the others learn by a barrier.
///
/// `Copies` are the handles that it owns: nested pairs, the last copy outermost.
#[must_use = "copies in flight have to be waited for: call `.commit(&cta)`, then `.wait(&cta)`"]
#[derive(Debug)]
pub struct BulkGroup<Copies, State> {
    copies: Copies,
    _state: core::marker::PhantomData<State>,
}

/// A store in flight: its source and its destination.
pub type Store<'s, T, const N: usize, S> = (Shared<'s, T, N, S>, GlobalTileMut<T, N>);

/// Starts a group with the copy of `src` to `dst`.
///
/// PTX, by the elected thread: `cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;`
#[inline(always)]
pub fn store<'s, T: Element, const N: usize, S: AsyncSource>(
    cta: &Cta,
    src: Shared<'s, T, N, S>,
    dst: GlobalTileMut<T, N>,
) -> BulkGroup<Store<'s, T, N, S>, Open> {
    start_store(cta, &src, &dst);
    BulkGroup::new((src, dst))
}

/// [`store`] under an L2 cache policy.
///
/// PTX, by the elected thread: `cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [dst], [src], bytes, policy;`
#[inline(always)]
pub fn store_cache_hint<'s, T: Element, const N: usize, S: AsyncSource>(
    cta: &Cta,
    src: Shared<'s, T, N, S>,
    dst: GlobalTileMut<T, N>,
    policy: CachePolicy,
) -> BulkGroup<Store<'s, T, N, S>, Open> {
    if cta.is_elected() {
        // SAFETY: as in `start_store`.
        unsafe {
            raw::cp_async_bulk_global_shared_cta_cache_hint(
                dst.base.cast(),
                src.addr(),
                tile_bytes::<T, N>(),
                policy.0,
            )
        }
    }
    BulkGroup::new((src, dst))
}

#[inline(always)]
fn start_store<T: Element, const N: usize, S: AsyncSource>(
    cta: &Cta,
    src: &Shared<'_, T, N, S>,
    dst: &GlobalTileMut<T, N>,
) {
    if cta.is_elected() {
        // SAFETY: the tile's type proves the size and the alignment of the destination, which is this CTA's alone; shared
        // arrays are aligned to 128 bytes; by its state the source is visible to the async proxy; both handles go
        // into the group.
        unsafe { raw::cp_async_bulk_global_shared_cta(dst.base.cast(), src.addr(), tile_bytes::<T, N>()) }
    }
}

impl<Copies, State> BulkGroup<Copies, State> {
    #[inline(always)]
    pub(crate) fn new(copies: Copies) -> Self {
        BulkGroup { copies, _state: core::marker::PhantomData }
    }

    #[inline(always)]
    pub(crate) fn into_copies(self) -> Copies {
        self.copies
    }
}

impl<Copies, State> BulkGroup<Copies, State> {
    /// Adds the copy of `src` to `dst`.
    ///
    /// PTX: as [`store`].
    #[inline(always)]
    pub fn store<'s, T: Element, const N: usize, S: AsyncSource>(
        self,
        cta: &Cta,
        src: Shared<'s, T, N, S>,
        dst: GlobalTileMut<T, N>,
    ) -> BulkGroup<(Copies, Store<'s, T, N, S>), Open>
    where
        State: Extendable,
    {
        start_store(cta, &src, &dst);
        BulkGroup::new((self.copies, (src, dst)))
    }

    /// Closes the list of copies.
    ///
    /// PTX, by the elected thread: `cp.async.bulk.commit_group;`
    #[inline(always)]
    pub fn commit(self, cta: &Cta) -> BulkGroup<Copies, Committed>
    where
        State: Extendable,
    {
        if cta.is_elected() {
            // SAFETY: the group owns the copies until a wait.
            unsafe { raw::cp_async_bulk_commit_group() }
        }
        BulkGroup::new(self.copies)
    }

    /// Waits until all sources are read, and gives them back with the group of the destinations, still being written.
    ///
    /// PTX: `cp.async.bulk.wait_group.read 0;` by the elected thread, then `barrier.cta.sync 0;`
    #[inline(always)]
    pub fn wait_read(self, cta: &Cta) -> (Copies::Sources, BulkGroup<Copies::Destinations, ReadDone>)
    where
        Copies: Split,
        State: Waitable,
    {
        if cta.is_elected() {
            // SAFETY: waits for this group, which is committed, and for those before it.
            unsafe { raw::cp_async_bulk_wait_group_read::<0>() }
        }
        cta.sync();
        let (sources, destinations) = self.copies.split();
        (sources, BulkGroup::new(destinations))
    }

    /// Waits until everything is written and visible, and gives back all that the group owns.
    ///
    /// PTX: `cp.async.bulk.wait_group 0;` by the elected thread, then `barrier.cta.sync 0;`
    #[inline(always)]
    pub fn wait(self, cta: &Cta) -> Copies
    where
        State: Waitable,
    {
        if cta.is_elected() {
            // SAFETY: as in `wait_read`.
            unsafe { raw::cp_async_bulk_wait_group::<0>() }
        }
        cta.sync();
        self.copies
    }
}

/// The copies of a group as its sources and its destinations.
pub trait Split {
    /// What the copies read.
    type Sources;
    /// What they write.
    type Destinations;
    /// Takes them apart.
    #[doc(hidden)]
    fn split(self) -> (Self::Sources, Self::Destinations);
}

impl<'s, T, const N: usize, S> Split for Store<'s, T, N, S> {
    type Sources = Shared<'s, T, N, S>;
    type Destinations = GlobalTileMut<T, N>;
    #[inline(always)]
    fn split(self) -> (Self::Sources, Self::Destinations) {
        self
    }
}

impl<Rest: Split, Last: Split> Split for (Rest, Last) {
    type Sources = (Rest::Sources, Last::Sources);
    type Destinations = (Rest::Destinations, Last::Destinations);
    #[inline(always)]
    fn split(self) -> (Self::Sources, Self::Destinations) {
        let ((rest_src, rest_dst), (last_src, last_dst)) = (self.0.split(), self.1.split());
        ((rest_src, last_src), (rest_dst, last_dst))
    }
}
