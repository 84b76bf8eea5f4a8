//! `cp.async.bulk` and its groups: sections 9.7.9.25.4.1 and 9.7.9.25.6.

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
    /// Puts the bulk copies that the executing thread has started since its last commit into a new bulk async-group.
    @unsafe fn cp_async_bulk_commit_group();
    form: "cp.async.bulk.commit_group;";
    ptx: "cp.async.bulk.commit_group" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.1";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it groups."
}

instruction! {
    /// Waits until at most the `N` most recent bulk async-groups of the executing thread are incomplete.
    @unsafe fn cp_async_bulk_wait_group<const N: u32 = 1>();
    form: "cp.async.bulk.wait_group N;";
    ptx: "cp.async.bulk.wait_group" .. " {N};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.2";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it waits for."
}

instruction! {
    /// Waits until at most the `N` most recent bulk async-groups of the executing thread have reads of their
    /// sources outstanding. Their writes may still be under way.
    @unsafe fn cp_async_bulk_wait_group_read<const N: u32 = 1>();
    form: "cp.async.bulk.wait_group.read N;";
    ptx: "cp.async.bulk.wait_group.read" .. " {N};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.2";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it waits for."
}
