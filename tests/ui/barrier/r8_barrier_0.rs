//! Barrier 0 is where all threads of the CTA meet in every collective call: a group of them would let it pass too early.

use ptx::barrier::NamedBarrier;

ptx::shared_memory! {
    pub struct Smem { pub half: NamedBarrier<0, 64> }
}
