//! `cp.async` and its groups: section 9.7.9.25.3.

legal! {
    /// `.level::prefetch_size` of `cp.async`.
    CpAsyncPrefetchSize: "`{Self}` is no `.level::prefetch_size` of `cp.async`: it takes none, `.L2::64B`, `.L2::128B` or `.L2::256B`"
    { prefetch_size::None, prefetch_size::L2B64, prefetch_size::L2B128, prefetch_size::L2B256 }
}
legal! {
    /// `cp-size` of `cp.async.ca`.
    CpSize: "`{Self}` is no `cp-size` of `cp.async.ca`: it takes 4, 8 or 16"
    { cp_size::B4, cp_size::B8, cp_size::B16 }
}

/// `cp.async` with both cache operators: `.ca` copies 4, 8 or 16 bytes, `.cg` 16. `tail` is what stands behind cp-size.
macro_rules! cp_async {
    (
        ca: $ca:ident $ca_form:literal $ca_head:literal; cg: $cg:ident $cg_form:literal $cg_head:literal;
        operands: ( $($operand:tt)* ); tail: $tail:literal, $cg_tail:literal;
        $(#[$doc:meta])*
        # Safety $( $safety:literal )*
    ) => {
        instruction! {
            $(#[$doc])*
            /// Caches at all levels.
            @unsafe fn $ca[
                PrefetchSize: CpAsyncPrefetchSize {
                    prefetch_size::None, prefetch_size::L2B64, prefetch_size::L2B128, prefetch_size::L2B256,
                },
                Size: CpSize after " [{dst}], [{src}], " { cp_size::B4, cp_size::B8, cp_size::B16 },
            ](dst: u32 = reg32, src: *const u8 = reg64, $($operand)*);
            form: $ca_form;
            ptx: $ca_head .. $tail;
            isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
            # Safety $( $safety )*
        }
        instruction! {
            $(#[$doc])*
            /// The size is 16 bytes. Caches in L2 only.
            @unsafe fn $cg[
                PrefetchSize: CpAsyncPrefetchSize {
                    prefetch_size::None, prefetch_size::L2B64, prefetch_size::L2B128, prefetch_size::L2B256,
                },
            ](dst: u32 = reg32, src: *const u8 = reg64, $($operand)*);
            form: $cg_form;
            ptx: $cg_head .. $cg_tail;
            isa: "7.8", target: "sm_80", section: "9.7.9.25.3.1";
            # Safety $( $safety )*
        }
    };
}

cp_async! {
    ca: cp_async_ca
        "cp.async.ca.shared::cta.global{.level::prefetch_size} [dst], [src], cp-size;"
        "cp.async.ca.shared::cta.global";
    cg: cp_async_cg
        "cp.async.cg.shared::cta.global{.level::prefetch_size} [dst], [src], 16;"
        "cp.async.cg.shared::cta.global";
    operands: ();
    tail: ";", " [{dst}], [{src}], 16;";
    /// Starts a copy of the given size from global memory into shared memory of the executing CTA.
    # Safety
        "- `dst` is a `.shared::cta` address and `src` one of global memory, both aligned to the size, and both ranges lie in"
        "  their memory."
        "- until the copy is complete (`cp.async.wait_group`, `cp.async.wait_all` or an mbarrier that tracks it) nobody writes"
        "  the source, and nobody reads or writes the destination."
        "- the CTA does not exit before the copy is complete."
}

cp_async! {
    ca: cp_async_ca_cache_hint
        "cp.async.ca.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], cp-size, cache-policy;"
        "cp.async.ca.shared::cta.global.L2::cache_hint";
    cg: cp_async_cg_cache_hint
        "cp.async.cg.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], 16, cache-policy;"
        "cp.async.cg.shared::cta.global.L2::cache_hint";
    operands: (cache_policy: u64 = reg64);
    tail: ", {cache_policy};", " [{dst}], [{src}], 16, {cache_policy};";
    /// [`cp_async_ca`] under an L2 cache policy.
    # Safety
        "- as [`cp_async_ca`]; `cache_policy` comes from a `createpolicy` instruction."
}

cp_async! {
    ca: cp_async_ca_src_size
        "cp.async.ca.shared::cta.global{.level::prefetch_size} [dst], [src], cp-size, src-size;"
        "cp.async.ca.shared::cta.global";
    cg: cp_async_cg_src_size
        "cp.async.cg.shared::cta.global{.level::prefetch_size} [dst], [src], 16, src-size;"
        "cp.async.cg.shared::cta.global";
    operands: (src_size: u32 = reg32);
    tail: ", {src_size};", " [{dst}], [{src}], 16, {src_size};";
    /// [`cp_async_ca`] of the first `src_size` bytes; the rest of the destination becomes zero.
    # Safety
        "- as [`cp_async_ca`], with a source of `src_size` bytes; `src_size` is at most the size."
}

cp_async! {
    ca: cp_async_ca_src_size_cache_hint
        "cp.async.ca.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], cp-size, src-size, cache-policy;"
        "cp.async.ca.shared::cta.global.L2::cache_hint";
    cg: cp_async_cg_src_size_cache_hint
        "cp.async.cg.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], 16, src-size, cache-policy;"
        "cp.async.cg.shared::cta.global.L2::cache_hint";
    operands: (src_size: u32 = reg32, cache_policy: u64 = reg64);
    tail: ", {src_size}, {cache_policy};", " [{dst}], [{src}], 16, {src_size}, {cache_policy};";
    /// [`cp_async_ca_src_size`] under an L2 cache policy.
    # Safety
        "- as [`cp_async_ca_src_size`]; `cache_policy` comes from a `createpolicy` instruction."
}

cp_async! {
    ca: cp_async_ca_ignore_src
        "cp.async.ca.shared::cta.global{.level::prefetch_size} [dst], [src], cp-size, ignore-src;"
        "{{ .reg .pred p; setp.ne.b32 p, {ignore_src}, 0; cp.async.ca.shared::cta.global";
    cg: cp_async_cg_ignore_src
        "cp.async.cg.shared::cta.global{.level::prefetch_size} [dst], [src], 16, ignore-src;"
        "{{ .reg .pred p; setp.ne.b32 p, {ignore_src}, 0; cp.async.cg.shared::cta.global";
    operands: (ignore_src: bool = pred);
    tail: ", p; }}", " [{dst}], [{src}], 16, p; }}";
    /// [`cp_async_ca`] that writes zeros where `ignore_src` is true.
    # Safety
        "- as [`cp_async_ca`]."
}

cp_async! {
    ca: cp_async_ca_ignore_src_cache_hint
        "cp.async.ca.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], cp-size, ignore-src, cache-policy;"
        "{{ .reg .pred p; setp.ne.b32 p, {ignore_src}, 0; cp.async.ca.shared::cta.global.L2::cache_hint";
    cg: cp_async_cg_ignore_src_cache_hint
        "cp.async.cg.shared::cta.global.L2::cache_hint{.level::prefetch_size} [dst], [src], 16, ignore-src, cache-policy;"
        "{{ .reg .pred p; setp.ne.b32 p, {ignore_src}, 0; cp.async.cg.shared::cta.global.L2::cache_hint";
    operands: (ignore_src: bool = pred, cache_policy: u64 = reg64);
    tail: ", p, {cache_policy}; }}", " [{dst}], [{src}], 16, p, {cache_policy}; }}";
    /// [`cp_async_ca_ignore_src`] under an L2 cache policy.
    # Safety
        "- as [`cp_async_ca_ignore_src`]; `cache_policy` comes from a `createpolicy` instruction."
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
