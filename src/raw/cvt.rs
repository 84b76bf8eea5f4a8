//! `cvt` between `f32`, half-precision floats (`.f16`, `.bf16`) and numbers of at most 8 bits (PTX ISA 9.7.9.21).
//!
//! These are floats (`.e4m3`, `.e5m2`, `.e2m3`, `.e3m2`, `.e2m1`), floats without a sign (`.ue8m0`, `.ue5m3`), and `.s2f6`, integers
//! of 64ths. A pair of 6-bit floats is in two bytes, a pair of `.e2m1` in one. A scale factor is an `.ue8m0`, a power of two.
//!
//! Between `.f16` and `.bf16`, `.rn` alone has rows, and a conversion to `.f32`, which is exact, has no rounding.
//!
//! A packed result has the first operand in the high bits and the last operand in the low bits.
//!
//! ptxas 13.5 accepts the conversions of eight-bit floats from PTX ISA 7.8 on for sm_90, and from 8.1 on for sm_89.

use crate::qualifier::{TypeTag, ty};

legal! {
    CvtRounding: "`{Self}` is not a rounding of a `cvt` to half precision: use `.rn` or `.rz`"
    { rounding::Rn, rounding::Rz }
}
legal! {
    /// `.relu`, or nothing.
    CvtRelu: "`{Self}` does not say whether a `cvt` turns negative results into zero: use `relu::Relu` or `relu::None`"
    { relu::Relu, relu::None }
}
legal! {
    /// `.satfinite`, or nothing.
    CvtSatfinite: "`{Self}` does not say whether a `cvt` makes numbers that are too large finite: use `satfinite::Satfinite` or `satfinite::None`"
    { satfinite::Satfinite, satfinite::None }
}
legal! {
    HalfType(TypeTag): "`{Self}` is not a half-precision type: use `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}
legal! {
    HalvesType(TypeTag): "`{Self}` is not a pair of half-precision floats: use `.f16x2` or `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 }
}
legal! {
    CvtF8Source(TypeTag): "`{Self}` cannot become two eight-bit floats here: use `.f16x2` or, with the feature `sm_100f`, `sm_110f` or `sm_120f`, `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 gate cvt_narrow }
}
legal! {
    F8x2Type(TypeTag): "`{Self}` is not a pair of eight-bit floats: use `.e4m3x2` or `.e5m2x2`"
    { ty::E4m3x2, ty::E5m2x2 }
}
legal! {
    /// Rounding of a `cvt` from a float to an integer.
    CvtIntegerRounding: "`{Self}` is not a rounding of a `cvt` to an integer: use `.rni`, `.rzi`, `.rmi` or `.rpi`"
    { rounding::Rni, rounding::Rzi, rounding::Rmi, rounding::Rpi }
}
legal! {
    CvtIntegerType(TypeTag): "`{Self}` is not an integer type of this `cvt`: use `.u8`, `.s8`, `.u16`, `.s16`, `.u32`, `.s32`, `.u64` or `.s64`"
    { ty::U8, ty::S8, ty::U16, ty::S16, ty::U32, ty::S32, ty::U64, ty::S64 }
}
legal! {
    CvtBf16IntegerType(TypeTag): "`{Self}` is not an integer type of a `cvt` from `.bf16`: use `.u16`, `.s16`, `.u32`, `.s32`, `.u64` or `.s64`"
    { ty::U16, ty::S16, ty::U32, ty::S32, ty::U64, ty::S64 }
}
legal! {
    F8x4Type(TypeTag): "`{Self}` is not a vector of four eight-bit floats: use `.e4m3x4` or `.e5m2x4`"
    { ty::E4m3x4, ty::E5m2x4 }
}

legal! {
    CvtPairSource(TypeTag): "`{Self}` cannot become two numbers of at most 8 bits: use `.f16x2` or `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 }
    CvtBf16x2Source(TypeTag): "`{Self}` cannot become two numbers of this type: use `.bf16x2`"
    { ty::Bf16x2 }
    F6x2Type(TypeTag): "`{Self}` is not a pair of floats of 6 bits: use `.e2m3x2` or `.e3m2x2`"
    { ty::E2m3x2, ty::E3m2x2 }
    F6x4Type(TypeTag): "`{Self}` is not a vector of four floats of 6 bits: use `.e2m3x4` or `.e3m2x4`"
    { ty::E2m3x4, ty::E3m2x4 }
    CvtPairType(TypeTag): "`{Self}` is not a pair of floats of 8 or 6 bits: use `.e4m3x2`, `.e5m2x2`, `.e2m3x2` or `.e3m2x2`"
    { ty::E4m3x2, ty::E5m2x2, ty::E2m3x2, ty::E3m2x2 }
    /// `.pzo`, or nothing.
    CvtPzo: "`{Self}` does not say whether a `cvt` makes zeros positive: use `pzo::Pzo` or `pzo::None`"
    { pzo::Pzo, pzo::None }
    CvtDirected: "`{Self}` is not a rounding up or down: use `.rm` or `.rp`"
    { rounding::Rm, rounding::Rp }
    CvtUe8m0Rounding: "`{Self}` is not a rounding of a `cvt` to `.ue8m0`: use `.rz` or `.rp`"
    { rounding::Rz, rounding::Rp }
    CvtUe5m3Rounding: "`{Self}` is not a rounding of a `cvt` to `.ue5m3`: use `.rn`, `.rz` or `.rp`"
    { rounding::Rn, rounding::Rz, rounding::Rp }
    CvtS2f6Rounding: "`{Self}` is not a rounding of a `cvt` to `.s2f6`: use `.rn` or, with the feature `sm_107a`, `.rz`"
    { rounding::Rn, rounding::Rz @ "9.4" gate cvt_s2f6_rz }
}

instruction! {
    /// Converts `a` to half precision.
    fn cvt_f32[
        Rounding: CvtRounding { rounding::Rn, rounding::Rz },
        Relu: CvtRelu { relu::Relu @ "7.0" on "sm_80", relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite @ "8.1", satfinite::None },
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.0" on "sm_80" },
    ](a: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}{.type}.f32 d, a;";
    ptx: "cvt" .. ".f32 {d}, {a};";
    isa: "1.0", target: "sm_10", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the half-precision float `a` to `f32`, exactly.
    fn cvt_to_f32[
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.1" on "sm_80" },
    ](a: Ty::Value = typed) -> f32 = (d: f32 = reg32) d;
    form: "cvt.f32{.type} d, a;";
    ptx: "cvt.f32" .. " {d}, {a};";
    isa: "1.0", target: "sm_10", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` to half precision, rounded to the nearest.
    fn cvt_f64[
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90" },
    ](a: f64 = reg64) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rn{.type}.f64 d, a;";
    ptx: "cvt.rn" .. ".f64 {d}, {a};";
    isa: "1.3", target: "sm_13", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the half-precision float `a` to `f64`, exactly.
    fn cvt_to_f64[
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90" },
    ](a: Ty::Value = typed) -> f64 = (d: f64 = reg64) d;
    form: "cvt.f64{.type} d, a;";
    ptx: "cvt.f64" .. " {d}, {a};";
    isa: "1.3", target: "sm_13", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the `.f16` `a` to `.bf16`, rounded to the nearest.
    fn cvt_bf16_f16(a: half::f16 = half) -> half::bf16 = (d: u16 = reg16) half::bf16::from_bits(d);
    form: "cvt.rn.bf16.f16 d, a;";
    ptx: "cvt.rn.bf16.f16" .. " {d}, {a};";
    isa: "7.8", target: "sm_90", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the `.bf16` `a` to `.f16`, rounded to the nearest.
    fn cvt_f16_bf16(a: half::bf16 = half) -> half::f16 = (d: u16 = reg16) half::f16::from_bits(d);
    form: "cvt.rn.f16.bf16 d, a;";
    ptx: "cvt.rn.f16.bf16" .. " {d}, {a};";
    isa: "7.8", target: "sm_90", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to half precision. The result of `a` goes into the high bits, the result of `b` into the low bits.
    fn cvt_f32x2[
        Rounding: CvtRounding { rounding::Rn, rounding::Rz },
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite @ "8.1", satfinite::None },
        Ty: HalvesType { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}{.type}.f32 d, a, b;";
    ptx: "cvt" .. ".f32 {d}, {a}, {b};";
    isa: "7.0", target: "sm_80", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to half precision by stochastic rounding. The result of `a` goes into the high bits, the result of
    /// `b` into the low bits.
    ///
    /// Each value is rounded up or down, with a probability that depends on its distance to its two neighbors. The random bits
    /// are the high 16 bits of `rbits` for `a` and the low 16 bits for `b` (13 bits of each for `.f16x2`).
    fn cvt_rs_f32x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite, satfinite::None },
        Ty: HalvesType { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32, rbits: u32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rs{.relu}{.satfinite}{.type}.f32 d, a, b, rbits;";
    ptx: "cvt.rs" .. ".f32 {d}, {a}, {b}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_rs;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to eight-bit floats. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest finite number.
    fn cvt_f8x2_f32[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rn.satfinite{.relu}{.type}.f32 d, a, b;";
    ptx: "cvt.rn.satfinite" .. ".f32 {d}, {a}, {b};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to eight-bit floats. A number that is too large becomes the largest finite
    /// number.
    fn cvt_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type { ty::E4m3x2, ty::E5m2x2 },
        Source: CvtF8Source {
            ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 @ "9.1" gate cvt_narrow,
        },
    ](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rn.satfinite{.relu}{.type}{.source} d, a;";
    ptx: "cvt.rn.satfinite" .. " {d}, {a};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two eight-bit floats of `a` to `.f16`, exactly.
    fn cvt_f16x2_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type after ".f16x2" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: Ty::Value = typed) -> <ty::F16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}.f16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two eight-bit floats of `a` to `.bf16`, exactly.
    fn cvt_bf16x2_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite, satfinite::None },
        Ty: F8x2Type after ".bf16x2" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: Ty::Value = typed) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.bf16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a`, `b`, `e` and `f` to eight-bit floats by stochastic rounding. The result of `a` goes into the highest bits,
    /// the result of `f` into the lowest bits. A number that is too large becomes the largest finite number.
    ///
    /// Each value is rounded up or down, with a probability that depends on its distance to its two neighbors. The random bits
    /// are the high 16 bits of `rbits` for `a` and `b`, and the low 16 bits for `e` and `f`.
    fn cvt_rs_f8x4_f32[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x4Type after ".satfinite" { ty::E4m3x4 as u32 in reg32, ty::E5m2x4 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32, e: f32 = reg32, f: f32 = reg32, rbits: u32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rs{.relu}.satfinite{.type}.f32 d, {a, b, e, f}, rbits;";
    ptx: "cvt.rs" .. ".f32 {d}, {{{a}, {b}, {e}, {f}}}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_rs;
    options: pure, nomem, nostack, preserves_flags;
}

/// `cvt{.rnd}{.to}{.type} d, a;` from an integer, and `cvt{.irnd}{.type}{.from} d, a;` to one.
macro_rules! integers {
    ($( $Half:ident $ptx:literal $isa:literal $target:literal $Type:ident $to:ident $from:ident; )*) => { $(
        instruction! {
            #[doc = concat!("Converts the integer `a` to `", $ptx, "`.")]
            fn $to[
                Rounding: CvtRounding, Ty: $Type after $ptx,
            ](a: Ty::Value = typed) -> half::$Half = (d: u16 = reg16) half::$Half::from_bits(d);
            form: "cvt{.rnd}" $ptx "{.type} d, a;";
            ptx: "cvt" .. " {d}, {a};";
            isa: $isa, target: $target, section: "9.7.9.21";
            options: pure, nomem, nostack, preserves_flags;
        }
        instruction! {
            #[doc = concat!("Converts the `", $ptx, "` `a` to an integer. A number out of range becomes the nearest integer.")]
            ///
            /// NaN becomes 0, with a type of 64 bits 2^63.
            fn $from[
                Rounding: CvtIntegerRounding, Ty: $Type,
            ](a: half::$Half = half) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: "cvt{.irnd}{.type}" $ptx " d, a;";
            ptx: "cvt" .. $ptx " {d}, {a};";
            isa: $isa, target: $target, section: "9.7.9.21";
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}
integers! {
    f16 ".f16" "4.2" "sm_53" CvtIntegerType cvt_f16_integer cvt_integer_f16;
    bf16 ".bf16" "7.8" "sm_90" CvtBf16IntegerType cvt_bf16_integer cvt_integer_bf16;
}

instruction! {
    /// Rounds `a` to `.tf32`, the nearest, of two the one farther from zero. The low 13 bits of the result are zero.
    fn cvt_rna_tf32[
        Satfinite: CvtSatfinite { satfinite::Satfinite @ "8.1", satfinite::None },
    ](a: f32 = reg32) -> f32 = (d: u32 = reg32) f32::from_bits(d);
    form: "cvt.rna{.satfinite}.tf32.f32 d, a;";
    ptx: "cvt.rna" .. ".tf32.f32 {d}, {a};";
    isa: "7.0", target: "sm_80", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Rounds `a` to `.tf32`. The low 13 bits of the result are zero.
    fn cvt_tf32[
        Rounding: CvtRounding, Relu: CvtRelu,
    ](a: f32 = reg32) -> f32 = (d: u32 = reg32) f32::from_bits(d);
    form: "cvt{.rnd}{.relu}.tf32.f32 d, a;";
    ptx: "cvt" .. ".tf32.f32 {d}, {a};";
    isa: "7.8", target: "sm_90", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to floats of 6 bits. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_f6x2_f32[Relu: CvtRelu, Ty: F6x2Type { ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rn.satfinite{.relu}{.type}.f32 d, a, b;";
    ptx: "cvt.rn.satfinite" .. ".f32 {d}, {a}, {b};";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.e2m1`. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_f4x2_f32[Relu: CvtRelu](a: f32 = reg32, b: f32 = reg32) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rn.satfinite{.relu}.e2m1x2.f32 d, a, b;";
    ptx: "{{ .reg .b8 e; cvt.rn.satfinite" .. ".e2m1x2.f32 e, {a}, {b}; cvt.u32.u8 {d}, e; }}";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to floats of 6 bits.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_f6x2[Relu: CvtRelu, Ty: F6x2Type { ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }, Source: CvtPairSource { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rn.satfinite{.relu}{.type}{.source} d, a;";
    ptx: "cvt.rn.satfinite" .. " {d}, {a};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.e2m1`.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_f4x2[Relu: CvtRelu, Source: CvtPairSource after ".e2m1x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rn.satfinite{.relu}.e2m1x2{.source} d, a;";
    ptx: "{{ .reg .b8 e; cvt.rn.satfinite" .. " e, {a}; cvt.u32.u8 {d}, e; }}";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two floats of 6 bits of `a` to `.f16`, exactly.
    fn cvt_f16x2_f6x2[Relu: CvtRelu, Ty: F6x2Type after ".f16x2" { ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: Ty::Value = typed) -> <ty::F16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}.f16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.e2m1` of `a` to `.f16`, exactly.
    fn cvt_f16x2_f4x2[Relu: CvtRelu](a: u8 = reg16) -> <ty::F16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}.f16x2.e2m1x2 d, a;";
    ptx: "{{ .reg .b8 e; cvt.u8.u16 e, {a}; cvt.rn" .. ".f16x2.e2m1x2 {d}, e; }}";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two floats of 6 bits of `a` to `.bf16`, exactly.
    fn cvt_bf16x2_f6x2[Relu: CvtRelu, Satfinite: CvtSatfinite, Ty: F6x2Type after ".bf16x2" { ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: Ty::Value = typed) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.bf16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.e2m1` of `a` to `.bf16`, exactly.
    fn cvt_bf16x2_f4x2[Relu: CvtRelu, Satfinite: CvtSatfinite](a: u8 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.bf16x2.e2m1x2 d, a;";
    ptx: "{{ .reg .b8 e; cvt.u8.u16 e, {a}; cvt.rn" .. ".bf16x2.e2m1x2 {d}, e; }}";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two floats of `a` to `.bf16`. Multiplies each by its scale factor, that of the high bits by the high byte of `scale`.
    fn cvt_scaled_bf16x2[Relu: CvtRelu, Satfinite: CvtSatfinite, Ty: CvtPairType after ".scaled::n2::ue8m0.bf16x2" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16, ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: Ty::Value = typed, scale: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2{.type} d, a, scale;";
    ptx: "cvt.rn" .. " {d}, {a}, {scale};";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.e2m1` of `a` to `.bf16`. Multiplies each by its scale factor, that of the high bits by the high byte of `scale`.
    fn cvt_scaled_bf16x2_f4x2[Relu: CvtRelu, Satfinite: CvtSatfinite](a: u8 = reg16, scale: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.e2m1x2 d, a, scale;";
    ptx: "{{ .reg .b8 e; cvt.u8.u16 e, {a}; cvt.rn" .. ".scaled::n2::ue8m0.bf16x2.e2m1x2 {d}, e, {scale}; }}";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a`, `b`, `e` and `f` to floats of 6 bits by stochastic rounding. The result of `a` goes into the highest bits,
    /// the result of `f` into the lowest bits. A number that is too large becomes the largest number. So does NaN.
    ///
    /// Each value is rounded up or down, with a probability that depends on its distance to its two neighbors. The random bits
    /// are the high 16 bits of `rbits` for `a` and `b`, and the low 16 bits for `e` and `f`.
    fn cvt_rs_f6x4_f32[Relu: CvtRelu, Ty: F6x4Type after ".satfinite" { ty::E2m3x4 as u32 in reg32, ty::E3m2x4 as u32 in reg32 }](a: f32 = reg32, b: f32 = reg32, e: f32 = reg32, f: f32 = reg32, rbits: u32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rs{.relu}.satfinite{.type}.f32 d, {a, b, e, f}, rbits;";
    ptx: "cvt.rs" .. ".f32 {d}, {{{a}, {b}, {e}, {f}}}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_rs;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a`, `b`, `e` and `f` to `.e2m1` by stochastic rounding. The result of `a` goes into the highest bits,
    /// the result of `f` into the lowest bits. A number that is too large becomes the largest number. So does NaN.
    ///
    /// Each value is rounded up or down, with a probability that depends on its distance to its two neighbors. The random bits
    /// are the upper bytes of both halves of `rbits` for `a` and `b`, and the lower bytes for `e` and `f`.
    fn cvt_rs_f4x4_f32[Relu: CvtRelu](a: f32 = reg32, b: f32 = reg32, e: f32 = reg32, f: f32 = reg32, rbits: u32 = reg32) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rs{.relu}.satfinite.e2m1x4.f32 d, {a, b, e, f}, rbits;";
    ptx: "cvt.rs" .. ".satfinite.e2m1x4.f32 {d}, {{{a}, {b}, {e}, {f}}}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_rs;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to powers of two, without their signs. The result of `a` goes into the high bits, the result of `b` into the low bits.
    fn cvt_ue8m0x2_f32[Rounding: CvtUe8m0Rounding, Satfinite: CvtSatfinite](a: f32 = reg32, b: f32 = reg32) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.ue8m0x2.f32 d, a, b;";
    ptx: "cvt" .. ".ue8m0x2.f32 {d}, {a}, {b};";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.bf16` of `a` to powers of two, without their signs.
    fn cvt_ue8m0x2[Rounding: CvtUe8m0Rounding, Satfinite: CvtSatfinite, Source: CvtBf16x2Source after ".ue8m0x2" { ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.ue8m0x2.bf16x2 d, a;";
    ptx: "cvt" .. " {d}, {a};";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.ue8m0` of `a` to `.bf16`, exactly.
    fn cvt_bf16x2_ue8m0x2(a: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn.bf16x2.ue8m0x2 d, a;";
    ptx: "cvt.rn" .. ".bf16x2.ue8m0x2 {d}, {a};";
    isa: "8.6", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_narrow;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.s2f6`. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_s2f6x2_f32[Rounding: CvtS2f6Rounding, Relu: CvtRelu after ".satfinite"](a: f32 = reg32, b: f32 = reg32) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}.satfinite{.relu}.s2f6x2.f32 d, a, b;";
    ptx: "cvt" .. ".s2f6x2.f32 {d}, {a}, {b};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.bf16` of `a` to `.s2f6`.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_s2f6x2[Rounding: CvtS2f6Rounding, Relu: CvtRelu after ".satfinite", Source: CvtBf16x2Source after ".s2f6x2" { ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}.satfinite{.relu}.s2f6x2.bf16x2 d, a;";
    ptx: "cvt" .. " {d}, {a};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.s2f6` of `a` to `.bf16`.
    fn cvt_bf16x2_s2f6x2[Relu: CvtRelu, Satfinite: CvtSatfinite](a: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.bf16x2.s2f6x2 d, a;";
    ptx: "cvt.rn" .. ".bf16x2.s2f6x2 {d}, {a};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.s2f6`. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// Divides each by its scale factor first, that of the high bits by the high byte of `scale`.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_scaled_s2f6x2_f32[Rounding: CvtS2f6Rounding, Relu: CvtRelu after ".satfinite"](a: f32 = reg32, b: f32 = reg32, scale: u16 = reg16) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2.f32 d, a, b, scale;";
    ptx: "cvt" .. ".scaled::n2::ue8m0.s2f6x2.f32 {d}, {a}, {b}, {scale};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.bf16` of `a` to `.s2f6`.
    /// Divides each by its scale factor first, that of the high bits by the high byte of `scale`.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_scaled_s2f6x2[Rounding: CvtS2f6Rounding, Relu: CvtRelu after ".satfinite", Source: CvtBf16x2Source after ".scaled::n2::ue8m0.s2f6x2" { ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed, scale: u16 = reg16) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}.satfinite{.relu}.scaled::n2::ue8m0.s2f6x2.bf16x2 d, a, scale;";
    ptx: "cvt" .. " {d}, {a}, {scale};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.s2f6` of `a` to `.bf16`. Multiplies each by its scale factor, that of the high bits by the high byte of `scale`.
    fn cvt_scaled_bf16x2_s2f6x2[Relu: CvtRelu, Satfinite: CvtSatfinite](a: u16 = reg16, scale: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.relu}{.satfinite}.scaled::n2::ue8m0.bf16x2.s2f6x2 d, a, scale;";
    ptx: "cvt.rn" .. ".scaled::n2::ue8m0.bf16x2.s2f6x2 {d}, {a}, {scale};";
    isa: "9.1", target: "sm_100a", section: "9.7.9.21";
    gate: cvt_s2f6;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Rounds `a` to `.tf32`. The low 13 bits of the result are zero. A number that is too large becomes the largest finite number.
    fn cvt_satfinite_tf32[Rounding: CvtRounding, Relu: CvtRelu](a: f32 = reg32) -> f32 = (d: u32 = reg32) f32::from_bits(d);
    form: "cvt{.rnd}{.relu}.satfinite.tf32.f32 d, a;";
    ptx: "cvt" .. ".satfinite.tf32.f32 {d}, {a};";
    isa: "8.6", target: "sm_100", section: "9.7.9.21";
    gate: sm_100;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` to half precision, rounded up or down.
    fn cvt_directed_f32[Rounding: CvtDirected, Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.0" on "sm_80" }](a: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}{.type}.f32 d, a;";
    ptx: "cvt" .. ".f32 {d}, {a};";
    isa: "1.0", target: "sm_10", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

// ptxas 13.5 takes `.pzo` with `.rm` and `.rp` too, which the syntax lacks, and fails on them (C7907).
instruction! {
    /// Converts `a` to half precision. A zero is positive.
    fn cvt_pzo_f32[Rounding: CvtRounding, Relu: CvtRelu, Satfinite: CvtSatfinite, Ty: HalfType after ".pzo" { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 }](a: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}.pzo{.type}.f32 d, a;";
    ptx: "cvt" .. ".f32 {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to half precision. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A zero is positive.
    fn cvt_pzo_f32x2[Rounding: CvtRounding, Relu: CvtRelu, Satfinite: CvtSatfinite, Ty: HalvesType after ".pzo" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}.pzo{.type}.f32 d, a, b;";
    ptx: "cvt" .. ".f32 {d}, {a}, {b};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Rounds `a` to `.tf32`. The low 13 bits of the result are zero. A zero is positive.
    fn cvt_pzo_tf32[Rounding: CvtRounding, Relu: CvtRelu, Satfinite: CvtSatfinite](a: f32 = reg32) -> f32 = (d: u32 = reg32) f32::from_bits(d);
    form: "cvt{.rnd}{.relu}{.satfinite}.pzo.tf32.f32 d, a;";
    ptx: "cvt" .. ".pzo.tf32.f32 {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to floats of 8 or 6 bits. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A zero is positive. A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_pzo_pair_f32[Relu: CvtRelu, Ty: CvtPairType after ".pzo" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16, ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rn.satfinite{.relu}.pzo{.type}.f32 d, a, b;";
    ptx: "cvt.rn.satfinite" .. ".f32 {d}, {a}, {b};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to floats of 8 or 6 bits, rounded towards zero. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_rz_pair_f32[Relu: CvtRelu, Pzo: CvtPzo, Ty: CvtPairType { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16, ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt.rz.satfinite{.relu}{.pzo}{.type}.f32 d, a, b;";
    ptx: "cvt.rz.satfinite" .. ".f32 {d}, {a}, {b};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to floats of 8 or 6 bits. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// Divides each by `scale` first. Subnormal operands are zero.
    /// A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_scaled_pair_f32[Rounding: CvtRounding, Relu: CvtRelu after ".satfinite", Pzo: CvtPzo, Ty: CvtPairType after ".scaled::n1::ue8m0" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16, ty::E2m3x2 as u16 in reg16, ty::E3m2x2 as u16 in reg16 }](a: f32 = reg32, b: f32 = reg32, scale: u8 = reg16) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "cvt{.rnd}.satfinite{.relu}{.pzo}.scaled::n1::ue8m0{.type}.f32 d, a, b, scale;";
    ptx: "{{ .reg .b8 e0; cvt.u8.u16 e0, {scale}; cvt" .. ".f32 {d}, {a}, {b}, e0; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to floats of 8 or 6 bits.
    /// A zero is positive. A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_pzo_pair[Relu: CvtRelu, Ty: CvtPairType after ".pzo" { ty::E4m3x2, ty::E5m2x2, ty::E2m3x2, ty::E3m2x2 }, Source: CvtPairSource { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rn.satfinite{.relu}.pzo{.type}{.source} d, a;";
    ptx: "cvt.rn.satfinite" .. " {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to floats of 8 or 6 bits, rounded towards zero.
    /// A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_rz_pair[Relu: CvtRelu, Pzo: CvtPzo, Ty: CvtPairType { ty::E4m3x2, ty::E5m2x2, ty::E2m3x2, ty::E3m2x2 }, Source: CvtPairSource { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rz.satfinite{.relu}{.pzo}{.type}{.source} d, a;";
    ptx: "cvt.rz.satfinite" .. " {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to floats of 8 or 6 bits.
    /// Divides each by `scale` first. Subnormal operands are zero.
    /// A number that is too large becomes the largest number, and so does NaN of 6 bits.
    fn cvt_scaled_pair[Rounding: CvtRounding, Relu: CvtRelu after ".satfinite", Pzo: CvtPzo, Ty: CvtPairType after ".scaled::n1::ue8m0" { ty::E4m3x2, ty::E5m2x2, ty::E2m3x2, ty::E3m2x2 }, Source: CvtPairSource { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed, scale: u8 = reg16) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}.satfinite{.relu}{.pzo}.scaled::n1::ue8m0{.type}{.source} d, a, scale;";
    ptx: "{{ .reg .b8 e0; cvt.u8.u16 e0, {scale}; cvt" .. " {d}, {a}, e0; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.e2m1`. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A zero is positive. A number that is too large becomes the largest number. So does NaN.
    fn cvt_pzo_f4x2_f32[Relu: CvtRelu](a: f32 = reg32, b: f32 = reg32) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rn.satfinite{.relu}.pzo.e2m1x2.f32 d, a, b;";
    ptx: "{{ .reg .b8 e; cvt.rn.satfinite" .. ".pzo.e2m1x2.f32 e, {a}, {b}; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.e2m1`, rounded towards zero. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_rz_f4x2_f32[Relu: CvtRelu, Pzo: CvtPzo](a: f32 = reg32, b: f32 = reg32) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rz.satfinite{.relu}{.pzo}.e2m1x2.f32 d, a, b;";
    ptx: "{{ .reg .b8 e; cvt.rz.satfinite" .. ".e2m1x2.f32 e, {a}, {b}; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.e2m1`. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// Divides each by `scale` first. Subnormal operands are zero.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_scaled_f4x2_f32[Rounding: CvtRounding, Relu: CvtRelu after ".satfinite", Pzo: CvtPzo](a: f32 = reg32, b: f32 = reg32, scale: u8 = reg16) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt{.rnd}.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.e2m1x2.f32 d, a, b, scale;";
    ptx: "{{ .reg .b8 e, e0; cvt.u8.u16 e0, {scale}; cvt" .. ".scaled::n1::ue8m0.e2m1x2.f32 e, {a}, {b}, e0; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.e2m1`.
    /// A zero is positive. A number that is too large becomes the largest number. So does NaN.
    fn cvt_pzo_f4x2[Relu: CvtRelu, Source: CvtPairSource after ".pzo.e2m1x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rn.satfinite{.relu}.pzo.e2m1x2{.source} d, a;";
    ptx: "{{ .reg .b8 e; cvt.rn.satfinite" .. " e, {a}; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.e2m1`, rounded towards zero.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_rz_f4x2[Relu: CvtRelu, Pzo: CvtPzo, Source: CvtPairSource after ".e2m1x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt.rz.satfinite{.relu}{.pzo}.e2m1x2{.source} d, a;";
    ptx: "{{ .reg .b8 e; cvt.rz.satfinite" .. " e, {a}; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.e2m1`.
    /// Divides each by `scale` first. Subnormal operands are zero.
    /// A number that is too large becomes the largest number. So does NaN.
    fn cvt_scaled_f4x2[Rounding: CvtRounding, Relu: CvtRelu after ".satfinite", Pzo: CvtPzo, Source: CvtPairSource after ".scaled::n1::ue8m0.e2m1x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed, scale: u8 = reg16) -> u8 = (d: u32 = reg32) d as u8;
    form: "cvt{.rnd}.satfinite{.relu}{.pzo}.scaled::n1::ue8m0.e2m1x2{.source} d, a, scale;";
    ptx: "{{ .reg .b8 e, e0; cvt.u8.u16 e0, {scale}; cvt" .. " e, {a}, e0; cvt.u32.u8 {d}, e; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.ue5m3`, without their signs. The result of `a` goes into the high bits, the result of `b` into the low bits.
    fn cvt_ue5m3x2_f32[Rounding: CvtUe5m3Rounding, Satfinite: CvtSatfinite](a: f32 = reg32, b: f32 = reg32) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.ue5m3x2.f32 d, a, b;";
    ptx: "cvt" .. ".ue5m3x2.f32 {d}, {a}, {b};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts `a` and `b` to `.ue5m3`, without their signs. The result of `a` goes into the high bits, the result of `b` into the low bits.
    /// Divides each by `scale` first. Subnormal operands are zero.
    fn cvt_scaled_ue5m3x2_f32[Rounding: CvtRounding, Satfinite: CvtSatfinite](a: f32 = reg32, b: f32 = reg32, scale: u8 = reg16) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32 d, a, b, scale;";
    ptx: "{{ .reg .b8 e0; cvt.u8.u16 e0, {scale}; cvt" .. ".scaled::n1::ue8m0.ue5m3x2.f32 {d}, {a}, {b}, e0; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.ue5m3`, without their signs.
    fn cvt_ue5m3x2[Rounding: CvtUe5m3Rounding, Satfinite: CvtSatfinite, Source: CvtPairSource after ".ue5m3x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.ue5m3x2{.source} d, a;";
    ptx: "cvt" .. " {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two half-precision floats of `a` to `.ue5m3`, without their signs.
    /// Divides each by `scale` first. Subnormal operands are zero.
    fn cvt_scaled_ue5m3x2[Rounding: CvtRounding, Satfinite: CvtSatfinite, Source: CvtPairSource after ".scaled::n1::ue8m0.ue5m3x2" { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 }](a: Source::Value = typed, scale: u8 = reg16) -> u16 = (d: u16 = reg16) d;
    form: "cvt{.rnd}{.satfinite}.scaled::n1::ue8m0.ue5m3x2{.source} d, a, scale;";
    ptx: "{{ .reg .b8 e0; cvt.u8.u16 e0, {scale}; cvt" .. " {d}, {a}, e0; }}";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.ue5m3` of `a` to `.f16`, exactly.
    fn cvt_f16x2_ue5m3x2(a: u16 = reg16) -> <ty::F16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn.f16x2.ue5m3x2 d, a;";
    ptx: "cvt.rn" .. ".f16x2.ue5m3x2 {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.ue5m3` of `a` to `.bf16`, exactly.
    fn cvt_bf16x2_ue5m3x2[Satfinite: CvtSatfinite](a: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.satfinite}.bf16x2.ue5m3x2 d, a;";
    ptx: "cvt.rn" .. ".bf16x2.ue5m3x2 {d}, {a};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Converts the two `.ue5m3` of `a` to `.bf16`. Multiplies each by its scale factor, that of the high bits by the high byte of `scale`.
    fn cvt_scaled_bf16x2_ue5m3x2[Satfinite: CvtSatfinite](a: u16 = reg16, scale: u16 = reg16) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) super::cast(d);
    form: "cvt.rn{.satfinite}.scaled::n2::ue8m0.bf16x2.ue5m3x2 d, a, scale;";
    ptx: "cvt.rn" .. ".scaled::n2::ue8m0.bf16x2.ue5m3x2 {d}, {a}, {scale};";
    isa: "9.4", target: "sm_107f", section: "9.7.9.21";
    gate: sm_107f;
    options: pure, nomem, nostack, preserves_flags;
}
