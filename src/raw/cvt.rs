//! `cvt` between `.f32`, halves and eight-bit floats: section 9.7.9.21. Two values are packed the first into the high bits,
//! the second into the low ones, as PTX orders its operands.
//!
//! ptxas 13.5 takes the conversions of eight-bit floats for sm_90 from PTX ISA 7.8 on, for sm_89 from 8.1 on.

#[cfg(target_arch = "nvptx64")]
use super::cast;
use crate::qualifier::{TypeTag, ty};

legal! {
    /// `.rnd` of a `cvt` to halves.
    CvtRounding: "`{Self}` is no rounding of a `cvt` to halves: it takes `.rn` or `.rz`"
    { rounding::Rn, rounding::Rz }
}
legal! {
    /// `.relu`, or nothing.
    CvtRelu: "`{Self}` does not say what a `cvt` makes of negative numbers: it takes `relu::Relu` or `relu::None`"
    { relu::Relu, relu::None }
}
legal! {
    /// `.satfinite`, or nothing.
    CvtSatfinite: "`{Self}` does not say what a `cvt` makes of numbers too large: it takes `Satfinite` or `satfinite::None`"
    { satfinite::Satfinite, satfinite::None }
}
legal! {
    /// A half: `.type` of a `cvt`.
    HalfType(TypeTag): "`{Self}` is no half: this `cvt` takes `.f16` or `.bf16`"
    { ty::F16, ty::Bf16 }
}
legal! {
    /// Two halves: `.type` of a `cvt`.
    HalvesType(TypeTag): "`{Self}` is no pair of halves: this `cvt` takes `.f16x2` or `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 }
}
legal! {
    /// Two halves that become eight-bit floats.
    CvtF8Source(TypeTag): "`{Self}` does not become two eight-bit floats here: `.f16x2` does, and on sm_100f, sm_110a and sm_120a \
        `.bf16x2`"
    { ty::F16x2, ty::Bf16x2 gate sm_100f_sm_110a_sm_120a }
}
legal! {
    /// Two eight-bit floats: `.type` of a `cvt`.
    F8x2Type(TypeTag): "`{Self}` is no pair of eight-bit floats: this `cvt` takes `.e4m3x2` or `.e5m2x2`"
    { ty::E4m3x2, ty::E5m2x2 }
}
legal! {
    /// Four eight-bit floats: `.type` of a `cvt`.
    F8x4Type(TypeTag): "`{Self}` is no four eight-bit floats: this `cvt` takes `.e4m3x4` or `.e5m2x4`"
    { ty::E4m3x4, ty::E5m2x4 }
}

instruction! {
    /// `a` as a half.
    fn cvt_f32[
        Rounding: CvtRounding { rounding::Rn, rounding::Rz },
        Relu: CvtRelu { relu::Relu @ "7.0" on "sm_80", relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite @ "8.1", satfinite::None },
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.0" on "sm_80" },
    ](a: f32 = reg32) -> Ty::Value = (d: _ = typed) cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}{.type}.f32 d, a;";
    ptx: "cvt" .. ".f32 {d}, {a};";
    isa: "1.0", target: "sm_10", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// A half as an `f32`, which has every half.
    fn cvt_to_f32[
        Ty: HalfType { ty::F16 as u16 in reg16, ty::Bf16 as u16 in reg16 @ "7.1" on "sm_80" },
    ](a: Ty::Value = typed) -> f32 = (d: f32 = reg32) d;
    form: "cvt.f32{.type} d, a;";
    ptx: "cvt.f32" .. " {d}, {a};";
    isa: "1.0", target: "sm_10", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `a`, in the high bits, and `b`, in the low ones, as halves.
    fn cvt_f32x2[
        Rounding: CvtRounding { rounding::Rn, rounding::Rz },
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite @ "8.1", satfinite::None },
        Ty: HalvesType { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) cast(d);
    form: "cvt{.rnd}{.relu}{.satfinite}{.type}.f32 d, a, b;";
    ptx: "cvt" .. ".f32 {d}, {a}, {b};";
    isa: "7.0", target: "sm_80", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `a`, in the high bits, and `b`, in the low ones, as halves, each rounded up or down at random: by how far it is between
    /// its two neighbours, and by random bits, the high 16 of `rbits` for `a` and the low 16 for `b` (of each, `.f16x2` takes 13).
    fn cvt_rs_f32x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite, satfinite::None },
        Ty: HalvesType { ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32, rbits: u32 = reg32) -> Ty::Value = (d: _ = typed) cast(d);
    form: "cvt.rs{.relu}{.satfinite}{.type}.f32 d, a, b, rbits;";
    ptx: "cvt.rs" .. ".f32 {d}, {a}, {b}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: sm_100a_sm_103a;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `a`, in the high bits, and `b`, in the low ones, as eight-bit floats; what is too large becomes the largest finite number.
    fn cvt_f8x2_f32[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: f32 = reg32, b: f32 = reg32) -> Ty::Value = (d: _ = typed) cast(d);
    form: "cvt.rn.satfinite{.relu}{.type}.f32 d, a, b;";
    ptx: "cvt.rn.satfinite" .. ".f32 {d}, {a}, {b};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Two halves as eight-bit floats; what is too large becomes the largest finite number.
    fn cvt_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type { ty::E4m3x2, ty::E5m2x2 },
        Source: CvtF8Source {
            ty::F16x2 as u32 in reg32, ty::Bf16x2 as u32 in reg32 @ "9.1" gate sm_100f_sm_110a_sm_120a,
        },
    ](a: Source::Value = typed) -> u16 = (d: u16 = reg16) d;
    form: "cvt.rn.satfinite{.relu}{.type}{.source} d, a;";
    ptx: "cvt.rn.satfinite" .. " {d}, {a};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Two eight-bit floats as `.f16`, which has every one of them.
    fn cvt_f16x2_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x2Type after ".f16x2" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: Ty::Value = typed) -> <ty::F16x2 as TypeTag>::Value = (d: u32 = reg32) cast(d);
    form: "cvt.rn{.relu}.f16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "7.8", target: "sm_89", section: "9.7.9.21";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Two eight-bit floats as `.bf16`, which has every one of them.
    fn cvt_bf16x2_f8x2[
        Relu: CvtRelu { relu::Relu, relu::None },
        Satfinite: CvtSatfinite { satfinite::Satfinite, satfinite::None },
        Ty: F8x2Type after ".bf16x2" { ty::E4m3x2 as u16 in reg16, ty::E5m2x2 as u16 in reg16 },
    ](a: Ty::Value = typed) -> <ty::Bf16x2 as TypeTag>::Value = (d: u32 = reg32) cast(d);
    form: "cvt.rn{.relu}{.satfinite}.bf16x2{.type} d, a;";
    ptx: "cvt.rn" .. " {d}, {a};";
    isa: "9.2", target: "sm_100a", section: "9.7.9.21";
    gate: sm_100f_sm_110a_sm_120a;
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `a`, `b`, `e` and `f`, the first in the highest bits, as eight-bit floats, each rounded up or down at random: by how far
    /// it is between its two neighbours, and by random bits, the high 16 of `rbits` for `a` and `b`, the low 16 for `e` and `f`.
    /// What is too large becomes the largest finite number.
    fn cvt_rs_f8x4_f32[
        Relu: CvtRelu { relu::Relu, relu::None },
        Ty: F8x4Type after ".satfinite" { ty::E4m3x4 as u32 in reg32, ty::E5m2x4 as u32 in reg32 },
    ](a: f32 = reg32, b: f32 = reg32, e: f32 = reg32, f: f32 = reg32, rbits: u32 = reg32) -> Ty::Value = (d: _ = typed) cast(d);
    form: "cvt.rs{.relu}.satfinite{.type}.f32 d, {a, b, e, f}, rbits;";
    ptx: "cvt.rs" .. ".f32 {d}, {{{a}, {b}, {e}, {f}}}, {rbits};";
    isa: "8.7", target: "sm_100a", section: "9.7.9.21";
    gate: sm_100a_sm_103a;
    options: pure, nomem, nostack, preserves_flags;
}
