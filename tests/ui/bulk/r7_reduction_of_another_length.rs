//! A reduction and its source have the same length.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, long: ReduceTile<u32, 128>, dst: ReduceTile<u32, 64>) {
    #[cfg(not(fixed))]
    let _dst = dst;
    #[cfg(not(fixed))]
    let (_part, _dst) = bulk::reduce(cta, op::Add, part, long).commit(cta).wait(cta).sync(cta);
    #[cfg(fixed)]
    let _long = long;
    #[cfg(fixed)]
    let (_part, _dst) = bulk::reduce(cta, op::Add, part, dst).commit(cta).wait(cta).sync(cta);
}
