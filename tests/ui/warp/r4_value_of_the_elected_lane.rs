//! A value of the elected lane is not known to the other lanes: broadcast it.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mut ticket: impl FnMut() -> u32) -> u32 {
    #[cfg(not(fixed))]
    {
        cta.warp().invoke_elected(|| ticket())
    }
    #[cfg(fixed)]
    {
        cta.warp().invoke_elected_broadcast(|| ticket())
    }
}
