//! `red` with scalar types: section 9.7.13.6.

legal! {
    /// `.sem` of `red`.
    RedSem: "`{Self}` is no `.sem` of `red`: it takes `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
}

/// `red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy};`
macro_rules! red {
    ($( $doc:literal $op:literal since $isa:literal, $Type:ident { $($tag:tt)* } $name:ident $hint:ident )*) => { $(
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Space: AtomSpace {
                    space::All at u64 in reg64, space::Global at u64 in reg64, space::SharedCta at u32 in reg32 @ "7.8",
                    space::SharedCluster at u32 in reg32 @ "7.8" on "sm_90",
                },
                Ty: $Type after $op { $($tag)* },
            ](addr: Space::Address = address, b: Ty::Value = typed);
            form: "red{.sem}{.scope}{.space}" $op "{.type} [addr], b;";
            ptx: "red" .. " [{addr}], {b};";
            isa: $isa, target: "sm_70", section: "9.7.13.6";
            # Safety
            "- `addr` is the address, in the given space, of such a value in global or shared memory, aligned to its size."
            "- in `.shared::cluster`, its CTA has not exited."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
        }
        instruction! {
            #[doc = $doc]
            /// The value is in global memory; under an L2 cache policy.
            @unsafe fn $hint[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op ".L2::cache_hint" { $($tag)* },
            ](addr: *mut u8 = reg64, b: Ty::Value = typed, cache_policy: u64 = reg64)
               ;
            form: "red{.sem}{.scope}{.space}" $op ".L2::cache_hint{.type} [addr], b, cache-policy;";
            ptx: "red" .. " [{addr}], {b}, {cache_policy};";
            isa: "7.4", target: "sm_80", section: "9.7.13.6";
            # Safety
            "- `addr` is the address of such a value in global memory, aligned to its size."
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    )* };
}

red! {
    "Adds `b` to the value at `addr`."
    ".add" since "6.0", AtomAddType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::F32 as u32 in reg32,
        ty::F64 as u64 in reg64,
    }
    red_add red_add_cache_hint

    "Adds `b` to the value at `addr`, subnormals preserved. Of a pair each is atomic for itself."
    ".add.noftz" since "6.2", AtomAddNoftzType {
        ty::F16 as u16 in reg16 @ "6.3", ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::F16x2 as u32 in reg32,
        ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
    }
    red_add_noftz red_add_noftz_cache_hint

    "Increments the value at `addr`, or makes it 0 if it is `b` or more."
    ".inc" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    red_inc red_inc_cache_hint

    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`."
    ".dec" since "6.0", AtomIncType { ty::U32 as u32 in reg32 }
    red_dec red_dec_cache_hint

    "Makes the value at `addr` the minimum of itself and `b`."
    ".min" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    red_min red_min_cache_hint

    "Makes the value at `addr` the maximum of itself and `b`."
    ".max" since "6.0", AtomMinType {
        ty::U32 as u32 in reg32, ty::U64 as u64 in reg64, ty::S32 as u32 in reg32, ty::S64 as u64 in reg64,
    }
    red_max red_max_cache_hint

    "Makes the value at `addr` its bitwise and with `b`."
    ".and" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_and red_and_cache_hint

    "Makes the value at `addr` its bitwise or with `b`."
    ".or" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_or red_or_cache_hint

    "Makes the value at `addr` its bitwise exclusive or with `b`."
    ".xor" since "6.0", AtomBitType { ty::B32 as u32 in reg32, ty::B64 as u64 in reg64 }
    red_xor red_xor_cache_hint
}
