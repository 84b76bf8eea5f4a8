//! `red` on scalars: atomic read-modify-write operations without a result (PTX ISA 9.7.13.6).

legal! {
    RedSem(AtomSem): "`{Self}` is not a `.sem` of `red`: use `.relaxed` or `.release`"
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
            "- As [`atom_add`](crate::raw::atom_add)."
            $($of_peers)*
        }
    };
}

atom_op! { red
    "Adds `b` to the value at `addr`."
    add: red_add;
    "Adds `b` to the value at `addr`, without flushing subnormal numbers. The addition of a pair is atomic per element, not as a whole."
    add_noftz: red_add_noftz;
    "Increments the value at `addr`, or stores 0 if the old value is `b` or more."
    inc: red_inc;
    "Decrements the value at `addr`, or stores `b` if the old value is 0 or more than `b`."
    dec: red_dec;
    "Replaces the value at `addr` with the minimum of the value and `b`."
    min: red_min;
    "Replaces the value at `addr` with the maximum of the value and `b`."
    max: red_max;
    "Replaces the value at `addr` with the bitwise `and` of the value and `b`."
    and: red_and;
    "Replaces the value at `addr` with the bitwise `or` of the value and `b`."
    or: red_or;
    "Replaces the value at `addr` with the bitwise `xor` of the value and `b`."
    xor: red_xor;
}
