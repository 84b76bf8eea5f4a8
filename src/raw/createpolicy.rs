//! `createpolicy`: section 9.7.9.18 of the PTX ISA.

legal! {
    /// `.level::cache_hint` and its `cache-policy`, of what goes through the L2 cache.
    L2CacheHint: "`{Self}` is no `.level::cache_hint`: it takes `cache_hint::None` or `cache_hint::Policy` of a `cache-policy`"
    { cache_hint::None, cache_hint::Policy(cache_policy in reg64) }
    /// The primary priority of `createpolicy`.
    PrimaryPriority: "`{Self}` is no primary priority of `createpolicy`: it takes `.L2::evict_last`, `.L2::evict_normal`, `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::Last, evict::Normal, evict::First, evict::Unchanged }
    /// The secondary priority of `createpolicy`.
    SecondaryPriority: "`{Self}` is no secondary priority of `createpolicy`: it takes `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::First, evict::Unchanged }
}

instruction! {
    /// A cache policy that gives `fraction` of the accesses the primary priority and the rest the secondary one.
    @unsafe fn createpolicy_fractional[
        Primary: PrimaryPriority, Secondary: SecondaryPriority,
    ](fraction: f32 = reg32) -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.fractional.L2::primary.L2::secondary.b64 cache-policy, fraction;";
    ptx: "createpolicy.fractional" .. ".b64 {cache_policy}, {fraction};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `fraction` is greater than 0 and at most 1, so it is no NaN."
}

legal! {
    /// `.space` of `createpolicy.range`.
    PolicySpace: "`{Self}` is no space of `createpolicy.range`: it takes `.global` or none (generic)"
    { space::All, space::Global }
}

instruction! {
    /// A cache policy by address: of the `total_size` bytes from `a` on, accesses to the first `primary_size` get the
    /// primary priority, those to the rest the secondary one.
    @unsafe fn createpolicy_range[
        Space: PolicySpace, Primary: PrimaryPriority, Secondary: SecondaryPriority,
    ](a: *const u8 = reg64, primary_size: u32 = reg32, total_size: u32 = reg32)
        -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.range{.space}.L2::primary.L2::secondary.b64 cache-policy, [a], primary-size, total-size;";
    ptx: "createpolicy.range" .. ".b64 {cache_policy}, [{a}], {primary_size}, {total_size};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: nomem, nostack, preserves_flags;
    # Safety
    "- `a` is an address of global memory, and `primary_size` is not greater than `total_size`."
}

instruction! {
    /// The cache policy of an access property, as the CUDA APIs have them.
    @unsafe fn createpolicy_cvt(access_property: u64 = reg64) -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.cvt.L2.b64 cache-policy, access-property;";
    ptx: "createpolicy.cvt.L2" .. ".b64 {cache_policy}, {access_property};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `access_property` comes from such an API."
}
