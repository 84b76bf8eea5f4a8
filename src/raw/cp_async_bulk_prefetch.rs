//! `cp.async.bulk.prefetch`: section 9.7.9.25.4.3.

instruction! {
    /// Starts to fetch `size` bytes of global memory into the L2 cache.
    @unsafe fn cp_async_bulk_prefetch_global(src_mem: *const u8 = reg64, size: u32 = reg32);
    form: "cp.async.bulk.prefetch.L2.global [srcMem], size;";
    ptx: "cp.async.bulk.prefetch.L2.global" .. " [{src_mem}], {size};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.3";
    # Safety
    "- `size` is a multiple of 16, `src_mem` is aligned to 16 bytes, and the range lies in global memory."
}

instruction! {
    /// [`cp_async_bulk_prefetch_global`] under an L2 cache policy.
    @unsafe fn cp_async_bulk_prefetch_global_cache_hint(
        src_mem: *const u8 = reg64, size: u32 = reg32, cache_policy: u64 = reg64,
    );
    form: "cp.async.bulk.prefetch.L2.global.L2::cache_hint [srcMem], size, cache-policy;";
    ptx: "cp.async.bulk.prefetch.L2.global.L2::cache_hint" .. " [{src_mem}], {size}, {cache_policy};";
    isa: "8.0", target: "sm_90", section: "9.7.9.25.4.3";
    # Safety
    "- as [`cp_async_bulk_prefetch_global`]; `cache_policy` comes from a `createpolicy` instruction."
}
