//! `red` on vectors in global memory (PTX ISA 9.7.13.6).

/// `red{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type [a], b{, cache-policy};`
macro_rules! red_vector {
    ($name:ident $doc:literal $op:literal $Type:ident
        $vec:literal $n:literal [ $($b:ident)+ ] $b_text:literal $d:tt $d_text:literal
    ) => {
        instruction! {
            #[doc = $doc]
            /// The vector is in global memory. The operation is atomic per element, not as a whole.
            @unsafe fn $name[
                Sem: RedSem, Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace, ?CacheHint: L2CacheHint after $op, Ty: $Type after $vec,
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)+ ]);
            form: "red{.sem}{.scope}{.space}" $op "{.L2::cache_hint}" $vec "{.type} [addr], b{, cache-policy};";
            ptx: "red" .. " [{addr}], " $b_text .. ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.6";
            # Safety
            "- As [`atom_add_v2`](crate::raw::atom_add_v2)."
        }
    };
}

atom_vec! { red_vector
    "Adds the elements of `b` to the elements at `addr`."
    ".add" f32:
        v2 red_add_v2;
        v4 red_add_v4;
    "Adds the elements of `b` to the elements at `addr`, without flushing subnormal numbers."
    ".add.noftz" noftz:
        v2 red_add_noftz_v2;
        v4 red_add_noftz_v4;
        v8 red_add_noftz_v8;
    "Replaces each element at `addr` with the minimum of the element and its counterpart in `b`."
    ".min.noftz" half:
        v2 red_min_noftz_v2;
        v4 red_min_noftz_v4;
        v8 red_min_noftz_v8;
    "Replaces each element at `addr` with the maximum of the element and its counterpart in `b`."
    ".max.noftz" half:
        v2 red_max_noftz_v2;
        v4 red_max_noftz_v4;
        v8 red_max_noftz_v8;
}
