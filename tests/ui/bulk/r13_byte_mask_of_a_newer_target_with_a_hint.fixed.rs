//! Byte masks need sm_100.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, dst: GlobalTileMut<u32, 64>) {
    let policy = ptx::cache_policy::CachePolicy::evict_first();
    let (_part, _dst) = bulk::store(cta, part, dst.cache_hint(policy)).commit(cta).wait(cta);
}
