//! Only the calls that commit and queue copies make groups in flight and their order.

use ptx::async_group::InFlight;
use ptx::bulk::{BulkGroup, Committed, Uncommitted, Store};
use ptx::shared::Fenced;

type Copy<'s> = Store<'s, f32, 64, Fenced>;

pub fn group<'s>(group: BulkGroup<Copy<'s>, Uncommitted>) -> BulkGroup<Copy<'s>, Committed> {
    BulkGroup::new(group.into_copies())
}

pub fn queue<'s>(
    older: BulkGroup<Copy<'s>, Committed>,
    newest: BulkGroup<Copy<'s>, Committed>,
) -> InFlight<BulkGroup<Copy<'s>, Committed>, BulkGroup<Copy<'s>, Committed>> {
    InFlight::new(older, newest)
}
