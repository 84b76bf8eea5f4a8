//! `tcgen05.wait`, `tcgen05.fence`, `tcgen05.commit`: the completion and the order of `tcgen05` (`cute::tmem_load_wait`,
//! `cutlass::arch::umma_arrive` …; PTX ISA 9.7.16.8.5, 9.7.16.11, 9.7.16.12).
//!
//! Without rows are the forms of `tcgen05.commit` that sm_107f alone has.

legal! {
    /// `.wait_operation` of `tcgen05.wait`.
    Tcgen05WaitOperation: "`{Self}` is not an operation that `tcgen05.wait` waits for: use `wait::Ld` or `wait::St`"
    { wait::Ld, wait::St }
    /// The side of a synchronization that a `tcgen05.fence` is on.
    Tcgen05FenceSide: "`{Self}` is not a side of a synchronization: use `thread_sync::Before` or `thread_sync::After`"
    { thread_sync::Before, thread_sync::After }
    /// The space of `mbar`.
    Tcgen05CommitSpace(AddressSpace): "`{Self}` is not a space of `tcgen05.commit`: use `space::SharedCluster` or, for a generic address, `space::All`"
    { space::SharedCluster, space::All }
    /// `.multicast` of `tcgen05.commit`, and its `ctaMask`.
    Tcgen05CommitMulticast: "`{Self}` is not a `.multicast` of `tcgen05.commit`: use `multicast::None` or `multicast::Cluster`"
    { multicast::None, multicast::Cluster(cta_mask in mask) }
}

instruction! {
    /// Waits until the thread's earlier [`tcgen05_ld_32x32b`](super::tcgen05_ld_32x32b) and its like, or
    /// [`tcgen05_st_32x32b`](super::tcgen05_st_32x32b) and its like, have completed.
    @unsafe fn tcgen05_wait[Operation: Tcgen05WaitOperation]();
    form: "tcgen05.wait{.wait_operation}.sync.aligned;";
    ptx: "tcgen05.wait" .. ".sync.aligned;";
    isa: "8.6", target: "sm_100", section: "9.7.16.8.5";
    gate: tcgen05;
    convergent: convergent;
    # Safety
    "- All 32 threads of the warp execute this same instruction together, and none has exited."
}
instruction! {
    /// Orders the `tcgen05` instructions on one side of a synchronization between threads against it.
    fn tcgen05_fence[Side: Tcgen05FenceSide]();
    form: "tcgen05.fence{::thread_sync};";
    ptx: "tcgen05.fence" .. ";";
    isa: "8.6", target: "sm_100", section: "9.7.16.11.1";
    gate: tcgen05;
}
instruction! {
    /// Lets an mbarrier track the thread's earlier `tcgen05.mma`, `tcgen05.cp` and `tcgen05.shift` with the same `.cta_group`: when
    /// all have completed, one arrival follows. Includes a [`tcgen05_fence`] before the synchronization.
    @unsafe fn tcgen05_commit[
        CtaGroup: Tcgen05CtaGroup, Space: Tcgen05CommitSpace after ".mbarrier::arrive::one", ?Multicast: Tcgen05CommitMulticast,
    ](mbar: Space::Address = address);
    form: "tcgen05.commit{.cta_group}.mbarrier::arrive::one{.space}{.multicast}.b64 [mbar]{, ctaMask};";
    ptx: "tcgen05.commit" .. ".b64 [{mbar}]" .. ";";
    isa: "8.6", target: "sm_100", section: "9.7.16.12.1";
    gate: tcgen05;
    # Safety
    "- `mbar` is the address, in the given space, of a valid mbarrier in shared memory of the cluster. With `.multicast`, each CTA of the \
        set has one at the same offset."
    "- The mbarriers stay valid until the arrivals have been made."
    "- All `tcgen05` instructions of a kernel have the same `.cta_group`."
}
