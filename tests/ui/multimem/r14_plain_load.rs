//! Only `multimem` operations take a multimem address: they cannot load the value of one GPU.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(value: MulticastRef<f32>) -> f32 {
    #[cfg(not(fixed))]
    {
        value.load(sem::Relaxed)
    }
    #[cfg(fixed)]
    {
        value.load_reduce_add(sem::Relaxed)
    }
}
