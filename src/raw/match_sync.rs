//! `match.sync`: comparison of a value among the lanes of a warp (`__match_any_sync()`, `__match_all_sync()`; PTX ISA 9.7.13.10).

legal! {
    MatchType(TypeTag): "`{Self}` is not a `.type` of `match.sync`: use `.b32` or `.b64`"
    { ty::B32, ty::B64 }
}

instruction! {
    /// Returns the threads of `membermask` whose `a` equals this thread's `a`, as a mask with one bit per lane
    /// (`__match_any_sync()`).
    @unsafe fn match_any_sync[Ty: MatchType](a: Ty::Value = typed, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "match.any.sync{.type} d, a, membermask;";
    ptx: "match.any.sync" .. " {d}, {a}, {membermask};";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}

instruction! {
    /// Returns the threads of `membermask` that have not exited, as a mask with one bit per lane, if `a` is the same in all these
    /// threads; otherwise 0 (`__match_all_sync()`).
    @unsafe fn match_all_sync[Ty: MatchType](a: Ty::Value = typed, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "match.all.sync{.type} d, a, membermask;";
    ptx: "match.all.sync" .. " {d}, {a}, {membermask};";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}

instruction! {
    /// Returns the result of [`match_all_sync`], and whether `a` is the same in all these threads.
    @unsafe fn match_all_sync_pred[
        Ty: MatchType,
    ](a: Ty::Value = typed, membermask: u32 = reg32) -> (u32, bool) = (d: u32 = reg32, all: u32 = reg32) (d, all != 0);
    form: "match.all.sync{.type} d|p, a, membermask;";
    ptx: "{{ .reg .pred p; match.all.sync" .. " {d}|p, {a}, {membermask}; selp.b32 {all}, 1, 0, p; }}";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
}
