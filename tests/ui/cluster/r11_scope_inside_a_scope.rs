//! While an inner scope is open, the outer cluster is not used: a thread must not arrive twice at its barrier.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn of_the_same_cta(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    #[cfg(not(fixed))]
    cta.cluster_scope(one, |cluster, one| {
        let arrived = cluster.arrive();
        cta.cluster_scope(two, |cluster, two| (cluster, two));
        (arrived.wait(), one)
    });
    #[cfg(fixed)]
    cta.cluster_scope((one, two), |cluster, (one, two)| {
        let arrived = cluster.arrive();
        (arrived.wait(), (one, two))
    });
}

pub fn arrival_of_the_outer(cta: &mut Cta, one: SharedArray<u32, 128>, two: SharedArray<u32, 128>) {
    cta.cluster_scope(one, |mut cluster, one| {
        #[cfg(not(fixed))]
        let outer = &mut cluster;
        #[cfg(not(fixed))]
        outer.cta_mut().cluster_scope(two, |inner, two| {
            let arrived = inner.arrive();
            outer.sync();
            (arrived.wait(), two)
        });
        #[cfg(fixed)]
        cluster.cta_mut().cluster_scope(two, |inner, two| {
            let arrived = inner.arrive();
            let inner = arrived.wait();
            inner.sync();
            (inner, two)
        });
        (cluster, one)
    });
}
