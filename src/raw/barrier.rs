//! `barrier.cta`: section 9.7.13.1. `bar` is another spelling of its aligned forms.

legal! {
    /// `.aligned`, or nothing.
    BarrierAligned: "`{Self}` does not say whether a `barrier.cta` is `.aligned`: it takes `Aligned` or `Unaligned`"
    { convergence::Aligned, convergence::Unaligned }
    /// `b`, how many threads take part.
    BarrierThreads: "`{Self}` does not say how many threads take part in a `barrier.cta`: it takes `threads::All` or `threads::Count`"
    { threads::All, threads::Count(b in reg32) }
    /// `.op` of `barrier.cta.red`.
    BarrierRedOp: "`{Self}` is no `.op` of `barrier.cta.red`: it takes `.and` or `.or`"
    { op::And, op::Or }
}

instruction! {
    /// Waits until all threads of the CTA, or as many as are said, have arrived at barrier `a`.
    @unsafe fn barrier_cta_sync[AlignedQ: BarrierAligned, ?Threads: BarrierThreads](a: u32 = reg32);
    form: "barrier.cta.sync{.aligned} a{, b};";
    ptx: "barrier.cta.sync" .. " {a}" .. ";";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- `a` is in 0 ..= 15; a thread count is a multiple of the warp size, the same in all threads that take part."
    "- with `.aligned`: all threads of the CTA execute this same instruction."
    "- no `barrier.cta.red` is active on barrier `a`."
}

instruction! {
    /// Arrives at barrier `a`, where `b` threads are expected, without waiting for the other warps.
    @unsafe fn barrier_cta_arrive[AlignedQ: BarrierAligned](a: u32 = reg32, b: u32 = reg32);
    form: "barrier.cta.arrive{.aligned} a, b;";
    ptx: "barrier.cta.arrive" .. " {a}, {b};";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- as [`barrier_cta_sync`] of `b` threads; `b` is not 0."
    "- the warp executes no other `barrier.cta` on barrier `a` before the barrier completes."
}

instruction! {
    /// Waits until all threads of the CTA, or as many as are said, have arrived at barrier `a`; in how many of them `c` is
    /// true. A negated `c` is no form of its own: pass `!c`.
    @unsafe fn barrier_cta_red_popc[AlignedQ: BarrierAligned, ?Threads: BarrierThreads](a: u32 = reg32, c: bool = pred)
        -> u32 = (d: u32 = reg32) d;
    form: "barrier.cta.red.popc{.aligned}.u32 d, a{, b}, c;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {c}, 0; barrier.cta.red.popc" .. ".u32 {d}, {a}" .. ", p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- `a` is in 0 ..= 15; a thread count is a multiple of the warp size, the same in all threads that take part."
    "- with `.aligned`: all threads of the CTA execute this same instruction."
    "- no `barrier.cta.sync` or `.arrive`, and no other reduction, is active on barrier `a`."
}

instruction! {
    /// Waits until all threads of the CTA, or as many as are said, have arrived at barrier `a`; whether `c` is true in all
    /// (`.and`) or any (`.or`) of them.
    @unsafe fn barrier_cta_red[Op: BarrierRedOp, AlignedQ: BarrierAligned, ?Threads: BarrierThreads](
        a: u32 = reg32, c: bool = pred,
    ) -> bool = (d: u32 = reg32) d != 0;
    form: "barrier.cta.red{.op}{.aligned}.pred p, a{, b}, c;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {c}, 0; barrier.cta.red" .. ".pred p, {a}" .. ", p; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- as [`barrier_cta_red_popc`]."
}
