//! Named barriers (`__syncthreads()` is barrier 0): `barrier.cta` (PTX ISA 9.7.13.1). `bar` is another spelling of
//! the aligned forms.

legal! {
    /// `.aligned`, or nothing.
    BarrierAligned: "`{Self}` does not say whether a `barrier.cta` is `.aligned`: use `convergence::Aligned` or `convergence::Unaligned`"
    { convergence::Aligned, convergence::Unaligned }
    /// `b`, the number of threads that take part.
    BarrierThreads: "`{Self}` is not a number of threads of `barrier.cta`: use `threads::All` or `threads::Count`"
    { threads::All, threads::Count(b in reg32) }
    BarrierRedOp: "`{Self}` is not an `.op` of `barrier.cta.red`: use `.and` or `.or`"
    { op::And, op::Or }
}

instruction! {
    /// Arrives at barrier `a`, and waits until all threads of the CTA, or `b` threads (`threads::Count(b)`), have arrived.
    /// `__syncthreads()` is the aligned form for barrier 0 and all threads.
    @unsafe fn barrier_cta_sync[AlignedQ: BarrierAligned, ?Threads: BarrierThreads](a: u32 = reg32);
    form: "barrier.cta.sync{.aligned} a{, b};";
    ptx: "barrier.cta.sync" .. " {a}" .. ";";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- `a` is in 0 ..= 15. A thread count is a multiple of the warp size, and the same in all threads that take part."
    "- With `.aligned`, all threads of the CTA execute this same instruction."
    "- No `barrier.cta.red` is active on barrier `a`."
}

instruction! {
    /// Arrives at barrier `a`, which expects `b` threads, and does not wait for other warps.
    @unsafe fn barrier_cta_arrive[AlignedQ: BarrierAligned](a: u32 = reg32, b: u32 = reg32);
    form: "barrier.cta.arrive{.aligned} a, b;";
    ptx: "barrier.cta.arrive" .. " {a}, {b};";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- The conditions of [`barrier_cta_sync`] for `b` threads hold, and `b` is not 0."
    "- The warp executes no other `barrier.cta` on barrier `a` before the barrier completes."
}

instruction! {
    /// Synchronizes as [`barrier_cta_sync`] does, and returns in how many of the threads `c` is true (`__syncthreads_count()`).
    /// For PTX's negated `c`, pass `!c`.
    @unsafe fn barrier_cta_red_popc[AlignedQ: BarrierAligned, ?Threads: BarrierThreads](a: u32 = reg32, c: bool = pred)
        -> u32 = (d: u32 = reg32) d;
    form: "barrier.cta.red.popc{.aligned}.u32 d, a{, b}, c;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {c}, 0; barrier.cta.red.popc" .. ".u32 {d}, {a}" .. ", p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- `a`, the thread count and `.aligned` meet the conditions of [`barrier_cta_sync`]."
    "- No `barrier.cta.sync` or `.arrive`, and no other reduction, is active on barrier `a`."
}

instruction! {
    /// Synchronizes as [`barrier_cta_sync`] does, and returns whether `c` is true in all of the threads (`.and`,
    /// `__syncthreads_and()`) or in any (`.or`, `__syncthreads_or()`).
    @unsafe fn barrier_cta_red[Op: BarrierRedOp, AlignedQ: BarrierAligned, ?Threads: BarrierThreads](
        a: u32 = reg32, c: bool = pred,
    ) -> bool = (d: u32 = reg32) d != 0;
    form: "barrier.cta.red{.op}{.aligned}.pred p, a{, b}, c;";
    ptx: "{{ .reg .pred p; setp.ne.u32 p, {c}, 0; barrier.cta.red" .. ".pred p, {a}" .. ", p; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_30", section: "9.7.13.1";
    convergent: convergent;
    # Safety
    "- The conditions of [`barrier_cta_red_popc`] hold."
}
