//! No `multimem` operation takes 16 bits.

use ptx::multimem::Multicast;

#[cfg(not(fixed))]
pub fn kernel(values: Multicast<u16>) -> bool {
    values.get(0).is_some()
}

#[cfg(fixed)]
pub fn kernel(values: Multicast<u32>) -> bool {
    values.get(0).is_some()
}
