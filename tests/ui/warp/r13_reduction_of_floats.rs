//! `redux.sync` on floats needs `sm_100f`.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let warp = cta.warp();
    let least = warp.reduce_min_f32(ptx::qualifier::abs::Signed, ptx::qualifier::nan::Ignore, value);
    warp.reduce_max_f32(ptx::qualifier::abs::Signed, ptx::qualifier::nan::Ignore, value) - least
}
