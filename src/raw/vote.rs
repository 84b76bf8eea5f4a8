//! `vote.sync`: section 9.7.13.9.

legal! {
    /// `.mode` of `vote.sync`.
    VoteMode: "`{Self}` is no `.mode` of `vote.sync`: it takes `.all`, `.any` or `.uni`"
    { mode::All, mode::Any, mode::Uni }
}

instruction! {
    /// Whether `a` is true in all threads of `membermask` (`.all`), in any (`.any`), or alike in all (`.uni`).
    ///
    /// The older `vote` without `.sync` is not here: section 9.7.13.8 removes it for sm_70 or higher in PTX ISA 6.4.
    @unsafe fn vote_sync[Mode: VoteMode](a: bool = pred, membermask: u32 = reg32) -> bool = (d: u32 = reg32) d != 0;
    form: "vote.sync{.mode}.pred d, a, membermask;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {a}, 0; vote.sync" .. ".pred p, p, {membermask}; selp.b32 {d}, 1, 0, p; }}";
    isa: "6.0", target: "sm_30", section: "9.7.13.9";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`, and all threads of it that have not exited execute this same instruction with it."
}

instruction! {
    /// The threads of `membermask` in which `a` is true, by lane.
    @unsafe fn vote_sync_ballot(a: bool = pred, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "vote.sync.ballot.b32 d, a, membermask;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {a}, 0; vote.sync.ballot.b32" .. " {d}, p, {membermask}; }}";
    isa: "6.0", target: "sm_30", section: "9.7.13.9";
    convergent: convergent;
    # Safety
    "- as [`vote_sync`]."
}
