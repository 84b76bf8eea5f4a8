//! Fields of tensor maps (`CUtensorMap`): `tensormap.replace` (PTX ISA 9.7.9.28) and `tensormap.query`.

legal! {
    TensormapSpace(AddressSpace): "`{Self}` is not a space of `tensormap.replace`: use `.global`, `.shared::cta` or `space::All` (generic)"
    { space::All, space::Global, space::SharedCta }
    /// `ord` of `tensormap.replace`.
    TensormapOrd: "`{Self}` is not an `ord` of `tensormap.replace`: use `ord::D0` to `ord::D4`"
    { ord::D0, ord::D1, ord::D2, ord::D3, ord::D4 }
    /// `new_val` of `tensormap.replace.tile.elemtype`.
    TensormapElemtype: "`{Self}` is not a `new_val` of `.elemtype`: use a type of `qualifier::elemtype`; the sub-byte types (`B4x16`, `B4x16P64`, `B6x16P32`) with the feature `sm_100f`, `sm_110f` or `sm_120f`"
    {
        elemtype::U8, elemtype::U16, elemtype::U32, elemtype::S32, elemtype::U64, elemtype::S64, elemtype::F16,
        elemtype::F32, elemtype::F32Ftz, elemtype::F64, elemtype::Bf16, elemtype::Tf32, elemtype::Tf32Ftz,
        elemtype::B4x16 @ "8.7" on "sm_100" gate sub_byte_elemtype,
        elemtype::B4x16P64 @ "8.7" on "sm_100" gate sub_byte_elemtype,
        elemtype::B6x16P32 @ "8.7" on "sm_100" gate sub_byte_elemtype,
    }
    /// `new_val` of `tensormap.replace.tile.interleave_layout`.
    TensormapInterleave: "`{Self}` is not a `new_val` of `.interleave_layout`: use a value of `qualifier::interleave_layout`"
    { interleave_layout::None, interleave_layout::B16, interleave_layout::B32 }
    /// `new_val` of `tensormap.replace.tile.swizzle_mode`.
    TensormapSwizzle: "`{Self}` is not a `new_val` of `.swizzle_mode`: use a value of `qualifier::swizzle_mode`; `B96` with the feature `sm_103a` or `sm_107a`"
    {
        swizzle_mode::None, swizzle_mode::B32, swizzle_mode::B64, swizzle_mode::B128,
        swizzle_mode::B96 @ "8.8" on "sm_103" gate swizzle_b96,
    }
    /// `new_val` of `tensormap.replace.tile.swizzle_atomicity`.
    TensormapSwizzleAtomicity: "`{Self}` is not a `new_val` of `.swizzle_atomicity`: use a value of `qualifier::swizzle_atomicity`"
    { swizzle_atomicity::B16, swizzle_atomicity::B32, swizzle_atomicity::B32FlipB8, swizzle_atomicity::B64 }
    /// `new_val` of `tensormap.replace.tile.fill_mode`.
    TensormapFill: "`{Self}` is not a `new_val` of `.fill_mode`: use `fill_mode::Zero` or `fill_mode::OobNan`"
    { fill_mode::Zero, fill_mode::OobNan }
}

/// `tensormap.replace.tile.field{.ss}.b1024.type [addr], {ord,} new_val;`
///
/// The rows of fields with a value in a register, with one such value per dimension, and with an immediate.
macro_rules! replace {
    ($( $doc:literal $kind:ident $field:literal $ty:literal $New:tt $name:ident )*) => { $(
        replace!(@$kind $doc $field $ty $New $name);
    )* };
    (@value $doc:literal $field:literal $ty:literal ($New:ty = $new_class:ident) $name:ident) => {
        replace! { @row $doc
            @unsafe fn $name[Space: TensormapSpace](addr: Space::Address = address, new_val: $New = $new_class);
            form: "tensormap.replace.tile." $field "{.ss}.b1024." $ty " [addr], new_val;";
            ptx: "tensormap.replace.tile." $field .. ".b1024." $ty " [{addr}], {new_val};";
            isa: "8.3",
        }
    };
    (@dimension $doc:literal $field:literal $ty:literal ($New:ty = $new_class:ident) $name:ident) => {
        replace! { @row $doc
            @unsafe fn $name[
                Space: TensormapSpace, Ord: TensormapOrd after ".b1024." $ty " [{addr}], ",
            ](addr: Space::Address = address, new_val: $New = $new_class);
            form: "tensormap.replace.tile." $field "{.ss}.b1024." $ty " [addr], ord, new_val;";
            ptx: "tensormap.replace.tile." $field .. ", {new_val};";
            isa: "8.3",
        }
    };
    (@immediate $doc:literal $field:literal $ty:literal ($isa:literal $gate:ident $New:ident)
        $name:ident
    ) => {
        instruction! {
            #[doc = $doc]
            @unsafe fn $name[
                Space: TensormapSpace, NewVal: $New after ".b1024." $ty " [{addr}], ",
            ](addr: Space::Address = address);
            form: "tensormap.replace.tile." $field "{.ss}.b1024." $ty " [addr], new_val;";
            ptx: "tensormap.replace.tile." $field .. ";";
            isa: $isa, target: "sm_90a", section: "9.7.9.28";
            gate: $gate;
            # Safety
            "- `addr` is the address, in the given space, of a tensor map in global memory or in shared memory of the executing"
            "  CTA. Nothing else accesses the map meanwhile."
        }
    };
    (@row $doc:literal $($row:tt)*) => {
        instruction! {
            #[doc = $doc]
            $($row)* target: "sm_90a", section: "9.7.9.28";
            gate: tensormap_replace;
            # Safety
            "- `addr` is the address, in the given space, of a tensor map in global memory or in shared memory of the executing"
            "  CTA. Nothing else accesses the map meanwhile."
            "- When a copy uses the tensor map, the new value is legal with the other fields of the map."
        }
    };
}

replace! {
    "Sets the global address in the tensor map at `addr`." value "global_address" "b64" (*const u8 = reg64)
        tensormap_replace_tile_global_address
    "Sets the rank in the tensor map at `addr`; `new_val` is one less than the rank." value "rank" "b32" (u32 = reg32)
        tensormap_replace_tile_rank
    "Sets the box size of dimension `Ord` in the tensor map at `addr`." dimension "box_dim" "b32" (u32 = reg32)
        tensormap_replace_tile_box_dim
    "Sets the tensor size of dimension `Ord` in the tensor map at `addr`." dimension "global_dim" "b32" (u32 = reg32)
        tensormap_replace_tile_global_dim
    "Sets the stride of dimension `Ord` + 1, in bytes, in the tensor map at `addr`. Dimension 0 is contiguous."
        dimension "global_stride" "b64" (u64 = reg64) tensormap_replace_tile_global_stride
    "Sets the traversal stride of dimension `Ord` in the tensor map at `addr`." dimension "element_stride" "b32" (u32 = reg32)
        tensormap_replace_tile_element_stride
    "Sets the element type in the tensor map at `addr`." immediate "elemtype" "b32"
        ("8.3" tensormap_replace TensormapElemtype) tensormap_replace_tile_elemtype
    "Sets the interleave layout in the tensor map at `addr`." immediate "interleave_layout" "b32"
        ("8.3" tensormap_replace TensormapInterleave) tensormap_replace_tile_interleave_layout
    "Sets the swizzle mode in the tensor map at `addr`." immediate "swizzle_mode" "b32"
        ("8.3" tensormap_replace TensormapSwizzle) tensormap_replace_tile_swizzle_mode
    "Sets the swizzle atomicity in the tensor map at `addr`." immediate "swizzle_atomicity" "b32"
        ("8.6" tensormap_swizzle_atomicity TensormapSwizzleAtomicity) tensormap_replace_tile_swizzle_atomicity
    "Sets the fill mode in the tensor map at `addr`: the value of elements outside the tensor." immediate "fill_mode" "b32"
        ("8.3" tensormap_replace TensormapFill)
        tensormap_replace_tile_fill_mode
}

legal! {
    TensormapQuerySpace: "`{Self}` is not a space of `tensormap.query`: use `.global` or `space::All` (generic)"
    { space::All, space::Global }
}

instruction! {
    /// Returns what the tensor map at `addr` says of its allocation: whether its class is large. ptxas 13.5 takes the instruction; the
    /// PTX ISA up to 9.4 has no text on it.
    @unsafe fn tensormap_query_alloc_class_large[Space: TensormapQuerySpace](
        addr: *const u8 = reg64,
    ) -> bool = (d: u32 = reg32) d != 0;
    form: "tensormap.query.alloc_class_large{.space}.b1024 p, [addr];";
    ptx: "{{ .reg .pred p; tensormap.query.alloc_class_large" .. ".b1024 p, [{addr}]; selp.b32 {d}, 1, 0, p; }}";
    isa: "9.5", target: "sm_90a", section: "none of PTX ISA 9.4";
    gate: tensormap_query;
    # Safety
    "- `addr` is the address, in the given space, of a tensor map in global memory. Nothing writes the map meanwhile."
}
