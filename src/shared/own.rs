//! Shared memory as more registers: vectors that a thread has for itself, of a number known at run time.

use core::marker::PhantomData;

use super::{DynamicShared, Element};
use crate::global::{Global, RowMut};
use crate::group::Cta;
use crate::registers::{for_each_loaded, loads, unroll};

/// Vectors of sixteen bytes in shared memory, dealt out to the CTA's threads, which have theirs for themselves: every `t`-th from a
/// thread's rank on, where `t` is the number of threads. No barrier and no state: nobody else reads or writes them.
///
/// ```
/// # use ptx::{global::Global, launch::Cta, shared::DynamicShared};
/// # fn kernel(cta: &Cta, dynamic: DynamicShared, x: Global<f32>, vectors: u32) {
/// let (mut cached, _) = dynamic.take_own::<f32>(cta, vectors);
/// let mut sum = 0.0;
/// cached.fill_from::<4>(x, |v| sum += v[0] + v[1] + v[2] + v[3]);
/// for (i, vector) in cached.vectors() {
///     let v = vector.get(); // what this thread has set
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct OwnVectors<T> {
    addr: u32,
    rank: u32,
    count: u32,
    step: u32,
    _vectors: PhantomData<*mut T>,
}

static_assertions::assert_not_impl_any!(OwnVectors<u32>: Copy, Clone, Send, Sync);

/// A vector of sixteen bytes of [`OwnVectors`].
#[derive(Debug)]
pub struct OwnVector<'a, T> {
    addr: u32,
    _vector: PhantomData<(&'a mut (), *mut T)>,
}

static_assertions::assert_not_impl_any!(OwnVector<'static, u32>: Copy, Clone, Send, Sync);

impl DynamicShared {
    /// Takes `count` vectors of sixteen bytes from the front, for the threads of the CTA to have each for itself. Traps where the launch
    /// gave too little, as [`take`](DynamicShared::take) does. All threads ask for equally many.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::{launch::Cta, shared::DynamicShared};
    /// # fn kernel(cta: &Cta, dynamic: DynamicShared, columns: u32) {
    /// let (row, dynamic) = dynamic.take_own::<f32>(cta, columns / 4);
    /// # }
    /// ```
    #[inline(always)]
    pub fn take_own<T: Element>(self, cta: &Cta, count: u32) -> (OwnVectors<T>, DynamicShared) {
        // The block starts at a multiple of 128 below 2^18.
        let addr = self.next.next_multiple_of(16);
        if addr > self.end || (self.end - addr) / 16 < count {
            crate::trap::trap()
        }
        (
            OwnVectors {
                addr,
                rank: cta.thread_rank(),
                count,
                step: cta.thread_count(),
                _vectors: PhantomData,
            },
            DynamicShared { next: addr + 16 * count, ..self },
        )
    }
}

impl<T: Element> OwnVectors<T> {
    /// The executing thread's vectors, with their indices among those of all threads.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    ///
    /// ```
    /// # use ptx::shared::OwnVectors;
    /// # fn kernel(mut own: OwnVectors<u32>) {
    /// own.vectors().for_each(|(_, mut vector)| vector.set([0; 4]));
    /// # }
    /// ```
    #[inline(always)]
    pub fn vectors(&mut self) -> impl Iterator<Item = (usize, OwnVector<'_, T>)> {
        let mut next = self.rank;
        core::iter::from_fn(move || {
            let i = next;
            if i >= self.count {
                return None;
            }
            // A block has less than 2^18 bytes, a CTA at most 2^10 threads.
            next = i + self.step;
            Some((i as usize, OwnVector { addr: self.addr + 16 * i, _vector: PhantomData }))
        })
    }
}

impl<T: Element> OwnVectors<T> {
    /// Sets the vectors of the executing thread to those of `from` at the same indices, and calls `f` with each. Vectors past the end
    /// of `from` stay as they are. The thread has `N` loads under way at a time. Not collective.
    ///
    /// PTX: `ld.global.v4.b32`, or `.v2.b64`, and `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`, a vector
    ///
    /// ```
    /// # use ptx::{global::Global, shared::OwnVectors};
    /// # fn kernel(cached: &mut OwnVectors<f32>, row: Global<f32>) {
    /// let mut greatest = f32::NEG_INFINITY;
    /// cached.fill_from::<4>(row, |[a, b, c, d]| greatest = greatest.max(a.max(b)).max(c.max(d)));
    /// # }
    /// ```
    #[inline(always)]
    pub fn fill_from<const N: usize>(&mut self, from: Global<T>, mut f: impl FnMut(T::Vector)) {
        const { loads(N) };
        // One bound for both, so that neither is checked again.
        let count = self.count.min(from.vector_count().min(u32::MAX as usize) as u32);
        // SAFETY: zeros are a value of elements. No sum wraps: a block has less than 2^18 bytes, a CTA at most 2^10 threads. Below `count`
        // both have the vector, and this one is the thread's own.
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

    /// Stores `f` of each vector of the executing thread into `to` at the same index. What lies past the end of either stays as it is.
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128`, and `st.global.v4.b32`, or `.v2.b64`, a vector
    ///
    /// ```
    /// # use ptx::{global::RowMut, shared::OwnVectors};
    /// # fn kernel(cached: &OwnVectors<f32>, row: RowMut<f32>, scale: f32) {
    /// cached.write_to(row, |vector| vector.map(|x| x * scale));
    /// # }
    /// ```
    #[inline(always)]
    pub fn write_to(&self, to: RowMut<T>, mut f: impl FnMut(T::Vector) -> T::Vector) {
        // As in `fill_from`.
        let count = self.count.min(to.vector_count().min(u32::MAX as usize) as u32);
        let mut i = self.rank;
        while i < count {
            unroll::<2>(|n| {
                let i = i + n as u32 * self.step;
                if i < count {
                    // SAFETY: below `self.count`; the thread's own.
                    let vector = unsafe { T::load_vector(self.addr + 16 * i) };
                    // SAFETY: below the row's count; the row is the CTA's alone, vector `i` of it this thread's, and the handle is used up.
                    unsafe { to.write_vector_at(i as usize, f(vector)) };
                }
            });
            i += 2 * self.step;
        }
    }
}

impl<T: Element> OwnVector<'_, T> {
    /// Its elements: unspecified ones before the first [`set`](OwnVector::set).
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::shared::OwnVector;
    /// # fn kernel(vector: OwnVector<'_, f32>) {
    /// let [a, b, c, d] = vector.get();
    /// # }
    /// ```
    #[inline(always)]
    pub fn get(&self) -> T::Vector {
        // SAFETY: inside of what `take_own` has taken, a multiple of 16 bytes from its start; no other thread has it.
        unsafe { T::load_vector(self.addr) }
    }

    /// Sets its elements.
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    ///
    /// ```
    /// # use ptx::shared::OwnVector;
    /// # fn kernel(mut vector: OwnVector<'_, f32>) {
    /// vector.set(vector.get().map(|x| 2.0 * x));
    /// # }
    /// ```
    #[inline(always)]
    pub fn set(&mut self, elements: T::Vector) {
        // SAFETY: as in `get`.
        unsafe { T::store_vector(self.addr, elements) }
    }
}
