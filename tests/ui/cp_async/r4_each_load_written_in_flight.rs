//! A tile is writable only after the wait, however it is copied.

use ptx::cache_policy::CachePolicy;
use ptx::cp_async;
use ptx::global::{GlobalTile, Tail};
use ptx::launch::Cta;
use ptx::qualifier::prefetch_size;
use ptx::shared::{Free, Shared};

pub fn kernel<'s>(cta: &Cta, [a, b, c, d, e]: [Shared<'s, f32, 1024, Free>; 5], src: GlobalTile<f32, 1024>, tail: Tail<f32>) {
    let one = cp_async::load_prefetch(cta, a, src, prefetch_size::L2B128);
    let two = cp_async::load_cached(cta, b, src);
    let three = cp_async::load(cta, c, src.cache_hint(CachePolicy::evict_first()));
    let four = cp_async::load_where(cta, d, src, |i| i < 8);
    let five = cp_async::load_zero_filled(cta, e, tail);
    #[cfg(not(fixed))]
    let _a = a.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _b = b.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _c = c.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _d = d.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _e = e.write(cta, |_| 0.0);
    #[cfg(not(fixed))]
    let _ = one.and(two).and(three).and(four).and(five).commit(cta).wait(cta);
    #[cfg(fixed)]
    let (loads, (e, _)) = one.and(two).and(three).and(four).and(five).commit(cta).wait(cta);
    #[cfg(fixed)]
    let ((((a, _), (b, _)), (c, _)), (d, _)) = loads;
    #[cfg(fixed)]
    for tile in [a, b, c, d, e] {
        let _tile = tile.update(cta, |_, _| 0.0);
    }
}
