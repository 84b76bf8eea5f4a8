//! The handle of an mbarrier comes from the memory that the kernel declares.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

ptx::shared_memory! {
    struct Smem { bar: Mbarrier<Uninit> }
}

pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let _bar = smem.bar.init(&cta);
}
