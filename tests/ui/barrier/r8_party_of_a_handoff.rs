//! Each party of a hand-off is of whole warps.

use ptx::barrier::Handoff;

ptx::shared_memory! {
    pub struct Producers { pub parties: Handoff<1, 2, 48, 80> }
}

ptx::shared_memory! {
    pub struct Consumers { pub parties: Handoff<1, 2, 64, 0> }
}

ptx::shared_memory! {
    pub struct Full { pub parties: Handoff<0, 2, 64, 64> }
}

ptx::shared_memory! {
    pub struct Empty { pub parties: Handoff<1, 16, 64, 64> }
}
