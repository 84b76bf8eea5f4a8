//! `multimem.cp.reduce.async.bulk`: section 9.7.9.27. It takes the types that `cp.reduce.async.bulk` takes in global memory.

/// An operation on a multimem address: its function, text up to the type, what it makes, types.
macro_rules! multimem {
    ($( $name:ident $head:literal $what:literal $Legal:ident )*) => { $(
        instruction! {
            #[doc = concat!($what, " of elements in the global memory of each GPU behind the multimem address `dst_mem` and")]
            /// elements in shared memory of the executing CTA (`src_mem`), into the former, `size` bytes of each, as part of the
            /// bulk async-group that the executing thread commits next.
            @unsafe fn $name[Type: $Legal](dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32);
            form: $head "{.type} [dstMem], [srcMem], size;";
            ptx: $head .. " [{dst_mem}], [{src_mem}], {size};";
            isa: "9.1", target: "sm_90", section: "9.7.9.27";
            # Safety
            "- `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both ranges lie in their memory; `dst_mem`"
            "  is a multimem address."
            "- until the group's reads are complete nobody writes the source; until the group is complete others access the"
            "  destination by atomic operations on its elements only."
            "- what ordinary stores wrote to the source is made visible first (`fence.proxy.async`)."
            "- the CTA does not exit before the group's reads are complete."
        }
    )* };
}

multimem! {
    multimem_cp_reduce_async_bulk_global_shared_cta_add
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add"
        "Sums" BulkAddType
    multimem_cp_reduce_async_bulk_global_shared_cta_add_noftz
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz"
        "Sums that keep subnormals" BulkAddNoftzType
    multimem_cp_reduce_async_bulk_global_shared_cta_min
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.min"
        "Minima" BulkMinMaxType
    multimem_cp_reduce_async_bulk_global_shared_cta_max
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.max"
        "Maxima" BulkMinMaxType
    multimem_cp_reduce_async_bulk_global_shared_cta_inc
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.inc"
        "Increments that wrap to 0 at the source value" BulkIncDecType
    multimem_cp_reduce_async_bulk_global_shared_cta_dec
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.dec"
        "Decrements that wrap to the source value at 0" BulkIncDecType
    multimem_cp_reduce_async_bulk_global_shared_cta_and
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.and"
        "Bitwise ands" BulkBitwiseType
    multimem_cp_reduce_async_bulk_global_shared_cta_or
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.or"
        "Bitwise ors" BulkBitwiseType
    multimem_cp_reduce_async_bulk_global_shared_cta_xor
        "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.xor"
        "Bitwise exclusive ors" BulkBitwiseType
}
