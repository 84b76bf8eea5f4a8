//! `mbarrier.try_wait` acquires; it is the arrive that releases.

use ptx::qualifier::{scope, sem, space, suspend_time_hint};
use ptx::raw;

pub fn kernel(bar: u32, state: u64) -> bool {
    // SAFETY: for the sake of the example, `bar` is a valid mbarrier.
    unsafe { raw::mbarrier_try_wait(sem::Release, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None) }
}
