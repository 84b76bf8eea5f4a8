//! Tensor prefetches (TMA) into the L2 cache: `cp.async.bulk.prefetch.tensor` (PTX ISA 9.7.9.25.5.4).

legal! {
    /// `.level::cache_hint` with its `cache-policy`, or `.level::eviction_priority`, of prefetches with an `.override`.
    PrefetchCacheHint: "`{Self}` is not a `.level::cache_hint` of a tensor prefetch: use `cache_hint::None`, `cache_hint::Policy(policy)` or `cache_hint::EvictLast`"
    { cache_hint::None, cache_hint::Policy(cache_policy in reg64), cache_hint::EvictLast }
}

/// `cp.async.bulk.prefetch.tensor.dim.L2.global.load_mode{.level::cache_hint}
///     [tensorMap, tensorCoords]{, im2colInfo}{, cache-policy};`
macro_rules! prefetch {
    ($( $dim:tt $mode:ident $name:ident; )*) => { $( tensor_load! { prefetch $dim $mode $name } )* };
    (@mode $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        $Dst:ident [ $isa:literal, $target:literal ] $copy:tt [ $($gate:tt)* ] $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Prefetches ", $what)]
            /// from a tensor in global memory into the L2 cache asynchronously. The instruction is a hint.
            @unsafe fn $name[ $( Mode: $Mode, )? ?CacheHint: L2CacheHint ](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $mode_form "{.L2::cache_hint} [tensorMap, tensorCoords]"
                $( $info_form )? "{, cache-policy};";
            ptx: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $( $mode )? ..
                " [{tensor_map}, " $coords "]" $( $info_text )? .. ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.4";
            $($gate)*
            # Safety
            "- `tensor_map` is the address of a [valid tensor map](crate::raw#tensor-maps) of this dimension and mode."
            "- A cache policy comes from a `createpolicy` instruction."
            $( $note )?
        }
    };
}

prefetch! {
    1d tile cp_async_bulk_prefetch_tensor_1d_global_tile;
    2d tile cp_async_bulk_prefetch_tensor_2d_global_tile;
    3d tile cp_async_bulk_prefetch_tensor_3d_global_tile;
    4d tile cp_async_bulk_prefetch_tensor_4d_global_tile;
    5d tile cp_async_bulk_prefetch_tensor_5d_global_tile;
    rows gather4 cp_async_bulk_prefetch_tensor_2d_global_tile_gather4;
    3d im2col cp_async_bulk_prefetch_tensor_3d_global_im2col;
    4d im2col cp_async_bulk_prefetch_tensor_4d_global_im2col;
    5d im2col cp_async_bulk_prefetch_tensor_5d_global_im2col;
    3d im2col_w cp_async_bulk_prefetch_tensor_3d_global_im2col_w;
    4d im2col_w cp_async_bulk_prefetch_tensor_4d_global_im2col_w;
    5d im2col_w cp_async_bulk_prefetch_tensor_5d_global_im2col_w;
}

/// Prefetches with `.L2::evict_last`, and with an `.override`, of the address alone and of sizes and strides too.
macro_rules! prefetch_override {
    ($( $dim:tt $mode:ident $names:tt; )*) => { $( tensor_load! { prefetch_override $dim $mode $names } )* };
    (@mode [ $plain:ident $address:ident ] [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        $Dst:ident $since:tt $copy:tt $gate:tt $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Prefetches ", $what)]
            /// from a tensor in global memory as the function without `_evict_last` does, into lines that the L2 cache evicts last.
            @unsafe fn $plain[ $( Mode: $Mode, )? ](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $mode_form ".L2::evict_last [tensorMap, tensorCoords]"
                $( $info_form )? ";";
            ptx: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $( $mode )? .. ".L2::evict_last"
                " [{tensor_map}, " $coords "]" $( $info_text )? ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.4";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_evict_last` hold."
        }
        instruction! {
            #[doc = concat!("Prefetches ", $what)]
            /// as the function without `_override_global_address` does, from the tensor at `global_address` instead of that at the
            /// address in the map.
            @unsafe fn $address[ $( Mode: $Mode, )? ?CacheHint: PrefetchCacheHint ](
                tensor_map: *const u8 = reg64, global_address: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $mode_form "{.level}.override::global_address"
                " [tensorMap, gAddrToOverride, tensorCoords]" $( $info_form )? "{, cache-policy};";
            ptx: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $( $mode )? .. ".override::global_address"
                " [{tensor_map}, {global_address}, " $coords "]" $( $info_text )? .. ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.4";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_global_address` hold, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory."
        }
    };
    (attributes: $( $dim:tt $bits:ident $name:ident; )*) => { $( tensor_attributes! { $dim $bits prefetch_override $name } )* };
    (@attributes [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $Size:ident [ $($s:ident)+ ] $set_up:literal $sizes:literal $close:literal ]
        [ $( $strides:literal [ $($l:ident)+ ] $lower:literal )? ] $override:literal $name:ident
    ) => {
        instruction! {
            /// Prefetches the box at `tensor_coords`, which are zero, as the function for `_tile` does, from a tensor that is at
            /// `global_address` and has these sizes, and from two dimensions on these strides, instead of those in the map.
            #[doc = concat!("`", stringify!($Size), "` is the type of the sizes, of which the low eight bits count.")]
            /// Bits 4*i* to 4*i* + 3 of `upper_strides` are bits 32 to 35 of the stride whose bits 0 to 31 are `lower_strides[i]`, in
            /// units of 16 bytes.
            @unsafe fn $name[?CacheHint: PrefetchCacheHint](
                tensor_map: *const u8 = reg64, global_address: *const u8 = reg64, sizes: [$Size; $n] = [reg16: $($s)+],
                $( lower_strides: [u32; $strides] = [reg32: $($l)+], upper_strides: u16 = reg16, )?
                tensor_coords: [i32; $n] = [reg32: $($c)+],
            );
            form: "cp.async.bulk.prefetch.tensor" $dim ".L2.global.tile{.level}.override::global_address" $override
                " [tensorMap, gAddrToOverride, attributeOverrideInfo, tensorCoords]{, cache-policy};";
            ptx: $set_up "cp.async.bulk.prefetch.tensor" $dim ".L2.global.tile" .. ".override::global_address" $override
                " [{tensor_map}, {global_address}, " $sizes ", " $( $lower ", {upper_strides}, " )? $coords "]" .. ";" $close;
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.4";
            gate: sm_107f;
            # Safety
            "- The conditions of the function for `_tile` of this dimension hold, for the tensor at `global_address`, which is aligned"
            "  to 16 bytes and begins 128 KiB of accessible memory, with these sizes and strides. All `tensor_coords` are zero."
        }
    };
}

prefetch_override! {
    1d tile [ cp_async_bulk_prefetch_tensor_1d_global_tile_evict_last cp_async_bulk_prefetch_tensor_1d_global_tile_override_global_address ];
    2d tile [ cp_async_bulk_prefetch_tensor_2d_global_tile_evict_last cp_async_bulk_prefetch_tensor_2d_global_tile_override_global_address ];
    3d tile [ cp_async_bulk_prefetch_tensor_3d_global_tile_evict_last cp_async_bulk_prefetch_tensor_3d_global_tile_override_global_address ];
    4d tile [ cp_async_bulk_prefetch_tensor_4d_global_tile_evict_last cp_async_bulk_prefetch_tensor_4d_global_tile_override_global_address ];
    5d tile [ cp_async_bulk_prefetch_tensor_5d_global_tile_evict_last cp_async_bulk_prefetch_tensor_5d_global_tile_override_global_address ];
    rows gather4 [ cp_async_bulk_prefetch_tensor_2d_global_tile_gather4_evict_last cp_async_bulk_prefetch_tensor_2d_global_tile_gather4_override_global_address ];
    3d im2col [ cp_async_bulk_prefetch_tensor_3d_global_im2col_evict_last cp_async_bulk_prefetch_tensor_3d_global_im2col_override_global_address ];
    4d im2col [ cp_async_bulk_prefetch_tensor_4d_global_im2col_evict_last cp_async_bulk_prefetch_tensor_4d_global_im2col_override_global_address ];
    5d im2col [ cp_async_bulk_prefetch_tensor_5d_global_im2col_evict_last cp_async_bulk_prefetch_tensor_5d_global_im2col_override_global_address ];
    3d im2col_w [ cp_async_bulk_prefetch_tensor_3d_global_im2col_w_evict_last cp_async_bulk_prefetch_tensor_3d_global_im2col_w_override_global_address ];
    4d im2col_w [ cp_async_bulk_prefetch_tensor_4d_global_im2col_w_evict_last cp_async_bulk_prefetch_tensor_4d_global_im2col_w_override_global_address ];
    5d im2col_w [ cp_async_bulk_prefetch_tensor_5d_global_im2col_w_evict_last cp_async_bulk_prefetch_tensor_5d_global_im2col_w_override_global_address ];
}
prefetch_override! {
    attributes:
    1d b16 cp_async_bulk_prefetch_tensor_1d_global_tile_override_global_dim;
    1d b8 cp_async_bulk_prefetch_tensor_1d_global_tile_override_global_dim_b8;
    2d b16 cp_async_bulk_prefetch_tensor_2d_global_tile_override_global_dim_stride;
    2d b8 cp_async_bulk_prefetch_tensor_2d_global_tile_override_global_dim_stride_b8;
    3d b16 cp_async_bulk_prefetch_tensor_3d_global_tile_override_global_dim_stride;
    3d b8 cp_async_bulk_prefetch_tensor_3d_global_tile_override_global_dim_stride_b8;
    4d b16 cp_async_bulk_prefetch_tensor_4d_global_tile_override_global_dim_stride;
    4d b8 cp_async_bulk_prefetch_tensor_4d_global_tile_override_global_dim_stride_b8;
    5d b16 cp_async_bulk_prefetch_tensor_5d_global_tile_override_global_dim_stride;
    5d b8 cp_async_bulk_prefetch_tensor_5d_global_tile_override_global_dim_stride_b8;
}
