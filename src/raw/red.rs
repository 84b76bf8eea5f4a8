//! `red` with scalar types: section 9.7.13.6.

legal! {
    /// `.sem` of `red`.
    RedSem(AtomSem): "`{Self}` is no `.sem` of `red`: it takes `.relaxed` or `.release`"
    { sem::Relaxed, sem::Release }
}

/// `red{.sem}{.scope}{.space}.op{.level::cache_hint}.type [a], b{, cache-policy};`
macro_rules! red {
    ($doc:literal $name:ident $op:literal $Type:ident $isa:literal [ $($of_peers:literal)* ]) => {
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Sem: RedSem, Scope: AtomScope, Space: AtomSpace, ?CacheHint: AtomCacheHint<Space> after $op, Ty: $Type,
            ](addr: Space::Address = address, b: Ty::Value = typed);
            form: "red{.sem}{.scope}{.space}" $op "{.L2::cache_hint}{.type} [addr], b{, cache-policy};";
            ptx: "red" .. " [{addr}], {b}" .. ";";
            isa: $isa, target: "sm_70", section: "9.7.13.6";
            # Safety
            "- as [`atom_add`](crate::raw::atom_add)."
            $($of_peers)*
        }
    };
}

atom_op! { red
    "Adds `b` to the value at `addr`."
    add: red_add;
    "Adds `b` to the value at `addr`, subnormals preserved. Of a pair each is atomic for itself."
    add_noftz: red_add_noftz;
    "Increments the value at `addr`, or makes it 0 if it is `b` or more."
    inc: red_inc;
    "Decrements the value at `addr`, or makes it `b` if it is 0 or more than `b`."
    dec: red_dec;
    "Makes the value at `addr` the minimum of itself and `b`."
    min: red_min;
    "Makes the value at `addr` the maximum of itself and `b`."
    max: red_max;
    "Makes the value at `addr` its bitwise and with `b`."
    and: red_and;
    "Makes the value at `addr` its bitwise or with `b`."
    or: red_or;
    "Makes the value at `addr` its bitwise exclusive or with `b`."
    xor: red_xor;
}
