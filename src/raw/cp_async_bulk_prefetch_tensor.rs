//! `cp.async.bulk.prefetch.tensor`: section 9.7.9.25.5.4.

use super::cp_async_bulk_tensor::{tensor_dim, tensor_load};

/// `cp.async.bulk.prefetch.tensor.dim.L2.global.load_mode{.level::cache_hint}
///     [tensorMap, tensorCoords]{, im2colInfo}{, cache-policy};`
macro_rules! prefetch {
    ($( $dim:tt $mode:ident: $name:ident, $hint:ident; )*) => {
        $( tensor_load! { prefetch $dim $mode $name $hint } )*
    };
    (@mode $dim:tt $info:tt $form:literal $mode:tt $dst:tt $one:tt $since:tt $what:literal $note:tt
        [ $name:ident $hint:ident ]
    ) => {
        prefetch! { @row $name $dim $info $form $mode $since $what $note "" [] }
        prefetch! { @row $hint $dim $info $form $mode $since $what $note
            ".L2::cache_hint" [ cache_policy ", {cache_policy}", ", cache-policy"
            "- `cache_policy` comes from a `createpolicy` instruction." ] }
    };
    (@row $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ]
        [ $isa:literal, $target:literal [ $($gate:tt)* ]
            [ $($Mode:ident: $ModeLegal:ident { $($mode_tag:tt)* })? ] $group:tt ]
        $what:literal [ $($note:literal)? ]
        $hint:literal [ $($policy:ident $policy_text:literal, $policy_form:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Starts to fetch ", $what)]
            /// from a tensor in global memory into the L2 cache.
            @unsafe fn $name[ $( $Mode: $ModeLegal { $($mode_tag)* } )? ](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                $( $info: [u16; $info_n] = [reg16: $($i)+], )? $( $policy: u64 = reg64, )?
            );
            form: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $mode_form $hint " [tensorMap, tensorCoords]"
                $( $info_form )? $( $policy_form )? ";";
            ptx: "cp.async.bulk.prefetch.tensor" $dim ".L2.global" $( $mode )? ..
                $hint " [{tensor_map}, " $coords "]" $( $info_text )? $( $policy_text )? ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.4";
            $($gate)*
            # Safety
            "- `tensor_map` is the generic address of a valid tensor map (128 bytes, aligned to 64) in `.param`,"
            "  `.const` or global memory, of this dimension and mode; its tensor is valid and keeps to 9.7.9.25.5.1."
            "- what ordinary stores wrote to the tensor map is made visible first (`fence.proxy.tensormap`)."
            $( $note )?
            $( $policy_note )?
        }
    };
}

prefetch! {
    1d tile:
        cp_async_bulk_prefetch_tensor_1d_global_tile, cp_async_bulk_prefetch_tensor_1d_global_tile_cache_hint;
    2d tile:
        cp_async_bulk_prefetch_tensor_2d_global_tile, cp_async_bulk_prefetch_tensor_2d_global_tile_cache_hint;
    3d tile:
        cp_async_bulk_prefetch_tensor_3d_global_tile, cp_async_bulk_prefetch_tensor_3d_global_tile_cache_hint;
    4d tile:
        cp_async_bulk_prefetch_tensor_4d_global_tile, cp_async_bulk_prefetch_tensor_4d_global_tile_cache_hint;
    5d tile:
        cp_async_bulk_prefetch_tensor_5d_global_tile, cp_async_bulk_prefetch_tensor_5d_global_tile_cache_hint;
    rows gather4:
        cp_async_bulk_prefetch_tensor_2d_global_tile_gather4,
        cp_async_bulk_prefetch_tensor_2d_global_tile_gather4_cache_hint;
    3d im2col:
        cp_async_bulk_prefetch_tensor_3d_global_im2col, cp_async_bulk_prefetch_tensor_3d_global_im2col_cache_hint;
    4d im2col:
        cp_async_bulk_prefetch_tensor_4d_global_im2col, cp_async_bulk_prefetch_tensor_4d_global_im2col_cache_hint;
    5d im2col:
        cp_async_bulk_prefetch_tensor_5d_global_im2col, cp_async_bulk_prefetch_tensor_5d_global_im2col_cache_hint;
    3d im2col_w:
        cp_async_bulk_prefetch_tensor_3d_global_im2col_w, cp_async_bulk_prefetch_tensor_3d_global_im2col_w_cache_hint;
    4d im2col_w:
        cp_async_bulk_prefetch_tensor_4d_global_im2col_w, cp_async_bulk_prefetch_tensor_4d_global_im2col_w_cache_hint;
    5d im2col_w:
        cp_async_bulk_prefetch_tensor_5d_global_im2col_w, cp_async_bulk_prefetch_tensor_5d_global_im2col_w_cache_hint;
}
