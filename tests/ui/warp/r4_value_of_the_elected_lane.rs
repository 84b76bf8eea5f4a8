//! What an elected lane made the others have not: it has to be broadcast.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, mut ticket: impl FnMut() -> u32) -> u32 {
    cta.warp().invoke_elected(|| ticket())
}
