//! `bar.warp.sync` (`__syncwarp()`), `activemask` (`__activemask()`) and `elect.sync` (PTX ISA 9.7.13.2, 9.7.13.11, 9.7.13.14).

instruction! {
    /// Waits until all threads of `membermask` have executed a `bar.warp.sync` with the same `membermask`, and orders the memory
    /// accesses of these threads (`__syncwarp()`).
    @unsafe fn bar_warp_sync(membermask: u32 = reg32);
    form: "bar.warp.sync membermask;";
    ptx: "bar.warp.sync" .. " {membermask};";
    isa: "6.0", target: "sm_30", section: "9.7.13.2";
    convergent: convergent;
    # Safety
    "- The executing thread is in `membermask`."
}

instruction! {
    /// Returns the threads of the warp that execute this instruction together, as a mask with one bit per lane
    /// (`__activemask()`).
    fn activemask() -> u32 = (d: u32 = reg32) d;
    form: "activemask.b32 d;";
    ptx: "activemask.b32" .. " {d};";
    isa: "6.2", target: "sm_30", section: "9.7.13.11";
    convergent: convergent;
}

instruction! {
    /// Waits for all threads of `membermask` and elects one of them. Returns the lane of the elected thread, and whether the
    /// executing thread is the elected thread. The same `membermask` always elects the same thread.
    @unsafe fn elect_sync(membermask: u32 = reg32) -> (u32, bool) = (d: u32 = reg32, elected: u32 = reg32) (d, elected != 0);
    form: "elect.sync d|p, membermask;";
    ptx: "{{ .reg .pred p; elect.sync" .. " {d}|p, {membermask}; selp.b32 {elected}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.14";
    convergent: convergent;
    # Safety
    "- The executing thread is in `membermask`. All threads of `membermask` execute this instruction with the same `membermask`."
}
