//! `redux.sync` reduces integers of 32 bits.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) {
    let warp = cta.warp();
    let _ = warp.reduce_add(value);
    let _ = warp.reduce_min(value);
    let _ = warp.reduce_max(value);
    let _ = warp.reduce_and(value);
    let _ = warp.reduce_or(value);
    let _ = warp.reduce_xor(value);
}
