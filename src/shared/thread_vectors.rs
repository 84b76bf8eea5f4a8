//! Dynamic shared memory private to a thread, as an extension of its registers: vectors whose number is known at run time.

use core::marker::PhantomData;

use super::{DynamicShared, Element};
use crate::group::Cta;

/// Vectors of sixteen bytes in dynamic shared memory, each private to one thread of the CTA. They serve a thread as an array of
/// registers of a length known at run time.
///
/// A thread has every `t`-th vector from its rank on, where `t` is the number of threads. No other thread accesses a thread's
/// vectors, so the vectors need no barrier and no state.
///
/// ```
/// # use ptx::{global::{Global, RowMut}, group::Cta, shared::DynamicShared};
/// # fn kernel(cta: &Cta, dynamic: DynamicShared, x: Global<f32>, y: RowMut<f32>, vectors: u32) {
/// let (mut cached, _) = dynamic.take_thread_vectors::<f32>(cta, vectors);
/// let mut sum = 0.0;
/// cached.fill_from::<4>(x, |v| sum += v[0] + v[1] + v[2] + v[3]);
/// for (_, mut vector) in cached.vectors() {
///     vector.set(vector.get().map(|x| x * x));
/// }
/// cached.write_to(y, |v| v.map(|x| x / sum)); // `sum` is this thread's
/// # }
/// ```
#[derive(Debug)]
pub struct ThreadVectors<T> {
    pub(crate) addr: u32,
    pub(crate) rank: u32,
    pub(crate) count: u32,
    pub(crate) step: u32,
    _vectors: PhantomData<*mut T>,
}

/// A handle of a vector of sixteen bytes in dynamic shared memory ([`ThreadVectors`]) that only the executing thread accesses.
#[derive(Debug)]
pub struct ThreadVector<'a, T> {
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
    pub fn take_thread_vectors<T: Element>(self, cta: &Cta, count: u32) -> (ThreadVectors<T>, DynamicShared) {
        crate::mark::deal::<Cta, _>(core::ptr::without_provenance::<()>(self.next as usize));
        // The sum does not overflow: `next` is below 2^18.
        let addr = self.next.next_multiple_of(16);
        if addr > self.end || (self.end - addr) / 16 < count {
            crate::trap::trap_because!("the launch gives too few bytes of dynamic shared memory")
        }
        (
            ThreadVectors {
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

impl<T: Element> ThreadVectors<T> {
    /// Iterates over the executing thread's vectors, with the index of each among the vectors of all threads. Some threads
    /// may have one vector more than others: make no collective call in the loop.
    ///
    /// Not collective.
    ///
    /// PTX: none.
    #[inline(always)]
    pub fn vectors(&mut self) -> impl Iterator<Item = (usize, ThreadVector<'_, T>)> {
        let mut next = self.rank;
        core::iter::from_fn(move || {
            let i = next;
            if i >= self.count {
                return None;
            }
            // The sum does not overflow: shared memory has fewer than 2^18 bytes, and a CTA has at most 2^10 threads.
            next = i + self.step;
            Some((i as usize, ThreadVector { addr: self.addr + 16 * i, _vector: PhantomData }))
        })
    }
}

impl<T: Element> ThreadVector<'_, T> {
    /// Loads the vector's elements from shared memory (`ld.shared`). They are unspecified before the first
    /// [`set`](ThreadVector::set).
    ///
    /// PTX: `ld.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn get(&self) -> T::Vector {
        // SAFETY: `addr` lies in the memory that `take_thread_vectors` took, at a multiple of 16 bytes; no other thread accesses
        // the vector.
        unsafe { T::load_vector(self.addr) }
    }

    /// Stores `elements` into the vector in shared memory (`st.shared`).
    ///
    /// PTX: `st.weak.shared::cta.v4.b32`, or `.v2.b64`, or `.b128` ([`Element::Vector`])
    #[inline(always)]
    pub fn set(&mut self, elements: T::Vector) {
        // SAFETY: `addr` lies in the memory that `take_thread_vectors` took, at a multiple of 16 bytes; no other thread accesses
        // the vector.
        unsafe { T::store_vector(self.addr, elements) }
    }
}

handles! { ThreadVectors<u32>, ThreadVector<u32> }
