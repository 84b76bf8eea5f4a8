//! `mma`: a warp multiplies matrices that its registers hold, and adds a third one (`cute::SM80_16x8x16_F32F16F16F32_TN` …;
//! PTX ISA 9.7.14.5.14).
//!
//! A name has the shape, the type of the sums and that of the elements. An element of `a`, `b` and `c` is where the ISA's
//! figures show it; two sums of `.f16` are in one register, the first one in the low half.
//!
//! A product with a block scale (PTX ISA 9.7.14.3) multiplies each chunk of a row of A, and of a column of B, by a factor.
//! `scale_a` and `scale_b` have four factors of 8 bits in each lane. `thread_a` selects two lanes of each four, of which the lower one
//! has the factors of the row `lane / 4` and the upper one those of the row 8 below, and `thread_b` one, which has the factors of the
//! column `lane / 4`. `byte_a` and `byte_b` select the first of the bytes that count.
//!
//! Without rows are `.block_scale` without a `.scale_vec_size`, which is one of those with it; and what ptxas 13.5 accepts beyond the
//! syntax of the PTX ISA: `.kind::f8f6f4` of `.m16n8k16`.

legal! {
    /// The order of the elements of A or B in `mma.m8n8k4`.
    MmaLayout: "`{Self}` is not a layout of `mma`: use `layout::Row` or `layout::Col`"
    { layout::Row, layout::Col }
    /// `.satfinite`, or nothing.
    MmaSat: "`{Self}` does not say whether sums of integers are clamped: use `satfinite::Satfinite` or `satfinite::None`"
    { satfinite::Satfinite, satfinite::None }
    /// How each sum of `.f64` is rounded. The syntax of 9.7.14.5.14 lacks it, its section on precision has it.
    MmaRounding: "`{Self}` is not a rounding of `.f64`: use `rounding::Rn`, `rounding::Rz`, `rounding::Rm` or `rounding::Rp`"
    { rounding::Rn, rounding::Rz, rounding::Rm, rounding::Rp }
    MmaF8: "`{Self}` is not a type of 8-bit floats of `mma`: use `ty::E4m3` or `ty::E5m2`"
    { ty::E4m3, ty::E5m2 }
    MmaI8: "`{Self}` is not a type of 8-bit integers of `mma`: use `element::S8` or `element::U8`"
    { element::S8, element::U8 }
    MmaI4: "`{Self}` is not a type of 4-bit integers of `mma`: use `element::S4` or `element::U4`"
    { element::S4, element::U4 }
    /// `.bitOp`, how two bits are combined before they are counted.
    MmaBitOp: "`{Self}` is not an operation of `mma` on bits: use `op::Xor` or `op::And`"
    { op::Xor, op::And @ "7.1" on "sm_80" }
    /// A type of `.kind::f8f6f4`.
    MmaF8f6f4: "`{Self}` is not a type of `.kind::f8f6f4`: use `ty::E4m3`, `ty::E5m2`, `element::E3m2`, `E2m3` or `E2m1`"
    {
        ty::E4m3, ty::E5m2, element::E3m2 @ "8.7" gate mma_f6f4, element::E2m3 @ "8.7" gate mma_f6f4,
        element::E2m1 @ "8.7" gate mma_f6f4,
    }
    /// A type of `.kind::mxf8f6f4`.
    MmaMxf8f6f4: "`{Self}` is not a type of `.kind::mxf8f6f4`: use `ty::E4m3`, `ty::E5m2`, `element::E3m2`, `E2m3` or `E2m1`"
    { ty::E4m3, ty::E5m2, element::E3m2, element::E2m3, element::E2m1 }
    /// `.stype` of `.kind::mxf4nvf4` with four scale factors.
    MmaScaleType: "`{Self}` is not a type of scale factors: use `element::Ue8m0` or `element::Ue4m3`"
    { element::Ue8m0 @ "9.1", element::Ue4m3 }
}

/// The registers of D, A, B and C, by their numbers, with their names and their text.
macro_rules! mma {
    (2 1 1 2 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}}}, {{{a0}}}, {{{b0}}}, {{{c0}, {c1}}}") [d0 d1] 2 [a0] 1 [b0] 1 [c0 c1] 2 ] $($row)*
    } };
    (2 2 1 2 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}}}, {{{a0}, {a1}}}, {{{b0}}}, {{{c0}, {c1}}}") [d0 d1] 2 [a0 a1] 2 [b0] 1 [c0 c1] 2 ] $($row)*
    } };
    (4 2 1 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}}}, {{{a0}, {a1}}}, {{{b0}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3] 4 [a0 a1] 2 [b0] 1 [c0 c1 c2 c3] 4 ] $($row)*
    } };
    (4 4 2 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}}}, {{{a0}, {a1}, {a2}, {a3}}}, {{{b0}, {b1}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3] 4 [a0 a1 a2 a3] 4 [b0 b1] 2 [c0 c1 c2 c3] 4 ] $($row)*
    } };
    (2 4 2 2 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}}}, {{{a0}, {a1}, {a2}, {a3}}}, {{{b0}, {b1}}}, {{{c0}, {c1}}}")
        [d0 d1] 2 [a0 a1 a2 a3] 4 [b0 b1] 2 [c0 c1] 2 ] $($row)*
    } };
    (4 8 4 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}}}, {{{a0}, {a1}, {a2}, {a3}, {a4}, {a5}, {a6}, {a7}}}, {{{b0}, {b1}, {b2}, {b3}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3] 4 [a0 a1 a2 a3 a4 a5 a6 a7] 8 [b0 b1 b2 b3] 4 [c0 c1 c2 c3] 4 ] $($row)*
    } };
    (4 2 2 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}}}, {{{a0}, {a1}}}, {{{b0}, {b1}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3] 4 [a0 a1] 2 [b0 b1] 2 [c0 c1 c2 c3] 4 ] $($row)*
    } };
    (8 2 2 8 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}, {{{a0}, {a1}}}, {{{b0}, {b1}}}, {{{c0}, {c1}, {c2}, {c3}, {c4}, {c5}, {c6}, {c7}}}")
        [d0 d1 d2 d3 d4 d5 d6 d7] 8 [a0 a1] 2 [b0 b1] 2 [c0 c1 c2 c3 c4 c5 c6 c7] 8 ] $($row)*
    } };
    (8 2 2 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}, {d4}, {d5}, {d6}, {d7}}}, {{{a0}, {a1}}}, {{{b0}, {b1}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3 d4 d5 d6 d7] 8 [a0 a1] 2 [b0 b1] 2 [c0 c1 c2 c3] 4 ] $($row)*
    } };
    (2 2 2 2 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}}}, {{{a0}, {a1}}}, {{{b0}, {b1}}}, {{{c0}, {c1}}}") [d0 d1] 2 [a0 a1] 2 [b0 b1] 2 [c0 c1] 2 ] $($row)*
    } };
    (2 4 4 2 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}}}, {{{a0}, {a1}, {a2}, {a3}}}, {{{b0}, {b1}, {b2}, {b3}}}, {{{c0}, {c1}}}")
        [d0 d1] 2 [a0 a1 a2 a3] 4 [b0 b1 b2 b3] 4 [c0 c1] 2 ] $($row)*
    } };
    (4 4 4 4 $($row:tt)*) => { mma_row! {
        [ ("{{{d0}, {d1}, {d2}, {d3}}}, {{{a0}, {a1}, {a2}, {a3}}}, {{{b0}, {b1}, {b2}, {b3}}}, {{{c0}, {c1}, {c2}, {c3}}}")
        [d0 d1 d2 d3] 4 [a0 a1 a2 a3] 4 [b0 b1 b2 b3] 4 [c0 c1 c2 c3] 4 ] $($row)*
    } };
}

macro_rules! mma_row {
    ([ $($layout:tt)* ] sparse $Selector:ident scaled $bytes:literal $($row:tt)*) => {
        mma_row! { @scaled @sparse $Selector $bytes [ $($layout)* ] $($row)* }
    };
    ([ $($layout:tt)* ] sparse $Selector:ident $($row:tt)*) => { mma_row! { @sparse $Selector [] ";" [] [ $($layout)* ] $($row)* } };
    ([ $($layout:tt)* ] scaled $bytes:literal $($row:tt)*) => { mma_row! { @scaled @dense _ $bytes [ $($layout)* ] $($row)* } };
    ([ $($layout:tt)* ] $($row:tt)*) => { mma_row! { @dense _ [] ";" [] [ $($layout)* ] $($row)* } };
    // With a block scale: words of four scale factors, of which the selectors choose.
    (@scaled @$kind:ident $Selector:tt $bytes:literal $($row:tt)*) => { mma_row! { @$kind $Selector
        [
            , scale_a: u32 = reg32, byte_a: u16 = reg16, thread_a: u16 = reg16,
            scale_b: u32 = reg32, byte_b: u16 = reg16, thread_b: u16 = reg16
        ]
        ", {scale_a}, {{{byte_a}, {thread_a}}}, {scale_b}, {{{byte_b}, {thread_b}}};"
        [
            $bytes
            "- `thread_a` is 0 or 1, and `thread_b` is 0 to 3."
            "- `byte_a`, `thread_a`, `byte_b` and `thread_b` are the same in all threads."
        ]
        $($row)*
    } };
    // Sparse, with the metadata: the selector comes last of both.
    (@sparse $Selector:ident [ $($scales:tt)* ] $end:literal [ $($safety:literal)* ]
        [ ($text:literal) $($registers:tt)* ]
        $name:ident $does:literal $sum:tt $start:tt $in:tt [ $($q:tt)* ] $head:literal $tail:literal $form:literal $need:tt
    ) => { mma_row! { @instruction
        [ , metadata: u32 = reg32 $($scales)* ] [] $end
        [ "- Each four bits of the metadata of the lanes that `F` selects are indices that PTX ISA 9.7.14.6.1 allows." $($safety)* ]
        $($registers)* $name $does $sum $start $in
        [ $($q)*, F: $Selector after $tail $text ", {metadata}, " ] $head $form $need "9.7.14.6.3"
    } };
    (@dense _ $scales:tt $end:literal $safety:tt
        [ ($text:literal) $($registers:tt)* ]
        $name:ident $does:literal $sum:tt $start:tt $in:tt $q:tt $head:literal $tail:literal $form:literal $need:tt
    ) => { mma_row! { @instruction
        $scales [ $tail $text ] $end $safety
        $($registers)* $name $does $sum $start $in $q $head $form $need "9.7.14.5.14"
    } };
    (@instruction
        [ $($more:tt)* ] [ $($text:literal)* ] $end:literal [ $($safety:literal)* ]
        [ $($d:ident)+ ] $d_count:literal [ $($a:ident)+ ] $a_count:literal [ $($b:ident)+ ] $b_count:literal
        [ $($c:ident)+ ] $c_count:literal $name:ident $does:literal ($D:ty, $d_class:ident) ($C:ty, $c_class:ident)
        ($In:ty, $in_class:ident) [ $($q:tt)* ] $head:literal $form:literal
        { isa: $isa:literal, target: $target:literal $(, gate: $gate:ident)? } $section:literal
    ) => {
        instruction! {
            #[doc = concat!("Returns this lane's part of `A * B + C`, ", $does, ".")]
            @unsafe fn $name[$($q)*](
                a: [$In; $a_count] = [$in_class: $($a)+],
                b: [$In; $b_count] = [$in_class: $($b)+],
                c: [$C; $c_count] = [$c_class: $($c)+]
                $($more)*
            ) -> [$D; $d_count] = ($( $d: $D = $d_class ),+) [$( $d ),+];
            form: $form;
            ptx: $head .. $($text)* $end;
            isa: $isa, target: $target, section: $section;
            $( gate: $gate; )?
            convergent: convergent;
            # Safety
            "- All 32 threads of the warp execute this same instruction together, and none has exited."
            $($safety)*
        }
    };
}

// `.f16`.
mma! { 4 2 2 4 mma_m8n8k4_f16_f16
"of four products 8x8x4 of `.f16`, each of eight lanes, from sums of `.f16` to sums of `.f16`"
(u32, reg32) (u32, reg32) (u32, reg32) [A: MmaLayout, B: MmaLayout]
"mma.sync.aligned.m8n8k4" ".f16.f16.f16.f16 "
"mma.sync.aligned.m8n8k4{.alayout}{.blayout}.f16.f16.f16.f16 d, a, b, c;" { isa: "6.4", target: "sm_70" } }
mma! { 8 2 2 4 mma_m8n8k4_f32_f16_f16
"of four products 8x8x4 of `.f16`, each of eight lanes, from sums of `.f16` to sums of `.f32`"
(f32, reg32) (u32, reg32) (u32, reg32) [A: MmaLayout, B: MmaLayout]
"mma.sync.aligned.m8n8k4" ".f32.f16.f16.f16 "
"mma.sync.aligned.m8n8k4{.alayout}{.blayout}.f32.f16.f16.f16 d, a, b, c;" { isa: "6.4", target: "sm_70" } }
mma! { 8 2 2 8 mma_m8n8k4_f32_f16
"of four products 8x8x4 of `.f16`, each of eight lanes, from sums of `.f32` to sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) [A: MmaLayout, B: MmaLayout]
"mma.sync.aligned.m8n8k4" ".f32.f16.f16.f32 "
"mma.sync.aligned.m8n8k4{.alayout}{.blayout}.f32.f16.f16.f32 d, a, b, c;" { isa: "6.4", target: "sm_70" } }
mma! { 2 2 1 2 mma_m16n8k8_f16_f16
"a product 16x8x8 of `.f16` with sums of `.f16`" (u32, reg32) (u32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16" " "
"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 d, a, b, c;" { isa: "6.5", target: "sm_75" } }
mma! { 4 2 1 4 mma_m16n8k8_f32_f16
"a product 16x8x8 of `.f16` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32" " "
"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 d, a, b, c;" { isa: "6.5", target: "sm_75" } }
mma! { 2 4 2 2 mma_m16n8k16_f16_f16
"a product 16x8x16 of `.f16` with sums of `.f16`" (u32, reg32) (u32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16" " "
"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k16_f32_f16
"a product 16x8x16 of `.f16` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32" " "
"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
// `.bf16` and `.tf32`.
mma! { 4 2 1 4 mma_m16n8k8_f32_bf16
"a product 16x8x8 of `.bf16` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32" " "
"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k16_f32_bf16
"a product 16x8x16 of `.bf16` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" " "
"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 2 1 4 mma_m16n8k4_f32_tf32
"a product 16x8x4 of `.tf32` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32" " "
"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k8_f32_tf32
"a product 16x8x8 of `.tf32` with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" " "
"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
// `.f64`.
mma! { 2 1 1 2 mma_m8n8k4_f64
"a product 8x8x4 of `.f64` with sums of `.f64`" (f64, reg64) (f64, reg64) (f64, reg64) [Rounding: MmaRounding]
"mma.sync.aligned.m8n8k4.row.col" ".f64.f64.f64.f64 "
"mma.sync.aligned.m8n8k4.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 2 1 4 mma_m16n8k4_f64
"a product 16x8x4 of `.f64` with sums of `.f64`" (f64, reg64) (f64, reg64) (f64, reg64) [Rounding: MmaRounding]
"mma.sync.aligned.m16n8k4.row.col" ".f64.f64.f64.f64 "
"mma.sync.aligned.m16n8k4.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c;" { isa: "7.8", target: "sm_90" } }
mma! { 4 4 2 4 mma_m16n8k8_f64
"a product 16x8x8 of `.f64` with sums of `.f64`" (f64, reg64) (f64, reg64) (f64, reg64) [Rounding: MmaRounding]
"mma.sync.aligned.m16n8k8.row.col" ".f64.f64.f64.f64 "
"mma.sync.aligned.m16n8k8.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c;" { isa: "7.8", target: "sm_90" } }
mma! { 4 8 4 4 mma_m16n8k16_f64
"a product 16x8x16 of `.f64` with sums of `.f64`" (f64, reg64) (f64, reg64) (f64, reg64) [Rounding: MmaRounding]
"mma.sync.aligned.m16n8k16.row.col" ".f64.f64.f64.f64 "
"mma.sync.aligned.m16n8k16.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c;" { isa: "7.8", target: "sm_90" } }
// 8-bit floats.
mma! { 2 2 1 2 mma_m16n8k16_f16_f8
"a product 16x8x16 of 8-bit floats with sums of `.f16`" (u32, reg32) (u32, reg32) (u32, reg32) [A: MmaF8, B: MmaF8]
"mma.sync.aligned.m16n8k16.row.col.f16" ".f16 "
"mma.sync.aligned.m16n8k16.row.col.f16{.atype}{.btype}.f16 d, a, b, c;" { isa: "8.7", target: "sm_89" } }
mma! { 4 2 1 4 mma_m16n8k16_f32_f8
"a product 16x8x16 of 8-bit floats with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) [A: MmaF8, B: MmaF8]
"mma.sync.aligned.m16n8k16.row.col.f32" ".f32 "
"mma.sync.aligned.m16n8k16.row.col.f32{.atype}{.btype}.f32 d, a, b, c;" { isa: "8.7", target: "sm_89" } }
mma! { 2 4 2 2 mma_m16n8k32_f16_f8
"a product 16x8x32 of 8-bit floats with sums of `.f16`" (u32, reg32) (u32, reg32) (u32, reg32) [A: MmaF8, B: MmaF8]
"mma.sync.aligned.m16n8k32.row.col.f16" ".f16 "
"mma.sync.aligned.m16n8k32.row.col.f16{.atype}{.btype}.f16 d, a, b, c;" { isa: "8.7", target: "sm_89" } }
mma! { 4 4 2 4 mma_m16n8k32_f32_f8
"a product 16x8x32 of 8-bit floats with sums of `.f32`" (f32, reg32) (f32, reg32) (u32, reg32) [A: MmaF8, B: MmaF8]
"mma.sync.aligned.m16n8k32.row.col.f32" ".f32 "
"mma.sync.aligned.m16n8k32.row.col.f32{.atype}{.btype}.f32 d, a, b, c;" { isa: "8.4", target: "sm_89" } }
// Integers.
mma! { 2 1 1 2 mma_m8n8k16_s32_i8
"a product 8x8x16 of 8-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI8 after ".s32", B: MmaI8]
"mma.sync.aligned.m8n8k16.row.col" ".s32 "
"mma.sync.aligned.m8n8k16.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "6.5", target: "sm_75" } }
mma! { 4 2 1 4 mma_m16n8k16_s32_i8
"a product 16x8x16 of 8-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI8 after ".s32", B: MmaI8]
"mma.sync.aligned.m16n8k16.row.col" ".s32 "
"mma.sync.aligned.m16n8k16.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k32_s32_i8
"a product 16x8x32 of 8-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI8 after ".s32", B: MmaI8]
"mma.sync.aligned.m16n8k32.row.col" ".s32 "
"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 2 1 1 2 mma_m8n8k32_s32_i4
"a product 8x8x32 of 4-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI4 after ".s32", B: MmaI4]
"mma.sync.aligned.m8n8k32.row.col" ".s32 "
"mma.sync.aligned.m8n8k32.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "6.5", target: "sm_75" } }
mma! { 4 2 1 4 mma_m16n8k32_s32_i4
"a product 16x8x32 of 4-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI4 after ".s32", B: MmaI4]
"mma.sync.aligned.m16n8k32.row.col" ".s32 "
"mma.sync.aligned.m16n8k32.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k64_s32_i4
"a product 16x8x64 of 4-bit integers with sums of `.s32`"
(i32, reg32) (i32, reg32) (u32, reg32) [Sat: MmaSat, A: MmaI4 after ".s32", B: MmaI4]
"mma.sync.aligned.m16n8k64.row.col" ".s32 "
"mma.sync.aligned.m16n8k64.row.col{.satfinite}.s32{.atype}{.btype}.s32 d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 2 1 1 2 mma_m8n8k128_s32_b1
"a product 8x8x128 of bits, whose terms are the numbers of bits that are set in the combined words"
(i32, reg32) (i32, reg32) (u32, reg32) [Op: MmaBitOp]
"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32" ".popc "
"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32{.bitOp}.popc d, a, b, c;" { isa: "7.0", target: "sm_75" } }
mma! { 4 2 1 4 mma_m16n8k128_s32_b1
"a product 16x8x128 of bits, whose terms are the numbers of bits that are set in the combined words"
(i32, reg32) (i32, reg32) (u32, reg32) [Op: MmaBitOp]
"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32" ".popc "
"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32{.bitOp}.popc d, a, b, c;" { isa: "7.0", target: "sm_80" } }
mma! { 4 4 2 4 mma_m16n8k256_s32_b1
"a product 16x8x256 of bits, whose terms are the numbers of bits that are set in the combined words"
(i32, reg32) (i32, reg32) (u32, reg32) [Op: MmaBitOp]
"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32" ".popc "
"mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32{.bitOp}.popc d, a, b, c;" { isa: "7.0", target: "sm_80" } }
// `.kind::f8f6f4`, of which an element has a byte.
mma! { 2 4 2 2 mma_f8f6f4_m16n8k32_f16
"a product 16x8x32 of floats of 8, 6 or 4 bits in bytes with sums of `.f16`"
(u32, reg32) (u32, reg32) (u32, reg32) [A: MmaF8f6f4, B: MmaF8f6f4]
"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16" ".f16 "
"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16{.atype}{.btype}.f16 d, a, b, c;"
{ isa: "8.7", target: "sm_100", gate: mma_kinds } }
mma! { 4 4 2 4 mma_f8f6f4_m16n8k32_f32
"a product 16x8x32 of floats of 8, 6 or 4 bits in bytes with sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) [A: MmaF8f6f4, B: MmaF8f6f4]
"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32" ".f32 "
"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32{.atype}{.btype}.f32 d, a, b, c;"
{ isa: "8.6", target: "sm_100", gate: mma_kinds } }
// Block scale.
mma! { 4 4 2 4 scaled "- `byte_a` and `byte_b` are 0 to 3." mma_mxf8f6f4_m16n8k32_f32
"a product 16x8x32 of floats of 8, 6 or 4 bits in bytes, of which rows and columns have one factor each, with sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) [A: MmaMxf8f6f4, B: MmaMxf8f6f4]
"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32" ".f32.ue8m0 "
"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32{.atype}{.btype}.f32.ue8m0 \
d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 4 4 2 4 scaled "- `byte_a` and `byte_b` are 0 or 2." mma_mxf4_m16n8k64_f32
"a product 16x8x64 of `.e2m1`, of which rows and columns have two factors each, with sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0" " "
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 \
d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 4 4 2 4 scaled "- `byte_a` and `byte_b` are 0 or 2." mma_mxf4nvf4_m16n8k64_f32_x2
"a product 16x8x64 of `.e2m1`, of which rows and columns have two factors each, with sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) []
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0" " "
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 \
d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
mma! { 4 4 2 4 scaled "- `byte_a` and `byte_b` are 0." mma_mxf4nvf4_m16n8k64_f32_x4
"a product 16x8x64 of `.e2m1`, of which rows and columns have four factors each, with sums of `.f32`"
(f32, reg32) (f32, reg32) (u32, reg32) [Scale: MmaScaleType]
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32" " "
"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32{.stype} \
d, a, b, c, scale_a, {byte_a, thread_a}, scale_b, {byte_b, thread_b};"
{ isa: "8.7", target: "sm_120a", gate: mma_f6f4 } }
