//! `isspacep`, `cvta`, `mapa` and `getctarank`: sections 9.7.9.19, 9.7.9.20, 9.7.9.23 and 9.7.9.24.
//!
//! `mapa`, `getctarank` and `cvta` with 32-bit generic addresses do not exist in a module of 64-bit addresses.

legal! {
    /// A state space with an address window: of `cvta` and `isspacep`.
    WindowSpace: "`{Self}` is no space of `cvta` or `isspacep`: they take `.shared::cta`, `.shared::cluster`, `.global`, `.local`, `.const` or `.param::entry`"
    {
        space::SharedCta, space::SharedCluster on "sm_90", space::Global, space::Local, space::Const,
        space::ParamEntry @ "8.3",
    }
}

instruction! {
    /// Whether the generic address `a` is in the window of a state space.
    fn isspacep[Space: WindowSpace](a: *const u8 = reg64) -> bool = (d: u32 = reg32) d != 0;
    form: "isspacep{.space} p, a;";
    ptx: "{{ .reg .pred p; isspacep" .. " p, {a}; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.9.19";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// The generic address of the address `a` of a state space.
    fn cvta[Space: WindowSpace](a: u64 = reg64) -> *mut u8 = (p: *mut u8 = reg64) p;
    form: "cvta{.space}.u64 p, a;";
    ptx: "cvta" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// The address in a state space of the generic address `a`: unspecified unless `a` is in the window of the space.
    fn cvta_to[Space: WindowSpace](a: *const u8 = reg64) -> u64 = (p: u64 = reg64) p;
    form: "cvta.to{.space}.u64 p, a;";
    ptx: "cvta.to" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}

/// `mapa` and `getctarank`, by a generic address or by one of `.shared::cluster`, in 32 or 64 bits.
macro_rules! cluster_address {
    ($( $mapa:ident $getctarank:ident $form:literal ($Addr:ty, $class:ident) $what:literal )*) => { $(
        instruction! {
            #[doc = concat!("The ", $what, " of what `a` is in the executing CTA, or any of the cluster, in the CTA of rank `b`.")]
            @unsafe fn $mapa(a: $Addr = $class, b: u32 = reg32) -> $Addr = (d: $Addr = $class) d;
            form: "mapa" $form " d, a, b;";
            ptx: "mapa" .. $form " {d}, {a}, {b};";
            isa: "7.8", target: "sm_90", section: "9.7.9.23";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is such an address; the cluster has a CTA of rank `b`."
        }
        instruction! {
            #[doc = concat!("The rank of the CTA whose shared memory `a`, a ", $what, ", is in.")]
            @unsafe fn $getctarank(a: $Addr = $class) -> u32 = (d: u32 = reg32) d;
            form: "getctarank" $form " d, a;";
            ptx: "getctarank" .. $form " {d}, {a};";
            isa: "7.8", target: "sm_90", section: "9.7.9.24";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is such an address."
        }
    )* };
}

cluster_address! {
    mapa getctarank ".u64" (*mut u8, reg64) "generic address"
    mapa_shared_cluster getctarank_shared_cluster ".shared::cluster.u32" (u32, reg32) "`.shared::cluster` address"
    mapa_shared_cluster_u64 getctarank_shared_cluster_u64 ".shared::cluster.u64" (u64, reg64)
        "`.shared::cluster` address in 64 bits"
}
