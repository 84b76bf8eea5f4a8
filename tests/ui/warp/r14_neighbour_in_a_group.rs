//! In a group by value the lane below may be another group's.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, key: u32, value: u32) -> u32 {
    let warp = cta.warp();
    let same = warp.partition_by(key);
    same.shuffle_up(value, 1).unwrap_or(same.rank())
}
