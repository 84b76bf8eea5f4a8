//! `cp.reduce.async.bulk`: section 9.7.9.25.4.2.

legal! {
    /// `.type` of `.add`, bulk reductions in global memory.
    BulkAddType: "`{Self}` is no `.type` of the bulk reductions `.add` in global memory: they take `.u32`, `.s32`, `.u64`, `.f32` or `.f64`"
    { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64 }
}
legal! {
    /// `.type` of `.add.noftz`, bulk reductions in global memory.
    BulkAddNoftzType: "`{Self}` is no `.type` of the bulk reductions `.add.noftz` in global memory: they take `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}
legal! {
    /// `.type` of `.min` and `.max`, bulk reductions in global memory.
    BulkMinMaxType: "`{Self}` is no `.type` of the bulk reductions `.min` and `.max` in global memory: they take `.u32`, `.s32`, `.u64`, `.s64`, `.f16` or `.bf16`"
    { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
}
legal! {
    /// `.type` of `.inc` and `.dec`, bulk reductions in global memory.
    BulkIncDecType: "`{Self}` is no `.type` of the bulk reductions `.inc` and `.dec` in global memory: they take `.u32`"
    { ty::U32 }
}
legal! {
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in global memory.
    BulkBitwiseType: "`{Self}` is no `.type` of the bulk reductions `.and`, `.or` and `.xor` in global memory: they take `.b32` or `.b64`"
    { ty::B32, ty::B64 }
}
legal! {
    /// `.type` of `.add`, bulk reductions in `.shared::cluster`.
    ClusterBulkAddType: "`{Self}` is no `.type` of the bulk reductions `.add` in `.shared::cluster`: they take `.u32`, `.s32` or `.u64`"
    { ty::U32, ty::S32, ty::U64 }
}
legal! {
    /// `.type` of `.min` and `.max`, bulk reductions in `.shared::cluster`.
    ClusterBulkMinMaxType: "`{Self}` is no `.type` of the bulk reductions `.min` and `.max` in `.shared::cluster`: they take `.u32` or `.s32`"
    { ty::U32, ty::S32 }
}
legal! {
    /// `.type` of `.inc` and `.dec`, bulk reductions in `.shared::cluster`.
    ClusterBulkIncDecType: "`{Self}` is no `.type` of the bulk reductions `.inc` and `.dec` in `.shared::cluster`: they take `.u32`"
    { ty::U32 }
}
legal! {
    /// `.type` of `.and`, `.or` and `.xor`, bulk reductions in `.shared::cluster`.
    ClusterBulkBitwiseType: "`{Self}` is no `.type` of the bulk reductions `.and`, `.or` and `.xor` in `.shared::cluster`: they take `.b32`"
    { ty::B32 }
}

legal! {
    /// `.redOp` of bulk reductions of the types of `.min` and `.max`.
    BulkMinMaxOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.min` or `.max`"
    { op::Min, op::Max }
}
legal! {
    /// `.redOp` of bulk reductions of the types of `.inc` and `.dec`.
    BulkIncDecOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.inc` or `.dec`"
    { op::Inc, op::Dec }
}
legal! {
    /// `.redOp` of bulk reductions of the types of `.and`, `.or` and `.xor`.
    BulkBitwiseOp: "`{Self}` is no `.redOp` of these bulk reductions: they take `.and`, `.or` or `.xor`"
    { op::And, op::Or, op::Xor }
}

/// Operations on shared memory of another CTA: their function, `.redOp` in the form and in asm, its tags, what they make,
/// types.
macro_rules! shared_cluster {
    ($( $name:ident $op_form:literal $op_text:literal [ $($op:tt)* ] $what:literal $Legal:ident { $($tag:tt)* } )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in shared memory of another CTA of the cluster (`dst_mem`) and elements in shared")]
            /// memory of the executing CTA (`src_mem`), into the former, `size` bytes of each; the mbarrier at `mbar`, in the
            /// same CTA as the destination, gets a complete-tx of `size` when it is done.
            @unsafe fn $name[ $($op)* Type: $Legal { $($tag)* } ](
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

/// Operations on global memory, as above, without and with a cache policy.
macro_rules! global {
    ($(
        $name:ident $hint:ident $op_form:literal $op_text:literal [ $($op:tt)* ]
        $what:literal $Legal:ident { $($tag:tt)* }
    )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in global memory (`dst_mem`) and elements in shared memory of the executing CTA")]
            /// (`src_mem`), into the former, `size` bytes of each, as part of the bulk async-group that the executing thread
            /// commits next.
            @unsafe fn $name[ $($op)* Type: $Legal { $($tag)* } ](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.global.shared::cta.bulk_group" $op_form "{.type} [dstMem], [srcMem], size;";
            ptx: "cp.reduce.async.bulk.global.shared::cta.bulk_group" $op_text .. " [{dst_mem}], [{src_mem}], {size};";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as [`cp_async_bulk_global_shared_cta`](crate::raw::cp_async_bulk_global_shared_cta); others may access the"
            "  destination by atomic operations on its elements."
        }
        instruction! {
            #[doc = concat!("[`", stringify!($name), "`] under an L2 cache policy.")]
            @unsafe fn $hint[ $($op)* Type: $Legal { $($tag)* } ](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32, cache_policy: u64 = reg64,
            );
            form: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint" $op_form
                "{.type} [dstMem], [srcMem], size, cache-policy;";
            ptx: "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint" $op_text ..
                " [{dst_mem}], [{src_mem}], {size}, {cache_policy};";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as the function without the policy; `cache_policy` comes from a `createpolicy` instruction."
        }
    )* };
}

shared_cluster! {
    cp_reduce_async_bulk_shared_cluster_shared_cta_add ".add" ".add" []
        "Sums" ClusterBulkAddType { ty::U32, ty::S32, ty::U64 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_min_max
        "{.redOp}" "" [ Op: BulkMinMaxOp { op::Min, op::Max }, ]
        "Minima or maxima" ClusterBulkMinMaxType { ty::U32, ty::S32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_inc_dec
        "{.redOp}" "" [ Op: BulkIncDecOp { op::Inc, op::Dec }, ]
        "Increments that wrap to 0 at the source value, or decrements that wrap to it at 0,"
        ClusterBulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_bitwise
        "{.redOp}" "" [ Op: BulkBitwiseOp { op::And, op::Or, op::Xor }, ]
        "Bitwise ands, ors or exclusive ors" ClusterBulkBitwiseType { ty::B32 }
}

global! {
    cp_reduce_async_bulk_global_shared_cta_add cp_reduce_async_bulk_global_shared_cta_add_cache_hint
        ".add" ".add" []
        "Sums" BulkAddType { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64 }
    cp_reduce_async_bulk_global_shared_cta_add_noftz cp_reduce_async_bulk_global_shared_cta_add_noftz_cache_hint
        ".add.noftz" ".add.noftz" []
        "Sums that keep subnormals" BulkAddNoftzType { ty::F16, ty::Bf16 }
    cp_reduce_async_bulk_global_shared_cta_min_max cp_reduce_async_bulk_global_shared_cta_min_max_cache_hint
        "{.redOp}" "" [ Op: BulkMinMaxOp { op::Min, op::Max }, ]
        "Minima or maxima" BulkMinMaxType { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    cp_reduce_async_bulk_global_shared_cta_inc_dec cp_reduce_async_bulk_global_shared_cta_inc_dec_cache_hint
        "{.redOp}" "" [ Op: BulkIncDecOp { op::Inc, op::Dec }, ]
        "Increments that wrap to 0 at the source value, or decrements that wrap to it at 0," BulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_global_shared_cta_bitwise cp_reduce_async_bulk_global_shared_cta_bitwise_cache_hint
        "{.redOp}" "" [ Op: BulkBitwiseOp { op::And, op::Or, op::Xor }, ]
        "Bitwise ands, ors or exclusive ors" BulkBitwiseType { ty::B32, ty::B64 }
}
