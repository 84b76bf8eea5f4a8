//! `mbarrier` and `cp.async.mbarrier.arrive`: section 9.7.13.15.
//!
//! A generic address is in the `.shared::cta` window too, but for `expect_tx` and `complete_tx`: arriving elsewhere returns
//! no state, and so it is done by a `.shared::cluster` address, in a function of its own.

legal! {
    /// `.sem` of `mbarrier.arrive` and `mbarrier.arrive_drop`.
    ArriveSem: "`{Self}` is no `.sem` of `mbarrier.arrive` or `.arrive_drop`: they take `.release` or `.relaxed`"
    { sem::Release, sem::Relaxed }
    /// `.sem` of `mbarrier.test_wait` and `mbarrier.try_wait`.
    WaitSem: "`{Self}` is no `.sem` of `mbarrier.test_wait` or `.try_wait`: they take `.acquire` or `.relaxed`"
    { sem::Acquire, sem::Relaxed }
    /// `.scope` of the `mbarrier` instructions.
    MbarrierScope: "`{Self}` is no `.scope` of an `mbarrier` instruction: they take `.cta` or `.cluster`"
    { scope::Cta, scope::Cluster }
    /// `count` of `mbarrier.arrive` and `mbarrier.arrive_drop`.
    MbarrierArrivals: "`{Self}` does not say how many arrivals it is: it takes `arrivals::One` or `arrivals::Count`"
    { arrivals::One, arrivals::Count(count in reg32) on "sm_90" }
    /// `suspendTimeHint` of `mbarrier.try_wait`.
    MbarrierSuspendTimeHint: "`{Self}` is no `suspendTimeHint`: it takes `suspend_time_hint::None` or `suspend_time_hint::Nanoseconds`"
    { suspend_time_hint::None, suspend_time_hint::Nanoseconds(suspend_time_hint in reg32) }
    /// `.space` of the `mbarrier` instructions and of `cp.async.mbarrier.arrive`.
    MbarrierSpace(AddressSpace): "`{Self}` is no space of this `mbarrier` instruction: it takes `.shared::cta` or none (generic); what arrives on `.shared::cluster` is a function of its own"
    { space::SharedCta, space::All }
    /// `.space` of `mbarrier.expect_tx` and `mbarrier.complete_tx`.
    MbarrierTxSpace(AddressSpace): "`{Self}` is no space of `mbarrier.expect_tx` or `.complete_tx`: they take `.shared::cta`, `.shared::cluster` or none (generic)"
    { space::SharedCta, space::SharedCluster, space::All }
}

instruction! {
    /// Initialises the mbarrier at `addr`: phase 0, `count` arrivals expected in each phase, no transactions.
    @unsafe fn mbarrier_init[
        Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
    ](addr: Space::Address = address, count: u32 = reg32);
    form: "mbarrier.init{.space}.b64 [addr], count;";
    ptx: "mbarrier.init" .. ".b64 [{addr}], {count};";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.9";
    # Safety
    "- `addr` is an 8-byte aligned address, in the given space, in the `.shared::cta` window."
    "- the 8 bytes there hold no valid mbarrier and nothing else in use."
    "- `count` is in 1 ..= 2^20 - 1 (9.7.13.15.2)."
}

instruction! {
    /// Ends the life of the mbarrier at `addr`; its memory can be used for something else.
    @unsafe fn mbarrier_inval[
        Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
    ](addr: Space::Address = address);
    form: "mbarrier.inval{.space}.b64 [addr];";
    ptx: "mbarrier.inval" .. ".b64 [{addr}];";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.10";
    # Safety
    "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
    "- nobody uses it any more, no asynchronous operation either."
}

/// `mbarrier.expect_tx` and `mbarrier.complete_tx`.
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
            "- `addr` is the address, in the given space, of a valid mbarrier in a CTA of the cluster that has not exited."
            $( $safety )*
        }
    };
}

tx! {
    mbarrier_expect_tx "mbarrier.expect_tx.relaxed" "9.7.13.15.11"
    "Makes the current phase expect `tx_count` more bytes of asynchronous copies. Orders nothing."
    "- the phase's tx-count stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
}
tx! {
    mbarrier_complete_tx "mbarrier.complete_tx.relaxed" "9.7.13.15.12"
    "Makes the current phase expect `tx_count` bytes less, as their copy would at its end. Orders nothing."
    "- the phase's tx-count stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
    "- nobody takes the end of the phase for that of a copy which is still in flight."
}

/// `mbarrier.arrive` or `mbarrier.arrive_drop`: the functions for an address in the `.shared::cta` window and for a
/// `.shared::cluster` address. ptxas 13.5 refuses `.relaxed` below sm_90; the Target ISA Notes say so of `.cluster` only.
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
            # Safety "- the count is in 1 ..= 2^20 - 1, and the phase has that many arrivals left." $($safety)?
        }
        arrive! { @$order $expect, $expect_cluster; $mnemonic ".expect_tx"; $section, "sm_90";
            #[doc = concat!("Makes the phase expect `tx_count` more bytes, then does [`", stringify!($arrive), "`] once.")]
            [] (tx_count: u32 = reg32) ", txCount" ", {tx_count}"
            # Safety
            "- the phase has an arrival left, and its tx-count stays in -(2^20 - 1) ..= 2^20 - 1 (9.7.13.15.2)."
            $($safety)?
        }
        instruction! {
            #[doc = concat!("[`", stringify!($arrive), "`], `count` times, that does not complete the phase.")]
            /// [`mbarrier_pending_count`] takes the state.
            @unsafe fn $no_complete[Space: MbarrierSpace](addr: Space::Address = address, count: u32 = reg32)
                -> u64 = (state: u64 = reg64) state;
            form: $mnemonic ".noComplete.release.cta{.space}.b64 state, [addr], count;";
            ptx: $mnemonic ".noComplete.release.cta" .. ".b64 {state}, [{addr}], {count};";
            isa: "8.0", target: "sm_80", section: $section;
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            "- a `test_wait` or `try_wait` on its previous phase, if any, has returned true (9.7.13.15.4)."
            "- `count` is in 1 ..= 2^20 - 1, and the phase has `count` arrivals left."
            "- it does not complete the phase: that still has other arrivals, or transactions, to wait for."
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
            /// Returns the state of the mbarrier before, which names this phase.
            @unsafe fn $name[
                $($first)* Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" $(on $on)? },
                Scope: MbarrierScope { scope::Cta, scope::Cluster $(on $on)? }, $($last)* $($optional)*
            ](addr: Space::Address = address, $($operand)*) -> u64 = (state: u64 = reg64) state;
            form: $($mnemonic)+ $qualifiers ".b64 state, [addr]" $form ";";
            ptx: $($mnemonic)+ .. ".b64 {state}, [{addr}]" $ptx .. ";";
            isa: "8.0", target: $target, section: $section;
            # Safety
            "- `addr` is the address, in the given space, of a valid mbarrier in the `.shared::cta` window."
            "- a `test_wait` or `try_wait` on its previous phase, if any, has returned true (9.7.13.15.4)."
            $( $safety )*
        }
        instruction! {
            $(#[$doc])*
            /// The mbarrier is one of any CTA of the cluster, and no state comes back.
            @unsafe fn $cluster[
                Sem: ArriveSem { sem::Release, sem::Relaxed @ "8.6" }, Scope: MbarrierScope, $($optional)*
            ](addr: u32 = reg32, $($operand)*);
            form: $($mnemonic)+ $($cluster_first)? "{.sem}{.scope}" $($cluster_last)? ".b64 _, [addr]" $form ";";
            ptx: $($mnemonic)+ $($cluster_first)? .. $($cluster_last)? ".b64 _, [{addr}]" $ptx .. ";";
            isa: "8.0", target: "sm_90", section: $section;
            # Safety
            "- `addr` is the `.shared::cluster` address of a valid mbarrier, in a CTA that has not exited."
            "- a `test_wait` or `try_wait` on its previous phase, if any, has returned true (9.7.13.15.4)."
            $( $safety )*
        }
    };
}

arrive! {
    "Arrives on the mbarrier at `addr`, once or as many times as are said."
    "mbarrier.arrive" "9.7.13.15.13";
    arrive: mbarrier_arrive, mbarrier_arrive_shared_cluster;
    expect_tx: mbarrier_arrive_expect_tx, mbarrier_arrive_expect_tx_shared_cluster, space_last;
    no_complete: mbarrier_arrive_no_complete;
    # Safety
}
// The syntax has the space first in `.expect_tx`, here only; ptxas 13.5 takes both orders.
arrive! {
    "Arrives on the mbarrier at `addr`, once or as many times as are said, and makes it expect as many arrivals less in each \
    later phase."
    "mbarrier.arrive_drop" "9.7.13.15.14";
    arrive: mbarrier_arrive_drop, mbarrier_arrive_drop_shared_cluster;
    expect_tx: mbarrier_arrive_drop_expect_tx, mbarrier_arrive_drop_expect_tx_shared_cluster, space_first;
    no_complete: mbarrier_arrive_drop_no_complete;
    # Safety
    "- each later phase expects 1 arrival or more (9.7.13.15.2)."
}

/// `cp.async.mbarrier.arrive`.
macro_rules! cp_async_arrive {
    ($name:ident $head:literal $doc:literal $safety:literal) => {
        instruction! {
            /// Makes the mbarrier at `addr` get an arrival when all `cp.async` copies that this thread has started are
            /// complete.
            #[doc = $doc]
            @unsafe fn $name[
                Space: MbarrierSpace { space::SharedCta @ "7.8", space::All },
            ](addr: Space::Address = address);
            form: $head "{.space}.b64 [addr];";
            ptx: $head .. ".b64 [{addr}];";
            isa: "7.0", target: "sm_80", section: "9.7.13.15.15";
            # Safety
            "- `addr` is the address, in the given space, of an mbarrier in the `.shared::cta` window, valid until the"
            "  arrival."
            "- a `test_wait` or `try_wait` on its previous phase, if any, has returned true (9.7.13.15.4)."
            $safety
        }
    };
}

cp_async_arrive! {
    cp_async_mbarrier_arrive "cp.async.mbarrier.arrive"
    "At once, it makes the phase wait for one arrival more: that one."
    "- the pending arrivals become 2^20 - 1 at most (9.7.13.15.2)."
}
cp_async_arrive! {
    cp_async_mbarrier_arrive_noinc "cp.async.mbarrier.arrive.noinc"
    "It is one of the arrivals that `mbarrier.init` has counted."
    "- the phase has an arrival left for it."
}

/// `mbarrier.test_wait` and `mbarrier.try_wait`. ptxas 13.5 refuses `.relaxed` below sm_90; the Target ISA Notes say so
/// of `.cluster` only.
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
            "- `state` came from an `mbarrier.arrive` on it in the current or the immediately preceding phase." }
    };
    (parity $($rest:tt)*) => {
        wait! { $($rest)* (phase_parity: u32 = reg32) "phaseParity" "{phase_parity}" # Safety
            "- `phase_parity`, 0 or 1, is the parity of the current or of the immediately preceding phase." }
    };
}

wait! { state "Whether the phase that `state` names is complete. Does not block."
"mbarrier.test_wait" "sm_80" on "sm_90"; mbarrier_test_wait }
wait! { parity "Whether the phase of the given parity is complete. Does not block."
"mbarrier.test_wait.parity" "sm_80" on "sm_90"; mbarrier_test_wait_parity }
wait! { state "[`mbarrier_test_wait`] that may suspend the thread, for a system-dependent time or the given one."
"mbarrier.try_wait" "sm_90"; mbarrier_try_wait
[ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}" }
wait! { parity "[`mbarrier_test_wait_parity`] that may suspend the thread, for a system-dependent time or the given one."
"mbarrier.try_wait.parity" "sm_90"; mbarrier_try_wait_parity
[ ?SuspendTimeHint: MbarrierSuspendTimeHint ] "{, suspendTimeHint}" }

instruction! {
    /// The pending count that the mbarrier had before the arrive that returned `state`.
    @unsafe fn mbarrier_pending_count(state: u64 = reg64) -> u32 = (count: u32 = reg32) count;
    form: "mbarrier.pending_count.b64 count, state;";
    ptx: "mbarrier.pending_count" .. ".b64 {count}, {state};";
    isa: "7.0", target: "sm_80", section: "9.7.13.15.17";
    options: pure, nomem, nostack, preserves_flags;
    # Safety
    "- `state` came from an `mbarrier.arrive.noComplete` or an `mbarrier.arrive_drop.noComplete`."
}
