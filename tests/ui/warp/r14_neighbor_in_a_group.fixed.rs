//! In a group by value, the adjacent lane may belong to another group.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, key: u32, value: u32) -> u32 {
    let warp = cta.warp();
    let below = warp.shuffle_up(value, 1).unwrap_or(key);
    let above = warp.shuffle_down(value, 1).unwrap_or(key);
    below + above + warp.shuffle_xor(value, 1)
}
