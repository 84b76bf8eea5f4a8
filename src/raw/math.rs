//! Approximations by the special function unit: sections 9.7.3.13 to 9.7.3.22, in half precision 9.7.4.9 and 9.7.4.10.

#[cfg(target_arch = "nvptx64")]
use super::cast;

legal! {
    /// `.ftz`, or nothing.
    MathFtz: "`{Self}` does not say what becomes of subnormal numbers: it takes `ftz::Flush` or `ftz::Keep`"
    { ftz::Flush, ftz::Keep }
}
legal! {
    /// `.type` of `ex2.approx` in half precision.
    Ex2HalfType(TypeTag): "`{Self}` is no `.type` of `ex2.approx` in half precision: it takes `.f16` or `.f16x2`"
    { ty::F16, ty::F16x2 }
}
legal! {
    /// `.type` of `ex2.approx.ftz` in bfloat16.
    Ex2Bf16Type(TypeTag): "`{Self}` is no `.type` of `ex2.approx.ftz` in bfloat16: it takes `.bf16` or `.bf16x2`"
    { ty::Bf16, ty::Bf16x2 }
}
legal! {
    /// `.type` of `tanh.approx`.
    TanhType(TypeTag): "`{Self}` is no `.type` of `tanh.approx`: it takes `.f32`, `.f16`, `.f16x2`, `.bf16` or `.bf16x2`"
    { ty::F32, ty::F16, ty::F16x2, ty::Bf16, ty::Bf16x2 }
}

/// `op.approx{.ftz}.f32 d, a;`
macro_rules! approx_f32 {
    ($( $(#[$doc:meta])* $name:ident $op:literal $section:literal; )*) => { $(
        instruction! {
            $(#[$doc])*
            fn $name[
                Ftz: MathFtz { ftz::Flush, ftz::Keep },
            ](a: f32 = reg32) -> f32 = (d: f32 = reg32) d;
            form: $op ".approx{.ftz}.f32 d, a;";
            ptx: $op ".approx" .. ".f32 {d}, {a};";
            isa: "1.4", target: "sm_10", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}

approx_f32! {
    /// `1 / a`, one ulp off at most.
    rcp_approx "rcp" "9.7.3.13";
    /// The square root of `a`, with a relative error of 2^-23 at most; of a negative number, NaN.
    sqrt_approx "sqrt" "9.7.3.15";
    /// `1 / sqrt(a)`, with a relative error of 2^-22.9 at most; of a negative number, NaN.
    rsqrt_approx "rsqrt" "9.7.3.16";
    /// The sine of `a` radians, with an absolute error of 2^-20.5 at most in -2π to 2π, of 2^-14.7 in -100π to 100π;
    /// beyond, no error is guaranteed. Of an infinity, NaN.
    sin_approx "sin" "9.7.3.18";
    /// The cosine of `a` radians, with the errors of [`sin_approx`].
    cos_approx "cos" "9.7.3.19";
    /// The logarithm of `a` to base 2, with an absolute error of 2^-22 at most between 0.5 and 2, elsewhere a relative one of
    /// 2^-22; of a negative number, NaN.
    lg2_approx "lg2" "9.7.3.20";
    /// `2` to the power `a`, two ulps off at most.
    ex2_approx "ex2" "9.7.3.21";
}

instruction! {
    /// `1 / a`, of the high 32 bits of `a` into those of the result, whose low ones are zero. Subnormal numbers count as zero.
    fn rcp_approx_ftz_f64(a: f64 = reg64) -> f64 = (d: f64 = reg64) d;
    form: "rcp.approx.ftz.f64 d, a;";
    ptx: "rcp.approx.ftz.f64" .. " {d}, {a};";
    isa: "2.1", target: "sm_20", section: "9.7.3.14";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `1 / sqrt(a)`, by software; with `.ftz`, by one instruction of the hardware, of the high 32 bits of `a` into those of the
    /// result, whose low ones are zero.
    fn rsqrt_approx_f64[
        Ftz: MathFtz { ftz::Flush @ "4.0" on "sm_20", ftz::Keep },
    ](a: f64 = reg64) -> f64 = (d: f64 = reg64) d;
    form: "rsqrt.approx{.ftz}.f64 d, a;";
    ptx: "rsqrt.approx" .. ".f64 {d}, {a};";
    isa: "1.4", target: "sm_13", section: "9.7.3.16 and 9.7.3.17";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `2` to the power `a`, or to each of two, with a relative error of 2^-9.9 at most.
    fn ex2_approx_f16[
        Ty: Ex2HalfType { ty::F16 as u16 in reg16, ty::F16x2 as u32 in reg32 },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
    form: "ex2.approx{.type} d, a;";
    ptx: "ex2.approx" .. " {d}, {a};";
    isa: "7.0", target: "sm_75", section: "9.7.4.10";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// `2` to the power `a`, or to each of two, with a relative error of 2^-7 at most. Subnormal operands and results become
    /// zero, of the same sign.
    fn ex2_approx_ftz_bf16[
        Ty: Ex2Bf16Type { ty::Bf16 as u16 in reg16, ty::Bf16x2 as u32 in reg32 },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
    form: "ex2.approx.ftz{.type} d, a;";
    ptx: "ex2.approx.ftz" .. " {d}, {a};";
    isa: "7.8", target: "sm_90", section: "9.7.4.10";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// The hyperbolic tangent of `a`, or of each of two: in `.f32` with a relative error of 2^-11 at most, in `.f16` with an
    /// absolute one of 2^-10.987, in `.bf16` of 2^-8. Subnormal numbers are kept.
    fn tanh_approx[
        Ty: TanhType {
            ty::F32 as f32 in reg32, ty::F16 as u16 in reg16, ty::F16x2 as u32 in reg32,
            ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
        },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) cast(d);
    form: "tanh.approx{.type} d, a;";
    ptx: "tanh.approx" .. " {d}, {a};";
    isa: "7.0", target: "sm_75", section: "9.7.3.22 and 9.7.4.9";
    options: pure, nomem, nostack, preserves_flags;
}
