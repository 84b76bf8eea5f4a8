//! A committed group takes no more copies, not by `and` either.

use ptx::bulk::{BulkGroup, Committed, Uncommitted, Store};
use ptx::launch::Cta;
use ptx::shared::Fenced;

type Copy<'s> = Store<'s, f32, 64, Fenced>;

pub fn kernel<'s>(cta: &Cta, group: BulkGroup<Copy<'s>, Committed>, more: BulkGroup<Copy<'s>, Uncommitted>) {
    let _ = group.then(cta, more).wait(cta);
}
