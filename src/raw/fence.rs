//! `fence`: section 9.7.13.4. `membar` is another spelling of `fence.sc` and `fence.proxy`.

legal! {
    /// `.sem` of `fence`.
    FenceSem: "`{Self}` is no `.sem` of `fence`: it takes `.sc`, `.acq_rel`, `.acquire` or `.release`"
    { sem::Sc, sem::AcqRel, sem::Acquire @ "8.6" on "sm_90", sem::Release @ "8.6" on "sm_90" }
    /// `.scope` of `fence`.
    FenceScope: "`{Self}` is no `.scope` of `fence`: it takes `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    /// The space of `fence.proxy.async`.
    ProxyAsyncSpace: "`{Self}` is no space of `fence.proxy.async`: it takes none, `.global`, `.shared::cta` or `.shared::cluster`"
    { space::All, space::Global, space::SharedCta, space::SharedCluster }
}

instruction! {
    /// Orders the memory accesses that the thread does before against those that it does after.
    fn fence[Sem: FenceSem, Scope: FenceScope]();
    form: "fence{.sem}{.scope};";
    ptx: "fence" .. ";";
    isa: "6.0", target: "sm_70", section: "9.7.13.4";
}

instruction! {
    /// `fence.acquire.cluster` for objects in `.shared::cluster` alone.
    fn fence_acquire_sync_restrict();
    form: "fence.acquire.sync_restrict::shared::cluster.cluster;";
    ptx: "fence.acquire.sync_restrict::shared::cluster.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// `fence.release.cluster` for objects in `.shared::cta` alone.
    fn fence_release_sync_restrict();
    form: "fence.release.sync_restrict::shared::cta.cluster;";
    ptx: "fence.release.sync_restrict::shared::cta.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Publishes the `mbarrier.init` operations that the executing thread did before to the cluster.
    fn fence_mbarrier_init();
    form: "fence.mbarrier_init.release.cluster;";
    ptx: "fence.mbarrier_init.release.cluster" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Orders accesses to one location through virtual addresses that alias, both ways.
    fn fence_proxy_alias();
    form: "fence.proxy.alias;";
    ptx: "fence.proxy.alias" .. ";";
    isa: "7.5", target: "sm_70", section: "9.7.13.4";
}

instruction! {
    /// Orders accesses of the generic proxy and of the async proxy to the given space, both ways.
    fn fence_proxy_async[Space: ProxyAsyncSpace]();
    form: "fence.proxy.async{.space};";
    ptx: "fence.proxy.async" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Releases what the generic proxy did before, for accesses of the tensormap proxy that acquire it.
    fn fence_proxy_tensormap_generic_release[Scope: FenceScope]();
    form: "fence.proxy.tensormap::generic.release{.scope};";
    ptx: "fence.proxy.tensormap::generic.release" .. ";";
    isa: "8.3", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Acquires for the tensormap proxy what was released of the 128 bytes at the generic address `addr`.
    @unsafe fn fence_proxy_tensormap_generic_acquire[Scope: FenceScope](addr: *const u8 = reg64);
    form: "fence.proxy.tensormap::generic.acquire{.scope} [addr], 128;";
    ptx: "fence.proxy.tensormap::generic.acquire" .. " [{addr}], 128;";
    isa: "8.3", target: "sm_90", section: "9.7.13.4";
    # Safety
    "- `addr` is the generic address of 128 bytes of global memory."
}

instruction! {
    /// [`fence_acquire_sync_restrict`] for accesses of the async proxy that follow generic ones.
    fn fence_proxy_async_generic_acquire_sync_restrict();
    form: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;";
    ptx: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// [`fence_release_sync_restrict`] for accesses of the async proxy that follow generic ones.
    fn fence_proxy_async_generic_release_sync_restrict();
    form: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;";
    ptx: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}
