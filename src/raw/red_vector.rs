//! `red` with vector types: section 9.7.13.6.

use super::atom_vector::atom_vec;

/// `red{.sem}{.scope}{.global}.op{.noftz}{.level::cache_hint}.vec.type [a], b{, cache-policy};`
macro_rules! red_vector {
    ($name:ident $doc:literal [ $op:literal $Type:ident { $($tag:tt)* } ]
        [ $vec:literal $n:literal [ $($b:ident)+ ] $b_text:literal $d:tt $d_text:literal ] $hint:literal
        [ $($policy:ident $policy_text:literal, $policy_form:literal $how:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = $doc]
            /// They are in global memory. Each element is atomic for itself.
            $( #[doc = $how] )?
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster, scope::Gpu, scope::Sys },
                Space: AtomGlobalSpace { space::All, space::Global },
                Ty: $Type after $op $hint $vec { $($tag)* },
            ](addr: *mut u8 = reg64, b: [Ty::Value; $n] = [ $($b)+ ], $( $policy: u64 = reg64, )?);
            form: "red{.sem}{.scope}{.space}" $op $hint $vec "{.type} [addr], b" $( $policy_form )? ";";
            ptx: "red" .. " [{addr}], " $b_text $( $policy_text )? ";";
            isa: "8.1", target: "sm_90", section: "9.7.13.6";
            # Safety
            "- `addr` is the address of such a vector in global memory, aligned to its size."
            "- what others do to its elements meanwhile is atomic, in scopes that include each other."
            $( $policy_note )?
        }
    };
}

atom_vec! { red_vector
    "Adds the elements of `b` to those at `addr`."
    ".add" f32:
        v2 red_add_v2, red_add_v2_cache_hint;
        v4 red_add_v4, red_add_v4_cache_hint;
    "Adds the elements of `b` to those at `addr`, subnormals preserved."
    ".add.noftz" half:
        v2 red_add_noftz_v2, red_add_noftz_v2_cache_hint;
        v4 red_add_noftz_v4, red_add_noftz_v4_cache_hint;
        v8 red_add_noftz_v8, red_add_noftz_v8_cache_hint;
    "Makes each element at `addr` the minimum of itself and that of `b`."
    ".min.noftz" half:
        v2 red_min_noftz_v2, red_min_noftz_v2_cache_hint;
        v4 red_min_noftz_v4, red_min_noftz_v4_cache_hint;
        v8 red_min_noftz_v8, red_min_noftz_v8_cache_hint;
    "Makes each element at `addr` the maximum of itself and that of `b`."
    ".max.noftz" half:
        v2 red_max_noftz_v2, red_max_noftz_v2_cache_hint;
        v4 red_max_noftz_v4, red_max_noftz_v4_cache_hint;
        v8 red_max_noftz_v8, red_max_noftz_v8_cache_hint;
}
