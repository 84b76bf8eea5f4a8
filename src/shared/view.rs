//! Tiles as matrices: rows of a constant length, in order or swizzled by a tensor copy (TMA).

use core::marker::PhantomData;

use super::{Element, Readable, Shared, Swizzle, TakesElements, TakesVectors};
use crate::qualifier::{Sealed, swizzle_mode};
use crate::size;

/// A tile of shared memory as a matrix with rows of `W` elements, as `T tile[H][W]`: accesses take coordinates `[x, y]`,
/// innermost first, as tensor copies do.
///
/// `M` is the order of the elements: `()` for rows one after another, or a swizzle of tensor copies. An access outside the matrix
/// gives `None`. LLVM drops the check of coordinates that are known to be small, since the address follows from the coordinates.
///
/// ```
/// # use ptx::{group::Cta, qualifier::swizzle_mode, shared::{Free, Loaded, Shared, Written}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Loaded>, turned: Shared<'s, f32, 1024, Free>)
/// # -> (Shared<'s, f32, 1024, Loaded>, Shared<'s, f32, 1024, ptx::shared::ElementStores>) {
/// // Transposes 32 by 32 elements; both tiles are swizzled.
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

/// The order of a [`View2d`]'s elements in shared memory: `()` for rows one after another, or a [`Swizzle`].
#[cfg_attr(doc, doc(hidden))]
pub trait Order: Sealed {
    /// Maps an address in the array without swizzle to the address in this order.
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
    /// Views the tile as a matrix with rows of `W` elements, where `W` divides `N`.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn as_2d<const W: usize>(&self) -> View2d<'_, T, W, N, State> {
        const {
            assert!(
                W > 0 && N.is_multiple_of(W),
                "a matrix has whole rows: choose a row length that divides the array's length"
            )
        };
        View2d { addr: self.addr, _tile: PhantomData }
    }
}

impl<'a, T: Element, const W: usize, const N: usize, State> View2d<'a, T, W, N, State> {
    /// Views the same matrix in the swizzled order in which a tensor copy (TMA) with this swizzle loads and stores it (PTX ISA
    /// 5.5.7).
    ///
    /// The array has a multiple of 128 bytes. The swizzle spreads a column of the matrix over several banks of shared memory.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{qualifier::swizzle_mode, shared::{Loaded, Shared}, tensor::Box2};
    /// # fn kernel(tile: &Shared<'_, f32, 1024, Loaded>) {
    /// // The shape of the tensor map states the swizzle.
    /// type Square = Box2<32, 32, swizzle_mode::B128>;
    /// let element_5_of_row_3 = tile.as_2d::<32>().swizzled(Square::SWIZZLE).get([5, 3]);
    /// # }
    /// ```
    #[inline(always)]
    #[doc(alias = "cute::composition")]
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

    /// The address of the sixteen bytes of row `y` that start at byte `16 * x` of the row. A swizzle keeps sixteen aligned bytes
    /// together.
    #[inline(always)]
    fn vector_at(&self, [x, y]: [usize; 2]) -> Option<u32> {
        const {
            assert!(
                size::bytes::<T, W>().is_multiple_of(16),
                "a row does not consist of whole vectors of 16 bytes: choose a row length of a multiple of 16 bytes"
            );
        }
        let inside = x < const { size::vectors::<T, W>() } && y < const { N / W };
        inside.then(|| M::place(self.addr + (y * const { size::bytes::<T, W>() } + 16 * x) as u32))
    }

    /// Loads element `x` of row `y`; `None` outside the matrix.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, at: [usize; 2]) -> Option<T>
    where
        State: Readable,
    {
        // SAFETY: in bounds: arrays are aligned to 128 bytes, and a swizzle keeps each element inside its 128 bytes. In a
        // `Readable` state no thread and no copy writes.
        self.at(at).map(|addr| unsafe { T::load(addr) })
    }

    /// Stores `value` in element `x` of row `y`; `None` outside the matrix. If several threads store the same element without a
    /// barrier in between, its value is unspecified.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta`
    #[inline(always)]
    pub fn set(&self, at: [usize; 2], value: T) -> Option<()>
    where
        State: TakesElements,
    {
        // SAFETY: in bounds, since a swizzle keeps each element inside its 128 bytes. By the state no thread reads, and every
        // racing store has the size and address of one element.
        self.at(at).map(|addr| unsafe { T::store(addr, value) })
    }
}

impl<T: Element, const W: usize, const N: usize, State, M: Order> View2d<'_, T, W, N, State, M> {
    /// Loads the sixteen bytes of row `y` that start at byte `16 * x` of the row; `None` outside the matrix. Rows have a multiple
    /// of 16 bytes.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get_vector(&self, at: [usize; 2]) -> Option<T::Vector>
    where
        State: Readable,
    {
        // SAFETY: in bounds and aligned: arrays are aligned to 128 bytes, and a swizzle moves sixteen aligned bytes as a whole
        // inside their 128 bytes. In a `Readable` state no thread and no copy writes.
        self.vector_at(at).map(|addr| unsafe { T::load_vector(addr) })
    }

    /// Stores `value` in the sixteen bytes of row `y` that start at byte `16 * x` of the row; `None` outside the matrix. Rows
    /// have a multiple of 16 bytes. If several threads store the same vector without a barrier in between, its value is
    /// unspecified.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{group::Cta, qualifier::swizzle_mode, shared::{Loaded, Shared, VectorStores}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, f32, 1024, Loaded>, turned: &Shared<'_, f32, 1024, VectorStores>) {
    /// // Transposes with 256 threads: four elements of a column become a vector of a row.
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
        // SAFETY: in bounds and aligned, since a swizzle moves sixteen aligned bytes as a whole inside their 128 bytes. By the
        // state no thread reads, and every racing store writes the same sixteen bytes.
        self.vector_at(at).map(|addr| unsafe { T::store_vector(addr, value) })
    }
}

// A view without a swizzle has the order `()`; a swizzled view names its mode.
static_assertions::assert_impl_all!(swizzle_mode::B128: Order);

handles! { Copy: View2d<u32, 4, 16, ()> }
