//! `shfl.sync`: section 9.7.9.6.

legal! {
    /// `.mode` of `shfl.sync`.
    ShflMode: "`{Self}` is no `.mode` of `shfl.sync`: it takes `.up`, `.down`, `.bfly` or `.idx`"
    { mode::Up, mode::Down, mode::Bfly, mode::Idx }
}

instruction! {
    /// The `a` of the thread of `membermask` that `b` leads to from this one: by `.idx` to lane `b`, by `.up` and `.down`
    /// `b` lanes away, by `.bfly` to the lane exclusive or `b`. `c` holds the clamp (bits 0 to 4) and the segment mask (8
    /// to 12). Outside of the segment it is the thread's own `a`.
    @unsafe fn shfl_sync[
        Mode: ShflMode,
    ](a: u32 = reg32, b: u32 = reg32, c: u32 = reg32, membermask: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "shfl.sync{.mode}.b32 d, a, b, c, membermask;";
    ptx: "shfl.sync" .. ".b32 {d}, {a}, {b}, {c}, {membermask};";
    isa: "6.0", target: "sm_30", section: "9.7.9.6";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`, and all threads of it that have not exited execute this same instruction with it."
    "- the thread that `b` leads to is in `membermask`, or the result is not used (it is then unspecified)."
}

instruction! {
    /// [`shfl_sync`], and whether the lane that `b` leads to is in the segment.
    @unsafe fn shfl_sync_pred[Mode: ShflMode](a: u32 = reg32, b: u32 = reg32, c: u32 = reg32, membermask: u32 = reg32)
        -> (u32, bool) = (d: u32 = reg32, inside: u32 = reg32) (d, inside != 0);
    form: "shfl.sync{.mode}.b32 d|p, a, b, c, membermask;";
    ptx: "{{ .reg .pred p; shfl.sync" .. ".b32 {d}|p, {a}, {b}, {c}, {membermask}; selp.b32 {inside}, 1, 0, p; }}";
    isa: "6.0", target: "sm_30", section: "9.7.9.6";
    convergent: convergent;
    # Safety
    "- as [`shfl_sync`]."
}
