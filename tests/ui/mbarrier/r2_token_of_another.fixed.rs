//! A token cannot wait on another mbarrier: the mbarrier's handle holds the token.

use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn kernel(cta: &Cta, one: Mbarrier<Ready>, other: Mbarrier<Ready>) {
    let one = one.arrive(cta);
    let other = other.arrive(cta);
    let (_one, _other) = (one.wait(cta), other.wait(cta));
}
