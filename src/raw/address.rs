//! Conversions of addresses: `isspacep` (`__isShared()` …), `cvta` (`__cvta_generic_to_shared()` …), `mapa` and `getctarank`
//! (`cluster.map_shared_rank()`, `cluster.query_shared_rank()`; PTX ISA 9.7.9.19, 9.7.9.20, 9.7.9.23, 9.7.9.24).
//!
//! `mapa`, `getctarank` and `cvta` with 32-bit generic addresses do not exist in a module with 64-bit addresses.

legal! {
    /// A state space with an address window, for `cvta` and `isspacep`.
    WindowSpace: "`{Self}` is not a space of `cvta` or `isspacep`: use `.shared::cta`, `.shared::cluster`, `.global`, `.local`, \
        `.const` or `.param::entry`"
    {
        space::SharedCta, space::SharedCluster on "sm_90", space::Global, space::Local, space::Const,
        space::ParamEntry @ "8.3",
    }
}

instruction! {
    /// Returns whether the generic address `a` is in the window of the state space `Space`.
    fn isspacep[Space: WindowSpace](a: *const u8 = reg64) -> bool = (d: u32 = reg32) d != 0;
    form: "isspacep{.space} p, a;";
    ptx: "{{ .reg .pred p; isspacep" .. " p, {a}; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.9.19";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the address `a` in `Space` to a generic address.
    fn cvta[Space: WindowSpace](a: u64 = reg64) -> *mut u8 = (p: *mut u8 = reg64) p;
    form: "cvta{.space}.u64 p, a;";
    ptx: "cvta" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the generic address `a` to an address in `Space`. The result is unspecified if `a` is not in the window of
    /// `Space`.
    fn cvta_to[Space: WindowSpace](a: *const u8 = reg64) -> u64 = (p: u64 = reg64) p;
    form: "cvta.to{.space}.u64 p, a;";
    ptx: "cvta.to" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}

/// `mapa` and `getctarank` on a generic address, or on a `.shared::cluster` address of 32 or 64 bits.
macro_rules! cluster_address {
    ($( $mapa:ident $getctarank:ident $form:literal ($Addr:ty, $class:ident) $what:literal )*) => { $(
        instruction! {
            #[doc = concat!("Maps `a`, a ", $what, " in any CTA of the cluster, to the corresponding")]
            /// address in the CTA of rank `b`.
            @unsafe fn $mapa(a: $Addr = $class, b: u32 = reg32) -> $Addr = (d: $Addr = $class) d;
            form: "mapa" $form " d, a, b;";
            ptx: "mapa" .. $form " {d}, {a}, {b};";
            isa: "7.8", target: "sm_90", section: "9.7.9.23";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is an address of this kind, in shared memory of the cluster. The cluster has a CTA of rank `b`."
        }
        instruction! {
            #[doc = concat!("Returns the rank of the CTA whose shared memory contains `a`, a ", $what, ".")]
            @unsafe fn $getctarank(a: $Addr = $class) -> u32 = (d: u32 = reg32) d;
            form: "getctarank" $form " d, a;";
            ptx: "getctarank" .. $form " {d}, {a};";
            isa: "7.8", target: "sm_90", section: "9.7.9.24";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is an address of this kind, in shared memory of the cluster."
        }
    )* };
}

cluster_address! {
    mapa getctarank ".u64" (*mut u8, reg64) "generic address"
    mapa_shared_cluster getctarank_shared_cluster ".shared::cluster.u32" (u32, reg32) "`.shared::cluster` address"
    mapa_shared_cluster_u64 getctarank_shared_cluster_u64 ".shared::cluster.u64" (u64, reg64)
        "`.shared::cluster` address in 64 bits"
}
