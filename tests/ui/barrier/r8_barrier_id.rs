//! A CTA has the barriers 0 to 15.

use ptx::barrier::NamedBarrier;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<16, 64> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<15, 64> }
}
