//! The wait for the oldest group returns its sources, not those of the newer groups.

use ptx::bulk::{self, ReduceTile};
use ptx::launch::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, a: Shared<u32, 64, Fenced>, b: Shared<u32, 64, Fenced>, dst: ReduceTile<u32, 64>) {
    let queue = bulk::reduce(cta, op::Add, a, dst).commit(cta).then(cta, bulk::reduce(cta, op::Add, b, dst));
    let (_a, _writing, newer) = queue.wait_read_oldest(cta);
    #[cfg(fixed)]
    let (b, _dst) = newer.wait_read(cta);
    let _next = b.into_free().write(cta, |i| i as u32);
    #[cfg(not(fixed))]
    let (_b, _dst) = newer.wait_read(cta);
}
