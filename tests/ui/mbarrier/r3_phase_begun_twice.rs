//! One arrival begins a phase, after `init` and after the wait for the phase before.

use ptx::group::Cta;
use ptx::mbarrier::{Arrived, Mbarrier, PartlyArrived, Uninit};

pub fn early(cta: &Cta, bar: Mbarrier<PartlyArrived, 4>, other: Mbarrier<PartlyArrived, 4>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive_no_complete::<1>(cta);
    #[cfg(not(fixed))]
    let _other = other.arrive_drop::<1>(cta);
    #[cfg(fixed)]
    let _bar = bar.arrive(cta).wait(cta).arrive_no_complete::<1>(cta);
    #[cfg(fixed)]
    let _other = other.arrive(cta).wait(cta).arrive_drop::<1>(cta);
}

pub fn arrived(cta: &Cta, bar: Mbarrier<Arrived, 4>, other: Mbarrier<Uninit, 4>) {
    #[cfg(not(fixed))]
    let _bar = bar.arrive_no_complete::<1>(cta);
    #[cfg(not(fixed))]
    let _other = other.arrive_drop::<1>(cta);
    #[cfg(fixed)]
    let _bar = bar.wait(cta).arrive_no_complete::<1>(cta);
    #[cfg(fixed)]
    let _other = other.init(cta).sync(cta).arrive_drop::<1>(cta);
}
