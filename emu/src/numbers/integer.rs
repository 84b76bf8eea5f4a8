//! Integer, logic and shift instructions (PTX ISA 9.7.1, 9.7.2, 9.7.8): a function on registers for each opcode. A register holds
//! its value zero-extended to 64 bits.

use std::ops::BitAnd;

pub type Unary = fn(u64) -> u64;
pub type Binary = fn(u64, u64) -> u64;
pub type Ternary = fn(u64, u64, u64) -> u64;
pub type Test = fn(u64, u64) -> bool;

/// Returns a number whose lowest `bits` bits are ones: 1 to 64.
pub fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// Expands `$body` with `$T` (the type), `$S` (the signed type), `$W` (twice as wide) for the type that `$ty` names.
macro_rules! by_type {
    ($F:ty: $ty:expr, |$T:ident| $body:expr) => {
        match $ty {
            "u8" | "b8" => {
                type $T = u8;
                Some($body as $F)
            }
            "u16" | "b16" => {
                type $T = u16;
                Some($body as $F)
            }
            "u32" | "b32" => {
                type $T = u32;
                Some($body as $F)
            }
            "u64" | "b64" => {
                type $T = u64;
                Some($body as $F)
            }
            "s8" => {
                type $T = i8;
                Some($body as $F)
            }
            "s16" => {
                type $T = i16;
                Some($body as $F)
            }
            "s32" => {
                type $T = i32;
                Some($body as $F)
            }
            "s64" => {
                type $T = i64;
                Some($body as $F)
            }
            _ => None,
        }
    };
    ($F:ty: $ty:expr, |$T:ident, $W:ident| $body:expr) => {
        match $ty {
            "u8" | "b8" => {
                type $T = u8;
                type $W = u16;
                Some($body as $F)
            }
            "u16" | "b16" => {
                type $T = u16;
                type $W = u32;
                Some($body as $F)
            }
            "u32" | "b32" => {
                type $T = u32;
                type $W = u64;
                Some($body as $F)
            }
            "u64" | "b64" => {
                type $T = u64;
                type $W = u128;
                Some($body as $F)
            }
            "s8" => {
                type $T = i8;
                type $W = i16;
                Some($body as $F)
            }
            "s16" => {
                type $T = i16;
                type $W = i32;
                Some($body as $F)
            }
            "s32" => {
                type $T = i32;
                type $W = i64;
                Some($body as $F)
            }
            "s64" => {
                type $T = i64;
                type $W = i128;
                Some($body as $F)
            }
            _ => None,
        }
    };
}

/// An integer that a register holds as zero-extended bits.
trait Bits: Copy {
    fn from_bits(bits: u64) -> Self;
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($T:ty: $U:ty),*) => { $(
        impl Bits for $T {
            #[inline(always)]
            fn from_bits(bits: u64) -> Self { bits as $T }
            #[inline(always)]
            fn bits(self) -> u64 { self as $U as u64 }
        }
    )* };
}
bits!(u8: u8, u16: u16, u32: u32, u64: u64, i8: u8, i16: u16, i32: u32, i64: u64, u128: u128, i128: u128);

#[inline(always)]
fn of<T: Bits>(bits: u64) -> T {
    T::from_bits(bits)
}

/// Returns the function of a whole opcode: a modifier that is not in a pattern is in no instruction.
pub fn unary(words: &[&str]) -> Option<Unary> {
    Some(match *words {
        ["not", "pred"] => |a| a ^ 1,
        ["not", ty @ ("b16" | "b32" | "b64")] => by_type!(Unary: ty, |T| |a| (!of::<T>(a)).bits())?,
        ["cnot", ty @ ("b16" | "b32" | "b64")] => by_type!(Unary: ty, |T| |a| u64::from(of::<T>(a) == 0))?,
        ["neg", ty @ ("s16" | "s32" | "s64")] => {
            by_type!(Unary: ty, |T| |a| of::<T>(a).wrapping_neg().bits())?
        }
        ["abs", "s16"] => |a| of::<i16>(a).wrapping_abs().bits(),
        ["abs", "s32"] => |a| of::<i32>(a).wrapping_abs().bits(),
        ["abs", "s64"] => |a| of::<i64>(a).wrapping_abs().bits(),
        ["popc", "b32"] => |a| of::<u32>(a).count_ones().into(),
        ["popc", "b64"] => |a| a.count_ones().into(),
        ["clz", "b32"] => |a| of::<u32>(a).leading_zeros().into(),
        ["clz", "b64"] => |a| a.leading_zeros().into(),
        ["brev", "b32"] => |a| of::<u32>(a).reverse_bits().into(),
        ["brev", "b64"] => |a| a.reverse_bits(),
        ["bfind", "u32"] => |a| find(a, 32),
        ["bfind", "u64"] => |a| find(a, 64),
        ["bfind", "s32"] => |a| find(of::<u32>(if (a as i32) < 0 { !a } else { a }).into(), 32),
        ["bfind", "s64"] => |a| find(if (a as i64) < 0 { !a } else { a }, 64),
        ["bfind", "shiftamt", "u32"] => |a| shift_amount(find(a, 32), 31),
        ["bfind", "shiftamt", "u64"] => |a| shift_amount(find(a, 64), 63),
        ["bfind", "shiftamt", "s32"] => {
            |a| shift_amount(find(of::<u32>(if (a as i32) < 0 { !a } else { a }).into(), 32), 31)
        }
        ["bfind", "shiftamt", "s64"] => |a| shift_amount(find(if (a as i64) < 0 { !a } else { a }, 64), 63),
        _ => return None,
    })
}

const NONE: u64 = 0xffff_ffff;

/// Returns the place of the highest bit, or `NONE`.
fn find(a: u64, bits: u32) -> u64 {
    a.checked_ilog2().filter(|place| *place < bits).map_or(NONE, u64::from)
}

/// Returns the amount that shifts the bit at a place to the top.
fn shift_amount(place: u64, top: u64) -> u64 {
    if place == NONE { NONE } else { top - place }
}

/// The integer types of 16, 32 and 64 bits.
macro_rules! integers {
    ($ty:ident) => {
        $ty @ ("u16" | "u32" | "u64" | "s16" | "s32" | "s64")
    };
}

/// Returns the function of a whole opcode.
pub fn binary(words: &[&str]) -> Option<Binary> {
    Some(match *words {
        ["add", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_add(of(b)).bits())?,
        ["add", "sat", "s32"] => |a, b| of::<i32>(a).saturating_add(of(b)).bits(),
        ["add", "u16x2" | "s16x2"] => |a, b| halves(a, b, u16::wrapping_add),
        ["sub", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_sub(of(b)).bits())?,
        ["sub", "sat", "s32"] => |a, b| of::<i32>(a).saturating_sub(of(b)).bits(),
        ["mul", "lo", integers!(ty)] => {
            by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_mul(of(b)).bits())?
        }
        ["mul", "hi", integers!(ty)] => {
            by_type!(Binary: ty, |T, W| |a, b| (((W::from(of::<T>(a)) * W::from(of::<T>(b))) >> T::BITS) as T).bits())?
        }
        ["mul", "wide", ty @ ("u16" | "u32" | "s16" | "s32")] => {
            by_type!(Binary: ty, |T, W| |a, b| (W::from(of::<T>(a)) * W::from(of::<T>(b))).bits() & wide_mask(T::BITS))?
        }
        ["mul24", "lo", "u32"] => |a, b| product24(a, b, false) & 0xffff_ffff,
        ["mul24", "lo", "s32"] => |a, b| product24(a, b, true) & 0xffff_ffff,
        ["mul24", "hi", "u32"] => |a, b| product24(a, b, false) >> 16 & 0xffff_ffff,
        ["mul24", "hi", "s32"] => |a, b| product24(a, b, true) >> 16 & 0xffff_ffff,
        // A division by zero gives all ones, and so does its remainder.
        ["div", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| match of::<T>(b) {
            0 => u64::MAX >> (64 - T::BITS),
            b => of::<T>(a).wrapping_div(b).bits(),
        })?,
        ["rem", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| match of::<T>(b) {
            0 => u64::MAX >> (64 - T::BITS),
            b => of::<T>(a).wrapping_rem(b).bits(),
        })?,
        ["min", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| of::<T>(a).min(of(b)).bits())?,
        ["max", integers!(ty)] => by_type!(Binary: ty, |T| |a, b| of::<T>(a).max(of(b)).bits())?,
        ["min", "relu", "s32"] => |a, b| of::<i32>(a).min(of(b)).max(0).bits(),
        ["max", "relu", "s32"] => |a, b| of::<i32>(a).max(of(b)).max(0).bits(),
        ["min", "u16x2"] => |a, b| halves(a, b, u16::min),
        ["max", "u16x2"] => |a, b| halves(a, b, u16::max),
        ["min", "s16x2"] => |a, b| halves(a, b, |a, b| (a as i16).min(b as i16) as u16),
        ["max", "s16x2"] => |a, b| halves(a, b, |a, b| (a as i16).max(b as i16) as u16),
        ["min", "relu", "s16x2"] => |a, b| halves(a, b, |a, b| (a as i16).min(b as i16).max(0) as u16),
        ["max", "relu", "s16x2"] => |a, b| halves(a, b, |a, b| (a as i16).max(b as i16).max(0) as u16),
        ["and", "pred" | "b16" | "b32" | "b64"] => |a, b| a & b,
        ["or", "pred" | "b16" | "b32" | "b64"] => |a, b| a | b,
        ["xor", "pred" | "b16" | "b32" | "b64"] => |a, b| a ^ b,
        // Shift amounts above the width are clamped to it.
        ["shl", ty @ ("b16" | "b32" | "b64")] => {
            by_type!(Binary: ty, |T| |a, b| of::<T>(a).checked_shl(b as u32).map_or(0, Bits::bits))?
        }
        ["shr", "s16"] => |a, b| (of::<i16>(a) >> (b as u32).min(15)).bits(),
        ["shr", "s32"] => |a, b| (of::<i32>(a) >> (b as u32).min(31)).bits(),
        ["shr", "s64"] => |a, b| (of::<i64>(a) >> (b as u32).min(63)).bits(),
        ["shr", ty @ ("b16" | "b32" | "b64" | "u16" | "u32" | "u64")] => {
            by_type!(Binary: ty, |T| |a, b| of::<T>(a).checked_shr(b as u32).map_or(0, Bits::bits))?
        }
        ["bmsk", "clamp", "b32"] => |a, b| bit_mask(a.min(32), b.min(32)),
        ["bmsk", "wrap", "b32"] => |a, b| bit_mask(a & 31, b & 31),
        ["szext", "clamp", "u32"] => |a, b| zero_extend(a, b.min(32)),
        ["szext", "clamp", "s32"] => |a, b| sign_extend(a, b.min(32)),
        ["szext", "wrap", "u32"] => |a, b| zero_extend(a, b & 31),
        ["szext", "wrap", "s32"] => |a, b| sign_extend(a, b & 31),
        _ => return None,
    })
}

fn bit_mask(position: u64, count: u64) -> u64 {
    ((1 << count) - 1) << position & 0xffff_ffff
}

fn zero_extend(a: u64, bits: u64) -> u64 {
    a & ((1 << bits) - 1)
}

fn sign_extend(a: u64, bits: u64) -> u64 {
    let sign = bits > 0 && a >> (bits - 1) & 1 == 1;
    zero_extend(a, bits) | if sign { u64::MAX << bits & 0xffff_ffff } else { 0 }
}

fn halves(a: u64, b: u64, f: fn(u16, u16) -> u16) -> u64 {
    u64::from(f(a as u16, b as u16)) | u64::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

/// Returns the 48 bits of a product of 24-bit integers, sign-extended if they are signed.
fn product24(a: u64, b: u64, signed: bool) -> u64 {
    let of = |bits: u64| if signed { ((bits << 40) as i64 >> 40) as u64 } else { bits & 0xff_ffff };
    of(a).wrapping_mul(of(b))
}

/// Returns the function of a whole opcode.
pub fn ternary(words: &[&str]) -> Option<Ternary> {
    Some(match *words {
        ["mad", "lo", integers!(ty)] => {
            by_type!(Ternary: ty, |T| |a, b, c| of::<T>(a).wrapping_mul(of(b)).wrapping_add(of(c)).bits())?
        }
        ["mad", "hi", integers!(ty)] => by_type!(Ternary: ty, |T, W| |a, b, c| {
            let high = ((W::from(of::<T>(a)) * W::from(of::<T>(b))) >> T::BITS) as T;
            high.wrapping_add(of(c)).bits()
        })?,
        ["mad", "hi", "sat", "s32"] => |a, b, c| {
            let high = (i64::from(of::<i32>(a)) * i64::from(of::<i32>(b))) >> 32;
            (high as i32).saturating_add(of(c)).bits()
        },
        ["mad", "wide", ty @ ("u16" | "u32" | "s16" | "s32")] => {
            by_type!(Ternary: ty, |T, W| |a, b, c| (W::from(of::<T>(a)) * W::from(of::<T>(b))).wrapping_add(W::from_bits(c)).bits() & wide_mask(T::BITS))?
        }
        ["mad24", "lo", "u32"] => |a, b, c| product24(a, b, false).wrapping_add(c) & 0xffff_ffff,
        ["mad24", "lo", "s32"] => |a, b, c| product24(a, b, true).wrapping_add(c) & 0xffff_ffff,
        ["mad24", "hi", "u32"] => |a, b, c| (product24(a, b, false) >> 16).wrapping_add(c) & 0xffff_ffff,
        ["mad24", "hi", "s32"] => |a, b, c| (product24(a, b, true) >> 16).wrapping_add(c) & 0xffff_ffff,
        ["mad24", "hi", "sat", "s32"] => {
            |a, b, c| of::<i32>(product24(a, b, true) >> 16).saturating_add(of(c)).bits()
        }
        ["sad", integers!(ty)] => {
            by_type!(Ternary: ty, |T| |a, b, c| T::from_bits(of::<T>(a).abs_diff(of(b)).into_bits()).wrapping_add(of(c)).bits())?
        }
        ["prmt", "b32"] => permute,
        ["prmt", "f4e", "b32"] => |a, b, c| select(a, b, |i| (c & 3) + i),
        ["prmt", "b4e", "b32"] => |a, b, c| select(a, b, |i| (c & 3).wrapping_sub(i)),
        ["prmt", "rc8", "b32"] => |a, b, c| select(a, b, |_| c & 3),
        ["prmt", "ecl", "b32"] => |a, b, c| select(a, b, |i| i.max(c & 3)),
        ["prmt", "ecr", "b32"] => |a, b, c| select(a, b, |i| i.min(c & 3)),
        ["prmt", "rc16", "b32"] => |a, b, c| select(a, b, |i| (c & 1) * 2 + (i & 1)),
        ["shf", "l", "clamp", "b32"] => |a, b, c| funnel_left(a, b, c.min(32)),
        ["shf", "l", "wrap", "b32"] => |a, b, c| funnel_left(a, b, c & 31),
        ["shf", "r", "clamp", "b32"] => |a, b, c| funnel_right(a, b, c.min(32)),
        ["shf", "r", "wrap", "b32"] => |a, b, c| funnel_right(a, b, c & 31),
        ["bfe", "u32"] => |a, b, c| extract(a, b & 0xff, c & 0xff, 32, false),
        ["bfe", "s32"] => |a, b, c| extract(a, b & 0xff, c & 0xff, 32, true),
        ["bfe", "u64"] => |a, b, c| extract(a, b, c, 64, false),
        ["bfe", "s64"] => |a, b, c| extract(a, b, c, 64, true),
        ["dp4a", "u32", "u32"] => |a, b, c| dot4(a, b, c, false, false),
        ["dp4a", "s32", "u32"] => |a, b, c| dot4(a, b, c, true, false),
        ["dp4a", "u32", "s32"] => |a, b, c| dot4(a, b, c, false, true),
        ["dp4a", "s32", "s32"] => |a, b, c| dot4(a, b, c, true, true),
        ["dp2a", "lo", "u32", "u32"] => |a, b, c| dot2(a, b, c, false, false),
        ["dp2a", "lo", "s32", "u32"] => |a, b, c| dot2(a, b, c, true, false),
        ["dp2a", "lo", "u32", "s32"] => |a, b, c| dot2(a, b, c, false, true),
        ["dp2a", "lo", "s32", "s32"] => |a, b, c| dot2(a, b, c, true, true),
        ["dp2a", "hi", "u32", "u32"] => |a, b, c| dot2(a, b >> 16, c, false, false),
        ["dp2a", "hi", "s32", "u32"] => |a, b, c| dot2(a, b >> 16, c, true, false),
        ["dp2a", "hi", "u32", "s32"] => |a, b, c| dot2(a, b >> 16, c, false, true),
        ["dp2a", "hi", "s32", "s32"] => |a, b, c| dot2(a, b >> 16, c, true, true),
        ["fns", "b32"] => find_nth_set,
        ["clmad", "lo", "u64"] => |a, b, c| carry_less_product(a, b) as u64 ^ c,
        ["clmad", "hi", "u64"] => |a, b, c| (carry_less_product(a, b) >> 64) as u64 ^ c,
        _ => return None,
    })
}

fn carry_less_product(a: u64, b: u64) -> u128 {
    (0..64).filter(|i| b >> i & 1 == 1).fold(0, |all, i| all ^ u128::from(a) << i)
}

/// The half of a product that `mad.cc` and `madc` add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Low,
    High { signed: bool },
}

/// Returns the half of a product of integers of a number of bits.
pub fn half(half: Product, a: u64, b: u64, bits: u32) -> u64 {
    match half {
        Product::Low => a.wrapping_mul(b),
        Product::High { signed: false } => ((u128::from(a) * u128::from(b)) >> bits) as u64,
        Product::High { signed: true } => {
            let signed = |value: u64| i128::from((value << (64 - bits)) as i64 >> (64 - bits));
            ((signed(a) * signed(b)) >> bits) as u64
        }
    }
    .bitand(u64::MAX >> (64 - bits))
}

/// Computes `cvt.pack`: `a` above `b`, each clamped to a number of bits, and above them the low bits of `c`.
pub fn pack(a: u64, b: u64, c: u64, bits: u32, signed: bool) -> u64 {
    let clamp = |value: u64| {
        let value = i64::from(value as i32);
        let (least, most) =
            if signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
        value.clamp(least, most) as u64 & ((1 << bits) - 1)
    };
    (c << (2 * bits) | clamp(a) << bits | clamp(b)) & 0xffff_ffff
}

trait IntoBits {
    fn into_bits(self) -> u64;
}
macro_rules! into_bits {
    ($($T:ty)*) => { $( impl IntoBits for $T { #[inline(always)] fn into_bits(self) -> u64 { self as u64 } } )* };
}
into_bits!(u8 u16 u32 u64);

fn wide_mask(bits: u32) -> u64 {
    u64::MAX >> (64 - (2 * bits).min(64))
}

/// Computes `prmt.b32`: each nibble of `c` selects a byte of `{b, a}`. A nibble's top bit replicates the sign of the byte.
fn permute(a: u64, b: u64, c: u64) -> u64 {
    let bytes = a & 0xffff_ffff | b << 32;
    (0..4).fold(0, |all, i| {
        let selector = c >> (4 * i) & 0xf;
        let byte = bytes >> (8 * (selector & 7)) & 0xff;
        let byte = if selector & 8 == 0 {
            byte
        } else if byte & 0x80 == 0 {
            0
        } else {
            0xff
        };
        all | byte << (8 * i)
    })
}

/// Returns the bytes of `{b, a}` whose numbers, modulo 8, `of` gives.
fn select(a: u64, b: u64, of: impl Fn(u64) -> u64) -> u64 {
    let bytes = a & 0xffff_ffff | b << 32;
    (0..4).fold(0, |all, i| all | (bytes >> (8 * (of(i) & 7)) & 0xff) << (8 * i))
}

fn funnel_left(a: u64, b: u64, n: u64) -> u64 {
    (((b << 32 | a & 0xffff_ffff) << n) >> 32) & 0xffff_ffff
}

fn funnel_right(a: u64, b: u64, n: u64) -> u64 {
    ((b << 32 | a & 0xffff_ffff) >> n) & 0xffff_ffff
}

/// Computes `bfe`. The position and the length of the 64-bit forms have 32 bits, those of the 32-bit forms 8.
fn extract(a: u64, position: u64, len: u64, width: u32, signed: bool) -> u64 {
    let shift = position.min(u64::from(width - 1)) as u32;
    let extended = (a << (64 - width)) as i64 >> (64 - width);
    let shifted = match (signed, position < u64::from(width)) {
        (true, _) => (extended >> shift) as u64,
        (false, true) => a >> shift,
        (false, false) => 0,
    };
    let kept = u64::MAX.checked_shl(len as u32).map_or(u64::MAX, |above| !above);
    let sign = signed && len > 0 && shifted >> (len - 1).min(63) & 1 == 1;
    (shifted & kept | if sign { !kept } else { 0 }) & (u64::MAX >> (64 - width))
}

/// Computes `bfi.b32` and `.b64`. The position and the length have as many bits as those of `bfe`.
pub fn insert(from: u64, into: u64, position: u64, len: u64, width: u32) -> u64 {
    let (position, len) = if width == 32 { (position & 0xff, len & 0xff) } else { (position, len) };
    let field = u64::MAX.checked_shl(len as u32).map_or(u64::MAX, |above| !above);
    let place = |bits: u64| bits.checked_shl(position as u32).unwrap_or(0);
    (into & !place(field) | place(from & field)) & (u64::MAX >> (64 - width))
}

/// Computes `lop3.b32`.
pub fn logic3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).filter(|i| table >> i & 1 == 1).fold(0, |all, i| {
        let pick = |value: u64, bit: u32| if i >> bit & 1 == 1 { value } else { !value };
        all | pick(a, 2) & pick(b, 1) & pick(c, 0)
    }) & 0xffff_ffff
}

fn lane(value: u64, i: u32, bits: u32, signed: bool) -> i64 {
    let top = 64 - bits;
    let value = (value >> (i * bits)) << top;
    if signed { value as i64 >> top } else { (value >> top) as i64 }
}

fn dot4(a: u64, b: u64, c: u64, a_signed: bool, b_signed: bool) -> u64 {
    let sum: i64 = (0..4).map(|i| lane(a, i, 8, a_signed) * lane(b, i, 8, b_signed)).sum();
    c.wrapping_add(sum as u64) & 0xffff_ffff
}

/// Multiplies the halves of `a` by the low bytes of `b`.
fn dot2(a: u64, b: u64, c: u64, a_signed: bool, b_signed: bool) -> u64 {
    let sum: i64 = (0..2).map(|i| lane(a, i, 16, a_signed) * lane(b, i, 8, b_signed)).sum();
    c.wrapping_add(sum as u64) & 0xffff_ffff
}

/// Computes `fns`. An H100 finds no bit from a base above 31, and gives 0 for the least offset.
fn find_nth_set(mask: u64, base: u64, offset: u64) -> u64 {
    let (mask, offset) = (mask as u32, offset as i32);
    if offset == i32::MIN {
        return 0;
    }
    let mut bits: Vec<u64> = (0..32).filter(|i| base < 32 && mask >> i & 1 == 1).collect();
    let found = match offset {
        0 => bits.into_iter().find(|bit| *bit == base),
        1.. => bits.into_iter().filter(|bit| *bit >= base).nth(offset as usize - 1),
        _ => {
            bits.reverse();
            bits.into_iter().filter(|bit| *bit <= base).nth(offset.unsigned_abs() as usize - 1)
        }
    };
    found.unwrap_or(NONE)
}

/// Returns the comparison of `setp` on integers.
pub fn test(comparison: &str, ty: &str) -> Option<Test> {
    Some(match comparison {
        "eq" => |a, b| a == b,
        "ne" => |a, b| a != b,
        _ if ty.starts_with('b') => return None,
        "lo" | "ls" | "hi" | "hs" if ty.starts_with('s') => return None,
        "lt" | "lo" => by_type!(Test: ty, |T| |a, b| of::<T>(a) < of(b))?,
        "le" | "ls" => by_type!(Test: ty, |T| |a, b| of::<T>(a) <= of(b))?,
        "gt" | "hi" => by_type!(Test: ty, |T| |a, b| of::<T>(a) > of(b))?,
        "ge" | "hs" => by_type!(Test: ty, |T| |a, b| of::<T>(a) >= of(b))?,
        _ => return None,
    })
}
