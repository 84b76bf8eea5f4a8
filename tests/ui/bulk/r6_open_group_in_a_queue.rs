//! A queue begins with a committed group.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, a: Shared<u32, 64, Fenced>, b: Shared<u32, 64, Fenced>, dst: ReduceTile<u32, 64>) {
    #[cfg(not(fixed))]
    let _queue = bulk::reduce(cta, op::Add, a, dst).then(cta, bulk::reduce(cta, op::Add, b, dst));
    #[cfg(fixed)]
    let _queue = bulk::reduce(cta, op::Add, a, dst).commit(cta).then(cta, bulk::reduce(cta, op::Add, b, dst));
}
