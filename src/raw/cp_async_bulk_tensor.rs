//! `cp.async.bulk.tensor`: section 9.7.9.25.5.2.
//!
//! The section's last example has no `.completion_mechanism`, which ptxas 13.5 wants.

legal! {
    /// `.cta_group` of `cp.async.bulk.tensor`.
    TensorCtaGroup: "`{Self}` is no `.cta_group` of a tensor copy: it takes `None` or, with the feature `sm_100f` or `sm_110a`, `.cta_group::1` or `.cta_group::2`"
    { cta_group::None, cta_group::One gate sm_100f_sm_110a, cta_group::Two gate sm_100f_sm_110a }
}
legal! {
    /// `.dst` of tensor copies from global memory.
    TensorDst: "`{Self}` is no destination of a tensor copy from global memory: it takes `.shared::cta` or `.shared::cluster`"
    { space::SharedCta, space::SharedCluster }
}
legal! {
    /// `.dst` of tensor copies from global memory, with `.tile::gather4` and the `.im2col::w` modes.
    TensorNewerDst: "`{Self}` is no destination of a tensor copy from global memory of this mode: it takes `.shared::cta` or, with the feature `sm_100f` or `sm_110a`, `.shared::cluster`"
    { space::SharedCta, space::SharedCluster gate sm_100f_sm_110a }
}
legal! {
    /// `.load_mode` of tensor copies and prefetches with `wHalo` and `wOffset`.
    TensorIm2colWMode: "`{Self}` is no `.im2col::w` mode of a tensor copy: it takes `.im2col::w` or, with the feature `sm_100f` or `sm_110a`, `.im2col::w::128`"
    { load_mode::Im2colW, load_mode::Im2colW128 gate sm_100f_sm_110a }
}
legal! {
    /// `.load_mode` of tensor copies and reductions from shared to global memory, of one or two dimensions.
    TensorStoreTileMode: "`{Self}` is no `.load_mode` of a 1d or 2d tensor copy or reduction to global memory: it takes `.tile`"
    { load_mode::Tile }
}
legal! {
    /// `.load_mode` of tensor copies and reductions from shared to global memory, of three dimensions or more.
    TensorStoreMode: "`{Self}` is no `.load_mode` of a tensor copy or reduction to global memory: it takes `.tile` or `.im2col_no_offs`"
    { load_mode::Tile, load_mode::Im2colNoOffs }
}

/// What `.dim` decides, for `$row!`: the coordinates and the offsets of `.im2col`, as number, names and text in asm.
/// `rows` are the 2d coordinates of four rows.
macro_rules! tensor_dim {
    (1d $row:ident $($rest:tt)*) => { $row! { @dim [ ".1d" 1 [ c0 ] "{{{c0}}}" ] [] $($rest)* } };
    (2d $row:ident $($rest:tt)*) => { $row! { @dim [ ".2d" 2 [ c0 c1 ] "{{{c0}, {c1}}}" ] [] $($rest)* } };
    (rows $row:ident $($rest:tt)*) => {
        $row! { @dim [ ".2d" 5 [ col r0 r1 r2 r3 ] "{{{col}, {r0}, {r1}, {r2}, {r3}}}" ] [] $($rest)* }
    };
    (3d $row:ident $($rest:tt)*) => {
        $row! { @dim [ ".3d" 3 [ c0 c1 c2 ] "{{{c0}, {c1}, {c2}}}" ] [ 1 [ w ] ", {{{w}}}" ] $($rest)* }
    };
    (4d $row:ident $($rest:tt)*) => {
        $row! { @dim [ ".4d" 4 [ c0 c1 c2 c3 ] "{{{c0}, {c1}, {c2}, {c3}}}" ]
            [ 2 [ w h ] ", {{{w}, {h}}}" ] $($rest)* }
    };
    (5d $row:ident $($rest:tt)*) => {
        $row! { @dim [ ".5d" 5 [ c0 c1 c2 c3 c4 ] "{{{c0}, {c1}, {c2}, {c3}, {c4}}}" ]
            [ 3 [ w h d ] ", {{{w}, {h}, {d}}}" ] $($rest)* }
    };
}
pub(super) use tensor_dim;

/// What the `.load_mode` of a copy or prefetch from global memory decides, for `$row!`: `im2colInfo`; the mode's text
/// in the form and in asm; the tags of `.dst`; where it exists, with these and otherwise; a description; a point of
/// `# Safety`.
///
/// Where it exists: PTX ISA version, target, gate, tags of the mode, what the tags of `.cta_group` need beside.
macro_rules! tensor_load {
    ($row:ident $dim:tt $mode:ident $($name:ident)+) => { tensor_dim! { $dim tensor_load $mode $row [ $($name)+ ] } };
    (@dim $dim:tt $info:tt tile $row:ident $names:tt) => {
        $row! { @mode $dim [] ".tile" [ ".tile" ]
            [ Dst: TensorDst { space::SharedCta @ "8.6", space::SharedCluster }, ]
            [ "8.0", "sm_90" [] [] [ @ "8.6" gate sm_100f_sm_110a ] ]
            [ "8.0", "sm_90" [] [] [ @ "8.6" gate sm_100f_sm_110a ] ]
            "the box at `tensor_coords`" [] $names }
    };
    (@dim $dim:tt $info:tt gather4 $row:ident $names:tt) => {
        $row! { @mode $dim [] ".tile::gather4" [ ".tile::gather4" ]
            [ Dst: TensorNewerDst { space::SharedCta, space::SharedCluster gate sm_100f_sm_110a }, ]
            [ "8.6", "sm_100" [ gate: sm_100; ] [] [ gate sm_100f_sm_110a ] ]
            [ "8.6", "sm_100" [ gate: sm_100f_sm_110a; ] [] [] ]
            "four rows, at the column and the rows of `tensor_coords`," [] $names }
    };
    (@dim $dim:tt [ $($info:tt)+ ] im2col $row:ident $names:tt) => {
        $row! { @mode $dim [ im2col_info: $($info)+, ", im2colInfo" ] ".im2col" [ ".im2col" ]
            [ Dst: TensorDst { space::SharedCta @ "8.6", space::SharedCluster }, ]
            [ "8.0", "sm_90" [] [] [ @ "8.6" gate sm_100f_sm_110a ] ]
            [ "8.0", "sm_90" [] [] [ @ "8.6" gate sm_100f_sm_110a ] ]
            "the pixels at `tensor_coords`, moved by the offsets `im2col_info` along W, H and D, as a column"
            [ "- the offsets of `im2col_info` are in the range that the mode has for this dimension." ] $names }
    };
    (@dim $dim:tt $info:tt im2col_w $row:ident $names:tt) => {
        $row! { @mode $dim [ im2col_info: 2 [ halo offset ] ", {{{halo}, {offset}}}", ", im2colInfo" ]
            "{.load_mode}" []
            [ Dst: TensorNewerDst { space::SharedCta, space::SharedCluster gate sm_100f_sm_110a }, ]
            [ "8.6", "sm_100" [ gate: sm_100; ]
                [ Mode: TensorIm2colWMode { load_mode::Im2colW, load_mode::Im2colW128 gate sm_100f_sm_110a } ]
                [ gate sm_100f_sm_110a ] ]
            [ "8.6", "sm_100" [ gate: sm_100f_sm_110a; ]
                [ Mode: TensorIm2colWMode { load_mode::Im2colW, load_mode::Im2colW128 } ] [] ]
            "the pixels at `tensor_coords` along W, with `wHalo` and `wOffset` in `im2col_info`, as a column"
            [ "- `wHalo` is less than 512, with `.im2col::w::128` less than 32; `wOffset` is less than 32." ] $names }
    };
}
pub(super) use tensor_load;

/// `cp.async.bulk.tensor.dim.dst.global.load_mode.mbarrier::complete_tx::bytes
///     {.multicast}{.cta_group}{.level::cache_hint}
///     [dstMem], [tensorMap, tensorCoords], [mbar]{, im2colInfo}{, ctaMask}{, cache-policy};`
///
/// To one CTA, and with `.multicast::cluster`; each without and with a policy.
macro_rules! load {
    ($( $dim:tt $mode:ident: $($name:ident),+; )*) => { $( tensor_load! { load $dim $mode $($name)+ } )* };
    (@mode $dim:tt $info:tt $form:literal $mode:tt $dst:tt $one:tt $other:tt $what:literal $note:tt
        [ $c:ident $c_hint:ident $m:ident $m_hint:ident ]
    ) => {
        load! { @hints one $c $c_hint $dst $dim $info $form $mode $one $what $note }
        load! { @hints multicast $m $m_hint [] $dim $info $form $mode $other $what $note }
    };
    (@hints $to:ident $name:ident $hint:ident $dst:tt $($rest:tt)*) => {
        load! { @$to $name $dst "" [] $($rest)* }
        load! { @$to $hint $dst ".L2::cache_hint" [ cache_policy ", {cache_policy}", ", cache-policy"
            "- `cache_policy` comes from a `createpolicy` instruction." ] $($rest)* }
    };
    (@one $name:ident $($rest:tt)*) => {
        load! { @row $name "{.dst}.global" ".global" "" [] "shared memory of a CTA of the cluster"
            "- `dst_mem` is in shared memory of a CTA of the cluster, with `.shared::cta` of the executing one, which does not"
            "  exit before the copy is complete." $($rest)* }
    };
    (@multicast $name:ident $($rest:tt)*) => {
        load! { @row $name ".shared::cluster.global" ".shared::cluster.global" ".multicast::cluster"
            [ cta_mask ", {cta_mask}", ", ctaMask" ]
            "shared memory of each CTA of the cluster that `cta_mask` holds, at the offset of `dst_mem`"
            "- `cta_mask` is of CTAs of the cluster that exit after the copy is complete;"
            "  the next point holds in each."
            $($rest)* }
    };
    (@row $name:ident $spaces_form:literal $spaces:literal
        $multicast:literal [ $($mask:ident $mask_text:literal, $mask_form:literal)? ]
        $into:literal $where:literal $where2:literal [ $($dst:tt)* ] $hint:literal
        [ $($policy:ident $policy_text:literal, $policy_form:literal $policy_note:literal)? ]
        [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ]
        [ $isa:literal, $target:literal [ $($gate:tt)* ]
            [ $($Mode:ident: $ModeLegal:ident { $($mode_tag:tt)* })? ] [ $($group:tt)* ] ]
        $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy of ", $what)]
            #[doc = concat!("from a tensor in global memory into ", $into, ".")]
            /// The mbarrier at `mbar` gets a complete-tx of the size in bytes when it is done.
            @unsafe fn $name[
                $($dst)*
                $( $Mode: $ModeLegal after $spaces { $($mode_tag)* }, )?
                Group: TensorCtaGroup after $( $spaces $mode )? ".mbarrier::complete_tx::bytes" $multicast {
                    cta_group::None, cta_group::One $($group)*, cta_group::Two $($group)*
                },
            ](
                dst_mem: u32 = reg32, tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                mbar: u32 = reg32, $( $info: [u16; $info_n] = [reg16: $($i)+], )?
                $( $mask: crate::mask::CtaMask = mask, )? $( $policy: u64 = reg64, )?
            );
            form: "cp.async.bulk.tensor" $dim $spaces_form $mode_form ".mbarrier::complete_tx::bytes" $multicast
                "{.cta_group}" $hint " [dstMem], [tensorMap, tensorCoords], [mbar]" $( $info_form )?
                $( $mask_form )? $( $policy_form )? ";";
            ptx: "cp.async.bulk.tensor" $dim ..
                $hint " [{dst_mem}], [{tensor_map}, " $coords "], [{mbar}]"
                $( $info_text )? $( $mask_text )? $( $policy_text )? ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.2";
            $($gate)*
            # Safety
            "- `tensor_map` is the generic address of a valid tensor map (128 bytes, aligned to 64) in `.param`,"
            "  `.const` or global memory, of this dimension and mode; its tensor is valid and keeps to 9.7.9.25.5.1."
            $where $where2
            "- `dst_mem` is aligned to 128 bytes, and what is copied fits there; `mbar` is a valid mbarrier in the same"
            "  CTA or, with `.cta_group::2`, in the other of its pair."
            "- until the copy is complete nobody writes source or tensor map, and nobody accesses the destination."
            "- what ordinary stores wrote to either end is made visible first (`fence.proxy.async`), and what they"
            "  wrote to the tensor map (`fence.proxy.tensormap`)."
            $( $note )?
            $( $policy_note )?
        }
    };
}

load! {
    1d tile:
        cp_async_bulk_tensor_1d_global_tile, cp_async_bulk_tensor_1d_global_tile_cache_hint,
        cp_async_bulk_tensor_1d_global_tile_multicast_cluster,
        cp_async_bulk_tensor_1d_global_tile_multicast_cluster_cache_hint;
    2d tile:
        cp_async_bulk_tensor_2d_global_tile, cp_async_bulk_tensor_2d_global_tile_cache_hint,
        cp_async_bulk_tensor_2d_global_tile_multicast_cluster,
        cp_async_bulk_tensor_2d_global_tile_multicast_cluster_cache_hint;
    3d tile:
        cp_async_bulk_tensor_3d_global_tile, cp_async_bulk_tensor_3d_global_tile_cache_hint,
        cp_async_bulk_tensor_3d_global_tile_multicast_cluster,
        cp_async_bulk_tensor_3d_global_tile_multicast_cluster_cache_hint;
    4d tile:
        cp_async_bulk_tensor_4d_global_tile, cp_async_bulk_tensor_4d_global_tile_cache_hint,
        cp_async_bulk_tensor_4d_global_tile_multicast_cluster,
        cp_async_bulk_tensor_4d_global_tile_multicast_cluster_cache_hint;
    5d tile:
        cp_async_bulk_tensor_5d_global_tile, cp_async_bulk_tensor_5d_global_tile_cache_hint,
        cp_async_bulk_tensor_5d_global_tile_multicast_cluster,
        cp_async_bulk_tensor_5d_global_tile_multicast_cluster_cache_hint;
    rows gather4:
        cp_async_bulk_tensor_2d_global_tile_gather4, cp_async_bulk_tensor_2d_global_tile_gather4_cache_hint,
        cp_async_bulk_tensor_2d_global_tile_gather4_multicast_cluster,
        cp_async_bulk_tensor_2d_global_tile_gather4_multicast_cluster_cache_hint;
    3d im2col:
        cp_async_bulk_tensor_3d_global_im2col, cp_async_bulk_tensor_3d_global_im2col_cache_hint,
        cp_async_bulk_tensor_3d_global_im2col_multicast_cluster,
        cp_async_bulk_tensor_3d_global_im2col_multicast_cluster_cache_hint;
    4d im2col:
        cp_async_bulk_tensor_4d_global_im2col, cp_async_bulk_tensor_4d_global_im2col_cache_hint,
        cp_async_bulk_tensor_4d_global_im2col_multicast_cluster,
        cp_async_bulk_tensor_4d_global_im2col_multicast_cluster_cache_hint;
    5d im2col:
        cp_async_bulk_tensor_5d_global_im2col, cp_async_bulk_tensor_5d_global_im2col_cache_hint,
        cp_async_bulk_tensor_5d_global_im2col_multicast_cluster,
        cp_async_bulk_tensor_5d_global_im2col_multicast_cluster_cache_hint;
    3d im2col_w:
        cp_async_bulk_tensor_3d_global_im2col_w, cp_async_bulk_tensor_3d_global_im2col_w_cache_hint,
        cp_async_bulk_tensor_3d_global_im2col_w_multicast_cluster,
        cp_async_bulk_tensor_3d_global_im2col_w_multicast_cluster_cache_hint;
    4d im2col_w:
        cp_async_bulk_tensor_4d_global_im2col_w, cp_async_bulk_tensor_4d_global_im2col_w_cache_hint,
        cp_async_bulk_tensor_4d_global_im2col_w_multicast_cluster,
        cp_async_bulk_tensor_4d_global_im2col_w_multicast_cluster_cache_hint;
    5d im2col_w:
        cp_async_bulk_tensor_5d_global_im2col_w, cp_async_bulk_tensor_5d_global_im2col_w_cache_hint,
        cp_async_bulk_tensor_5d_global_im2col_w_multicast_cluster,
        cp_async_bulk_tensor_5d_global_im2col_w_multicast_cluster_cache_hint;
}

/// `cp.async.bulk.tensor.dim.global.shared::cta.load_mode.bulk_group{.level::cache_hint}
///     [tensorMap, tensorCoords], [srcMem]{, cache-policy};`
macro_rules! store {
    ($( $dim:tt $mode:tt: $name:ident, $hint:ident; )*) => { $( tensor_dim! { $dim store $mode $name, $hint } )* };
    (@dim $dim:tt $info:tt [ scatter4 ] $($rest:tt)*) => {
        store! { @rows $dim [ ".tile::scatter4" ".tile::scatter4" ] [] [ "8.6", "sm_100" gate: sm_100f_sm_110a; ]
            "the four rows of a tensor in global memory at the column and the rows of `tensor_coords`" $($rest)* }
    };
    (@dim $dim:tt $info:tt [ $($mode:tt)+ ] $($rest:tt)*) => {
        store! { @rows $dim [ "{.load_mode}" ] [ $($mode)+ ] [ "8.0", "sm_90" ]
            "the box at `tensor_coords` of a tensor in global memory" $($rest)* }
    };
    (@rows $dim:tt $mode:tt $tags:tt $since:tt $what:literal $name:ident, $hint:ident) => {
        store! { @row $name $dim $mode $tags $since $what "" [] }
        store! { @row $hint $dim $mode $tags $since $what
            ".L2::cache_hint" [ cache_policy ", {cache_policy}", ", cache-policy"
            "- `cache_policy` comes from a `createpolicy` instruction." ] }
    };
    (@row $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $mode_form:literal $($mode:literal)? ] [ $($tags:tt)* ]
        [ $isa:literal, $target:literal $($gate:tt)* ] $what:literal
        $hint:literal [ $($policy:ident $policy_text:literal, $policy_form:literal $policy_note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy from shared memory of the executing CTA to ", $what, ",")]
            /// as part of the bulk async-group that the executing thread commits next.
            @unsafe fn $name[$($tags)*](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
                $( $policy: u64 = reg64, )?
            );
            form: "cp.async.bulk.tensor" $dim ".global.shared::cta" $mode_form ".bulk_group" $hint
                " [tensorMap, tensorCoords], [srcMem]" $( $policy_form )? ";";
            ptx: "cp.async.bulk.tensor" $dim ".global.shared::cta" $( $mode )? ..
                ".bulk_group" $hint " [{tensor_map}, " $coords "], [{src_mem}]" $( $policy_text )? ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.2";
            $($gate)*
            # Safety
            "- `tensor_map` is the generic address of a valid tensor map (128 bytes, aligned to 64) in `.param`,"
            "  `.const` or global memory, of this dimension and mode; its tensor is valid and keeps to 9.7.9.25.5.1."
            "- the coordinates are not negative; with `.im2col_no_offs` neither is the bounding box's lower corner, and"
            "  its upper corner is not positive."
            "- `src_mem` is aligned to 128 bytes, and what is copied is in shared memory there."
            "- until the group's reads are complete nobody writes source or tensor map, and the CTA does not exit;"
            "  until the group is complete nobody accesses the destination."
            "- what ordinary stores wrote to the source is made visible first (`fence.proxy.async`), and what they"
            "  wrote to the tensor map (`fence.proxy.tensormap`)."
            $( $policy_note )?
        }
    };
}

store! {
    1d [Mode: TensorStoreTileMode { load_mode::Tile }]:
        cp_async_bulk_tensor_1d_global_shared_cta, cp_async_bulk_tensor_1d_global_shared_cta_cache_hint;
    2d [Mode: TensorStoreTileMode { load_mode::Tile }]:
        cp_async_bulk_tensor_2d_global_shared_cta, cp_async_bulk_tensor_2d_global_shared_cta_cache_hint;
    3d [Mode: TensorStoreMode { load_mode::Tile, load_mode::Im2colNoOffs }]:
        cp_async_bulk_tensor_3d_global_shared_cta, cp_async_bulk_tensor_3d_global_shared_cta_cache_hint;
    4d [Mode: TensorStoreMode { load_mode::Tile, load_mode::Im2colNoOffs }]:
        cp_async_bulk_tensor_4d_global_shared_cta, cp_async_bulk_tensor_4d_global_shared_cta_cache_hint;
    5d [Mode: TensorStoreMode { load_mode::Tile, load_mode::Im2colNoOffs }]:
        cp_async_bulk_tensor_5d_global_shared_cta, cp_async_bulk_tensor_5d_global_shared_cta_cache_hint;
    rows [scatter4]:
        cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4,
        cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4_cache_hint;
}
