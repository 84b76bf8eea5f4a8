//! What the functions of numbers compute off the device, so that a function of a kernel has unit tests on the host. Halves and
//! eight-bit floats are computed in `f64` and rounded once, to the nearest.

extern crate std;

use half::{bf16, f16};

/// A float that is computed in `f64`.
pub(crate) trait Narrow: Copy {
    /// The value, exactly.
    fn wide(self) -> f64;
    /// The nearest value; of two the one with an even fraction.
    fn narrow(x: f64) -> Self;
}

impl Narrow for f16 {
    fn wide(self) -> f64 {
        self.to_f64()
    }
    fn narrow(x: f64) -> f16 {
        f16::from_bits(round(x, 10, 5, 0x7c00, 0x7fff))
    }
}
impl Narrow for bf16 {
    fn wide(self) -> f64 {
        self.to_f64()
    }
    fn narrow(x: f64) -> bf16 {
        bf16::from_bits(round(x, 7, 8, 0x7f80, 0x7fff))
    }
}

// For `min` and `max`, of which Rust leaves open what two zeros give.
impl Narrow for f32 {
    fn wide(self) -> f64 {
        self.into()
    }
    fn narrow(x: f64) -> f32 {
        x as f32
    }
}
impl Narrow for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn narrow(x: f64) -> f64 {
        x
    }
}

/// Rounds to a float with a fraction of `fraction` bits and an exponent of `exponent` bits. `most` stands for everything that is
/// too large, `nan` for NaN.
fn round(x: f64, fraction: u32, exponent: u32, most: u16, nan: u16) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << (fraction + exponent);
    if x.is_nan() {
        return nan;
    }
    let least = 2 - (1 << (exponent - 1));
    let of_x = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let place = of_x.max(least);
    // What the last place of the result counts: a power of two, so the product is exact.
    let places = (x.abs() * f64::from(fraction as i32 - place).exp2()).round_ties_even();
    // The number of places carries into the exponent as it has to.
    let bits = places + f64::from(place - least) * f64::from(1 << fraction);
    sign | bits.min(f64::from(most)) as u16
}

/// Returns an integer as a float. If it is inexact, its last bits are not all 0: what is rounded from it is rounded once.
pub(crate) fn of_u64(x: u64) -> f64 {
    let low = if x >> 53 == 0 { 0 } else { x & 0x7ff };
    ((x - low) | (u64::from(low != 0) << 11)) as f64
}

/// Returns the bits of an `.e4m3`: finite if `x` is too large (`.satfinite`).
pub(crate) fn to_e4m3(x: f64) -> u8 {
    round(x, 3, 4, 0x7e, 0x7f) as u8
}

/// Returns the bits of an `.e5m2`: finite if `x` is too large (`.satfinite`).
pub(crate) fn to_e5m2(x: f64) -> u8 {
    round(x, 2, 5, 0x7b, 0x7f) as u8
}

/// Returns the value of an `.e4m3`, exactly.
pub(crate) fn of_e4m3(bits: u8) -> f16 {
    if bits & 0x7f == 0x7f {
        return f16::from_bits(0x7fff);
    }
    let (exponent, fraction) = (i32::from(bits >> 3 & 15), f64::from(bits & 7));
    let magnitude = match exponent {
        0 => fraction * f64::from(-9).exp2(),
        _ => (8.0 + fraction) * f64::from(exponent - 10).exp2(),
    };
    f16::narrow(if bits >> 7 == 1 { -magnitude } else { magnitude })
}

/// Returns the value of an `.e5m2`, exactly: the upper half of an `.f16`.
pub(crate) fn of_e5m2(bits: u8) -> f16 {
    let value = f16::from_bits(u16::from(bits) << 8);
    if value.is_nan() { f16::from_bits(0x7fff) } else { value }
}

/// Returns the sum. If it is inexact, its last bit is 1: what is rounded from it is rounded once.
fn sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    if error == 0.0 || !error.is_finite() || sum.to_bits() & 1 == 1 {
        return sum;
    }
    f64::from_bits(if (error > 0.0) == (sum > 0.0) { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

pub(crate) fn add<T: Narrow>(a: T, b: T) -> T {
    T::narrow(sum(a.wide(), b.wide()))
}

pub(crate) fn sub<T: Narrow>(a: T, b: T) -> T {
    T::narrow(sum(a.wide(), -b.wide()))
}

pub(crate) fn mul<T: Narrow>(a: T, b: T) -> T {
    T::narrow(a.wide() * b.wide())
}

/// Both products of halves and their sums have at most 22 bits more than a half: the product is exact.
pub(crate) fn fma<T: Narrow>(a: T, b: T, c: T) -> T {
    T::narrow(sum(a.wide() * b.wide(), c.wide()))
}

/// `.sat`: 0 to 1, and +0 for NaN.
pub(crate) fn saturated<T: Narrow>(x: T) -> T {
    let x = x.wide();
    T::narrow(if x > 0.0 { x.min(1.0) } else { 0.0 })
}

/// `.relu`: +0 for a negative number; NaN stays.
pub(crate) fn relu<T: Narrow>(x: T) -> T {
    let x = x.wide();
    T::narrow(if x <= 0.0 { 0.0 } else { x })
}

/// The lesser number, -0 below +0; of a number and NaN the number.
pub(crate) fn min<T: Narrow>(a: T, b: T) -> T {
    let (x, y) = (a.wide(), b.wide());
    let is_first = y.is_nan() || x < y || (x == y && x.is_sign_negative());
    T::narrow(if is_first { x } else { y })
}

/// The greater number, +0 above -0; of a number and NaN the number.
pub(crate) fn max<T: Narrow>(a: T, b: T) -> T {
    T::narrow(-min(-a.wide(), -b.wide()))
}

/// [`min`]; with a NaN, NaN.
pub(crate) fn min_nan<T: Narrow>(a: T, b: T) -> T {
    if a.wide().is_nan() || b.wide().is_nan() { T::narrow(f64::NAN) } else { min(a, b) }
}

/// [`max`]; with a NaN, NaN.
pub(crate) fn max_nan<T: Narrow>(a: T, b: T) -> T {
    if a.wide().is_nan() || b.wide().is_nan() { T::narrow(f64::NAN) } else { max(a, b) }
}

/// Computes a function of one value in `f64`.
pub(crate) fn by<T: Narrow>(x: T, f: impl Fn(f64) -> f64) -> T {
    T::narrow(f(x.wide()))
}

/// Computes a function of an `f32` in `f64`.
pub(crate) fn of_f32(x: f32, f: impl Fn(f64) -> f64) -> f32 {
    f(f64::from(x)) as f32
}

/// `.ftz`: zero of the same sign for a subnormal number.
pub(crate) fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// [`flushed`] of a `bf16`, whose exponents are those of `f32`.
pub(crate) fn flushed_bf16(x: bf16) -> bf16 {
    bf16::narrow(f64::from(flushed(x.to_f32())))
}
