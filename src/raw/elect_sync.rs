//! `elect.sync` (`cute::elect_one_sync()`; PTX ISA 9.7.13.14).

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
