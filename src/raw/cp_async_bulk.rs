//! `cp.async.bulk`: section 9.7.9.25.4.1.

instruction! {
    /// Starts a copy of `size` bytes from global memory into shared memory of the executing CTA; the mbarrier at
    /// `mbar` gets a complete-tx of `size` when it is done.
    @unsafe fn cp_async_bulk_shared_cta_global(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];";
    ptx: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
    isa: "8.6", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- `dst_mem` and `mbar` are in shared memory of the executing CTA; `mbar` is a valid mbarrier."
    "- until the copy is complete nobody writes the source, and nobody reads or writes the destination."
    "- what ordinary stores wrote to either end is made visible first (`fence.proxy.async`)."
    "- the CTA does not exit before the copy is complete."
}

instruction! {
    /// [`cp_async_bulk_shared_cta_global`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_shared_cta_global_cache_hint(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32, cache_policy: u64 = reg64,
    );
    form: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint [dstMem], [srcMem], size, [mbar], cache-policy;";
    ptx: "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.L2::cache_hint" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}], {cache_policy};";
    isa: "8.6", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cta_global`]; `cache_policy` comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of `size` bytes from global memory into shared memory of a CTA of the cluster; the mbarrier at
    /// `mbar`, in the same CTA as the destination, gets a complete-tx of `size` when it is done.
    @unsafe fn cp_async_bulk_shared_cluster_global(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cta_global`], with `dst_mem` and `mbar` in shared memory of one CTA of the cluster,"
    "  which does not exit before the copy is complete."
}

instruction! {
    /// [`cp_async_bulk_shared_cluster_global`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_shared_cluster_global_cache_hint(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32, cache_policy: u64 = reg64,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [dstMem], [srcMem], size, [mbar], cache-policy;";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}], {cache_policy};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cluster_global`]; `cache_policy` comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of `size` bytes from global memory into shared memory of each CTA of the cluster that `cta_mask`
    /// holds, at the offset of `dst_mem`; the mbarrier at the offset of `mbar` in each gets a complete-tx of `size`.
    @unsafe fn cp_async_bulk_shared_cluster_global_multicast_cluster(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
        cta_mask: crate::mask::CtaMask = mask,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [dstMem], [srcMem], size, [mbar], ctaMask;";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}], {cta_mask};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cluster_global`], for each CTA of `cta_mask`: it is in the cluster, and destination and"
    "  mbarrier are valid at these offsets of its shared memory."
}

instruction! {
    /// [`cp_async_bulk_shared_cluster_global_multicast_cluster`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_shared_cluster_global_multicast_cluster_cache_hint(
        dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, mbar: u32 = reg32,
        cta_mask: crate::mask::CtaMask = mask, cache_policy: u64 = reg64,
    );
    form: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint [dstMem], [srcMem], size, [mbar], ctaMask, cache-policy;";
    ptx: "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint" ..
        " [{dst_mem}], [{src_mem}], {size}, [{mbar}], {cta_mask}, {cache_policy};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_shared_cluster_global_multicast_cluster`]; `cache_policy` comes from a `createpolicy`"
    "  instruction."
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
    /// async-group that the executing thread commits next.
    @unsafe fn cp_async_bulk_global_shared_cta(
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size;";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group" .. " [{dst_mem}], [{src_mem}], {size};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both ranges lie in their memory."
    "- until the group's reads are complete nobody writes the source; until the group is complete nobody reads or"
    "  writes the destination."
    "- what ordinary stores wrote to the source is made visible first (`fence.proxy.async`)."
    "- the CTA does not exit before the group's reads are complete."
}

instruction! {
    /// [`cp_async_bulk_global_shared_cta`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_global_shared_cta_cache_hint(
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32, cache_policy: u64 = reg64,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [dstMem], [srcMem], size, cache-policy;";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint" .. " [{dst_mem}], [{src_mem}], {size}, {cache_policy};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.1";
    # Safety
    "- as [`cp_async_bulk_global_shared_cta`]; `cache_policy` comes from a `createpolicy` instruction."
}

instruction! {
    /// [`cp_async_bulk_global_shared_cta`] of the bytes of each 16-byte chunk that `byte_mask` holds.
    @unsafe fn cp_async_bulk_global_shared_cta_cp_mask(
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32, byte_mask: crate::mask::ByteMask = mask,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group.cp_mask [dstMem], [srcMem], size, byteMask;";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group.cp_mask" .. " [{dst_mem}], [{src_mem}], {size}, {byte_mask};";
    isa: "8.6", target: "sm_100", section: "9.7.9.25.4.1";
    gate: sm_100;
    # Safety
    "- as [`cp_async_bulk_global_shared_cta`]."
}

instruction! {
    /// [`cp_async_bulk_global_shared_cta_cp_mask`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_global_shared_cta_cp_mask_cache_hint(
        dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32, cache_policy: u64 = reg64,
        byte_mask: crate::mask::ByteMask = mask,
    );
    form: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [dstMem], [srcMem], size, cache-policy, byteMask;";
    ptx: "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask" ..
        " [{dst_mem}], [{src_mem}], {size}, {cache_policy}, {byte_mask};";
    isa: "8.6", target: "sm_100", section: "9.7.9.25.4.1";
    gate: sm_100;
    # Safety
    "- as [`cp_async_bulk_global_shared_cta_cp_mask`]; `cache_policy` comes from a `createpolicy` instruction."
}
