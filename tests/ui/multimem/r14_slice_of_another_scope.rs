//! A slice has one scope: accesses in scopes that do not include each other are not atomic.

use ptx::multimem::Multicast;
use ptx::qualifier::{scope, sem};

#[cfg(not(fixed))]
pub fn kernel(counts: Multicast<u32, scope::Gpu>) {
    count(counts);
}

#[cfg(fixed)]
pub fn kernel(counts: Multicast<u32, scope::Sys>) {
    count(counts);
}

fn count(counts: Multicast<u32, scope::Sys>) {
    if let Some(count) = counts.get(0) {
        count.reduce_add(1, sem::Relaxed);
    }
}
