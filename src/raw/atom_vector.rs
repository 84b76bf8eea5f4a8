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
    /// `.type` of the elements of `.op.noftz` with a `.v2` or `.v4`, of `atom` and `red`.
    AtomVectorType(TypeTag): "`{Self}` is no `.type` of a `.v2` or `.v4`: they take `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2 }
    /// `.type` of the elements of `.op.noftz` with a `.v8`, of `atom` and `red`.
    AtomVectorHalfType(TypeTag): "`{Self}` is no `.type` of a `.v8`: it takes `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}

/// What `.op` and `.vec` of `atom` and `red` decide, for `$row!`: the text of `.op` and the types, which are `f32` or `half`;
/// `.vec`, the elements of operand and result, as number, names and text in asm.
macro_rules! atom_vec {
    ($row:ident $( $doc:literal $op:literal $types:ident: $( $vec:ident $name:ident; )+ )+) => { $( $(
        atom_vec! { @$types $vec $row $name $doc $op }
    )+ )+ };
    (@f32 $vec:ident $($to:tt)*) => { atom_vec! { @$vec $($to)* AtomVectorAddType } };
    (@half v8 $($to:tt)*) => { atom_vec! { @v8 $($to)* AtomVectorHalfType } };
    (@half $vec:ident $($to:tt)*) => { atom_vec! { @$vec $($to)* AtomVectorType } };
    (@v2 $row:ident $($to:tt)*) => { $row! { $($to)* ".v2" 2 [ b0 b1 ] "{{{b0}, {b1}}}" [ d0 d1 ] "{{{d0}, {d1}}}" } };
    (@v4 $row:ident $($to:tt)*) => { $row! { $($to)* ".v4" 4
        [ b0 b1 b2 b3 ] "{{{b0}, {b1}, {b2}, {b3}}}" [ d0 d1 d2 d3 ] "{{{d0}, {d1}, {d2}, {d3}}}"
    } };
    (@v8 $row:ident $($to:tt)*) => { $row! { $($to)* ".v8" 8
        [ b0 b1 b2 b3 b4 b5 b6 b7 ] "{{{b0}, {b1}, {b2}, {b3}, {b4}, {b5}, {b6}, {b7}}}"
        [ d0 d1 d2 d3 d4 d5 d6 d7 ] "{{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}"
    } };
}

/// `atom{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type d, [a], b{, cache-policy};`
macro_rules! atom_vector {
    ($name:ident $doc:literal $op:literal $Type:ident
        $vec:literal $n:literal [ $($b:ident)+ ] $b_text:literal [ $($d:ident)+ ] $d_text:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            @unsafe fn $name[
                Sem: AtomSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace, ?CacheHint: L2CacheHint after $op, Ty: $Type after $vec,
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)+ ])
                -> [Ty::Value; $n] = ($($d: _ = typed),+) [$(cast($d)),+];
            form: "atom{.sem}{.scope}{.space}" $op "{.L2::cache_hint}" $vec "{.type} d, [addr], b{, cache-policy};";
            ptx: "atom" .. " " $d_text ", [{addr}], " $b_text .. ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
            "- a cache policy comes from a `createpolicy` instruction."
        }
    };
}

atom_vec! { atom_vector
    "Adds the elements of `b` to those at `addr`, and returns those before."
    ".add" f32:
        v2 atom_add_v2;
        v4 atom_add_v4;
    "Adds the elements of `b` to those at `addr`, subnormals preserved, and returns those before."
    ".add.noftz" half:
        v2 atom_add_noftz_v2;
        v4 atom_add_noftz_v4;
        v8 atom_add_noftz_v8;
    "Makes each element at `addr` the minimum of itself and that of `b`, and returns those before."
    ".min.noftz" half:
        v2 atom_min_noftz_v2;
        v4 atom_min_noftz_v4;
        v8 atom_min_noftz_v8;
    "Makes each element at `addr` the maximum of itself and that of `b`, and returns those before."
    ".max.noftz" half:
        v2 atom_max_noftz_v2;
        v4 atom_max_noftz_v4;
        v8 atom_max_noftz_v8;
}
