//! Bulk async-groups: section 9.7.9.25.6.

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
