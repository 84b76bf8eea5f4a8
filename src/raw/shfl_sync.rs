//! `shfl.sync`: exchange of values among the lanes of a warp (`__shfl_sync()` …; PTX ISA 9.7.9.6).

legal! {
    ShflMode: "`{Self}` is not a `.mode` of `shfl.sync`: use `.up`, `.down`, `.bfly` or `.idx`"
    { mode::Up, mode::Down, mode::Bfly, mode::Idx }
}

instruction! {
    /// Returns `a` of the source lane, which `b` selects (`__shfl_sync()` …).
    ///
    /// - `.idx`: the source is lane `b`.
    /// - `.up`, `.down`: the source is `b` lanes lower or higher.
    /// - `.bfly`: the source is the lane whose number is the own lane number xor `b`.
    ///
    /// `c` holds the clamp value (bits 0 to 4) and the segment mask (bits 8 to 12). If the source is outside the segment, the
    /// result is the thread's own `a`.
    @unsafe fn shfl_sync[
        Mode: ShflMode,
    ](a: u32 = reg32, b: u32 = reg32, c: u32 = reg32, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "shfl.sync{.mode}.b32 d, a, b, c, membermask;";
    ptx: "shfl.sync" .. ".b32 {d}, {a}, {b}, {c}, {membermask};";
    isa: "6.0", target: "sm_30", section: "9.7.9.6";
    convergent: convergent;
    # Safety
    "- `membermask` meets the conditions of [`vote_sync`](crate::raw::vote_sync), for this instruction."
    "- The source lane is in `membermask`, or the result is not used (it is then unspecified)."
}

instruction! {
    /// Returns the result of [`shfl_sync`], and whether the source lane is in the segment.
    @unsafe fn shfl_sync_pred[Mode: ShflMode](a: u32 = reg32, b: u32 = reg32, c: u32 = reg32, membermask: u32 = reg32)
        -> (u32, bool) = (d: u32 = reg32, inside: u32 = reg32) (d, inside != 0);
    form: "shfl.sync{.mode}.b32 d|p, a, b, c, membermask;";
    ptx: "{{ .reg .pred p; shfl.sync" .. ".b32 {d}|p, {a}, {b}, {c}, {membermask}; selp.b32 {inside}, 1, 0, p; }}";
    isa: "6.0", target: "sm_30", section: "9.7.9.6";
    convergent: convergent;
    # Safety
    "- As [`shfl_sync`]."
}
