//! Tensor copies (TMA): `cp.async.bulk.tensor` (PTX ISA 9.7.9.25.5.2).
//!
//! The last example of the section lacks a `.completion_mechanism`, which ptxas 13.5 requires.

legal! {
    TensorCtaGroup: "`{Self}` is not a `.cta_group` of a tensor copy: use `cta_group::None` or, with the feature `sm_100f` or `sm_110f`, `.cta_group::1` or `.cta_group::2`"
    { cta_group::None, cta_group::One @ "8.6" gate tensor_modes, cta_group::Two @ "8.6" gate tensor_modes }
    TensorDst: "`{Self}` is not a destination of a tensor copy from global memory: use `.shared::cta` or `.shared::cluster`"
    { space::SharedCta @ "8.6" no multicast, space::SharedCluster }
    TensorNewerDst: "`{Self}` is not a destination of a tensor copy from global memory in this mode: use `.shared::cta` or, with the feature `sm_100f` or `sm_110f`, `.shared::cluster`"
    { space::SharedCta no multicast, space::SharedCluster gate tensor_modes }
    /// `.multicast` and its `ctaMask`, of tensor copies from global memory.
    TensorMulticast<Dst>: "`{Self}` is not a `.multicast` of a tensor copy to `{Dst}`: use `multicast::None` or, to `.shared::cluster`, `multicast::Cluster` with a `CtaMask` or, with the feature `sm_107f`, `multicast::Cluster32b` with a `u32`"
    {
        multicast::None, multicast::Cluster(cta_mask in mask) for [ space::SharedCluster ],
        multicast::Cluster32b(cta_mask in reg32) @ "9.4" gate sm_107f for [ space::SharedCluster ],
    }
    /// `.multicast` and its `ctaMask`, of tensor copies from global memory with an `.override::global_dim` or its like.
    TensorOverrideMulticast<Dst>: "`{Self}` is not a `.multicast` of a tensor copy to `{Dst}` with other sizes: use `multicast::None` or, to `.shared::cluster`, `multicast::Cluster32b` with a `u32`"
    { multicast::None, multicast::Cluster32b(cta_mask in reg32) for [ space::SharedCluster ] }
    /// `.report_mechanism` of tensor copies from global memory with an `.override`.
    TensorReport: "`{Self}` is not a `.report_mechanism` of a tensor copy: use `report::Disabled` or a pattern of `qualifier::report`"
    {
        report::Disabled, report::Per16Bytes80000000, report::Per16Bytes8000, report::Per16Bytes80,
        report::Per16Bytes8, report::PerElementFf,
    }
    TensorIm2colWMode: "`{Self}` is not an `.im2col::w` mode of a tensor copy: use `.im2col::w` or, with the feature `sm_100f` or `sm_110f`, `.im2col::w::128`"
    { load_mode::Im2colW, load_mode::Im2colW128 gate tensor_modes }
    /// `.load_mode` of tensor copies and reductions from shared to global memory, of one or two dimensions.
    TensorStoreTileMode: "`{Self}` is not a `.load_mode` of a 1d or 2d tensor copy or reduction to global memory: use `.tile`"
    { load_mode::Tile }
    /// `.load_mode` of tensor copies and reductions from shared to global memory, of three dimensions or more.
    TensorStoreMode: "`{Self}` is not a `.load_mode` of a tensor copy or reduction to global memory: use `.tile`, `.im2col_no_offs` or, with the feature `sm_107f`, `.im2col_no_offs::w`"
    { load_mode::Tile, load_mode::Im2colNoOffs, load_mode::Im2colNoOffsW @ "9.4" gate sm_107f }
}

/// Hands `$row!` the parts of a row that depend on `.dim`: the coordinates and the offsets of `.im2col`, each as number, names
/// and text in asm. `rows` has the coordinates of `.tile::gather4` and `.tile::scatter4`: one column and four rows.
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

/// Hands `$row!` the parts of a row that depend on the `.load_mode` of a copy or prefetch from global memory: `im2colInfo`; the
/// text of the mode in the form and in asm, or its tags; the tags of `.dst`; PTX ISA version and target; the gates of copies and
/// of prefetches; a description; a line of `# Safety`.
macro_rules! tensor_load {
    ($row:ident $dim:tt $mode:ident $name:tt) => { tensor_dim! { $dim tensor_load $mode $row $name } };
    (@dim $dim:tt $info:tt tile $row:ident $name:tt) => {
        $row! { @mode $name $dim [] ".tile" [ ".tile" ] [] TensorDst [ "8.0", "sm_90" ] [] [] "the box at `tensor_coords`" [] }
    };
    (@dim $dim:tt $info:tt gather4 $row:ident $name:tt) => {
        $row! { @mode $name $dim [] ".tile::gather4" [ ".tile::gather4" ] [] TensorNewerDst
            [ "8.6", "sm_100" ] [ gate: sm_100; ] [ gate: tensor_modes; ]
            "four rows (`tensor_coords`: their first column, then their indices)" [] }
    };
    (@dim $dim:tt [ $($info:tt)+ ] im2col $row:ident $name:tt) => {
        $row! { @mode $name $dim [ im2col_info: $($info)+, ", im2colInfo" ] ".im2col" [ ".im2col" ] [] TensorDst
            [ "8.0", "sm_90" ] [] []
            "the pixels at `tensor_coords`, shifted by the offsets `im2col_info` along W, H and D, as a column"
            [ "- The offsets in `im2col_info` are in the range of the mode for this dimension." ] }
    };
    (@dim $dim:tt $info:tt im2col_w $row:ident $name:tt) => {
        $row! { @mode $name $dim [ im2col_info: 2 [ halo offset ] ", {{{halo}, {offset}}}", ", im2colInfo" ]
            "{.load_mode}" [] [ TensorIm2colWMode ] TensorNewerDst
            [ "8.6", "sm_100" ] [ gate: sm_100; ] [ gate: tensor_modes; ]
            "the pixels along W at `tensor_coords`, with `wHalo` and `wOffset` in `im2col_info`, as a column"
            [ "- `wHalo` is less than 512, or less than 32 with `.im2col::w::128`; `wOffset` is less than 32." ] }
    };
}

/// Hands `$row!` the parts of a row with `.override::global_dim` or `.override::global_dim_stride`: the dimension and its coordinates;
/// the sizes, as their type, names and text in asm, with what makes registers of eight bits of them; the lower strides; the text of
/// the qualifier; where the strides stand in `form:`.
macro_rules! tensor_attributes {
    (1d b16 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".1d" 1 [ c0 ] "{{{c0}}}" ]
            [ u16 [ s0 ] "" "{{{s0}}}" "" ]
            [] ".override::global_dim" $($rest)* }
    };
    (1d b8 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".1d" 1 [ c0 ] "{{{c0}}}" ]
            [ u8 [ s0 ] "{{ .reg .b8 e<1>; cvt.u8.u16 e0, {s0}; " "{{e0}}" " }}" ]
            [] ".override::global_dim" $($rest)* }
    };
    (2d b16 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".2d" 2 [ c0 c1 ] "{{{c0}, {c1}}}" ]
            [ u16 [ s0 s1 ] "" "{{{s0}, {s1}}}" "" ]
            [ 1 [ l0 ] "{{{l0}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (2d b8 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".2d" 2 [ c0 c1 ] "{{{c0}, {c1}}}" ]
            [ u8 [ s0 s1 ] "{{ .reg .b8 e<2>; cvt.u8.u16 e0, {s0}; cvt.u8.u16 e1, {s1}; " "{{e0, e1}}" " }}" ]
            [ 1 [ l0 ] "{{{l0}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (3d b16 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".3d" 3 [ c0 c1 c2 ] "{{{c0}, {c1}, {c2}}}" ]
            [ u16 [ s0 s1 s2 ] "" "{{{s0}, {s1}, {s2}}}" "" ]
            [ 2 [ l0 l1 ] "{{{l0}, {l1}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (3d b8 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".3d" 3 [ c0 c1 c2 ] "{{{c0}, {c1}, {c2}}}" ]
            [ u8 [ s0 s1 s2 ] "{{ .reg .b8 e<3>; cvt.u8.u16 e0, {s0}; cvt.u8.u16 e1, {s1}; cvt.u8.u16 e2, {s2}; " "{{e0, e1, e2}}" " }}" ]
            [ 2 [ l0 l1 ] "{{{l0}, {l1}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (4d b16 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".4d" 4 [ c0 c1 c2 c3 ] "{{{c0}, {c1}, {c2}, {c3}}}" ]
            [ u16 [ s0 s1 s2 s3 ] "" "{{{s0}, {s1}, {s2}, {s3}}}" "" ]
            [ 3 [ l0 l1 l2 ] "{{{l0}, {l1}, {l2}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (4d b8 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".4d" 4 [ c0 c1 c2 c3 ] "{{{c0}, {c1}, {c2}, {c3}}}" ]
            [ u8 [ s0 s1 s2 s3 ] "{{ .reg .b8 e<4>; cvt.u8.u16 e0, {s0}; cvt.u8.u16 e1, {s1}; cvt.u8.u16 e2, {s2}; cvt.u8.u16 e3, {s3}; " "{{e0, e1, e2, e3}}" " }}" ]
            [ 3 [ l0 l1 l2 ] "{{{l0}, {l1}, {l2}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (5d b16 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".5d" 5 [ c0 c1 c2 c3 c4 ] "{{{c0}, {c1}, {c2}, {c3}, {c4}}}" ]
            [ u16 [ s0 s1 s2 s3 s4 ] "" "{{{s0}, {s1}, {s2}, {s3}, {s4}}}" "" ]
            [ 4 [ l0 l1 l2 l3 ] "{{{l0}, {l1}, {l2}, {l3}}}" ] ".override::global_dim_stride" $($rest)* }
    };
    (5d b8 $row:ident $($rest:tt)*) => {
        $row! { @attributes [ ".5d" 5 [ c0 c1 c2 c3 c4 ] "{{{c0}, {c1}, {c2}, {c3}, {c4}}}" ]
            [ u8 [ s0 s1 s2 s3 s4 ] "{{ .reg .b8 e<5>; cvt.u8.u16 e0, {s0}; cvt.u8.u16 e1, {s1}; cvt.u8.u16 e2, {s2}; cvt.u8.u16 e3, {s3}; cvt.u8.u16 e4, {s4}; " "{{e0, e1, e2, e3, e4}}" " }}" ]
            [ 4 [ l0 l1 l2 l3 ] "{{{l0}, {l1}, {l2}, {l3}}}" ] ".override::global_dim_stride" $($rest)* }
    };
}

/// `cp.async.bulk.tensor.dim.dst.global.load_mode.mbarrier::complete_tx::bytes
///     {.multicast}{.cta_group}{.level::cache_hint}
///     [dstMem], [tensorMap, tensorCoords], [mbar]{, im2colInfo}{, ctaMask}{, cache-policy};`
macro_rules! load {
    ($( $dim:tt $mode:ident $name:ident; )*) => { $( tensor_load! { load $dim $mode $name } )* };
    (@mode $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        $Dst:ident [ $isa:literal, $target:literal ] [ $($gate:tt)* ] $prefetch:tt $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy of ", $what)]
            /// from a tensor in global memory to shared memory of a CTA of the cluster at `dst_mem`. On completion, the mbarrier
            /// at `mbar` gets a complete-tx of the size in bytes. With `.multicast::cluster`, each CTA of the mask gets the copy,
            /// and its mbarrier the complete-tx, at the same offsets.
            @unsafe fn $name[
                Dst: $Dst, $( Mode: $Mode after ".global",
                )? ?Multicast: TensorMulticast<Dst> after $( ".global" $mode )? ".mbarrier::complete_tx::bytes",
                Group: TensorCtaGroup, ?CacheHint: L2CacheHint,
            ](
                dst_mem: u32 = reg32, tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                mbar: u32 = reg32, $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.tensor" $dim "{.dst}.global" $mode_form ".mbarrier::complete_tx::bytes{.multicast}{.cta_group}"
                "{.L2::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar]" $( $info_form )? "{, ctaMask}{, cache-policy};";
            ptx: "cp.async.bulk.tensor" $dim ..
                " [{dst_mem}], [{tensor_map}, " $coords "], [{mbar}]" $( $info_text )? .. ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.2";
            $($gate)*
            # Safety
            "- `tensor_map` is the address of a [valid tensor map](crate::raw#tensor-maps) of this dimension and mode."
            "- `dst_mem` is in shared memory of a CTA of the cluster; with `.shared::cta`, of the executing CTA. That CTA does"
            "  not exit before the copy is complete."
            "- `dst_mem` is aligned to 128 bytes, and the copied data fits there. `mbar` is the address of a valid mbarrier in"
            "  the same CTA or, with `.cta_group::2`, in the other CTA of its pair."
            "- With `.multicast::cluster`, the two conditions above hold in each CTA of the mask."
            "- Until the copy is complete, nothing writes the source or the tensor map, and nothing accesses the destination."
            "- Earlier ordinary stores to the source or the destination are visible to the async proxy (`fence.proxy.async`)."
            "- A cache policy comes from a `createpolicy` instruction."
            $( $note )?
        }
    };
}

load! {
    1d tile cp_async_bulk_tensor_1d_global_tile;
    2d tile cp_async_bulk_tensor_2d_global_tile;
    3d tile cp_async_bulk_tensor_3d_global_tile;
    4d tile cp_async_bulk_tensor_4d_global_tile;
    5d tile cp_async_bulk_tensor_5d_global_tile;
    rows gather4 cp_async_bulk_tensor_2d_global_tile_gather4;
    3d im2col cp_async_bulk_tensor_3d_global_im2col;
    4d im2col cp_async_bulk_tensor_4d_global_im2col;
    5d im2col cp_async_bulk_tensor_5d_global_im2col;
    3d im2col_w cp_async_bulk_tensor_3d_global_im2col_w;
    4d im2col_w cp_async_bulk_tensor_4d_global_im2col_w;
    5d im2col_w cp_async_bulk_tensor_5d_global_im2col_w;
}

/// Copies with a `.report_mechanism`, and with an `.override`, of the address alone and of sizes and strides too.
macro_rules! load_override {
    ($( $dim:tt $mode:ident $names:tt; )*) => { $( tensor_load! { load_override $dim $mode $names } )* };
    (@mode [ $report:ident $address:ident ] [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $($info:ident: $info_n:literal [ $($i:ident)+ ] $info_text:literal, $info_form:literal)? ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        $Dst:ident $since:tt $gate:tt $prefetch:tt $what:literal [ $($note:literal)? ]
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy of ", $what)]
            /// from a tensor as the function without `_report` does, and reports to the mbarrier, which has `.layout::v1`, if the data
            /// have the pattern `Report`.
            @unsafe fn $report[
                Dst: $Dst, $( Mode: $Mode after ".global", )?
                Report: BulkReport after $( ".global" $mode )? ".mbarrier::complete_tx::bytes",
                ?Multicast: TensorMulticast<Dst>, Group: TensorCtaGroup, ?CacheHint: L2CacheHint,
            ](
                dst_mem: u32 = reg32, tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                mbar: u32 = reg32, $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.tensor" $dim "{.dst}.global" $mode_form ".mbarrier::complete_tx::bytes{.report}{.multicast}{.cta_group}"
                "{.L2::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar]" $( $info_form )? "{, ctaMask}{, cache-policy};";
            ptx: "cp.async.bulk.tensor" $dim ..
                " [{dst_mem}], [{tensor_map}, " $coords "], [{mbar}]" $( $info_text )? .. ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.2";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_report` hold, and the mbarrier was initialized with `.layout::v1`."
        }
        instruction! {
            #[doc = concat!("Starts a copy of ", $what)]
            /// as the function without `_override_global_address` does, from the tensor at `global_address` instead of that at the address
            /// in the map.
            @unsafe fn $address[
                Dst: $Dst, $( Mode: $Mode after ".global", )?
                Report: TensorReport after $( ".global" $mode )? ".mbarrier::complete_tx::bytes",
                ?Multicast: TensorMulticast<Dst>, Group: TensorCtaGroup, ?CacheHint: L2CacheHint,
            ](
                dst_mem: u32 = reg32, tensor_map: *const u8 = reg64, global_address: *const u8 = reg64,
                tensor_coords: [i32; $n] = [reg32: $($c)+], mbar: u32 = reg32, $( $info: [u16; $info_n] = [reg16: $($i)+], )?
            );
            form: "cp.async.bulk.tensor" $dim "{.dst}.global" $mode_form ".mbarrier::complete_tx::bytes{.report}{.multicast}{.cta_group}"
                "{.L2::cache_hint}.override::global_address [dstMem], [tensorMap, gAddrToOverride, tensorCoords], [mbar]"
                $( $info_form )? "{, ctaMask}{, cache-policy};";
            ptx: "cp.async.bulk.tensor" $dim .. ".override::global_address"
                " [{dst_mem}], [{tensor_map}, {global_address}, " $coords "], [{mbar}]" $( $info_text )? .. ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.2";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_global_address` hold, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory."
            "- With a `Report` other than `report::Disabled`, the mbarrier was initialized with `.layout::v1`."
        }
    };
    (attributes: $( $dim:tt $bits:ident $name:ident; )*) => { $( tensor_attributes! { $dim $bits load_override $name } )* };
    (@attributes [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $Size:ident [ $($s:ident)+ ] $set_up:literal $sizes:literal $close:literal ]
        [ $( $strides:literal [ $($l:ident)+ ] $lower:literal )? ] $override:literal $name:ident
    ) => {
        instruction! {
            /// Starts a copy of the box at `tensor_coords`, which are zero, as the function for `_tile` does, from a tensor that is at
            /// `global_address` and has these sizes, and from two dimensions on these strides, instead of those in the map.
            #[doc = concat!("`", stringify!($Size), "` is the type of the sizes, of which the low eight bits count.")]
            /// Bits 4*i* to 4*i* + 3 of `upper_strides` are bits 32 to 35 of the stride whose bits 0 to 31 are `lower_strides[i]`, in
            /// units of 16 bytes.
            @unsafe fn $name[
                Dst: TensorDst, Report: TensorReport after ".global.tile.mbarrier::complete_tx::bytes",
                ?Multicast: TensorOverrideMulticast<Dst>, Group: TensorCtaGroup, ?CacheHint: L2CacheHint,
            ](
                dst_mem: u32 = reg32, tensor_map: *const u8 = reg64, global_address: *const u8 = reg64,
                sizes: [$Size; $n] = [reg16: $($s)+],
                $( lower_strides: [u32; $strides] = [reg32: $($l)+], upper_strides: u16 = reg16, )?
                tensor_coords: [i32; $n] = [reg32: $($c)+], mbar: u32 = reg32,
            );
            form: "cp.async.bulk.tensor" $dim "{.dst}.global.tile.mbarrier::complete_tx::bytes{.report}{.multicast}{.cta_group}"
                "{.L2::cache_hint}.override::global_address" $override
                " [dstMem], [tensorMap, gAddrToOverride, attributeOverrideInfo, tensorCoords], [mbar]{, ctaMask}{, cache-policy};";
            ptx: $set_up "cp.async.bulk.tensor" $dim .. ".override::global_address" $override
                " [{dst_mem}], [{tensor_map}, {global_address}, " $sizes ", " $( $lower ", {upper_strides}, " )? $coords "], [{mbar}]"
                .. ";" $close;
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.2";
            gate: sm_107f;
            # Safety
            "- The conditions of the function for `_tile` of this dimension hold, for the tensor at `global_address`, which is aligned"
            "  to 16 bytes and begins 128 KiB of accessible memory, with these sizes and strides. All `tensor_coords` are zero."
            "- With a `Report` other than `report::Disabled`, the mbarrier was initialized with `.layout::v1`."
        }
    };
}

load_override! {
    1d tile [ cp_async_bulk_tensor_1d_global_tile_report cp_async_bulk_tensor_1d_global_tile_override_global_address ];
    2d tile [ cp_async_bulk_tensor_2d_global_tile_report cp_async_bulk_tensor_2d_global_tile_override_global_address ];
    3d tile [ cp_async_bulk_tensor_3d_global_tile_report cp_async_bulk_tensor_3d_global_tile_override_global_address ];
    4d tile [ cp_async_bulk_tensor_4d_global_tile_report cp_async_bulk_tensor_4d_global_tile_override_global_address ];
    5d tile [ cp_async_bulk_tensor_5d_global_tile_report cp_async_bulk_tensor_5d_global_tile_override_global_address ];
    rows gather4 [ cp_async_bulk_tensor_2d_global_tile_gather4_report cp_async_bulk_tensor_2d_global_tile_gather4_override_global_address ];
    3d im2col [ cp_async_bulk_tensor_3d_global_im2col_report cp_async_bulk_tensor_3d_global_im2col_override_global_address ];
    4d im2col [ cp_async_bulk_tensor_4d_global_im2col_report cp_async_bulk_tensor_4d_global_im2col_override_global_address ];
    5d im2col [ cp_async_bulk_tensor_5d_global_im2col_report cp_async_bulk_tensor_5d_global_im2col_override_global_address ];
    3d im2col_w [ cp_async_bulk_tensor_3d_global_im2col_w_report cp_async_bulk_tensor_3d_global_im2col_w_override_global_address ];
    4d im2col_w [ cp_async_bulk_tensor_4d_global_im2col_w_report cp_async_bulk_tensor_4d_global_im2col_w_override_global_address ];
    5d im2col_w [ cp_async_bulk_tensor_5d_global_im2col_w_report cp_async_bulk_tensor_5d_global_im2col_w_override_global_address ];
}
load_override! {
    attributes:
    1d b16 cp_async_bulk_tensor_1d_global_tile_override_global_dim;
    1d b8 cp_async_bulk_tensor_1d_global_tile_override_global_dim_b8;
    2d b16 cp_async_bulk_tensor_2d_global_tile_override_global_dim_stride;
    2d b8 cp_async_bulk_tensor_2d_global_tile_override_global_dim_stride_b8;
    3d b16 cp_async_bulk_tensor_3d_global_tile_override_global_dim_stride;
    3d b8 cp_async_bulk_tensor_3d_global_tile_override_global_dim_stride_b8;
    4d b16 cp_async_bulk_tensor_4d_global_tile_override_global_dim_stride;
    4d b8 cp_async_bulk_tensor_4d_global_tile_override_global_dim_stride_b8;
    5d b16 cp_async_bulk_tensor_5d_global_tile_override_global_dim_stride;
    5d b8 cp_async_bulk_tensor_5d_global_tile_override_global_dim_stride_b8;
}

/// `cp.async.bulk.tensor.dim.global.shared::cta.load_mode.bulk_group{.level::cache_hint}
///     [tensorMap, tensorCoords], [srcMem]{, cache-policy};`
macro_rules! store {
    ($( $dim:tt $mode:ident $name:ident; )*) => { $( tensor_dim! { $dim store $mode $name } )* };
    (@dim $dim:tt $info:tt scatter4 $name:ident) => {
        store! { @row $name $dim ".tile::scatter4" [ ".tile::scatter4" ] [] [ "8.6", "sm_100" gate: tensor_modes; ]
            "four rows (`tensor_coords`: their first column, then their indices) of a tensor in global memory" }
    };
    (@dim $dim:tt $info:tt $Mode:ident $name:ident) => {
        store! { @row $name $dim "{.load_mode}" [] [ $Mode ] [ "8.0", "sm_90" ]
            "the box at `tensor_coords` of a tensor in global memory" }
    };
    (@row $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
        [ $isa:literal, $target:literal $($gate:tt)* ] $what:literal
    ) => {
        instruction! {
            #[doc = concat!("Starts a copy from shared memory of the executing CTA at `src_mem` to ", $what, ",")]
            /// as part of the bulk async-group that the executing thread commits next.
            @unsafe fn $name[ $( Mode: $Mode, )? ?CacheHint: L2CacheHint after $( $mode )? ".bulk_group" ](
                tensor_map: *const u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
            );
            form: "cp.async.bulk.tensor" $dim ".global.shared::cta" $mode_form ".bulk_group{.L2::cache_hint}"
                " [tensorMap, tensorCoords], [srcMem]{, cache-policy};";
            ptx: "cp.async.bulk.tensor" $dim ".global.shared::cta" .. " [{tensor_map}, " $coords "], [{src_mem}]" .. ";";
            isa: $isa, target: $target, section: "9.7.9.25.5.2";
            $($gate)*
            # Safety
            "- `tensor_map` is the address of a [valid tensor map](crate::raw#tensor-maps) of this dimension and mode."
            "- The coordinates are not negative. With `.im2col_no_offs`, the lower corner of the bounding box is not negative,"
            "  and its upper corner is not positive."
            "- `src_mem` is aligned to 128 bytes, and the data to copy lies in shared memory there."
            "- Until the reads of the group are complete, nothing writes the source or the tensor map, and the CTA does not exit."
            "- Until the group is complete, nothing accesses the destination."
            "- Earlier ordinary stores to the source are visible to the async proxy (`fence.proxy.async`)."
            "- A cache policy comes from a `createpolicy` instruction."
        }
    };
}

store! {
    1d TensorStoreTileMode cp_async_bulk_tensor_1d_global_shared_cta;
    2d TensorStoreTileMode cp_async_bulk_tensor_2d_global_shared_cta;
    3d TensorStoreMode cp_async_bulk_tensor_3d_global_shared_cta;
    4d TensorStoreMode cp_async_bulk_tensor_4d_global_shared_cta;
    5d TensorStoreMode cp_async_bulk_tensor_5d_global_shared_cta;
    rows scatter4 cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4;
}

/// Copies to global memory with an `.override`, of the address alone and of sizes and strides too.
macro_rules! store_override {
    ($( $dim:tt $Mode:ident $name:ident; )*) => { $( tensor_dim! { $dim store_override $Mode $name } )* };
    (@dim $dim:tt $info:tt scatter4 $name:ident) => {
        store_override! { @row $name $dim ".tile::scatter4" [ ".tile::scatter4" ] [] }
    };
    (@dim $dim:tt $info:tt $Mode:ident $name:ident) => { store_override! { @row $name $dim "{.load_mode}" [] [ $Mode ] } };
    (@row $name:ident [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        $mode_form:literal [ $($mode:literal)? ] [ $($Mode:ident)? ]
    ) => {
        instruction! {
            /// Starts a copy as the function without `_override_global_address` does, to the tensor at `global_address` instead of that
            /// at the address in the map.
            @unsafe fn $name[ $( Mode: $Mode, )? ?CacheHint: L2CacheHint after $( $mode )? ".bulk_group" ](
                tensor_map: *const u8 = reg64, global_address: *mut u8 = reg64, tensor_coords: [i32; $n] = [reg32: $($c)+],
                src_mem: u32 = reg32,
            );
            form: "cp.async.bulk.tensor" $dim ".global.shared::cta" $mode_form ".bulk_group{.L2::cache_hint}.override::global_address"
                " [tensorMap, gAddrToOverride, tensorCoords], [srcMem]{, cache-policy};";
            ptx: "cp.async.bulk.tensor" $dim ".global.shared::cta" .. ".override::global_address"
                " [{tensor_map}, {global_address}, " $coords "], [{src_mem}]" .. ";";
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.2";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_global_address` hold, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory."
        }
    };
    (attributes: $( $dim:tt $bits:ident $name:ident; )*) => { $( tensor_attributes! { $dim $bits store_override $name } )* };
    (@attributes [ $dim:literal $n:literal [ $($c:ident)+ ] $coords:literal ]
        [ $Size:ident [ $($s:ident)+ ] $set_up:literal $sizes:literal $close:literal ]
        [ $( $strides:literal [ $($l:ident)+ ] $lower:literal )? ] $override:literal $name:ident
    ) => {
        instruction! {
            /// Starts a copy of the box at `tensor_coords`, which are zero, as the function without `_override_…` does, to a tensor that is
            /// at `global_address` and has these sizes, and from two dimensions on these strides, instead of those in the map.
            #[doc = concat!("`", stringify!($Size), "` is the type of the sizes, of which the low eight bits count.")]
            /// Bits 4*i* to 4*i* + 3 of `upper_strides` are bits 32 to 35 of the stride whose bits 0 to 31 are `lower_strides[i]`, in
            /// units of 16 bytes.
            @unsafe fn $name[?CacheHint: L2CacheHint](
                tensor_map: *const u8 = reg64, global_address: *mut u8 = reg64, sizes: [$Size; $n] = [reg16: $($s)+],
                $( lower_strides: [u32; $strides] = [reg32: $($l)+], upper_strides: u16 = reg16, )?
                tensor_coords: [i32; $n] = [reg32: $($c)+], src_mem: u32 = reg32,
            );
            form: "cp.async.bulk.tensor" $dim ".global.shared::cta.tile.bulk_group{.L2::cache_hint}.override::global_address" $override
                " [tensorMap, gAddrToOverride, attributeOverrideInfo, tensorCoords], [srcMem]{, cache-policy};";
            ptx: $set_up "cp.async.bulk.tensor" $dim ".global.shared::cta.tile.bulk_group" .. ".override::global_address" $override
                " [{tensor_map}, {global_address}, " $sizes ", " $( $lower ", {upper_strides}, " )? $coords "], [{src_mem}]"
                .. ";" $close;
            isa: "9.4", target: "sm_107", section: "9.7.9.25.5.2";
            gate: sm_107f;
            # Safety
            "- The conditions of the function without `_override_…` hold, with `.tile`, for the tensor at `global_address`, which is"
            "  aligned to 16 bytes and begins 128 KiB of accessible memory, with these sizes and strides. All `tensor_coords` are zero."
        }
    };
}

store_override! {
    1d TensorStoreTileMode cp_async_bulk_tensor_1d_global_shared_cta_override_global_address;
    2d TensorStoreTileMode cp_async_bulk_tensor_2d_global_shared_cta_override_global_address;
    3d TensorStoreMode cp_async_bulk_tensor_3d_global_shared_cta_override_global_address;
    4d TensorStoreMode cp_async_bulk_tensor_4d_global_shared_cta_override_global_address;
    5d TensorStoreMode cp_async_bulk_tensor_5d_global_shared_cta_override_global_address;
    rows scatter4 cp_async_bulk_tensor_2d_global_shared_cta_tile_scatter4_override_global_address;
}
store_override! {
    attributes:
    1d b16 cp_async_bulk_tensor_1d_global_shared_cta_override_global_dim;
    1d b8 cp_async_bulk_tensor_1d_global_shared_cta_override_global_dim_b8;
    2d b16 cp_async_bulk_tensor_2d_global_shared_cta_override_global_dim_stride;
    2d b8 cp_async_bulk_tensor_2d_global_shared_cta_override_global_dim_stride_b8;
    3d b16 cp_async_bulk_tensor_3d_global_shared_cta_override_global_dim_stride;
    3d b8 cp_async_bulk_tensor_3d_global_shared_cta_override_global_dim_stride_b8;
    4d b16 cp_async_bulk_tensor_4d_global_shared_cta_override_global_dim_stride;
    4d b8 cp_async_bulk_tensor_4d_global_shared_cta_override_global_dim_stride_b8;
    5d b16 cp_async_bulk_tensor_5d_global_shared_cta_override_global_dim_stride;
    5d b8 cp_async_bulk_tensor_5d_global_shared_cta_override_global_dim_stride_b8;
}
