//! Barrier 0 belongs to the collective calls of the CTA: a named barrier on it would release them too early.

use ptx::barrier::NamedBarrier;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<0, 64> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<1, 64> }
}
