//! A reduction takes an operation of `qualifier::op`.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::{op, sem};
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, dst: ReduceTile<u32, 64>) {
    #[cfg(not(fixed))]
    let _op = op::Add;
    #[cfg(not(fixed))]
    let (_part, _dst) = bulk::reduce(cta, sem::Release, part, dst).commit(cta).wait(cta).sync(cta);
    #[cfg(fixed)]
    let _order = sem::Release;
    #[cfg(fixed)]
    let (_part, _dst) = bulk::reduce(cta, op::Add, part, dst).commit(cta).wait(cta).sync(cta);
}
