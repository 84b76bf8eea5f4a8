//! Tiles as matrices: rows of a constant length, plain or as a tensor copy has swizzled them.

use core::marker::PhantomData;

use super::stores::{TakesElements, TakesVectors};
use super::{Element, Readable, Shared, Swizzle};
use crate::qualifier::{Sealed, swizzle_mode};
use crate::size;

/// A tile as rows of `W` elements, in the order `M` of its elements: `()` for one row behind the other, or a swizzle.
///
/// Coordinates are `[x, y]`, the innermost first, as those of tensor copies are. An access is checked against the extents of the
/// matrix; where an element lies follows from its coordinates, so LLVM drops a check of coordinates that it knows to be small.
///
/// ```
/// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{Free, Loaded, Shared, Written}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Loaded>, turned: Shared<'s, f32, 1024, Free>)
/// # -> (Shared<'s, f32, 1024, Loaded>, Shared<'s, f32, 1024, ptx::shared::ElementStores>) {
/// // A transposition of 32 by 32 elements, both tiles swizzled.
/// let turned = turned.element_stores();
/// let (from, to) = (tile.as_2d::<32>().swizzled(swizzle_mode::B128), turned.as_2d::<32>().swizzled(swizzle_mode::B128));
/// let (x, first) = (cta.thread_rank() as usize % 32, cta.thread_rank() as usize / 32);
/// for y in (first..32).step_by(8) {
///     to.set([x, y], from.get([y, x]).unwrap_or(0.0));
/// }
/// # (tile, turned) }
/// ```
#[derive(Debug)]
pub struct View2d<'a, T, const W: usize, const N: usize, State, M = ()> {
    addr: u32,
    _tile: PhantomData<(&'a (), *mut [T; N], State, M)>,
}

impl<T, const W: usize, const N: usize, State, M> Clone for View2d<'_, T, W, N, State, M> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const W: usize, const N: usize, State, M> Copy for View2d<'_, T, W, N, State, M> {}

static_assertions::assert_not_impl_any!(View2d<'static, u32, 4, 16, super::ElementStores>: Send, Sync);

/// Where the elements of a matrix lie.
#[cfg_attr(doc, doc(hidden))]
pub trait Order: Sealed {
    /// The address of what would lie at `addr` in an array without swizzle.
    #[doc(hidden)]
    fn place(addr: u32) -> u32;
}
impl Order for () {
    #[inline(always)]
    fn place(addr: u32) -> u32 {
        addr
    }
}
impl<M: Swizzle> Order for M {
    #[inline(always)]
    fn place(addr: u32) -> u32 {
        let (bits, above) = M::BITS;
        addr ^ addr >> above & bits
    }
}

impl<T: Element, const N: usize, State, G> Shared<'_, T, N, State, G> {
    /// The tile as a matrix of rows of `W` elements.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Loaded, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>) {
    /// let matrix = tile.as_2d::<64>(); // 16 rows
    /// let below_the_diagonal = matrix.get([3, 4]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn as_2d<const W: usize>(&self) -> View2d<'_, T, W, N, State> {
        const { rows::<W, N>() };
        View2d::new(self.addr)
    }
}

/// Checks that an array has whole rows.
pub(crate) const fn rows<const W: usize, const N: usize>() {
    assert!(
        W > 0 && N.is_multiple_of(W),
        "a matrix has whole rows: choose a row length that divides the array's"
    );
}

impl<'a, T: Element, const W: usize, const N: usize, State> View2d<'a, T, W, N, State> {
    /// The `N` elements at an address, in that state as long as the view; [`rows`] has been checked.
    #[inline(always)]
    pub(crate) fn new(addr: u32) -> Self {
        View2d { addr, _tile: PhantomData }
    }

    /// The same matrix, swizzled as a tensor copy with this swizzle loads and stores it (5.5.7).
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{Loaded, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>) {
    /// // Thread x reads column x of row 7: without bank conflicts, as it would be in a column too.
    /// let value = tile.as_2d::<32>().swizzled(swizzle_mode::B128).get([cta.thread_rank() as usize, 7]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn swizzled<M: Swizzle>(self, _mode: M) -> View2d<'a, T, W, N, State, M> {
        const {
            assert!(
                size::bytes::<T, N>().is_multiple_of(128),
                "a swizzle changes the order within 128 bytes: choose an array of a multiple of 128 bytes (PTX ISA 5.5.7)"
            )
        };
        View2d { addr: self.addr, _tile: PhantomData }
    }
}

impl<T: Element, const W: usize, const N: usize, State, M: Order> View2d<'_, T, W, N, State, M> {
    /// The address of an element.
    #[inline(always)]
    fn at(&self, [x, y]: [usize; 2]) -> Option<u32> {
        (x < W && y < const { N / W }).then(|| M::place(self.addr + ((y * W + x) * size_of::<T>()) as u32))
    }

    /// The address of the sixteen bytes of row `y` that start at its byte `16 * x`: a swizzle keeps them together.
    #[inline(always)]
    fn vector_at(&self, [x, y]: [usize; 2]) -> Option<u32> {
        const {
            assert!(
                size::bytes::<T, W>().is_multiple_of(16),
                "vectors of sixteen bytes lie within rows of whole vectors: choose a row length of a multiple of 16 bytes"
            );
        }
        let inside = x < const { size::vectors::<T, W>() } && y < const { N / W };
        inside.then(|| M::place(self.addr + (y * const { size::bytes::<T, W>() } + 16 * x) as u32))
    }

    /// Element `x` of row `y`; `None` outside of the matrix.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Published, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, u32, 256, Published>) {
    /// let matrix = tile.as_2d::<16>();
    /// let x = cta.thread_rank() as usize % 16;
    /// let column: u32 = (0..16).filter_map(|y| matrix.get([x, y])).sum();
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self, at: [usize; 2]) -> Option<T>
    where
        State: Readable,
    {
        // SAFETY: in bounds: arrays are aligned to 128 bytes, in which a swizzle keeps each element. The state says that nobody
        // writes.
        self.at(at).map(|addr| unsafe { T::load(addr) })
    }

    /// Stores element `x` of row `y`; `None` outside of the matrix. Of several threads that store one element, any wins.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{ElementStores, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, u32, 1024, ElementStores>) {
    /// let (x, y) = (cta.thread_rank() as usize % 32, cta.thread_rank() as usize / 32);
    /// tile.as_2d::<32>().swizzled(swizzle_mode::B128).set([y, x], cta.thread_rank());
    /// # }
    /// ```
    #[inline(always)]
    pub fn set(&self, at: [usize; 2], value: T) -> Option<()>
    where
        State: TakesElements,
    {
        // SAFETY: in bounds, as in `get`. By the state nobody reads, and every store that may race is of one element's size.
        self.at(at).map(|addr| unsafe { T::store(addr, value) })
    }
}

impl<T: Element, const W: usize, const N: usize, State, M: Order> View2d<'_, T, W, N, State, M> {
    /// The sixteen bytes of row `y` that start at its byte `16 * x`; `None` outside of the matrix. Rows have a multiple of sixteen bytes.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{Loaded, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>) {
    /// // Elements 4 to 7 of a row of each thread's.
    /// let four = tile.as_2d::<32>().swizzled(swizzle_mode::B128).get_vector([1, cta.thread_rank() as usize]);
    /// # }
    /// ```
    #[inline(always)]
    pub fn get_vector(&self, at: [usize; 2]) -> Option<T::Vector>
    where
        State: Readable,
    {
        // SAFETY: in bounds, and aligned: arrays are to 128 bytes, of which a swizzle moves parts of sixteen. The state says that nobody
        // writes.
        self.vector_at(at).map(|addr| unsafe { T::load_vector(addr) })
    }

    /// Stores the sixteen bytes of row `y` that start at its byte `16 * x`; `None` outside of the matrix. Rows have a multiple of sixteen
    /// bytes. Of several threads that store there, any wins each element.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, qualifier::swizzle_mode, shared::{Loaded, Shared, VectorStores}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>, turned: &Shared<'_, f32, 1024, VectorStores>) {
    /// // A transposition by 256 threads: four elements of a column become a vector of a row.
    /// let (from, to) = (tile.as_2d::<32>().swizzled(swizzle_mode::B128), turned.as_2d::<32>().swizzled(swizzle_mode::B128));
    /// let (x, y) = (cta.thread_rank() as usize % 8, cta.thread_rank() as usize / 8);
    /// to.set_vector([x, y], [0, 1, 2, 3].map(|k| from.get([y, 4 * x + k]).unwrap_or(0.0)));
    /// # }
    /// ```
    #[inline(always)]
    pub fn set_vector(&self, at: [usize; 2], value: T::Vector) -> Option<()>
    where
        State: TakesVectors,
    {
        // SAFETY: in bounds and aligned, as in `get_vector`. By the state nobody reads, and every store that may race is of the same
        // sixteen bytes.
        self.vector_at(at).map(|addr| unsafe { T::store_vector(addr, value) })
    }
}

// The default order is `()`; the modes are what a swizzled view names.
static_assertions::assert_impl_all!(swizzle_mode::B128: Order);
