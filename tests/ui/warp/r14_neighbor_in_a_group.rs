//! In a group by value, the adjacent lane may belong to another group.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, key: u32, value: u32) -> u32 {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    {
        let same = warp.partition_by(key);
        let below = same.shuffle_up(value, 1).unwrap_or(same.thread_rank());
        let above = same.shuffle_down(value, 1).unwrap_or(same.thread_rank());
        below + above + same.shuffle_xor(value, 1)
    }
    #[cfg(fixed)]
    {
        let below = warp.shuffle_up(value, 1).unwrap_or(key);
        let above = warp.shuffle_down(value, 1).unwrap_or(key);
        below + above + warp.shuffle_xor(value, 1)
    }
}
