//! The handle of an mbarrier comes from the memory that the kernel declares.

use core::marker::PhantomData;

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

#[cfg(fixed)]
ptx::shared_memory! {
    struct Smem { bar: Mbarrier<Uninit> }
}

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta) {
    let bar = Mbarrier { addr: 0, phase: Uninit(()), _thread: PhantomData };
    let _bar = bar.init(cta);
}

#[cfg(fixed)]
pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    let _bar = smem.bar.init(&cta);
}
