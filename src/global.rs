//! Global memory: slices made once at the kernel's entry, and the tiles that copies move.
//!
//! [`Global`] is read by everyone. [`GlobalMut`] is written, and so divided: its whole tiles among the CTAs of the
//! grid ([`TilesMut`]), the rest among the threads ([`TailMut`]). A tile that a CTA has is its alone.
//!
//! What threads write one by one is dealt out by elements or vectors over the grid ([`GlobalElementsMut`], [`GlobalVectorsMut`]), by
//! rows over the CTAs ([`GlobalRowsMut`]), or by tiles of a matrix ([`GlobalMatrixMut`]). What a bulk load takes of a length that is known
//! at run time is a [`GlobalSlice`].

use crate::cache_policy::CachePolicy;
use crate::group::Cta;
use crate::qualifier::{Sealed, space};
use crate::raw::{self, PrimaryPriority, SecondaryPriority};
use crate::shared::Element;
use crate::size;

mod elements;
mod matrix;
mod slice;

pub use elements::{
    ElementMut, ElementsMut, GlobalElementsMut, GlobalVectorsMut, Length, VectorMut, VectorsMut,
    WarpElementsMut,
};
pub use matrix::{
    FragmentMut, GlobalMatrix, GlobalMatrixMut, GlobalRowsMut, MatrixTile, MatrixTileMut, RowMut, RowsMut,
};
pub use slice::GlobalSlice;

/// Bytes to which the address of a bulk copy is aligned (9.7.9.25.4.1).
pub const ALIGN: usize = 16;

pub(crate) const fn tile_bytes<T, const N: usize>() -> usize {
    assert!(N > 0, "a tile has at least one element");
    assert!(
        size::bytes::<T, N>().is_multiple_of(16),
        "a bulk copy moves a multiple of 16 bytes: choose a tile of a multiple of 16 bytes (PTX ISA 9.7.9.25.4.1)"
    );
    assert!(
        size::bytes::<T, N>() < 1 << 20,
        "an mbarrier counts 2^20 - 1 bytes at most: choose a smaller tile (PTX ISA 9.7.13.15.2)"
    );
    size::bytes::<T, N>()
}

/// A slice of global memory that nobody writes while the kernel runs.
///
/// ```
/// # use ptx::{global::Global, launch::Cta};
/// # unsafe fn kernel(cta: &Cta, x: *const f32, n: usize) {
/// // SAFETY: the host passes `n` elements, aligned to 16 bytes, which nobody writes while the kernel runs.
/// let x = unsafe { Global::from_raw(x, n) };
/// let first = x.get(0);
/// let (tiles, tail) = x.tiles::<1024>();
/// # }
/// ```
#[derive(Debug)]
pub struct Global<T> {
    pub(crate) base: *const T,
    pub(crate) len: usize,
}

static_assertions::assert_not_impl_any!(Global<u32>: Send, Sync);

impl<T> Clone for Global<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Global<T> {}

impl<T: Element> Global<T> {
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to [`ALIGN`], of `len` elements of global memory.
    /// - nobody writes them until the grid ends. (Inside a [`Prerequisite`](crate::launch::Prerequisite): from its wait on.)
    /// - every thread of the CTA makes it with equal arguments.
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # unsafe fn kernel(table: *const u32) {
    /// // SAFETY: the host passes 256 elements, aligned to 16 bytes, which nobody writes meanwhile.
    /// let table = unsafe { Global::from_raw(table, 256) };
    /// # }
    /// ```
    #[inline(always)]
    pub const unsafe fn from_raw(base: *const T, len: usize) -> Self {
        Global { base, len }
    }

    /// The number of elements.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # fn kernel(x: Global<f32>) {
    /// let last = x.len().checked_sub(1).and_then(|i| x.get(i));
    /// # }
    /// ```
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # fn kernel(x: Global<f32>) {
    /// let nothing_to_do = x.is_empty();
    /// # }
    /// ```
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Element `i`, or `None` past the end.
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>) {
    /// let own = x.get(cta.thread_rank() as usize).unwrap_or(0.0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds, and nobody writes.
        (i < self.len).then(|| unsafe { self.base.add(i).read() })
    }

    /// The whole tiles of `N` elements, `N * size_of::<T>()` being a multiple of 16, and the elements after them.
    ///
    /// ```
    /// # use ptx::global::Global;
    /// # fn kernel(x: Global<f32>) {
    /// let (tiles, tail) = x.tiles::<1024>();
    /// let elements = tiles.count() * 1024 + tail.len(); // all of them
    /// # }
    /// ```
    #[inline(always)]
    pub fn tiles<const N: usize>(self) -> (Tiles<T, N>, Tail<T>) {
        const { tile_bytes::<T, N>() };
        let count = self.len / N;
        // SAFETY: `count * N <= len`.
        let tail = unsafe { self.base.add(count * N) };
        (Tiles { base: self.base, count }, Tail { base: tail, len: self.len - count * N, policy: () })
    }
}

impl CachePolicy {
    /// Gives accesses to the first `first` elements of `slice` the primary priority, to its others the secondary one;
    /// `None` if the slice is shorter, empty, or of 2^32 bytes or more.
    ///
    /// PTX: `createpolicy.range.global.L2::primary.L2::secondary.b64 cache-policy, [slice], primary-size, total-size;`,
    /// sizes in bytes
    ///
    /// ```
    /// # use ptx::{cache_policy::CachePolicy, global::Global};
    /// # fn kernel(table: Global<f32>) -> Option<CachePolicy> {
    /// use ptx::qualifier::evict;
    /// // The head of the table is used over and over.
    /// let head_stays = CachePolicy::range(evict::Last, evict::First, table, 4096)?;
    /// # Some(head_stays)
    /// # }
    /// ```
    #[inline(always)]
    pub fn range<T: Element, Primary: PrimaryPriority, Secondary: SecondaryPriority>(
        primary: Primary,
        secondary: Secondary,
        slice: Global<T>,
        first: usize,
    ) -> Option<Self> {
        if slice.len == 0 || first > slice.len || slice.len > u32::MAX as usize / size_of::<T>() {
            return None;
        }
        let bytes = |elements: usize| (elements * size_of::<T>()) as u32;
        // SAFETY: the address is that of a slice of global memory, of which `first` elements are a part; both sizes fit into
        // 32 bits.
        Some(CachePolicy(unsafe {
            raw::createpolicy_range(
                space::Global,
                primary,
                secondary,
                slice.base.cast(),
                bytes(first),
                bytes(slice.len),
            )
        }))
    }
}

/// The whole tiles of a [`Global`].
///
/// ```
/// # use ptx::{bulk, global::Tiles, launch::Cta};
/// # fn kernel(cta: &Cta, tiles: Tiles<f32, 1024>) {
/// let mut i = cta.grid_rank() as usize;
/// while let Some(tile) = tiles.get(i) {
///     bulk::prefetch(cta, tile);
///     i += cta.grid_size() as usize;
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Tiles<T, const N: usize> {
    pub(crate) base: *const T,
    pub(crate) count: usize,
}

static_assertions::assert_not_impl_any!(Tiles<u32, 4>: Send, Sync);

impl<T, const N: usize> Clone for Tiles<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for Tiles<T, N> {}

impl<T: Element, const N: usize> Tiles<T, N> {
    /// How many there are.
    ///
    /// ```
    /// # use ptx::global::Tiles;
    /// # fn kernel(tiles: Tiles<f32, 1024>) {
    /// let last = tiles.count().checked_sub(1).and_then(|i| tiles.get(i));
    /// # }
    /// ```
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Tile `i`, or `None` past the end.
    ///
    /// ```
    /// # use ptx::{global::Tiles, launch::Cta};
    /// # fn kernel(cta: &Cta, tiles: Tiles<f32, 1024>) {
    /// // `None` in the CTAs for which there is none.
    /// let own = tiles.get(cta.grid_rank() as usize);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<GlobalTile<T, N>> {
        if i >= self.count {
            return None;
        }
        // SAFETY: in bounds.
        Some(GlobalTile { base: unsafe { self.base.add(i * N) } })
    }
}

/// `N` elements of global memory that nobody writes, aligned and sized for a bulk copy.
///
/// ```
/// # use ptx::{bulk, global::GlobalTile, launch::Cta, mbarrier::{Mbarrier, Ready}, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>, bar: Mbarrier<Ready>, src: GlobalTile<f32, 64>) {
/// let (tile, bar) = cta.async_scope((tile, bar), |cta, (tile, bar)| {
///     let (bar, tile, src) = bulk::load(cta, bar, tile, src).wait(cta);
///     (tile.release(cta), bar)
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalTile<T, const N: usize> {
    pub(crate) base: *const T,
}

static_assertions::assert_not_impl_any!(GlobalTile<u32, 4>: Send, Sync);

impl<T, const N: usize> Clone for GlobalTile<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for GlobalTile<T, N> {}

/// The elements of a [`Global`] after its whole tiles. `P` is the L2 cache policy of their copy: none, or that of
/// [`cache_hint`](Tail::cache_hint).
///
/// ```
/// # use ptx::{global::Global, launch::Cta};
/// # fn kernel(cta: &Cta, x: Global<f32>) {
/// let (_, tail) = x.tiles::<1024>();
/// let mut i = cta.thread_rank() as usize;
/// while let Some(v) = tail.get(i) {
///     i += cta.thread_count() as usize;
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Tail<T, P = ()> {
    pub(crate) base: *const T,
    pub(crate) len: usize,
    pub(crate) policy: P,
}

static_assertions::assert_not_impl_any!(Tail<u32>: Send, Sync);

impl<T, P: Copy> Clone for Tail<T, P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, P: Copy> Copy for Tail<T, P> {}

impl<T> Tail<T> {
    /// The same elements, for [`load_zero_filled`](crate::cp_async::load_zero_filled) under an L2 cache policy.
    ///
    /// PTX of their copy: with `.L2::cache_hint` behind `.global`, and `policy` as the last operand.
    ///
    /// ```
    /// # use ptx::{cache_policy::CachePolicy, cp_async, global::Tail, launch::Cta, shared::SharedArray};
    /// # fn kernel(cta: &mut Cta, memory: SharedArray<f32, 1024>, tail: Tail<f32>) {
    /// let once = CachePolicy::evict_first();
    /// cta.async_scope(memory, |cta, tile| {
    ///     let (tile, _tail) = cp_async::load_zero_filled(cta, tile, tail.cache_hint(once)).wait_all(cta);
    ///     tile.to_async(cta).into_free()
    /// });
    /// # }
    /// ```
    #[inline(always)]
    pub fn cache_hint(self, policy: CachePolicy) -> Tail<T, CachePolicy> {
        Tail { base: self.base, len: self.len, policy }
    }
}

impl<T: Element, P> Tail<T, P> {
    /// How many there are.
    ///
    /// ```
    /// # use ptx::global::Tail;
    /// # fn kernel(tail: Tail<f32>) {
    /// let last = tail.len().checked_sub(1).and_then(|i| tail.get(i));
    /// # }
    /// ```
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    ///
    /// ```
    /// # use ptx::global::Tail;
    /// # fn kernel(tail: Tail<f32>) {
    /// let tiles_are_all = tail.is_empty();
    /// # }
    /// ```
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Element `i`, or `None` past the end.
    ///
    /// ```
    /// # use ptx::{global::Tail, launch::Cta};
    /// # fn kernel(cta: &Cta, tail: Tail<f32>) {
    /// let own = tail.get(cta.thread_rank() as usize).unwrap_or(0.0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: in bounds, and nobody writes.
        (i < self.len).then(|| unsafe { self.base.add(i).read() })
    }
}

/// A slice of global memory that the kernel writes and nobody else uses, divided into tiles of `N` elements. `N` is part
/// of the type because all CTAs have to divide it alike.
///
/// ```
/// # use ptx::{global::GlobalMut, launch::Cta};
/// # unsafe fn kernel(cta: &Cta, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements, aligned to 16 bytes, which this grid alone uses, here only.
/// let y = unsafe { GlobalMut::<_, 1024>::from_raw(y, n) };
/// let (mut tiles, tail) = y.tiles(cta);
/// while let Some((index, tile)) = tiles.next_tile() { /* this CTA's tile */ }
/// tail.update(cta, |_, v| 2.0 * v);
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalMut<T, const N: usize> {
    base: *mut T,
    len: usize,
}

static_assertions::assert_not_impl_any!(GlobalMut<u32, 4>: Copy, Clone, Send, Sync);

impl<T: Element, const N: usize> GlobalMut<T, N> {
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to [`ALIGN`], of `len` elements of global memory.
    /// - until the grid ends it alone uses them, through this handle alone, which each of its threads makes once, with
    ///   equal arguments and an equal `N`.
    ///
    /// ```
    /// # use ptx::global::GlobalMut;
    /// # unsafe fn kernel(y: *mut f32, n: usize) {
    /// // SAFETY: the host passes `n` elements, aligned to 16 bytes, which this grid alone uses, here only.
    /// let y = unsafe { GlobalMut::<f32, 1024>::from_raw(y, n) };
    /// # }
    /// ```
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { tile_bytes::<T, N>() };
        GlobalMut { base, len }
    }

    /// The whole tiles that are this CTA's, `rank`, `rank + count`, …, and the part of the elements
    /// after the last whole tile that is this thread's.
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{global::GlobalMut, launch::Cta};
    /// # fn kernel(cta: &Cta, y: GlobalMut<f32, 1024>) {
    /// let (tiles, tail) = y.tiles(cta);
    /// tail.update(cta, |_, v| v + 1.0);
    /// # }
    /// ```
    #[inline(always)]
    pub fn tiles(self, cta: &Cta) -> (TilesMut<T, N>, TailMut<T>) {
        let count = self.len / N;
        // SAFETY: `count * N <= len`.
        let tail = unsafe { self.base.add(count * N) };
        (
            TilesMut {
                base: self.base,
                next: cta.grid_rank() as usize,
                count,
                step: cta.grid_size() as usize,
            },
            TailMut { base: tail, len: self.len - count * N },
        )
    }
}

/// The tiles of a [`GlobalMut`] that this CTA has and has not yet taken.
///
/// ```
/// # use ptx::{bulk, global::TilesMut, launch::Cta, shared::SharedArray};
/// # fn kernel(cta: &mut Cta, mut tiles: TilesMut<u32, 64>, mut memory: SharedArray<u32, 64>) {
/// while let Some((index, to)) = tiles.next_tile() {
///     memory = cta.async_scope(memory, |cta, tile| {
///         let tile = tile.write(cta, |i| (64 * index + i) as u32).to_async(cta);
///         bulk::store(cta, tile, to).commit(cta).wait(cta).0.into_free()
///     });
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct TilesMut<T, const N: usize> {
    pub(crate) base: *mut T,
    /// Among all tiles of the slice: the next of this CTA, their number, and the distance to the one after it.
    pub(crate) next: usize,
    pub(crate) count: usize,
    pub(crate) step: usize,
}

static_assertions::assert_not_impl_any!(TilesMut<u32, 4>: Copy, Clone, Send, Sync);

impl<T: Element, const N: usize> TilesMut<T, N> {
    /// The largest number of tiles that any CTA of the grid has. This CTA has that many, or one fewer. Equal in all CTAs of the grid, so
    /// a loop of that many rounds can contain calls that are collective in the cluster.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{cluster::Cluster, global::TilesMut};
    /// # fn kernel(cluster: &Cluster<'_>, mut tiles: TilesMut<u32, 1024>) {
    /// for _ in 0..tiles.rounds() {
    ///     let mine = tiles.next_tile(); // `None` in the last round of some CTAs
    ///     cluster.sync();
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn rounds(&self) -> usize {
        self.count.div_ceil(self.step)
    }

    /// The next tile with its index among all tiles of the slice, or `None` when all are taken. It is one tile of
    /// the CTA: all threads that hold the handle take it alike, without a barrier.
    ///
    /// ```
    /// # use ptx::global::TilesMut;
    /// # fn kernel(mut tiles: TilesMut<f32, 1024>) {
    /// while let Some((index, tile)) = tiles.next_tile() {
    ///     let first_element = index * 1024;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn next_tile(&mut self) -> Option<(usize, GlobalTileMut<T, N>)> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        self.next += self.step;
        // SAFETY: in bounds.
        Some((index, GlobalTileMut { base: unsafe { self.base.add(index * N) } }))
    }
}

/// `N` elements of global memory that are this CTA's alone, aligned and sized for a bulk copy.
///
/// ```
/// # use ptx::{bulk, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>)
/// # -> Shared<'s, f32, 64, Fenced> {
/// // The store owns it, and gives it back when it is written.
/// let (tile, to) = bulk::store(cta, tile, to).commit(cta).wait(cta);
/// # tile
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalTileMut<T, const N: usize> {
    pub(crate) base: *mut T,
}

static_assertions::assert_not_impl_any!(GlobalTileMut<u32, 4>: Copy, Clone, Send, Sync);

/// A tile that a copy can read: a [`GlobalTile`], or a [`GlobalTileMut`] that the copy owns meanwhile.
///
/// ```
/// # use ptx::{cp_async::{self, CpAsyncSource}, global::TileSource, launch::Cta, shared::{Free, Published, Shared}};
/// // From a tile that nobody writes, or from one that the CTA writes later; under a cache policy or not.
/// fn fetch<'s, Src: CpAsyncSource<f32, 64, Handle: TileSource<f32, 64>>>(
///     cta: &Cta,
///     tile: Shared<'s, f32, 64, Free>,
///     src: Src,
/// ) -> (Shared<'s, f32, 64, Published>, Src::Handle) {
///     cp_async::load(cta, tile, src).wait_all(cta)
/// }
/// ```
///
/// # Safety
///
/// Implemented here only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no source for a load of {N} elements of `{T}`",
    label = "not a tile of {N} `{T}`",
    note = "the tile is as long as the shared memory and of the same type: `GlobalTile<{T}, {N}>`, or a `GlobalTileMut<{T}, {N}>` that no copy still writes"
)]
pub unsafe trait TileSource<T, const N: usize>: Sealed {
    #[doc(hidden)]
    fn base(&self) -> *const T;
}

crate::group::nothing_to_end! {
    [T, const N: usize] GlobalTile<T, N>;
    [T, const N: usize] GlobalTileMut<T, N>;
}
crate::cache_policy::hintable! {
    [T, const N: usize] GlobalTile<T, N>, "a load or a prefetch":
        "# use ptx::{bulk, cache_policy::CachePolicy, global::GlobalTile, launch::Cta};"
        "# fn kernel(cta: &Cta, tile: GlobalTile<f32, 1024>) {"
        "bulk::prefetch(cta, tile.cache_hint(CachePolicy::evict_last()));"
        "# }";
    [T, const N: usize] GlobalTileMut<T, N>, "a load or a store":
        "# use ptx::{bulk, cache_policy::CachePolicy, global::GlobalTileMut, launch::Cta, shared::{Fenced, Shared}};"
        "# fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Fenced>, to: GlobalTileMut<f32, 64>) -> Shared<'s, f32, 64, Fenced> {"
        "// The next kernel reads it."
        "let to = to.cache_hint(CachePolicy::evict_last());"
        "let (tile, _to) = bulk::store(cta, tile, to).commit(cta).wait(cta);"
        "# tile"
        "# }";
}

impl<T, const N: usize> Sealed for GlobalTile<T, N> {}
// SAFETY: its address.
unsafe impl<T, const N: usize> TileSource<T, N> for GlobalTile<T, N> {
    #[inline(always)]
    fn base(&self) -> *const T {
        self.base
    }
}

impl<T, const N: usize> Sealed for GlobalTileMut<T, N> {}
// SAFETY: its address.
unsafe impl<T, const N: usize> TileSource<T, N> for GlobalTileMut<T, N> {
    #[inline(always)]
    fn base(&self) -> *const T {
        self.base
    }
}

/// The elements of a [`GlobalMut`] after its whole tiles: each belongs to one thread of the grid.
///
/// ```
/// # use ptx::{global::GlobalMut, launch::Cta};
/// # fn kernel(cta: &Cta, y: GlobalMut<f32, 1024>) {
/// let (_tiles, tail) = y.tiles(cta);
/// tail.update(cta, |_, _| 0.0);
/// # }
/// ```
#[derive(Debug)]
pub struct TailMut<T> {
    base: *mut T,
    len: usize,
}

static_assertions::assert_not_impl_any!(TailMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> TailMut<T> {
    /// Replaces each element `v` at index `i` of the tail by `f(i, v)`; each thread of the grid does its share.
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{global::{Tail, TailMut}, launch::Cta};
    /// # fn kernel(cta: &Cta, x: Tail<f32>, y: TailMut<f32>) {
    /// y.update(cta, |i, v| v + x.get(i).unwrap_or(0.0));
    /// # }
    /// ```
    #[inline(always)]
    pub fn update(self, cta: &Cta, mut f: impl FnMut(usize, T) -> T) {
        let threads = cta.thread_count() as usize;
        let mut i = cta.grid_rank() as usize * threads + cta.thread_rank() as usize;
        while i < self.len {
            // SAFETY: in bounds, and element `i` is this thread's alone.
            unsafe {
                let element = self.base.add(i);
                element.write(f(i, element.read()));
            }
            i += threads * cta.grid_size() as usize;
        }
    }
}
