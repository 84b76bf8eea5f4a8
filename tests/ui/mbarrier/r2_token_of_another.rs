//! A token cannot wait on another mbarrier: the mbarrier's handle holds the token.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, one: Mbarrier<Ready>, other: Mbarrier<Ready>) {
    let one = one.arrive(cta);
    #[cfg(not(fixed))]
    let _other = other.wait(cta);
    #[cfg(not(fixed))]
    let _one = one.wait(cta);
    #[cfg(fixed)]
    let other = other.arrive(cta);
    #[cfg(fixed)]
    let (_one, _other) = (one.wait(cta), other.wait(cta));
}
