//! Memory fences (`__threadfence()`) and proxy fences: `fence` (PTX ISA 9.7.13.4). `membar` is another spelling of `fence.sc` and
//! `fence.proxy`.

legal! {
    FenceSem: "`{Self}` is not a `.sem` of `fence`: use `.sc`, `.acq_rel`, `.acquire` or `.release`"
    { sem::Sc, sem::AcqRel, sem::Acquire @ "8.6" on "sm_90", sem::Release @ "8.6" on "sm_90" }
    FenceScope: "`{Self}` is not a `.scope` of `fence`: use `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys }
    /// The proxies of `fence.proxy.….alias`.
    FabricProxies: "`{Self}` is not a pair of proxies of `fence.proxy.….alias`: use a pair of `qualifier::fabric_proxies`"
    { fabric_proxies::GenericFabric, fabric_proxies::FabricGeneric, fabric_proxies::FabricFabric }
    /// The space of `fence.proxy.async`.
    ProxyAsyncSpace: "`{Self}` is not a space of `fence.proxy.async`: use `.global`, `.shared::cta`, `.shared::cluster` or `space::All` (all spaces)"
    { space::All, space::Global, space::SharedCta, space::SharedCluster }
}

instruction! {
    /// Orders the earlier memory accesses of the thread before its later ones, as the threads of `Scope` observe them.
    fn fence[Sem: FenceSem, Scope: FenceScope]();
    form: "fence{.sem}{.scope};";
    ptx: "fence" .. ";";
    isa: "6.0", target: "sm_70", section: "9.7.13.4";
}

instruction! {
    /// Fences as [`fence`] with `.acquire` and `.cluster` does, but only for objects in `.shared::cluster`.
    fn fence_acquire_sync_restrict();
    form: "fence.acquire.sync_restrict::shared::cluster.cluster;";
    ptx: "fence.acquire.sync_restrict::shared::cluster.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Fences as [`fence`] with `.release` and `.cluster` does, but only for objects in `.shared::cta`.
    fn fence_release_sync_restrict();
    form: "fence.release.sync_restrict::shared::cta.cluster;";
    ptx: "fence.release.sync_restrict::shared::cta.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Publishes the earlier `mbarrier.init` operations of the executing thread to the cluster.
    fn fence_mbarrier_init();
    form: "fence.mbarrier_init.release.cluster;";
    ptx: "fence.mbarrier_init.release.cluster" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Orders accesses to one memory location through different virtual addresses (aliases), in both directions.
    fn fence_proxy_alias();
    form: "fence.proxy.alias;";
    ptx: "fence.proxy.alias" .. ";";
    isa: "7.5", target: "sm_70", section: "9.7.13.4";
}

instruction! {
    /// Orders accesses of the generic proxy (ordinary loads and stores) and of the async proxy (bulk copies) to objects in
    /// `Space`, in both directions.
    fn fence_proxy_async[Space: ProxyAsyncSpace]();
    form: "fence.proxy.async{.space};";
    ptx: "fence.proxy.async" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Releases the earlier accesses of the generic proxy to the tensormap proxy. The counterpart is
    /// [`fence_proxy_tensormap_generic_acquire`].
    fn fence_proxy_tensormap_generic_release[Scope: FenceScope]();
    form: "fence.proxy.tensormap::generic.release{.scope};";
    ptx: "fence.proxy.tensormap::generic.release" .. ";";
    isa: "8.3", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Acquires the released accesses of the generic proxy to the 128 bytes at the generic address `addr`, for later accesses of
    /// the tensormap proxy.
    @unsafe fn fence_proxy_tensormap_generic_acquire[Scope: FenceScope](addr: *const u8 = reg64);
    form: "fence.proxy.tensormap::generic.acquire{.scope} [addr], 128;";
    ptx: "fence.proxy.tensormap::generic.acquire" .. " [{addr}], 128;";
    isa: "8.3", target: "sm_90", section: "9.7.13.4";
    # Safety
    "- `addr` is the generic address of 128 bytes of global memory."
}

instruction! {
    /// Fences as [`fence_acquire_sync_restrict`] does, from earlier accesses of the generic proxy to later accesses of the async
    /// proxy.
    fn fence_proxy_async_generic_acquire_sync_restrict();
    form: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;";
    ptx: "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Fences as [`fence_release_sync_restrict`] does, from earlier accesses of the generic proxy to later accesses of the async
    /// proxy.
    fn fence_proxy_async_generic_release_sync_restrict();
    form: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;";
    ptx: "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Releases the executing thread's earlier reads of objects in `.shared::cluster`, to later accesses of the async proxy. The
    /// fence is not cumulative: it does not order accesses of other threads that happened before it.
    fn fence_proxy_async_generic_release_sync_restrict_read();
    form: "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;";
    ptx: "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster" .. ";";
    isa: "9.4", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Orders later accesses through a virtual address after the accesses through another address (alias) of the same memory
    /// that happened before, in one
    /// direction and in `.sys` scope. The counterpart is [`fence_proxy_alias_release`].
    fn fence_proxy_alias_acquire();
    form: "fence.proxy.alias.acquire.sys;";
    ptx: "fence.proxy.alias.acquire.sys" .. ";";
    isa: "9.4", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Orders earlier accesses through a virtual address before later accesses through another address (alias) of the same memory, in one
    /// direction and in `.sys` scope. The counterpart is [`fence_proxy_alias_acquire`].
    fn fence_proxy_alias_release();
    form: "fence.proxy.alias.release.sys;";
    ptx: "fence.proxy.alias.release.sys" .. ";";
    isa: "9.4", target: "sm_90", section: "9.7.13.4";
}

instruction! {
    /// Acquires, for later accesses of the first proxy, the accesses of the second one to the same memory through another address (alias), in `.sys`
    /// scope. One of the proxies is that of `fabric` instructions. The counterpart is [`fence_proxy_fabric_alias_release`].
    fn fence_proxy_fabric_alias_acquire[Proxies: FabricProxies]();
    form: "fence.proxy{.proxies}.alias.acquire.sys;";
    ptx: "fence.proxy" .. ".alias.acquire.sys;";
    isa: "9.3", target: "sm_100", section: "9.7.13.4";
    gate: sm_100;
}

instruction! {
    /// Releases the earlier accesses of the second proxy, for accesses of the first one to the same memory through another address (alias), in `.sys`
    /// scope. One of the proxies is that of `fabric` instructions. The counterpart is [`fence_proxy_fabric_alias_acquire`].
    fn fence_proxy_fabric_alias_release[Proxies: FabricProxies]();
    form: "fence.proxy{.proxies}.alias.release.sys;";
    ptx: "fence.proxy" .. ".alias.release.sys;";
    isa: "9.3", target: "sm_100", section: "9.7.13.4";
    gate: sm_100;
}

instruction! {
    /// A fence of reads through other virtual addresses (aliases), with release semantics in `.sys` scope. ptxas 13.5 takes the
    /// instruction; the PTX ISA up to 9.4 has no text on it.
    fn fence_alias_sync_restrict_read_release();
    form: "fence.alias.sync_restrict::read.release.sys;";
    ptx: "fence.alias.sync_restrict::read.release.sys" .. ";";
    isa: "9.5", target: "sm_90", section: "none of PTX ISA 9.4";
}
