//! `multimem.red` returns no value: each GPU has an old value of its own.

use ptx::atomic::AtomicRef;
use ptx::multimem::MulticastRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(tickets: MulticastRef<u32>) -> u32 {
    tickets.reduce_add(1, sem::Relaxed)
}

#[cfg(fixed)]
pub fn kernel(tickets: AtomicRef<'_, u32, scope::Sys, space::Global>) -> u32 {
    tickets.fetch_add(1, sem::Relaxed)
}
