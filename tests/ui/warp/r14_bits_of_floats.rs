//! `.and`, `.or` and `.xor` take integers only.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) {
    let warp = cta.warp();
    let _ = warp.reduce_and(value);
    let _ = warp.reduce_or(value);
    let _ = warp.reduce_xor(value);
}
