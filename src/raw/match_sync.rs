//! `match.sync`: section 9.7.13.10.

legal! {
    /// `.type` of `match.sync`.
    MatchType(TypeTag): "`{Self}` is no `.type` of `match.sync`: it takes `.b32` or `.b64`"
    { ty::B32, ty::B64 }
}

instruction! {
    /// The threads of `membermask` whose `a` equals this thread's, by lane.
    @unsafe fn match_any_sync[Ty: MatchType](a: Ty::Value = typed, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "match.any.sync{.type} d, a, membermask;";
    ptx: "match.any.sync" .. " {d}, {a}, {membermask};";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`, and all threads of it that have not exited execute this same instruction with it."
}

instruction! {
    /// The threads of `membermask` that have not exited, by lane, if `a` is equal in all of them; else 0.
    @unsafe fn match_all_sync[Ty: MatchType](a: Ty::Value = typed, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "match.all.sync{.type} d, a, membermask;";
    ptx: "match.all.sync" .. " {d}, {a}, {membermask};";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- as [`match_any_sync`]."
}

instruction! {
    /// [`match_all_sync`], and whether `a` is equal in all.
    @unsafe fn match_all_sync_pred[
        Ty: MatchType,
    ](a: Ty::Value = typed, membermask: u32 = reg32) -> (u32, bool) = (d: u32 = reg32, all: u32 = reg32) (d, all != 0);
    form: "match.all.sync{.type} d|p, a, membermask;";
    ptx: "{{ .reg .pred p; match.all.sync" .. " {d}|p, {a}, {membermask}; selp.b32 {all}, 1, 0, p; }}";
    isa: "6.0", target: "sm_70", section: "9.7.13.10";
    convergent: convergent;
    # Safety
    "- as [`match_any_sync`]."
}
