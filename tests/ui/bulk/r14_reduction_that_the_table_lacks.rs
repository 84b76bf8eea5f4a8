//! An element type has the bulk reductions that the table of 9.7.9.25.4.2 lists.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<f32, 64, Fenced>, dst: ReduceTile<f32, 64>) {
    #[cfg(not(fixed))]
    let (_part, _dst) = bulk::reduce(cta, op::Max, part, dst).commit(cta).wait(cta).sync(cta);
    #[cfg(fixed)]
    let (_part, _dst) = bulk::reduce(cta, op::Add, part, dst).commit(cta).wait(cta).sync(cta);
}
