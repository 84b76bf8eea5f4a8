//! A cache policy is passed in its tag, which gives the instruction its qualifier.

use ptx::qualifier::{cache_hint, evict};
use ptx::raw;

pub fn kernel(src: *const u8) {
    // SAFETY: the example assumes 16 bytes of global memory at `src`; the fraction is in (0, 1].
    unsafe {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        raw::cp_async_bulk_prefetch_global(src, 16, cache_hint::None);
        #[cfg(not(fixed))]
        raw::cp_async_bulk_prefetch_global(src, 16, policy);
        #[cfg(fixed)]
        raw::cp_async_bulk_prefetch_global(src, 16, cache_hint::Policy(policy));
    }
}
