//! Global memory that threads write one by one: elements, or vectors of sixteen bytes, dealt out over the whole grid.

use super::{Global, GlobalTileMut};
use crate::group::Cta;
use crate::qualifier::Sealed;
use crate::registers::{for_each_loaded, loads, unroll};
use crate::shared::Element;
use crate::size;

impl<T: Element> Global<T> {
    /// The sixteen bytes that start at byte `16 * i`, or `None` past the last whole sixteen.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>) {
    /// let v = cta.grid_rank() * cta.thread_count() + cta.thread_rank();
    /// if let Some([a, b, c, d]) = x.get_vector(v as usize) {
    ///     let sum = a + b + c + d;
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, i: usize) -> Option<T::Vector> {
        // SAFETY: in bounds.
        (i < self.vector_count()).then(|| unsafe { self.vector_at(i) })
    }
}

impl<T: Element> Global<T> {
    /// The vectors `i`, `i + STRIDE`, … of sixteen bytes, `N` of them, under one check; `None` if not all are there. So many loads are
    /// under way at a time.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, `N` times
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>, mut add: impl FnMut([f32; 4])) {
    /// // Each lane its vectors, four at a time, and then one by one.
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
            assert!(N > 0, "at least one vector is read");
            size::product([N - 1, STRIDE])
        };
        let count = self.vector_count();
        if count <= last || i >= count - last {
            return None;
        }
        // SAFETY: zeros are a value of elements.
        let mut all: [T::Vector; N] = unsafe { core::mem::zeroed() };
        // SAFETY: in bounds, as the last one is.
        unroll::<N>(|n| all[n] = unsafe { self.vector_at(i + n * STRIDE) });
        Some(all)
    }
}

impl<T: Element> Global<T> {
    /// Calls `f` with the vectors `first`, `first + STRIDE`, … of sixteen bytes of both slices, as far as both have them, in this order.
    /// `N` loads from each are under way at a time. Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, twice a pair
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta, math::fma};
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
            assert!(STRIDE > 0 && STRIDE <= 1 << 20, "vectors are 1 to 2^20 apart");
        }
        let count = self.vector_count().min(other.vector_count());
        // SAFETY: zeros are a value of elements. No sum wraps: no slice is longer than `isize::MAX` bytes. Below `count` both have the vector.
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
    /// Calls `f` with the elements `first`, `first + step`, … as far as there are any, in this order. `N` loads are under way at a time.
    /// The step is not 0, with which the loop has no end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global`
    ///
    /// ```
    /// # use ptx::{global::Global, launch::Cta};
    /// # fn kernel(cta: &Cta, x: Global<f32>) {
    /// // This thread's share of the sum.
    /// let (first, step) = (cta.grid_rank() * cta.thread_count() + cta.thread_rank(), cta.grid_size() * cta.thread_count());
    /// let mut sum = 0.0;
    /// x.for_each::<4>(first as usize, step, |x| sum += x);
    /// # }
    /// ```
    #[inline(always)]
    pub fn for_each<const N: usize>(self, first: usize, step: u32, mut f: impl FnMut(T)) {
        const { loads(N) };
        // SAFETY: zeros are a value of elements. No sum wraps: no slice is longer than `isize::MAX` bytes. Below `len` there is an element, which
        // nobody writes.
        unsafe {
            for_each_loaded::<_, _, N>(
                first,
                step as usize,
                self.len,
                |i| self.base.add(i).read(),
                |_, x| f(x),
            )
        }
    }
}

impl<T: Element> Global<T> {
    /// How many whole vectors of sixteen bytes there are.
    #[inline(always)]
    pub(crate) fn vector_count(&self) -> usize {
        self.len / per_vector::<T>()
    }

    /// Vector `i`.
    ///
    /// # Safety
    ///
    /// `i` is below [`vector_count`](Global::vector_count).
    #[inline(always)]
    pub(crate) unsafe fn vector_at(&self, i: usize) -> T::Vector {
        // SAFETY: in bounds by the caller's contract, aligned to 16 bytes by that of `from_raw`, and nobody writes.
        unsafe { self.base.cast::<Vector<T>>().add(i).read().0 }
    }
}

/// Sixteen bytes, aligned to sixteen.
#[repr(C, align(16))]
pub(super) struct Vector<T: Element>(pub(super) T::Vector);

pub(super) const fn per_vector<T: Element>() -> usize {
    16 / size_of::<T>()
}

impl<T: Element, const N: usize> GlobalTileMut<T, N> {
    /// Stores `f(i)` into each element `i` by the threads of the CTA, instead of by a copy. Each thread calls `f` for its elements:
    /// those of its rank, and every so many after it as the CTA has threads. No barrier.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `st.global` an element
    ///
    /// ```
    /// # use ptx::{global::GlobalMut, launch::Cta, shared::{Published, Shared}};
    /// # fn kernel(cta: &Cta, counts: &Shared<'_, u32, 256, Published>, output: GlobalMut<u32, 256>) {
    /// let (mut tiles, _) = output.tiles(cta);
    /// if let Some((_, mine)) = tiles.next_tile() {
    ///     mine.write(cta, |i| counts.get(i).unwrap_or(0));
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn write(self, cta: &Cta, mut f: impl FnMut(usize) -> T) {
        let (mut i, threads) = (cta.thread_rank() as usize, cta.thread_count() as usize);
        while i < N {
            // SAFETY: in bounds of a tile that is this CTA's, and element `i` is this thread's.
            unsafe { self.base.add(i).write(f(i)) };
            i += threads;
        }
    }
}

/// A length of 32 or 64 bits: indices below it are counted in as many, which of 32 bits takes half the instructions.
///
/// ```
/// use ptx::global::{ElementsMut, GlobalElementsMut, Length};
/// # use ptx::launch::Cta;
/// /// The thread's elements, of a slice of either length.
/// fn own<L: Length>(cta: &Cta, y: GlobalElementsMut<f32, L>) -> ElementsMut<f32, L> {
///     y.elements(cta)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no length of a slice of global memory",
    label = "neither `u32` nor `usize`"
)]
pub trait Length: Copy + Sealed {
    #[doc(hidden)]
    fn of(number: usize) -> Self;
}

impl Length for u32 {
    #[inline(always)]
    fn of(number: usize) -> u32 {
        number as u32
    }
}

impl Sealed for usize {}
impl Length for usize {
    #[inline(always)]
    fn of(number: usize) -> usize {
        number
    }
}

/// The executing thread's place in the grid: what is dealt out is dealt by it.
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

/// A slice of global memory that the threads of the grid write, each its own elements.
///
/// ```
/// use ptx::global::{Global, GlobalElementsMut};
/// # unsafe fn kernel(cta: &ptx::launch::Cta, x: *const f32, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements each; only this grid uses `y`, nobody writes `x`.
/// let (x, y) = unsafe { (Global::from_raw(x, n), GlobalElementsMut::from_raw(y, n)) };
/// for (i, y) in y.elements(cta) {
///     y.write(2.0 * x.get(i).unwrap_or(0.0)); // grid-stride: `y` is not read
/// }
/// # }
/// ```
///
/// `L` is the type of its length: `u32` or `usize`, whichever the kernel has. With `u32`, indices are counted in 32 bits.
#[derive(Debug)]
pub struct GlobalElementsMut<T, L = usize> {
    base: *mut T,
    len: L,
}

static_assertions::assert_not_impl_any!(GlobalElementsMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element, L: Length> GlobalElementsMut<T, L> {
    /// Makes it of a pointer and a length in elements.
    ///
    /// ```
    /// use ptx::global::GlobalElementsMut;
    /// # unsafe fn kernel(y: *mut f32, n: usize) {
    /// // SAFETY: the host passes `n` elements, which only this grid uses.
    /// let y = unsafe { GlobalElementsMut::from_raw(y, n) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to the element's size, of `len` elements of global memory.
    /// - if `len` is a `u32`, the elements and the threads of the grid are fewer than 2^32 together.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its wait on) nobody else uses them: this is the one handle of them in each thread, and all threads of the
    ///   grid make it of the same address and length.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: L) -> Self {
        GlobalElementsMut { base, len }
    }

    /// The elements of the executing thread: every `t`-th from its rank on, where `t` is the number of threads of the grid.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalElementsMut, launch::Cta};
    /// # fn kernel(cta: &Cta, counts: GlobalElementsMut<u32>) {
    /// for (_, count) in counts.elements(cta) {
    ///     count.write(count.read() + 1);
    /// }
    /// # }
    /// ```
    #[inline(always)]
    pub fn elements(self, cta: &Cta) -> ElementsMut<T, L> {
        let Place { rank, step } = Place::of(cta);
        ElementsMut { base: self.base, next: L::of(rank), len: self.len, step: L::of(step) }
    }
}

impl<T: Element, L: Length> GlobalElementsMut<T, L> {
    /// The elements of the executing thread's warp: every `w`-th from its rank on, where `w` is the number of warps of the grid. The
    /// warp's first lane has the element, the others go along with it.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::{Global, GlobalElementsMut}, launch::Cta};
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

/// The elements that a warp has of a [`GlobalElementsMut`], with their indices: an iterator.
#[derive(Debug)]
pub struct WarpElementsMut<T, L = usize> {
    elements: ElementsMut<T, L>,
    is_first: bool,
}

static_assertions::assert_not_impl_any!(WarpElementsMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element, L: Length> Iterator for WarpElementsMut<T, L>
where
    ElementsMut<T, L>: Iterator<Item = (usize, ElementMut<T>)>,
{
    /// In the warp's first lane with the element.
    type Item = (usize, Option<ElementMut<T>>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let (index, element) = self.elements.next()?;
        Some((index, if self.is_first { Some(element) } else { None }))
    }
}

/// The elements that a thread has of a [`GlobalElementsMut`], with their indices: an iterator.
#[derive(Debug)]
pub struct ElementsMut<T, L = usize> {
    base: *mut T,
    next: L,
    len: L,
    step: L,
}

static_assertions::assert_not_impl_any!(ElementsMut<u32>: Copy, Clone, Send, Sync);

impl<T> ElementsMut<T> {
    /// Those from `next` on, `step` apart, of the `len` elements at `base`, which no other thread has.
    #[inline(always)]
    pub(super) fn new(base: *mut T, next: usize, len: usize, step: usize) -> Self {
        ElementsMut { base, next, len, step }
    }
}

// An impl for each type of length: in a generic one LLVM meets the arithmetic late, and loops get longer.
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
                // SAFETY: in bounds.
                Some((index as usize, ElementMut { at: unsafe { self.base.add(index as usize) } }))
            }
            // What `for_each` calls: a plain loop, in which LLVM finds a check of the index against an equal length needless.
            #[inline(always)]
            fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
                let (mut all, mut index) = (first, self.next);
                while index < self.len {
                    // SAFETY: in bounds.
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
    // By the contract of `GlobalElementsMut::from_raw` the sum does not wrap.
    u32: |index: u32, step| index.wrapping_add(step);
    // No slice is longer than `isize::MAX` bytes, and a grid has fewer than 2^32 CTAs of 2^10 threads.
    usize: |index: usize, step: usize| index + step;
}

/// An element of global memory that is the executing thread's alone.
#[derive(Debug)]
pub struct ElementMut<T> {
    at: *mut T,
}

static_assertions::assert_not_impl_any!(ElementMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> ElementMut<T> {
    /// Its value.
    ///
    /// PTX: `ld.global`
    #[inline(always)]
    pub fn read(&self) -> T {
        // SAFETY: in bounds, and no other thread uses it.
        unsafe { self.at.read() }
    }

    /// Stores a value.
    ///
    /// PTX: `st.global`
    #[inline(always)]
    pub fn write(&self, value: T) {
        // SAFETY: as in `read`.
        unsafe { self.at.write(value) }
    }
}

/// A slice of global memory that the threads of the grid write, each its own vectors of sixteen bytes, and the elements after
/// the last whole vector one by one.
///
/// ```
/// use ptx::global::{Global, GlobalVectorsMut};
/// # unsafe fn kernel(cta: &ptx::launch::Cta, a: f32, x: *const f32, y: *mut f32, n: usize) {
/// // SAFETY: the host passes `n` elements each, aligned to 16 bytes; only this grid uses `y`, nobody writes `x`.
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

static_assertions::assert_not_impl_any!(GlobalVectorsMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> GlobalVectorsMut<T> {
    /// Makes it of a pointer and a length in elements.
    ///
    /// ```
    /// use ptx::global::GlobalVectorsMut;
    /// # unsafe fn kernel(y: *mut f32, n: usize) {
    /// // SAFETY: the host passes `n` elements, aligned to 16 bytes, which only this grid uses.
    /// let y = unsafe { GlobalVectorsMut::from_raw(y, n) };
    /// # }
    /// ```
    ///
    /// # Safety
    ///
    /// - `base` is the global or generic address, aligned to 16 bytes, of `len` elements of global memory.
    /// - until the grid ends (inside a [`Prerequisite`](crate::launch::Prerequisite): from its wait on) nobody else uses them: this is the one handle of them in each thread, and all threads of the
    ///   grid make it of the same address and length.
    #[inline(always)]
    pub const unsafe fn from_raw(base: *mut T, len: usize) -> Self {
        GlobalVectorsMut { base, len }
    }

    /// The vectors of the executing thread, every `t`-th from its rank on, where `t` is the number of threads of the grid; and its
    /// elements of those after the last whole vector.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{global::GlobalVectorsMut, launch::Cta};
    /// # fn kernel(cta: &Cta, zeros: GlobalVectorsMut<u32>) {
    /// let (vectors, rest) = zeros.vectors(cta);
    /// vectors.for_each(|(_, vector)| vector.write([0; 4]));
    /// rest.for_each(|(_, element)| element.write(0));
    /// # }
    /// ```
    #[inline(always)]
    pub fn vectors(self, cta: &Cta) -> (VectorsMut<T>, ElementsMut<T>) {
        let Place { rank, step } = Place::of(cta);
        let whole = self.len / per_vector::<T>();
        let first_rest = whole * per_vector::<T>();
        (
            VectorsMut { base: self.base, next: rank, count: whole, step },
            ElementsMut { base: self.base, next: first_rest + rank, len: self.len, step },
        )
    }
}

/// The vectors that a thread has of a [`GlobalVectorsMut`], with their indices: an iterator.
#[derive(Debug)]
pub struct VectorsMut<T> {
    base: *mut T,
    next: usize,
    count: usize,
    step: usize,
}

static_assertions::assert_not_impl_any!(VectorsMut<u32>: Copy, Clone, Send, Sync);

impl<T> VectorsMut<T> {
    /// Those from `next` on, `step` apart, of the `count` vectors at `base`, which no other thread has.
    #[inline(always)]
    pub(super) fn new(base: *mut T, next: usize, count: usize, step: usize) -> Self {
        VectorsMut { base, next, count, step }
    }
}

impl<T: Element> Iterator for VectorsMut<T> {
    type Item = (usize, VectorMut<T>);
    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let index = self.next;
        if index >= self.count {
            return None;
        }
        self.next = index + self.step;
        // SAFETY: in bounds.
        Some((index, VectorMut { at: unsafe { self.base.cast::<Vector<T>>().add(index) } }))
    }
    // As of `ElementsMut`.
    #[inline(always)]
    fn fold<A, F: FnMut(A, Self::Item) -> A>(self, first: A, mut f: F) -> A {
        let (mut all, mut index) = (first, self.next);
        while index < self.count {
            // SAFETY: in bounds.
            all = f(all, (index, VectorMut { at: unsafe { self.base.cast::<Vector<T>>().add(index) } }));
            index += self.step;
        }
        all
    }
}

/// Sixteen bytes of global memory that are the executing thread's alone.
#[derive(Debug)]
pub struct VectorMut<T: Element> {
    at: *mut Vector<T>,
}

static_assertions::assert_not_impl_any!(VectorMut<u32>: Copy, Clone, Send, Sync);

impl<T: Element> VectorMut<T> {
    /// Their elements.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn read(&self) -> T::Vector {
        // SAFETY: in bounds, aligned to 16 bytes by the contract of `from_raw`, and no other thread uses them.
        unsafe { self.at.read().0 }
    }

    /// Stores their elements.
    ///
    /// PTX: `st.global.v4.b32`, or `.v2.b64`
    #[inline(always)]
    pub fn write(&self, elements: T::Vector) {
        // SAFETY: as in `read`.
        unsafe { self.at.write(Vector(elements)) }
    }
}
