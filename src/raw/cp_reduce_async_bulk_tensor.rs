//! `cp.reduce.async.bulk.tensor`: section 9.7.9.25.5.3.
//!
//! The section's last example has `.im2col`, which is not in its syntax and which ptxas 13.5 refuses. ptxas also takes
//! `.tile::scatter4`, which is not PTX by the text, and is not offered.

legal! {
    /// `.redOp` of `cp.reduce.async.bulk.tensor`.
    TensorRedOp: "`{Self}` is no `.redOp` of a tensor reduction: it takes `.add`, `.min`, `.max`, `.inc`, `.dec`, `.and`, `.or` or `.xor`"
    { op::Add, op::Min, op::Max, op::Inc, op::Dec, op::And, op::Or, op::Xor }
}

/// `cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.load_mode.bulk_group{.level::cache_hint}
///     [tensorMap, tensorCoords], [srcMem]{, cache-policy};`
macro_rules! reduce {
    ($( $dim:tt $Mode:ident $name:ident; )*) => { $( tensor_dim! { $dim reduce $Mode $name } )* };
    (@dim [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ] $info:tt $Mode:ident $name:ident) => {
        instruction! {
            /// Starts combining the box at `tensor_coords` of a tensor in global memory with elements in shared memory
            /// of the executing CTA, into the former, as part of the bulk async-group that the executing thread commits
            /// next. The type of the elements is that of the tensor map.
            @unsafe fn $name[Op: TensorRedOp, Mode: $Mode, ?CacheHint: L2CacheHint after ".bulk_group"](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta{.redOp}{.load_mode}.bulk_group{.L2::cache_hint}"
                " [tensorMap, tensorCoords], [srcMem]{, cache-policy};";
            ptx: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta" ..
                " [{tensor_map}, " $coords "], [{src_mem}]" .. ";";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.5.3";
            # Safety
            "- as [`cp_async_bulk_tensor_1d_global_shared_cta`](crate::raw::cp_async_bulk_tensor_1d_global_shared_cta),"
            "  in this dimension; others may access the destination by atomic operations on its elements."
            "- the tensor map has a type that the operation takes: `.u32`, `.s32`, `.u64`, `.f32`, `.f16` or `.bf16`"
            "  for `.add`; `.u32`, `.s32`, `.u64`, `.s64`, `.f16` or `.bf16` for `.min` and `.max`; `.u32` for `.inc`"
            "  and `.dec`; `.b32` or `.b64` for `.and`, `.or` and `.xor`."
        }
    };
}

reduce! {
    1d TensorStoreTileMode cp_reduce_async_bulk_tensor_1d_global_shared_cta;
    2d TensorStoreTileMode cp_reduce_async_bulk_tensor_2d_global_shared_cta;
    3d TensorStoreMode cp_reduce_async_bulk_tensor_3d_global_shared_cta;
    4d TensorStoreMode cp_reduce_async_bulk_tensor_4d_global_shared_cta;
    5d TensorStoreMode cp_reduce_async_bulk_tensor_5d_global_shared_cta;
}
