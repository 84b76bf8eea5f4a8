//! Cache priorities of ranges: `applypriority.async.bulk` (PTX ISA 9.7.10.18 of 9.4).

legal! {
    ApplypriorityBulkSpace: "`{Self}` is not a space of `applypriority.async.bulk`: use `.global` or `All` (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Gives the `size` bytes of global memory at `src_mem` the priority `.L2::evict_normal` in the L2 cache, asynchronously. The
    /// operation is part of the bulk async-group that the executing thread commits next. The instruction is a hint.
    @unsafe fn applypriority_async_bulk[Space: ApplypriorityBulkSpace](src_mem: *const u8 = reg64, size: u32 = reg32);
    form: "applypriority.async.bulk{.space}.bulk_group.L2::evict_normal [srcMem], size;";
    ptx: "applypriority.async.bulk" .. ".bulk_group.L2::evict_normal [{src_mem}], {size};";
    isa: "9.4", target: "sm_107", section: "9.7.10.18 of PTX ISA 9.4";
    gate: sm_107f;
    # Safety
    "- `size` is a multiple of 16. `src_mem` is aligned to 16 bytes, and the range lies in global memory."
}
