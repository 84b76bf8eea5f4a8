//! A segment is of neighboring lanes, which a group by value does not have.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, key: u32, value: u32) -> u32 {
    let warp = cta.warp();
    let is_head = warp.shuffle_up(key, 1) != Some(key);
    #[cfg(not(fixed))]
    {
        let same = warp.partition_by(key);
        let upto = same.segmented_scan(value, is_head, |a, b| a + b);
        upto + same.segmented_reduce(value, is_head, |a, b| a + b)
    }
    #[cfg(fixed)]
    {
        let upto = warp.segmented_scan(value, is_head, |a, b| a + b);
        upto + warp.segmented_reduce(value, is_head, |a, b| a + b)
    }
}
