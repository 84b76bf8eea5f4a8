//! Only an arrive makes its token.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, bar: Mbarrier<Ready>) {
    let _bar = bar.arrive(cta).wait(cta);
}
