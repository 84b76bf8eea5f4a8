//! An element comes from its slice, which knows its bounds.

use ptx::multimem::Multicast;
use ptx::qualifier::sem;

pub fn kernel(values: Multicast<u32>) {
    let Some(value) = values.get(7) else { return };
    value.reduce_add(1, sem::Relaxed);
}
