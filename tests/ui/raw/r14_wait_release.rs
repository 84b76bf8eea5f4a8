//! `mbarrier.try_wait` acquires; the arrive releases.

use ptx::qualifier::{scope, sem, space, suspend_time_hint};
use ptx::raw;

pub fn kernel(bar: u32, state: u64) -> bool {
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(not(fixed))]
    unsafe {
        raw::mbarrier_try_wait(sem::Release, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None)
    }
    // SAFETY: the example assumes that `bar` is a valid mbarrier.
    #[cfg(fixed)]
    unsafe {
        raw::mbarrier_try_wait(sem::Acquire, scope::Cta, space::SharedCta, bar, state, suspend_time_hint::None)
    }
}
