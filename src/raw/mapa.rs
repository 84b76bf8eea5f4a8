//! `mapa` (`cluster.map_shared_rank()`; PTX ISA 9.7.9.23).
//!
//! 32-bit generic addresses do not exist in a module with 64-bit addresses.

/// `mapa` on a generic address, or on a `.shared::cluster` address of 32 or 64 bits.
macro_rules! mapa {
    ($( $name:ident $form:literal ($Addr:ty, $class:ident) $what:literal )*) => { $(
        instruction! {
            #[doc = concat!("Maps `a`, a ", $what, " in any CTA of the cluster, to the corresponding")]
            /// address in the CTA of rank `b`.
            @unsafe fn $name(a: $Addr = $class, b: u32 = reg32) -> $Addr = (d: $Addr = $class) d;
            form: "mapa" $form " d, a, b;";
            ptx: "mapa" .. $form " {d}, {a}, {b};";
            isa: "7.8", target: "sm_90", section: "9.7.9.23";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is an address of this kind, in shared memory of the cluster. The cluster has a CTA of rank `b`."
        }
    )* };
}

mapa! {
    mapa ".u64" (*mut u8, reg64) "generic address"
    mapa_shared_cluster ".shared::cluster.u32" (u32, reg32) "`.shared::cluster` address"
    mapa_shared_cluster_u64 ".shared::cluster.u64" (u64, reg64) "`.shared::cluster` address in 64 bits"
}
