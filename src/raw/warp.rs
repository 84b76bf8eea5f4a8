//! `bar.warp.sync`, `activemask` and `elect.sync`: sections 9.7.13.2, 9.7.13.11 and 9.7.13.14.

instruction! {
    /// Waits until all threads of `membermask` have executed a `bar.warp.sync` with it, and orders their memory accesses.
    @unsafe fn bar_warp_sync(membermask: u32 = reg32);
    form: "bar.warp.sync membermask;";
    ptx: "bar.warp.sync" .. " {membermask};";
    isa: "6.0", target: "sm_30", section: "9.7.13.2";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`."
}

instruction! {
    /// The threads of the warp that execute this together, by lane.
    fn activemask() -> u32 = (d: u32 = reg32) d;
    form: "activemask.b32 d;";
    ptx: "activemask.b32" .. " {d};";
    isa: "6.2", target: "sm_30", section: "9.7.13.11";
    convergent: convergent;
}

instruction! {
    /// Waits for all threads of `membermask`, and elects one: its lane, and whether it is this thread. The same
    /// `membermask` always elects the same thread.
    @unsafe fn elect_sync(membermask: u32 = reg32) -> (u32, bool) = (d: u32 = reg32, elected: u32 = reg32) (d, elected != 0);
    form: "elect.sync d|p, membermask;";
    ptx: "{{ .reg .pred p; elect.sync" .. " {d}|p, {membermask}; selp.b32 {elected}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.14";
    convergent: convergent;
    # Safety
    "- the thread is in `membermask`, and all threads of it execute this instruction with it."
}
