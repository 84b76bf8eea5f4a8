//! Copies between global memory and a thread's vectors in shared memory.

use super::{Global, RowMut};
use crate::registers::{for_each_loaded, loads, unroll};
use crate::shared::{Element, ThreadVectors};

impl<T: Element> ThreadVectors<T> {
    /// Copies the executing thread's share of the vectors of `from` from global memory into its own vectors in shared memory, and
    /// passes each loaded vector to `f`, for work on it in registers. Vectors beyond the end of `from` keep their contents. The
    /// thread has `N` loads in flight at a time, 1 to 16.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, and `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`, a vector
    #[inline(always)]
    pub fn fill_from<const N: usize>(&mut self, from: Global<T>, mut f: impl FnMut(T::Vector)) {
        const { loads(N) };
        // One bound for both sides, so that neither side is checked again.
        let count = self.count.min(from.vector_count().min(u32::MAX as usize) as u32);
        // SAFETY: zeros are a value of elements, and `N` is 1 to 16 (`loads`). No sum wraps: shared memory has fewer than 2^18
        // bytes, and a CTA at most 2^10 threads. `i` is below `count`, and vector `i` of this memory belongs to this thread.
        unsafe {
            for_each_loaded::<_, _, N>(
                self.rank,
                self.step,
                count,
                |i| from.vector_at(i as usize),
                |i, vector| {
                    T::store_vector(self.addr + 16 * i, vector);
                    f(vector);
                },
            )
        }
    }

    /// Stores `f` of each of the executing thread's vectors into the row `to` of global memory, at the index that the vector has
    /// among the vectors of all threads. Vectors that only one side has are not touched.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`, and `st.global.v4.b32`, or `.v2.b64`, a vector
    #[inline(always)]
    pub fn write_to(&self, to: RowMut<T>, mut f: impl FnMut(T::Vector) -> T::Vector) {
        // One bound for both sides, so that neither side is checked again.
        let count = self.count.min(to.vector_count());
        let mut i = self.rank;
        while i < count {
            unroll::<2>(|n| {
                let i = i + n as u32 * self.step;
                if i < count {
                    // SAFETY: `i` is below `self.count`, and vector `i` belongs to this thread.
                    let vector = unsafe { T::load_vector(self.addr + 16 * i) };
                    // SAFETY: `i` is below the row's count. The row belongs to this CTA, its vector `i` to this thread, and the
                    // call uses the row up.
                    unsafe { to.write_vector_at(i, f(vector)) };
                }
            });
            i += 2 * self.step;
        }
    }
}
