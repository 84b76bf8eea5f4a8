//! A barrier comes from the memory that the kernel declares, which has each barrier number once.

use core::marker::PhantomData;

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;

pub fn kernel(cta: &Cta) {
    let half: NamedBarrier<1, 64> = NamedBarrier { _thread: PhantomData };
    half.sync(&cta.warp());
}
