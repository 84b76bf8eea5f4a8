//! Scattered stores to shared memory: the states [`ElementStores`] and [`VectorStores`].

use super::{Element, ElementStores, Overwritable, Shared, TakesElements, TakesVectors, VectorStores};
use crate::group::ThreadGroup;
use crate::size;

impl<'s, T: Element, const N: usize, State, G: ThreadGroup> Shared<'s, T, N, State, G> {
    /// Begins scattered stores of single elements: any thread stores any element, by [`set`](Shared::set). Elements that no
    /// thread stores are unspecified.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{group::Cta, shared::{Free, Published, Shared}};
    /// # fn kernel<'s>(cta: &Cta, tile: Shared<'s, f32, 32, Free>, value: f32) -> Shared<'s, f32, 32, Published> {
    /// // Each warp stores one result.
    /// let sums = tile.element_stores();
    /// if cta.thread_rank() % 32 == 0 {
    ///     sums.set(cta.warp_rank() as usize, value);
    /// }
    /// let sums = sums.publish().sync(cta);
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

    /// Begins scattered stores of sixteen bytes each: any thread stores any vector, by [`set_vector`](Shared::set_vector).
    /// Vectors that no thread stores are unspecified.
    ///
    /// The array has a multiple of 16 bytes. [`element_stores`](Shared::element_stores) shows the use.
    ///
    /// PTX: none.
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
    /// Stores `value` in element `i`; `None` past the end. If several threads store the same element without a barrier in
    /// between, its value is unspecified.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta`
    #[inline(always)]
    pub fn set(&self, i: usize, value: T) -> Option<()>
    where
        State: TakesElements,
    {
        // SAFETY: `i` is below `N`. By the state no thread reads, and every racing store has the size and address of one element.
        // After a race the element has unspecified bits, which are a value.
        (i < N).then(|| unsafe { T::store(self.addr + (i * size_of::<T>()) as u32, value) })
    }

    /// Stores `value` in the sixteen bytes that start at byte `16 * i`; `None` past the end. If several threads store the same
    /// vector without a barrier in between, its value is unspecified.
    ///
    /// Not collective.
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn set_vector(&self, i: usize, value: T::Vector) -> Option<()>
    where
        State: TakesVectors,
    {
        // SAFETY: vector `i` is in bounds, and aligned since `addr` is a multiple of 128. By the state no thread reads, and every
        // racing store writes the same sixteen bytes.
        (i < const { size::vectors::<T, N>() })
            .then(|| unsafe { T::store_vector(self.addr + 16 * i as u32, value) })
    }
}
