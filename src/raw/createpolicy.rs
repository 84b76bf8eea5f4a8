//! `createpolicy`: L2 eviction policies (`cuda::access_property`; PTX ISA 9.7.9.18).

legal! {
    /// `.level::cache_hint` with its `cache-policy`, of instructions whose data passes through the L2 cache.
    L2CacheHint: "`{Self}` is not a `.level::cache_hint`: use `cache_hint::None` or `cache_hint::Policy(policy)`"
    { cache_hint::None, cache_hint::Policy(cache_policy in reg64) }
    /// The primary priority of `createpolicy`.
    PrimaryPriority: "`{Self}` is not a primary priority of `createpolicy`: use `.L2::evict_last`, `.L2::evict_normal`, `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::Last, evict::Normal, evict::First, evict::Unchanged }
    /// The secondary priority of `createpolicy`.
    SecondaryPriority: "`{Self}` is not a secondary priority of `createpolicy`: use `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::First, evict::Unchanged }
}

instruction! {
    /// Creates a cache policy that gives `fraction` of the accesses the primary priority, and the rest the secondary priority.
    @unsafe fn createpolicy_fractional[
        Primary: PrimaryPriority, Secondary: SecondaryPriority,
    ](fraction: f32 = reg32) -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.fractional.L2::primary.L2::secondary.b64 cache-policy, fraction;";
    ptx: "createpolicy.fractional" .. ".b64 {cache_policy}, {fraction};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `fraction` is greater than 0 and at most 1, hence not NaN."
}

legal! {
    PolicySpace: "`{Self}` is not a space of `createpolicy.range`: use `.global` or `All` (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Creates a cache policy by address. Accesses to the `primary_size` bytes from `a` on get the primary priority. Accesses to
    /// the `total_size - primary_size` bytes before and after these bytes get the secondary priority. Elsewhere the priority is
    /// unspecified.
    @unsafe fn createpolicy_range[
        Space: PolicySpace, Primary: PrimaryPriority, Secondary: SecondaryPriority,
    ](a: *const u8 = reg64, primary_size: u32 = reg32, total_size: u32 = reg32)
        -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.range{.space}.L2::primary.L2::secondary.b64 cache-policy, [a], primary-size, total-size;";
    ptx: "createpolicy.range" .. ".b64 {cache_policy}, [{a}], {primary_size}, {total_size};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: nomem, nostack, preserves_flags;
    # Safety
    "- `a` is an address in global memory. `primary_size` is at most `total_size`."
}

instruction! {
    /// Converts an access property of the CUDA APIs to a cache policy.
    @unsafe fn createpolicy_cvt(access_property: u64 = reg64) -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.cvt.L2.b64 cache-policy, access-property;";
    ptx: "createpolicy.cvt.L2" .. ".b64 {cache_policy}, {access_property};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `access_property` comes from a CUDA API."
}

instruction! {
    /// Creates a cache policy by address, as [`createpolicy_range`] does, of the memory from `offset` on of the logical endpoint
    /// `le_id`, which `fabric` instructions access.
    @unsafe fn createpolicy_range_fabric[
        Primary: PrimaryPriority, Secondary: SecondaryPriority,
    ](le_id: u32 = reg32, offset: u64 = reg64, primary_size: u32 = reg32, total_size: u32 = reg32)
        -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.range.fabric.L2::primary.L2::secondary.b64 cache-policy, [leId, offset], primary-size, total-size;";
    ptx: "createpolicy.range.fabric" .. ".b64 {cache_policy}, [{le_id}, {offset}], {primary_size}, {total_size};";
    isa: "9.4", target: "sm_100", section: "9.7.9.18";
    gate: sm_100;
    options: nomem, nostack, preserves_flags;
    # Safety
    "- `le_id` is the identifier of a logical endpoint. `primary_size` is at most `total_size`."
}
