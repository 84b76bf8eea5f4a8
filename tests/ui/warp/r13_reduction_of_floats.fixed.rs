//! `redux.sync` on floats needs `sm_100f`.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) -> f32 {
    let warp = cta.warp();
    let lanes = [16, 8, 4, 2, 1];
    let least = lanes.iter().fold(value, |least, &lanes| least.min(warp.shuffle_xor(least, lanes)));
    lanes.iter().fold(value, |most, &lanes| most.max(warp.shuffle_xor(most, lanes))) - least
}
