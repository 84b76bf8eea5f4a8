//! A hand-off has both its barriers for itself.

use ptx::barrier::{Handoff, NamedBarrier};

ptx::shared_memory! {
    pub struct Smem { pub parties: Handoff<1, 2, 64, 64>, pub other: NamedBarrier<3, 64> }
}
