//! Bulk reductions: `cp.reduce.async.bulk` (PTX ISA 9.7.9.25.4.2).

legal! {
    /// `.type` of `.add`, bulk reductions in global memory.
    BulkAddType: "`{Self}` is not a `.type` of the bulk reductions `.add` in global memory: use `.u32`, `.s32`, `.u64`, `.f32` or `.f64`"
    { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64 }
    /// `.type` of `.add.noftz`, bulk reductions in global memory.
    BulkAddNoftzType: "`{Self}` is not a `.type` of the bulk reductions `.add.noftz` in global memory: use `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
    /// `.type` of `.min` and `.max`, bulk reductions in global memory.
    BulkMinMaxType: "`{Self}` is not a `.type` of the bulk reductions `.min` and `.max` in global memory: use `.u32`, `.s32`, `.u64`, `.s64`, `.f16` or `.bf16`"
    { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    /// `.type` of `.inc` and `.dec`, bulk reductions in global memory.
    BulkIncDecType: "`{Self}` is not a `.type` of the bulk reductions `.inc` and `.dec` in global memory: use `.u32`"
    { ty::U32 }
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in global memory.
    BulkBitwiseType: "`{Self}` is not a `.type` of the bulk reductions `.and`, `.or` and `.xor` in global memory: use `.b32` or `.b64`"
    { ty::B32, ty::B64 }
    /// `.type` of `.add`, bulk reductions in `.shared::cluster`.
    ClusterBulkAddType: "`{Self}` is not a `.type` of the bulk reductions `.add` in `.shared::cluster`: use `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
    /// `.type` of `.min` and `.max`, bulk reductions in `.shared::cluster`.
    ClusterBulkMinMaxType: "`{Self}` is not a `.type` of the bulk reductions `.min` and `.max` in `.shared::cluster`: use `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    /// `.type` of `.inc` and `.dec`, bulk reductions in `.shared::cluster`.
    ClusterBulkIncDecType: "`{Self}` is not a `.type` of the bulk reductions `.inc` and `.dec` in `.shared::cluster`: use `.u32`"
    { ty::U32 }
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in `.shared::cluster`.
    ClusterBulkBitwiseType: "`{Self}` is not a `.type` of the bulk reductions `.and`, `.or` and `.xor` in `.shared::cluster`: use `.b32`"
    { ty::B32 }
    /// `.scope` of bulk reductions in global memory.
    BulkReduceScope: "`{Self}` is not a `.scope` of a relaxed bulk reduction in global memory: use `.cta`, `.cluster` or `.gpu`; `.sys` is that of the function without `_relaxed`"
    { scope::Cta, scope::Cluster, scope::Gpu }
    /// `.scope` of bulk reductions in `.shared::cluster`.
    ClusterBulkReduceScope: "`{Self}` is not a `.scope` of a relaxed bulk reduction in `.shared::cluster`: use `.cta` or `.cluster`"
    { scope::Cta, scope::Cluster }
    BulkMinMaxOp: "`{Self}` is not a `.redOp` of these bulk reductions: use `.min` or `.max`"
    { op::Min, op::Max }
    BulkIncDecOp: "`{Self}` is not a `.redOp` of these bulk reductions: use `.inc` or `.dec`"
    { op::Inc, op::Dec }
    /// `.redOp` of bulk reductions of the types of `.and`, `.or` and `.xor`.
    BulkBitwiseOp: "`{Self}` is not a `.redOp` of these bulk reductions: use `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
}

/// Rows of reductions in shared memory of another CTA: the function and the one with a scope, `.redOp` in the form, the qualifier or
/// its text, the description, the set of types.
macro_rules! shared_cluster {
    ($( $name:ident $relaxed:ident $op_form:literal [ $($Op:ident)? ] [ $($op_text:literal)? ] $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!("Starts a reduction of `size` bytes that replaces each element at `dst_mem` by its ", $what)]
            /// the element at `src_mem`.
            ///
            /// `src_mem` is in shared memory of the executing CTA, `dst_mem` in shared memory of another CTA of the cluster
            /// (DSMEM). On completion, the mbarrier at `mbar`, in the CTA of the destination, gets a complete-tx of `size`.
            @unsafe fn $name[ $( Op: $Op, )? Type: $Legal $(after $op_text)? ](
                dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $op_form
                "{.type} [dstMem], [srcMem], size, [mbar];";
            ptx: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" ..
                " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- The conditions of [`cp_async_bulk_shared_cluster_shared_cta`](crate::raw::cp_async_bulk_shared_cluster_shared_cta)"
            "  hold, but atomic operations may access the elements of the destination meanwhile."
        }
        instruction! {
            #[doc = concat!("Starts a reduction as [`", stringify!($name), "`] does, each element's being relaxed in `Scope`.")]
            @unsafe fn $relaxed[
                Scope: ClusterBulkReduceScope, $( Op: $Op after ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes", )?
                Type: $Legal $(after ".shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $op_text)?
            ](dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32);
            form: "cp.reduce.async.bulk.relaxed{.scope}.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $op_form
                "{.type} [dstMem], [srcMem], size, [mbar];";
            ptx: "cp.reduce.async.bulk.relaxed" .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
            isa: "9.3", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- The conditions of [`cp_async_bulk_shared_cluster_shared_cta`](crate::raw::cp_async_bulk_shared_cluster_shared_cta)"
            "  hold, but atomic operations in scopes that include each other may access the elements of the destination meanwhile."
        }
    )* };
}

/// Rows of reductions in global memory, with the same arguments.
macro_rules! global {
    ($( $name:ident $relaxed:ident $op_form:literal [ $($Op:ident)? ] [ $($op_text:literal)? ] $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!("Starts a reduction of `size` bytes that replaces each element at `dst_mem` by its ", $what)]
            /// the element at `src_mem`.
            ///
            /// `src_mem` is in shared memory of the executing CTA, `dst_mem` in global memory. The reduction is part of the bulk
            /// async-group that the executing thread commits next.
            @unsafe fn $name[ ?CacheHint: L2CacheHint, $( Op: $Op, )? Type: $Legal $(after $op_text)? ](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}" $op_form
                "{.type} [dstMem], [srcMem], size{, cache-policy};";
            ptx: "cp.reduce.async.bulk.global.shared::cta.bulk_group" .. " [{dst_mem}], [{src_mem}], {size}" .. ";";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- The conditions of [`cp_async_bulk_global_shared_cta`](crate::raw::cp_async_bulk_global_shared_cta) hold, but"
            "  atomic operations may access the elements of the destination meanwhile."
        }
        instruction! {
            #[doc = concat!("Starts a reduction as [`", stringify!($name), "`] does, each element's being relaxed in `Scope`.")]
            @unsafe fn $relaxed[
                Scope: BulkReduceScope, ?CacheHint: L2CacheHint after ".global.shared::cta.bulk_group", $( Op: $Op, )?
                Type: $Legal $(after $op_text)?
            ](dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32);
            form: "cp.reduce.async.bulk.relaxed{.scope}.global.shared::cta.bulk_group{.L2::cache_hint}" $op_form
                "{.type} [dstMem], [srcMem], size{, cache-policy};";
            ptx: "cp.reduce.async.bulk.relaxed" .. " [{dst_mem}], [{src_mem}], {size}" .. ";";
            isa: "9.3", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- The conditions of [`cp_async_bulk_global_shared_cta`](crate::raw::cp_async_bulk_global_shared_cta) hold, but atomic"
            "  operations in scopes that include each other may access the elements of the destination meanwhile."
        }
    )* };
}

shared_cluster! {
    cp_reduce_async_bulk_shared_cluster_shared_cta_add cp_reduce_async_bulk_relaxed_shared_cluster_shared_cta_add
        ".add" [] [ ".add" ] "sum with" ClusterBulkAddType
    cp_reduce_async_bulk_shared_cluster_shared_cta_min_max cp_reduce_async_bulk_relaxed_shared_cluster_shared_cta_min_max
        "{.redOp}" [ BulkMinMaxOp ] []
        "minimum or maximum with" ClusterBulkMinMaxType
    cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec cp_reduce_async_bulk_relaxed_shared_cluster_shared_cta_inc_dec
        "{.redOp}" [ BulkIncDecOp ] []
        "increment, which wraps to 0 at the element at `src_mem`, or its decrement, which wraps at 0 to"
        ClusterBulkIncDecType
    cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise cp_reduce_async_bulk_relaxed_shared_cluster_shared_cta_bitwise
        "{.redOp}" [ BulkBitwiseOp ] []
        "bitwise and, or, or exclusive or with" ClusterBulkBitwiseType
}

global! {
    cp_reduce_async_bulk_global_shared_cta_add cp_reduce_async_bulk_relaxed_global_shared_cta_add
        ".add" [] [ ".add" ] "sum with" BulkAddType
    cp_reduce_async_bulk_global_shared_cta_add_noftz cp_reduce_async_bulk_relaxed_global_shared_cta_add_noftz
        ".add.noftz" [] [ ".add.noftz" ]
        "sum (subnormals kept) with" BulkAddNoftzType
    cp_reduce_async_bulk_global_shared_cta_min_max cp_reduce_async_bulk_relaxed_global_shared_cta_min_max
        "{.redOp}" [ BulkMinMaxOp ] [] "minimum or maximum with" BulkMinMaxType
    cp_reduce_async_bulk_global_shared_cta_inc_dec cp_reduce_async_bulk_relaxed_global_shared_cta_inc_dec
        "{.redOp}" [ BulkIncDecOp ] []
        "increment, which wraps to 0 at the element at `src_mem`, or its decrement, which wraps at 0 to"
        BulkIncDecType
    cp_reduce_async_bulk_global_shared_cta_bitwise cp_reduce_async_bulk_relaxed_global_shared_cta_bitwise
        "{.redOp}" [ BulkBitwiseOp ] []
        "bitwise and, or, or exclusive or with" BulkBitwiseType
}
