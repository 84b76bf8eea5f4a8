//! A group is committed once.

use ptx::bulk::Uncommitted;
use ptx::cp_async::{CpAsyncGroup, CpAsyncLoad};
use ptx::global::GlobalTile;
use ptx::group::Cta;

type Copy<'s> = CpAsyncLoad<'s, f32, 64, GlobalTile<f32, 64>>;

pub fn kernel<'s>(cta: &Cta, group: CpAsyncGroup<Copy<'s>, Uncommitted>) {
    #[cfg(not(fixed))]
    let _ = group.commit(cta).commit(cta).wait().sync(cta);
    #[cfg(fixed)]
    let _ = group.commit(cta).wait().sync(cta);
}
