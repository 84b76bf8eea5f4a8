//! Threads store where they like: the states [`ElementStores`] and [`VectorStores`].

use super::{Element, Overwritable, Shared, ThreadStores, Unfenced};
use crate::qualifier::Sealed;
use crate::size;

/// Any thread stores any element: [`set`](Shared::set). Until the barrier nobody reads.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Free>) -> Shared<'s, u32, 64, Published> {
/// let tile = tile.element_stores();
/// tile.set(63 - cta.thread_rank() as usize % 64, cta.thread_rank());
/// let tile = tile.publish(cta);
/// # tile
/// # }
/// ```
#[derive(Debug)]
pub enum ElementStores {}

/// Any thread stores any sixteen bytes: [`set_vector`](Shared::set_vector). Until the barrier nobody reads.
///
/// ```
/// # use ptx::{launch::Cta, shared::{Free, Published, Shared}};
/// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 64, Free>) -> Shared<'s, f32, 64, Published> {
/// let tile = tile.vector_stores();
/// tile.set_vector(cta.thread_rank() as usize, [0.0, 1.0, 2.0, 3.0]); // the first sixteen threads; `None` for the others
/// let tile = tile.publish(cta);
/// # tile
/// # }
/// ```
#[derive(Debug)]
pub enum VectorStores {}

/// The state in which threads store single elements.
#[diagnostic::on_unimplemented(
    message = "threads do not store single elements into shared memory in the state `{Self}`",
    label = "not in the state `ElementStores`",
    note = "memory that is free to be filled (`Free`, `FreeGeneric`) takes them from `.element_stores()` to `.publish(&cta)` or `.to_async(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait TakesElements: Sealed {}
/// The state in which threads store sixteen bytes each.
#[diagnostic::on_unimplemented(
    message = "threads do not store vectors into shared memory in the state `{Self}`",
    label = "not in the state `VectorStores`",
    note = "memory that is free to be filled (`Free`, `FreeGeneric`) takes them from `.vector_stores()` to `.publish(&cta)` or `.to_async(&cta)`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait TakesVectors: Sealed {}
impl TakesElements for ElementStores {}
impl TakesVectors for VectorStores {}

impl Sealed for ElementStores {}
impl Sealed for VectorStores {}
impl ThreadStores for ElementStores {}
impl ThreadStores for VectorStores {}
impl Unfenced for ElementStores {}
impl Unfenced for VectorStores {}

static_assertions::assert_not_impl_any!(ElementStores: super::Readable, super::AsyncSource, super::AsyncDestination, Overwritable);
static_assertions::assert_not_impl_any!(VectorStores: super::Readable, super::AsyncSource, super::AsyncDestination, Overwritable);

impl<'s, T: Element, const N: usize, State, G> Shared<'s, T, N, State, G> {
    /// Begins stores of single elements, each by whichever thread: [`set`](Shared::set). What no thread stores keeps unspecified
    /// contents.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 32, Free>, value: f32) -> Shared<'s, f32, 32, Published> {
    /// // One result of each warp.
    /// let sums = tile.element_stores();
    /// if cta.thread_rank() % 32 == 0 {
    ///     sums.set(cta.warp_rank() as usize, value);
    /// }
    /// let sums = sums.publish(cta);
    /// # sums
    /// # }
    /// ```
    #[inline(always)]
    pub fn element_stores(self) -> Shared<'s, T, N, ElementStores, G>
    where
        State: Overwritable,
    {
        self.into_state()
    }

    /// Begins stores of sixteen bytes each, by whichever thread: [`set_vector`](Shared::set_vector). What no thread stores keeps
    /// unspecified contents.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Fenced, Free, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 1024, Free>) -> Shared<'s, f32, 1024, Fenced> {
    /// let tile = tile.vector_stores();
    /// let v = cta.thread_rank() as usize;
    /// tile.set_vector(v, [v as f32; 4]);
    /// let tile = tile.to_async(cta);
    /// # tile
    /// # }
    /// ```
    #[inline(always)]
    pub fn vector_stores(self) -> Shared<'s, T, N, VectorStores, G>
    where
        State: Overwritable,
    {
        const { super::whole_vectors::<T, N>() };
        self.into_state()
    }
}

impl<T: Element, const N: usize, State, G> Shared<'_, T, N, State, G> {
    /// Stores element `i`; `None` past the end. Of several threads that store one element, any wins.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta`
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{ElementStores, Shared}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, u32, 1024, ElementStores>, rank: u32) {
    /// // A permutation: each thread stores where its element belongs.
    /// let stored = tile.set(rank as usize, cta.thread_rank());
    /// # }
    /// ```
    #[inline(always)]
    pub fn set(&self, i: usize, value: T) -> Option<()>
    where
        State: TakesElements,
    {
        // SAFETY: in bounds. By the state nobody reads, and every store that may race is of one element's size: the racing
        // element is then unspecified bits, which are a value.
        (i < N).then(|| unsafe { T::store(self.addr + (i * size_of::<T>()) as u32, value) })
    }

    /// Stores the sixteen bytes that start at byte `16 * i`; `None` past the end. Of several threads that store there, any wins
    /// each element.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::{Shared, VectorStores}};
    /// # fn kernel(cta: &Cta, tile: &Shared<'_, u32, 1024, VectorStores>, value: [u32; 4]) {
    /// let stored = tile.set_vector(255 - cta.thread_rank() as usize, value);
    /// # }
    /// ```
    #[inline(always)]
    pub fn set_vector(&self, i: usize, value: T::Vector) -> Option<()>
    where
        State: TakesVectors,
    {
        // SAFETY: in bounds, and aligned since `addr` is to 128. By the state nobody reads, and every store that may race is of
        // the same sixteen bytes.
        (i < const { size::vectors::<T, N>() })
            .then(|| unsafe { T::store_vector(self.addr + 16 * i as u32, value) })
    }
}
