//! Memory that threads may still read is released before a copy overwrites it, however the tile is copied.

use ptx::cache_policy::CachePolicy;
use ptx::cp_async;
use ptx::global::{Global, GlobalTile, Tail};
use ptx::launch::Cta;
use ptx::qualifier::prefetch_size;
use ptx::shared::{Published, Shared};

pub fn kernel<'s>(
    cta: &Cta,
    [a, b, c, d, e, f]: [Shared<'s, f32, 1024, Published>; 6],
    (src, tail, slice): (GlobalTile<f32, 1024>, Tail<f32>, Global<f32>),
) {
    #[cfg(not(fixed))]
    let _ = cp_async::load_prefetch(cta, a, src, prefetch_size::L2B128).wait_all(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load_cached(cta, b, src).wait_all(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load(cta, c, src.cache_hint(CachePolicy::evict_first())).wait_all(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load_where(cta, d, src, |i| i < 8).wait_all(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load_zero_filled(cta, e, tail).wait_all(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load_window(cta, f, slice.window(0)).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_prefetch(cta, a.release(cta), src, prefetch_size::L2B128).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_cached(cta, b.release(cta), src).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load(cta, c.release(cta), src.cache_hint(CachePolicy::evict_first())).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_where(cta, d.release(cta), src, |i| i < 8).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_zero_filled(cta, e.release(cta), tail).wait_all(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_window(cta, f.release(cta), slice.window(0)).wait_all(cta);
}
