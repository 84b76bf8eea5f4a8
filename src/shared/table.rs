//! Tables in shared memory: filled once by the threads of the CTA, and read by all of them from then on.

use core::marker::PhantomData;

use super::{Element, Place};
use crate::group::Cta;
use crate::mark::hold;
use crate::registers::for_each_loaded;
use crate::size;

/// Memory for a lookup table of `N` elements in shared memory, which [`fill`](SharedTable::fill) fills.
///
/// ```
/// use ptx::{global::{Global, GlobalElementsMut}, group::Cta, shared::SharedTable};
///
/// ptx::shared_memory! {
///     pub struct Smem { levels: SharedTable<f32, 256> }
/// }
///
/// /// Looks the level of each byte up.
/// #[ptx::kernel(threads = 256)]
/// pub fn dequantize(
///     cta: Cta,
///     #[shared] smem: Smem,
///     levels: Global<f32>,
///     bytes: Global<u8>,
///     out: GlobalElementsMut<f32>,
/// ) {
///     let levels = smem.levels.fill(&cta, |i| levels.get(i).unwrap_or(0.0));
///     for (i, out) in out.elements(&cta) {
///         let byte = bytes.get(i).unwrap_or(0);
///         out.write(levels.get(byte.into()).unwrap_or(0.0));
///     }
/// }
/// ```
#[derive(Debug)]
pub struct SharedTable<T, const N: usize> {
    addr: u32,
    _elements: PhantomData<*mut [T; N]>,
}

// SAFETY: the handle uses `N` elements from `addr` on, which are `SIZE` bytes.
unsafe impl<T: Element, const N: usize> Place for SharedTable<T, N> {
    const SIZE: u32 = size::shared(size::bytes::<T, N>());
    const ALIGN: u32 = size_of::<T>() as u32;

    #[inline(always)]
    unsafe fn at(addr: u32) -> Self {
        SharedTable { addr, _elements: PhantomData }
    }
}

impl<T: Element, const N: usize> SharedTable<T, N> {
    /// Stores `f(i)` as element `i`, by the threads of the CTA, and returns the table after a barrier. A thread calls `f` for the
    /// elements at `r`, `r + t`, `r + 2 * t`, … for its rank `r` and `t` threads in the CTA: first for four of them, whose loads are
    /// in flight together, then it stores the four results.
    ///
    /// Collective in the CTA.
    ///
    /// PTX: `st.weak.shared::cta` an element, `barrier.cta.sync.aligned 0;`
    #[inline(always)]
    #[track_caller]
    pub fn fill(self, cta: &Cta, f: impl FnMut(usize) -> T) -> FilledTable<T, N> {
        hold::<Cta>(self.addr);
        let mut f = f;
        // SAFETY: zeros are a value of elements, and 4 is in 1 to 16. No sum wraps: shared memory has fewer than 2^18 bytes, and a
        // CTA 2^10 threads at most. `i` is below `N`; the element is this thread's before the barrier, and nobody writes after.
        unsafe {
            for_each_loaded::<_, _, 4>(
                cta.thread_rank(),
                cta.thread_count(),
                N as u32,
                |i| f(i as usize),
                |i, value| T::store(self.addr + i * size_of::<T>() as u32, value),
            );
        }
        cta.sync();
        FilledTable { addr: self.addr, _elements: PhantomData }
    }
}

/// A table of `N` elements in shared memory that no thread writes any more ([`SharedTable::fill`]). Every thread of the CTA reads it,
/// in any part of the kernel.
#[derive(Debug)]
pub struct FilledTable<T, const N: usize> {
    addr: u32,
    _elements: PhantomData<*const [T; N]>,
}

impl<T, const N: usize> Clone for FilledTable<T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T, const N: usize> Copy for FilledTable<T, N> {}

impl<T: Element, const N: usize> FilledTable<T, N> {
    /// Returns element `i`, or `None` past the end.
    ///
    /// Not collective.
    ///
    /// PTX: `ld.weak.shared::cta`
    #[inline(always)]
    pub fn get(&self, i: usize) -> Option<T> {
        if i >= N {
            return None;
        }
        // SAFETY: `i < N`; a barrier has followed the last store (`fill`).
        Some(unsafe { T::load(self.addr + i as u32 * size_of::<T>() as u32) })
    }
}

handles! { SharedTable<u32, 4> }
handles! { Copy: FilledTable<u32, 4> }
