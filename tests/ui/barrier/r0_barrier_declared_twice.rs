//! A barrier number is declared once: two parts of a kernel on one barrier would release each other.

use ptx::barrier::NamedBarrier;

#[cfg(not(fixed))]
ptx::shared_memory! {
    pub struct Smem { pub loaders: NamedBarrier<3, 64>, pub writers: NamedBarrier<3, 128> }
}

#[cfg(fixed)]
ptx::shared_memory! {
    pub struct Smem { pub loaders: NamedBarrier<3, 64>, pub writers: NamedBarrier<4, 128> }
}
