//! Two groups are joined while both are open: a committed group is closed.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, a: Shared<u32, 64, Fenced>, b: Shared<u32, 64, Fenced>, sums: ReduceTile<u32, 64>) {
    let group = bulk::reduce(cta, op::Add, a, sums);
    #[cfg(not(fixed))]
    let more = bulk::reduce(cta, op::Add, b, sums).commit(cta);
    #[cfg(fixed)]
    let more = bulk::reduce(cta, op::Add, b, sums);
    let ((_a, _), (_b, _)) = group.and(more).commit(cta).wait(cta).sync(cta);
}
