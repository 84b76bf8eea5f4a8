//! Tensor reductions (TMA): `cp.reduce.async.bulk.tensor` (PTX ISA 9.7.9.25.5.3).
//!
//! The last example of the section has `.im2col`, which the syntax lacks and ptxas 13.5 refuses. ptxas accepts `.tile::scatter4`,
//! which the syntax lacks too; this module does not offer it.

legal! {
    TensorRedOp: "`{Self}` is not a `.redOp` of a tensor reduction: use `.add`, `.min`, `.max`, `.inc`, `.dec`, `.and`, `.or` or `.xor`"
    { op::Add, op::Min, op::Max, op::Inc, op::Dec, op::And, op::Or, op::Xor }
}

/// `cp.reduce.async.bulk.tensor.dim.global.shared::cta.redOp.load_mode.bulk_group{.level::cache_hint}
///     [tensorMap, tensorCoords], [srcMem]{, cache-policy};`
macro_rules! reduce {
    ($( $dim:tt $Mode:ident $name:ident; )*) => { $( tensor_dim! { $dim reduce $Mode $name } )* };
    (@dim [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ] $info:tt $Mode:ident $name:ident) => {
        instruction! {
            /// Starts a reduction that combines each element of the box at `tensor_coords` of a tensor in global memory with an
            /// element in shared memory of the executing CTA at `src_mem`, and stores the result in the tensor. The reduction is
            /// part of the bulk async-group that the executing thread commits next. The tensor map has the type of the elements.
            @unsafe fn $name[Op: TensorRedOp, Mode: $Mode, ?CacheHint: L2CacheHint after ".bulk_group"](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta{.redOp}{.load_mode}.bulk_group{.L2::cache_hint}"
                " [tensorMap, tensorCoords], [srcMem]{, cache-policy};";
            ptx: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta" ..
                " [{tensor_map}, " $coords "], [{src_mem}]" .. ";";
            isa: "8.0", target: "sm_90", section: "9.7.9.25.5.3";
            # Safety
            "- The conditions of"
            "  [`cp_async_bulk_tensor_1d_global_shared_cta`](crate::raw::cp_async_bulk_tensor_1d_global_shared_cta) hold for this"
            "  dimension, but atomic operations may access the elements of the destination meanwhile."
            "- The operation takes the type of the tensor map: `.add` takes `.u32`, `.s32`, `.u64`, `.f32`, `.f16` and `.bf16`;"
            "  `.min` and `.max` take `.u32`, `.s32`, `.u64`, `.s64`, `.f16` and `.bf16`; `.inc` and `.dec` take `.u32`; `.and`,"
            "  `.or` and `.xor` take `.b32` and `.b64`."
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
