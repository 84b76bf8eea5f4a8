//! A committed group takes no more copies, not by `and` either.

use ptx::bulk::{BulkGroup, Committed, Store, Uncommitted};
use ptx::group::Cta;
use ptx::shared::Fenced;

type Copy<'s> = Store<'s, f32, 64, Fenced>;

pub fn kernel<'s>(cta: &Cta, group: BulkGroup<Copy<'s>, Committed>, more: BulkGroup<Copy<'s>, Uncommitted>) {
    #[cfg(not(fixed))]
    let _ = group.and(more).commit(cta).wait(cta);
    #[cfg(fixed)]
    let _ = group.then(cta, more).wait(cta);
}
