//! A thread that has arrived must not arrive again: between an arrive and its wait no scope of the cluster is opened.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    cta.cluster(one, |cluster, one| {
        let arrived = cluster.arrive();
        let mut cluster = arrived.wait();
        cluster.cta_mut().cluster(two, |cluster, two| (cluster, two));
        (cluster, one)
    });
}

pub fn in_a_loan(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>, three: SharedArray<u32, 128>) {
    cta.cluster(one, |cluster, one| {
        let arrived = cluster.arrive();
        let mut cluster = arrived.wait();
        cluster.cta_mut().lend(two, |cta, two| {
            cta.cluster(three, |cluster, three| (cluster, three));
            two
        });
        (cluster, one)
    });
}
