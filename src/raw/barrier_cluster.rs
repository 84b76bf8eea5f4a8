//! `barrier.cluster`: section 9.7.13.3.

legal! {
    /// `.sem` of `barrier.cluster.arrive`.
    BarrierClusterSem: "`{Self}` is no `.sem` of `barrier.cluster.arrive`: it takes `.release` or `.relaxed`"
    { sem::Release, sem::Relaxed }
    /// `.aligned`, or nothing.
    BarrierClusterAligned: "`{Self}` does not say whether a `barrier.cluster` is `.aligned`: it takes `Aligned` or `Unaligned`"
    { convergence::Aligned, convergence::Unaligned }
}

instruction! {
    /// Arrives at the barrier of the cluster, without waiting for threads of other warps.
    @unsafe fn barrier_cluster_arrive[Sem: BarrierClusterSem, AlignedQ: BarrierClusterAligned]();
    form: "barrier.cluster.arrive{.sem}{.aligned};";
    ptx: "barrier.cluster.arrive" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.3";
    convergent: convergent;
    # Safety
    "- the thread has not arrived yet since the barrier last completed."
    "- with `.aligned`: all threads of the warp execute this same instruction."
}

instruction! {
    /// Waits until all threads of the cluster that have not exited have arrived at its barrier.
    @unsafe fn barrier_cluster_wait[AlignedQ: BarrierClusterAligned]();
    form: "barrier.cluster.wait.acquire{.aligned};";
    ptx: "barrier.cluster.wait.acquire" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.3";
    convergent: convergent;
    # Safety
    "- the thread has arrived before with [`barrier_cluster_arrive`]."
    "- with `.aligned`: all threads of the warp execute this same instruction."
}
