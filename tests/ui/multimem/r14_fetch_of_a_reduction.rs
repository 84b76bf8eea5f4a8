//! `multimem.red` returns no value: each GPU has an old value of its own.

use ptx::multimem::MulticastRef;
use ptx::qualifier::sem;

pub fn kernel(tickets: MulticastRef<u32>) -> u32 {
    tickets.reduce_add(1, sem::Relaxed)
}
