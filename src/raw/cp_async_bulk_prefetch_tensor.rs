//! Tensor prefetches (TMA) into the L2 cache: `cp.async.bulk.prefetch.tensor` (PTX ISA 9.7.9.25.5.4).

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
