//! Between an arrive and its wait no scope of the cluster is opened: the scope would arrive again.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    cta.cluster_scope(one, |cluster, one| {
        let arrived = cluster.arrive();
        #[cfg(not(fixed))]
        {
            arrived.cta().cluster(two, |cluster, two| (cluster, two));
            (arrived.wait(), one)
        }
        #[cfg(fixed)]
        {
            let mut cluster = arrived.wait();
            cluster.cta_mut().cluster_scope(two, |cluster, two| (cluster, two));
            (cluster, one)
        }
    });
}

#[cfg(not(fixed))]
pub fn in_a_loan(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    cta.cluster_scope(one, |cluster, one| {
        let arrived = cluster.arrive();
        arrived.cta().async_scope(two, |_, two| two);
        (arrived.wait(), one)
    });
}

#[cfg(fixed)]
pub fn in_a_loan(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>, three: SharedArray<u32, 128>) {
    cta.cluster_scope(one, |cluster, one| {
        let arrived = cluster.arrive();
        let mut cluster = arrived.wait();
        cluster.cta_mut().async_scope(two, |cta, two| {
            cta.cluster_scope(three, |cluster, three| (cluster, three));
            two
        });
        (cluster, one)
    });
}
