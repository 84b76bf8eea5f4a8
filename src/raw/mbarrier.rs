//! `mbarrier`: section 9.7.13.15.

legal! {
    /// `.sem` of `mbarrier.arrive`.
    ArriveSem: "`{Self}` is no `.sem` of `mbarrier.arrive`: it takes `.release` or `.relaxed`"
    { sem::Release, sem::Relaxed }
}
legal! {
    /// `.sem` of `mbarrier.test_wait` and `mbarrier.try_wait`.
    WaitSem: "`{Self}` is no `.sem` of `mbarrier.test_wait` or `.try_wait`: they take `.acquire` or `.relaxed`"
    { sem::Acquire, sem::Relaxed }
}
legal! {
    /// `.scope` of the `mbarrier` instructions.
    MbarrierScope: "`{Self}` is no `.scope` of an `mbarrier` instruction: they take `.cta` or `.cluster`"
    { scope::Cta, scope::Cluster }
}
legal! {
    /// `.space` of `mbarrier.expect_tx`.
    MbarrierSpace: "`{Self}` is no `.space` of `mbarrier.expect_tx`: it takes `.shared::cta` or `.shared::cluster`"
    { space::SharedCta, space::SharedCluster }
}

instruction! {
    /// Initialises the mbarrier at `addr`: phase 0, `count` arrivals expected in each phase, no transactions.
    @unsafe fn mbarrier_init(addr: u32 = reg32, count: u32 = reg32);
    form: "mbarrier.init.shared::cta.b64 [addr], count;";
    ptx: "mbarrier.init" .. ".shared::cta.b64 [{addr}], {count};";
    isa: "7.8", target: "sm_80", section: "9.7.13.15.9";
    # Safety
    "- `addr` is an 8-byte aligned `.shared::cta` address of 8 bytes that hold no valid mbarrier and nothing else in use."
    "- `count` is in 1 ..= 2^20 - 1 (9.7.13.15.2)."
}

instruction! {
    /// Ends the life of the mbarrier at `addr`; its memory can be used for something else.
    @unsafe fn mbarrier_inval(addr: u32 = reg32);
    form: "mbarrier.inval.shared::cta.b64 [addr];";
    ptx: "mbarrier.inval" .. ".shared::cta.b64 [{addr}];";
    isa: "7.8", target: "sm_80", section: "9.7.13.15.10";
    # Safety
    "- `addr` is the `.shared::cta` address of a valid mbarrier that nobody uses any more."
}

instruction! {
    /// Makes the current phase expect `tx_count` more bytes of asynchronous copies. Orders nothing.
    @unsafe fn mbarrier_expect_tx[
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
        Space: MbarrierSpace { space::SharedCta, space::SharedCluster },
    ](addr: u32 = reg32, tx_count: u32 = reg32);
    form: "mbarrier.expect_tx.relaxed{.scope}{.space}.b64 [addr], txCount;";
    ptx: "mbarrier.expect_tx.relaxed" .. ".b64 [{addr}], {tx_count};";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.11";
    # Safety
    "- `addr` is the address, in the given space, of a valid mbarrier."
    "- the phase's tx-count stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
}

instruction! {
    /// Arrives once on the mbarrier at `addr` and returns its state before: the token for a wait on this phase.
    @unsafe fn mbarrier_arrive[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" on "sm_90" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster on "sm_90" },
    ](addr: u32 = reg32) -> u64 = (state: u64 = reg64) state;
    form: "mbarrier.arrive{.sem}{.scope}.shared::cta.b64 state, [addr];";
    ptx: "mbarrier.arrive" .. ".shared::cta.b64 {state}, [{addr}];";
    isa: "8.0", target: "sm_80", section: "9.7.13.15.13";
    # Safety
    "- `addr` is the `.shared::cta` address of a valid mbarrier."
    "- a `test_wait` or `try_wait` on the previous phase has returned true (9.7.13.15.4)."
    "- the phase has an arrival left."
}

instruction! {
    /// [`mbarrier_arrive`], `count` times at once.
    @unsafe fn mbarrier_arrive_count[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, count: u32 = reg32) -> u64 = (state: u64 = reg64) state;
    form: "mbarrier.arrive{.sem}{.scope}.shared::cta.b64 state, [addr], count;";
    ptx: "mbarrier.arrive" .. ".shared::cta.b64 {state}, [{addr}], {count};";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.13";
    # Safety
    "- as [`mbarrier_arrive`], with `count` arrivals left; `count` is in 1 ..= 2^20 - 1."
}

instruction! {
    /// Arrives once on an mbarrier of any CTA of the cluster. Such an arrival returns no state.
    @unsafe fn mbarrier_arrive_shared_cluster[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32);
    form: "mbarrier.arrive{.sem}{.scope}.shared::cluster.b64 _, [addr];";
    ptx: "mbarrier.arrive" .. ".shared::cluster.b64 _, [{addr}];";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.13";
    # Safety
    "- `addr` is the `.shared::cluster` address of a valid mbarrier in a CTA that has not exited."
    "- the other points of [`mbarrier_arrive`]."
}

instruction! {
    /// [`mbarrier_arrive_shared_cluster`], `count` times at once.
    @unsafe fn mbarrier_arrive_shared_cluster_count[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, count: u32 = reg32);
    form: "mbarrier.arrive{.sem}{.scope}.shared::cluster.b64 _, [addr], count;";
    ptx: "mbarrier.arrive" .. ".shared::cluster.b64 _, [{addr}], {count};";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.13";
    # Safety
    "- as [`mbarrier_arrive_shared_cluster`], with `count` arrivals left; `count` is in 1 ..= 2^20 - 1."
}

instruction! {
    /// Makes the phase expect `tx_count` more bytes, then arrives once, and returns the state before.
    @unsafe fn mbarrier_arrive_expect_tx[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, tx_count: u32 = reg32) -> u64 = (state: u64 = reg64) state;
    form: "mbarrier.arrive.expect_tx{.sem}{.scope}.shared::cta.b64 state, [addr], txCount;";
    ptx: "mbarrier.arrive.expect_tx" .. ".shared::cta.b64 {state}, [{addr}], {tx_count};";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.13";
    # Safety
    "- as [`mbarrier_arrive`] and [`mbarrier_expect_tx`]."
}

instruction! {
    /// [`mbarrier_arrive_expect_tx`] on an mbarrier of any CTA of the cluster.
    @unsafe fn mbarrier_arrive_expect_tx_shared_cluster[
        Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, tx_count: u32 = reg32);
    form: "mbarrier.arrive.expect_tx{.sem}{.scope}.shared::cluster.b64 _, [addr], txCount;";
    ptx: "mbarrier.arrive.expect_tx" .. ".shared::cluster.b64 _, [{addr}], {tx_count};";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.13";
    # Safety
    "- as [`mbarrier_arrive_shared_cluster`] and [`mbarrier_expect_tx`]."
}

instruction! {
    /// Whether the phase that `state` names is complete. Does not block.
    @unsafe fn mbarrier_test_wait[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" on "sm_90" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster on "sm_90" },
    ](addr: u32 = reg32, state: u64 = reg64) -> bool = (done: u32 = reg32) done != 0;
    // ptxas 13.5 refuses `.relaxed` below sm_90; the section's Target ISA Notes do not say so.
    form: "mbarrier.test_wait{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], state;";
    ptx: "{{ .reg .pred p; mbarrier.test_wait" .. ".shared::cta.b64 p, [{addr}], {state}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_80", section: "9.7.13.15.16";
    # Safety
    "- `addr` is the `.shared::cta` address of a valid mbarrier."
    "- `state` came from an arrive on it in the current or the previous phase."
}

instruction! {
    /// Whether the phase of the given parity is complete. Does not block.
    @unsafe fn mbarrier_test_wait_parity[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" on "sm_90" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster on "sm_90" },
    ](addr: u32 = reg32, phase_parity: u32 = reg32) -> bool = (done: u32 = reg32) done != 0;
    form: "mbarrier.test_wait.parity{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], phaseParity;";
    ptx: "{{ .reg .pred p; mbarrier.test_wait.parity" .. ".shared::cta.b64 p, [{addr}], {phase_parity}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_80", section: "9.7.13.15.16";
    # Safety
    "- `addr` is the `.shared::cta` address of a valid mbarrier."
    "- `phase_parity`, 0 or 1, is the parity of the current or of the previous phase."
}

instruction! {
    /// [`mbarrier_test_wait`] that may suspend the thread for a system-dependent time.
    @unsafe fn mbarrier_try_wait[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, state: u64 = reg64) -> bool = (done: u32 = reg32) done != 0;
    form: "mbarrier.try_wait{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], state;";
    ptx: "{{ .reg .pred p; mbarrier.try_wait" .. ".shared::cta.b64 p, [{addr}], {state}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.16";
    # Safety
    "- as [`mbarrier_test_wait`]."
}

instruction! {
    /// [`mbarrier_try_wait`] with a time limit of `suspend_time_hint` nanoseconds.
    @unsafe fn mbarrier_try_wait_suspend_time_hint[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, state: u64 = reg64, suspend_time_hint: u32 = reg32) -> bool = (done: u32 = reg32) done != 0;
    form: "mbarrier.try_wait{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], state, suspendTimeHint;";
    ptx: "{{ .reg .pred p; mbarrier.try_wait" .. ".shared::cta.b64 p, [{addr}], {state}, {suspend_time_hint}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.16";
    # Safety
    "- as [`mbarrier_test_wait`]."
}

instruction! {
    /// [`mbarrier_test_wait_parity`] that may suspend the thread for a system-dependent time.
    @unsafe fn mbarrier_try_wait_parity[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, phase_parity: u32 = reg32) -> bool = (done: u32 = reg32) done != 0;
    form: "mbarrier.try_wait.parity{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], phaseParity;";
    ptx: "{{ .reg .pred p; mbarrier.try_wait.parity" .. ".shared::cta.b64 p, [{addr}], {phase_parity}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.16";
    # Safety
    "- as [`mbarrier_test_wait_parity`]."
}

instruction! {
    /// [`mbarrier_try_wait_parity`] with a time limit of `suspend_time_hint` nanoseconds.
    @unsafe fn mbarrier_try_wait_parity_suspend_time_hint[
        Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" },
        Scope: MbarrierScope { scope::Cta, scope::Cluster },
    ](addr: u32 = reg32, phase_parity: u32 = reg32, suspend_time_hint: u32 = reg32) -> bool = (done: u32 = reg32) done != 0;
    form: "mbarrier.try_wait.parity{.sem}{.scope}.shared::cta.b64 waitComplete, [addr], phaseParity, suspendTimeHint;";
    ptx: "{{ .reg .pred p; mbarrier.try_wait.parity" .. ".shared::cta.b64 p, [{addr}], {phase_parity}, {suspend_time_hint}; selp.b32 {done}, 1, 0, p; }}";
    isa: "8.0", target: "sm_90", section: "9.7.13.15.16";
    # Safety
    "- as [`mbarrier_test_wait_parity`]."
}
