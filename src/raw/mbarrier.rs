//! mbarriers (`cuda::barrier`): `mbarrier` and `cp.async.mbarrier.arrive` (PTX ISA 9.7.13.15).
//!
//! A generic address must be in the `.shared::cta` window, except for `expect_tx` and `complete_tx`. An arrival on the mbarrier
//! of another CTA returns no state, so there are separate functions for arrivals on `.shared::cluster` addresses.

legal! {
    ArriveSem: "`{Self}` is not a `.sem` of `mbarrier.arrive` or `.arrive_drop`: use `.release` or `.relaxed`"
    { sem::Release, sem::Relaxed }
    WaitSem: "`{Self}` is not a `.sem` of `mbarrier.test_wait` or `.try_wait`: use `.acquire` or `.relaxed`"
    { sem::Acquire, sem::Relaxed }
    MbarrierScope: "`{Self}` is not a `.scope` of an `mbarrier` instruction: use `.cta` or `.cluster`"
    { scope::Cta, scope::Cluster }
    /// `count` of `mbarrier.arrive` and `mbarrier.arrive_drop`.
    MbarrierArrivals: "`{Self}` is not a `count` of `mbarrier.arrive` or `.arrive_drop`: use `arrivals::One` or `arrivals::Count`"
    { arrivals::One, arrivals::Count(count in reg32) on "sm_90" }
    /// `suspendTimeHint` of `mbarrier.try_wait`.
    MbarrierSuspendTimeHint: "`{Self}` is not a `suspendTimeHint` of `mbarrier.try_wait`: use `suspend_time_hint::None` or `suspend_time_hint::Nanoseconds`"
    { suspend_time_hint::None, suspend_time_hint::Nanoseconds(suspend_time_hint in reg32) }
    MbarrierSpace(AddressSpace): "`{Self}` is not a space of this `mbarrier` instruction: use `.shared::cta` or `space::All` (generic); to arrive on a `.shared::cluster` address, call the function whose name ends in `_shared_cluster`"
    { space::SharedCta, space::All }
    MbarrierLayout: "`{Self}` is not a `.layout` of `mbarrier.check_layout`: use `.layout::v0` or `.layout::v1`"
    { mbarrier_layout::V0, mbarrier_layout::V1 }
    MbarrierMulticastSpace(AddressSpace): "`{Self}` is not a space of an `mbarrier` instruction with `.multicast::cluster::32b`: use `.shared::cluster` or `space::All` (generic)"
    { space::SharedCluster, space::All }
    MbarrierTxSpace(AddressSpace): "`{Self}` is not a space of `mbarrier.expect_tx` or `.complete_tx`: use `.shared::cta`, `.shared::cluster` or `space::All` (generic)"
    { space::SharedCta, space::SharedCluster, space::All }
}

instruction! {
    /// Initializes the mbarrier at `addr`: phase 0, `count` arrivals expected in each phase, tx-count 0.
    @unsafe fn mbarrier_init[
        Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
    ](addr: Space::Address = address, count: u32 = reg32);
    form: "mbarrier.init{.space}.b64 [addr], count;";
    ptx: "mbarrier.init" .. ".b64 [{addr}], {count};";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.9";
    # Safety
    "- `addr` is an address of the given space, aligned to 8 bytes, in the `.shared::cta` window."
    "- The 8 bytes at `addr` hold no valid mbarrier, and nothing else uses them."
    "- `count` is in 1 ..= 2^20 - 1 (9.7.13.15.2)."
}

instruction! {
    /// Initializes the mbarrier at `addr` as [`mbarrier_init`] does, with `.layout::v1`: it keeps a report of each phase, which copies
    /// with a `.report_mechanism` and `fabric` instructions make, and it counts to 2^9 - 1.
    @unsafe fn mbarrier_init_layout_v1[Space: MbarrierSpace](addr: Space::Address = address, count: u32 = reg32);
    form: "mbarrier.init.layout::v1{.space}.b64 [addr], count;";
    ptx: "mbarrier.init.layout::v1" .. ".b64 [{addr}], {count};";
    isa: "9.3", target: "sm_90", section: "9.7.13.15.9";
    # Safety
    "- The conditions of [`mbarrier_init`] hold, with `count` in 1 ..= 2^9 - 1."
}

instruction! {
    /// Returns true if the mbarrier at `addr` was initialized with `Layout`: [`mbarrier_init`] makes `.layout::v0`.
    @unsafe fn mbarrier_check_layout[
        Layout: MbarrierLayout, Space: MbarrierSpace,
    ](addr: Space::Address = address) -> bool = (d: u32 = reg32) d != 0;
    form: "mbarrier.check_layout{.layout}{.space}.b64 p, [addr];";
    ptx: "{{ .reg .pred p; mbarrier.check_layout" .. ".b64 p, [{addr}]; selp.b32 {d}, 1, 0, p; }}";
    isa: "9.3", target: "sm_90", section: "9.7.14.16.21 of PTX ISA 9.3";
    # Safety
    "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
}

instruction! {
    /// Invalidates the mbarrier at `addr`. Its memory may then serve another purpose.
    @unsafe fn mbarrier_inval[
        Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
    ](addr: Space::Address = address);
    form: "mbarrier.inval{.space}.b64 [addr];";
    ptx: "mbarrier.inval" .. ".b64 [{addr}];";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.10";
    # Safety
    "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
    "- No thread and no asynchronous operation uses the mbarrier any more."
}

/// A row of `mbarrier.expect_tx` or `mbarrier.complete_tx`.
macro_rules! tx {
    ($name:ident $multicast:ident $head:literal $section:literal $doc:literal $( $safety:literal )*) => {
        instruction! {
            #[doc = $doc]
            /// This happens to the mbarrier at the offset of `addr` in the shared memory of each CTA of `cta_mask`, whose bit *i* is
            /// the CTA of rank *i*.
            @unsafe fn $multicast[
                Scope: MbarrierScope, Space: MbarrierMulticastSpace,
            ](addr: Space::Address = address, tx_count: u32 = reg32, cta_mask: u32 = reg32);
            form: $head "{.scope}{.space}.multicast::cluster::32b.b64 [addr], txCount, ctaMask;";
            ptx: $head .. ".multicast::cluster::32b.b64 [{addr}], {tx_count}, {cta_mask};";
            isa: "9.4", target: "sm_107", section: $section;
            gate: sm_107f;
            # Safety
            "- Each CTA of `cta_mask` is in the cluster and has not exited, and has a valid mbarrier at that offset."
            "- The tx-count of each phase stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
            $( $safety )*
        }
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Scope: MbarrierScope, Space: MbarrierTxSpace,
            ](addr: Space::Address = address, tx_count: u32 = reg32);
            form: $head "{.scope}{.space}.b64 [addr], txCount;";
            ptx: $head .. ".b64 [{addr}], {tx_count};";
            isa: "8.0", target: "sm_90", section: $section;
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier. Its CTA is in the cluster and has not exited."
            "- The tx-count of the phase stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
            $( $safety )*
        }
    };
}

tx! {
    mbarrier_expect_tx mbarrier_expect_tx_multicast "mbarrier.expect_tx.relaxed" "9.7.13.15.11"
    "Adds `tx_count` to the tx-count of the current phase: the phase expects `tx_count` more bytes of asynchronous copies. Orders no memory accesses."
}
tx! {
    mbarrier_complete_tx mbarrier_complete_tx_multicast "mbarrier.complete_tx.relaxed" "9.7.13.15.12"
    "Subtracts `tx_count` from the tx-count of the current phase, as an asynchronous copy of `tx_count` bytes does on completion. Orders no memory accesses."
    "- No thread treats completion of this phase as completion of a copy that is still in flight."
}

/// The rows of `mbarrier.arrive` or `mbarrier.arrive_drop`, for addresses in the `.shared::cta` window and for `.shared::cluster`
/// addresses. ptxas 13.5 refuses `.relaxed` below sm_90; the Target ISA Notes require sm_90 for the scope `.cluster` only.
macro_rules! arrive {
    (
        $doc:literal $mnemonic:literal $section:literal;
        arrive: $arrive:ident, $arrive_cluster:ident, $arrive_multicast:ident;
        expect_tx: $expect:ident, $expect_cluster:ident, $expect_multicast:ident, $order:ident;
        no_complete: $no_complete:ident;
        # Safety $( $safety:literal )?
    ) => {
        arrive! { @space_last $arrive, $arrive_cluster, $arrive_multicast; $mnemonic; $section, "sm_80" on "sm_90";
            #[doc = $doc]
            [ ?Arrivals: MbarrierArrivals ] () "{, count}" ""
            # Safety
            "- The count is in 1 ..= 2^20 - 1, and at most the number of arrivals that the phase still expects."
            $($safety)?
        }
        arrive! { @$order $expect, $expect_cluster, $expect_multicast; $mnemonic ".expect_tx"; $section, "sm_90";
            #[doc = concat!("Adds `tx_count` to the tx-count of the phase, then does one [`", stringify!($arrive), "`].")]
            [] (tx_count: u32 = reg32,) ", txCount" ", {tx_count}"
            # Safety
            "- The phase still expects an arrival, and its tx-count stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
            $($safety)?
        }
        instruction! {
            #[doc = concat!("Arrives `count` times as [`", stringify!($arrive), "`] does, without completing the phase.")]
            /// Returns a state for [`mbarrier_pending_count`].
            @unsafe fn $no_complete[Space: MbarrierSpace](addr: Space::Address = address, count: u32 = reg32)
                -> u64 = (state: u64 = reg64) state;
            form: $mnemonic ".noComplete.release.cta{.space}.b64 state, [addr], count;";
            ptx: $mnemonic ".noComplete.release.cta" .. ".b64 {state}, [{addr}], {count};";
            isa: "8.0", target: "sm_80", section: $section;
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            "- A `test_wait` or `try_wait` has returned true for the previous phase, if there is one (9.7.13.15.4)."
            "- `count` is in 1 ..= 2^20 - 1, and at most the number of arrivals that the phase still expects."
            "- The arrivals do not complete the phase: other arrivals or transactions are pending."
            $($safety)?
        }
    };
    (@space_last $($rest:tt)*) => {
        arrive! { @shape [] [ Space: MbarrierSpace, ] "{.sem}{.scope}{.space}" [] [ ".shared::cluster" ] $($rest)* }
    };
    (@space_first $($rest:tt)*) => {
        arrive! { @shape [ Space: MbarrierSpace, ] [] "{.space}{.sem}{.scope}" [ ".shared::cluster" ] [] $($rest)* }
    };
    (@shape [ $($first:tt)* ] [ $($last:tt)* ] $qualifiers:literal
        [ $($cluster_first:literal)? ] [ $($cluster_last:literal)? ]
        $name:ident, $cluster:ident, $multicast:ident; $($mnemonic:literal)+; $section:literal, $target:literal $(on $on:literal)?;
        $(#[$doc:meta])* [ $($optional:tt)* ] ($($operand:tt)*) $form:literal $ptx:literal
        # Safety $( $safety:literal )*
    ) => {
        instruction! {
            $(#[$doc])*
            /// Returns the state of the mbarrier before the arrival, which names the phase of the arrival.
            @unsafe fn $name[
                $($first)* Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" $(on $on)? },
                Scope: MbarrierScope { scope::Cta, scope::Cluster $(on $on)? }, $($last)* $($optional)*
            ](addr: Space::Address = address, $($operand)*) -> u64 = (state: u64 = reg64) state;
            form: $($mnemonic)+ $qualifiers ".b64 state, [addr]" $form ";";
            ptx: $($mnemonic)+ .. ".b64 {state}, [{addr}]" $ptx .. ";";
            isa: "8.0", target: $target, section: $section;
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            "- A `test_wait` or `try_wait` has returned true for the previous phase, if there is one (9.7.13.15.4)."
            $( $safety )*
        }
        instruction! {
            $(#[$doc])*
            /// The mbarrier may be in any CTA of the cluster. Returns no state.
            @unsafe fn $cluster[
                Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" }, Scope: MbarrierScope, $($optional)*
            ](addr: u32 = reg32, $($operand)*);
            form: $($mnemonic)+ $($cluster_first)? "{.sem}{.scope}" $($cluster_last)? ".b64 _, [addr]" $form ";";
            ptx: $($mnemonic)+ $($cluster_first)? .. $($cluster_last)? ".b64 _, [{addr}]" $ptx .. ";";
            isa: "8.0", target: "sm_90", section: $section;
            # Safety
            "- `addr` is the `.shared::cluster` address of a valid mbarrier, whose CTA has not exited."
            "- A `test_wait` or `try_wait` has returned true for the previous phase, if there is one (9.7.13.15.4)."
            $( $safety )*
        }
        instruction! {
            $(#[$doc])*
            /// This happens to the mbarrier at the offset of `addr` in the shared memory of each CTA of `cta_mask`, whose bit *i* is
            /// the CTA of rank *i*. Returns no state.
            @unsafe fn $multicast[
                Sem: ArriveSem, Scope: MbarrierScope, Space: MbarrierMulticastSpace, $($optional)*
            ](addr: Space::Address = address, $($operand)* cta_mask: u32 = reg32);
            form: $($mnemonic)+ "{.sem}{.scope}{.space}.multicast::cluster::32b.b64 _, [addr]" $form ", ctaMask;";
            ptx: $($mnemonic)+ .. ".multicast::cluster::32b.b64 _, [{addr}]" $ptx .. ", {cta_mask};";
            isa: "9.4", target: "sm_107", section: $section;
            gate: sm_107f;
            # Safety
            "- Each CTA of `cta_mask` is in the cluster and has not exited, and has a valid mbarrier at that offset."
            "- For each, a `test_wait` or `try_wait` has returned true for the previous phase, if there is one (9.7.13.15.4)."
            $( $safety )*
        }
    };
}

arrive! {
    "Arrives on the mbarrier at `addr`, once or `count` times (`arrivals::Count(count)`)."
    "mbarrier.arrive" "9.7.13.15.13";
    arrive: mbarrier_arrive, mbarrier_arrive_shared_cluster, mbarrier_arrive_multicast;
    expect_tx: mbarrier_arrive_expect_tx, mbarrier_arrive_expect_tx_shared_cluster, mbarrier_arrive_expect_tx_multicast, space_last;
    no_complete: mbarrier_arrive_no_complete;
    # Safety
}
// Only `mbarrier.arrive_drop.expect_tx` has the space before `.sem` in its syntax; ptxas 13.5 takes both orders.
arrive! {
    "Arrives on the mbarrier at `addr`, once or `count` times (`arrivals::Count(count)`), and lowers the number of arrivals that each later phase expects by the same count."
    "mbarrier.arrive_drop" "9.7.13.15.14";
    arrive: mbarrier_arrive_drop, mbarrier_arrive_drop_shared_cluster, mbarrier_arrive_drop_multicast;
    expect_tx: mbarrier_arrive_drop_expect_tx, mbarrier_arrive_drop_expect_tx_shared_cluster, mbarrier_arrive_drop_expect_tx_multicast,
        space_first;
    no_complete: mbarrier_arrive_drop_no_complete;
    # Safety
    "- Each later phase still expects 1 arrival or more (9.7.13.15.2)."
}

/// A row of `cp.async.mbarrier.arrive`.
macro_rules! cp_async_arrive {
    ($name:ident $head:literal $doc:literal $safety:literal) => {
        instruction! {
            /// Makes the mbarrier at `addr` track all `cp.async` copies that this thread has started: when they are complete, one
            /// arrival occurs on the mbarrier.
            #[doc = $doc]
            @unsafe fn $name[
                Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
            ](addr: Space::Address = address);
            form: $head "{.space}.b64 [addr];";
            ptx: $head .. ".b64 [{addr}];";
            isa: "7.0", target: "sm_80", section: "9.7.13.15.15";
            # Safety
            "- `addr` is the address, in the given space, of an mbarrier in the `.shared::cta` window, valid until the arrival."
            "- A `test_wait` or `try_wait` has returned true for the previous phase, if there is one (9.7.13.15.4)."
            $safety
        }
    };
}

cp_async_arrive! {
    cp_async_mbarrier_arrive "cp.async.mbarrier.arrive"
    "The instruction first adds 1 to the pending arrivals of the phase, for that arrival."
    "- The phase then has at most 2^20 - 1 pending arrivals (9.7.13.15.2)."
}
cp_async_arrive! {
    cp_async_mbarrier_arrive_noinc "cp.async.mbarrier.arrive.noinc"
    "The `count` of [`mbarrier_init`] includes that arrival."
    "- The phase still expects that arrival."
}

/// A row of `mbarrier.test_wait` or `mbarrier.try_wait`. ptxas 13.5 refuses `.relaxed` below sm_90; the Target ISA Notes require
/// sm_90 for the scope `.cluster` only.
macro_rules! wait {
    (
        $doc:literal $mnemonic:literal $target:literal $(on $on:literal)?; $name:ident $([ $($optional:tt)* ] $optional_form:literal)?
        ($($operand:tt)*) $form:literal $ptx:literal
        # Safety $safety:literal
    ) => {
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Sem: WaitSem { sem::Acquire, sem::Relaxed @ "8.6" $(on $on)? },
                Scope: MbarrierScope { scope::Cta, scope::Cluster $(on $on)? }, Space: MbarrierSpace, $($($optional)*)?
            ](addr: Space::Address = address, $($operand)*) -> bool = (done: u32 = reg32) done != 0;
            form: $mnemonic "{.sem}{.scope}{.space}.b64 waitComplete, [addr], " $form $($optional_form)? ";";
            ptx: "{{ .reg .pred p; " $mnemonic .. ".b64 p, [{addr}], " $ptx .. "; selp.b32 {done}, 1, 0, p; }}";
            isa: "8.0", target: $target, section: "9.7.13.15.16";
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            $safety
        }
    };
    (state $($rest:tt)*) => {
        wait! { $($rest)* (state: u64 = reg64) "state" "{state}" # Safety
            "- An `mbarrier.arrive` on this mbarrier returned `state` in the current or the immediately preceding phase." }
    };
    (parity $($rest:tt)*) => {
        wait! { $($rest)* (phase_parity: u32 = reg32) "phaseParity" "{phase_parity}" # Safety
            "- `phase_parity`, 0 or 1, is the parity of the current or the immediately preceding phase." }
    };
}

wait! {
    state "Tests whether the phase that `state` names is complete. Does not block."
    "mbarrier.test_wait" "sm_80" on "sm_90"; mbarrier_test_wait
}
wait! {
    parity "Tests whether the phase of parity `phase_parity` is complete. Does not block."
    "mbarrier.test_wait.parity" "sm_80" on "sm_90"; mbarrier_test_wait_parity
}
wait! {
    state "Tests as [`mbarrier_test_wait`] does, and may first suspend the thread until the phase completes or a time limit passes. The limit is system-dependent, or given in nanoseconds."
    "mbarrier.try_wait" "sm_90"; mbarrier_try_wait [ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}"
}
wait! {
    parity "Tests as [`mbarrier_test_wait_parity`] does, and may first suspend the thread until the phase completes or a time limit passes. The limit is system-dependent, or given in nanoseconds."
    "mbarrier.try_wait.parity" "sm_90"; mbarrier_try_wait_parity
    [ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}"
}

/// Rows of waits with a `.phase_type`: the conditional phase, then the primary phase with the report, as a predicate or as a
/// predicate and a value.
macro_rules! phase_type {
    (@conditional [] $($row:tt)*) => {};
    (@conditional [ $conditional:ident ]
        $mnemonic:literal $tests:ident $operand:ident $operand_form:literal $operand_text:literal: $Operand:ty = $class:ident, $safety:literal,
        [ $($optional:tt)* ] $optional_form:literal
    ) => {
        instruction! {
            #[doc = concat!("Tests as [`", stringify!($tests), "`] does, but whether the conditional phase is complete.")]
            /// It completes with the phase itself, unless an asynchronous operation of the phase has reported something to the
            /// mbarrier, which then has `.layout::v1`.
            @unsafe fn $conditional[Sem: WaitSem, Scope: MbarrierScope, Space: MbarrierSpace, $($optional)*](
                addr: Space::Address = address, $operand: $Operand = $class,
            ) -> bool = (done: u32 = reg32) done != 0;
            form: $mnemonic ".phase_type::conditional{.sem}{.scope}{.space}.b64 waitComplete, [addr], " $operand_form $optional_form ";";
            ptx: "{{ .reg .pred p; " $mnemonic ".phase_type::conditional" .. ".b64 p, [{addr}], " $operand_text .. "; selp.b32 {done}, 1, 0, p; }}";
            isa: "9.3", target: "sm_90", section: "9.7.13.15.16";
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            $safety
        }
    };
    (@report $report:ident $value:ident
        $mnemonic:literal $tests:ident $operand:ident $operand_form:literal $operand_text:literal: $Operand:ty = $class:ident, $safety:literal,
        [ $($optional:tt)* ] $optional_form:literal
    ) => {
        instruction! {
            #[doc = concat!("Tests as [`", stringify!($tests), "`] does, and returns also whether an asynchronous operation of the phase has reported")]
            /// something to the mbarrier. Without `.layout::v1` none does. The report says nothing while the phase is incomplete.
            @unsafe fn $report[Sem: WaitSem, Scope: MbarrierScope, Space: MbarrierSpace, $($optional)*](
                addr: Space::Address = address, $operand: $Operand = $class,
            ) -> (bool, bool) = (done: u32 = reg32, report: u32 = reg32) (done != 0, report != 0);
            form: $mnemonic ".phase_type::primary{.sem}{.scope}{.space}.b64 waitComplete|reportPredicate, [addr], " $operand_form
                $optional_form ";";
            ptx: "{{ .reg .pred p, p1; " $mnemonic ".phase_type::primary" .. ".b64 p|p1, [{addr}], " $operand_text ..
                "; selp.b32 {done}, 1, 0, p; selp.b32 {report}, 1, 0, p1; }}";
            isa: "9.3", target: "sm_90", section: "9.7.13.15.16";
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            $safety
        }
        // ptxas 13.5 takes the value in a register of eight bits alone, which `asm!` does not have.
        instruction! {
            #[doc = concat!("Tests as [`", stringify!($report), "`] does, and returns also what was reported: 0 if nothing was.")]
            @unsafe fn $value[Sem: WaitSem, Scope: MbarrierScope, Space: MbarrierSpace, $($optional)*](
                addr: Space::Address = address, $operand: $Operand = $class,
            ) -> (bool, bool, u8) = (done: u32 = reg32, report: u32 = reg32, value: u32 = reg32) (done != 0, report != 0, value as u8);
            form: $mnemonic ".phase_type::primary{.sem}{.scope}{.space}.b64 waitComplete|reportPredicate, reportValue, [addr], "
                $operand_form $optional_form ";";
            ptx: "{{ .reg .pred p, p1; .reg .b8 e; " $mnemonic ".phase_type::primary" .. ".b64 p|p1, e, [{addr}], " $operand_text ..
                "; selp.b32 {done}, 1, 0, p; selp.b32 {report}, 1, 0, p1; cvt.u32.u8 {value}, e; }}";
            isa: "9.3", target: "sm_90", section: "9.7.13.15.16";
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            $safety
        }
    };
    ($( $conditional:tt $report:ident $value:ident $mnemonic:literal { $($row:tt)* } )*) => { $(
        phase_type! { @conditional $conditional $mnemonic $($row)* }
        phase_type! { @report $report $value $mnemonic $($row)* }
    )* };
}

phase_type! {
    [] mbarrier_test_wait_report mbarrier_test_wait_report_value "mbarrier.test_wait" {
        mbarrier_test_wait state "state" "{state}": u64 = reg64,
        "- An `mbarrier.arrive` on this mbarrier returned `state` in the current or the immediately preceding phase.", [] ""
    }
    [ mbarrier_test_wait_parity_conditional ] mbarrier_test_wait_parity_report mbarrier_test_wait_parity_report_value
    "mbarrier.test_wait.parity" {
        mbarrier_test_wait_parity phase_parity "phaseParity" "{phase_parity}": u32 = reg32,
        "- `phase_parity`, 0 or 1, is the parity of the current or the immediately preceding phase.", [] ""
    }
    [] mbarrier_try_wait_report mbarrier_try_wait_report_value "mbarrier.try_wait" {
        mbarrier_try_wait state "state" "{state}": u64 = reg64,
        "- An `mbarrier.arrive` on this mbarrier returned `state` in the current or the immediately preceding phase.",
        [ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}"
    }
    [ mbarrier_try_wait_parity_conditional ] mbarrier_try_wait_parity_report mbarrier_try_wait_parity_report_value
    "mbarrier.try_wait.parity" {
        mbarrier_try_wait_parity phase_parity "phaseParity" "{phase_parity}": u32 = reg32,
        "- `phase_parity`, 0 or 1, is the parity of the current or the immediately preceding phase.",
        [ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}"
    }
}

instruction! {
    /// Returns the number of pending arrivals that the mbarrier had before the arrival that returned `state`.
    @unsafe fn mbarrier_pending_count(state: u64 = reg64) -> u32 = (count: u32 = reg32) count;
    form: "mbarrier.pending_count.b64 count, state;";
    ptx: "mbarrier.pending_count" .. ".b64 {count}, {state};";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.17";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- An `mbarrier.arrive.noComplete` or `mbarrier.arrive_drop.noComplete` returned `state`."
}
