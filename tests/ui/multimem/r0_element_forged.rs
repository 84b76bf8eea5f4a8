//! An element comes from its slice, which knows its bounds.

use ptx::multimem::MulticastRef;
use ptx::qualifier::{scope, sem};

pub fn kernel(addr: *mut u32) {
    let value = MulticastRef { addr, scope: scope::Sys };
    value.reduce_add(1, sem::Relaxed);
}
