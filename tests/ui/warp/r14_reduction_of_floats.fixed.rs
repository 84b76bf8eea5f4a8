//! `redux.sync` reduces integers of 32 bits.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: f32) {
    let warp = cta.warp();
    let _sum = [16, 8, 4, 2, 1].iter().fold(value, |sum, &lanes| sum + warp.shuffle_xor(sum, lanes));
    let bits = value.to_bits();
    let _ = warp.reduce_min(bits);
    let _ = warp.reduce_max(bits);
    let _ = warp.reduce_and(bits);
    let _ = warp.reduce_or(bits);
    let _ = warp.reduce_xor(bits);
}
