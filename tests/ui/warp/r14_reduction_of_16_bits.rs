//! Lanes reduce and scan numbers of 32 or 64 bits.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: u16) {
    let warp = cta.warp();
    #[cfg(fixed)]
    let value = u32::from(value);
    let _ = warp.reduce_add(value);
    let _ = warp.reduce_min(value);
    let _ = warp.reduce_max(value);
    let _ = warp.reduce(value, |a, b| a * b);
    let _ = warp.inclusive_scan(value, |a, b| a * b);
    let _ = warp.exclusive_scan(value, |a, b| a * b);
    let _ = warp.inclusive_sum(value);
    let _ = warp.exclusive_sum(value);
}
