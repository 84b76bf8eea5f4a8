//! A cluster has one barrier, and so one scope at a time: a thread that has arrived must not arrive again.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    cta.cluster(one, |cluster, one| {
        let arrived = cluster.arrive();
        cta.cluster(two, |cluster, two| (cluster, two));
        (arrived.wait(), one)
    });
}
