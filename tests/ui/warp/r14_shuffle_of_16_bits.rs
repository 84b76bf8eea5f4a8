//! Lanes exchange and compare values of 32 or 64 bits.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: u16) {
    let warp = cta.warp();
    #[cfg(fixed)]
    let value = u32::from(value);
    let _ = warp.shuffle(value, 0);
    let _ = warp.shuffle_up(value, 1);
    let _ = warp.shuffle_down(value, 1);
    let _ = warp.shuffle_xor(value, 1);
    let _ = warp.match_any(value);
    let _ = warp.match_all(value);
    let _ = warp.partition_by(value);
}
