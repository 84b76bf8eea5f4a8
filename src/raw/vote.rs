//! `vote.sync`: votes among the lanes of a warp (`__all_sync()`, `__any_sync()`, `__ballot_sync()`; PTX ISA 9.7.13.9).

legal! {
    VoteMode: "`{Self}` is not a `.mode` of `vote.sync`: use `.all`, `.any` or `.uni`"
    { mode::All, mode::Any, mode::Uni }
}

instruction! {
    /// Returns whether `a` is true in all threads of `membermask` (`.all`, `__all_sync()`), is true in any thread (`.any`,
    /// `__any_sync()`), or has the same value in all threads (`.uni`).
    ///
    /// This crate does not offer `vote` without `.sync`: PTX ISA 6.4 removes the instruction for sm_70 or higher (section
    /// 9.7.13.8).
    @unsafe fn vote_sync[Mode: VoteMode](a: bool = pred, membermask: u32 = reg32) -> bool = (d: u32 = reg32) d != 0;
    form: "vote.sync{.mode}.pred d, a, membermask;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {a}, 0; vote.sync" .. ".pred p, p, {membermask}; selp.b32 {d}, 1, 0, p; }}";
    isa: "6.0", target: "sm_30", section: "9.7.13.9";
    convergent: convergent;
    # Safety
    "- The executing thread is in `membermask`. All threads of `membermask` that have not exited execute this instruction, with"
    "  the same qualifiers and the same `membermask`."
}

instruction! {
    /// Returns the threads of `membermask` in which `a` is true, as a mask with one bit per lane (`__ballot_sync()`).
    @unsafe fn vote_sync_ballot(a: bool = pred, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "vote.sync.ballot.b32 d, a, membermask;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {a}, 0; vote.sync.ballot.b32" .. " {d}, p, {membermask}; }}";
    isa: "6.0", target: "sm_30", section: "9.7.13.9";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`], for this instruction."
}
