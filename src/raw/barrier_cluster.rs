//! The barrier of a cluster (cooperative groups: `cluster_group::sync()`): `barrier.cluster` (PTX ISA 9.7.13.3).

legal! {
    BarrierClusterSem: "`{Self}` is not a `.sem` of `barrier.cluster.arrive`: use `.release` or `.relaxed`"
    { sem::Release, sem::Relaxed }
    /// `.aligned`, or nothing.
    BarrierClusterAligned: "`{Self}` does not say whether a `barrier.cluster` is `.aligned`: use `convergence::Aligned` or `convergence::Unaligned`"
    { convergence::Aligned, convergence::Unaligned }
}

instruction! {
    /// Arrives at the barrier of the cluster, and does not wait for threads of other warps.
    @unsafe fn barrier_cluster_arrive[Sem: BarrierClusterSem, AlignedQ: BarrierClusterAligned]();
    form: "barrier.cluster.arrive{.sem}{.aligned};";
    ptx: "barrier.cluster.arrive" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.3";
    convergent: convergent;
    # Safety
    "- The thread has not arrived since the barrier last completed."
    "- With `.aligned`, all threads of the warp execute this same instruction."
}

instruction! {
    /// Waits until all threads of the cluster that have not exited have arrived at the barrier of the cluster.
    @unsafe fn barrier_cluster_wait[AlignedQ: BarrierClusterAligned]();
    form: "barrier.cluster.wait.acquire{.aligned};";
    ptx: "barrier.cluster.wait.acquire" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.3";
    convergent: convergent;
    # Safety
    "- The thread has arrived before, by [`barrier_cluster_arrive`]."
    "- With `.aligned`, all threads of the warp execute this same instruction."
}
