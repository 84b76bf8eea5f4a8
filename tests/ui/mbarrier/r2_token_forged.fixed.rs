//! The token of an arrive comes from an arrive.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _bar = bar.arrive(cta).wait(cta);
}
