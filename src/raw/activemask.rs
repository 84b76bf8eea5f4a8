//! `activemask` (`__activemask()`; PTX ISA 9.7.13.11).

instruction! {
    /// Returns the threads of the warp that execute this instruction together, as a mask with one bit per lane
    /// (`__activemask()`).
    fn activemask() -> u32 = (d: u32 = reg32) d;
    form: "activemask.b32 d;";
    ptx: "activemask.b32" .. " {d};";
    isa: "6.2", target: "sm_30", section: "9.7.13.11";
    convergent: convergent;
}
