//! `red.async`: section 9.7.13.7.
//!
//! ptxas 13.5 takes more than the section's syntax: `.s64` of `.add` with an mbarrier, `.relaxed` in `.gpu` and `.sys`
//! without one, and every operation with `.release`. These are not PTX by the text, and are not offered.

legal! {
    /// `.type` of `red.async.relaxed.add`.
    RedAsyncAddType(TypeTag): "`{Self}` is no `.type` of `red.async.relaxed.add`: it takes `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
    /// `.type` of `.inc` and `.dec` of `red.async`.
    RedAsyncIncType(TypeTag): "`{Self}` is no `.type` of `red.async.inc` or `.dec`: they take `.u32`"
    { ty::U32 }
    /// `.type` of `.min` and `.max` of `red.async`.
    RedAsyncMinType(TypeTag): "`{Self}` is no `.type` of `red.async.min` or `.max`: they take `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    /// `.type` of `.and`, `.or` and `.xor` of `red.async`.
    RedAsyncBitType(TypeTag): "`{Self}` is no `.type` of `red.async.and`, `.or` or `.xor`: they take `.b32`"
    { ty::B32 }
    /// `.ss` of `red.async.relaxed`.
    RedAsyncSpace(AddressSpace): "`{Self}` is no space of `red.async.relaxed`: it takes `.shared::cluster` or none (generic)"
    { space::All, space::SharedCluster }
    /// `.op` of `red.async.relaxed`, of the types of `.inc` and `.dec`.
    RedAsyncIncOp: "`{Self}` is no `.op` of `red_async_inc_dec`: it takes `.inc` or `.dec`"
    { op::Inc, op::Dec }
    /// `.op` of `red.async.relaxed`, of the types of `.min` and `.max`.
    RedAsyncMinOp: "`{Self}` is no `.op` of `red_async_min_max`: it takes `.min` or `.max`"
    { op::Min, op::Max }
    /// `.op` of `red.async.relaxed`, of the types of `.and`, `.or` and `.xor`.
    RedAsyncBitOp: "`{Self}` is no `.op` of `red_async_bitwise`: it takes `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
}

/// `red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes.op.type [a], b, [mbar];`
macro_rules! red_async {
    ($( $doc:literal $name:ident $op_form:literal [ $($tags:tt)* ] )*) => { $(
        instruction! {
            #[doc = $doc]
            /// The mbarrier at `mbar` gets a complete-tx of the value's size in bytes when it is done.
            @unsafe fn $name[
                Space: RedAsyncSpace, $($tags)*
            ](addr: Space::Address = address, b: Ty::Value = typed, mbar: Space::Address = address);
            form: "red.async.relaxed.cluster{.ss}.mbarrier::complete_tx::bytes" $op_form "{.type} [addr], b, [mbar];";
            ptx: "red.async.relaxed.cluster" .. " [{addr}], {b}, [{mbar}];";
            isa: "8.1", target: "sm_90", section: "9.7.13.7";
            # Safety
            "- `addr` and `mbar` are the addresses of such a value, aligned to its size, and of a valid mbarrier, both in shared"
            "  memory of one CTA of the cluster, which is not the executing one and does not exit before the reduction is done."
            "- what others do to the value meanwhile is atomic, in scopes that include each other."
        }
    )* };
}

red_async! {
    "Starts adding `b` to the value at `addr`."
    red_async_add ".add"
    [ Ty: RedAsyncAddType after ".mbarrier::complete_tx::bytes.add" ]

    "Starts incrementing the value at `addr`, or making it 0 if it is `b` or more; or \
    decrementing it, or making it `b` if it is 0 or more than `b`."
    red_async_inc_dec "{.op}"
    [
        Op: RedAsyncIncOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncIncType,
    ]

    "Starts making the value at `addr` the minimum or maximum of itself and `b`."
    red_async_min_max "{.op}"
    [
        Op: RedAsyncMinOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncMinType,
    ]

    "Starts making the value at `addr` its bitwise and, or, or exclusive or with `b`."
    red_async_bitwise "{.op}"
    [
        Op: RedAsyncBitOp after ".mbarrier::complete_tx::bytes",
        Ty: RedAsyncBitType,
    ]
}

legal! {
    /// `.scope` of `red.async.release`.
    // The syntax says `.gpu` and `.cluster`; the description and the example have `.sys`. ptxas 13.5 takes `.gpu` and
    // `.sys`, and refuses `.cluster`.
    RedAsyncReleaseScope: "`{Self}` is no `.scope` of `red.async.release`: it takes `.gpu` or `.sys`"
    { scope::Gpu, scope::Sys }
    /// `.type` of `red.async.release.add`.
    RedAsyncReleaseType(TypeTag): "`{Self}` is no `.type` of `red.async.release.add`: it takes `.u32`, `.s32`, `.u64` or `.s64`"
    { ty::U32, ty::S32, ty::U64, ty::S64 }
    /// `.ss` of `red.async.release`.
    RedAsyncReleaseSpace: "`{Self}` is no space of `red.async.release`: it takes `.global` or none (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Starts adding `b` to the value at `addr`, with release semantics. It is done when the CTA has ended.
    /// The value is in global memory.
    @unsafe fn red_async_release_add[
        Scope: RedAsyncReleaseScope, Space: RedAsyncReleaseSpace, Ty: RedAsyncReleaseType after ".add",
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "red.async.release{.scope}{.ss}.add{.type} [addr], b;";
    ptx: "red.async.release" .. " [{addr}], {b};";
    isa: "8.7", target: "sm_100", section: "9.7.13.7";
    gate: sm_100;
    # Safety
    "- `addr` is the address of such a value in global memory, aligned to its size, which stays until the CTA has ended."
    "- what others do to it meanwhile is atomic, in scopes that include each other."
}

instruction! {
    /// As without `.mmio`, as one access to memory-mapped I/O, in `.sys` scope. It is done when the CTA has ended.
    /// The value is in global memory.
    @unsafe fn red_async_mmio_release_add[
        Space: RedAsyncReleaseSpace, Ty: RedAsyncReleaseType after ".add",
    ](addr: *mut u8 = reg64, b: Ty::Value = typed);
    form: "red.async.mmio.release.sys{.ss}.add{.type} [addr], b;";
    ptx: "red.async.mmio.release.sys" .. " [{addr}], {b};";
    isa: "8.7", target: "sm_100", section: "9.7.13.7";
    gate: sm_100;
    # Safety
    "- `addr` is the address of such a value in global memory, aligned to its size, which stays until the CTA has ended."
    "- what others do to it meanwhile is atomic, in scopes that include each other."
}
