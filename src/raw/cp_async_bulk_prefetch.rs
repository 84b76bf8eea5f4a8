//! Bulk prefetches into the L2 cache: `cp.async.bulk.prefetch` (PTX ISA 9.7.9.25.4.3).

instruction! {
    /// Prefetches `size` bytes of global memory at `src_mem` into the L2 cache asynchronously. The instruction is a hint.
    @unsafe fn cp_async_bulk_prefetch_global[?CacheHint: L2CacheHint](src_mem: *const u8 = reg64, size: u32 = reg32);
    form: "cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [srcMem], size{, cache-policy};";
    ptx: "cp.async.bulk.prefetch.L2.global" .. " [{src_mem}], {size}" .. ";";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.3";
    # Safety
    "- `size` is a multiple of 16. `src_mem` is aligned to 16 bytes, and the range lies in global memory."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Prefetches as [`cp_async_bulk_prefetch_global`] does, into lines that the L2 cache evicts last.
    @unsafe fn cp_async_bulk_prefetch_global_evict_last(src_mem: *const u8 = reg64, size: u32 = reg32);
    form: "cp.async.bulk.prefetch.L2.global.L2::evict_last [srcMem], size;";
    ptx: "cp.async.bulk.prefetch.L2.global.L2::evict_last" .. " [{src_mem}], {size};";
    isa: "9.4", target: "sm_107", section: "9.7.9.25.4.3";
    gate: sm_107f;
    # Safety
    "- The conditions of [`cp_async_bulk_prefetch_global`] hold."
}
