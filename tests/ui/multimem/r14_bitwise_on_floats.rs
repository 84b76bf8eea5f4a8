//! `multimem.red.or` takes bits, as integers.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(flags: MulticastRef<f32>) {
    flags.reduce_or(1.0, sem::Release);
}
