//! Multicast memory is made by `unsafe`: other addresses than those of a multicast object are undefined behavior.

use ptx::multimem::Multicast;

pub fn kernel(base: *mut f32) {
    let _values = Multicast::<f32>::from_raw(base, 256);
}
