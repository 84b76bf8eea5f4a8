//! A value of the elected lane is not known to the other lanes: let a lane with a known rank make it, and read it from there.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, mut ticket: impl FnMut() -> u32) -> u32 {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    {
        warp.invoke_elected(|| ticket())
    }
    #[cfg(fixed)]
    {
        warp.shuffle(if warp.thread_rank() == 0 { ticket() } else { 0 }, 0)
    }
}
