//! `barrier.cta`: section 9.7.13.1.

legal! {
    /// `.aligned`, or nothing.
    BarrierAligned: "`{Self}` does not say whether a `barrier.cta` is `.aligned`: it takes `Aligned` or `Unaligned`"
    { convergence::Aligned, convergence::Unaligned }
}

instruction! {
    /// Waits until all threads of the CTA have arrived at barrier `a`.
    @unsafe fn barrier_cta_sync[
        AlignedQ: BarrierAligned { convergence::Aligned, convergence::Unaligned },
    ](a: u32 = reg32);
    form: "barrier.cta.sync{.aligned} a;";
    ptx: "barrier.cta.sync" .. " {a};";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- `a` is in 0 ..= 15."
    "- with `.aligned`: all threads of the CTA execute this same instruction."
    "- no `barrier.cta.red` is active on barrier `a`."
}

instruction! {
    /// Waits until `b` threads have arrived at barrier `a`.
    @unsafe fn barrier_cta_sync_count[
        AlignedQ: BarrierAligned { convergence::Aligned, convergence::Unaligned },
    ](a: u32 = reg32, b: u32 = reg32);
    form: "barrier.cta.sync{.aligned} a, b;";
    ptx: "barrier.cta.sync" .. " {a}, {b};";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- as [`barrier_cta_sync`]; `b` is a multiple of the warp size, the same in all threads that take part."
}
