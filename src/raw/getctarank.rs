//! `getctarank` (`cluster.query_shared_rank()`; PTX ISA 9.7.9.24).
//!
//! 32-bit generic addresses do not exist in a module with 64-bit addresses.

/// `getctarank` on a generic address, or on a `.shared::cluster` address of 32 or 64 bits.
macro_rules! getctarank {
    ($( $name:ident $form:literal ($Addr:ty, $class:ident) $what:literal )*) => { $(
        instruction! {
            #[doc = concat!("Returns the rank of the CTA whose shared memory contains `a`, a ", $what, ".")]
            @unsafe fn $name(a: $Addr = $class) -> u32 = (d: u32 = reg32) d;
            form: "getctarank" $form " d, a;";
            ptx: "getctarank" .. $form " {d}, {a};";
            isa: "7.8", target: "sm_90", section: "9.7.9.24";
            options: pure, nomem, nostack, preserves_flags;
            # Safety
            "- `a` is an address of this kind, in shared memory of the cluster."
        }
    )* };
}

getctarank! {
    getctarank ".u64" (*mut u8, reg64) "generic address"
    getctarank_shared_cluster ".shared::cluster.u32" (u32, reg32) "`.shared::cluster` address"
    getctarank_shared_cluster_u64 ".shared::cluster.u64" (u64, reg64) "`.shared::cluster` address in 64 bits"
}
