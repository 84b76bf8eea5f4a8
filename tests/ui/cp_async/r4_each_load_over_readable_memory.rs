//! Memory that threads may still read is released before a copy overwrites it, however the tile is copied.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cp_async;
use ptx::global::{Global, GlobalTile};
use ptx::group::Cta;
use ptx::shared::{Published, Shared};

pub fn kernel<'s>(
    cta: &Cta,
    [a, b]: [Shared<'s, f32, 1024, Published>; 2],
    (src, slice): (GlobalTile<f32, 1024>, Global<f32>),
) {
    #[cfg(not(fixed))]
    let _ = cp_async::load(cta, a, src.cache_hint(CachePolicy::evict_first())).commit(cta).wait().sync(cta);
    #[cfg(not(fixed))]
    let _ = cp_async::load_window(cta, b, slice.window(0)).commit(cta).wait().sync(cta);
    #[cfg(fixed)]
    let _ = cp_async::load(cta, a.release().sync(cta), src.cache_hint(CachePolicy::evict_first()))
        .commit(cta)
        .wait()
        .sync(cta);
    #[cfg(fixed)]
    let _ = cp_async::load_window(cta, b.release().sync(cta), slice.window(0)).commit(cta).wait().sync(cta);
}
