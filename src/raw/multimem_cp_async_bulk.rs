//! `multimem.cp.async.bulk`: bulk copies from shared memory into multicast memory (TMA, NVLink SHARP; PTX ISA 9.7.9.26.4.4 of 9.3).

/// A row of copies into multicast memory, weak or relaxed in a scope.
macro_rules! multimem_copy {
    ($name:ident $isa:literal $accesses:literal [ $($scope:tt)* ] $scope_form:literal [ $head:literal $($place:literal)? ] $ty:literal
        $others:literal
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy of `size` bytes", $accesses, " from shared memory of the executing CTA at `src_mem` to each location of")]
            /// the multimem address `dst_mem`. The copy is part of the bulk async-group that the executing thread commits next.
            @unsafe fn $name[ $($scope)* ?CpMask: BulkCpMask $(after $place)? ](
                dst_mem: *mut u8 = reg64, src_mem: u32 = reg32, size: u32 = reg32,
            );
            form: "multimem.cp.async.bulk" $scope_form ".global.shared::cta.bulk_group{.cp_mask}" $ty
                " [dstMem], [srcMem], size{, byteMask};";
            ptx: $head .. $ty " [{dst_mem}], [{src_mem}], {size}" .. ";";
            isa: $isa, target: "sm_90", section: "9.7.9.26.4.4 of PTX ISA 9.3";
            # Safety
            "- `dst_mem` is a multimem address. `size` is a multiple of 16, both addresses are aligned to 16 bytes, and both"
            "  ranges lie in their memory."
            "- Until the reads of the group are complete, nothing writes the source, and the CTA does not exit."
            $others
            "- Earlier ordinary stores to the source are visible to the async proxy (`fence.proxy.async`)."
        }
    };
}

multimem_copy! {
    multimem_cp_async_bulk_global_shared_cta "9.1" "" [] ""
    [ "multimem.cp.async.bulk.global.shared::cta.bulk_group" ] ""
    "- Until the group is complete, nothing accesses the destination."
}
multimem_copy! {
    multimem_cp_async_bulk_relaxed_global_shared_cta "9.3" ", by strong accesses of 16 bytes each, relaxed in `Scope`,"
    [ Scope: BulkScope, ] ".relaxed{.scope}" [ "multimem.cp.async.bulk.relaxed" ".global.shared::cta.bulk_group" ] ".b128"
    "- Until the group is complete, all other accesses to the destination are strong, of whole units of 16 bytes, in scopes that include each other."
}
