//! Bulk copies (one-dimensional TMA copies): `cp.async.bulk` (PTX ISA 9.7.9.25.4.1).

legal! {
    /// `.multicast` and its `ctaMask`, of copies to `.shared::cluster`.
    BulkMulticast: "`{Self}` is not a `.multicast` of a bulk copy: use `multicast::None`, `multicast::Cluster` with a `CtaMask` or, with the feature `sm_107f`, `multicast::Cluster32b` with a `u32`"
    {
        multicast::None, multicast::Cluster(cta_mask in mask),
        multicast::Cluster32b(cta_mask in reg32) @ "9.4" gate sm_107f,
    }
    /// `.scope` of relaxed bulk copies.
    BulkScope: "`{Self}` is not a `.scope` of a relaxed bulk copy: use `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
    /// `.scope` of relaxed bulk copies from `.shared::cta` to `.shared::cluster`.
    BulkClusterScope: "`{Self}` is not a `.scope` of a relaxed bulk copy from `.shared::cta` to `.shared::cluster`: use `.cta` or `.cluster`"
    { scope::Cta, scope::Cluster }
    /// `.report_mechanism` of bulk copies and tensor copies from global memory.
    BulkReport: "`{Self}` is not a `.report_mechanism` of a bulk copy: use a pattern of `qualifier::report`"
    {
        report::Per16Bytes80000000, report::Per16Bytes8000, report::Per16Bytes80, report::Per16Bytes8,
        report::PerElementFf,
    }
    /// `.cp_mask` and its `byteMask`, of copies to global memory.
    BulkCpMask: "`{Self}` is not a `.cp_mask` of a bulk copy: use `cp_mask::None` or, with the feature `sm_100`, `cp_mask::Bytes` with a `ByteMask`"
    { cp_mask::None, cp_mask::Bytes(byte_mask in mask) @ "8.6" on "sm_100" gate sm_100 }
}

instruction! {
    /// Starts a copy of `size` bytes from global memory at `src_mem` to shared memory of the executing CTA at `dst_mem`. On
    /// completion, the mbarrier at `mbar` gets a complete-tx of `size`.
    @unsafe fn cp_async_bulk_shared_cta_global[?CacheHint: L2CacheHint](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, cache-policy};";
    ptx: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16. Both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- `dst_mem` and `mbar` are in shared memory of the executing CTA; `mbar` is the address of a valid mbarrier."
    "- Until the copy is complete, nothing writes the source, and nothing accesses the destination."
    "- Earlier ordinary stores to the source or the destination are visible to the async proxy (`fence.proxy.async`)."
    "- The CTA does not exit before the copy is complete."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of `size` bytes from global memory at `src_mem` to shared memory of a CTA of the cluster at `dst_mem`. On
    /// completion, the mbarrier at `mbar`, in the CTA of the destination, gets a complete-tx of `size`.
    ///
    /// With `.multicast::cluster`, each CTA of the mask gets the copy at the offset of `dst_mem` and the complete-tx on the
    /// mbarrier at the offset of `mbar`.
    @unsafe fn cp_async_bulk_shared_cluster_global[?Multicast: BulkMulticast, ?CacheHint: L2CacheHint](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast}{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cta_global`] hold, with `dst_mem` and `mbar` in shared memory of one CTA of the"
    "  cluster. That CTA does not exit before the copy is complete."
    "- With `.multicast::cluster`, each CTA of the mask is in the cluster, and the conditions hold for the destination and the"
    "  mbarrier at these offsets of its shared memory."
}

instruction! {
    /// Starts a copy of `size` bytes from shared memory of the executing CTA at `src_mem` to shared memory of another CTA of the
    /// cluster (DSMEM) at `dst_mem`. On completion, the mbarrier at `mbar`, in the CTA of the destination, gets a complete-tx of
    /// `size`.
    @unsafe fn cp_async_bulk_shared_cluster_shared_cta(
        dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];";
    ptx: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cluster_global`] hold; `dst_mem` and `mbar` are not in the executing CTA."
    "- The executing CTA does not exit before the copy is complete."
}

instruction! {
    /// Starts a copy of `size` bytes from shared memory of the executing CTA at `src_mem` to global memory at `dst_mem`, as part
    /// of the bulk async-group that the executing thread commits next. With `.cp_mask`, the copy writes only the bytes of each
    /// 16-byte chunk that the mask holds.
    @unsafe fn cp_async_bulk_global_shared_cta[?CacheHint: L2CacheHint, ?CpMask: BulkCpMask](
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}"
        " [dstMem], [srcMem], size{, cache-policy}{, byteMask};";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group" .. " [{dst_mem}], [{src_mem}], {size}" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16. Both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- Until the reads of the group are complete, nothing writes the source, and the CTA does not exit."
    "- Until the group is complete, nothing accesses the destination."
    "- Earlier ordinary stores to the source are visible to the async proxy (`fence.proxy.async`)."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_shared_cta_global`] does, by strong accesses of 16 bytes each, relaxed in
    /// `Scope`.
    @unsafe fn cp_async_bulk_relaxed_shared_cta_global[
        Scope: BulkScope, ?CacheHint: L2CacheHint after ".shared::cta.global.mbarrier::complete_tx::bytes",
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}.b128"
        " [dstMem], [srcMem], size, [mbar]{, cache-policy};";
    ptx: "cp.async.bulk.relaxed" .. ".b128 [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.3", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cta_global`] hold, but strong accesses of threads in the scope, to the"
    "  whole units of 16 bytes, may take place meanwhile."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_shared_cluster_global`] does, by strong accesses of 16 bytes each, relaxed in
    /// `Scope`.
    @unsafe fn cp_async_bulk_relaxed_shared_cluster_global[
        Scope: BulkScope, ?Multicast: BulkMulticast after ".shared::cluster.global.mbarrier::complete_tx::bytes",
        ?CacheHint: L2CacheHint,
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast}{.L2::cache_hint}.b128"
        " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};";
    ptx: "cp.async.bulk.relaxed" .. ".b128 [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.3", target: "sm_90", section: "9.7.9.25.4.1";
    gate: bulk_relaxed_cluster;
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cluster_global`] hold, but strong accesses of threads in the scope, to the"
    "  whole units of 16 bytes, may take place meanwhile."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_shared_cluster_shared_cta`] does, by strong accesses of 16 bytes each, relaxed in
    /// `Scope`.
    @unsafe fn cp_async_bulk_relaxed_shared_cluster_shared_cta[Scope: BulkClusterScope](
        dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128"
        " [dstMem], [srcMem], size, [mbar];";
    ptx: "cp.async.bulk.relaxed" .. ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128 [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.3", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cluster_shared_cta`] hold, but strong accesses of threads in the scope, to the"
    "  whole units of 16 bytes, may take place meanwhile."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_global_shared_cta`] does, by strong accesses of 16 bytes each, relaxed in
    /// `Scope`.
    @unsafe fn cp_async_bulk_relaxed_global_shared_cta[
        Scope: BulkScope, ?CacheHint: L2CacheHint after ".global.shared::cta.bulk_group", ?CpMask: BulkCpMask,
    ](
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}.b128"
        " [dstMem], [srcMem], size{, cache-policy}{, byteMask};";
    ptx: "cp.async.bulk.relaxed" .. ".b128 [{dst_mem}], [{src_mem}], {size}" .. ";";
    isa: "9.3", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- The conditions of [`cp_async_bulk_global_shared_cta`] hold, but strong accesses of threads in the scope, to the"
    "  whole units of 16 bytes, may take place meanwhile."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_shared_cta_global`] does, and reports to the mbarrier, which
    /// has `.layout::v1`, if the data have the pattern `Report`.
    @unsafe fn cp_async_bulk_shared_cta_global_report[
        Report: BulkReport, ?CacheHint: L2CacheHint,
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.report}{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, cache-policy};";
    ptx: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.4", target: "sm_107", section: "9.7.9.25.4.1";
    gate: sm_107f;
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cta_global`] hold."
    "- The mbarrier was initialized with `.layout::v1`."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_relaxed_shared_cta_global`] does, and reports to the mbarrier, which
    /// has `.layout::v1`, if the data have the pattern `Report`.
    @unsafe fn cp_async_bulk_relaxed_shared_cta_global_report[
        Scope: BulkScope, Report: BulkReport after ".shared::cta.global.mbarrier::complete_tx::bytes", ?CacheHint: L2CacheHint,
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.shared::cta.global.mbarrier::complete_tx::bytes{.report}{.L2::cache_hint}.b128"
        " [dstMem], [srcMem], size, [mbar]{, cache-policy};";
    ptx: "cp.async.bulk.relaxed" .. ".b128 [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.4", target: "sm_107", section: "9.7.9.25.4.1";
    gate: sm_107f;
    # Safety
    "- The conditions of [`cp_async_bulk_relaxed_shared_cta_global`] hold."
    "- The mbarrier was initialized with `.layout::v1`."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_shared_cluster_global`] does, and reports to the mbarrier, which
    /// has `.layout::v1`, if the data have the pattern `Report`.
    @unsafe fn cp_async_bulk_shared_cluster_global_report[
        Report: BulkReport, ?Multicast: BulkMulticast, ?CacheHint: L2CacheHint,
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.report}{.multicast}{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.4", target: "sm_107", section: "9.7.9.25.4.1";
    gate: sm_107f;
    # Safety
    "- The conditions of [`cp_async_bulk_shared_cluster_global`] hold."
    "- The mbarrier was initialized with `.layout::v1`."
}

instruction! {
    /// Starts a copy as [`cp_async_bulk_relaxed_shared_cluster_global`] does, and reports to the mbarrier, which
    /// has `.layout::v1`, if the data have the pattern `Report`.
    @unsafe fn cp_async_bulk_relaxed_shared_cluster_global_report[
        Scope: BulkScope, Report: BulkReport after ".shared::cluster.global.mbarrier::complete_tx::bytes", ?Multicast: BulkMulticast, ?CacheHint: L2CacheHint,
    ](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.relaxed{.scope}.shared::cluster.global.mbarrier::complete_tx::bytes{.report}{.multicast}{.L2::cache_hint}.b128"
        " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};";
    ptx: "cp.async.bulk.relaxed" .. ".b128 [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "9.4", target: "sm_107", section: "9.7.9.25.4.1";
    gate: sm_107f;
    # Safety
    "- The conditions of [`cp_async_bulk_relaxed_shared_cluster_global`] hold."
    "- The mbarrier was initialized with `.layout::v1`."
}
