//! `isspacep` (`__isShared()` …; PTX ISA 9.7.9.19).

instruction! {
    /// Returns whether the generic address `a` is in the window of the state space `Space`.
    fn isspacep[Space: WindowSpace](a: *const u8 = reg64) -> bool = (d: u32 = reg32) d != 0;
    form: "isspacep{.space} p, a;";
    ptx: "{{ .reg .pred p; isspacep" .. " p, {a}; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.9.19";
    options: pure, nomem, nostack, preserves_flags;
}
