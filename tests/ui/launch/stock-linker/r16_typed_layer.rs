//! Safe code relies on a barrier of all threads, and without `ptx-link` LLVM may copy that barrier into the arms of a branch.

use ptx::launch::Cta;

ptx::shared_memory! {
    struct Smem {
        counts: [u32; 32],
    }
}

pub fn sum(cta: &Cta) {
    cta.sync();
}
