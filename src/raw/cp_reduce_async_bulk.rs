//! `cp.reduce.async.bulk`: section 9.7.9.25.4.2.

legal! {
    /// `.type` of `.add`, bulk reductions in global memory.
    BulkAddType: "`{Self}` is no `.type` of the bulk reductions `.add` in global memory: they take `.u32`, `.s32`, `.u64`, `.f32` or `.f64`"
    { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64 }
    /// `.type` of `.add.noftz`, bulk reductions in global memory.
    BulkAddNoftzType: "`{Self}` is no `.type` of the bulk reductions `.add.noftz` in global memory: they take `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
    /// `.type` of `.min` and `.max`, bulk reductions in global memory.
    BulkMinMaxType: "`{Self}` is no `.type` of the bulk reductions `.min` and `.max` in global memory: they take `.u32`, `.s32`, `.u64`, `.s64`, `.f16` or `.bf16`"
    { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    /// `.type` of `.inc` and `.dec`, bulk reductions in global memory.
    BulkIncDecType: "`{Self}` is no `.type` of the bulk reductions `.inc` and `.dec` in global memory: they take `.u32`"
    { ty::U32 }
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in global memory.
    BulkBitwiseType: "`{Self}` is no `.type` of the bulk reductions `.and`, `.or` and `.xor` in global memory: they take `.b32` or `.b64`"
    { ty::B32, ty::B64 }
    /// `.type` of `.add`, bulk reductions in `.shared::cluster`.
    ClusterBulkAddType: "`{Self}` is no `.type` of the bulk reductions `.add` in `.shared::cluster`: they take `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
    /// `.type` of `.min` and `.max`, bulk reductions in `.shared::cluster`.
    ClusterBulkMinMaxType: "`{Self}` is no `.type` of the bulk reductions `.min` and `.max` in `.shared::cluster`: they take `.u32` or `.s32`"
    { ty::U32, ty::S32 }
    /// `.type` of `.inc` and `.dec`, bulk reductions in `.shared::cluster`.
    ClusterBulkIncDecType: "`{Self}` is no `.type` of the bulk reductions `.inc` and `.dec` in `.shared::cluster`: they take `.u32`"
    { ty::U32 }
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in `.shared::cluster`.
    ClusterBulkBitwiseType: "`{Self}` is no `.type` of the bulk reductions `.and`, `.or` and `.xor` in `.shared::cluster`: they take `.b32`"
    { ty::B32 }
    /// `.redOp` of bulk reductions of the types of `.min` and `.max`.
    BulkMinMaxOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.min` or `.max`"
    { op::Min, op::Max }
    /// `.redOp` of bulk reductions of the types of `.inc` and `.dec`.
    BulkIncDecOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.inc` or `.dec`"
    { op::Inc, op::Dec }
    /// `.redOp` of bulk reductions of the types of `.and`, `.or` and `.xor`.
    BulkBitwiseOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
}

/// Operations on shared memory of another CTA: their function, `.redOp` in the form and in asm, the qualifier, what they make,
/// types.
macro_rules! shared_cluster {
    ($( $name:ident $op_form:literal $op_text:literal [ $($op:tt)* ] $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in shared memory of another CTA of the cluster (`dst_mem`) and elements in shared")]
            /// memory of the executing CTA (`src_mem`), into the former, `size` bytes of each; the mbarrier at `mbar`, in the
            /// same CTA as the destination, gets a complete-tx of `size` when it is done.
            @unsafe fn $name[ $($op)* Type: $Legal ](
                dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $op_form
                "{.type} [dstMem], [srcMem], size, [mbar];";
            ptx: "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes" $op_text ..
                " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as [`cp_async_bulk_shared_cluster_shared_cta`](crate::raw::cp_async_bulk_shared_cluster_shared_cta); others may"
            "  access the destination by atomic operations on its elements."
        }
    )* };
}

/// Operations on global memory, as above.
macro_rules! global {
    ($( $name:ident $op_form:literal [ $($op:tt)* ] [ $($op_text:literal)? ] $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in global memory (`dst_mem`) and elements in shared memory of the executing CTA")]
            /// (`src_mem`), into the former, `size` bytes of each, as part of the bulk async-group that the executing thread
            /// commits next.
            @unsafe fn $name[ ?CacheHint: L2CacheHint, $($op)* Type: $Legal $(after $op_text)? ](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}" $op_form
                "{.type} [dstMem], [srcMem], size{, cache-policy};";
            ptx: "cp.reduce.async.bulk.global.shared::cta.bulk_group" .. " [{dst_mem}], [{src_mem}], {size}" .. ";";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as [`cp_async_bulk_global_shared_cta`](crate::raw::cp_async_bulk_global_shared_cta); others may access the"
            "  destination by atomic operations on its elements."
        }
    )* };
}

shared_cluster! {
    cp_reduce_async_bulk_shared_cluster_shared_cta_add ".add" ".add" [] "Sums" ClusterBulkAddType
    cp_reduce_async_bulk_shared_cluster_shared_cta_min_max "{.redOp}" "" [ Op: BulkMinMaxOp, ]
        "Minima or maxima" ClusterBulkMinMaxType
    cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec "{.redOp}" "" [ Op: BulkIncDecOp, ]
        "Increments that wrap to 0 at the source value, or decrements that wrap to it at 0," ClusterBulkIncDecType
    cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise "{.redOp}" "" [ Op: BulkBitwiseOp, ]
        "Bitwise ands, ors or exclusive ors" ClusterBulkBitwiseType
}

global! {
    cp_reduce_async_bulk_global_shared_cta_add ".add" [] [ ".add" ] "Sums" BulkAddType
    cp_reduce_async_bulk_global_shared_cta_add_noftz ".add.noftz" [] [ ".add.noftz" ]
        "Sums that keep subnormals" BulkAddNoftzType
    cp_reduce_async_bulk_global_shared_cta_min_max "{.redOp}" [ Op: BulkMinMaxOp, ] [] "Minima or maxima" BulkMinMaxType
    cp_reduce_async_bulk_global_shared_cta_inc_dec "{.redOp}" [ Op: BulkIncDecOp, ] []
        "Increments that wrap to 0 at the source value, or decrements that wrap to it at 0," BulkIncDecType
    cp_reduce_async_bulk_global_shared_cta_bitwise "{.redOp}" [ Op: BulkBitwiseOp, ] []
        "Bitwise ands, ors or exclusive ors" BulkBitwiseType
}
