//! Arithmetic and comparisons in half precision, on single values and pairs (PTX ISA 9.7.4.1 to 9.7.4.8, 9.7.7). Of a pair, each
//! element is computed by itself.
//!
//! Each row states its rounding: without `.rn`, ptxas may contract a product and a sum into an `fma`.

legal! {
    F16Type(TypeTag): "`{Self}` is not a `.type` of this instruction: use `.f16` or `.f16x2`"
    { ty::F16, ty::F16x2 }
    Bf16Type(TypeTag): "`{Self}` is not a `.type` of this instruction: use `.bf16` or `.bf16x2`"
    { ty::Bf16, ty::Bf16x2 }
    /// `.ftz` of halves, or nothing.
    HalfFtz: "`{Self}` does not say whether subnormal numbers become zero: use `ftz::Flush` or `ftz::Keep`"
    { ftz::Flush, ftz::Keep }
    /// `.sat`, or nothing.
    HalfSat: "`{Self}` does not say whether results are clamped to 0 and 1: use `sat::Sat` or `sat::None`"
    { sat::Sat, sat::None }
    /// `.relu`, or nothing.
    HalfRelu: "`{Self}` does not say whether negative results become zero: use `relu::Relu` or `relu::None`"
    { relu::Relu, relu::None }
    /// `.NaN`, or nothing.
    HalfNan: "`{Self}` does not say what a NaN operand gives: use `nan::Propagate` or `nan::Ignore`"
    { nan::Propagate, nan::Ignore }
    /// `.xorsign.abs`, or nothing.
    HalfXorsign: "`{Self}` does not say whether signs are compared: use `xorsign::Abs` or `xorsign::None`"
    { xorsign::Abs, xorsign::None }
    HalfCmp: "`{Self}` is not a comparison of halves: use a tag of `cmp`"
    {
        cmp::Eq, cmp::Ne, cmp::Lt, cmp::Le, cmp::Gt, cmp::Ge, cmp::Equ, cmp::Neu, cmp::Ltu, cmp::Leu, cmp::Gtu, cmp::Geu,
        cmp::Num, cmp::Nan,
    }
    F16Single(TypeTag): "`{Self}` is not a `.type` of this `setp`: use `.f16`; `set_f16x2` compares pairs"
    { ty::F16 }
    Bf16Single(TypeTag): "`{Self}` is not a `.type` of this `setp`: use `.bf16`; `set_bf16x2` compares pairs"
    { ty::Bf16 }
    F16Pair(TypeTag): "`{Self}` is not a `.type` of this `set`: use `.f16x2`; `setp_f16` compares single values"
    { ty::F16x2 }
    Bf16Pair(TypeTag): "`{Self}` is not a `.type` of this `set`: use `.bf16x2`; `setp_bf16` compares single values"
    { ty::Bf16x2 }
}

/// `op.rn{.ftz}{.sat}{.type} d, a, b;` and `op.rn{.type} d, a, b;`
macro_rules! arithmetic {
    ($( $does:literal $f16:ident $bf16:ident $op:literal $section:literal; )*) => { $(
        instruction! {
            #[doc = concat!("Returns ", $does, ", rounded to the nearest.")]
            fn $f16[
                Ftz: HalfFtz, Sat: HalfSat, Ty: F16Type,
            ](a: Ty::Value = typed, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op ".rn{.ftz}{.sat}{.type} d, a, b;";
            ptx: $op ".rn" .. " {d}, {a}, {b};";
            isa: "4.2", target: "sm_53", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
        instruction! {
            #[doc = concat!("Returns ", $does, ", rounded to the nearest.")]
            fn $bf16[Ty: Bf16Type](a: Ty::Value = typed, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op ".rn{.type} d, a, b;";
            ptx: $op ".rn" .. " {d}, {a}, {b};";
            isa: "7.8", target: "sm_90", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}
arithmetic! {
    "`a + b`" add_f16 add_bf16 "add" "9.7.4.1";
    "`a - b`" sub_f16 sub_bf16 "sub" "9.7.4.2";
    "`a * b`" mul_f16 mul_bf16 "mul" "9.7.4.3";
}

instruction! {
    /// Returns `a * b + c` with one rounding, to the nearest.
    fn fma_f16[
        Ftz: HalfFtz, Sat: HalfSat, Ty: F16Type,
    ](a: Ty::Value = typed, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "fma.rn{.ftz}{.sat}{.type} d, a, b, c;";
    ptx: "fma.rn" .. " {d}, {a}, {b}, {c};";
    isa: "4.2", target: "sm_53", section: "9.7.4.4";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns `a * b + c` with one rounding, to the nearest; a negative result becomes zero, NaN the canonical NaN.
    fn fma_relu_f16[
        Ftz: HalfFtz, Ty: F16Type after ".relu",
    ](a: Ty::Value = typed, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "fma.rn{.ftz}.relu{.type} d, a, b, c;";
    ptx: "fma.rn" .. " {d}, {a}, {b}, {c};";
    isa: "7.0", target: "sm_80", section: "9.7.4.4";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns `a * b + c` with one rounding, to the nearest.
    fn fma_bf16[
        Relu: HalfRelu, Ty: Bf16Type,
    ](a: Ty::Value = typed, b: Ty::Value = typed, c: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "fma.rn{.relu}{.type} d, a, b, c;";
    ptx: "fma.rn" .. " {d}, {a}, {b}, {c};";
    isa: "7.0", target: "sm_80", section: "9.7.4.4";
    options: pure, nomem, nostack, preserves_flags;
}

/// `op{.ftz}{.type} d, a;` and `op{.type} d, a;`
macro_rules! sign {
    ($( $does:literal $f16:ident $bf16:ident $op:literal $isa:literal $section:literal; )*) => { $(
        instruction! {
            #[doc = concat!("Returns ", $does, ".")]
            fn $f16[Ftz: HalfFtz, Ty: F16Type](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op "{.ftz}{.type} d, a;";
            ptx: $op .. " {d}, {a};";
            isa: $isa, target: "sm_53", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
        instruction! {
            #[doc = concat!("Returns ", $does, ".")]
            fn $bf16[Ty: Bf16Type](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op "{.type} d, a;";
            ptx: $op .. " {d}, {a};";
            isa: "7.0", target: "sm_80", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}
sign! {
    "`-a`" neg_f16 neg_bf16 "neg" "6.0" "9.7.4.5";
    "the absolute value of `a`" abs_f16 abs_bf16 "abs" "6.5" "9.7.4.6";
}

/// `op{.ftz}{.NaN}{.xorsign.abs}{.type} d, a, b;` and `op{.NaN}{.xorsign.abs}{.type} d, a, b;`
macro_rules! extremes {
    ($( $does:literal $f16:ident $bf16:ident $op:literal $section:literal; )*) => { $(
        instruction! {
            #[doc = concat!("Returns the ", $does, " of `a` and `b`; -0 is less than +0.")]
            fn $f16[
                Ftz: HalfFtz, Nan: HalfNan,
                Xorsign: HalfXorsign { xorsign::Abs @ "7.2" on "sm_86", xorsign::None },
                Ty: F16Type,
            ](a: Ty::Value = typed, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op "{.ftz}{.NaN}{.xorsign.abs}{.type} d, a, b;";
            ptx: $op .. " {d}, {a}, {b};";
            isa: "7.0", target: "sm_80", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
        instruction! {
            #[doc = concat!("Returns the ", $does, " of `a` and `b`; -0 is less than +0.")]
            fn $bf16[
                Nan: HalfNan,
                Xorsign: HalfXorsign { xorsign::Abs @ "7.2" on "sm_86", xorsign::None },
                Ty: Bf16Type,
            ](a: Ty::Value = typed, b: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
            form: $op "{.NaN}{.xorsign.abs}{.type} d, a, b;";
            ptx: $op .. " {d}, {a}, {b};";
            isa: "7.0", target: "sm_80", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}
extremes! {
    "lesser" min_f16 min_bf16 "min" "9.7.4.7";
    "greater" max_f16 max_bf16 "max" "9.7.4.8";
}

instruction! {
    /// Compares `a` and `b`.
    fn setp_f16[
        Cmp: HalfCmp, Ftz: HalfFtz, Ty: F16Single,
    ](a: Ty::Value = typed, b: Ty::Value = typed) -> bool = (d: u32 = reg32) d != 0;
    form: "setp{.CmpOp}{.ftz}.f16 p, a, b;";
    ptx: "{{ .reg .pred p; setp" .. " p, {a}, {b}; selp.b32 {d}, 1, 0, p; }}";
    isa: "4.2", target: "sm_53", section: "9.7.7.2";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Compares `a` and `b`.
    fn setp_bf16[
        Cmp: HalfCmp, Ty: Bf16Single,
    ](a: Ty::Value = typed, b: Ty::Value = typed) -> bool = (d: u32 = reg32) d != 0;
    form: "setp{.CmpOp}.bf16 p, a, b;";
    ptx: "{{ .reg .pred p; setp" .. " p, {a}, {b}; selp.b32 {d}, 1, 0, p; }}";
    isa: "7.8", target: "sm_90", section: "9.7.7.2";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Compares two pairs. In the half of the result where the comparison is true, all 16 bits are 1, else 0.
    fn set_f16x2[
        Cmp: HalfCmp, Ftz: HalfFtz, Ty: F16Pair after ".u32",
    ](a: Ty::Value = typed, b: Ty::Value = typed) -> u32 = (d: u32 = reg32) d;
    form: "set{.CmpOp}{.ftz}.u32.f16x2 d, a, b;";
    ptx: "set" .. " {d}, {a}, {b};";
    isa: "6.5", target: "sm_53", section: "9.7.7.1";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Compares two pairs. In the half of the result where the comparison is true, all 16 bits are 1, else 0.
    fn set_bf16x2[
        Cmp: HalfCmp, Ty: Bf16Pair after ".u32",
    ](a: Ty::Value = typed, b: Ty::Value = typed) -> u32 = (d: u32 = reg32) d;
    form: "set{.CmpOp}.u32.bf16x2 d, a, b;";
    ptx: "set" .. " {d}, {a}, {b};";
    isa: "7.8", target: "sm_90", section: "9.7.7.1";
    options: pure, nomem, nostack, preserves_flags;
}
