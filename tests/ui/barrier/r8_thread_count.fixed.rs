//! Whole warps meet at a barrier.

use ptx::barrier::NamedBarrier;

ptx::shared_memory! {
    pub struct Smem { pub some: NamedBarrier<1, 64> }
}
