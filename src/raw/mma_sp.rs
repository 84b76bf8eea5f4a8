//! `mma.sp`: `mma` of a matrix A of which at most half of each group of elements is not zero (`cute::SM80_SPARSE_…`; PTX ISA
//! 9.7.14.6.3).
//!
//! `a` has the elements that may be other than zero, `metadata` their places, and `F` says which lanes' metadata counts.
//!
//! Without rows are `.block_scale` without a `.scale_vec_size`, which is one of those with it; and the selectors 2 and 3 of `.m16n8k32`
//! of `.f16`, which ptxas 13.5 accepts, and whose behavior the PTX ISA leaves undefined (9.7.14.6.1).

legal! {
    /// `.spvariant`: whether the indices of a group of elements increase.
    MmaSparse: "`{Self}` is not a variant of `mma.sp`: use `sparse::Ordered` or `sparse::Any`"
    { sparse::Any, sparse::Ordered @ "8.5" }
    MmaOrdered: "`{Self}` is not a variant of `mma.sp` with these types: use `sparse::Ordered`"
    { sparse::Ordered }
    /// `f`, of shapes of which one lane of four has the metadata.
    MmaSelector4: "`{Self}` is not a sparsity selector: use `selector::S0` to `S3`"
    { selector::S0, selector::S1, selector::S2, selector::S3 }
    /// `f`, of shapes of which two lanes of four have the metadata.
    MmaSelector2: "`{Self}` is not a sparsity selector of this shape: use `selector::S0` or `selector::S1`"
    { selector::S0, selector::S1 }
    /// `f`, of shapes of which all lanes have metadata.
    MmaSelector1: "`{Self}` is not a sparsity selector of this shape: use `selector::S0`"
    { selector::S0 }
}

mma! { 2 2 2 2 sparse MmaSelector4 mma_sp_m16n8k16_f16_f16
"a product 16x8x16 of `.f16` with sums of `.f16`, of a sparse A" (u32, reg32) (u32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
"mma{.spvariant}.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 2 2 4 sparse MmaSelector4 mma_sp_m16n8k16_f32_f16
"a product 16x8x16 of `.f16` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
"mma{.spvariant}.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 2 2 4 sparse MmaSelector4 mma_sp_m16n8k16_f32_bf16
"a product 16x8x16 of `.bf16` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
"mma{.spvariant}.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 2 4 4 2 sparse MmaSelector2 mma_sp_m16n8k32_f16_f16
"a product 16x8x32 of `.f16` with sums of `.f16`, of a sparse A" (u32, reg32) (u32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 "
"mma{.spvariant}.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector2 mma_sp_m16n8k32_f32_f16
"a product 16x8x32 of `.f16` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
"mma{.spvariant}.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector2 mma_sp_m16n8k32_f32_bf16
"a product 16x8x32 of `.bf16` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 "
"mma{.spvariant}.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 2 2 4 sparse MmaSelector4 mma_sp_m16n8k8_f32_tf32
"a product 16x8x8 of `.tf32` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
"mma{.spvariant}.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector2 mma_sp_m16n8k16_f32_tf32
"a product 16x8x16 of `.tf32` with sums of `.f32`, of a sparse A" (f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse]
"mma" ".sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 "
"mma{.spvariant}.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 d, a, b, c, e, f;" { isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector1 mma_sp_m16n8k64_f32_f8
"a product 16x8x64 of 8-bit floats with sums of `.f32`, of a sparse A"
(f32, reg32) (f32, reg32) (u32, reg32) [Sparse: MmaSparse, A: MmaF8 after ".sync.aligned.m16n8k64.row.col.f32", B: MmaF8]
"mma" ".f32 "
"mma{.spvariant}.sync.aligned.m16n8k64.row.col.f32{.atype}{.btype}.f32 d, a, b, c, e, f;" { isa: "8.4", target: "sm_89" } }
mma! { 4 2 2 4 sparse MmaSelector2 mma_sp_m16n8k32_s32_i8
"a product 16x8x32 of 8-bit integers with sums of `.s32`, of a sparse A"
(i32, reg32) (i32, reg32) (u32, reg32)
[Sparse: MmaSparse, Sat: MmaSat after ".sync.aligned.m16n8k32.row.col", A: MmaI8 after ".s32", B: MmaI8]
"mma" ".s32 "
"mma{.spvariant}.sync.aligned.m16n8k32.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c, e, f;"
{ isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector1 mma_sp_m16n8k64_s32_i8
"a product 16x8x64 of 8-bit integers with sums of `.s32`, of a sparse A"
(i32, reg32) (i32, reg32) (u32, reg32)
[Sparse: MmaSparse, Sat: MmaSat after ".sync.aligned.m16n8k64.row.col", A: MmaI8 after ".s32", B: MmaI8]
"mma" ".s32 "
"mma{.spvariant}.sync.aligned.m16n8k64.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c, e, f;"
{ isa: "7.1", target: "sm_80" } }
mma! { 4 2 2 4 sparse MmaSelector2 mma_sp_m16n8k64_s32_i4
"a product 16x8x64 of 4-bit integers with sums of `.s32`, of a sparse A"
(i32, reg32) (i32, reg32) (u32, reg32)
[Sparse: MmaSparse, Sat: MmaSat after ".sync.aligned.m16n8k64.row.col", A: MmaI4 after ".s32", B: MmaI4]
"mma" ".s32 "
"mma{.spvariant}.sync.aligned.m16n8k64.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c, e, f;"
{ isa: "7.1", target: "sm_80" } }
mma! { 4 4 4 4 sparse MmaSelector1 mma_sp_m16n8k128_s32_i4
"a product 16x8x128 of 4-bit integers with sums of `.s32`, of a sparse A"
(i32, reg32) (i32, reg32) (u32, reg32)
[Sparse: MmaSparse, Sat: MmaSat after ".sync.aligned.m16n8k128.row.col", A: MmaI4 after ".s32", B: MmaI4]
"mma" ".s32 "
"mma{.spvariant}.sync.aligned.m16n8k128.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c, e, f;"
{ isa: "7.1", target: "sm_80" } }
mma! { 2 4 4 2 sparse MmaSelector1 mma_sp_m16n8k64_f16_f8
"a product 16x8x64 of 8-bit floats with sums of `.f16`, of a sparse A"
(u32, reg32) (u32, reg32) (u32, reg32) [Sparse: MmaOrdered, A: MmaF8 after ".sync.aligned.m16n8k64.row.col.f16", B: MmaF8]
"mma" ".f16 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16{.atype}{.btype}.f16 d, a, b, c, e, f;"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 2 4 4 2 sparse MmaSelector1 mma_sp_f8f6f4_m16n8k64_f16
"a product 16x8x64 of floats of 8, 6 or 4 bits in bytes with sums of `.f16`, of a sparse A"
(u32, reg32) (u32, reg32) (u32, reg32)
[Sparse: MmaOrdered, A: MmaF8f6f4 after ".sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16", B: MmaF8f6f4]
"mma" ".f16 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16{.atype}{.btype}.f16 d, a, b, c, e, f;"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 4 4 4 4 sparse MmaSelector1 mma_sp_f8f6f4_m16n8k64_f32
"a product 16x8x64 of floats of 8, 6 or 4 bits in bytes with sums of `.f32`, of a sparse A"
(f32, reg32) (f32, reg32) (u32, reg32)
[Sparse: MmaOrdered, A: MmaF8f6f4 after ".sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32", B: MmaF8f6f4]
"mma" ".f32 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32{.atype}{.btype}.f32 d, a, b, c, e, f;"
{ isa: "8.6", target: "sm_100", gate: mma_kinds } }
// Block scale.
mma! { 4 4 4 4 sparse MmaSelector1 scaled "- `byte_a` and `byte_b` are 0 to 3." mma_sp_mxf8f6f4_m16n8k64_f32
"a product 16x8x64 of floats of 8, 6 or 4 bits in bytes, of which rows and columns have one factor each, with sums of `.f32`, of a \
sparse A"
(f32, reg32) (f32, reg32) (u32, reg32)
[Sparse: MmaOrdered, A: MmaMxf8f6f4 after ".sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32", B: MmaMxf8f6f4]
"mma" ".f32.ue8m0 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32{.atype}{.btype}.f32.ue8m0 \
d, a, b, c, e, f, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 4 4 4 4 sparse MmaSelector1 scaled "- `byte_a` and `byte_b` are 0 or 2." mma_sp_mxf4_m16n8k128_f32
"a product 16x8x128 of `.e2m1`, of which rows and columns have two factors each, with sums of `.f32`, of a sparse A"
(f32, reg32) (f32, reg32) (u32, reg32)
[Sparse: MmaOrdered]
"mma" ".sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 \
d, a, b, c, e, f, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_sp_mxf4 } }
mma! { 4 4 4 4 sparse MmaSelector1 scaled "- `byte_a` and `byte_b` are 0 or 2." mma_sp_mxf4nvf4_m16n8k128_f32_x2
"a product 16x8x128 of `.e2m1`, of which rows and columns have two factors each, with sums of `.f32`, of a sparse A"
(f32, reg32) (f32, reg32) (u32, reg32)
[Sparse: MmaOrdered]
"mma" ".sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 \
d, a, b, c, e, f, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_sp_mxf4 } }
mma! { 4 4 4 4 sparse MmaSelector1 scaled "- `byte_a` and `byte_b` are 0." mma_sp_mxf4nvf4_m16n8k128_f32_x4
"a product 16x8x128 of `.e2m1`, of which rows and columns have four factors each, with sums of `.f32`, of a sparse A"
(f32, reg32) (f32, reg32) (u32, reg32)
[Sparse: MmaOrdered, Scale: MmaScaleType after ".sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32"]
"mma" " "
"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32{.stype} \
d, a, b, c, e, f, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_sp_mxf4 } }
