//! `atom` with vector types: section 9.7.13.5.
//!
//! ptxas 13.5 takes `.add.noftz` with vectors of `.f32` too, of `atom` and of `red`; the sections' syntax has `.noftz` with
//! half types only, and so it is not offered.

#[cfg(target_arch = "nvptx64")]
use super::cast;

legal! {
    /// `.type` of the elements of `atom.add` and `red.add` with a vector type.
    AtomVectorAddType(TypeTag): "`{Self}` is no `.type` of `.add` with a vector: it takes `.f32`"
    { ty::F32 }
}
legal! {
    /// `.type` of the elements of `.op.noftz` with a `.v2` or `.v4`, of `atom` and `red`.
    AtomVectorType(TypeTag): "`{Self}` is no `.type` of a `.v2` or `.v4`: they take `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2 }
}
legal! {
    /// `.type` of the elements of `.op.noftz` with a `.v8`, of `atom` and `red`.
    AtomVectorHalfType(TypeTag): "`{Self}` is no `.type` of a `.v8`: it takes `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}

/// `atom{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type d, [a], b{, cache-policy};`
macro_rules! atom_vector {
    ($doc:literal $vec:ident $op:literal, $Type:ident $tags:tt
        $name:ident, $hint:ident
    ) => {
        atom_vector!(@$vec $doc $op $Type $tags $name "" [] "" "");
        atom_vector!(@$vec $doc $op $Type $tags $hint ".L2::cache_hint" [cache_policy]
            "Under an L2 cache policy." ", cache-policy");
    };
    (@v2 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        atom_vector!(@row $doc $op $Type $tags $name $hint ".v2" [ $($policy)? ] $how $form
            2 [ b0 b1 ] [ d0 d1 ]
            " {{{d0}, {d1}}}, [{addr}], {{{b0}, {b1}}}");
    };
    (@v4 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        atom_vector!(@row $doc $op $Type $tags $name $hint ".v4" [ $($policy)? ] $how $form
            4 [ b0 b1 b2 b3 ] [ d0 d1 d2 d3 ]
            " {{{d0}, {d1}, {d2}, {d3}}}, [{addr}], {{{b0}, {b1}, {b2}, {b3}}}");
    };
    (@v8 $doc:literal $op:literal $Type:ident $tags:tt
        $name:ident $hint:literal [ $($policy:ident)? ] $how:literal $form:literal
    ) => {
        atom_vector!(@row $doc $op $Type $tags $name $hint ".v8" [ $($policy)? ] $how $form
            8 [ b0 b1 b2 b3 b4 b5 b6 b7 ] [ d0 d1 d2 d3 d4 d5 d6 d7 ]
            " {{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}, [{addr}], {{{b0}, {b1}, {b2}, {b3}, {b4}, {b5}, {b6}, {b7}}}");
    };
    (@row $doc:literal $op:literal $Type:ident { $($tag:tt)* } $name:ident $hint:literal $vec:literal
        [] $how:literal $form:literal $n:literal [ $($b:ident)* ] [ $($d:ident)* ] $operands:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            #[doc = $how]
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)* ])
                -> [Ty::Value; $n] = ($($d: _ = typed),*) [$(cast($d)),*];
            form: "atom{.sem}{.scope}{.space}" $op $hint $vec "{.type} d, [addr], b" $form ";";
            ptx: "atom" .. $operands ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
        }
    };
    (@row $doc:literal $op:literal $Type:ident { $($tag:tt)* } $name:ident $hint:literal $vec:literal
        [ cache_policy ] $how:literal $form:literal $n:literal [ $($b:ident)* ] [ $($d:ident)* ] $operands:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            #[doc = $how]
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)* ], cache_policy: u64 = reg64)
                -> [Ty::Value; $n] = ($($d: _ = typed),*) [$(cast($d)),*];
            form: "atom{.sem}{.scope}{.space}" $op $hint $vec "{.type} d, [addr], b" $form ";";
            ptx: "atom" .. $operands ", {cache_policy};";
            isa: "8.1", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
            "- `cache_policy` comes from a `createpolicy` instruction."
        }
    };
}

atom_vector! {
    "Adds the elements of `b` to those at `addr`, and returns those before."
    v2 ".add", AtomVectorAddType { ty::F32 as u32 in reg32 }
    atom_add_v2, atom_add_v2_cache_hint
}
atom_vector! {
    "Adds the elements of `b` to those at `addr`, and returns those before."
    v4 ".add", AtomVectorAddType { ty::F32 as u32 in reg32 }
    atom_add_v4, atom_add_v4_cache_hint
}
atom_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved, and returns those before."
    v2 ".add.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_add_noftz_v2, atom_add_noftz_v2_cache_hint
}
atom_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved, and returns those before."
    v4 ".add.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_add_noftz_v4, atom_add_noftz_v4_cache_hint
}
atom_vector! {
    "Adds the elements of `b` to those at `addr`, subnormals preserved, and returns those before."
    v8 ".add.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    atom_add_noftz_v8, atom_add_noftz_v8_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`, and returns those before."
    v2 ".min.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_min_noftz_v2, atom_min_noftz_v2_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`, and returns those before."
    v4 ".min.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_min_noftz_v4, atom_min_noftz_v4_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the minimum of itself and that of `b`, and returns those before."
    v8 ".min.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    atom_min_noftz_v8, atom_min_noftz_v8_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`, and returns those before."
    v2 ".max.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_max_noftz_v2, atom_max_noftz_v2_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`, and returns those before."
    v4 ".max.noftz", AtomVectorType {
        ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16,
        ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32,
    }
    atom_max_noftz_v4, atom_max_noftz_v4_cache_hint
}
atom_vector! {
    "Makes each element at `addr` the maximum of itself and that of `b`, and returns those before."
    v8 ".max.noftz", AtomVectorHalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }
    atom_max_noftz_v8, atom_max_noftz_v8_cache_hint
}
