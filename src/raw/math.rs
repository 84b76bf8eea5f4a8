//! Fast math: approximations of elementary functions by the special function unit (PTX ISA 9.7.3.13 to 9.7.3.22; in half
//! precision 9.7.4.9 and 9.7.4.10). The error bounds are those of the PTX ISA.

legal! {
    /// `.ftz`, or nothing.
    MathFtz: "`{Self}` does not say whether subnormal numbers become zero: use `ftz::Flush` or `ftz::Keep`"
    { ftz::Flush, ftz::Keep }
}
legal! {
    Ex2HalfType(TypeTag): "`{Self}` is not a `.type` of `ex2.approx` in half precision: use `.f16` or `.f16x2`"
    { ty::F16, ty::F16x2 }
}
legal! {
    Ex2Bf16Type(TypeTag): "`{Self}` is not a `.type` of `ex2.approx.ftz` in bfloat16: use `.bf16` or `.bf16x2`"
    { ty::Bf16, ty::Bf16x2 }
}
legal! {
    TanhType(TypeTag): "`{Self}` is not a `.type` of `tanh.approx`: use `.f32`, `.f16`, `.f16x2`, `.bf16` or `.bf16x2`"
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
    /// Returns `1 / a`, with an error of 1 ulp at most.
    rcp_approx "rcp" "9.7.3.13";
    /// Returns the square root of `a`, with a relative error of 2^-23 at most. The result is NaN for a negative number.
    sqrt_approx "sqrt" "9.7.3.15";
    /// Returns `1 / sqrt(a)`, with a relative error of 2^-22.9 at most. The result is NaN for a negative number.
    rsqrt_approx "rsqrt" "9.7.3.16";
    /// Returns the sine of `a` radians. The absolute error is at most 2^-20.5 in -2π to 2π, and at most 2^-14.7 in -100π to 100π;
    /// beyond, PTX guarantees no bound. The result is NaN for an infinity.
    sin_approx "sin" "9.7.3.18";
    /// Returns the cosine of `a` radians. The PTX ISA states the errors of [`sin_approx`]; [`math::cos`](crate::math::cos) names
    /// a greater measured error.
    cos_approx "cos" "9.7.3.19";
    /// Returns the logarithm of `a` to base 2, with an absolute error of 2^-22 at most between 0.5 and 2, elsewhere a relative
    /// error of 2^-22 at most. The result is NaN for a negative number.
    lg2_approx "lg2" "9.7.3.20";
    /// Returns 2 to the power `a`, with an error of 2 ulp at most.
    ex2_approx "ex2" "9.7.3.21";
}

/// `op.approx.2pi.ftz.f32 d, a;`
macro_rules! approx_2pi {
    ($( $(#[$doc:meta])* $name:ident $op:literal $section:literal; )*) => { $(
        instruction! {
            $(#[$doc])*
            /// Subnormal operands and results become zero. ptxas 13.5 takes the instruction; the PTX ISA up to 9.4 has no text on it.
            fn $name(a: f32 = reg32) -> f32 = (d: f32 = reg32) d;
            form: $op ".approx.2pi.ftz.f32 d, a;";
            ptx: $op ".approx.2pi.ftz.f32" .. " {d}, {a};";
            isa: "9.5", target: "sm_75", section: $section;
            options: pure, nomem, nostack, preserves_flags;
        }
    )* };
}

approx_2pi! {
    /// Returns the sine of `a` whole turns, 2π`a` radians.
    sin_approx_2pi_ftz "sin" "9.7.3.18";
    /// Returns the cosine of `a` whole turns, 2π`a` radians.
    cos_approx_2pi_ftz "cos" "9.7.3.19";
}

instruction! {
    /// Returns a rough `1 / a`. The instruction reads the high 32 bits of `a`; the low 32 bits of the result are zero. Subnormal
    /// operands and results become zero.
    fn rcp_approx_ftz_f64(a: f64 = reg64) -> f64 = (d: f64 = reg64) d;
    form: "rcp.approx.ftz.f64 d, a;";
    ptx: "rcp.approx.ftz.f64" .. " {d}, {a};";
    isa: "2.1", target: "sm_20", section: "9.7.3.14";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns `1 / sqrt(a)`, computed in software. With `.ftz`, one hardware instruction computes the result from the high 32
    /// bits of `a`; the low 32 bits of the result are zero.
    fn rsqrt_approx_f64[
        Ftz: MathFtz { ftz::Flush @ "4.0" on "sm_20", ftz::Keep },
    ](a: f64 = reg64) -> f64 = (d: f64 = reg64) d;
    form: "rsqrt.approx{.ftz}.f64 d, a;";
    ptx: "rsqrt.approx" .. ".f64 {d}, {a};";
    isa: "1.4", target: "sm_13", section: "9.7.3.16 and 9.7.3.17";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns 2 to the power `a` (of a pair, element by element), with a relative error of 2^-9.9 at most.
    fn ex2_approx_f16[
        Ty: Ex2HalfType { ty::F16 as u16 in reg16, ty::F16x2 as u32 in reg32 },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "ex2.approx{.type} d, a;";
    ptx: "ex2.approx" .. " {d}, {a};";
    isa: "7.0", target: "sm_75", section: "9.7.4.10";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns 2 to the power `a` (of a pair, element by element), with a relative error of 2^-7 at most. Subnormal operands
    /// and results become zero, of the same sign.
    fn ex2_approx_ftz_bf16[
        Ty: Ex2Bf16Type { ty::Bf16 as u16 in reg16, ty::Bf16x2 as u32 in reg32 },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "ex2.approx.ftz{.type} d, a;";
    ptx: "ex2.approx.ftz" .. " {d}, {a};";
    isa: "7.8", target: "sm_90", section: "9.7.4.10";
    options: pure, nomem, nostack, preserves_flags;
}

instruction! {
    /// Returns the hyperbolic tangent of `a` (of a pair, element by element). Subnormal numbers are kept.
    ///
    /// The relative error is at most 2^-11 in `.f32`. The absolute error is at most 2^-10.987 in `.f16`, and by the PTX ISA 2^-8
    /// in `.bf16`; [`math::tanh`](crate::math::tanh) names a greater measured error.
    fn tanh_approx[
        Ty: TanhType {
            ty::F32 as f32 in reg32, ty::F16 as u16 in reg16, ty::F16x2 as u32 in reg32,
            ty::Bf16 as u16 in reg16 @ "7.8" on "sm_90", ty::Bf16x2 as u32 in reg32 @ "7.8" on "sm_90",
        },
    ](a: Ty::Value = typed) -> Ty::Value = (d: _ = typed) super::cast(d);
    form: "tanh.approx{.type} d, a;";
    ptx: "tanh.approx" .. " {d}, {a};";
    isa: "7.0", target: "sm_75", section: "9.7.3.22 and 9.7.4.9";
    options: pure, nomem, nostack, preserves_flags;
}
