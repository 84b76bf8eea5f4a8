//! `.and`, `.or` and `.xor` take integers only.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: f32) {
    let warp = cta.warp();
    #[cfg(fixed)]
    let value = value.to_bits();
    let _ = warp.reduce_and(value);
    let _ = warp.reduce_or(value);
    let _ = warp.reduce_xor(value);
}
