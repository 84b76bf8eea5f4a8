//! `redux.sync` adds integers of 32 bits.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let warp = cta.warp();
    warp.reduce_add(value)
}
