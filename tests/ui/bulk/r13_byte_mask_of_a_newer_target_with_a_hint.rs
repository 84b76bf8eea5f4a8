//! Byte masks need sm_100.

use ptx::bulk;
use ptx::cache_policy::CacheHint;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, dst: GlobalTileMut<u32, 64>) {
    #[cfg(not(fixed))]
    let (low, policy) = (ptx::mask::ByteMask::from_bits_retain(0x3333), ptx::cache_policy::CachePolicy::evict_first());
    #[cfg(not(fixed))]
    let (_part, _dst) = bulk::store_masked(cta, part, dst.cache_hint(policy), low).commit(cta).wait(cta).sync(cta);
    #[cfg(fixed)]
    let policy = ptx::cache_policy::CachePolicy::evict_first();
    #[cfg(fixed)]
    let (_part, _dst) = bulk::store(cta, part, dst.cache_hint(policy)).commit(cta).wait(cta).sync(cta);
}
