//! A vote takes a predicate: compare the number first.

use ptx::group::Cta;

pub fn kernel(cta: &Cta, value: u32) -> u32 {
    let warp = cta.warp();
    #[cfg(not(fixed))]
    {
        let (all, any, uniform) = (warp.all(value), warp.any(value), warp.uniform(value));
        let large = warp.filter(value).map_or(0, |group| group.thread_rank());
        warp.ballot(value).count() + u32::from(all) + u32::from(any) + u32::from(uniform) + large
    }
    #[cfg(fixed)]
    {
        let (all, any, uniform) = (warp.all(value > 0), warp.any(value > 0), warp.uniform(value > 0));
        let large = warp.filter(value > 9).map_or(0, |group| group.thread_rank());
        warp.ballot(value > 0).count() + u32::from(all) + u32::from(any) + u32::from(uniform) + large
    }
}
