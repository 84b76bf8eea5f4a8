//! The number of threads at a barrier is a multiple of the warp size.

use ptx::barrier::NamedBarrier;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub some: NamedBarrier<1, 48> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub some: NamedBarrier<1, 64> }
}
