//! No `multimem` operation takes 8 bits or 16 bits.

use ptx::multimem::{Fp8, Multicast};
use ptx::qualifier::ty;

#[cfg(not(fixed))]
pub fn kernel(bytes: Multicast<Fp8<ty::E5m2>>, pairs: Multicast<[Fp8<ty::E5m2>; 2]>) -> bool {
    bytes.get(0).is_some() && pairs.get(0).is_some()
}

#[cfg(fixed)]
pub fn kernel(packed: Multicast<[Fp8<ty::E5m2>; 4]>, pairs: Multicast<[[Fp8<ty::E5m2>; 2]; 2]>) -> bool {
    packed.get(0).is_some() && pairs.get(0).is_some()
}
