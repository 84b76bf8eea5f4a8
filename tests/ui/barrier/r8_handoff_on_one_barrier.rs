//! What is full and what is empty is said on two barriers.

use ptx::barrier::Handoff;

ptx::shared_memory! {
    pub struct Smem { pub handoff: Handoff<1, 1, 64, 64> }
}
