//! `multimem.red.or` takes bits, as integers.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(flags: MulticastRef<u32>) {
    flags.reduce_or(1.0_f32.to_bits(), sem::Release);
}
