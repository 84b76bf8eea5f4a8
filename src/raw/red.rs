//! `red` with scalar types: section 9.7.13.6.

use super::atom::atom_op;

legal! {
    /// `.sem` of `red`.
    RedSem(AtomSem): "`{Self}` is no `.sem` of `red`: it takes `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
}

/// `red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy};`
macro_rules! red {
    ($name:ident $doc:literal [ $op:literal $Type:ident { $($tag:tt)* } ]
        [ $Space:ident { $($space:tt)* } $addr:ident: $Addr:ty = $class:ident, $($where:literal)+ ]
        [ $isa:literal, $target:literal ] $hint:literal
        [ $($policy:ident $policy_text:literal, $policy_form:literal $how:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = $doc]
            $( #[doc = $how] )?
            @unsafe fn $name[
                Sem: RedSem { sem::Relaxed, sem::Release },
                Scope: AtomScope { scope::Cta, scope::Cluster @ "7.8" on "sm_90", scope::Gpu, scope::Sys },
                Space: $Space { $($space)* },
                Ty: $Type after $op $hint { $($tag)* },
            ]($addr: $Addr = $class, b: Ty::Value = typed, $( $policy: u64 = reg64, )?);
            form: "red{.sem}{.scope}{.space}" $op $hint "{.type} [addr], b" $( $policy_form )? ";";
            ptx: "red" .. " [{addr}], {b}" $( $policy_text )? ";";
            isa: $isa, target: $target, section: "9.7.13.6";
            # Safety
            $( $where )+
            "- what others do to it meanwhile is atomic, in scopes that include each other."
            $( $policy_note )?
        }
    };
}

atom_op! { red
    "Adds `b` to the value at `addr`."
    add: red_add, red_add_cache_hint;
    "Adds `b` to the value at `addr`, subnormals preserved. Of a pair each is atomic for itself."
    add_noftz: red_add_noftz, red_add_noftz_cache_hint;
    "Increments the value at `addr`, or makes it 0 if it is `b` or more."
    inc: red_inc, red_inc_cache_hint;
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`."
    dec: red_dec, red_dec_cache_hint;
    "Makes the value at `addr` the minimum of itself and `b`."
    min: red_min, red_min_cache_hint;
    "Makes the value at `addr` the maximum of itself and `b`."
    max: red_max, red_max_cache_hint;
    "Makes the value at `addr` its bitwise and with `b`."
    and: red_and, red_and_cache_hint;
    "Makes the value at `addr` its bitwise or with `b`."
    or: red_or, red_or_cache_hint;
    "Makes the value at `addr` its bitwise exclusive or with `b`."
    xor: red_xor, red_xor_cache_hint;
}
