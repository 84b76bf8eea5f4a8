//! Cache priorities of tensor boxes: `applypriority.async.bulk.tensor` (PTX ISA 9.7.10.19 of 9.4).

legal! {
    ApplypriorityTensorSpace: "`{Self}` is not a space of `applypriority.async.bulk.tensor`: use `.global` or `All` (generic)"
    { space::All, space::Global }
}

/// The operations of a map, with an `.override` of the address alone, and with one of sizes and strides too.
macro_rules! applypriority {
    ($( $dim:tt $mode:ident $names:tt; )*) => { $( tensor_load! { applypriority $dim $mode $names } )* };
    (@mode [ $plain:ident $address:ident ] [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        $Dst:ident $since:tt $copy:tt $gate:tt $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Gives ", $what)]
            /// of a tensor in global memory the priority `.L2::evict_normal` in the L2 cache, asynchronously. The operation is part of
            /// the bulk async-group that the executing thread commits next. The instruction is a hint.
            @unsafe fn $plain[ Space: ApplypriorityTensorSpace, $( Mode: $Mode after ".bulk_group", )? ](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "applypriority.async.bulk.tensor" $dim "{.space}.bulk_group" $mode_form ".L2::evict_normal [tensorMap, tensorCoords]"
                $( $info_form )? ";";
            ptx: "applypriority.async.bulk.tensor" $dim .. $( ".bulk_group" $mode )? ".L2::evict_normal"
                " [{tensor_map}, " $coords "]" $( $info_text )? ";";
            isa: "9.4", target: "sm_107", section: "9.7.10.19 of PTX ISA 9.4";
            gate: sm_107f;
            # Safety
            "- `tensor_map` is the address of a [valid tensor map](crate::raw#tensor-maps) of this dimension and mode."
            $( $note )?
        }
        instruction! {
            #[doc = concat!("Gives ", $what)]
            /// the priority `.L2::evict_normal` as the function without `_override_global_address` does, in the tensor at
            /// `global_address` instead of that at the address in the map.
            @unsafe fn $address[ Space: ApplypriorityTensorSpace, $( Mode: $Mode after ".bulk_group", )? ](
                tensor_map: *const u8 = reg64, global_address: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "applypriority.async.bulk.tensor" $dim "{.space}.bulk_group" $mode_form ".L2::evict_normal.override::global_address"
                " [tensorMap, gAddrToOverride, tensorCoords]" $( $info_form )? ";";
            ptx: "applypriority.async.bulk.tensor" $dim .. $( ".bulk_group" $mode )? ".L2::evict_normal.override::global_address"
                " [{tensor_map}, {global_address}, " $coords "]" $( $info_text )? ";";
            isa: "9.4", target: "sm_107", section: "9.7.10.19 of PTX ISA 9.4";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_global_address` hold, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory."
        }
    };
    (attributes: $( $dim:tt $bits:ident $name:ident; )*) => { $( tensor_attributes! { $dim $bits applypriority $name } )* };
    (@attributes [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $Size:ident [ $($s:ident)+ ] $set_up:literal $sizes:literal $close:literal ]
        [ $( $strides:literal [ $($l:ident)+ ] $lower:literal )? ] $override:literal $name:ident
    ) => {
        instruction! {
            /// Gives the box at `tensor_coords`, which are zero, the priority `.L2::evict_normal` as the function for `_tile` does, in a tensor
            /// that is at `global_address` and has these sizes, and from two dimensions on these strides, instead of those in the map.
            #[doc = concat!("`", stringify!($Size), "` is the type of the sizes, of which the low eight bits count.")]
            /// Bits 4*i* to 4*i* + 3 of `upper_strides` are bits 32 to 35 of the stride whose bits 0 to 31 are `lower_strides[i]`, in
            /// units of 16 bytes.
            @unsafe fn $name[Space: ApplypriorityTensorSpace](
                tensor_map: *const u8 = reg64, global_address: *const u8 = reg64, sizes: [$Size; $n] = [reg16: $($s)+],
                $( lower_strides: [u32; $strides] = [reg32: $($l)+], upper_strides: u16 = reg16, )?
                tensor_coords: [i32; $n] = [reg32: $($c)+],
            );
            form: "applypriority.async.bulk.tensor" $dim "{.space}.bulk_group.tile.L2::evict_normal.override::global_address" $override
                " [tensorMap, gAddrToOverride, attributeOverrideInfo, tensorCoords];";
            ptx: $set_up "applypriority.async.bulk.tensor" $dim .. ".bulk_group.tile.L2::evict_normal.override::global_address" $override
                " [{tensor_map}, {global_address}, " $sizes ", " $( $lower ", {upper_strides}, " )? $coords "];" $close;
            isa: "9.4", target: "sm_107", section: "9.7.10.19 of PTX ISA 9.4";
            gate: sm_107f;
            # Safety
            "- The conditions of the function for `_tile` of this dimension hold, for the tensor at `global_address`, which is aligned"
            "  to 16 bytes and begins 128 KiB of accessible memory, with these sizes and strides. All `tensor_coords` are zero."
        }
    };
}

applypriority! {
    1d tile [ applypriority_async_bulk_tensor_1d_tile applypriority_async_bulk_tensor_1d_tile_override_global_address ];
    2d tile [ applypriority_async_bulk_tensor_2d_tile applypriority_async_bulk_tensor_2d_tile_override_global_address ];
    3d tile [ applypriority_async_bulk_tensor_3d_tile applypriority_async_bulk_tensor_3d_tile_override_global_address ];
    4d tile [ applypriority_async_bulk_tensor_4d_tile applypriority_async_bulk_tensor_4d_tile_override_global_address ];
    5d tile [ applypriority_async_bulk_tensor_5d_tile applypriority_async_bulk_tensor_5d_tile_override_global_address ];
    rows gather4 [ applypriority_async_bulk_tensor_2d_tile_gather4 applypriority_async_bulk_tensor_2d_tile_gather4_override_global_address ];
    3d im2col [ applypriority_async_bulk_tensor_3d_im2col applypriority_async_bulk_tensor_3d_im2col_override_global_address ];
    4d im2col [ applypriority_async_bulk_tensor_4d_im2col applypriority_async_bulk_tensor_4d_im2col_override_global_address ];
    5d im2col [ applypriority_async_bulk_tensor_5d_im2col applypriority_async_bulk_tensor_5d_im2col_override_global_address ];
    3d im2col_w [ applypriority_async_bulk_tensor_3d_im2col_w applypriority_async_bulk_tensor_3d_im2col_w_override_global_address ];
    4d im2col_w [ applypriority_async_bulk_tensor_4d_im2col_w applypriority_async_bulk_tensor_4d_im2col_w_override_global_address ];
    5d im2col_w [ applypriority_async_bulk_tensor_5d_im2col_w applypriority_async_bulk_tensor_5d_im2col_w_override_global_address ];
}
applypriority! {
    attributes:
    1d b16 applypriority_async_bulk_tensor_1d_tile_override_global_dim;
    1d b8 applypriority_async_bulk_tensor_1d_tile_override_global_dim_b8;
    2d b16 applypriority_async_bulk_tensor_2d_tile_override_global_dim_stride;
    2d b8 applypriority_async_bulk_tensor_2d_tile_override_global_dim_stride_b8;
    3d b16 applypriority_async_bulk_tensor_3d_tile_override_global_dim_stride;
    3d b8 applypriority_async_bulk_tensor_3d_tile_override_global_dim_stride_b8;
    4d b16 applypriority_async_bulk_tensor_4d_tile_override_global_dim_stride;
    4d b8 applypriority_async_bulk_tensor_4d_tile_override_global_dim_stride_b8;
    5d b16 applypriority_async_bulk_tensor_5d_tile_override_global_dim_stride;
    5d b8 applypriority_async_bulk_tensor_5d_tile_override_global_dim_stride_b8;
}
