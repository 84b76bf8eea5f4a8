//! `red` with scalar types: section 9.7.13.6.

legal! {
    /// `.sem` of `red`.
    RedSem: "`{Self}` is no `.sem` of `red`: it takes `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
}

/// `red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy};`
macro_rules! red {
    (
        $doc:literal $op:literal since $isa:literal, $Type:ident $tags:tt
        $generic:ident, $generic_hint:ident, $global:ident, $global_hint:ident, $cta:ident, $cluster:ident
    ) => {
        red!(@plain $doc $op $Type $tags
            $generic *mut u8, reg64, "", $isa, "sm_70", "global or shared memory, by a generic address");
        red!(@plain $doc $op $Type $tags $global *mut u8, reg64, ".global", $isa, "sm_70", "global memory");
        red!(@plain $doc $op $Type $tags
            $cta u32, reg32, ".shared::cta", "7.8", "sm_70", "shared memory of the executing CTA");
        red!(@plain $doc $op $Type $tags
            $cluster u32, reg32, ".shared::cluster", "7.8", "sm_90", "shared memory of a CTA of the cluster that has not exited");
        red!(@hint $doc $op $Type $tags $generic_hint "", "global memory, by a generic address");
        red!(@hint $doc $op $Type $tags $global_hint ".global", "global memory");
    };
    (@plain $doc:literal $op:literal $Type:ident { $($tag:tt)* }
        $name:ident $Addr:ty, $class:ident, $space:literal, $isa:literal, $target:literal, $memory:literal
    ) => {
        instruction! {
            #[doc = $doc]
            #[doc = concat!("The value is in ", $memory, ".")]
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Ty: $Type after $space $op { $($tag)* },
            ](addr: $Addr = $class, b: Ty::Value = typed);
            form: "red{.sem}{.scope}" $space $op "{.type} [addr], b;";
            ptx: "red" .. " [{addr}], {b};";
            isa: $isa, target: $target, section: "9.7.13.6";
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
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Ty: $Type after $space $op ".L2::cache_hint" { $($tag)* },
            ](addr: *mut u8 = reg64, b: Ty::Value = typed, cache_policy: u64 = reg64);
            form: "red{.sem}{.scope}" $space $op ".L2::cache_hint{.type} [addr], b, cache-policy;";
            ptx: "red" .. " [{addr}], {b}, {cache_policy};";
            isa: "7.4", target: "sm_80", section: "9.7.13.6";
            # Safety
            "- `addr` is the address of such a value in the memory named above, aligned to its size."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    };
}

red! {
    "Adds `b` to the value at `addr`."
    ".add" since "6.0", AtomAddType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::F32 as u32 in reg32,
        ty::F64 as u64 in reg64,
    }
    red_add, red_add_cache_hint, red_add_global, red_add_global_cache_hint, red_add_shared_cta,
    red_add_shared_cluster
}
red! {
    "Adds `b` to the value at `addr`, subnormals preserved. Of a pair each is atomic for itself."
    ".add.noftz" since "6.2", AtomAddNoftzType {
        ty::F16 as u16 in reg16 @ "6.3", ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::F16x2 as u32 in reg32,
        ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
    }
    red_add_noftz, red_add_noftz_cache_hint, red_add_noftz_global, red_add_noftz_global_cache_hint,
    red_add_noftz_shared_cta, red_add_noftz_shared_cluster
}
red! {
    "Increments the value at `addr`, or makes it 0 if it is `b` or more."
    ".inc" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    red_inc, red_inc_cache_hint, red_inc_global, red_inc_global_cache_hint, red_inc_shared_cta,
    red_inc_shared_cluster
}
red! {
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`."
    ".dec" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    red_dec, red_dec_cache_hint, red_dec_global, red_dec_global_cache_hint, red_dec_shared_cta,
    red_dec_shared_cluster
}
red! {
    "Makes the value at `addr` the minimum of itself and `b`."
    ".min" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    red_min, red_min_cache_hint, red_min_global, red_min_global_cache_hint, red_min_shared_cta,
    red_min_shared_cluster
}
red! {
    "Makes the value at `addr` the maximum of itself and `b`."
    ".max" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    red_max, red_max_cache_hint, red_max_global, red_max_global_cache_hint, red_max_shared_cta,
    red_max_shared_cluster
}
red! {
    "Makes the value at `addr` its bitwise and with `b`."
    ".and" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_and, red_and_cache_hint, red_and_global, red_and_global_cache_hint, red_and_shared_cta,
    red_and_shared_cluster
}
red! {
    "Makes the value at `addr` its bitwise or with `b`."
    ".or" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_or, red_or_cache_hint, red_or_global, red_or_global_cache_hint, red_or_shared_cta,
    red_or_shared_cluster
}
red! {
    "Makes the value at `addr` its bitwise exclusive or with `b`."
    ".xor" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_xor, red_xor_cache_hint, red_xor_global, red_xor_global_cache_hint, red_xor_shared_cta,
    red_xor_shared_cluster
}
