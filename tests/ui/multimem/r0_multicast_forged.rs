//! Multicast memory is made by `unsafe`: an address that is none of a multicast object is undefined behaviour.

use ptx::multimem::Multicast;

pub fn kernel(base: *mut f32) {
    let _values = Multicast::<f32>::from_raw(base, 256);
}
