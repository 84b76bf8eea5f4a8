//! Arithmetic of half precision, conversions, and fast math like CUDA's `__expf` and `__sinf`.
//!
//! # Half precision
//!
//! [`add`], [`sub`], [`mul`], [`fma`], [`min`], [`max`], [`neg`], [`abs`], [`relu`], [`fma_relu`], the saturating [`add_sat`] and its
//! siblings, the comparisons [`lt`] and its siblings with [`select`], and [`convert`] are one instruction for a single `f16` or
//! `bf16` and for a pair of them (`[f16; 2]`), and one instruction a pair for a vector (`[f16; 8]`, 16 bytes). All but `convert`
//! round to the nearest, keep subnormal numbers, and also take `f32` and `f64` where PTX has the instruction, so that a generic
//! function may have any [`Arithmetic`] type.
//!
//! The operators and methods of the crate `half` (`a * x`, `x.to_f32()`) are software on a GPU, of ten to a hundred instructions.
//!
//! # Fast math
//!
//! Approximations of elementary functions by the special function unit take one to three instructions. Each function states its
//! greatest error: that of the PTX ISA (9.7.3, 9.7.4) or, for two instructions, the error that follows
//! from it. An *ulp* is the distance between the two floats around the exact result.
//!
//! | | instruction | greatest error |
//! |---|---|---|
//! | [`rcp`] | `rcp.approx` | 1 ulp |
//! | [`sqrt_approx`] | `sqrt.approx` | relative 2^-23 |
//! | [`rsqrt`] | `rsqrt.approx` | relative 2^-22.9 |
//! | [`sin`], [`cos`] | `sin.approx`, `cos.approx` | absolute 2^-20.5 in -2π to 2π, 2^-14.7 in -100π to 100π |
//! | [`lg2`] | `lg2.approx` | absolute 2^-22 between 0.5 and 2, else relative 2^-22 |
//! | [`ex2`] | `ex2.approx` | 2 ulp; of `f16` relative 2^-9.9; by [`ex2_ftz`] of `bf16` 2^-7 |
//! | [`tanh`] | `tanh.approx` | relative 2^-11; of `f16` absolute 2^-10.987, of `bf16` 2^-8 |
//! | [`exp`] | `mul`, `ex2.approx` | 2 + 1.23·\|x\| ulp |
//! | [`ln`] | `lg2.approx`, `mul` | absolute 2^-22 between 0.5 and 2, else relative 2^-21.5 |
//!
//! The functions keep subnormal numbers. A function whose name ends with `_ftz` treats subnormal operands and results as zero,
//! which saves the instructions that scale subnormal numbers; nvcc does the same under `-ftz=true`.
//!
//! The trait [`Float`] gives `f32` the methods of `std`: `x.exp()` is [`exp(x)`](exp).
//!
//! # On the host
//!
//! All functions compute on the host too, so that a device function has unit tests there. What rounds to the nearest has the same
//! result, but for the bits of a NaN; approximations are within their error, most of them the nearest number.

use core::f32::consts::{LN_2, LOG2_E};

/// Calls a function of `raw`; off the device it is the expression after it.
macro_rules! approximate {
    ($raw:ident($($argument:expr),*), $host:expr) => {{
        #[cfg(target_arch = "nvptx64")]
        let result = raw::$raw($($argument),*);
        #[cfg(not(target_arch = "nvptx64"))]
        let result = $host;
        result
    }};
}

#[cfg(not(target_arch = "nvptx64"))]
use crate::host;
use crate::qualifier::Sealed;
#[cfg(target_arch = "nvptx64")]
use crate::qualifier::{ftz, ty};
#[cfg(target_arch = "nvptx64")]
use crate::raw;

mod convert;
mod half;

pub use convert::{Convert, convert, to_tf32};
pub use half::PairMask;

/// Floats that [`add`], [`sub`], [`mul`], [`fma`], [`min`], [`max`], [`neg`] and [`abs`] take: `f32`, `f64`, `f16`, `bf16`, and
/// pairs and vectors of 4 and 8 `f16` or `bf16`.
#[diagnostic::on_unimplemented(
    message = "`ptx::math` does not compute with `{Self}`",
    label = "not a float, a pair of halves or a vector of halves",
    note = "the functions take `f32`, `f64`, `f16`, `bf16`, and arrays of 2, 4 or 8 `f16` or `bf16`, all operands of one type: `[a; 8]` repeats a value, `convert` makes another type of it"
)]
pub trait Arithmetic: Copy + Sealed {
    #[doc(hidden)]
    fn add_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn sub_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn mul_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn fma_rn(a: Self, b: Self, c: Self) -> Self;
    #[doc(hidden)]
    fn lesser(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn greater(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn negative(a: Self) -> Self;
    #[doc(hidden)]
    fn absolute(a: Self) -> Self;
}

/// Floats that [`fma_relu`], [`relu`], [`min_nan`] and [`max_nan`] take: `f16`, `bf16`, and pairs and vectors of 4 and 8 of them.
#[diagnostic::on_unimplemented(
    message = "this instruction does not take `{Self}`",
    label = "not half precision",
    note = "`fma.relu`, and `min` and `max` with `.NaN`, take `f16`, `bf16`, and arrays of 2, 4 or 8 of them; of an `f32`, `max(x, 0.0)` is the `relu`"
)]
pub trait HalfArithmetic: Arithmetic {
    #[doc(hidden)]
    fn fma_relu_rn(a: Self, b: Self, c: Self) -> Self;
    #[doc(hidden)]
    fn lesser_or_nan(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn greater_or_nan(a: Self, b: Self) -> Self;
}

/// Floats that [`add_sat`], [`sub_sat`], [`mul_sat`] and [`fma_sat`] take: `f16`, and pairs and vectors of 4 and 8 of them.
#[diagnostic::on_unimplemented(
    message = "PTX has no saturating arithmetic of `{Self}`",
    label = "not an `f16`",
    note = "`.sat` is for `f16`, and arrays of 2, 4 or 8 of them; of another type, call `min` and `max`"
)]
pub trait Saturate: Arithmetic {
    #[doc(hidden)]
    fn add_sat_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn sub_sat_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn mul_sat_rn(a: Self, b: Self) -> Self;
    #[doc(hidden)]
    fn fma_sat_rn(a: Self, b: Self, c: Self) -> Self;
}

/// Floats that [`lt`] and its siblings compare: `f16`, `bf16`, and pairs and vectors of 4 and 8 of them. `f32` and `f64` have
/// Rust's operators.
#[diagnostic::on_unimplemented(
    message = "`ptx::math` does not compare `{Self}`",
    label = "not half precision",
    note = "the comparisons take `f16`, `bf16`, and arrays of 2, 4 or 8 of them; compare other numbers by `<`, `==` and their like"
)]
pub trait Compare: Copy + Sealed {
    /// The result: `bool` for a single value, [`PairMask`] for a pair, an array of them for a vector.
    type Mask: Copy;
    #[doc(hidden)]
    fn equal(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn unequal(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn less(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn less_or_equal(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn more(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn more_or_equal(a: Self, b: Self) -> Self::Mask;
    #[doc(hidden)]
    fn choose(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// Floats that [`ex2`] takes: `f32`, `f16`, and pairs and vectors of 4 and 8 `f16`.
#[diagnostic::on_unimplemented(
    message = "`ex2.approx` does not take `{Self}`",
    label = "the instruction does not take this type",
    note = "`ex2.approx` takes `f32`, `f16`, and arrays of 2, 4 or 8 `f16`; for `bf16`, call `ex2_ftz`"
)]
pub trait Ex2: Copy + Sealed {
    #[doc(hidden)]
    fn ex2_approx(x: Self) -> Self;
}

/// Floats that [`ex2_ftz`] takes: `f32`, `bf16`, and pairs and vectors of 4 and 8 `bf16`.
#[diagnostic::on_unimplemented(
    message = "`ex2.approx.ftz` does not take `{Self}`",
    label = "the instruction does not take this type",
    note = "`ex2.approx.ftz` takes `f32`, `bf16`, and arrays of 2, 4 or 8 `bf16`; for `f16`, call `ex2`"
)]
pub trait Ex2Ftz: Copy + Sealed {
    #[doc(hidden)]
    fn ex2_approx_ftz(x: Self) -> Self;
}

/// Floats that [`tanh`] takes: `f32`, `f16`, `bf16`, and pairs and vectors of 4 and 8 `f16` or `bf16`.
#[diagnostic::on_unimplemented(
    message = "`tanh.approx` does not take `{Self}`",
    label = "the instruction does not take this type",
    note = "`tanh.approx` takes `f32`, `f16`, `bf16`, and arrays of 2, 4 or 8 `f16` or `bf16`"
)]
pub trait Tanh: Copy + Sealed {
    #[doc(hidden)]
    fn tanh_approx(x: Self) -> Self;
}

macro_rules! wide_arithmetic {
    ($( $T:ident ),*) => { $(
        #[diagnostic::do_not_recommend]
        impl Arithmetic for $T {
            #[inline(always)]
            fn add_rn(a: $T, b: $T) -> $T {
                a + b
            }
            #[inline(always)]
            fn sub_rn(a: $T, b: $T) -> $T {
                a - b
            }
            #[inline(always)]
            fn mul_rn(a: $T, b: $T) -> $T {
                a * b
            }
            #[inline(always)]
            fn fma_rn(a: $T, b: $T, c: $T) -> $T {
                Float::mul_add(a, b, c)
            }
            #[inline(always)]
            fn lesser(a: $T, b: $T) -> $T {
                #[cfg(target_arch = "nvptx64")]
                return a.min(b);
                #[cfg(not(target_arch = "nvptx64"))]
                host::min(a, b)
            }
            #[inline(always)]
            fn greater(a: $T, b: $T) -> $T {
                #[cfg(target_arch = "nvptx64")]
                return a.max(b);
                #[cfg(not(target_arch = "nvptx64"))]
                host::max(a, b)
            }
            #[inline(always)]
            fn negative(a: $T) -> $T {
                -a
            }
            #[inline(always)]
            fn absolute(a: $T) -> $T {
                a.abs()
            }
        }
    )* };
}
wide_arithmetic! { f32, f64 }

impl Ex2 for f32 {
    #[inline(always)]
    fn ex2_approx(x: f32) -> f32 {
        approximate!(ex2_approx(ftz::Keep, x), host::of_f32(x, f64::exp2))
    }
}
impl Ex2Ftz for f32 {
    #[inline(always)]
    fn ex2_approx_ftz(x: f32) -> f32 {
        approximate!(ex2_approx(ftz::Flush, x), host::flushed(host::of_f32(host::flushed(x), f64::exp2)))
    }
}
impl Tanh for f32 {
    #[inline(always)]
    fn tanh_approx(x: f32) -> f32 {
        approximate!(tanh_approx(ty::F32, x), host::of_f32(x, f64::tanh))
    }
}

/// Returns `a + b`, rounded to the nearest (CUDA's `__hadd`, `__hadd2`).
///
/// PTX: `add.rn.f16x2 d, a, b;`, or `.bf16x2`, `.f16`, `.bf16`, `.f32`, `.f64`; for a vector once a pair
///
/// ```
/// use ptx::{bf16, math};
/// /// y ← a·x + y, in eight halves of 16 bytes: four instructions `fma.rn.bf16x2`.
/// fn axpy(a: bf16, x: [bf16; 8], y: [bf16; 8]) -> [bf16; 8] {
///     math::fma([a; 8], x, y)
/// }
/// ```
#[doc(alias("__hadd", "__hadd2"))]
#[inline(always)]
pub fn add<T: Arithmetic>(a: T, b: T) -> T {
    T::add_rn(a, b)
}

/// Returns `a - b`, rounded to the nearest (CUDA's `__hsub`, `__hsub2`).
///
/// PTX: `sub.rn.f16x2 d, a, b;`, and the types of [`add`]
#[doc(alias("__hsub", "__hsub2"))]
#[inline(always)]
pub fn sub<T: Arithmetic>(a: T, b: T) -> T {
    T::sub_rn(a, b)
}

/// Returns `a * b`, rounded to the nearest (CUDA's `__hmul`, `__hmul2`).
///
/// PTX: `mul.rn.f16x2 d, a, b;`, and the types of [`add`]
#[doc(alias("__hmul", "__hmul2"))]
#[inline(always)]
pub fn mul<T: Arithmetic>(a: T, b: T) -> T {
    T::mul_rn(a, b)
}

/// Returns `a * b + c` with one rounding, to the nearest (CUDA's `__fmaf_rn`, `__hfma`, `__hfma2`). rustc never contracts a
/// product and a sum into an `fma`, unlike C++ compilers: call this function for one.
///
/// PTX: `fma.rn.f32 d, a, b, c;`, and the types of [`add`]
#[doc(alias("__fmaf_rn", "__hfma", "__hfma2"))]
#[inline(always)]
pub fn fma<T: Arithmetic>(a: T, b: T, c: T) -> T {
    T::fma_rn(a, b, c)
}

/// Returns the lesser of `a` and `b` (CUDA's `__hmin`, `__hmin2`). Of a number and NaN, it is the number.
///
/// PTX: `min.f16x2 d, a, b;`, and the types of [`add`]
#[doc(alias("__hmin", "__hmin2"))]
#[inline(always)]
pub fn min<T: Arithmetic>(a: T, b: T) -> T {
    T::lesser(a, b)
}

/// Returns the greater of `a` and `b` (CUDA's `__hmax`, `__hmax2`). Of a number and NaN, it is the number.
///
/// PTX: `max.f16x2 d, a, b;`, and the types of [`add`]
#[doc(alias("__hmax", "__hmax2"))]
#[inline(always)]
pub fn max<T: Arithmetic>(a: T, b: T) -> T {
    T::greater(a, b)
}

/// Returns `-a` (CUDA's `__hneg`, `__hneg2`).
///
/// PTX: `neg.f16x2 d, a;`, and the types of [`add`]
#[doc(alias("__hneg", "__hneg2"))]
#[inline(always)]
pub fn neg<T: Arithmetic>(a: T) -> T {
    T::negative(a)
}

/// Returns the absolute value of `a` (CUDA's `__habs`, `__habs2`).
///
/// PTX: `abs.f16x2 d, a;`, and the types of [`add`]
#[doc(alias("__habs", "__habs2"))]
#[inline(always)]
pub fn abs<T: Arithmetic>(a: T) -> T {
    T::absolute(a)
}

/// Returns `a * b + c` with one rounding, to the nearest, or zero if that is negative (CUDA's `__hfma_relu`, `__hfma2_relu`).
/// NaN stays NaN.
///
/// PTX: `fma.rn.relu.f16x2 d, a, b, c;`, or `.bf16x2`, `.f16`, `.bf16`; for a vector once a pair
#[doc(alias("__hfma_relu", "__hfma2_relu"))]
#[inline(always)]
pub fn fma_relu<T: HalfArithmetic>(a: T, b: T, c: T) -> T {
    T::fma_relu_rn(a, b, c)
}

/// Returns the lesser of `a` and `b`, NaN if an operand is NaN (CUDA's `__hmin_nan`, `__hmin2_nan`).
///
/// PTX: `min.NaN.f16x2 d, a, b;`, and the types of [`fma_relu`]
#[doc(alias("__hmin_nan", "__hmin2_nan"))]
#[inline(always)]
pub fn min_nan<T: HalfArithmetic>(a: T, b: T) -> T {
    T::lesser_or_nan(a, b)
}

/// Returns the greater of `a` and `b`, NaN if an operand is NaN (CUDA's `__hmax_nan`, `__hmax2_nan`).
///
/// PTX: `max.NaN.f16x2 d, a, b;`, and the types of [`fma_relu`]
#[doc(alias("__hmax_nan", "__hmax2_nan"))]
#[inline(always)]
pub fn max_nan<T: HalfArithmetic>(a: T, b: T) -> T {
    T::greater_or_nan(a, b)
}

/// Returns `a + b`, rounded to the nearest and clamped to 0 and 1 (CUDA's `__hadd_sat`, `__hadd2_sat`). NaN gives 0.
///
/// PTX: `add.rn.sat.f16x2 d, a, b;` or `.f16`; for a vector once a pair
#[doc(alias("__hadd_sat", "__hadd2_sat"))]
#[inline(always)]
pub fn add_sat<T: Saturate>(a: T, b: T) -> T {
    T::add_sat_rn(a, b)
}

/// Returns `a - b`, rounded to the nearest and clamped to 0 and 1 (CUDA's `__hsub_sat`, `__hsub2_sat`). NaN gives 0.
///
/// PTX: `sub.rn.sat.f16x2 d, a, b;` or `.f16`; for a vector once a pair
#[doc(alias("__hsub_sat", "__hsub2_sat"))]
#[inline(always)]
pub fn sub_sat<T: Saturate>(a: T, b: T) -> T {
    T::sub_sat_rn(a, b)
}

/// Returns `a * b`, rounded to the nearest and clamped to 0 and 1 (CUDA's `__hmul_sat`, `__hmul2_sat`). NaN gives 0.
///
/// PTX: `mul.rn.sat.f16x2 d, a, b;` or `.f16`; for a vector once a pair
#[doc(alias("__hmul_sat", "__hmul2_sat"))]
#[inline(always)]
pub fn mul_sat<T: Saturate>(a: T, b: T) -> T {
    T::mul_sat_rn(a, b)
}

/// Returns `a * b + c` with one rounding, to the nearest, clamped to 0 and 1 (CUDA's `__hfma_sat`, `__hfma2_sat`). NaN gives 0.
///
/// PTX: `fma.rn.sat.f16x2 d, a, b, c;` or `.f16`; for a vector once a pair
#[doc(alias("__hfma_sat", "__hfma2_sat"))]
#[inline(always)]
pub fn fma_sat<T: Saturate>(a: T, b: T, c: T) -> T {
    T::fma_sat_rn(a, b, c)
}

/// Returns `a`, or zero if it is negative; NaN stays NaN.
///
/// PTX: `max.NaN.f16x2 d, a, 0;`, and the types of [`fma_relu`]
#[inline(always)]
pub fn relu<T: HalfArithmetic + crate::registers::Zeroed>(a: T) -> T {
    max_nan(a, crate::registers::zeroed())
}

/// Returns whether `a` is equal to `b` (CUDA's `__heq`, `__heq2_mask`), of each element. It is false if one is NaN.
///
/// PTX: `setp.eq.f16 p, a, b;` or `.bf16`; for a pair `set.eq.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__heq", "__heq2_mask"))]
#[inline(always)]
pub fn eq<T: Compare>(a: T, b: T) -> T::Mask {
    T::equal(a, b)
}

/// Returns whether `a` is different from `b` (CUDA's `__hneu`, `__hneu2_mask`), of each element. It is true if one is NaN.
///
/// PTX: `setp.neu.f16 p, a, b;` or `.bf16`; for a pair `set.neu.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__hneu", "__hneu2_mask"))]
#[inline(always)]
pub fn ne<T: Compare>(a: T, b: T) -> T::Mask {
    T::unequal(a, b)
}

/// Returns whether `a` is less than `b` (CUDA's `__hlt`, `__hlt2_mask`), of each element. It is false if one is NaN.
///
/// PTX: `setp.lt.f16 p, a, b;` or `.bf16`; for a pair `set.lt.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__hlt", "__hlt2_mask"))]
#[inline(always)]
pub fn lt<T: Compare>(a: T, b: T) -> T::Mask {
    T::less(a, b)
}

/// Returns whether `a` is at most `b` (CUDA's `__hle`, `__hle2_mask`), of each element. It is false if one is NaN.
///
/// PTX: `setp.le.f16 p, a, b;` or `.bf16`; for a pair `set.le.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__hle", "__hle2_mask"))]
#[inline(always)]
pub fn le<T: Compare>(a: T, b: T) -> T::Mask {
    T::less_or_equal(a, b)
}

/// Returns whether `a` is greater than `b` (CUDA's `__hgt`, `__hgt2_mask`), of each element. It is false if one is NaN.
///
/// PTX: `setp.gt.f16 p, a, b;` or `.bf16`; for a pair `set.gt.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__hgt", "__hgt2_mask"))]
#[inline(always)]
pub fn gt<T: Compare>(a: T, b: T) -> T::Mask {
    T::more(a, b)
}

/// Returns whether `a` is at least `b` (CUDA's `__hge`, `__hge2_mask`), of each element. It is false if one is NaN.
///
/// PTX: `setp.ge.f16 p, a, b;` or `.bf16`; for a pair `set.ge.u32.f16x2 d, a, b;` or `.bf16x2`; for a vector once a pair
#[doc(alias("__hge", "__hge2_mask"))]
#[inline(always)]
pub fn ge<T: Compare>(a: T, b: T) -> T::Mask {
    T::more_or_equal(a, b)
}

/// Returns the elements of `a` where `mask` is true, those of `b` elsewhere.
///
/// PTX: `selp.b16`; for a pair `lop3.b32`; for a vector once a pair
///
/// ```
/// use ptx::{f16, math};
/// /// A tenth of what is negative (a leaky ReLU).
/// fn leaky(x: [f16; 2]) -> [f16; 2] {
///     let (zero, tenth) = ([f16::ZERO; 2], [const { f16::from_f32_const(0.1) }; 2]);
///     math::select(math::lt(x, zero), math::mul(x, tenth), x)
/// }
/// ```
#[inline(always)]
pub fn select<T: Compare>(mask: T::Mask, a: T, b: T) -> T {
    T::choose(mask, a, b)
}

/// Returns 2 to the power `x` (CUDA's `exp2f`), for a pair of halves element by element. For `f32` the error is 2 ulp at most.
/// For `f16` the relative error is 2^-9.9 at most.
///
/// -∞ gives +0, ±0 gives 1, +∞ gives +∞, NaN gives NaN.
///
/// PTX: `ex2.approx.f32 d, x;`, `ex2.approx.f16 d, x;` or `ex2.approx.f16x2 d, x;`
#[inline(always)]
pub fn ex2<T: Ex2>(x: T) -> T {
    T::ex2_approx(x)
}

/// [`ex2`] with subnormal numbers treated as zero. For `bf16` the relative error is 2^-7 at most.
///
/// PTX: `ex2.approx.ftz.f32 d, x;`, `ex2.approx.ftz.bf16 d, x;` or `ex2.approx.ftz.bf16x2 d, x;`
#[inline(always)]
pub fn ex2_ftz<T: Ex2Ftz>(x: T) -> T {
    T::ex2_approx_ftz(x)
}

/// Returns the hyperbolic tangent of `x` (CUDA's `__tanhf`), for a pair of halves element by element. Subnormal numbers are kept.
///
/// For `f32` the relative error is 2^-11 at most, for `f16` the absolute error is 2^-10.987 at most. For `bf16` the PTX ISA
/// states an absolute error of 2^-8; an H200 gives 0.62890625 for 0.74609375, an error of 2^-8 + 2.5e-7.
///
/// ±0 gives ±0, ±∞ gives ±1, NaN gives NaN.
///
/// PTX: `tanh.approx.f32 d, x;` or `.f16`, `.f16x2`, `.bf16`, `.bf16x2`
///
/// ```
/// # fn kernel(x: f32) {
/// // The activation function GELU.
/// let y = 0.5 * x * (1.0 + ptx::math::tanh(0.797_884_6 * (x + 0.044_715 * x * x * x)));
/// # }
/// ```
#[inline(always)]
#[doc(alias = "__tanhf")]
pub fn tanh<T: Tanh>(x: T) -> T {
    T::tanh_approx(x)
}

/// Defines a function and its `_ftz`.
macro_rules! functions {
    ($( $(#[doc = $doc:literal])* $(alias $alias:literal)? ($name:ident, $ftz:ident) $raw:ident $op:literal $host:expr, $example:literal; )*) => { $(
        $(#[doc = $doc])*
        ///
        #[doc = concat!("PTX: `", $op, ".approx.f32 d, x;`")]
        ///
        /// ```
        /// # fn kernel(x: f32, y: f32) {
        #[doc = $example]
        /// # }
        /// ```
        $(#[doc(alias = $alias)])?
        #[inline(always)]
        pub fn $name(x: f32) -> f32 {
            approximate!($raw(ftz::Keep, x), host::of_f32(x, $host))
        }

        #[doc = concat!("[`", stringify!($name), "`] with subnormal numbers treated as zero.\n\nPTX: `", $op, ".approx.ftz.f32 d, x;`")]
        #[inline(always)]
        pub fn $ftz(x: f32) -> f32 {
            approximate!($raw(ftz::Flush, x), host::flushed(host::of_f32(host::flushed(x), $host)))
        }
    )* };
}

functions! {
    /// Returns `1 / x` (CUDA's division under `-prec-div=false`), with an error of 1 ulp at most. ±0 gives ±∞, ±∞ gives ±0, NaN
    /// gives NaN.
    (rcp, rcp_ftz) rcp_approx "rcp" f64::recip, "let quotient = y * ptx::math::rcp(x);";
    /// Returns the square root of `x` (CUDA's `sqrtf` under `-prec-sqrt=false`), with a relative error of 2^-23 at most. ±0 gives
    /// ±0, +∞ gives +∞, a negative number or NaN gives NaN.
    (sqrt_approx, sqrt_approx_ftz) sqrt_approx "sqrt" f64::sqrt, "let length = ptx::math::sqrt_approx(x * x + y * y);";
    /// Returns `1 / sqrt(x)` (CUDA's `rsqrtf`), with a relative error of 2^-22.9 at most. ±0 gives ±∞, +∞ gives +0, a negative
    /// number or NaN gives NaN.
    (rsqrt, rsqrt_ftz) rsqrt_approx "rsqrt" |x| x.sqrt().recip(), "let unit = x * ptx::math::rsqrt(x * x + y * y);";
    /// Returns the sine of `x` radians (CUDA's `__sinf`), with an absolute error of 2^-20.5 at most in -2π to 2π and of 2^-14.7
    /// at most in -100π to 100π. Beyond, no error is guaranteed. ±0 gives ±0, ±∞ or NaN gives NaN.
    alias "__sinf" (sin, sin_ftz) sin_approx "sin" f64::sin, "let height = ptx::math::sin(x) * y;";
    /// Returns the cosine of `x` radians (CUDA's `__cosf`). The PTX ISA states the errors of [`sin`]; an H200 gives 0.18952784
    /// for -4.9030709, an error of 1.017 times 2^-20.5. ±0 gives 1, ±∞ or NaN gives NaN.
    alias "__cosf" (cos, cos_ftz) cos_approx "cos" f64::cos, "let width = ptx::math::cos(x) * y;";
    /// Returns the logarithm of `x` to base 2 (CUDA's `__log2f`), with an absolute error of 2^-22 at most between 0.5 and 2, and
    /// a relative error of 2^-22 at most elsewhere. ±0 gives -∞, +∞ gives +∞, a negative number or NaN gives NaN.
    alias "__log2f" (lg2, lg2_ftz) lg2_approx "lg2" f64::log2, "let power = ptx::math::ex2(ptx::math::lg2(x) * y);";
}

/// Returns `e` to the power `x` (CUDA's `__expf`): [`ex2`] of `x` times the base-2 logarithm of `e`. For normal results the error
/// is 2 + 1.23·|x| ulp at most.
///
/// (The product has two rounding errors: its own, 2^-24, and that of the constant, 2^-26.1. Together they change the result by a
/// relative |x|·1.23·2^-24, and an ulp is at least a relative 2^-24.)
///
/// PTX: `mul.rn.f32 t, x, 0f3FB8AA3B;` `ex2.approx.f32 d, t;`
///
/// ```
/// # fn kernel(x: f32) {
/// let sigmoid = ptx::math::rcp(1.0 + ptx::math::exp(-x));
/// # }
/// ```
#[inline(always)]
#[doc(alias = "__expf")]
pub fn exp(x: f32) -> f32 {
    ex2(x * LOG2_E)
}

/// [`exp`] by [`ex2_ftz`], with subnormal numbers treated as zero.
///
/// PTX: `mul.rn.f32 t, x, 0f3FB8AA3B;` `ex2.approx.ftz.f32 d, t;`
#[inline(always)]
pub fn exp_ftz(x: f32) -> f32 {
    ex2_ftz(x * LOG2_E)
}

/// Returns the natural logarithm of `x` (CUDA's `__logf`): [`lg2`] of `x` times the natural logarithm of 2. The absolute error is
/// 2^-22 at most between 0.5 and 2, and the relative error is 2^-21.5 at most elsewhere.
///
/// (The product has two rounding errors: its own, 2^-24, and that of the constant, 2^-28.4. Between 0.5 and 2 the product is
/// below 0.7, and so is the constant: the error is 0.7·(2^-22 + 1.1·2^-24). Elsewhere the error is 2^-22 + 1.1·2^-24.)
///
/// PTX: `lg2.approx.f32 t, x;` `mul.rn.f32 d, t, 0f3F317218;`
///
/// ```
/// # fn kernel(x: f32) {
/// let softplus = ptx::math::ln(1.0 + ptx::math::exp(x));
/// # }
/// ```
#[inline(always)]
#[doc(alias = "__logf")]
pub fn ln(x: f32) -> f32 {
    lg2(x) * LN_2
}

/// [`ln`] by [`lg2_ftz`], with subnormal numbers treated as zero.
///
/// PTX: `lg2.approx.ftz.f32 t, x;` `mul.rn.f32 d, t, 0f3F317218;`
#[inline(always)]
pub fn ln_ftz(x: f32) -> f32 {
    lg2_ftz(x) * LN_2
}

/// The methods of floats that `std` has and `core` lacks: `use ptx::math::Float;`, and a kernel calls `x.sqrt()` and `x.exp()`.
///
/// Rounding, [`mul_add`](Float::mul_add) and [`sqrt`](Float::sqrt) give `f32` and `f64` the results of `std`. The others are the
/// fast functions of this module, for `f32` alone: their documentation states the errors.
///
/// `core` itself has `abs`, `copysign`, `signum`, `recip`, `min`, `max` and `clamp`. The GPU has no instructions for the rest of
/// `std`: `x` to the power `y` is `(y * x.log2()).exp2()`, and the tangent is `x.sin() / x.cos()`.
///
/// ```
/// use ptx::math::Float;
/// # fn kernel(x: f32, y: f32) -> f32 {
/// let length = x.mul_add(x, y * y).sqrt();
/// let sigmoid = 1.0 / (1.0 + (-length).exp());
/// # sigmoid }
/// ```
pub trait Float: Copy + Sealed {
    /// Returns `self * a + b` with one rounding, to the nearest (CUDA's `fmaf`, `fma`).
    ///
    /// PTX: `fma.rn.f32 d, self, a, b;` or `.f64`
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// Returns the square root, rounded to the nearest float (CUDA's `__fsqrt_rn`, `__dsqrt_rn`). [`sqrt_approx`] is faster.
    ///
    /// PTX: `sqrt.rn.f32 d, self;` or `.f64`
    #[doc(alias("__dsqrt_rn", "__fsqrt_rn"))]
    fn sqrt(self) -> Self;

    /// Returns the greatest integer that is not above `self` (CUDA's `floorf`).
    ///
    /// PTX: `cvt.rmi.f32.f32 d, self;` or `.f64.f64`
    fn floor(self) -> Self;

    /// Returns the least integer that is not below `self` (CUDA's `ceilf`).
    ///
    /// PTX: `cvt.rpi.f32.f32 d, self;` or `.f64.f64`
    fn ceil(self) -> Self;

    /// Returns `self` without its fraction (CUDA's `truncf`).
    ///
    /// PTX: `cvt.rzi.f32.f32 d, self;` or `.f64.f64`
    fn trunc(self) -> Self;

    /// Returns the nearest integer, of two the one farther from zero (CUDA's `roundf`). PTX has no instruction for it:
    /// [`round_ties_even`](Float::round_ties_even) is faster.
    fn round(self) -> Self;

    /// Returns the nearest integer, of two the even one (CUDA's `rintf`).
    ///
    /// PTX: `cvt.rni.f32.f32 d, self;` or `.f64.f64`
    fn round_ties_even(self) -> Self;

    /// Returns `e` to the power `self`, by the fast function [`exp`] (CUDA's `__expf`).
    #[inline(always)]
    #[doc(alias = "__expf")]
    fn exp(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(exp)
    }

    /// Returns 2 to the power `self`, by the fast function [`ex2`] (CUDA's `exp2f`).
    #[inline(always)]
    fn exp2(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(ex2)
    }

    /// Returns the natural logarithm, by the fast function [`ln`] (CUDA's `__logf`).
    #[inline(always)]
    #[doc(alias = "__logf")]
    fn ln(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(ln)
    }

    /// Returns the logarithm to base 2, by the fast function [`lg2`] (CUDA's `__log2f`).
    #[inline(always)]
    #[doc(alias = "__log2f")]
    fn log2(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(lg2)
    }

    /// Returns the sine of `self` radians, by the fast function [`sin`] (CUDA's `__sinf`).
    #[inline(always)]
    #[doc(alias = "__sinf")]
    fn sin(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(sin)
    }

    /// Returns the cosine of `self` radians, by the fast function [`cos`] (CUDA's `__cosf`).
    #[inline(always)]
    #[doc(alias = "__cosf")]
    fn cos(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(cos)
    }

    /// Returns the hyperbolic tangent, by the fast function [`tanh`] (CUDA's `__tanhf`).
    #[inline(always)]
    #[doc(alias = "__tanhf")]
    fn tanh(self) -> Self
    where
        Self: FastFloat,
    {
        self.by(tanh)
    }
}

/// Floats that the fast functions of this module take, such as [`exp`] and [`sin`]: `f32` alone.
#[diagnostic::on_unimplemented(
    message = "a kernel has no `exp`, `ln`, `sin` and the like of `{Self}`",
    label = "the GPU's special function unit computes in `f32`",
    note = "convert the value: `f64::from((x as f32).exp())`"
)]
#[cfg_attr(doc, doc(hidden))]
pub trait FastFloat: Float {
    #[doc(hidden)]
    fn by(self, function: impl FnOnce(f32) -> f32) -> Self;
}
impl FastFloat for f32 {
    #[inline(always)]
    fn by(self, function: impl FnOnce(f32) -> f32) -> f32 {
        function(self)
    }
}

/// Implements [`Float`] by the functions of `core`, which are instructions.
macro_rules! float {
    ($( $T:ident: $( $name:ident($($argument:ident),*) )*; )*) => { $(
        impl Float for $T { $(
            #[inline(always)]
            fn $name(self $(, $argument: $T)*) -> $T {
                #[cfg(target_arch = "nvptx64")]
                return core::$T::math::$name(self $(, $argument)*);
                #[cfg(not(target_arch = "nvptx64"))]
                <$T>::$name(self $(, $argument)*)
            }
        )* }
    )* };
}
float! {
    f32: mul_add(a, b) sqrt() floor() ceil() trunc() round() round_ties_even();
    f64: mul_add(a, b) sqrt() floor() ceil() trunc() round() round_ties_even();
}
