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

/// An operation on shared memory of another CTA: its function, text up to the type, what it makes, types.
macro_rules! shared_cluster {
    ($( $name:ident $head:literal $what:literal $Legal:ident { $($tag:tt)* } )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in shared memory of another CTA of the cluster (`dst_mem`) and elements in shared")]
            /// memory of the executing CTA (`src_mem`), into the former, `size` bytes of each; the mbarrier at `mbar`, in the
            /// same CTA as the destination, gets a complete-tx of `size` when it is done.
            @unsafe fn $name[Type: $Legal { $($tag)* }](
                dst_mem: u32 = reg32, src_mem: u32 = reg32, size: u32 = reg32, mbar: u32 = reg32,
            );
            form: $head "{.type} [dstMem], [srcMem], size, [mbar];";
            ptx: $head .. " [{dst_mem}], [{src_mem}], {size}, [{mbar}];";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as [`cp_async_bulk_shared_cluster_shared_cta`](crate::raw::cp_async_bulk_shared_cluster_shared_cta); others may"
            "  access the destination by atomic operations on its elements."
        }
    )* };
}

/// An operation on global memory, without and with a cache policy.
macro_rules! global {
    ($( $name:ident $head:literal $hint:ident $hint_head:literal $what:literal $Legal:ident { $($tag:tt)* } )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in global memory (`dst_mem`) and elements in shared memory of the executing CTA")]
            /// (`src_mem`), into the former, `size` bytes of each, as part of the bulk async-group that the executing thread
            /// commits next.
            @unsafe fn $name[Type: $Legal { $($tag)* }](dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32);
            form: $head "{.type} [dstMem], [srcMem], size;";
            ptx: $head .. " [{dst_mem}], [{src_mem}], {size};";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as [`cp_async_bulk_global_shared_cta`](crate::raw::cp_async_bulk_global_shared_cta); others may access the"
            "  destination by atomic operations on its elements."
        }
        instruction! {
            #[doc = concat!("[`", stringify!($name), "`] under an L2 cache policy.")]
            @unsafe fn $hint[Type: $Legal { $($tag)* }](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32, cache_policy: u64 = reg64,
            );
            form: $hint_head "{.type} [dstMem], [srcMem], size, cache-policy;";
            ptx: $hint_head .. " [{dst_mem}], [{src_mem}], {size}, {cache_policy};";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.4.2";
            # Safety
            "- as the function without the policy; `cache_policy` comes from a `createpolicy` instruction."
        }
    )* };
}

shared_cluster! {
    cp_reduce_async_bulk_shared_cluster_shared_cta_add
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add"
        "Sums" ClusterBulkAddType { ty::U32, ty::S32, ty::U64 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_min
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min"
        "Minima" ClusterBulkMinMaxType { ty::U32, ty::S32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_max
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max"
        "Maxima" ClusterBulkMinMaxType { ty::U32, ty::S32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_inc
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc"
        "Increments that wrap to 0 at the source value" ClusterBulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_dec
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.dec"
        "Decrements that wrap to the source value at 0" ClusterBulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_and
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and"
        "Bitwise ands" ClusterBulkBitwiseType { ty::B32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_or
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.or"
        "Bitwise ors" ClusterBulkBitwiseType { ty::B32 }
    cp_reduce_async_bulk_shared_cluster_shared_cta_xor
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.xor"
        "Bitwise exclusive ors" ClusterBulkBitwiseType { ty::B32 }
}

global! {
    cp_reduce_async_bulk_global_shared_cta_add "cp.reduce.async.bulk.global.shared::cta.bulk_group.add"
        cp_reduce_async_bulk_global_shared_cta_add_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add"
        "Sums" BulkAddType { ty::U32, ty::S32, ty::U64, ty::F32, ty::F64 }
    cp_reduce_async_bulk_global_shared_cta_add_noftz "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz"
        cp_reduce_async_bulk_global_shared_cta_add_noftz_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.noftz"
        "Sums that keep subnormals" BulkAddNoftzType { ty::F16, ty::Bf16 }
    cp_reduce_async_bulk_global_shared_cta_min "cp.reduce.async.bulk.global.shared::cta.bulk_group.min"
        cp_reduce_async_bulk_global_shared_cta_min_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.min"
        "Minima" BulkMinMaxType { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    cp_reduce_async_bulk_global_shared_cta_max "cp.reduce.async.bulk.global.shared::cta.bulk_group.max"
        cp_reduce_async_bulk_global_shared_cta_max_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.max"
        "Maxima" BulkMinMaxType { ty::U32, ty::S32, ty::U64, ty::S64, ty::F16, ty::Bf16 }
    cp_reduce_async_bulk_global_shared_cta_inc "cp.reduce.async.bulk.global.shared::cta.bulk_group.inc"
        cp_reduce_async_bulk_global_shared_cta_inc_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.inc"
        "Increments that wrap to 0 at the source value" BulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_global_shared_cta_dec "cp.reduce.async.bulk.global.shared::cta.bulk_group.dec"
        cp_reduce_async_bulk_global_shared_cta_dec_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.dec"
        "Decrements that wrap to the source value at 0" BulkIncDecType { ty::U32 }
    cp_reduce_async_bulk_global_shared_cta_and "cp.reduce.async.bulk.global.shared::cta.bulk_group.and"
        cp_reduce_async_bulk_global_shared_cta_and_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.and"
        "Bitwise ands" BulkBitwiseType { ty::B32, ty::B64 }
    cp_reduce_async_bulk_global_shared_cta_or "cp.reduce.async.bulk.global.shared::cta.bulk_group.or"
        cp_reduce_async_bulk_global_shared_cta_or_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.or"
        "Bitwise ors" BulkBitwiseType { ty::B32, ty::B64 }
    cp_reduce_async_bulk_global_shared_cta_xor "cp.reduce.async.bulk.global.shared::cta.bulk_group.xor"
        cp_reduce_async_bulk_global_shared_cta_xor_cache_hint
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.xor"
        "Bitwise exclusive ors" BulkBitwiseType { ty::B32, ty::B64 }
}
