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

/// Reductions with an `.override`, of the address alone and of sizes and strides too.
macro_rules! reduce_override {
    ($( $dim:tt $Mode:ident $name:ident; )*) => { $( tensor_dim! { $dim reduce_override $Mode $name } )* };
    (@dim [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ] $info:tt $Mode:ident $name:ident) => {
        instruction! {
            /// Starts a reduction as the function without `_override_global_address` does, in the tensor at `global_address` instead of
            /// that at the address in the map.
            @unsafe fn $name[Op: TensorRedOp, Mode: $Mode, ?CacheHint: L2CacheHint after ".bulk_group"](
                tensor_map: *const u8 = reg64, global_address: *mut u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                src_mem: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta{.redOp}{.load_mode}.bulk_group{.L2::cache_hint}"
                ".override::global_address [tensorMap, gAddrToOverride, tensorCoords], [srcMem]{, cache-policy};";
            ptx: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta" .. ".override::global_address"
                " [{tensor_map}, {global_address}, " $coords "], [{src_mem}]" .. ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.3";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_global_address` hold, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory."
        }
    };
    (attributes: $( $dim:tt $bits:ident $name:ident; )*) => { $( tensor_attributes! { $dim $bits reduce_override $name } )* };
    (@attributes [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $Size:ident [ $($s:ident)+ ] $set_up:literal $sizes:literal $close:literal ]
        [ $( $strides:literal [ $($l:ident)+ ] $lower:literal )? ] $override:literal $name:ident
    ) => {
        instruction! {
            /// Starts a reduction of the box at `tensor_coords`, which are zero, as the function without `_override_…` does, in a tensor
            /// that is at `global_address` and has these sizes, and from two dimensions on these strides, instead of those in the map.
            #[doc = concat!("`", stringify!($Size), "` is the type of the sizes, of which the low eight bits count.")]
            /// Bits 4*i* to 4*i* + 3 of `upper_strides` are bits 32 to 35 of the stride whose bits 0 to 31 are `lower_strides[i]`, in
            /// units of 16 bytes.
            @unsafe fn $name[Op: TensorRedOp, ?CacheHint: L2CacheHint after ".tile.bulk_group"](
                tensor_map: *const u8 = reg64, global_address: *mut u8 = reg64, sizes: [$Size; $n] = [reg16: $($s)+],
                $( lower_strides: [u32; $strides] = [reg32: $($l)+], upper_strides: u16 = reg16, )?
                tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
            );
            form: "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta{.redOp}.tile.bulk_group{.L2::cache_hint}.override::global_address"
                $override " [tensorMap, gAddrToOverride, attributeOverrideInfo, tensorCoords], [srcMem]{, cache-policy};";
            ptx: $set_up "cp.reduce.async.bulk.tensor" $dim ".global.shared::cta" .. ".override::global_address" $override
                " [{tensor_map}, {global_address}, " $sizes ", " $( $lower ", {upper_strides}, " )? $coords "], [{src_mem}]"
                .. ";" $close;
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.3";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_…` hold, with `.tile`, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory, with these sizes and strides. All `tensor_coords` are zero."
        }
    };
}

reduce_override! {
    1d TensorStoreTileMode cp_reduce_async_bulk_tensor_1d_global_shared_cta_override_global_address;
    2d TensorStoreTileMode cp_reduce_async_bulk_tensor_2d_global_shared_cta_override_global_address;
    3d TensorStoreMode cp_reduce_async_bulk_tensor_3d_global_shared_cta_override_global_address;
    4d TensorStoreMode cp_reduce_async_bulk_tensor_4d_global_shared_cta_override_global_address;
    5d TensorStoreMode cp_reduce_async_bulk_tensor_5d_global_shared_cta_override_global_address;
}
reduce_override! {
    attributes:
    1d b16 cp_reduce_async_bulk_tensor_1d_global_shared_cta_override_global_dim;
    1d b8 cp_reduce_async_bulk_tensor_1d_global_shared_cta_override_global_dim_b8;
    2d b16 cp_reduce_async_bulk_tensor_2d_global_shared_cta_override_global_dim_stride;
    2d b8 cp_reduce_async_bulk_tensor_2d_global_shared_cta_override_global_dim_stride_b8;
    3d b16 cp_reduce_async_bulk_tensor_3d_global_shared_cta_override_global_dim_stride;
    3d b8 cp_reduce_async_bulk_tensor_3d_global_shared_cta_override_global_dim_stride_b8;
    4d b16 cp_reduce_async_bulk_tensor_4d_global_shared_cta_override_global_dim_stride;
    4d b8 cp_reduce_async_bulk_tensor_4d_global_shared_cta_override_global_dim_stride_b8;
    5d b16 cp_reduce_async_bulk_tensor_5d_global_shared_cta_override_global_dim_stride;
    5d b8 cp_reduce_async_bulk_tensor_5d_global_shared_cta_override_global_dim_stride_b8;
}
