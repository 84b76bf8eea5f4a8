//! Some threads meet at a barrier, and no more than a CTA has.

use ptx::barrier::{Handoff, NamedBarrier};

ptx::shared_memory! {
    pub struct None { pub nobody: NamedBarrier<1, 32> }
}

ptx::shared_memory! {
    pub struct Many { pub all: NamedBarrier<1, 1024> }
}

ptx::shared_memory! {
    pub struct Sum { pub parties: Handoff<1, 2, 512, 512> }
}
