//! `atom` with scalar types: section 9.7.13.5.

#[cfg(target_arch = "nvptx64")]
use super::cast;
use crate::qualifier::B128;

legal! {
    /// `.sem` of `atom`.
    AtomSem: "`{Self}` is no `.sem` of `atom`: it takes `.relaxed`, `.acquire`, `.release` or `.acq_rel`"
    { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel }
}
legal! {
    /// `.scope` of `atom` and `red`.
    AtomScope: "`{Self}` is no `.scope` of `atom` or `red`: they take `.cta`, `.cluster`, `.gpu` or `.sys`"
    { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys }
}
legal! {
    /// `.type` of `atom.add` and `red.add`.
    // 9.7.13.5 lists `.s64` among the types; ptxas 13.5 refuses it with `.add`. `.u64` adds the same bits.
    AtomAddType(TypeTag): "`{Self}` is no `.type` of `.add`: it takes `.u32`, `.u64`, `.s32`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::S32, ty::F32, ty::F64 }
}
legal! {
    /// `.type` of `atom.add.noftz` and `red.add.noftz`.
    AtomAddNoftzType(TypeTag): "`{Self}` is no `.type` of `.add.noftz`: it takes `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2 }
}
legal! {
    /// `.type` of `.inc` and `.dec` of `atom` and `red`.
    AtomIncType(TypeTag): "`{Self}` is no `.type` of `.inc` or `.dec`: they take `.u32`"
    { ty::U32 }
}
legal! {
    /// `.type` of `.min` and `.max` of `atom` and `red`.
    AtomMinType(TypeTag): "`{Self}` is no `.type` of `.min` or `.max`: they take `.u32`, `.u64`, `.s32` or `.s64`"
    { ty::U32, ty::U64, ty::S32, ty::S64 }
}
legal! {
    /// `.type` of `.and`, `.or` and `.xor` of `atom` and `red`, and of `atom.exch`, which has a `.b128` besides.
    AtomBitType(TypeTag): "`{Self}` is no `.type` of `.and`, `.or`, `.xor` or `.exch`: they take `.b32` or `.b64`"
    { ty::B32, ty::B64 }
}
legal! {
    /// `.type` of `atom.cas`, which has a `.b128` besides.
    AtomCasType(TypeTag): "`{Self}` is no `.type` of `atom.cas`: it takes `.b16`, `.b32` or `.b64`"
    { ty::B16, ty::B32, ty::B64 }
}

/// `atom{.sem}{.scope}{.space}.op{.level::cache_hint}.type d, [a], b{, cache-policy};`
macro_rules! atom {
    (
        $doc:literal $op:literal since $isa:literal, $Type:ident $tags:tt
        $generic:ident, $generic_hint:ident, $global:ident, $global_hint:ident, $cta:ident, $cluster:ident
    ) => {
        atom!(@plain $doc $op $Type $tags
            $generic *mut u8, reg64, "", $isa, "sm_70", "global or shared memory, by a generic address");
        atom!(@plain $doc $op $Type $tags $global *mut u8, reg64, ".global", $isa, "sm_70", "global memory");
        atom!(@plain $doc $op $Type $tags
            $cta u32, reg32, ".shared::cta", "7.8", "sm_70", "shared memory of the executing CTA");
        atom!(@plain $doc $op $Type $tags
            $cluster u32, reg32, ".shared::cluster", "7.8", "sm_90", "shared memory of a CTA of the cluster that has not exited");
        atom!(@hint $doc $op $Type $tags $generic_hint "", "global memory, by a generic address");
        atom!(@hint $doc $op $Type $tags $global_hint ".global", "global memory");
    };
    (@plain $doc:literal $op:literal $Type:ident { $($tag:tt)* }
        $name:ident $Addr:ty, $class:ident, $space:literal, $isa:literal, $target:literal, $memory:literal
    ) => {
        instruction! {
            #[doc = $doc]
            #[doc = concat!("The value is in ", $memory, ".")]
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Ty: $Type after $space $op { $($tag)* },
            ](addr: $Addr = $class, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
            form: "atom{.sem}{.scope}" $space $op "{.type} d, [addr], b;";
            ptx: "atom" .. " {d}, [{addr}], {b};";
            isa: $isa, target: $target, section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a value in the memory named above, aligned to its size."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
        }
    };
    (@hint $doc:literal $op:literal $Type:ident { $($tag:tt)* } $name:ident $space:literal, $memory:literal) => {
        instruction! {
            #[doc = $doc]
            #[doc = concat!("The value is in ", $memory, "; under an L2 cache policy.")]
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Ty: $Type after $space $op ".L2::cache_hint" { $($tag)* },
            ](addr: *mut u8 = reg64, b: Ty::Value = typed, cache_policy: u64 = reg64)
                -> Ty::Value = (d: _ = typed) cast(d);
            form: "atom{.sem}{.scope}" $space $op ".L2::cache_hint{.type} d, [addr], b, cache-policy;";
            ptx: "atom" .. " {d}, [{addr}], {b}, {cache_policy};";
            isa: "7.4", target: "sm_80", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a value in the memory named above, aligned to its size."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    };
}

atom! {
    "Adds `b` to the value at `addr`, and returns the value before."
    ".add" since "6.0", AtomAddType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::F32 as u32 in reg32,
        ty::F64 as u64 in reg64,
    }
    atom_add, atom_add_cache_hint, atom_add_global, atom_add_global_cache_hint, atom_add_shared_cta,
    atom_add_shared_cluster
}
atom! {
    "Adds `b` to the value at `addr`, subnormals preserved, and returns the value before. Of a pair each is atomic for itself."
    ".add.noftz" since "6.2", AtomAddNoftzType {
        ty::F16 as u16 in reg16 @ "6.3", ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::F16x2 as u32 in reg32,
        ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
    }
    atom_add_noftz, atom_add_noftz_cache_hint, atom_add_noftz_global, atom_add_noftz_global_cache_hint,
    atom_add_noftz_shared_cta, atom_add_noftz_shared_cluster
}
atom! {
    "Increments the value at `addr`, or makes it 0 if it is `b` or more, and returns the value before."
    ".inc" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    atom_inc, atom_inc_cache_hint, atom_inc_global, atom_inc_global_cache_hint, atom_inc_shared_cta,
    atom_inc_shared_cluster
}
atom! {
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`, and returns the value before."
    ".dec" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    atom_dec, atom_dec_cache_hint, atom_dec_global, atom_dec_global_cache_hint, atom_dec_shared_cta,
    atom_dec_shared_cluster
}
atom! {
    "Makes the value at `addr` the minimum of itself and `b`, and returns the value before."
    ".min" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    atom_min, atom_min_cache_hint, atom_min_global, atom_min_global_cache_hint, atom_min_shared_cta,
    atom_min_shared_cluster
}
atom! {
    "Makes the value at `addr` the maximum of itself and `b`, and returns the value before."
    ".max" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    atom_max, atom_max_cache_hint, atom_max_global, atom_max_global_cache_hint, atom_max_shared_cta,
    atom_max_shared_cluster
}
atom! {
    "Makes the value at `addr` its bitwise and with `b`, and returns the value before."
    ".and" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    atom_and, atom_and_cache_hint, atom_and_global, atom_and_global_cache_hint, atom_and_shared_cta,
    atom_and_shared_cluster
}
atom! {
    "Makes the value at `addr` its bitwise or with `b`, and returns the value before."
    ".or" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    atom_or, atom_or_cache_hint, atom_or_global, atom_or_global_cache_hint, atom_or_shared_cta,
    atom_or_shared_cluster
}
atom! {
    "Makes the value at `addr` its bitwise exclusive or with `b`, and returns the value before."
    ".xor" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    atom_xor, atom_xor_cache_hint, atom_xor_global, atom_xor_global_cache_hint, atom_xor_shared_cta,
    atom_xor_shared_cluster
}
atom! {
    "Makes the value at `addr` `b`, and returns the value before."
    ".exch" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    atom_exch, atom_exch_cache_hint, atom_exch_global, atom_exch_global_cache_hint, atom_exch_shared_cta,
    atom_exch_shared_cluster
}

/// What takes a compare value, and what is 128 bits wide: a row per space.
macro_rules! atom_cas_exch {
    ($cas:ident, $cas_b128:ident, $exch_b128:ident, $Addr:ty, $class:ident, $space:literal, $isa:literal, $target:literal,
        $memory:literal
    ) => {
        instruction! {
            /// Makes the value at `addr` `c` if it equals `b`, and returns the value before.
            #[doc = concat!("The value is in ", $memory, ".")]
            @unsafe fn $cas[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Ty: AtomCasType after $space ".cas" {
                    ty::B16 as u16 in reg16 @ "6.3", ty::B32 as u32 in reg32, ty::B64 as u64 in reg64,
                },
            ](addr: $Addr = $class, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
            form: "atom{.sem}{.scope}" $space ".cas{.type} d, [addr], b, c;";
            ptx: "atom" .. " {d}, [{addr}], {b}, {c};";
            isa: $isa, target: $target, section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a value in the memory named above, aligned to its size."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
        }
        instruction! {
            /// Makes the 128 bits at `addr` `c` if they equal `b`, and returns the bits before.
            #[doc = concat!("They are in ", $memory, ".")]
            @unsafe fn $cas_b128[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
            ](addr: $Addr = $class, b: B128 = { lo: b_lo, hi: b_hi }, c: B128 = { lo: c_lo, hi: c_hi })
                -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
            form: "atom{.sem}{.scope}" $space ".cas.b128 d, [addr], b, c;";
            ptx: "{{ .reg .b128 q, q1; mov.b128 q, {{{b_lo}, {b_hi}}}; mov.b128 q1, {{{c_lo}, {c_hi}}}; atom" ..
                $space ".cas.b128 q, [{addr}], q, q1; mov.b128 {{{lo}, {hi}}}, q; }}";
            isa: "8.3", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of 16 such bytes in the memory named above, aligned to 16."
            "- what others do to them meanwhile is atomic, in scopes that include each other."
        }
        instruction! {
            /// Makes the 128 bits at `addr` `b`, and returns the bits before.
            #[doc = concat!("They are in ", $memory, ".")]
            @unsafe fn $exch_b128[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
            ](addr: $Addr = $class, b: B128 = { lo: b_lo, hi: b_hi })
                -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
            form: "atom{.sem}{.scope}" $space ".exch.b128 d, [addr], b;";
            ptx: "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; atom" ..
                $space ".exch.b128 q, [{addr}], q; mov.b128 {{{lo}, {hi}}}, q; }}";
            isa: "8.3", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of 16 such bytes in the memory named above, aligned to 16."
            "- what others do to them meanwhile is atomic, in scopes that include each other."
        }
    };
    ($exch_b128_hint:ident, $space:literal, $memory:literal) => {
        instruction! {
            /// Makes the 128 bits at `addr` `b`, and returns the bits before.
            #[doc = concat!("They are in ", $memory, "; under an L2 cache policy.")]
            @unsafe fn $exch_b128_hint[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys @ "8.4" },
            ](addr: *mut u8 = reg64, b: B128 = { lo: b_lo, hi: b_hi }, cache_policy: u64 = reg64)
                -> B128 = (lo: u64 = reg64, hi: u64 = reg64) B128 { lo, hi };
            form: "atom{.sem}{.scope}" $space ".exch.L2::cache_hint.b128 d, [addr], b, cache-policy;";
            ptx: "{{ .reg .b128 q; mov.b128 q, {{{b_lo}, {b_hi}}}; atom" ..
                $space ".exch.L2::cache_hint.b128 q, [{addr}], q, {cache_policy}; mov.b128 {{{lo}, {hi}}}, q; }}";
            isa: "8.3", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of 16 such bytes in the memory named above, aligned to 16."
            "- what others do to them meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    };
}

atom_cas_exch! {
    atom_cas, atom_cas_b128, atom_exch_b128, *mut u8, reg64, "", "6.0", "sm_70",
    "global or shared memory, by a generic address"
}
atom_cas_exch! {
    atom_cas_global, atom_cas_b128_global, atom_exch_b128_global, *mut u8, reg64, ".global", "6.0", "sm_70",
    "global memory"
}
atom_cas_exch! {
    atom_cas_shared_cta, atom_cas_b128_shared_cta, atom_exch_b128_shared_cta, u32, reg32, ".shared::cta", "7.8",
    "sm_70", "shared memory of the executing CTA"
}
atom_cas_exch! {
    atom_cas_shared_cluster, atom_cas_b128_shared_cluster, atom_exch_b128_shared_cluster, u32, reg32,
    ".shared::cluster", "7.8", "sm_90", "shared memory of a CTA of the cluster that has not exited"
}
atom_cas_exch! { atom_exch_b128_cache_hint, "", "global memory, by a generic address" }
atom_cas_exch! { atom_exch_b128_global_cache_hint, ".global", "global memory" }
