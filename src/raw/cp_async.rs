//! `cp.async` and its groups: section 9.7.9.25.3.

legal! {
    /// `.level::prefetch_size` of `cp.async`.
    CpAsyncPrefetchSize: "`{Self}` is no `.level::prefetch_size` of `cp.async`: it takes none, `.L2::64B`, `.L2::128B` or `.L2::256B`"
    { prefetch_size::None, prefetch_size::L2B64, prefetch_size::L2B128, prefetch_size::L2B256 }
    /// `cp-size` of `cp.async.ca`.
    CpSize: "`{Self}` is no `cp-size` of `cp.async.ca`: it takes 4, 8 or 16"
    { cp_size::B4, cp_size::B8, cp_size::B16 }
    /// `src-size` or `ignore-src` of `cp.async`.
    CpAsyncZfill: "`{Self}` does not say what `cp.async` fills with zeros: it takes `zfill::None`, `zfill::SrcSize` or `zfill::IgnoreSrc`"
    { zfill::None, zfill::SrcSize(src_size in reg32), zfill::IgnoreSrc(ignore_src in pred) }
}

instruction! {
    /// Starts a copy of the given size from global memory into shared memory of the executing CTA. With a `src-size` it is
    /// of that many bytes, with a true `ignore-src` of none, and the rest of the destination becomes zero.
    /// Caches at all levels.
    @unsafe fn cp_async_ca[
        ?Zfill: CpAsyncZfill, ?CacheHint: L2CacheHint, PrefetchSize: CpAsyncPrefetchSize,
        Size: CpSize after " [{dst}], [{src}], ",
    ](dst: u32 = reg32, src: *const u8 = reg64);
    form: "cp.async.ca.shared::cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], cp-size"
        "{, src-size}{, ignore-src}{, cache-policy};";
    ptx: "cp.async.ca.shared::cta.global" .. .. ";";
    isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
    # Safety
    "- `dst` is a `.shared::cta` address and `src` one of global memory, both aligned to the size, and both ranges lie in"
    "  their memory. With a `src-size`, which is at most the size, the source has that many bytes."
    "- until the copy is complete (`cp.async.wait_group`, `cp.async.wait_all` or an mbarrier that tracks it) nobody writes"
    "  the source, and nobody reads or writes the destination."
    "- the CTA does not exit before the copy is complete."
    "- a cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// [`cp_async_ca`] of 16 bytes that caches in L2 only.
    @unsafe fn cp_async_cg[?Zfill: CpAsyncZfill, ?CacheHint: L2CacheHint, PrefetchSize: CpAsyncPrefetchSize](
        dst: u32 = reg32, src: *const u8 = reg64,
    );
    form: "cp.async.cg.shared::cta.global{.level::cache_hint}{.level::prefetch_size} [dst], [src], 16"
        "{, src-size}{, ignore-src}{, cache-policy};";
    ptx: "cp.async.cg.shared::cta.global" .. " [{dst}], [{src}], 16" .. ";";
    isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
    # Safety
    "- as [`cp_async_ca`]."
}

instruction! {
    /// Puts the copies that the executing thread has started with `cp.async` since its last commit into a new group.
    @unsafe fn cp_async_commit_group();
    form: "cp.async.commit_group;";
    ptx: "cp.async.commit_group" .. ";";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.2";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it groups."
}

instruction! {
    /// Waits until at most the `N` most recent `cp.async` groups of the executing thread are incomplete.
    @unsafe fn cp_async_wait_group<const N: u32 = 1>();
    form: "cp.async.wait_group N;";
    ptx: "cp.async.wait_group" .. " {N};";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.3";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it waits for."
}

instruction! {
    /// Commits, and waits until all `cp.async` copies of the executing thread are complete.
    @unsafe fn cp_async_wait_all();
    form: "cp.async.wait_all;";
    ptx: "cp.async.wait_all" .. ";";
    isa: "7.0", target: "sm_80", section: "9.7.9.25.3.3";
    # Safety
    "- none of its own; unsafe as the other half of the copies that it waits for."
}
