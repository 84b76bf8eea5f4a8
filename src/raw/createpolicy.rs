//! `createpolicy`: section 9.7.9.18 of the PTX ISA.

legal! {
    /// The primary priority of `createpolicy.fractional`.
    PrimaryPriority: "`{Self}` is no primary priority of `createpolicy.fractional`: it takes `.L2::evict_last`, `.L2::evict_normal`, `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::Last, evict::Normal, evict::First, evict::Unchanged }
}
legal! {
    /// The secondary priority of `createpolicy.fractional`.
    SecondaryPriority: "`{Self}` is no secondary priority of `createpolicy.fractional`: it takes `.L2::evict_first` or `.L2::evict_unchanged`"
    { evict::First, evict::Unchanged }
}

instruction! {
    /// A cache policy that gives `fraction` of the accesses the primary priority and the rest the secondary one.
    fn createpolicy_fractional[
        Primary: PrimaryPriority { evict::Last, evict::Normal, evict::First, evict::Unchanged },
        Secondary: SecondaryPriority { evict::First, evict::Unchanged },
    ](fraction: f32 = reg32) -> u64 = (cache_policy: u64 = reg64) cache_policy;
    form: "createpolicy.fractional.L2::primary.L2::secondary.b64 cache-policy, fraction;";
    ptx: "createpolicy.fractional" .. ".b64 {cache_policy}, {fraction};";
    isa: "7.4", target: "sm_80", section: "9.7.9.18";
    options: pure, nomem, nostack, preserves_flags;
}
