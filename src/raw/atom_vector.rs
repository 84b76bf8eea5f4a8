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

/// What `.op`, `.vec` and the cache policy of `atom` and `red` decide, for `$row!`: the text of `.op` and the types, which are
/// `f32` or `half`; `.vec`, the elements of operand and result, as number, names and text in asm; the policy. Each without
/// and with a policy.
macro_rules! atom_vec {
    ($row:ident $( $doc:literal $op:literal $types:ident: $( $vec:ident $name:ident, $hint:ident; )+ )+) => { $( $(
        atom_vec! { @$types $vec $op $row $doc $name $hint }
    )+ )+ };
    (@f32 $vec:ident $op:literal $($to:tt)*) => {
        atom_vec! { @$vec [ $op AtomVectorAddType { ty::F32 } ] $($to)* }
    };
    (@half v8 $op:literal $($to:tt)*) => { atom_vec! { @v8
        [ $op AtomVectorHalfType { ty::F16, ty::Bf16 } ] $($to)*
    } };
    (@half $vec:ident $op:literal $($to:tt)*) => { atom_vec! { @$vec [ $op AtomVectorType {
        ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2,
    } ] $($to)* } };
    (@v2 $($to:tt)*) => {
        atom_vec! { @hints [ ".v2" 2 [ b0 b1 ] "{{{b0}, {b1}}}" [ d0 d1 ] "{{{d0}, {d1}}}" ] $($to)* }
    };
    (@v4 $($to:tt)*) => { atom_vec! { @hints [ ".v4" 4
        [ b0 b1 b2 b3 ] "{{{b0}, {b1}, {b2}, {b3}}}" [ d0 d1 d2 d3 ] "{{{d0}, {d1}, {d2}, {d3}}}"
    ] $($to)* } };
    (@v8 $($to:tt)*) => { atom_vec! { @hints [ ".v8" 8
        [ b0 b1 b2 b3 b4 b5 b6 b7 ] "{{{b0}, {b1}, {b2}, {b3}, {b4}, {b5}, {b6}, {b7}}}"
        [ d0 d1 d2 d3 d4 d5 d6 d7 ] "{{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}"
    ] $($to)* } };
    (@hints $vec:tt $op:tt $row:ident $doc:literal $name:ident $hint:ident) => {
        $row! { $name $doc $op $vec "" [] }
        $row! { $hint $doc $op $vec ".L2::cache_hint" [ cache_policy ", {cache_policy}", ", cache-policy"
            "Under an L2 cache policy." "- `cache_policy` comes from a `createpolicy` instruction." ] }
    };
}
pub(super) use atom_vec;

/// `atom{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type d, [a], b{, cache-policy};`
macro_rules! atom_vector {
    ($name:ident $doc:literal [ $op:literal $Type:ident { $($tag:tt)* } ]
        [ $vec:literal $n:literal [ $($b:ident)+ ] $b_text:literal [ $($d:ident)+ ] $d_text:literal ] $hint:literal
        [ $($policy:ident $policy_text:literal, $policy_form:literal $how:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            $( #[doc = $how] )?
            @unsafe fn $name[
                Sem: AtomSem { sem::Relaxed, sem::Acquire, sem::Release, sem::AcqRel },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)+ ], $( $policy: u64 = reg64, )?)
                -> [Ty::Value; $n] = ($($d: _ = typed),+) [$(cast($d)),+];
            form: "atom{.sem}{.scope}{.space}" $op $hint $vec "{.type} d, [addr], b" $( $policy_form )? ";";
            ptx: "atom" .. " " $d_text ", [{addr}], " $b_text $( $policy_text )? ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
            $( $policy_note )?
        }
    };
}

atom_vec! { atom_vector
    "Adds the elements of `b` to those at `addr`, and returns those before."
    ".add" f32:
        v2 atom_add_v2, atom_add_v2_cache_hint;
        v4 atom_add_v4, atom_add_v4_cache_hint;
    "Adds the elements of `b` to those at `addr`, subnormals preserved, and returns those before."
    ".add.noftz" half:
        v2 atom_add_noftz_v2, atom_add_noftz_v2_cache_hint;
        v4 atom_add_noftz_v4, atom_add_noftz_v4_cache_hint;
        v8 atom_add_noftz_v8, atom_add_noftz_v8_cache_hint;
    "Makes each element at `addr` the minimum of itself and that of `b`, and returns those before."
    ".min.noftz" half:
        v2 atom_min_noftz_v2, atom_min_noftz_v2_cache_hint;
        v4 atom_min_noftz_v4, atom_min_noftz_v4_cache_hint;
        v8 atom_min_noftz_v8, atom_min_noftz_v8_cache_hint;
    "Makes each element at `addr` the maximum of itself and that of `b`, and returns those before."
    ".max.noftz" half:
        v2 atom_max_noftz_v2, atom_max_noftz_v2_cache_hint;
        v4 atom_max_noftz_v4, atom_max_noftz_v4_cache_hint;
        v8 atom_max_noftz_v8, atom_max_noftz_v8_cache_hint;
}
