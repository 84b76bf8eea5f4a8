//! Dynamic shared memory private to a thread, as an extension of its registers: vectors whose number is known at run time.

use core::marker::PhantomData;

use super::{DynamicShared, Element};
use crate::global::{Global, RowMut};
use crate::group::Cta;
use crate::registers::{for_each_loaded, loads, unroll};

/// Vectors of sixteen bytes in dynamic shared memory, each private to one thread of the CTA. They serve a thread as an array of
/// registers of a length known at run time.
///
/// A thread has every `t`-th vector from its rank on, where `t` is the number of threads. No other thread accesses a thread's
/// vectors, so the vectors need no barrier and no state.
///
/// ```
/// # use ptx::{global::{Global, RowMut}, launch::Cta, shared::DynamicShared};
/// # fn kernel(cta: &Cta, dynamic: DynamicShared, x: Global<f32>, y: RowMut<f32>, vectors: u32) {
/// let (mut cached, _) = dynamic.take_own::<f32>(cta, vectors);
/// let mut sum = 0.0;
/// cached.fill_from::<4>(x, |v| sum += v[0] + v[1] + v[2] + v[3]);
/// for (_, mut vector) in cached.vectors() {
///     vector.set(vector.get().map(|x| x * x));
/// }
/// cached.write_to(y, |v| v.map(|x| x / sum)); // `sum` is this thread's
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

/// A handle of a vector of sixteen bytes in dynamic shared memory ([`OwnVectors`]) that only the executing thread accesses.
#[derive(Debug)]
pub struct OwnVector<'a, T> {
    addr: u32,
    _vector: PhantomData<(&'a mut (), *mut T)>,
}

impl DynamicShared {
    /// Takes `count` vectors of sixteen bytes from the front of the dynamic shared memory and divides them among the CTA's
    /// threads. Traps, as [`take`](DynamicShared::take) does, if the vectors do not fit. All threads pass the same `count`.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn take_own<T: Element>(self, cta: &Cta, count: u32) -> (OwnVectors<T>, DynamicShared) {
        // The sum does not overflow: `next` is below 2^18.
        let addr = self.next.next_multiple_of(16);
        if addr > self.end || (self.end - addr) / 16 < count {
            crate::trap::trap_because!("the launch gives too few bytes of dynamic shared memory")
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
    /// Iterates over the executing thread's vectors, with the index of each among the vectors of all threads. Some threads
    /// may have one vector more than others: make no collective call in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn vectors(&mut self) -> impl Iterator<Item = (usize, OwnVector<'_, T>)> {
        let mut next = self.rank;
        core::iter::from_fn(move || {
            let i = next;
            if i >= self.count {
                return None;
            }
            // The sum does not overflow: shared memory has fewer than 2^18 bytes, and a CTA has at most 2^10 threads.
            next = i + self.step;
            Some((i as usize, OwnVector { addr: self.addr + 16 * i, _vector: PhantomData }))
        })
    }
}

impl<T: Element> OwnVectors<T> {
    /// Copies the executing thread's share of the vectors of `from` from global memory into its own vectors in shared memory, and
    /// passes each loaded vector to `f`, for work on it in registers. Vectors beyond the end of `from` keep their contents. The thread has `N` loads in flight at a time, 1
    /// to 16.
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
        let count = self.count.min(to.vector_count().min(u32::MAX as usize) as u32);
        let mut i = self.rank;
        while i < count {
            unroll::<2>(|n| {
                let i = i + n as u32 * self.step;
                if i < count {
                    // SAFETY: `i` is below `self.count`, and vector `i` belongs to this thread.
                    let vector = unsafe { T::load_vector(self.addr + 16 * i) };
                    // SAFETY: `i` is below the row's count. The row belongs to this CTA, its vector `i` to this thread, and the
                    // call uses the row up.
                    unsafe { to.write_vector_at(i as usize, f(vector)) };
                }
            });
            i += 2 * self.step;
        }
    }
}

impl<T: Element> OwnVector<'_, T> {
    /// Loads the vector's elements from shared memory (`ld.shared`). They are unspecified before the first
    /// [`set`](OwnVector::set).
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get(&self) -> T::Vector {
        // SAFETY: `addr` lies in the memory that `take_own` took, at a multiple of 16 bytes; no other thread accesses the vector.
        unsafe { T::load_vector(self.addr) }
    }

    /// Stores `elements` into the vector in shared memory (`st.shared`).
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn set(&mut self, elements: T::Vector) {
        // SAFETY: `addr` lies in the memory that `take_own` took, at a multiple of 16 bytes; no other thread accesses the vector.
        unsafe { T::store_vector(self.addr, elements) }
    }
}

handles! { OwnVectors<u32>, OwnVector<u32> }
