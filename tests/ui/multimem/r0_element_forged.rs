//! An element comes from its slice, which knows its bounds.

use ptx::multimem::{Multicast, MulticastRef};
use ptx::qualifier::{scope, sem};

#[cfg(not(fixed))]
pub fn kernel(addr: *mut u32) {
    let value = MulticastRef { addr, scope: scope::Sys };
    value.reduce_add(1, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(values: Multicast<u32>) {
    let Some(value) = values.get(7) else { return };
    value.reduce_add(1, sem::Relaxed);
}
