//! Bulk copies that leave out bytes at both ends: `cp.async.bulk.ignore_oob` (PTX ISA 9.7.9.26.4.1 of 9.3).

/// A row of a copy with `.ignore_oob`, weak or relaxed in a scope.
macro_rules! ignore_oob {
    ($name:ident $like:ident $isa:literal [ $($scope:tt)* ] $scope_form:literal [ $head:literal $($place:literal)? ] $ty:literal) => {
        instruction! {
            #[doc = concat!("Starts a copy as [`", stringify!($like), "`](crate::raw::", stringify!($like), ") does, without the first")]
            /// `ignore_bytes_left` and the last `ignore_bytes_right` bytes: it does not read them, and their destination gets any
            /// value. The complete-tx has the whole `size`.
            @unsafe fn $name[ $($scope)* ?CacheHint: L2CacheHint $(after $place)? ](
                dst_mem: u32 = reg32, src_mem: *const u8 = reg64, size: u32 = reg32, ignore_bytes_left: u32 = reg32,
                ignore_bytes_right: u32 = reg32, mbar: u32 = reg32,
            );
            form: "cp.async.bulk" $scope_form ".shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}.ignore_oob" $ty
                " [dstMem], [srcMem], size, ignoreBytesLeft, ignoreBytesRight, [mbar]{, cache-policy};";
            ptx: $head .. ".ignore_oob" $ty
                " [{dst_mem}], [{src_mem}], {size}, {ignore_bytes_left}, {ignore_bytes_right}, [{mbar}]" .. ";";
            isa: $isa, target: "sm_90", section: "9.7.9.26.4.1 of PTX ISA 9.3";
            # Safety
            "- The conditions of the copy that the first sentence names hold, but the source need not hold the bytes that are left"
            "  out. `ignore_bytes_left` and `ignore_bytes_right` are in 0 ..= 15."
        }
    };
}

ignore_oob! {
    cp_async_bulk_shared_cta_global_ignore_oob cp_async_bulk_shared_cta_global "9.2" [] ""
    [ "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" ] ""
}
ignore_oob! {
    cp_async_bulk_relaxed_shared_cta_global_ignore_oob cp_async_bulk_relaxed_shared_cta_global "9.3" [ Scope: BulkScope, ]
    ".relaxed{.scope}" [ "cp.async.bulk.relaxed" ".shared::cta.global.mbarrier::complete_tx::bytes" ] ".b128"
}
