//! `movmatrix`: transposes a matrix across the registers of a warp (PTX ISA 9.7.14.5.17).

instruction! {
    /// Returns this lane's part of the transpose of an 8x8 matrix of 16-bit elements, of which each lane holds a part `a`.
    @unsafe fn movmatrix(a: u32 = reg32) -> u32 = (d: u32 = reg32) d;
    form: "movmatrix.sync.aligned.m8n8.trans.b16 d, a;";
    ptx: "movmatrix.sync.aligned.m8n8.trans.b16 {d}, {a};" ..;
    isa: "7.8", target: "sm_75", section: "9.7.14.5.17";
    convergent: convergent;
    # Safety
    "- All 32 threads of the warp execute this same instruction together, and none has exited."
}
