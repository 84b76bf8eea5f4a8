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
    ($name:ident $head:literal $section:literal $doc:literal $( $safety:literal )*) => {
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
    mbarrier_expect_tx "mbarrier.expect_tx.relaxed" "9.7.13.15.11"
    "Adds `tx_count` to the tx-count of the current phase: the phase expects `tx_count` more bytes of asynchronous copies. Orders no memory accesses."
}
tx! {
    mbarrier_complete_tx "mbarrier.complete_tx.relaxed" "9.7.13.15.12"
    "Subtracts `tx_count` from the tx-count of the current phase, as an asynchronous copy of `tx_count` bytes does on completion. Orders no memory accesses."
    "- No thread treats completion of this phase as completion of a copy that is still in flight."
}

/// The rows of `mbarrier.arrive` or `mbarrier.arrive_drop`, for addresses in the `.shared::cta` window and for `.shared::cluster`
/// addresses. ptxas 13.5 refuses `.relaxed` below sm_90; the Target ISA Notes require sm_90 for the scope `.cluster` only.
macro_rules! arrive {
    (
        $doc:literal $mnemonic:literal $section:literal;
        arrive: $arrive:ident, $arrive_cluster:ident;
        expect_tx: $expect:ident, $expect_cluster:ident, $order:ident;
        no_complete: $no_complete:ident;
        # Safety $( $safety:literal )?
    ) => {
        arrive! { @space_last $arrive, $arrive_cluster; $mnemonic; $section, "sm_80" on "sm_90";
            #[doc = $doc]
            [ ?Arrivals: MbarrierArrivals ] () "{, count}" ""
            # Safety
            "- The count is in 1 ..= 2^20 - 1, and at most the number of arrivals that the phase still expects."
            $($safety)?
        }
        arrive! { @$order $expect, $expect_cluster; $mnemonic ".expect_tx"; $section, "sm_90";
            #[doc = concat!("Adds `tx_count` to the tx-count of the phase, then does one [`", stringify!($arrive), "`].")]
            [] (tx_count: u32 = reg32) ", txCount" ", {tx_count}"
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
        $name:ident, $cluster:ident; $($mnemonic:literal)+; $section:literal, $target:literal $(on $on:literal)?;
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
    };
}

arrive! {
    "Arrives on the mbarrier at `addr`, once or `count` times (`arrivals::Count(count)`)."
    "mbarrier.arrive" "9.7.13.15.13";
    arrive: mbarrier_arrive, mbarrier_arrive_shared_cluster;
    expect_tx: mbarrier_arrive_expect_tx, mbarrier_arrive_expect_tx_shared_cluster, space_last;
    no_complete: mbarrier_arrive_no_complete;
    # Safety
}
// Only `mbarrier.arrive_drop.expect_tx` has the space before `.sem` in its syntax; ptxas 13.5 takes both orders.
arrive! {
    "Arrives on the mbarrier at `addr`, once or `count` times (`arrivals::Count(count)`), and lowers the number of arrivals that each later phase expects by the same count."
    "mbarrier.arrive_drop" "9.7.13.15.14";
    arrive: mbarrier_arrive_drop, mbarrier_arrive_drop_shared_cluster;
    expect_tx: mbarrier_arrive_drop_expect_tx, mbarrier_arrive_drop_expect_tx_shared_cluster, space_first;
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
