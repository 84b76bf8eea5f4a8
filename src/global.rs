//! Global memory: read-only slices and matrices, and writable ones divided among the CTAs, warps or threads of the grid
//! (grid-stride loops).
//!
//! A parameter of a [`#[ptx::kernel]`](crate::kernel) is such a handle. A kernel without the attribute makes each handle once, at
//! its entry, from a pointer. A writable handle is divided, so that each part has one owner:
//!
//! | Handle | Access | Parts and their owners |
//! |---|---|---|
//! | [`Global`] | read | every thread reads all elements; copies take [`Tiles`], the [`Tail`] or a [`GlobalSlice`] |
//! | [`GlobalMatrix`] | read | every thread reads all rows and tiles |
//! | [`GlobalMut`] | read, write | whole tiles: one CTA each ([`TilesMut`], [`TicketTilesMut`]); the rest ([`TailMut`]): one thread per element, or one CTA |
//! | [`GlobalElementsMut`] | read, write | elements: one thread or one warp each |
//! | [`GlobalVectorsMut`] | read, write | vectors of 16 bytes: one thread each |
//! | [`GlobalRowsMut`] | read, write | rows: one CTA each ([`RowsMut`], [`TicketRowsMut`]), or one warp ([`WarpRowsMut`]) |
//! | [`GlobalScatter`] | write | elements: every thread writes any of them |
//! | [`GlobalMatrixMut`] | write | tiles of a matrix: one CTA each, fragments of them: one thread each |

use core::ops::Deref;

use crate::cache_policy::CachePolicy;
use crate::group::Cta;
use crate::mark::{Grid, Group, deal};
use crate::qualifier::{Sealed, space};
use crate::raw::{self, PrimaryPriority, SecondaryPriority};
use crate::shared::Element;
use crate::size;
use crate::trap::trap_because;

mod elements;
mod matrix;
mod scatter;
mod slice;
mod thread_vectors;
mod tickets;

pub use elements::{
    ElementMut, ElementsMut, GlobalElementsMut, GlobalVectorsMut, Length, VectorInputs, VectorMut,
    VectorsMut, WarpElementsMut,
};
pub use matrix::{
    FragmentMut, GlobalMatrix, GlobalMatrixMut, GlobalRowsMut, MatrixTile, MatrixTileMut, RowInputs, RowMut,
    RowsMut, WarpRowsMut,
};
pub use scatter::GlobalScatter;
pub use slice::GlobalSlice;
pub use tickets::{AdjacentRowsMut, GlobalTickets, TicketRowsMut, TicketTilesMut};

/// The alignment in bytes that a bulk copy (`cp.async.bulk`) needs of its address in global memory (9.7.9.25.4.1).
pub const ALIGN: usize = size::ALIGN;

/// A slice of global memory that no thread writes while the kernel runs (`const T* __restrict__` and a length).
///
/// ```
/// # use ptx::{global::Global, group::Cta};
/// # unsafe fn kernel(cta: &Cta, x: *const f32, n: usize) {
/// // SAFETY: the host passes `n` elements, aligned to 16 bytes, that no thread writes while the kernel runs.
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

impl<T> Clone for Global<T> {
    fn clone(&self) -> Self {
        *self
    }
}

/// Loads an element by one instruction. For Rust, a pair of halves is aligned as a half is: LLVM would load each half.
///
/// # Safety
///
/// `at` is valid for a read of an element, and aligned to its size.
#[inline(always)]
unsafe fn load<T: Element>(at: *const T) -> T {
    // SAFETY: `# Safety`; a type of four bytes that is aligned as a smaller one is two numbers, plain data.
    unsafe {
        if const { size_of::<T>() == 4 && align_of::<T>() < 4 } {
            core::mem::transmute_copy(&at.cast::<u32>().read())
        } else {
            at.read()
        }
    }
}

/// Stores an element by one instruction, as [`load`].
///
/// # Safety
///
/// `at` is valid for a write of an element, and aligned to its size.
#[inline(always)]
unsafe fn store<T: Element>(at: *mut T, value: T) {
    // SAFETY: as in `load`.
    unsafe {
        if const { size_of::<T>() == 4 && align_of::<T>() < 4 } {
            at.cast::<u32>().write(core::mem::transmute_copy(&value));
        } else {
            at.write(value);
        }
    }
}
impl<T> Copy for Global<T> {}

impl<T: Element> Global<T> {
    /// Makes a handle of a slice of global memory from a pointer and a length in elements.
    ///
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to [`ALIGN`], of `len` elements of global memory.
    /// - no thread writes the elements until the grid ends. (Inside a [`Prerequisite`](crate::launch::Prerequisite): from its
    ///   `wait` to the end of the grid.)
    /// - every thread of the CTA makes the handle with equal arguments.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *const T, len: usize) -> Self {
        Global { base, len }
    }

    /// Returns the number of elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the slice has no elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns element `i`, or `None` past the end.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        // SAFETY: `i` is in bounds, and no thread writes the elements (clause 2 of `from_raw`).
        (i < self.len).then(|| unsafe { load(self.base.add(i)) })
    }

    /// Divides the slice into whole tiles of `N` elements and the [`Tail`] after them. `N` elements are a multiple of 16 bytes.
    #[inline(always)]
    pub fn tiles<const N: usize>(self) -> (Tiles<T, N>, Tail<T>) {
        const { size::tile::<T, N>() };
        let count = self.len / N;
        // SAFETY: `count * N <= len`, so the address is in the slice or at its end.
        let tail = unsafe { self.base.add(count * N) };
        let tail = Global { base: tail, len: self.len - count * N };
        (Tiles { base: self.base, count }, Tail { elements: tail })
    }
}

impl CachePolicy {
    /// Makes an L2 cache policy for `slice` (`createpolicy.range`): the primary priority for its first `first` elements, the
    /// secondary priority for the rest. `None` if `slice` is shorter than `first`, empty, or of 2^32 bytes or more.
    ///
    /// PTX: `createpolicy.range.global.L2::primary.L2::secondary.b64 cache-policy, [slice], primary-size, total-size;`, sizes in
    /// bytes
    ///
    /// ```
    /// # use ptx::{cache_policy::CachePolicy, global::Global};
    /// # fn kernel(table: Global<f32>) -> Option<CachePolicy> {
    /// use ptx::qualifier::evict;
    /// // The kernel reads the first 4096 elements of the table again and again.
    /// let head_stays = CachePolicy::range(evict::Last, evict::First, table, 4096)?;
    /// # Some(head_stays)
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias = "cudaAccessPolicyWindow")]
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
        // SAFETY: the range is a slice of global memory (`Global::from_raw`), `first <= len`, and both sizes fit into 32 bits.
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

/// Handle of the whole tiles of `N` elements of a read-only slice ([`Global`]): sources of copies (`cp.async.bulk`, `cp.async`).
///
/// ```
/// # use ptx::{bulk, global::Tiles, group::Cta};
/// # fn kernel(cta: &Cta, tiles: Tiles<f32, 1024>) {
/// for tile in tiles.of_cta(cta) {
///     bulk::prefetch(cta, tile); // each CTA prefetches its own tiles into L2
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Tiles<T, const N: usize> {
    pub(crate) base: *const T,
    pub(crate) count: usize,
}

impl<T, const N: usize> Clone for Tiles<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for Tiles<T, N> {}

impl<T: Element, const N: usize> Tiles<T, N> {
    /// Returns the number of whole tiles of the slice.
    #[inline(always)]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns tile `i`, or `None` past the end.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<GlobalTile<T, N>> {
        if i >= self.count {
            return None;
        }
        // SAFETY: `i < count`, and `count * N` elements are in the slice (`Global::tiles`).
        Some(GlobalTile { base: unsafe { self.base.add(i * N) } })
    }

    /// Returns the CTA's part of the tiles: tile `r`, `r + c`, `r + 2 * c`, … for the CTA's rank `r` and `c` CTAs, as
    /// [`GlobalMut::tiles`] divides writable tiles. Traps for 2^31 tiles or more.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn of_cta(&self, cta: &Cta) -> EveryTile<T, N> {
        self.every(cta.grid_rank(), cta.grid_size())
    }

    /// Returns tile `first` and every `step`-th tile after it; a `step` of 0 counts as 1. Traps for 2^31 tiles or more.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::Tiles, group::Cta};
    /// # fn kernel(cta: &Cta, tiles: Tiles<f32, 1024>) {
    /// // The two CTAs of a cluster take the same tiles.
    /// let shared = tiles.every(cta.grid_rank() / 2, cta.grid_size() / 2);
    /// # }
    /// ```
    #[inline(always)]
    pub fn every(&self, first: u32, step: u32) -> EveryTile<T, N> {
        if self.count >= LIMIT as usize {
            trap_because!("a slice has 2^31 tiles or more")
        }
        let step = step.clamp(1, LIMIT);
        EveryTile { base: self.base, last: first.wrapping_sub(step), count: self.count as u32, step }
    }
}

/// More than the index of any tile of an [`EveryTile`], and the longest step.
const LIMIT: u32 = 1 << 31;

/// A part of a slice's whole tiles that is still to be read ([`Tiles::of_cta`], [`Tiles::every`]): an iterator. Two loops over clones
/// of it make the same number of rounds, such as those of a pipeline's two parts.
#[derive(Debug, Clone)]
#[must_use = "an iterator does nothing: loop over it, or pass it to `pipeline.run_tiles(…)`"]
pub struct EveryTile<T, const N: usize> {
    base: *const T,
    /// The index of the last tile that `next` returned, at first of the one before the first: so a loop has one counter.
    last: u32,
    count: u32,
    step: u32,
}

impl<T: Element, const N: usize> Iterator for EveryTile<T, N> {
    type Item = GlobalTile<T, N>;
    #[inline(always)]
    fn next(&mut self) -> Option<GlobalTile<T, N>> {
        // Wraps in the first round alone, to the first index: later both are at most 2^31, and `last` is less.
        let index = self.last.wrapping_add(self.step);
        if index >= self.count {
            return None;
        }
        self.last = index;
        // SAFETY: `index < count`, and `count * N` elements are in the slice (`Global::tiles`).
        Some(GlobalTile { base: unsafe { self.base.add(index as usize * N) } })
    }
}

/// `N` elements of global memory that no thread writes: the source of a bulk load (`cp.async.bulk`) or of a prefetch. The tile is
/// aligned to 16 bytes, and its size is a multiple of 16 bytes.
#[derive(Debug)]
pub struct GlobalTile<T, const N: usize> {
    pub(crate) base: *const T,
}

impl<T, const N: usize> Clone for GlobalTile<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for GlobalTile<T, N> {}

/// Handle of the elements of a read-only slice ([`Global`]) after its last whole tile, which [`Global::tiles`] leaves over. A
/// `Tail` lends them as a shorter `Global`, by `Deref`: index 0 is the first element after the last whole tile.
#[derive(Debug)]
pub struct Tail<T> {
    elements: Global<T>,
}

impl<T> Clone for Tail<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Tail<T> {}

impl<T> Deref for Tail<T> {
    type Target = Global<T>;
    #[inline(always)]
    fn deref(&self) -> &Global<T> {
        &self.elements
    }
}

/// A slice of global memory that the kernel reads and writes, divided into tiles of `N` elements. No other grid accesses the
/// slice meanwhile. `N` is part of the type because all CTAs must divide the slice alike.
///
/// ```
/// # use ptx::{global::GlobalMut, group::Cta};
/// # unsafe fn kernel(cta: &Cta, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements, aligned to 16 bytes; only this grid accesses them, and only through this handle.
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

impl<T: Element, const N: usize> GlobalMut<T, N> {
    /// Makes a handle of a slice of global memory from a pointer and a length in elements.
    ///
    /// # Safety
    ///
    /// - `base` is the generic or global address, aligned to [`ALIGN`], of `len` elements of global memory.
    /// - until the grid ends, only this grid accesses the elements, and only through this handle. Each thread of the grid makes
    ///   the handle once, with equal arguments and an equal `N`.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        const { size::tile::<T, N>() };
        GlobalMut { base, len }
    }

    /// Returns the number of elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the slice has no elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Divides the slice among the grid: returns this CTA's whole tiles, and the executing thread's part of the elements after
    /// the last whole tile. The indices of the tiles are `r`, `r + c`, `r + 2 * c`, … for the CTA's rank `r` and `c` CTAs.
    ///
    /// Collective in the CTA.
    #[inline(always)]
    #[track_caller]
    pub fn tiles(self, cta: &Cta) -> (TilesMut<T, N>, TailMut<T>) {
        meet!(cta);
        deal::<Grid, _>(self.base);
        let count = self.len / N;
        // SAFETY: `count * N <= len`, so the address is in the slice or at its end.
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

/// The tiles of a [`GlobalMut`] that this CTA still has to process: of all tiles, each CTA gets every `grid_size`-th, and
/// [`next_tile`](TilesMut::next_tile) returns one after the other.
///
/// ```
/// # use ptx::{bulk, global::TilesMut, group::Cta, shared::SharedArray};
/// # fn kernel(cta: Cta, mut tiles: TilesMut<u32, 64>, memory: SharedArray<u32, 64>) {
/// cta.finish(memory, |cta, mut tile| {
///     while let Some((index, to)) = tiles.next_tile() {
///         let filled = tile.write(cta, |i| (64 * index + i) as u32).to_async().sync(cta);
///         tile = bulk::store(cta, filled, to).commit(cta).wait_read(cta).sync(cta);
///     }
///     tile.end()
/// });
/// # }
/// ```
#[derive(Debug)]
pub struct TilesMut<T, const N: usize> {
    pub(crate) base: *mut T,
    /// Indices among all tiles of the slice: the CTA's next tile, the end, and the step from one tile of the CTA to the next.
    pub(crate) next: usize,
    pub(crate) count: usize,
    pub(crate) step: usize,
}

impl<T: Element, const N: usize> TilesMut<T, N> {
    /// Returns the largest number of tiles that any CTA of the grid has; this CTA has that number or one fewer. The result is the
    /// same in all CTAs of the grid, so a loop of `rounds` iterations can contain calls that are collective in the cluster.
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

    /// Returns the CTA's next tile and its index among all tiles of the slice, or `None` after the last tile. The tile belongs to
    /// the CTA: all threads that hold the handle make the call alike, and there is no barrier.
    #[inline(always)]
    pub fn next_tile(&mut self) -> Option<(usize, GlobalTileMut<T, N>)> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        self.next += self.step;
        // SAFETY: `index < count`, and `count * N` elements are in the slice (`GlobalMut::tiles`).
        Some((index, GlobalTileMut { base: unsafe { self.base.add(index * N) } }))
    }
}

/// `N` elements of global memory that only this CTA accesses: the destination of a bulk store (`cp.async.bulk`), or the source of
/// a load. The tile is aligned to 16 bytes, and its size is a multiple of 16 bytes. A copy takes the tile, and a copy of the CTA
/// returns it after its `wait`. A part of the CTA can store to the tile, but does not get it back.
#[derive(Debug)]
pub struct GlobalTileMut<T, const N: usize> {
    pub(crate) base: *mut T,
}

/// A tile of global memory that a copy to shared memory can read (`cp.async.bulk`, `cp.async`): a [`GlobalTile`], or a
/// [`GlobalTileMut`], which the copy owns meanwhile.
///
/// # Safety
///
/// `base` returns the address, aligned to 16 bytes, of `N` elements of global memory. Implemented in this crate only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the source of a load of {N} elements of `{T}`",
    label = "not a tile of {N} `{T}`",
    note = "the source has the length and the element type of the shared memory: pass a `GlobalTile<{T}, {N}>`, or a `GlobalTileMut<{T}, {N}>` that no copy still writes"
)]
pub unsafe trait TileSource<T, const N: usize>: Sealed {
    #[doc(hidden)]
    fn base(&self) -> *const T;
    /// States that the threads of the group load this tile, if threads may write it ([`mark::deal`](crate::mark::deal)).
    #[doc(hidden)]
    #[inline(always)]
    fn hold<G: Group>(&self) {}
}

crate::group::nothing_to_end! {
    [T, const N: usize] GlobalTile<T, N>;
    [T, const N: usize] GlobalTileMut<T, N>;
}
crate::cache_policy::hintable! {
    [T, const N: usize] GlobalTile<T, N>;
    [T, const N: usize] GlobalTileMut<T, N>;
}

impl<T, const N: usize> Sealed for GlobalTile<T, N> {}
// SAFETY: `base` is the address of a tile of N elements, aligned to 16 bytes: `Global::from_raw` and `size::tile`.
unsafe impl<T, const N: usize> TileSource<T, N> for GlobalTile<T, N> {
    #[inline(always)]
    fn base(&self) -> *const T {
        self.base
    }
}

impl<T, const N: usize> Sealed for GlobalTileMut<T, N> {}
// SAFETY: `base` is the address of a tile of N elements, aligned to 16 bytes: `GlobalMut::from_raw` and `size::tile`.
unsafe impl<T, const N: usize> TileSource<T, N> for GlobalTileMut<T, N> {
    #[inline(always)]
    fn base(&self) -> *const T {
        self.base
    }
    #[inline(always)]
    fn hold<G: Group>(&self) {
        deal::<G, _>(self.base);
    }
}

/// Handle of the elements of a [`GlobalMut`] after its last whole tile, from index 0 on. Each element belongs to one thread of the grid
/// ([`update`](TailMut::update)), or all belong to one CTA ([`tile`](TailMut::tile)).
#[derive(Debug)]
pub struct TailMut<T> {
    base: *mut T,
    len: usize,
}

#[expect(clippy::len_without_is_empty, reason = "`tile` returns `None` for an empty tail")]
impl<T: Element> TailMut<T> {
    /// Returns the number of elements, less than those of a tile.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns the tail as a last tile of [`len`](TailMut::len) elements, in the last CTA of the grid, which no CTA has fewer tiles than
    /// by [`tiles`](GlobalMut::tiles); `None` in the other CTAs, and if the tail is empty.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{GlobalMut, Tail}, group::Cta};
    /// # fn kernel(cta: &Cta, y: GlobalMut<f32, 1024>, x: Tail<f32>) {
    /// let (mut tiles, tail) = y.tiles(cta);
    /// while let Some((index, tile)) = tiles.next_tile() { /* a tile of 1024 elements */ }
    /// if let Some(tile) = tail.tile(cta) {
    ///     for (i, y) in tile.elements(cta) { // by all threads of the CTA
    ///         y.write(x.get(i).unwrap_or(0.0));
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn tile(self, cta: &Cta) -> Option<RowMut<T>> {
        deal::<Grid, _>(self.base);
        // The tail is shorter than a tile, which has less than 2^20 bytes.
        (self.len > 0 && cta.grid_rank() + 1 == cta.grid_size())
            .then(|| RowMut::new(self.base, self.len as u32))
    }

    /// Replaces each element `v` of the tail, at index `i` of the tail, by `f(i, v)`. Each thread of the grid updates its own
    /// elements.
    ///
    /// Collective in the CTA.
    ///
    /// ```
    /// # use ptx::{global::{Tail, TailMut}, group::Cta};
    /// # fn kernel(cta: &Cta, x: Tail<f32>, y: TailMut<f32>) {
    /// y.update(cta, |i, v| v + x.get(i).unwrap_or(0.0));
    /// # }
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn update(self, cta: &Cta, mut f: impl FnMut(usize, T) -> T) {
        meet!(cta);
        deal::<Grid, _>(self.base);
        let threads = cta.thread_count() as usize;
        let mut i = cta.grid_rank() as usize * threads + cta.thread_rank() as usize;
        while i < self.len {
            // SAFETY: `i < len`, and threads start at different `i` and step by their number: element `i` is this thread's alone.
            unsafe {
                let element = self.base.add(i);
                element.write(f(i, element.read()));
            }
            i += threads * cta.grid_size() as usize;
        }
    }
}

handles! { GlobalMut<u32, 4>, TilesMut<u32, 4>, GlobalTileMut<u32, 4>, TailMut<u32> }
handles! { Copy: Global<u32>, Tiles<u32, 4>, GlobalTile<u32, 4>, Tail<u32> }
