//! Conversions between the types of floats and integers.

use half::{bf16, f16};

use crate::fp8::Fp8;
#[cfg(not(target_arch = "nvptx64"))]
use crate::host::{self, Narrow};
use crate::qualifier::{Sealed, ty};
#[cfg(target_arch = "nvptx64")]
use crate::qualifier::{relu, rounding, satfinite};
#[cfg(target_arch = "nvptx64")]
use crate::raw;
use crate::registers::from_fn;
use crate::shared::bits;

/// Types that [`convert`] makes a `To` of.
#[diagnostic::on_unimplemented(
    message = "`convert` makes no `{To}` of `{Self}`",
    label = "no such conversion",
    note = "it converts between `f32`, `f16`, `bf16` and `Fp8`, arrays of 2, 4 or 8 of them, and between `f16` or `bf16` and `f64` or integers of 8 to 64 bits; otherwise, convert to `f32` and on by `as`"
)]
pub trait Convert<To: Sealed>: Copy + Sealed {
    #[doc(hidden)]
    fn converted(x: Self) -> To;
}

/// Converts a number, or the elements of an array, to another type (CUDA's `__float2half_rn`, `__half22float2` and their like).
///
/// | from | to | PTX | off range |
/// |---|---|---|---|
/// | `f32` | `f16`, `bf16` | `cvt.rn.f16.f32`; of two `cvt.rn.f16x2.f32` | ±∞ |
/// | `f16`, `bf16` | `f32` | `cvt.f32.f16`, exact | |
/// | `f64` | `f16`, `bf16`, `f32` | `cvt.rn.f16.f64`, rounded once | ±∞ |
/// | `f16`, `bf16`, `f32` | `f64` | `cvt.f64.f16`, exact | |
/// | `f16` | `bf16` | `cvt.rn.bf16.f16` | |
/// | `bf16` | `f16` | `cvt.rn.f16.bf16` | ±∞ |
/// | two `f32` or `f16` | two [`Fp8`](crate::multimem::Fp8) | `cvt.rn.satfinite.e4m3x2.f32`, `.f16x2` | the greatest number |
/// | two `Fp8` | two `f16` | `cvt.rn.f16x2.e4m3x2`, exact | |
/// | two `Fp8` | two `f32` or `bf16` | through `f16x2`; and `cvt.f32.f16`, `cvt.rn.bf16.f16` | |
/// | two `bf16` | two `Fp8` | `cvt.f32.bf16`, `cvt.rn.satfinite.e4m3x2.f32` | the greatest number |
/// | `f32`, `f16`, `bf16` | `Fp8` | as two, of which one is 0 | the greatest number |
/// | `Fp8` | `f32`, `f16`, `bf16` | as two, of which one is 0 | |
/// | `u8`, `i8` | `f16` | `cvt.rn.f16.u8`, exact | |
/// | `u8`, `i8` | `bf16` | `cvt.rn.bf16.u16`, exact | |
/// | integers of 16 to 64 bits | `f16`, `bf16` | `cvt.rn.f16.u16` | ±∞ |
/// | `f16`, `bf16` | integers of 8 to 32 bits | `cvt.rzi.s32.f16`, towards zero like `as` | the nearest integer; 0 for NaN |
/// | `f16`, `bf16` | `u64`, `i64` | `cvt.rzi.s64.f16`, and a comparison for NaN | the nearest integer; 0 for NaN |
///
/// All others round to the nearest. Arrays of 4 and 8 convert two elements at a time. An `f32` converts to `f32` too, so that
/// generic code need not tell.
///
/// ```
/// use ptx::math::convert;
/// use ptx::multimem::Fp8;
/// use ptx::qualifier::ty;
/// use ptx::{bf16, f16};
///
/// # fn kernel(sums: [f32; 8], x: f16) {
/// let halves: [bf16; 8] = convert(sums); // four instructions
/// let bytes: [Fp8<ty::E4m3>; 8] = convert(halves); // what is greater than 448 becomes 448
/// let whole = convert::<i32>(x); // -2.5 becomes -2
/// let byte: Fp8<ty::E5m2> = convert(x);
/// # }
/// ```
#[inline(always)]
#[doc(alias(
    "__float2half_rn",
    "__half2float",
    "__float22half2_rn",
    "__float22bfloat162_rn",
    "__half22float2",
    "__float2bfloat16_rn",
    "__double2half",
    "__ll2half_rn",
    "__nv_cvt_float_to_fp8"
))]
pub fn convert<To: Sealed>(x: impl Convert<To>) -> To {
    Convert::converted(x)
}

/// Rounds an `f32` to the 10 bits of fraction that the tensor cores take of it (CUDA's `__nv_cvt_float_to_tf32`): to the nearest.
/// The low 13 bits become zero. (`cvt.rna`, which rounds ties away from zero, takes three instructions of an H100.)
///
/// PTX: `cvt.rn.tf32.f32 d, x;`
#[inline(always)]
pub fn to_tf32(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return raw::cvt_tf32(rounding::Rn, relu::None, x);
    #[cfg(not(target_arch = "nvptx64"))]
    if x.is_nan() {
        f32::from_bits(0x7fff_e000)
    } else {
        // A carry goes into the exponent as it has to.
        let bits = x.to_bits();
        f32::from_bits((bits + 0xfff + (bits >> 13 & 1)) & !0x1fff)
    }
}

impl Convert<f32> for f32 {
    #[inline(always)]
    fn converted(x: f32) -> f32 {
        x
    }
}

/// Implements a conversion by an expression for the device, and one for the host.
macro_rules! conversions {
    ($( $From:ty => $To:ty: |$x:ident| $device:expr, $host:expr; )*) => { $(
        impl Convert<$To> for $From {
            #[inline(always)]
            fn converted($x: $From) -> $To {
                #[cfg(target_arch = "nvptx64")]
                return $device;
                #[cfg(not(target_arch = "nvptx64"))]
                $host
            }
        }
    )* };
}
conversions! {
    f32 => f16: |x| raw::cvt_f32(rounding::Rn, relu::None, satfinite::None, ty::F16, x), f16::narrow(x.into());
    f32 => bf16: |x| raw::cvt_f32(rounding::Rn, relu::None, satfinite::None, ty::Bf16, x), bf16::narrow(x.into());
    f16 => f32: |x| raw::cvt_to_f32(ty::F16, x), x.to_f32();
    bf16 => f32: |x| raw::cvt_to_f32(ty::Bf16, x), x.to_f32();
    f16 => bf16: |x| raw::cvt_bf16_f16(x), bf16::narrow(x.wide());
    bf16 => f16: |x| raw::cvt_f16_bf16(x), f16::narrow(x.wide());
    f64 => f16: |x| raw::cvt_f64(ty::F16, x), f16::narrow(x);
    f64 => bf16: |x| raw::cvt_f64(ty::Bf16, x), bf16::narrow(x);
    f16 => f64: |x| raw::cvt_to_f64(ty::F16, x), x.wide();
    bf16 => f64: |x| raw::cvt_to_f64(ty::Bf16, x), x.wide();
    // The first of a pair is in the low bits, which are the last operand.
    [f32; 2] => [f16; 2]: |x| raw::cvt_f32x2(rounding::Rn, relu::None, satfinite::None, ty::F16x2, x[1], x[0]), x.map(convert);
    [f32; 2] => [bf16; 2]: |x| raw::cvt_f32x2(rounding::Rn, relu::None, satfinite::None, ty::Bf16x2, x[1], x[0]), x.map(convert);
}

/// Implements the conversions to and from 64-bit integers. There `cvt` makes 2^63 of NaN.
macro_rules! long_integers {
    ($( $Half:ident $to:ident $from:ident; )*) => { $(
        conversions! {
            u64 => $Half: |x| raw::$to(rounding::Rn, ty::U64, x), $Half::narrow(host::of_u64(x));
            i64 => $Half: |x| raw::$to(rounding::Rn, ty::S64, x),
                $Half::narrow(host::of_u64(x.unsigned_abs()).copysign(x as f64));
            $Half => u64: |x| if x.is_nan() { 0 } else { raw::$from(rounding::Rzi, ty::U64, x) }, x.wide() as u64;
            $Half => i64: |x| if x.is_nan() { 0 } else { raw::$from(rounding::Rzi, ty::S64, x) }, x.wide() as i64;
        }
    )* };
}
long_integers! {
    f16 cvt_f16_integer cvt_integer_f16;
    bf16 cvt_bf16_integer cvt_integer_bf16;
}

macro_rules! integers {
    ($( $Half:ident $to:ident $from:ident: $( $T:ident as $Wide:ident $Tag:ident ),*; )*) => { $( $(
        conversions! {
            $T => $Half: |x| raw::$to(rounding::Rn, ty::$Tag, $Wide::from(x)), $Half::narrow(x.into());
        }
        integers! { @from $Half $from $T $Wide $Tag }
    )* )* };
    (@from f16 $from:ident $T:ident $Wide:ident $Tag:ident) => {
        conversions! { f16 => $T: |x| raw::$from(rounding::Rzi, ty::$Tag, x), x.wide() as $T; }
    };
    (@from bf16 $from:ident $T:ident $Wide:ident $Tag:ident) => {
        conversions! {
            bf16 => $T: |x| raw::$from(rounding::Rzi, ty::$Tag, x).clamp($T::MIN.into(), $T::MAX.into()) as $T, x.wide() as $T;
        }
    };
}
integers! {
    f16 cvt_f16_integer cvt_integer_f16: u8 as u8 U8, i8 as i8 S8, u16 as u16 U16, i16 as i16 S16, u32 as u32 U32, i32 as i32 S32;
    bf16 cvt_bf16_integer cvt_integer_bf16:
        u8 as u16 U16, i8 as i16 S16, u16 as u16 U16, i16 as i16 S16, u32 as u32 U32, i32 as i32 S32;
}

/// Returns the halves of a pair. Where each access of an array in registers is one of words, LLVM keeps it in registers of 32 bits;
/// an access of a half would take each half of the array into a register of its own.
#[inline(always)]
fn halves<T: Copy>(pair: [T; 2]) -> [T; 2] {
    // SAFETY: `T` is `f16` or `bf16`: plain data of 16 bits.
    unsafe {
        let word: u32 = bits(pair);
        [bits(word as u16), bits((word >> 16) as u16)]
    }
}

/// Implements conversions by other ones: of pairs, each element by itself or in two steps; or by an instruction of rustc's own.
macro_rules! through {
    ($( $From:ty => $To:ty: |$x:ident| $f:expr; )*) => { $(
        impl Convert<$To> for $From {
            #[inline(always)]
            fn converted($x: $From) -> $To {
                $f
            }
        }
    )* };
}
through! {
    f64 => f32: |x| x as f32;
    f32 => f64: |x| x.into();
    [f16; 2] => [f32; 2]: |x| { let [a, b] = halves(x); [convert(a), convert(b)] };
    [bf16; 2] => [f32; 2]: |x| { let [a, b] = halves(x); [convert(a), convert(b)] };
    [f16; 2] => [bf16; 2]: |x| [convert(x[0]), convert(x[1])];
    [bf16; 2] => [f16; 2]: |x| [convert(x[0]), convert(x[1])];
}

macro_rules! bytes {
    ($( $Tag:ident $Pair:ident $to:ident $of:ident; )*) => { $(
        conversions! {
            [f32; 2] => [Fp8<ty::$Tag>; 2]: |x| {
                // SAFETY: a pair of eight-bit floats is plain data of 16 bits.
                unsafe { bits(raw::cvt_f8x2_f32(relu::None, ty::$Pair, x[1], x[0])) }
            }, x.map(|x| Fp8::from_bits(host::$to(x.into())));
            [f16; 2] => [Fp8<ty::$Tag>; 2]: |x| {
                // SAFETY: a pair of eight-bit floats is plain data of 16 bits.
                unsafe { bits(raw::cvt_f8x2(relu::None, ty::$Pair, ty::F16x2, x)) }
            }, x.map(|x| Fp8::from_bits(host::$to(x.wide())));
            [Fp8<ty::$Tag>; 2] => [f16; 2]: |x| {
                // SAFETY: a pair of eight-bit floats is plain data of 16 bits.
                let word = unsafe { bits(x) };
                raw::cvt_f16x2_f8x2(relu::None, ty::$Pair, word)
            }, x.map(|x| host::$of(x.to_bits()));
        }
        through! {
            [bf16; 2] => [Fp8<ty::$Tag>; 2]: |x| convert(convert::<[f32; 2]>(x));
            [Fp8<ty::$Tag>; 2] => [f32; 2]: |x| convert(convert::<[f16; 2]>(x));
            [Fp8<ty::$Tag>; 2] => [bf16; 2]: |x| convert(convert::<[f16; 2]>(x));
            f32 => Fp8<ty::$Tag>: |x| convert::<[Fp8<ty::$Tag>; 2]>([x, 0.0])[0];
            f16 => Fp8<ty::$Tag>: |x| convert::<[Fp8<ty::$Tag>; 2]>([x, f16::ZERO])[0];
            bf16 => Fp8<ty::$Tag>: |x| convert(convert::<f32>(x));
            Fp8<ty::$Tag> => f16: |x| convert::<[f16; 2]>([x, Fp8::from_bits(0)])[0];
            Fp8<ty::$Tag> => f32: |x| convert(convert::<f16>(x));
            Fp8<ty::$Tag> => bf16: |x| convert(convert::<f16>(x));
        }
        vectors! {
            f32 => Fp8<ty::$Tag>, f16 => Fp8<ty::$Tag>, bf16 => Fp8<ty::$Tag>,
            Fp8<ty::$Tag> => f32, Fp8<ty::$Tag> => f16, Fp8<ty::$Tag> => bf16
        }
    )* };
}

/// Implements the conversions of arrays of four and eight, two elements at a time.
macro_rules! vectors {
    ($( $From:ty => $To:ty ),*) => { $(
        vectors! { @impl $From => $To, 4 2 }
        vectors! { @impl $From => $To, 8 4 }
    )* };
    (@impl $From:ty => $To:ty, $n:literal $pairs:literal) => {
        impl Convert<[$To; $n]> for [$From; $n] {
            #[inline(always)]
            fn converted(x: Self) -> [$To; $n] {
                // SAFETY: an array is its pairs: plain data of one size.
                unsafe {
                    let x: [[$From; 2]; $pairs] = bits(x);
                    bits(from_fn::<[$To; 2], $pairs>(|i| convert(x[i])))
                }
            }
        }
    };
}
vectors! {
    f32 => f16, f32 => bf16, f16 => f32, bf16 => f32, f16 => bf16, bf16 => f16
}
bytes! {
    E4m3 E4m3x2 to_e4m3 of_e4m3;
    E5m2 E5m2x2 to_e5m2 of_e5m2;
}
impl Sealed for [f32; 8] {}
