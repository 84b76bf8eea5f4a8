//! The lanes that are active now are a mask, no group: they need not meet in the next instruction.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) {
    let warp = cta.warp();
    if let Some(large) = warp.filter(value > 3) {
        large.sync();
    }
}
