//! `red` with vector types: section 9.7.13.6.

/// `red{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type [a], b{, cache-policy};`
macro_rules! red_vector {
    ($doc:literal $vec:ident $op:literal, $Type:ident $tags:tt
        $name:ident, $hint:ident
    ) => {
        red_vector!(@$vec $doc $op $Type $tags $name "" [] "" "");
        red_vector!(@$vec $doc $op $Type $tags $hint ".L2::cache_hint" [cache_policy]
            "Under an L2 cache policy." ", cache-policy");
    };
    (@v2 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        red_vector!(@row $doc $op $Type $tags $name $hint ".v2" [ $($policy)? ] $how $form
            2 [ b0 b1 ]
            " [{addr}], {{{b0}, {b1}}}");
    };
    (@v4 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        red_vector!(@row $doc $op $Type $tags $name $hint ".v4" [ $($policy)? ] $how $form
            4 [ b0 b1 b2 b3 ]
            " [{addr}], {{{b0}, {b1}, {b2}, {b3}}}");
    };
    (@v8 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        red_vector!(@row $doc $op $Type $tags $name $hint ".v8" [ $($policy)? ] $how $form
            8 [ b0 b1 b2 b3 b4 b5 b6 b7 ]
            " [{addr}], {{{b0}, {b1}, {b2}, {b3}, {b4}, {b5}, {b6}, {b7}}}");
    };
    (@row $doc:literal $op:literal $Type:ident { $($tag:tt)* } $name:ident $hint:literal $vec:literal
        [] $how:literal $form:literal $n:literal [ $($b:ident)* ] $operands:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            #[doc = $how]
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)* ]);
            form: "red{.sem}{.scope}{.space}" $op $hint $vec "{.type} [addr], b" $form ";";
            ptx: "red" .. $operands ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.6";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
        }
    };
    (@row $doc:literal $op:literal $Type:ident { $($tag:tt)* } $name:ident $hint:literal $vec:literal
        [ cache_policy ] $how:literal $form:literal $n:literal [ $($b:ident)* ] $operands:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            #[doc = $how]
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)* ], cache_policy: u64 = reg64);
            form: "red{.sem}{.scope}{.space}" $op $hint $vec "{.type} [addr], b" $form ";";
            ptx: "red" .. $operands ", {cache_policy};";
            isa: "8.1", target: "sm_90", section: "9.7.13.6";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    };
}

red_vector! {
    "Adds the elements of `b` to those at `addr`."
    v2 ".add", AtomVectorAddType { ty::F32 as u32 in reg32 }
    red_add_v2, red_add_v2_cache_hint
}
red_vector! {
    "Adds the elements of `b` to those at `addr`."
    v4 ".add", AtomVectorAddType { ty::F32 as u32 in reg32 }
    red_add_v4, red_add_v4_cache_hint
}
red_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved."
    v2 ".add.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_add_noftz_v2, red_add_noftz_v2_cache_hint
}
red_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved."
    v4 ".add.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_add_noftz_v4, red_add_noftz_v4_cache_hint
}
red_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved."
    v8 ".add.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    red_add_noftz_v8, red_add_noftz_v8_cache_hint
}
red_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`."
    v2 ".min.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_min_noftz_v2, red_min_noftz_v2_cache_hint
}
red_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`."
    v4 ".min.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_min_noftz_v4, red_min_noftz_v4_cache_hint
}
red_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`."
    v8 ".min.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    red_min_noftz_v8, red_min_noftz_v8_cache_hint
}
red_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`."
    v2 ".max.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_max_noftz_v2, red_max_noftz_v2_cache_hint
}
red_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`."
    v4 ".max.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    red_max_noftz_v4, red_max_noftz_v4_cache_hint
}
red_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`."
    v8 ".max.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    red_max_noftz_v8, red_max_noftz_v8_cache_hint
}
