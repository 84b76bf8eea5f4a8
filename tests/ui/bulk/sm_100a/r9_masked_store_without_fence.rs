//! A byte mask is no proxy fence: stores of threads are fenced before a copy reads them.

use ptx::bulk;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::mask::ByteMask;
use ptx::shared::{Shared, Written};

pub fn kernel<'s>(cta: &Cta, [one, other]: [Shared<'s, f32, 1024, Written>; 2], [first, second]: [GlobalTileMut<f32, 1024>; 2]) {
    let (even, policy) = (ByteMask::from_bits_retain(0x5555), CachePolicy::evict_last());
    #[cfg(not(fixed))]
    let stores = bulk::store_masked(cta, one, first, even);
    #[cfg(not(fixed))]
    let more = bulk::store_masked(cta, other, second.cache_hint(policy), even);
    #[cfg(fixed)]
    let stores = bulk::store_masked(cta, one.to_async().sync(cta), first, even);
    #[cfg(fixed)]
    let more = bulk::store_masked(cta, other.to_async().sync(cta), second.cache_hint(policy), even);
    let _ = stores.and(more).commit(cta).wait(cta).sync(cta);
}
