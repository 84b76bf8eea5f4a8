//! `redux.sync` on floats needs `sm_100f`.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    {
        let least = warp.reduce_min_f32(ptx::qualifier::abs::Signed, ptx::qualifier::nan::Ignore, value);
        warp.reduce_max_f32(ptx::qualifier::abs::Signed, ptx::qualifier::nan::Ignore, value) - least
    }
    #[cfg(fixed)]
    {
        let lanes = [16, 8, 4, 2, 1];
        let least = lanes.iter().fold(value, |least, &lanes| least.min(warp.shuffle_xor(least, lanes)));
        lanes.iter().fold(value, |most, &lanes| most.max(warp.shuffle_xor(most, lanes))) - least
    }
}
