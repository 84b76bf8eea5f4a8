//! `multimem.red` takes no eight-bit floats.

use ptx::multimem::{Fp8, MulticastRef};
use ptx::qualifier::{sem, ty};

type Bytes = [Fp8<ty::E4m3>; 4];

pub fn kernel(value: MulticastRef<Bytes>, b: Bytes) {
    value.reduce_add(b, sem::Relaxed);
}
