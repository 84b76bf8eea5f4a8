//! `cp.async.bulk.wait_group`: waits for bulk async-groups (PTX ISA 9.7.9.25.6.2).

instruction! {
    /// Waits until at most the `N` most recent bulk async-groups of the executing thread are incomplete.
    @unsafe fn cp_async_bulk_wait_group<const N: u32 = 1>();
    form: "cp.async.bulk.wait_group N;";
    ptx: "cp.async.bulk.wait_group" .. " {N};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.2";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}

instruction! {
    /// Waits until at most the `N` most recent bulk async-groups of the executing thread still read their sources or tensor maps.
    /// The earlier groups may still write their destinations.
    @unsafe fn cp_async_bulk_wait_group_read<const N: u32 = 1>();
    form: "cp.async.bulk.wait_group.read N;";
    ptx: "cp.async.bulk.wait_group.read" .. " {N};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.2";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}

instruction! {
    /// Waits as [`cp_async_bulk_wait_group`] does, for later accesses of the async proxy alone: the writes of the groups are not made
    /// visible to ordinary loads and stores.
    @unsafe fn cp_async_bulk_wait_group_sync_restrict_proxy_async<const N: u32 = 1>();
    form: "cp.async.bulk.wait_group.sync_restrict::proxy::async N;";
    ptx: "cp.async.bulk.wait_group.sync_restrict::proxy::async" .. " {N};";
    isa: "9.5", target: "sm_90", section: "9.7.9.25.6.2";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}
