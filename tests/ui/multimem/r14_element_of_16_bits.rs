//! No `multimem` operation takes 16 bits.

use ptx::multimem::Multicast;

pub fn kernel(values: Multicast<u16>) -> bool {
    values.get(0).is_some()
}
