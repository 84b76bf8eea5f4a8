//! A slice that all threads write has a contract.

use ptx::global::GlobalScatter;

pub fn kernel(sorted: *mut f32, n: usize) {
    #[cfg(not(fixed))]
    let _sorted = GlobalScatter::from_raw(sorted, n);
    // SAFETY: only this grid accesses the `n` elements at `sorted`, and only through this handle.
    #[cfg(fixed)]
    let _sorted = unsafe { GlobalScatter::from_raw(sorted, n) };
}
