//! `bar.warp.sync` (`__syncwarp()`; PTX ISA 9.7.13.2).

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
