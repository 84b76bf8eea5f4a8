//! A cache policy stands in its tag, so that the instruction has its qualifier.

use ptx::qualifier::{cache_hint, evict};
use ptx::raw;

pub fn kernel(src: *const u8) {
    // SAFETY: for the sake of the example, 16 bytes of global memory are at `src`; the fraction is in range.
    unsafe {
        let policy = raw::createpolicy_fractional(evict::First, evict::Unchanged, 1.0);
        raw::cp_async_bulk_prefetch_global(src, 16, cache_hint::None);
        raw::cp_async_bulk_prefetch_global(src, 16, policy);
    }
}
