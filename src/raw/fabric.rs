//! `fabric`: asynchronous copies and reductions between shared memory and logical endpoints, the memory of other GPUs over NVLink
//! (PTX ISA 9.7.10 of 9.3).
//!
//! A handle is the identifier of a logical endpoint and an offset there; of counted operations, also the offset of a counter. A
//! thread submits its operations ([`fabric_submit`]) before the phase of their mbarrier can complete, and before the grid ends they
//! are complete. The mbarrier has `.layout::v1`; a wait with a report tells whether an operation has failed.

legal! {
    FabricEndpoint: "`{Self}` is not the endpoint of a `fabric` instruction: use `endpoint::Unicast` or `endpoint::Multimem`"
    { endpoint::Unicast, endpoint::Multimem }
    /// `.cp_mask` and its `byteMask`, of `fabric.try_put`.
    FabricCpMask: "`{Self}` is not a `.cp_mask` of `fabric.try_put`: use `cp_mask::None` or `cp_mask::Bytes` with a `ByteMask`"
    { cp_mask::None, cp_mask::Bytes(byte_mask in mask) }
    FabricMinMaxOp: "`{Self}` is not an `.op` of this `fabric` instruction: use `.min` or `.max`"
    { op::Min, op::Max }
    FabricBitwiseOp: "`{Self}` is not an `.op` of this `fabric` instruction: use `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
    FabricBitwiseType: "`{Self}` is not a `.type` of `.and`, `.or` and `.xor` of `fabric` instructions: use `.b32` or `.b64`"
    { ty::B32, ty::B64 }
    /// `.type` of `.add` of `fabric.try_red`.
    FabricRedAddType: "`{Self}` is not a `.type` of `fabric.try_red.add`: use `.u32`, `.u64`, `.f16`, `.bf16`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::F16, ty::Bf16, ty::F32, ty::F64 }
    /// `.type` of `.min` and `.max` of `fabric.try_red`.
    FabricRedMinMaxType: "`{Self}` is not a `.type` of `fabric.try_red.min` or `.max`: use `.u32`, `.s32`, `.u64`, `.s64`, `.f16` or `.bf16`"
    { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    // ptxas 13.5 takes `.f16` and `.bf16` too, and then fails in its own text.
    FabricAtomAddType: "`{Self}` is not a `.type` of `fabric.try_atom.add`: use `.u32`, `.u64`, `.f16x2`, `.bf16x2`, `.f32` or `.f64`"
    { ty::U32, ty::U64, ty::F16x2, ty::Bf16x2, ty::F32, ty::F64 }
    FabricAtomMinMaxType: "`{Self}` is not a `.type` of `fabric.try_atom.min` or `.max`: use `.u32`, `.s32`, `.u64`, `.s64`, `.f16x2` or `.bf16x2`"
    { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16x2, ty::Bf16x2 }
    FabricAtomExchType: "`{Self}` is not a `.type` of `fabric.try_atom.exch` or `.cas`: use `.b32`, `.b64` or `.b128`"
    { ty::B32, ty::B64, ty::B128 }
    FabricPullredAddType: "`{Self}` is not a `.type` of `fabric.try_pullred.add`: use `.u32`, `.u64`, `.f16`, `.bf16` or `.f32`"
    { ty::U32, ty::U64, ty::F16, ty::Bf16, ty::F32 }
    FabricPullredMinMaxType: "`{Self}` is not a `.type` of `fabric.try_pullred.min` or `.max`: use `.u32`, `.s32`, `.u64`, `.s64`, `.f16`, `.bf16` or, with the feature `sm_100f`, `sm_110f` or `sm_120f`, `.e4m3` or `.e5m2`"
    {
        ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16, ty::E4m3 gate pullred_f8, ty::E5m2 gate pullred_f8,
    }
    FabricPullredAccF16Type: "`{Self}` is not a `.type` of `fabric.try_pullred.add.acc::f16`: use `.e4m3` or `.e5m2`"
    { ty::E4m3, ty::E5m2 }
    FabricPullredAccF32Type: "`{Self}` is not a `.type` of `fabric.try_pullred.add.acc::f32`: use `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}

instruction! {
    /// Starts a copy of `size` bytes from the handle `src_le_id`, `src_data_off` of a unicast endpoint to shared memory of the
    /// executing CTA at `dst`. On completion, the mbarrier at `bar` gets a complete-tx of `size`.
    @unsafe fn fabric_try_get[?CacheHint: L2CacheHint](
        dst: u32 = reg32, src_le_id: u32 = reg32, src_data_off: u64 = reg64, size: u32 = reg32, bar: u32 = reg32,
    );
    form: "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric{.L2::cache_hint}.relaxed.sys.b128"
        " [dst], [srcLeId, srcDataOff], size, [bar]{, cache-policy};";
    ptx: "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric" ..
        ".relaxed.sys.b128 [{dst}], [{src_le_id}, {src_data_off}], {size}, [{bar}]" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.1 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- `size` is a multiple of 16; `dst` and `src_data_off` are aligned to 16. The ranges lie in shared memory and in the endpoint."
    "- `bar` is the address of a valid mbarrier of `.layout::v1` in the executing CTA."
    "- Until the operation is complete, nothing accesses the destination, and the grid does not end. The thread submits the"
    "  operation before the phase of the mbarrier completes."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy of `size` bytes from shared memory of the executing CTA at `src` to the handle `dst_le_id`, `dst_data_off`. On
    /// completion, the mbarrier at `bar` gets a complete-tx of one for every 16 bytes. With `.cp_mask`, the copy writes the bytes of
    /// the set in each 16 bytes.
    @unsafe fn fabric_try_put[Endpoint: FabricEndpoint, ?CpMask: FabricCpMask after ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric",
        ?CacheHint: L2CacheHint,
    ](dst_le_id: u32 = reg32, dst_data_off: u64 = reg64, src: u32 = reg32, size: u32 = reg32, bar: u32 = reg32);
    form: "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.cp_mask}{.L2::cache_hint}"
        ".relaxed.sys.b128 [dstLeId, dstDataOff], [src], size, [bar]{, byteMask}{, cache-policy};";
    ptx: "fabric.try_put.async" .. ".relaxed.sys.b128 [{dst_le_id}, {dst_data_off}], [{src}], {size}, [{bar}]" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.2 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- `size` is a multiple of 16; `src` and `dst_data_off` are aligned to 16. The ranges lie in shared memory and in the endpoint."
    "- `bar` is the address of a valid mbarrier of `.layout::v1` in the executing CTA."
    "- Until the operation is complete, nothing writes the source, and the grid does not end. The thread submits the operation"
    "  before the phase of the mbarrier completes."
    "- A cache policy comes from a `createpolicy` instruction."
}

instruction! {
    /// Starts a copy as [`fabric_try_put`] does, which also adds to the counter at `dst_counter_off` of the endpoint.
    @unsafe fn fabric_try_put_counted[
        Endpoint: FabricEndpoint,
        ?CacheHint: L2CacheHint after ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes",
    ](
        dst_le_id: u32 = reg32, dst_data_off: u64 = reg64, dst_counter_off: u64 = reg64, src: u32 = reg32, size: u32 = reg32,
        bar: u32 = reg32,
    );
    form: "fabric.try_put.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes{.L2::cache_hint}"
        ".relaxed.sys.b128 [dstLeId, dstDataOff, dstCounterOff], [src], size, [bar]{, cache-policy};";
    ptx: "fabric.try_put.async" ..
        ".relaxed.sys.b128 [{dst_le_id}, {dst_data_off}, {dst_counter_off}], [{src}], {size}, [{bar}]" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.2 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- The conditions of [`fabric_try_put`] hold. The endpoint supports counted completion. `dst_counter_off` is aligned to 256, and"
    "  the 8 bytes of the counter are in the endpoint, not among the bytes of the copy."
}

/// Rows of `fabric.try_red`, without and with a counter.
macro_rules! try_red {
    ($( $name:ident $counted:ident $op_form:literal [ $($Op:ident)? ] [ $($op_text:literal)? ] $what:literal $Legal:ident; )*) => { $(
        instruction! {
            #[doc = concat!("Starts a reduction of `size` bytes that replaces each element at the handle `dst_le_id`, `dst_data_off` by its ", $what)]
            /// the element in shared memory of the executing CTA at `src`. On completion, the mbarrier at `bar` gets a complete-tx of one
            /// for every 16 bytes.
            @unsafe fn $name[
                Endpoint: FabricEndpoint,
                ?CacheHint: L2CacheHint after ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric",
                $( Op: $Op after ".relaxed.sys", )? Type: $Legal $(after ".relaxed.sys" $op_text)?
            ](dst_le_id: u32 = reg32, dst_data_off: u64 = reg64, src: u32 = reg32, size: u32 = reg32, bar: u32 = reg32);
            form: "fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}"
                ".relaxed.sys" $op_form "{.type} [dstLeId, dstDataOff], [src], size, [bar]{, cache-policy};";
            ptx: "fabric.try_red.async" .. " [{dst_le_id}, {dst_data_off}], [{src}], {size}, [{bar}]" .. ";";
            isa: "9.3", target: "sm_100", section: "9.7.10.5.3 of PTX ISA 9.3";
            gate: sm_100;
            # Safety
            "- The conditions of [`fabric_try_put`] hold."
        }
        instruction! {
            #[doc = concat!("Starts a reduction as [`", stringify!($name), "`] does, which also adds to the counter at `dst_counter_off` of the endpoint.")]
            @unsafe fn $counted[
                Endpoint: FabricEndpoint,
                ?CacheHint: L2CacheHint after ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes",
                $( Op: $Op after ".relaxed.sys", )? Type: $Legal $(after ".relaxed.sys" $op_text)?
            ](
                dst_le_id: u32 = reg32, dst_data_off: u64 = reg64, dst_counter_off: u64 = reg64, src: u32 = reg32, size: u32 = reg32,
                bar: u32 = reg32,
            );
            form: "fabric.try_red.async{.multimem}.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes"
                "{.L2::cache_hint}.relaxed.sys" $op_form
                "{.type} [dstLeId, dstDataOff, dstCounterOff], [src], size, [bar]{, cache-policy};";
            ptx: "fabric.try_red.async" ..
                " [{dst_le_id}, {dst_data_off}, {dst_counter_off}], [{src}], {size}, [{bar}]" .. ";";
            isa: "9.3", target: "sm_100", section: "9.7.10.5.3 of PTX ISA 9.3";
            gate: sm_100;
            # Safety
            "- The conditions of [`fabric_try_put_counted`] hold."
        }
    )* };
}

try_red! {
    fabric_try_red_bitwise fabric_try_red_counted_bitwise "{.redOp}" [ FabricBitwiseOp ] []
        "bitwise and, or, or exclusive or with" FabricBitwiseType;
    fabric_try_red_min_max fabric_try_red_counted_min_max "{.redOp}" [ FabricMinMaxOp ] [] "minimum or maximum with" FabricRedMinMaxType;
    fabric_try_red_add fabric_try_red_counted_add ".add" [] [ ".add" ] "sum with" FabricRedAddType;
}

/// Rows of `fabric.try_pullred`.
macro_rules! try_pullred {
    ($( $name:ident $op_form:literal [ $($Op:ident)? ] [ $($op_text:literal)? ] $what:literal $Legal:ident $gate:ident; )*) => { $(
        instruction! {
            #[doc = concat!("Starts loads of `size` bytes from all memory of the multicast handle `src_le_id`, `src_data_off`, and stores the ", $what)]
            /// the loaded elements in shared memory of the executing CTA at `dst`. On completion, the mbarrier at `bar` gets a
            /// complete-tx of `size`.
            @unsafe fn $name[ $( Op: $Op, )? Type: $Legal $(after $op_text)? ](
                dst: u32 = reg32, src_le_id: u32 = reg32, src_data_off: u64 = reg64, size: u32 = reg32, bar: u32 = reg32,
            );
            form: "fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys"
                $op_form "{.type}.sync [dst], [srcLeId, srcDataOff], size, [bar], 0xffffffff;";
            ptx: "fabric.try_pullred.async.multimem.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys" ..
                ".sync [{dst}], [{src_le_id}, {src_data_off}], {size}, [{bar}], 0xffffffff;";
            isa: "9.3", target: "sm_100", section: "9.7.10.5.4 of PTX ISA 9.3";
            gate: $gate;
            convergent: convergent;
            # Safety
            "- The conditions of [`fabric_try_get`] hold, with a multicast endpoint that supports the reduction and that the executing"
            "  GPU is a member of."
            "- All threads of the warp execute this instruction with the same operands."
        }
    )* };
}

try_pullred! {
    fabric_try_pullred_bitwise "{.redOp}" [ FabricBitwiseOp ] [] "bitwise and, or, or exclusive or of" FabricBitwiseType sm_100;
    fabric_try_pullred_min_max "{.redOp}" [ FabricMinMaxOp ] [] "minimum or maximum of" FabricPullredMinMaxType sm_100;
    fabric_try_pullred_add ".add" [] [ ".add" ] "sum of" FabricPullredAddType sm_100;
    fabric_try_pullred_add_acc_f16 ".add.acc::f16" [] [ ".add.acc::f16" ] "sum (accumulated in `.f16`) of" FabricPullredAccF16Type pullred_f8;
    fabric_try_pullred_add_acc_f32 ".add.acc::f32" [] [ ".add.acc::f32" ] "sum (accumulated in `.f32`) of" FabricPullredAccF32Type pullred_f8;
}

/// Rows of `fabric.try_atom`.
macro_rules! try_atom {
    ($( $name:ident $op_form:literal [ $($Op:ident)? ] [ $($op_text:literal)? ] $what:literal $Legal:ident; )*) => { $(
        instruction! {
            #[doc = concat!("Starts an atomic operation at the handle `dst_le_id`, `dst_data_off`: ", $what)]
            /// The old value goes to shared memory of the executing CTA at `old`, and the operand comes from there, at `operand`. On
            /// completion, the mbarrier at `bar` gets a complete-tx.
            @unsafe fn $name[
                ?CacheHint: L2CacheHint, $( Op: $Op after ".relaxed.sys", )? Type: $Legal $(after ".relaxed.sys" $op_text)?
            ](dst_le_id: u32 = reg32, dst_data_off: u64 = reg64, old: u32 = reg32, operand: u32 = reg32, bar: u32 = reg32);
            form: "fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric{.L2::cache_hint}.relaxed.sys"
                $op_form "{.type} [dstLeId, dstDataOff], [old], [operand], [bar]{, cache-policy};";
            ptx: "fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric" ..
                " [{dst_le_id}, {dst_data_off}], [{old}], [{operand}], [{bar}]" .. ";";
            isa: "9.4", target: "sm_100", section: "none of PTX ISA 9.4";
            gate: sm_100;
            # Safety
            "- The handle is of a unicast endpoint, and of a value there, aligned to its size. `old` and `operand` are aligned to 16, and"
            "  have the blocks that the operation needs."
            "- `bar` is the address of a valid mbarrier of `.layout::v1` in the executing CTA."
            "- Until the operation is complete, nothing accesses the block at `old` or writes that at `operand`, and the grid does not"
            "  end. The thread submits the operation before the phase of the mbarrier completes."
            "- A cache policy comes from a `createpolicy` instruction."
        }
    )* };
}

try_atom! {
    fabric_try_atom_add ".add" [] [ ".add" ] "adds the operand to the value." FabricAtomAddType;
    fabric_try_atom_min_max "{.op}" [ FabricMinMaxOp ] [] "replaces the value with its minimum or maximum with the operand." FabricAtomMinMaxType;
    fabric_try_atom_bitwise "{.op}" [ FabricBitwiseOp ] []
        "replaces the value with its bitwise `and`, `or` or `xor` with the operand." FabricBitwiseType;
    fabric_try_atom_exch ".exch" [] [ ".exch" ] "stores the operand." FabricAtomExchType;
    fabric_try_atom_cas ".cas" [] [ ".cas" ] "stores one value of the operand if the old value equals the other." FabricAtomExchType;
}

instruction! {
    /// Submits the earlier `fabric` operations of the executing thread.
    @unsafe fn fabric_submit();
    form: "fabric.submit;";
    ptx: "fabric.submit" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.5 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}

instruction! {
    /// Submits the earlier `fabric.try_get` and `fabric.try_pullred` operations of the executing thread.
    @unsafe fn fabric_submit_fetching();
    form: "fabric.submit.op_restrict::fetching;";
    ptx: "fabric.submit.op_restrict::fetching" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.5 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}

instruction! {
    /// Submits the earlier `fabric` operations of the executing thread as a group. ptxas 13.5 takes the instruction; the PTX ISA up to
    /// 9.4 has no text on it.
    @unsafe fn fabric_submit_commit_group();
    form: "fabric.submit.commit_group;";
    ptx: "fabric.submit.commit_group" .. ";";
    isa: "9.5", target: "sm_100", section: "none of PTX ISA 9.4";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}

instruction! {
    /// Waits until the submitted `fabric` operations of the executing thread have read their sources in shared memory.
    @unsafe fn fabric_wait_reads();
    form: "fabric.wait.sync_restrict::reads;";
    ptx: "fabric.wait.sync_restrict::reads" .. ";";
    isa: "9.3", target: "sm_100", section: "9.7.10.5.6 of PTX ISA 9.3";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}

instruction! {
    /// Waits as [`fabric_wait_reads`] does, with a number of operations that may still read. ptxas 13.5 takes the number; the PTX ISA
    /// up to 9.4 has no text on it.
    @unsafe fn fabric_wait_reads_pending<const N: u32 = 1>();
    form: "fabric.wait.sync_restrict::reads N;";
    ptx: "fabric.wait.sync_restrict::reads" .. " {N};";
    isa: "9.3", target: "sm_100", section: "none of PTX ISA 9.4";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}

instruction! {
    /// Waits until at most the `N` most recent groups of [`fabric_submit_commit_group`] still read their sources in shared memory.
    /// ptxas 13.5 takes the instruction; the PTX ISA up to 9.4 has no text on it.
    @unsafe fn fabric_wait_read<const N: u32 = 1>();
    form: "fabric.wait.sync_restrict::read N;";
    ptx: "fabric.wait.sync_restrict::read" .. " {N};";
    isa: "9.5", target: "sm_100", section: "none of PTX ISA 9.4";
    gate: sm_100;
    # Safety
    "- None of its own; the conditions of the operations depend on this call."
}
