//! `atom` on vectors in global memory (PTX ISA 9.7.13.5).

legal! {
    AtomVectorAddType(TypeTag): "`{Self}` is not a `.type` of `.add` on vectors: use `.f32`"
    { ty::F32 }
    /// `.type` of the elements of `.add.noftz` with a `.v2` or `.v4`, of `atom` and `red`.
    AtomVectorNoftzType(TypeTag): "`{Self}` is not a `.type` of `.add.noftz` with a `.v2` or `.v4`: use `.f16`, `.bf16`, `.f16x2`, `.bf16x2` or `.f32`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2, ty::F32 @ "9.4" }
    /// `.type` of the elements of `.min.noftz` and `.max.noftz` with a `.v2` or `.v4`, of `atom` and `red`.
    AtomVectorType(TypeTag): "`{Self}` is not a `.type` of a `.v2` or `.v4`: use `.f16`, `.bf16`, `.f16x2` or `.bf16x2`"
    { ty::F16, ty::Bf16, ty::F16x2, ty::Bf16x2 }
    /// `.type` of the elements of `.op.noftz` with a `.v8`, of `atom` and `red`.
    AtomVectorHalfType(TypeTag): "`{Self}` is not a `.type` of a `.v8`: use `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}

/// Calls `$row!` for each `.op` and `.vec` of `atom` and `red`, with the text of `.op`, the set of types (`f32`, `noftz` or `half`), the
/// text of `.vec`, the number of elements, and the names and asm text of the operand's and the result's elements.
macro_rules! atom_vec {
    ($row:ident $( $doc:literal $op:literal $types:ident: $( $vec:ident $name:ident; )+ )+) => { $( $(
        atom_vec! { @$types $vec $row $name $doc $op }
    )+ )+ };
    (@f32 $vec:ident $($to:tt)*) => { atom_vec! { @$vec $($to)* AtomVectorAddType } };
    (@noftz v8 $($to:tt)*) => { atom_vec! { @half v8 $($to)* } };
    (@noftz $vec:ident $($to:tt)*) => { atom_vec! { @$vec $($to)* AtomVectorNoftzType } };
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
            /// The vector is in global memory. The operation is atomic per element, not as a whole.
            @unsafe fn $name[
                Sem: AtomSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace, ?CacheHint: L2CacheHint after $op, Ty: $Type after $vec,
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)+ ])
                -> [Ty::Value; $n] = ($($d: _ = typed),+) [$(super::cast($d)),+];
            form: "atom{.sem}{.scope}{.space}" $op "{.L2::cache_hint}" $vec "{.type} d, [addr], b{, cache-policy};";
            ptx: "atom" .. " " $d_text ", [{addr}], " $b_text .. ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.5";
            # Safety
            "- `addr` is the address of a vector in global memory, aligned to the vector's size."
            "- Concurrent accesses to the elements are atomic, in scopes that include each other."
            "- A cache policy comes from a `createpolicy` instruction."
        }
    };
}

atom_vec! { atom_vector
    "Adds the elements of `b` to the elements at `addr` and returns the old elements."
    ".add" f32:
        v2 atom_add_v2;
        v4 atom_add_v4;
    "Adds the elements of `b` to the elements at `addr`, without flushing subnormal numbers, and returns the old elements."
    ".add.noftz" noftz:
        v2 atom_add_noftz_v2;
        v4 atom_add_noftz_v4;
        v8 atom_add_noftz_v8;
    "Replaces each element at `addr` with the minimum of the element and its counterpart in `b`, and returns the old elements."
    ".min.noftz" half:
        v2 atom_min_noftz_v2;
        v4 atom_min_noftz_v4;
        v8 atom_min_noftz_v8;
    "Replaces each element at `addr` with the maximum of the element and its counterpart in `b`, and returns the old elements."
    ".max.noftz" half:
        v2 atom_max_noftz_v2;
        v4 atom_max_noftz_v4;
        v8 atom_max_noftz_v8;
}
