//! Only the calls that commit and queue copies make groups in flight and their order.

use ptx::async_group::InFlight;
use ptx::bulk::{BulkGroup, Committed, Store, Uncommitted};
use ptx::group::Cta;
use ptx::shared::Fenced;

type Copy<'s> = Store<'s, f32, 64, Fenced>;

#[cfg(not(fixed))]
pub fn group<'s>(group: BulkGroup<Copy<'s>, Uncommitted>) -> BulkGroup<Copy<'s>, Committed> {
    BulkGroup::new(group.into_copies())
}

#[cfg(fixed)]
pub fn group<'s>(cta: &Cta, group: BulkGroup<Copy<'s>, Uncommitted>) -> BulkGroup<Copy<'s>, Committed> {
    group.commit(cta)
}

#[cfg(not(fixed))]
pub fn queue<'s>(
    older: BulkGroup<Copy<'s>, Committed>,
    newest: BulkGroup<Copy<'s>, Committed>,
) -> InFlight<BulkGroup<Copy<'s>, Committed>, BulkGroup<Copy<'s>, Committed>> {
    InFlight::new(older, newest)
}

#[cfg(fixed)]
pub fn queue<'s>(
    cta: &Cta,
    older: BulkGroup<Copy<'s>, Committed>,
    newest: BulkGroup<Copy<'s>, Uncommitted>,
) -> InFlight<BulkGroup<Copy<'s>, Committed>, BulkGroup<Copy<'s>, Committed>> {
    older.then(cta, newest)
}
