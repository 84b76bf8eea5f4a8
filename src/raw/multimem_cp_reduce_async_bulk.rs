//! `multimem.cp.reduce.async.bulk`: bulk reductions from shared memory into multicast memory (TMA, NVLink SHARP; PTX ISA
//! 9.7.9.27). The types are those of `cp.reduce.async.bulk` into global memory.

/// Each entry has the function and the one with a scope, the text of `.redOp`, the new value of an element, and the types.
macro_rules! multimem_reduce {
    ($( $name:ident $relaxed:ident $op:literal $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!("Starts a bulk reduction: at each location of the multimem address `dst_mem`, element *d* becomes ", $what, ".")]
            /// *s* is the corresponding element at `src_mem`, in shared memory of the executing CTA. Both ranges are `size` bytes
            /// long.
            ///
            /// The reduction belongs to the bulk async-group that the executing thread commits next.
            @unsafe fn $name[Type: $Legal](dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32);
            form: "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group" $op "{.type} [dstMem], [srcMem], size;";
            ptx: "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group" $op .. " [{dst_mem}], [{src_mem}], {size};";
            isa: "9.1", target: "sm_90", section: "9.7.9.27";
            # Safety
            "- `dst_mem` is a multimem address. `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both"
            "  ranges lie in their memory."
            "- No thread and no copy writes the source before the group's reads are complete."
            "- Before the group is complete, all other accesses to the destination are atomic operations on its elements."
            "- A `fence.proxy.async` makes earlier ordinary stores to the source visible to the async proxy."
            "- The CTA does not exit before the group's reads are complete."
        }
        instruction! {
            #[doc = concat!("Starts a reduction as [`", stringify!($name), "`] does, each element's being relaxed in `Scope`.")]
            @unsafe fn $relaxed[
                Scope: BulkReduceScope, Type: $Legal after ".global.shared::cta.bulk_group" $op,
            ](dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32);
            form: "multimem.cp.reduce.async.bulk.relaxed{.scope}.global.shared::cta.bulk_group" $op "{.type} [dstMem], [srcMem], size;";
            ptx: "multimem.cp.reduce.async.bulk.relaxed" .. " [{dst_mem}], [{src_mem}], {size};";
            isa: "9.3", target: "sm_90", section: "9.7.9.27";
            # Safety
            "- The conditions of the reduction that the first sentence names hold. Other atomic operations on the elements of the"
            "  destination are in scopes that include each other."
        }
    )* };
}

multimem_reduce! {
    multimem_cp_reduce_async_bulk_global_shared_cta_add
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_add ".add"
        "*d* + *s*" BulkAddType
    multimem_cp_reduce_async_bulk_global_shared_cta_add_noftz
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_add_noftz ".add.noftz"
        "*d* + *s*, without flushing subnormal numbers" BulkAddNoftzType
    multimem_cp_reduce_async_bulk_global_shared_cta_min
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_min ".min"
        "the minimum of *d* and *s*" BulkMinMaxType
    multimem_cp_reduce_async_bulk_global_shared_cta_max
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_max ".max"
        "the maximum of *d* and *s*" BulkMinMaxType
    multimem_cp_reduce_async_bulk_global_shared_cta_inc
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_inc ".inc"
        "*d* + 1, or 0 if *d* is *s* or more" BulkIncDecType
    multimem_cp_reduce_async_bulk_global_shared_cta_dec
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_dec ".dec"
        "*d* - 1, or *s* if *d* is 0 or more than *s*" BulkIncDecType
    multimem_cp_reduce_async_bulk_global_shared_cta_and
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_and ".and"
        "the bitwise `and` of *d* and *s*" BulkBitwiseType
    multimem_cp_reduce_async_bulk_global_shared_cta_or
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_or ".or"
        "the bitwise `or` of *d* and *s*" BulkBitwiseType
    multimem_cp_reduce_async_bulk_global_shared_cta_xor
        multimem_cp_reduce_async_bulk_relaxed_global_shared_cta_xor ".xor"
        "the bitwise `xor` of *d* and *s*" BulkBitwiseType
}
