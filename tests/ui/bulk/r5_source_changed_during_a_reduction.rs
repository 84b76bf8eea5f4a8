//! The source of a reduction is writable only after its wait.

use ptx::bulk::{self, ReduceTile};
use ptx::launch::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, part: Shared<u32, 64, Fenced>, dst: ReduceTile<u32, 64>) {
    let group = bulk::reduce(cta, op::Add, part, dst).commit(cta);
    #[cfg(fixed)]
    let (part, _dst) = group.wait_read(cta);
    let _next = part.into_free().write(cta, |i| i as u32);
    #[cfg(not(fixed))]
    let (_part, _dst) = group.wait_read(cta);
}
