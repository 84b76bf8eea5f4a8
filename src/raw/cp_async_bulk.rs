//! `cp.async.bulk`: section 9.7.9.25.4.1.

legal! {
    /// `.multicast` and its `ctaMask`, of copies to `.shared::cluster`.
    BulkMulticast: "`{Self}` is no `.multicast` of a bulk copy: it takes `multicast::None` or `multicast::Cluster` of a `CtaMask`"
    { multicast::None, multicast::Cluster(cta_mask in mask) }
    /// `.cp_mask` and its `byteMask`, of copies to global memory.
    BulkCpMask: "`{Self}` is no `.cp_mask` of a bulk copy: it takes `cp_mask::None` or, with the feature `sm_100`, `cp_mask::Bytes` of a `ByteMask`"
    { cp_mask::None, cp_mask::Bytes(byte_mask in mask) @ "8.6" on "sm_100" gate sm_100 }
}

instruction! {
    /// Starts a copy of `size` bytes from global memory into shared memory of the executing CTA; the mbarrier at
    /// `mbar` gets a complete-tx of `size` when it is done.
    @unsafe fn cp_async_bulk_shared_cta_global[?CacheHint: L2CacheHint](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, cache-policy};";
    ptx: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "8.6", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- `dst_mem` and `mbar` are in shared memory of the executing CTA; `mbar` is a valid mbarrier."
    "- until the copy is complete nobody writes the source, and nobody reads or writes the destination."
    "- what ordinary stores wrote to either end is made visible first (`fence.proxy.async`)."
    "- the CTA does not exit before the copy is complete."
    "- a cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of `size` bytes from global memory into shared memory of a CTA of the cluster; the mbarrier at
    /// `mbar`, in the same CTA as the destination, gets a complete-tx of `size` when it is done.
    ///
    /// With `.multicast::cluster` it goes to each CTA of the cluster that the mask holds, at the offset of `dst_mem`; the
    /// mbarrier at the offset of `mbar` in each gets a complete-tx.
    @unsafe fn cp_async_bulk_shared_cluster_global[?Multicast: BulkMulticast, ?CacheHint: L2CacheHint](
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.L2::cache_hint}"
        " [dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}]" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cta_global`], with `dst_mem` and `mbar` in shared memory of one CTA of the cluster,"
    "  which does not exit before the copy is complete."
    "- with `.multicast::cluster`: so it is for each CTA of the mask; it is in the cluster, and destination and mbarrier"
    "  are valid at these offsets of its shared memory."
}

instruction! {
    /// Starts a copy of `size` bytes from shared memory of the executing CTA into that of another CTA of the cluster; the
    /// mbarrier at `mbar`, in the same CTA as the destination, gets a complete-tx of `size` when it is done.
    @unsafe fn cp_async_bulk_shared_cluster_shared_cta(
        dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];";
    ptx: "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cluster_global`]; `dst_mem` and `mbar` are not in the executing CTA."
    "- the executing CTA does not exit before the copy is complete."
}

instruction! {
    /// Starts a copy of `size` bytes from shared memory of the executing CTA to global memory, as part of the bulk
    /// async-group that the executing thread commits next. With `.cp_mask`, it is of the bytes of each 16-byte chunk that the
    /// mask holds.
    @unsafe fn cp_async_bulk_global_shared_cta[?CacheHint: L2CacheHint, ?CpMask: BulkCpMask](
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}{.cp_mask}"
        " [dstMem], [srcMem], size{, cache-policy}{, byteMask};";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group" .. " [{dst_mem}], [{src_mem}], {size}" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- until the group's reads are complete nobody writes the source; until the group is complete nobody reads or"
    "  writes the destination."
    "- what ordinary stores wrote to the source is made visible first (`fence.proxy.async`)."
    "- the CTA does not exit before the group's reads are complete."
    "- a cache policy comes from a `createpolicy` instruction."
}
