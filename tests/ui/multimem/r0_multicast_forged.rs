//! Multicast memory is made by `unsafe`: other addresses than those of a multicast object are undefined behavior.

use ptx::multimem::Multicast;

pub fn kernel(base: *mut f32) {
    #[cfg(not(fixed))]
    let _values = Multicast::<f32>::from_raw(base, 256);
    // SAFETY: the multicast address of 256 elements, which nothing else accesses.
    #[cfg(fixed)]
    let _values = unsafe { Multicast::<f32>::from_raw(base, 256) };
}
