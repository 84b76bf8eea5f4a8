//! An mbarrier expects exactly the bytes of the copies that are started on it.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _bar = bar.arrive(cta).wait(cta);
}
