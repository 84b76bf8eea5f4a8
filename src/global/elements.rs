//! Elements and 16-byte vectors of global memory, divided among the threads or warps of the grid (grid-stride loops).

use core::ops::{Add, Div, Mul};

use super::{Global, GlobalTileMut, load, store};
use crate::group::Cta;
use crate::mark::{Grid, deal};
use crate::parameter::kind;
use crate::qualifier::Sealed;
use crate::registers::{for_each_loaded, loads, unroll};
use crate::shared::{Element, bits};
use crate::size;
use crate::trap::trap_because;

impl<T: Element> Global<T> {
    /// Returns the 16 bytes that start at byte `16 * i` (for `f32`, a `float4` load), or `None` past the last whole vector.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: `i` is below `vector_count`.
        (i < self.vector_count()).then(|| unsafe { self.vector_at(i) })
    }
}

impl<T: Element> Global<T> {
    /// Returns the `N` vectors of 16 bytes with the indices `i`, `i + STRIDE`, `i + 2 * STRIDE`, …, with one bounds check for
    /// all; `None` if the slice lacks one of them. All `N` loads are in flight together.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, `N` times
    ///
    /// ```
    /// # use ptx::{global::Global, group::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>, mut add: impl FnMut([f32; 4])) {
    /// // A warp reads the slice: each lane takes four vectors at a time, then the rest one by one.
    /// let mut i = cta.warp().lane() as usize;
    /// while let Some(four) = x.get_vectors::<4, 32>(i) {
    ///     four.map(&mut add);
    ///     i += 4 * 32;
    /// }
    /// while let Some(vector) = x.get_vector(i) {
    ///     add(vector);
    ///     i += 32;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vectors<const N: usize, const STRIDE: usize>(&self, i: usize) -> Option<[T::Vector; N]> {
        let last = const {
            assert!(N > 0, "`get_vectors` reads at least one vector: choose N > 0");
            size::product([N - 1, STRIDE])
        };
        let count = self.vector_count();
        if count <= last || i >= count - last {
            return None;
        }
        // SAFETY: all bits zero are a valid vector: elements are plain numbers (`Element`).
        let mut all: [T::Vector; N] = unsafe { core::mem::zeroed() };
        // SAFETY: `i + last < count`, so each index is below `vector_count`.
        unroll::<N>(|n| all[n] = unsafe { self.vector_at(i + n * STRIDE) });
        Some(all)
    }
}

impl<T: Element> Global<T> {
    /// Calls `f` with pairs of 16-byte vectors (`float4`), one of this slice and one of `other`, at the indices `first`,
    /// `first + STRIDE`, …, in this order, up to the end of the shorter slice. `N` loads from each slice are in flight at a time.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, twice per pair
    ///
    /// ```
    /// # use ptx::{global::Global, group::Cta, math::fma};
    /// # fn kernel(cta: &Cta, x: Global<f32>, y: Global<f32>) {
    /// // The dot product, by one warp.
    /// let (warp, mut sum) = (cta.warp(), 0.0);
    /// x.for_each_pair::<f32, 4, 32>(y, warp.lane() as usize, |x, y| {
    ///     sum = fma(x[0], y[0], fma(x[1], y[1], fma(x[2], y[2], fma(x[3], y[3], sum))));
    /// });
    /// let sum = warp.reduce_add(sum);
    /// # }
    /// ```
    #[inline(always)]
    pub fn for_each_pair<U: Element, const N: usize, const STRIDE: usize>(
        self,
        other: Global<U>,
        first: usize,
        mut f: impl FnMut(T::Vector, U::Vector),
    ) {
        const {
            loads(N);
            assert!(STRIDE > 0 && STRIDE <= 1 << 20, "vectors are 1 to 2^20 apart: choose such a STRIDE");
        }
        let count = self.vector_count().min(other.vector_count());
        // SAFETY: zeros are a value of vectors; below `count` both slices have the vector. No sum wraps: slices are at
        // most `isize::MAX` bytes long.
        unsafe {
            for_each_loaded::<_, _, N>(
                first,
                STRIDE,
                count,
                |i| (self.vector_at(i), other.vector_at(i)),
                |_, (x, y)| f(x, y),
            )
        }
    }
}

impl<T: Element> Global<T> {
    /// Calls `f` with the elements at the indices `first`, `first + step`, …, in this order, up to the end of the slice. `N`
    /// loads are in flight at a time. `step` must not be 0: the loop would not end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global`
    ///
    /// ```
    /// # use ptx::{global::Global, group::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>) {
    /// // The executing thread's share of a sum over the grid.
    /// let mut sum = 0.0;
    /// x.for_each::<4>(cta.grid_thread_rank(), cta.grid_thread_count(), |x| sum += x);
    /// # }
    /// ```
    #[inline(always)]
    pub fn for_each<const N: usize>(self, first: u32, step: u32, mut f: impl FnMut(T)) {
        const { loads(N) };
        // SAFETY: zeros are a value of elements; below `len` there is an element, which no thread writes
        // (`Global::from_raw`). No sum wraps: slices are at most `isize::MAX` bytes long.
        unsafe {
            for_each_loaded::<_, _, N>(
                first as usize,
                step as usize,
                self.len,
                |i| load(self.base.add(i)),
                |_, x| f(x),
            )
        }
    }
}

impl<T: Element> Global<T> {
    /// The number of whole vectors of 16 bytes.
    #[inline(always)]
    pub(crate) fn vector_count(&self) -> usize {
        self.len / per_vector::<T>()
    }

    /// Returns vector `i`.
    ///
    /// # Safety
    ///
    /// `i` is below [`vector_count`](Global::vector_count).
    #[inline(always)]
    pub(crate) unsafe fn vector_at(&self, i: usize) -> T::Vector {
        // SAFETY: `i` is in bounds (`# Safety`); `base` is aligned to 16 bytes and no thread writes (`Global::from_raw`).
        unsafe { Vector::load(self.base.cast::<Vector<T>>().add(i)) }
    }
}

/// A vector of elements: 16 bytes, aligned to 16 bytes.
#[repr(C, align(16))]
pub(super) struct Vector<T: Element>(T::Vector);

/// The words of a vector of small elements.
#[repr(C, align(16))]
struct Words([u32; 4]);

impl<T: Element> Vector<T> {
    /// Whether a vector is accessed as words. Of a vector of halves that lives through a branch, LLVM would keep each half in a
    /// register of its own. Each word is named, since LLVM keeps an array that is only copied in memory.
    const AS_WORDS: bool = align_of::<T>() < 4;

    /// Loads the vector at `at`.
    ///
    /// # Safety
    ///
    /// `at` is valid for a read of a vector, and aligned to 16 bytes.
    #[inline(always)]
    pub(super) unsafe fn load(at: *const Self) -> T::Vector {
        // SAFETY: `# Safety`; a vector is plain data of 16 bytes.
        unsafe {
            if const { Self::AS_WORDS } {
                let Words([a, b, c, d]) = at.cast::<Words>().read();
                bits([a, b, c, d])
            } else {
                at.read().0
            }
        }
    }

    /// Stores `elements` in the vector at `at`.
    ///
    /// # Safety
    ///
    /// `at` is valid for a write of a vector, and aligned to 16 bytes.
    #[inline(always)]
    pub(super) unsafe fn store(at: *mut Self, elements: T::Vector) {
        // SAFETY: as in `load`.
        unsafe {
            if const { Self::AS_WORDS } {
                let [a, b, c, d]: [u32; 4] = bits(elements);
                at.cast::<Words>().write(Words([a, b, c, d]));
            } else {
                at.write(Vector(elements));
            }
        }
    }
}

pub(super) const fn per_vector<T: Element>() -> usize {
    16 / size_of::<T>()
}

impl<T: Element, const N: usize> GlobalTileMut<T, N> {
    /// Stores `f(i)` into each element `i` of this tile of global memory by the threads of the CTA (`st.global`), without a bulk
    /// store and without a barrier. A thread calls `f` for the elements at `r`, `r + t`, `r + 2 * t`, … for its rank `r` in the
    /// CTA and `t` threads in the CTA.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `st.global` an element
    #[inline(always)]
    #[track_caller]
    pub fn write(self, cta: &Cta, mut f: impl FnMut(usize) -> T) {
        meet!(cta);
        deal::<Cta, _>(self.base);
        let (mut i, threads) = (cta.thread_rank() as usize, cta.thread_count() as usize);
        while i < N {
            // SAFETY: `i < N`, this CTA owns the tile, and threads start at different ranks: element `i` is this thread's.
            unsafe { store(self.base.add(i), f(i)) };
            i += threads;
        }
    }
}

/// The type of a slice's length and indices: `u32` or `usize`. 32-bit indices take half the instructions of 64-bit ones.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the length of a slice of global memory",
    label = "neither `u32` nor `usize`: convert the length"
)]
pub trait Length:
    Copy + PartialOrd + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self> + From<u8> + Sealed
{
    /// What the host passes for a slice of this length.
    #[doc(hidden)]
    type Kind<T>;
    #[doc(hidden)]
    fn of(number: usize) -> Self;
    #[doc(hidden)]
    fn number(self) -> usize;
    /// The index `k` steps on.
    ///
    /// # Safety
    ///
    /// Neither the product nor the sum wraps, and `k` is less than 2^32.
    #[doc(hidden)]
    unsafe fn ahead(self, k: usize, step: Self) -> Self;
}

impl Length for u32 {
    type Kind<T> = kind::SliceMut32<T>;

    #[inline(always)]
    fn of(number: usize) -> u32 {
        number as u32
    }
    #[inline(always)]
    fn number(self) -> usize {
        self as usize
    }
    #[inline(always)]
    unsafe fn ahead(self, k: usize, step: u32) -> u32 {
        // SAFETY: nothing wraps (`# Safety`).
        unsafe { self.unchecked_add(step.unchecked_mul(k as u32)) }
    }
}

impl Sealed for usize {}
impl Length for usize {
    type Kind<T> = kind::SliceMut<T, 1>;

    #[inline(always)]
    fn of(number: usize) -> usize {
        number
    }
    #[inline(always)]
    fn number(self) -> usize {
        self
    }
    #[inline(always)]
    unsafe fn ahead(self, k: usize, step: usize) -> usize {
        // SAFETY: nothing wraps (`# Safety`).
        unsafe { self.unchecked_add(step.unchecked_mul(k)) }
    }
}

/// The executing thread's rank in the grid and the number of threads of the grid: start and step of a grid-stride loop. They do not
/// wrap around, so no two threads have one place.
#[derive(Clone, Copy, Debug)]
struct Place {
    rank: usize,
    step: usize,
}

impl Place {
    #[inline(always)]
    fn of(cta: &Cta) -> Self {
        let threads = cta.thread_count() as usize;
        Place {
            rank: cta.grid_rank() as usize * threads + cta.thread_rank() as usize,
            step: cta.grid_size() as usize * threads,
        }
    }
}

/// A slice of global memory whose elements are divided among the threads of the grid, each of which reads and writes its own
/// elements (a grid-stride loop).
///
/// ```
/// use ptx::global::{Global, GlobalElementsMut};
/// # unsafe fn kernel(cta: &ptx::group::Cta, x: *const f32, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements each, aligned to 16 bytes; only this grid accesses `y`, no thread writes `x`.
/// let (x, y) = unsafe { (Global::from_raw(x, n), GlobalElementsMut::from_raw(y, n)) };
/// for (i, y) in y.elements(cta) {
///     y.write(2.0 * x.get(i).unwrap_or(0.0));
/// }
/// # }
/// ```
///
/// `L` is the type of the length, `u32` or `usize` ([`Length`]). With `u32`, indices are counted in 32 bits.
#[derive(Debug)]
pub struct GlobalElementsMut<T, L = usize> {
    base: *mut T,
    len: L,
}

impl<T: Element, L: Length> GlobalElementsMut<T, L> {
    /// Makes a handle of the slice of `len` elements of global memory at `base`.
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to the element's size, of `len` elements of global memory.
    /// - if `len` is a `u32`, `len` plus the number of threads of the grid is less than 2^32.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its `wait` to the end of the grid),
    ///   only this grid accesses the elements, and each thread only through this one handle. All threads of the grid make the
    ///   handle with the same address and length.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: L) -> Self {
        GlobalElementsMut { base, len }
    }

    /// Returns the number of elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub const fn len(&self) -> L {
        self.len
    }

    /// Returns whether the slice has no elements.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len == L::of(0)
    }

    /// Returns the elements of the executing thread: those at `r`, `r + t`, `r + 2 * t`, … for the thread's rank `r` in the grid
    /// and `t` threads in the grid. Some threads may have one element more than others:
    /// make no collective call in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn elements(self, cta: &Cta) -> ElementsMut<T, L> {
        deal::<Grid, _>(self.base);
        let Place { rank, step } = Place::of(cta);
        ElementsMut { base: self.base, next: L::of(rank), len: self.len, step: L::of(step) }
    }
}

impl<T: Element, L: Length> GlobalElementsMut<T, L> {
    /// Returns the elements of the executing thread's warp: those at `r`, `r + w`, `r + 2 * w`, … for the warp's rank `r` in the
    /// grid and `w` warps in the grid. The first lane gets the element; the other lanes iterate in step, with `None`. Some warps
    /// may have one element more than others: make collective calls of the warp alone in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalElementsMut}, group::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>, sums: GlobalElementsMut<f32>) {
    /// let warp = cta.warp();
    /// for (i, sum) in sums.warp_elements(cta) {
    ///     let of_32 = warp.reduce_add(x.get(32 * i + warp.lane() as usize).unwrap_or(0.0));
    ///     if let Some(sum) = sum {
    ///         sum.write(of_32);
    ///     }
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn warp_elements(self, cta: &Cta) -> WarpElementsMut<T, L> {
        deal::<Grid, _>(self.base);
        let warps = cta.thread_count().div_ceil(32) as usize;
        WarpElementsMut {
            elements: ElementsMut {
                base: self.base,
                next: L::of(cta.grid_rank() as usize * warps + cta.warp_rank() as usize),
                len: self.len,
                step: L::of(cta.grid_size() as usize * warps),
            },
            is_first: cta.thread_rank().is_multiple_of(32),
        }
    }
}

/// An iterator over the elements of one warp, each with its index in the slice: of all elements, each warp of the grid gets every
/// `w`-th, for `w` warps. The first lane gets the element, the other lanes `None`
/// ([`warp_elements`](GlobalElementsMut::warp_elements)).
#[derive(Debug)]
pub struct WarpElementsMut<T, L = usize> {
    elements: ElementsMut<T, L>,
    is_first: bool,
}

impl<T: Element, L: Length> Iterator for WarpElementsMut<T, L>
where
    ElementsMut<T, L>: Iterator<Item = (usize, ElementMut<T>)>,
{
    /// The index, and in the warp's first lane the element.
    type Item = (usize, Option<ElementMut<T>>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, element) = self.elements.next()?;
        Some((index, if self.is_first { Some(element) } else { None }))
    }
}

/// An iterator over the executing thread's share of the elements of a slice or a row of global memory, with their indices. A clone
/// passes over the same elements.
#[derive(Debug, Clone)]
pub struct ElementsMut<T, L = usize> {
    base: *mut T,
    next: L,
    len: L,
    step: L,
}

impl<T> ElementsMut<T> {
    /// The elements `next`, `next + step`, … below `len` of the memory at `base`. No other thread accesses them.
    #[inline(always)]
    pub(super) fn new(base: *mut T, next: usize, len: usize, step: usize) -> Self {
        ElementsMut { base, next, len, step }
    }
}

// One `impl` per type of length: in a generic `impl` LLVM sees the arithmetic too late, and loops get longer.
macro_rules! elements {
    ($( $L:ty: $after:expr; )*) => { $(
        impl<T: Element> Iterator for ElementsMut<T, $L> {
            type Item = (usize, ElementMut<T>);
            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let index = self.next;
                if index >= self.len {
                    return None;
                }
                self.next = $after(index, self.step);
                // SAFETY: `index < len`.
                Some((index as usize, ElementMut { at: unsafe { self.base.add(index as usize) } }))
            }
            // `for_each` calls `fold`. In this plain loop LLVM removes a check of the index against an equal length.
            #[inline(always)]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
                let (mut all, mut index) = (first, self.next);
                while index < self.len {
                    // SAFETY: `index < len`.
                    let at = unsafe { self.base.add(index as usize) };
                    all = f(all, (index as usize, ElementMut { at }));
                    index = $after(index, self.step);
                }
                all
            }
        }
    )* };
}
elements! {
    // The sum does not wrap: clause 2 of `GlobalElementsMut::from_raw`.
    u32: |index: u32, step| index.wrapping_add(step);
    // The sum does not wrap: a slice has at most `isize::MAX` bytes, and a grid has fewer than 2^32 CTAs of at most 2^10 threads.
    usize: |index: usize, step: usize| index + step;
}

/// An element of global memory that only the executing thread accesses.
#[derive(Debug)]
pub struct ElementMut<T> {
    // Invariant: points to an element that no other thread accesses.
    at: *mut T,
}

impl<T: Element> ElementMut<T> {
    /// Loads the element from global memory and returns its value (`ld.global`).
    ///
    /// PTX: `ld.global`
    #[inline(always)]
    pub fn read(&self) -> T {
        // SAFETY: invariant of `at`.
        unsafe { load(self.at) }
    }

    /// Stores `value` into the element in global memory (`st.global`).
    ///
    /// PTX: `st.global`
    #[inline(always)]
    pub fn write(&self, value: T) {
        // SAFETY: invariant of `at`.
        unsafe { store(self.at, value) }
    }
}

/// A slice of global memory whose 16-byte vectors (`float4`) are divided among the threads of the grid, each of which reads and
/// writes its own vectors. The elements after the last whole vector are divided one by one.
///
/// ```
/// use ptx::global::{Global, GlobalVectorsMut};
/// # unsafe fn kernel(cta: &ptx::group::Cta, a: f32, x: *const f32, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements each, aligned to 16 bytes; only this grid accesses `y`, no thread writes `x`.
/// let (x, y) = unsafe { (Global::from_raw(x, n), GlobalVectorsMut::from_raw(y, n)) };
/// let (vectors, rest) = y.vectors(cta);
/// for (v, y) in vectors {
///     let (x, old) = (x.get_vector(v).unwrap_or_default(), y.read());
///     y.write([0, 1, 2, 3].map(|i| a * x[i] + old[i]));
/// }
/// for (i, y) in rest {
///     y.write(a * x.get(i).unwrap_or(0.0) + y.read());
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GlobalVectorsMut<T> {
    base: *mut T,
    len: usize,
}

impl<T: Element> GlobalVectorsMut<T> {
    /// Makes a handle of the slice of `len` elements of global memory at `base`.
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to 16 bytes, of `len` elements of global memory.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its `wait` to the end of the grid),
    ///   only this grid accesses the elements, and each thread only through this one handle. All threads of the grid make the
    ///   handle with the same address and length.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        GlobalVectorsMut { base, len }
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

    /// Returns the vectors of the executing thread, those at `r`, `r + t`, `r + 2 * t`, … for the thread's rank `r` in the grid
    /// and `t` threads in the grid, and the thread's elements after the last whole vector. Some threads may have one vector more
    /// than others: make no collective call in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn vectors(self, cta: &Cta) -> (VectorsMut<T>, ElementsMut<T>) {
        deal::<Grid, _>(self.base);
        let Place { rank, step } = Place::of(cta);
        let first_rest = self.len / per_vector::<T>() * per_vector::<T>();
        (
            // No sum wraps: slices are at most `isize::MAX` bytes long, and a grid has fewer than 2^42 threads.
            VectorsMut { base: self.base, next: rank, len: self.len, step },
            ElementsMut { base: self.base, next: first_rest + rank, len: self.len, step },
        )
    }
}

/// An iterator over the executing thread's share of the 16-byte vectors of a slice or a row of global memory, with their indices. A
/// clone passes over the same vectors, and [`get`](VectorsMut::get) returns one of them.
///
/// `L` is the type in which indices are counted: `usize` in a slice, `u32` in a row.
#[derive(Debug, Clone)]
pub struct VectorsMut<T, L = usize> {
    base: *mut T,
    next: L,
    /// The elements of the slice or the row. No sum up to `vector_count() + 128 * step` wraps.
    len: L,
    step: L,
}

impl<T: Element> VectorsMut<T, u32> {
    /// The vectors `rank`, `rank + step`, `rank + 2 * step`, … of the `len` elements at `base`. No other thread accesses them. Both
    /// numbers are at most 2^10.
    #[inline(always)]
    pub(super) fn of_row(base: *mut T, len: u32, rank: u32, step: u32) -> Self {
        if const { per_vector::<T>() == 1 } && len > u32::MAX - (1 << 18) {
            trap_because!("a row has more than 2^32 - 2^18 vectors")
        }
        VectorsMut { base, next: rank, len, step }
    }
}

// One `impl` per type of index: see `ElementsMut`.
macro_rules! vectors {
    ($( $L:ty: $after:expr; )*) => { $(
        impl<T: Element> Iterator for VectorsMut<T, $L> {
            type Item = (usize, VectorMut<T>);
            #[inline(always)]
            fn next(&mut self) -> Option<Self::Item> {
                let index = self.next;
                if index >= self.vector_count() {
                    return None;
                }
                self.next = $after(index, self.step);
                // SAFETY: `index < count`.
                Some((index as usize, unsafe { self.at(index) }))
            }
            // A plain loop for `for_each`: see `ElementsMut`.
            #[inline(always)]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
                let (mut all, mut index) = (first, self.next);
                while index < self.vector_count() {
                    // SAFETY: `index < count`.
                    all = f(all, (index as usize, unsafe { self.at(index) }));
                    index = $after(index, self.step);
                }
                all
            }
        }
    )* };
}
vectors! {
    // SAFETY: the sum does not wrap (`len`).
    u32: |index: u32, step| unsafe { index.unchecked_add(step) };
    // The sum does not wrap (`len`).
    usize: |index: usize, step: usize| index + step;
}

impl<T: Element, L: Length> VectorsMut<T, L> {
    /// Returns the vector that the iterator reaches after `k` others, with its index in the slice or the row; `None` if
    /// the thread has no more than `k`. `k` is at most 127.
    ///
    /// With [`unroll`], a thread keeps its vectors of a row in registers from one pass to the next. Where a pass only
    /// loads, all its loads are in flight together:
    ///
    /// ```
    /// # use ptx::{global::RowMut, group::Cta, math, reduce::ReduceMemory, registers::{unroll, zeroed}};
    /// # fn kernel(cta: &Cta, row: RowMut<f32>, memory: &mut ReduceMemory<f32>) {
    /// // Divides a row by its length (L2 norm), in place. A block of 256 threads has rows of up to 4096 elements.
    /// let vectors = row.vectors(cta);
    /// let mut held: [[f32; 4]; 4] = zeroed();
    /// unroll::<4>(|k| {
    ///     if let Some((_, vector)) = vectors.get(k) {
    ///         held[k] = vector.read();
    ///     }
    /// });
    /// let mut squares = 0.0;
    /// unroll::<4>(|k| squares = held[k].iter().fold(squares, |sum, x| math::fma(*x, *x, sum)));
    /// let scale = math::rsqrt_ftz(memory.reduce_add(cta, squares));
    /// unroll::<4>(|k| {
    ///     if let Some((_, vector)) = vectors.get(k) {
    ///         vector.write(held[k].map(|x| scale * x));
    ///     }
    /// });
    /// # }
    /// ```
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn get(&self, k: usize) -> Option<(usize, VectorMut<T>)> {
        if k > 127 {
            trap_because!("`VectorsMut::get` reaches 127 vectors ahead: advance the iterator")
        }
        // SAFETY: neither the product nor the sum wraps (`len`).
        let index = unsafe { self.next.ahead(k, self.step) };
        // SAFETY: `index < count`.
        (index < self.vector_count()).then(|| (index.number(), unsafe { self.at(index) }))
    }

    /// The number of whole vectors of the slice or the row.
    #[inline(always)]
    fn vector_count(&self) -> L {
        self.len / L::from(const { per_vector::<T>() as u8 })
    }

    /// The number of whole vectors that the inputs have too.
    #[inline(always)]
    fn count_with(&self, inputs: &impl VectorInputs) -> L {
        L::of(inputs.bound(self.vector_count().number(), self.len.number(), const { per_vector::<T>() }))
    }

    /// The thread's vector with this index.
    ///
    /// # Safety
    ///
    /// `index` is the thread's, and below `count`.
    #[inline(always)]
    unsafe fn at(&self, index: L) -> VectorMut<T> {
        // SAFETY: the vector is in the slice or the row (`# Safety`), and no other thread accesses it.
        VectorMut { at: unsafe { self.base.cast::<Vector<T>>().add(index.number()) } }
    }

    /// Returns [`get(k)`](VectorsMut::get) beside the vectors of `inputs` at its index, which it loads; `None` also past the
    /// end of an input. One check serves all slices.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, of each input
    #[inline(always)]
    pub fn get_with<I: VectorInputs>(&self, k: usize, inputs: I) -> Option<(I::Vectors, VectorMut<T>)> {
        let (index, vector) = self.get(k)?;
        // SAFETY: `index` is below the count of `inputs`.
        (index < self.count_with(&inputs).number()).then(|| (unsafe { inputs.at(index) }, vector))
    }
}

/// What [`VectorsMut::for_each_update`] and [`VectorsMut::for_each_write`] read beside: a [`Global`], a tuple of two or three, or `()`
/// for nothing.
///
/// # Safety
///
/// Implemented in this crate only: a slice has the vectors of each index below a `bound`, which is at most the `count` that it is
/// given, and all-zero bits are a value of `Vectors`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read by vectors",
    label = "neither a `Global`, nor a tuple of two or three of them, nor `()`"
)]
#[cfg_attr(doc, doc(hidden))]
pub unsafe trait VectorInputs {
    /// A vector of each slice.
    type Vectors: Copy;
    /// Returns the number of whole vectors that all slices have, and a slice of `len` elements too, which has `count` vectors of
    /// `per_vector` elements. If the slices have one length, the compiler sees that it is `count`.
    #[doc(hidden)]
    fn bound(&self, count: usize, len: usize, per_vector: usize) -> usize;
    /// Loads the vectors with the index `i`.
    ///
    /// # Safety
    ///
    /// `i` is below a `bound`.
    #[doc(hidden)]
    unsafe fn at(&self, i: usize) -> Self::Vectors;
}

// SAFETY: there is nothing to load.
unsafe impl VectorInputs for () {
    type Vectors = ();
    #[inline(always)]
    fn bound(&self, count: usize, _: usize, _: usize) -> usize {
        count
    }
    #[inline(always)]
    unsafe fn at(&self, _: usize) {}
}
// SAFETY: the bound is at most the slice's number of vectors: a slice that is at least as long has as many vectors.
unsafe impl<T: Element> VectorInputs for Global<T> {
    type Vectors = T::Vector;
    #[inline(always)]
    fn bound(&self, count: usize, len: usize, per_vector: usize) -> usize {
        if per_vector == const { self::per_vector::<T>() } && self.len >= len {
            count
        } else {
            count.min(self.vector_count())
        }
    }
    #[inline(always)]
    unsafe fn at(&self, i: usize) -> T::Vector {
        // SAFETY: `i` is below a bound (`# Safety`), which is at most `vector_count`.
        unsafe { self.vector_at(i) }
    }
}
macro_rules! vector_inputs {
    ($( ($($T:ident $i:tt),+) )*) => { $(
        // SAFETY: each slice has the vectors below the least bound.
        unsafe impl<$($T: Element),+> VectorInputs for ($(Global<$T>,)+) {
            type Vectors = ($($T::Vector,)+);
            #[inline(always)]
            fn bound(&self, count: usize, len: usize, per_vector: usize) -> usize {
                $( let count = self.$i.bound(count, len, per_vector); )+
                count
            }
            #[inline(always)]
            unsafe fn at(&self, i: usize) -> Self::Vectors {
                // SAFETY: `i` is below each bound (`# Safety`).
                unsafe { ($(self.$i.vector_at(i),)+) }
            }
        }
    )* };
}
vector_inputs! { (A 0, B 1) (A 0, B 1, C 2) }

impl<T: Element, L: Length> VectorsMut<T, L> {
    /// Replaces each of the executing thread's vectors by `f` of the vectors of `inputs` at its index, and of the vector itself. The
    /// thread has the loads of `N` vectors in flight at a time, 1 to 16. Vectors beyond the end of an input keep their contents.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, of each input and of the vector, `N` times, then `st.global.v4.b32`, or `.v2.b64`, `N`
    /// times
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalVectorsMut}, group::Cta, math::fma};
    /// # fn kernel(cta: &Cta, a: f32, x: Global<f32>, y: GlobalVectorsMut<f32>) {
    /// let (vectors, rest) = y.vectors(cta);
    /// vectors.for_each_update::<4, _>(x, |x, y| [0, 1, 2, 3].map(|i| fma(a, x[i], y[i])));
    /// for (i, y) in rest {
    ///     y.write(fma(a, x.get(i).unwrap_or(0.0), y.read()));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn for_each_update<const N: usize, I: VectorInputs>(
        self,
        inputs: I,
        mut f: impl FnMut(I::Vectors, T::Vector) -> T::Vector,
    ) {
        const { loads(N) };
        // SAFETY: `i` is below `count`: vector `i` is this thread's.
        let own = |i: L| unsafe { self.base.cast::<Vector<T>>().add(i.number()) };
        // SAFETY: zeros are a value of vectors (`VectorInputs`), and `N` is 1 to 16 (`loads`). No sum wraps (`len`).
        // `i` is below the counts of `inputs` and of these vectors.
        unsafe {
            for_each_loaded::<_, _, N>(
                self.next,
                self.step,
                self.count_with(&inputs),
                |i| (inputs.at(i.number()), Vector::load(own(i))),
                |i, (inputs, old)| Vector::store(own(i), f(inputs, old)),
            )
        }
    }

    /// Stores into each of the executing thread's vectors `f` of the vectors of `inputs` at its index. The thread has the loads of
    /// `N` indices in flight at a time, 1 to 16. Vectors beyond the end of an input keep their contents.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, of each input, `N` times, then `st.global.v4.b32`, or `.v2.b64`, `N` times
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalVectorsMut}, group::Cta};
    /// # fn kernel(cta: &Cta, a: Global<f32>, b: Global<f32>, sums: GlobalVectorsMut<f32>) {
    /// let (vectors, rest) = sums.vectors(cta);
    /// vectors.for_each_write::<4, _>((a, b), |(a, b)| [0, 1, 2, 3].map(|i| a[i] + b[i]));
    /// for (i, sum) in rest {
    ///     sum.write(a.get(i).unwrap_or(0.0) + b.get(i).unwrap_or(0.0));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn for_each_write<const N: usize, I: VectorInputs>(
        self,
        inputs: I,
        mut f: impl FnMut(I::Vectors) -> T::Vector,
    ) {
        const { loads(N) };
        // SAFETY: as in `for_each_update`.
        let own = |i: L| unsafe { self.base.cast::<Vector<T>>().add(i.number()) };
        // SAFETY: as in `for_each_update`.
        unsafe {
            for_each_loaded::<_, _, N>(
                self.next,
                self.step,
                self.count_with(&inputs),
                |i| inputs.at(i.number()),
                |i, inputs| Vector::store(own(i), f(inputs)),
            )
        }
    }
}

/// A vector of 16 bytes of global memory that only the executing thread accesses.
#[derive(Debug)]
pub struct VectorMut<T: Element> {
    // Invariant: points to a vector, aligned to 16 bytes, that no other thread accesses.
    at: *mut Vector<T>,
}

impl<T: Element> VectorMut<T> {
    /// Loads the vector from global memory by one 16-byte `ld.global` and returns its elements.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn read(&self) -> T::Vector {
        // SAFETY: invariant of `at`.
        unsafe { Vector::load(self.at) }
    }

    /// Stores `elements` into the vector in global memory by one 16-byte `st.global`.
    ///
    /// PTX: `st.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn write(&self, elements: T::Vector) {
        // SAFETY: invariant of `at`.
        unsafe { Vector::store(self.at, elements) }
    }
}

handles! {
    GlobalElementsMut<u32>, WarpElementsMut<u32>, ElementMut<u32>, GlobalVectorsMut<u32>, VectorMut<u32>,
}
handles! { Clone: ElementsMut<u32>, VectorsMut<u32>, VectorsMut<u32, u32> }
