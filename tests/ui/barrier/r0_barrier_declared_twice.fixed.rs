//! Two parts of a kernel on one barrier would let each other pass.

use ptx::barrier::NamedBarrier;

ptx::shared_memory! {
    pub struct Smem { pub loaders: NamedBarrier<3, 64>, pub writers: NamedBarrier<4, 128> }
}
