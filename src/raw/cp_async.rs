//! Asynchronous copies (`cuda::memcpy_async`) of 4 to 16 bytes, and their groups: `cp.async` (PTX ISA 9.7.9.25.3).

legal! {
    CpAsyncPrefetchSize: "`{Self}` is not a `.level::prefetch_size` of `cp.async`: use `prefetch_size::None`, `.L2::64B`, `.L2::128B` or `.L2::256B`"
    { prefetch_size::None, prefetch_size::L2B64, prefetch_size::L2B128, prefetch_size::L2B256 }
    /// `cp-size` of `cp.async.ca`.
    CpSize: "`{Self}` is not a `cp-size` of `cp.async.ca`: use `cp_size::B4`, `cp_size::B8` or `cp_size::B16`"
    { cp_size::B4, cp_size::B8, cp_size::B16 }
    /// `src-size` or `ignore-src` of `cp.async`.
    CpAsyncZfill: "`{Self}` is not a `src-size` or `ignore-src` of `cp.async`: use `zfill::None`, `zfill::SrcSize` or `zfill::IgnoreSrc`"
    { zfill::None, zfill::SrcSize(src_size in reg32), zfill::IgnoreSrc(ignore_src in pred) }
}

instruction! {
    /// Starts a copy of `Size` bytes from global memory at `src` to shared memory of the executing CTA at `dst`, cached at all
    /// levels. With `zfill::SrcSize(n)` the copy reads only the first `n` bytes, with `zfill::IgnoreSrc(true)` none; the rest of
    /// the destination becomes zero.
    @unsafe fn cp_async_ca[
        ?Zfill: CpAsyncZfill, ?CacheHint: L2CacheHint, PrefetchSize: CpAsyncPrefetchSize,
        Size: CpSize after " [{dst}], [{src}], ",
    ](dst: u32 = reg32, src: *const u8 = reg64);
    form: "cp.async.ca.shared::cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size"
        "{, src-size}{, ignore-src}{, cache-policy};";
    ptx: "cp.async.ca.shared::cta.global" .. .. ";";
    isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
    # Safety
    "- `dst` is a `.shared::cta` address, `src` an address of global memory. Both are aligned to the size, and both ranges lie"
    "  in their memory. A `src-size` is at most the size; the source then needs only as many bytes."
    "- Until the copy is complete (`cp.async.wait_group`, `cp.async.wait_all` or an mbarrier that tracks the copy), nothing"
    "  writes the source, and nothing accesses the destination."
    "- The CTA does not exit before the copy is complete."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of 16 bytes as [`cp_async_ca`] does, cached in L2 only.
    @unsafe fn cp_async_cg[?Zfill: CpAsyncZfill, ?CacheHint: L2CacheHint, PrefetchSize: CpAsyncPrefetchSize](
        dst: u32 = reg32, src: *const u8 = reg64,
    );
    form: "cp.async.cg.shared::cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], 16"
        "{, src-size}{, ignore-src}{, cache-policy};";
    ptx: "cp.async.cg.shared::cta.global" .. " [{dst}], [{src}], 16" .. ";";
    isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
    # Safety
    "- The conditions of [`cp_async_ca`] hold."
}

instruction! {
    /// Puts all uncommitted `cp.async` copies of the executing thread into a new group.
    @unsafe fn cp_async_commit_group();
    form: "cp.async.commit_group;";
    ptx: "cp.async.commit_group" .. ";";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.2";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}

instruction! {
    /// Waits until at most the `N` most recent `cp.async` groups of the executing thread are incomplete.
    @unsafe fn cp_async_wait_group<const N: u32 = 1>();
    form: "cp.async.wait_group N;";
    ptx: "cp.async.wait_group" .. " {N};";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.3";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}

instruction! {
    /// Commits the uncommitted `cp.async` copies of the executing thread, then waits until all its copies are complete.
    @unsafe fn cp_async_wait_all();
    form: "cp.async.wait_all;";
    ptx: "cp.async.wait_all" .. ";";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.3";
    # Safety
    "- None of its own; the conditions of the copies depend on this call."
}
