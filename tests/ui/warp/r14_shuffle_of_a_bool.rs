//! Lanes exchange, compare and combine numbers, and arrays of them: of a `bool` not all bits are a value.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: bool) {
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
    let _ = warp.reduce(value, |a, b| a | b);
    let _ = warp.inclusive_scan(value, |a, b| a | b);
    let _ = warp.exclusive_scan(value, |a, b| a | b);
}
