//! `fence`: section 9.7.13.4.

legal! {
    /// The space of `fence.proxy.async`.
    ProxyAsyncSpace: "`{Self}` is no space of `fence.proxy.async`: it takes none, `.global`, `.shared::cta` or `.shared::cluster`"
    { space::All, space::Global, space::SharedCta, space::SharedCluster }
}

instruction! {
    /// Orders accesses of the generic proxy and of the async proxy to the given space, both ways.
    fn fence_proxy_async[
        Space: ProxyAsyncSpace { space::All, space::Global, space::SharedCta, space::SharedCluster },
    ]();
    form: "fence.proxy.async{.space};";
    ptx: "fence.proxy.async" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Publishes the `mbarrier.init` operations that the executing thread did before to the cluster.
    fn fence_mbarrier_init();
    form: "fence.mbarrier_init.release.cluster;";
    ptx: "fence.mbarrier_init.release.cluster" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}
