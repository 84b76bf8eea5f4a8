//! `cvta` (`__cvta_generic_to_shared()` …; PTX ISA 9.7.9.20).
//!
//! 32-bit generic addresses do not exist in a module with 64-bit addresses.

legal! {
    /// A state space with an address window, for `cvta` and `isspacep`.
    WindowSpace: "`{Self}` is not a space of `cvta` or `isspacep`: use `.shared::cta`, `.shared::cluster`, `.global`, `.local`, `.const` or `.param::entry`"
    {
        space::SharedCta, space::SharedCluster on "sm_90", space::Global, space::Local, space::Const,
        space::ParamEntry @ "8.3",
    }
}

instruction! {
    /// Converts the address `a` in `Space` to a generic address.
    fn cvta[Space: WindowSpace](a: u64 = reg64) -> *mut u8 = (p: *mut u8 = reg64) p;
    form: "cvta{.space}.u64 p, a;";
    ptx: "cvta" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the generic address `a` to an address in `Space`. The result is unspecified if `a` is not in the window of
    /// `Space`.
    fn cvta_to[Space: WindowSpace](a: *const u8 = reg64) -> u64 = (p: u64 = reg64) p;
    form: "cvta.to{.space}.u64 p, a;";
    ptx: "cvta.to" .. ".u64 {p}, {a};";
    isa: "7.8", target: "sm_30", section: "9.7.9.20";
    options: pure, nomem, nostack, preserves_flags;
}
