//! Each party of a hand-off is of whole warps.

use ptx::barrier::Handoff;

ptx::shared_memory! {
    pub struct Producers { pub parties: Handoff<1, 2, 64, 64> }
}

ptx::shared_memory! {
    pub struct Consumers { pub parties: Handoff<1, 2, 64, 32> }
}

ptx::shared_memory! {
    pub struct Full { pub parties: Handoff<3, 2, 64, 64> }
}

ptx::shared_memory! {
    pub struct Empty { pub parties: Handoff<1, 15, 64, 64> }
}
