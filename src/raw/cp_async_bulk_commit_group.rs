//! `cp.async.bulk.commit_group`: makes a bulk async-group (PTX ISA 9.7.9.25.6.1).

instruction! {
    /// Puts all uncommitted bulk copies and reductions of the executing thread that complete by `.bulk_group` into a new bulk
    /// async-group.
    @unsafe fn cp_async_bulk_commit_group();
    form: "cp.async.bulk.commit_group;";
    ptx: "cp.async.bulk.commit_group" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.6.1";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}
