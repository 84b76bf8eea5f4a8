//! The lanes that are active now are a mask, not a group: they need not meet at the next instruction.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: u32) {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    if value > 3 {
        warp.ballot(true).sync();
    }
    #[cfg(fixed)]
    if let Some(large) = warp.filter(value > 3) {
        large.sync();
    }
}
