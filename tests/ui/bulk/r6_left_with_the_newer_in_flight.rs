//! The oldest group of a queue is complete; the newer group is in flight and keeps its source.

use ptx::bulk::{self, ReduceTile};
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, a: SharedArray<u32, 64>, b: SharedArray<u32, 64>, sums: ReduceTile<u32, 64>) {
    cta.async_scope((a, b), |cta, (a, b)| {
        let (a, b) = (a.write(cta, |_| 1).to_async().sync(cta), b.write(cta, |_| 2).to_async().sync(cta));
        let queue = bulk::reduce(cta, op::Add, a, sums).commit(cta);
        let queue = queue.then(cta, bulk::reduce(cta, op::Add, b, sums));
        let ((a, _), newer) = queue.wait_oldest(cta).sync(cta);
        #[cfg(not(fixed))]
        {
            (a.into_free(), newer)
        }
        #[cfg(fixed)]
        {
            let (b, _) = newer.wait(cta).sync(cta);
            (a.into_free(), b.into_free())
        }
    });
}
