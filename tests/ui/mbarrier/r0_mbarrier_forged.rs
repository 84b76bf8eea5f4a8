//! The handle of an mbarrier comes from the memory that the kernel declares.

use core::marker::PhantomData;

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn kernel(cta: &Cta) {
    let bar = Mbarrier { addr: 0, phase: Uninit(()), _thread: PhantomData };
    let _bar = bar.init(cta);
}
