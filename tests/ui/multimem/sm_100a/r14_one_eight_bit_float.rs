//! No `multimem` operation takes 8 bits or 16 bits.

use ptx::multimem::{Fp8, Multicast};
use ptx::qualifier::ty;

pub fn kernel(bytes: Multicast<Fp8<ty::E5m2>>, pairs: Multicast<[Fp8<ty::E5m2>; 2]>) -> bool {
    bytes.get(0).is_some() && pairs.get(0).is_some()
}
