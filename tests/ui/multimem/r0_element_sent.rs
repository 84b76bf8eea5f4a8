//! An element stays in its thread.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

fn send(_: impl Send) {}

pub fn kernel(value: MulticastRef<u32>) {
    #[cfg(not(fixed))]
    send(value);
    #[cfg(fixed)]
    send(value.load_reduce_add(sem::Relaxed));
}
