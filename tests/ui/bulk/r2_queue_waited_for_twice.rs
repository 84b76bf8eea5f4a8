//! A wait for the oldest group returns a queue of the newer groups: the older queue is gone.

use ptx::bulk::{self, ReduceTile};
use ptx::launch::Cta;
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn kernel(cta: &Cta, a: Shared<u32, 64, Fenced>, b: Shared<u32, 64, Fenced>, sums: ReduceTile<u32, 64>) {
    let queue = bulk::reduce(cta, op::Add, a, sums).commit(cta);
    let queue = queue.then(cta, bulk::reduce(cta, op::Add, b, sums));
    #[cfg(not(fixed))]
    let ((_a, _), _newer) = queue.wait_oldest(cta);
    #[cfg(not(fixed))]
    let ((_b, _), _newer) = queue.wait_oldest(cta);
    #[cfg(fixed)]
    let ((_a, _), newer) = queue.wait_oldest(cta);
    #[cfg(fixed)]
    let (_b, _) = newer.wait(cta);
}
