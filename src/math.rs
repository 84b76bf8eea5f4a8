//! Approximations of elementary functions by the special function unit: one instruction each, or two or three.
//!
//! Each states its greatest error, as the PTX ISA has it (9.7.3, 9.7.4), or as it follows from that for what is made of two
//! instructions. An *ulp* is the distance between the two floats around the exact result.
//!
//! | | instruction | greatest error |
//! |---|---|---|
//! | [`rcp`] | `rcp.approx` | 1 ulp |
//! | [`sqrt`] | `sqrt.approx` | relative 2^-23 |
//! | [`rsqrt`] | `rsqrt.approx` | relative 2^-22.9 |
//! | [`sin`], [`cos`] | `sin.approx`, `cos.approx` | absolute 2^-20.5 in -2π to 2π, 2^-14.7 in -100π to 100π |
//! | [`lg2`] | `lg2.approx` | absolute 2^-22 between 0.5 and 2, else relative 2^-22 |
//! | [`ex2`] | `ex2.approx` | 2 ulp; of `f16` relative 2^-9.9; by [`ex2_ftz`] of `bf16` 2^-7 |
//! | [`tanh`] | `tanh.approx` | relative 2^-11; of `f16` absolute 2^-10.987, of `bf16` 2^-8 |
//! | [`exp`] | `mul`, `ex2.approx` | 2 + 1.23·\|x\| ulp |
//! | [`ln`] | `lg2.approx`, `mul` | absolute 2^-22 between 0.5 and 2, else relative 2^-21.5 |
//! | [`fma`] | `fma.rn` | none but its one rounding |
//!
//! Subnormal numbers are kept. The functions that end with `_ftz` take them for zero, as operands and as results, which saves
//! the instructions that scale them: what nvcc's `-ftz=true` makes.

use core::f32::consts::{LN_2, LOG2_E};

#[cfg(feature = "half")]
use crate::qualifier::TypeTag;
use crate::qualifier::{Sealed, ftz, ty};
use crate::raw;

/// Floats that [`ex2`] takes.
///
/// ```
/// use ptx::math::{Ex2, ex2};
/// /// `2` to the power of `2` to the power of `x`.
/// fn tower<T: Ex2>(x: T) -> T {
///     ex2(ex2(x))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`ex2.approx` does not take `{Self}`",
    label = "not a float that it takes",
    note = "it takes `f32`, and with the feature `half` `f16` and two of them; `bf16` is what `ex2_ftz` takes"
)]
pub trait Ex2: Copy + Sealed {
    #[doc(hidden)]
    fn ex2(self) -> Self;
}

/// Floats that [`ex2_ftz`] takes.
///
/// ```
/// use ptx::math::{Ex2Ftz, ex2_ftz};
/// /// `2` to the power of `2` to the power of `x`.
/// fn tower<T: Ex2Ftz>(x: T) -> T {
///     ex2_ftz(ex2_ftz(x))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`ex2.approx.ftz` does not take `{Self}`",
    label = "not a float that it takes",
    note = "it takes `f32`, and with the feature `half` `bf16` and two of them; `f16` is what `ex2` takes"
)]
pub trait Ex2Ftz: Copy + Sealed {
    #[doc(hidden)]
    fn ex2_ftz(self) -> Self;
}

/// Floats that [`tanh`] takes.
///
/// ```
/// use ptx::math::{Tanh, tanh};
/// /// Twice.
/// fn squash<T: Tanh>(x: T) -> T {
///     tanh(tanh(x))
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`tanh.approx` does not take `{Self}`",
    label = "not a float that it takes",
    note = "it takes `f32`, and with the feature `half` `f16`, `bf16` and two of either"
)]
pub trait Tanh: Copy + Sealed {
    #[doc(hidden)]
    fn tanh(self) -> Self;
}

impl Ex2 for f32 {
    #[inline(always)]
    fn ex2(self) -> f32 {
        raw::ex2_approx(ftz::Keep, self)
    }
}
impl Ex2Ftz for f32 {
    #[inline(always)]
    fn ex2_ftz(self) -> f32 {
        raw::ex2_approx(ftz::Flush, self)
    }
}
impl Tanh for f32 {
    #[inline(always)]
    fn tanh(self) -> f32 {
        raw::tanh_approx(ty::F32, self)
    }
}

#[cfg(feature = "half")]
macro_rules! halves {
    ($( $Trait:ident $method:ident $raw:ident: $( $Type:ident )*; )*) => { $( $(
        impl $Trait for <ty::$Type as TypeTag>::Value {
            #[inline(always)]
            fn $method(self) -> Self {
                raw::$raw(ty::$Type, self)
            }
        }
    )* )* };
}
#[cfg(feature = "half")]
halves! {
    Ex2 ex2 ex2_approx_f16: F16 F16x2;
    Ex2Ftz ex2_ftz ex2_approx_ftz_bf16: Bf16 Bf16x2;
    Tanh tanh tanh_approx: F16 F16x2 Bf16 Bf16x2;
}

/// `2` to the power `x`, of `f32` two ulps off at most, of `f16` with a relative error of 2^-9.9 at most. Of two halves, each.
///
/// Of -∞ it is +0, of ±0 it is 1, of +∞ it is +∞, of NaN it is NaN.
///
/// PTX: `ex2.approx.f32 d, x;`, `ex2.approx.f16 d, x;` or `ex2.approx.f16x2 d, x;`
///
/// ```
/// # fn kernel(x: f32) {
/// let y = ptx::math::ex2(x);
/// # }
/// ```
#[inline(always)]
pub fn ex2<T: Ex2>(x: T) -> T {
    x.ex2()
}

/// [`ex2`] that takes subnormal numbers for zero, in `bf16` with a relative error of 2^-7 at most.
///
/// PTX: `ex2.approx.ftz.f32 d, x;`, `ex2.approx.ftz.bf16 d, x;` or `ex2.approx.ftz.bf16x2 d, x;`
///
/// ```
/// # fn kernel(score: f32, greatest: f32) {
/// let weight = ptx::math::ex2_ftz(score - greatest);
/// # }
/// ```
#[inline(always)]
pub fn ex2_ftz<T: Ex2Ftz>(x: T) -> T {
    x.ex2_ftz()
}

/// The hyperbolic tangent of `x`: of `f32` with a relative error of 2^-11 at most, of `f16` with an absolute one of 2^-10.987, of
/// `bf16` of 2^-8 by the PTX ISA (an H200 gives 0.62890625 for 0.74609375, which is 2.6e-7 more). Of two halves, each. Subnormal
/// numbers are kept.
///
/// Of ±0 it is ±0, of ±∞ it is ±1, of NaN it is NaN.
///
/// PTX: `tanh.approx.f32 d, x;` or `.f16`, `.f16x2`, `.bf16`, `.bf16x2`
///
/// ```
/// # fn kernel(x: f32) {
/// let y = 0.5 * x * (1.0 + ptx::math::tanh(0.797_884_6 * (x + 0.044_715 * x * x * x)));
/// # }
/// ```
#[inline(always)]
pub fn tanh<T: Tanh>(x: T) -> T {
    x.tanh()
}

/// A function and its `_ftz`.
macro_rules! functions {
    ($( $(#[doc = $doc:literal])* ($name:ident, $ftz:ident) $raw:ident $op:literal $example:literal; )*) => { $(
        $(#[doc = $doc])*
        ///
        #[doc = concat!("PTX: `", $op, ".approx.f32 d, x;`")]
        ///
        /// ```
        /// # fn kernel(x: f32, y: f32) {
        #[doc = $example]
        /// # }
        /// ```
        #[inline(always)]
        pub fn $name(x: f32) -> f32 {
            raw::$raw(ftz::Keep, x)
        }

        #[doc = concat!("[`", stringify!($name), "`] that takes subnormal numbers for zero.")]
        ///
        #[doc = concat!("PTX: `", $op, ".approx.ftz.f32 d, x;`")]
        ///
        /// ```
        /// # fn kernel(x: f32) {
        #[doc = concat!("let y = ptx::math::", stringify!($ftz), "(x);")]
        /// # }
        /// ```
        #[inline(always)]
        pub fn $ftz(x: f32) -> f32 {
            raw::$raw(ftz::Flush, x)
        }
    )* };
}

functions! {
    /// `1 / x`, one ulp off at most. Of ±0 it is ±∞, of ±∞ it is ±0, of NaN it is NaN.
    (rcp, rcp_ftz) rcp_approx "rcp" "let quotient = y * ptx::math::rcp(x);";
    /// The square root of `x`, with a relative error of 2^-23 at most. Of ±0 it is ±0, of +∞ it is +∞, of a negative number and of
    /// NaN it is NaN.
    (sqrt, sqrt_ftz) sqrt_approx "sqrt" "let length = ptx::math::sqrt(x * x + y * y);";
    /// `1 / sqrt(x)`, with a relative error of 2^-22.9 at most. Of ±0 it is ±∞, of +∞ it is +0, of a negative number and of NaN it
    /// is NaN.
    (rsqrt, rsqrt_ftz) rsqrt_approx "rsqrt" "let unit = x * ptx::math::rsqrt(x * x + y * y);";
    /// The sine of `x` radians, with an absolute error of 2^-20.5 at most in -2π to 2π, of 2^-14.7 in -100π to 100π; beyond, no
    /// error is guaranteed. Of ±0 it is ±0, of ±∞ and of NaN it is NaN.
    (sin, sin_ftz) sin_approx "sin" "let height = ptx::math::sin(x) * y;";
    /// The cosine of `x` radians, with the errors of [`sin`] by the PTX ISA; of -4.9030709 an H200 gives 0.18952784, whose error is
    /// 1.017 times 2^-20.5. Of ±0 it is 1, of ±∞ and of NaN it is NaN.
    (cos, cos_ftz) cos_approx "cos" "let width = ptx::math::cos(x) * y;";
    /// The logarithm of `x` to base 2, with an absolute error of 2^-22 at most between 0.5 and 2, elsewhere with a relative one of
    /// 2^-22. Of ±0 it is -∞, of +∞ it is +∞, of a negative number and of NaN it is NaN.
    (lg2, lg2_ftz) lg2_approx "lg2" "let power = ptx::math::ex2(ptx::math::lg2(x) * y);";
}

/// `e` to the power `x`: [`ex2`] of `x` times the logarithm of `e`, for normal results 2 + 1.23·|x| ulp off at most.
///
/// (The product has two roundings, its own, of 2^-24, and that of the constant, of 2^-26.1. Together they change the result by a
/// part of |x|·1.23·2^-24, and an ulp is a part of at least 2^-24.)
///
/// PTX: `mul.rn.f32 t, x, 0f3FB8AA3B;` `ex2.approx.f32 d, t;`
///
/// ```
/// # fn kernel(x: f32) {
/// let sigmoid = ptx::math::rcp(1.0 + ptx::math::exp(-x));
/// # }
/// ```
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    ex2(x * LOG2_E)
}

/// [`exp`] by [`ex2_ftz`], which takes subnormal numbers for zero.
///
/// PTX: `mul.rn.f32 t, x, 0f3FB8AA3B;` `ex2.approx.ftz.f32 d, t;`
///
/// ```
/// # fn kernel(score: f32, greatest: f32) {
/// let weight = ptx::math::exp_ftz(score - greatest);
/// # }
/// ```
#[inline(always)]
pub fn exp_ftz(x: f32) -> f32 {
    ex2_ftz(x * LOG2_E)
}

/// The natural logarithm of `x`: [`lg2`] times that of 2, with an absolute error of 2^-22 at most between 0.5 and 2, elsewhere with a
/// relative one of 2^-21.5.
///
/// (The product has two roundings, its own, of 2^-24, and that of the constant, of 2^-28.4. Between 0.5 and 2 it is below 0.7, as is
/// the constant: 0.7·(2^-22 + 1.1·2^-24). Elsewhere 2^-22 + 1.1·2^-24.)
///
/// PTX: `lg2.approx.f32 t, x;` `mul.rn.f32 d, t, 0f3F317218;`
///
/// ```
/// # fn kernel(x: f32) {
/// let softplus = ptx::math::ln(1.0 + ptx::math::exp(x));
/// # }
/// ```
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    lg2(x) * LN_2
}

/// [`ln`] by [`lg2_ftz`], which takes subnormal numbers for zero.
///
/// PTX: `lg2.approx.ftz.f32 t, x;` `mul.rn.f32 d, t, 0f3F317218;`
///
/// ```
/// # fn kernel(x: f32) {
/// let y = ptx::math::ln_ftz(x);
/// # }
/// ```
#[inline(always)]
pub fn ln_ftz(x: f32) -> f32 {
    lg2_ftz(x) * LN_2
}

/// `a * b + c`, rounded once, to the nearest. Rust never makes one of a product and a sum itself, as C++ compilers do.
///
/// PTX: `fma.rn.f32 d, a, b, c;`
///
/// ```
/// # fn kernel(a: f32, b: f32, mut sum: f32) {
/// sum = ptx::math::fma(a, b, sum);
/// # }
/// ```
#[inline(always)]
pub fn fma(a: f32, b: f32, c: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return core::f32::math::mul_add(a, b, c);
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("`ptx::math::fma({a}, {b}, {c})` runs on a GPU only: build for the target nvptx64-nvidia-cuda")
}
