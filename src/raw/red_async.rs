//! `red.async`: asynchronous reductions in the shared memory of another CTA (DSMEM) and in global memory (PTX ISA 9.7.13.7).
//!
//! ptxas 13.5 accepts more than the section's syntax: `.s64` of `.add` with an mbarrier, `.relaxed` in `.gpu` and `.sys` without
//! an mbarrier, and every operation with `.release`. This module does not offer them.

legal! {
    RedAsyncAddType(TypeTag): "`{Self}` is not a `.type` of `red.async.relaxed.add`: use `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
    RedAsyncIncType(TypeTag): "`{Self}` is not a `.type` of `red.async.inc` or `.dec`: use `.u32`"
    { ty::U32 }
    RedAsyncMinType(TypeTag): "`{Self}` is not a `.type` of `red.async.min` or `.max`: use `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    /// `.type` of `.and`, `.or` and `.xor` of `red.async`.
    RedAsyncBitType(TypeTag): "`{Self}` is not a `.type` of `red.async.and`, `.or` or `.xor`: use `.b32`"
    { ty::B32 }
    RedAsyncSpace(AddressSpace): "`{Self}` is not a space of `red.async.relaxed`: use `.shared::cluster` or `All` (generic)"
    { space::All, space::SharedCluster }
    RedAsyncIncOp: "`{Self}` is not an `.op` of `red_async_inc_dec`: use `.inc` or `.dec`"
    { op::Inc, op::Dec }
    RedAsyncMinOp: "`{Self}` is not an `.op` of `red_async_min_max`: use `.min` or `.max`"
    { op::Min, op::Max }
    RedAsyncBitOp: "`{Self}` is not an `.op` of `red_async_bitwise`: use `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
}

/// `red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar];`
macro_rules! red_async {
    ($( $doc:literal $name:ident $op_form:literal [ $($tags:tt)* ] )*) => { $(
        instruction! {
            #[doc = $doc]
            /// When the reduction is done, the mbarrier at `mbar` gets a complete-tx of the value's size in bytes, with release
            /// semantics in cluster scope.
            @unsafe fn $name[
                Space: RedAsyncSpace, $($tags)*
            ](addr: Space::Address = address, b: Ty::Value = typed, mbar: Space::Address = address);
            form: "red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes" $op_form "{.type} [addr], b, [mbar];";
            ptx: "red.async.relaxed.cluster" .. " [{addr}], {b}, [{mbar}];";
            isa: "8.1", target: "sm_90", section: "9.7.13.7";
            # Safety
            "- `addr` is the address of a value, aligned to the value's size. `mbar` is the address of a valid mbarrier."
            "- The value and the mbarrier are in the shared memory of the same CTA of the cluster, other than the executing CTA."
            "- That CTA does not exit before the reduction is done."
            "- Concurrent accesses to the value are atomic, in scopes that include each other."
        }
    )* };
}

red_async! {
    "Starts adding `b` to the value at `addr`."
    red_async_add ".add"
    [ Ty: RedAsyncAddType after ".mbarrier::complete_tx::bytes.add" ]

    "Starts incrementing the value at `addr` (`.inc`: stores 0 if the old value is `b` or more) or decrementing it (`.dec`: stores `b` if the old value is 0 or more than `b`)."
    red_async_inc_dec "{.op}"
    [
        Op: RedAsyncIncOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncIncType,
    ]

    "Starts replacing the value at `addr` with the minimum or maximum of the value and `b`."
    red_async_min_max "{.op}"
    [
        Op: RedAsyncMinOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncMinType,
    ]

    "Starts replacing the value at `addr` with the bitwise `and`, `or` or `xor` of the value and `b`."
    red_async_bitwise "{.op}"
    [
        Op: RedAsyncBitOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncBitType,
    ]
}

legal! {
    // Section 9.7.13.7 contradicts itself: the syntax has `.gpu` and `.cluster`, the description and the example have `.sys`.
    // ptxas 13.5 accepts `.gpu` and `.sys`, and refuses `.cluster`.
    RedAsyncReleaseScope: "`{Self}` is not a `.scope` of `red.async.release`: use `.gpu` or `.sys`"
    { scope::Gpu, scope::Sys }
    RedAsyncReleaseType(TypeTag): "`{Self}` is not a `.type` of `red.async.release.add`: use `.u32`, `.s32`, `.u64` or `.s64`"
    { ty::U32, ty::S32, ty::U64, ty::S64 }
    RedAsyncReleaseSpace: "`{Self}` is not a space of `red.async.release`: use `.global` or `All` (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Starts adding `b` to the value at `addr`, in global memory, with release semantics. The addition is done when the CTA
    /// has ended.
    @unsafe fn red_async_release_add[
        Scope: RedAsyncReleaseScope, Space: RedAsyncReleaseSpace, Ty: RedAsyncReleaseType after ".add",
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "red.async.release{.scope}{.ss}.add{.type} [addr], b;";
    ptx: "red.async.release" .. " [{addr}], {b};";
    isa: "8.7", target: "sm_100", section: "9.7.13.7";
    gate: sm_100;
    # Safety
    "- `addr` is the address of a value in global memory, aligned to the value's size. The memory stays valid until the CTA ends."
    "- Concurrent accesses to the value are atomic, in scopes that include each other."
}

instruction! {
    /// Starts adding `b` to the value at `addr`, in global memory, as one operation on memory-mapped I/O, with release semantics
    /// in `.sys` scope. The addition is done when the CTA has ended.
    @unsafe fn red_async_mmio_release_add[
        Space: RedAsyncReleaseSpace, Ty: RedAsyncReleaseType after ".add",
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "red.async.mmio.release.sys{.ss}.add{.type} [addr], b;";
    ptx: "red.async.mmio.release.sys" .. " [{addr}], {b};";
    isa: "8.7", target: "sm_100", section: "9.7.13.7";
    gate: sm_100;
    # Safety
    "- As [`red_async_release_add`]."
}
