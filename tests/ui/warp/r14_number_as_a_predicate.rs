//! A vote takes a predicate: compare the number first.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    let warp = cta.warp();
    let (all, any, uniform) = (warp.all(value), warp.any(value), warp.uniform(value));
    let large = warp.filter(value).map_or(0, |group| group.thread_rank());
    warp.ballot(value).count() + u32::from(all) + u32::from(any) + u32::from(uniform) + large
}
