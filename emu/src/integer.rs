//! Integer, logic and shift instructions (PTX ISA 9.7.1, 9.7.2, 9.7.8): a function on registers for each opcode. A register holds
//! its value zero-extended to 64 bits.

pub type Unary = fn(u64) -> u64;
pub type Binary = fn(u64, u64) -> u64;
pub type Ternary = fn(u64, u64, u64) -> u64;
pub type Test = fn(u64, u64) -> bool;

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

pub fn unary(words: &[&str]) -> Option<Unary> {
    let (first, ty) = (words[0], *words.last()?);
    Some(match (first, ty) {
        ("not", "pred") => |a| a ^ 1,
        ("not", _) => by_type!(Unary: ty, |T| |a| (!of::<T>(a)).bits())?,
        ("cnot", _) => by_type!(Unary: ty, |T| |a| u64::from(of::<T>(a) == 0))?,
        ("neg", _) => by_type!(Unary: ty, |T| |a| of::<T>(a).wrapping_neg_bits())?,
        ("abs", "s16") => |a| of::<i16>(a).wrapping_abs().bits(),
        ("abs", "s32") => |a| of::<i32>(a).wrapping_abs().bits(),
        ("abs", "s64") => |a| of::<i64>(a).wrapping_abs().bits(),
        ("popc", "b32") => |a| of::<u32>(a).count_ones().into(),
        ("popc", "b64") => |a| a.count_ones().into(),
        ("clz", "b32") => |a| of::<u32>(a).leading_zeros().into(),
        ("clz", "b64") => |a| a.leading_zeros().into(),
        ("brev", "b32") => |a| of::<u32>(a).reverse_bits().into(),
        ("brev", "b64") => |a| a.reverse_bits(),
        ("bfind", _) if words.contains(&"shiftamt") => match ty {
            "u32" => |a| {
                of::<u32>(a).leading_zeros().checked_rem(32).filter(|_| a != 0).map_or(0xffff_ffff, u64::from)
            },
            "s32" => |a| {
                let a = if (a as i32) < 0 { !a as u32 } else { a as u32 };
                if a == 0 { 0xffff_ffff } else { a.leading_zeros().into() }
            },
            "u64" => |a| if a == 0 { 0xffff_ffff } else { a.leading_zeros().into() },
            _ => |a| {
                let a = if (a as i64) < 0 { !a } else { a };
                if a == 0 { 0xffff_ffff } else { a.leading_zeros().into() }
            },
        },
        ("bfind", "u32") => |a| (31u32.wrapping_sub(of::<u32>(a).leading_zeros())).bits(),
        ("bfind", "u64") => |a| (63u32.wrapping_sub(a.leading_zeros())).bits(),
        ("bfind", "s32") => |a| {
            let a = if (a as i32) < 0 { !a as u32 } else { a as u32 };
            31u32.wrapping_sub(a.leading_zeros()).bits()
        },
        ("bfind", "s64") => |a| {
            let a = if (a as i64) < 0 { !a } else { a };
            63u32.wrapping_sub(a.leading_zeros()).bits()
        },
        _ => return None,
    })
}

trait WrappingNeg {
    fn wrapping_neg_bits(self) -> u64;
}
macro_rules! wrapping_neg {
    ($($T:ty)*) => { $( impl WrappingNeg for $T { #[inline(always)] fn wrapping_neg_bits(self) -> u64 { self.wrapping_neg().bits() } } )* };
}
wrapping_neg!(u8 u16 u32 u64 i8 i16 i32 i64);

pub fn binary(words: &[&str]) -> Option<Binary> {
    let (first, ty) = (words[0], *words.last()?);
    let has = |word| words.contains(&word);
    Some(match (first, ty) {
        ("add", "s32") if has("sat") => |a, b| of::<i32>(a).saturating_add(of(b)).bits(),
        ("sub", "s32") if has("sat") => |a, b| of::<i32>(a).saturating_sub(of(b)).bits(),
        ("add", "u16x2") | ("add", "s16x2") => |a, b| halves(a, b, u16::wrapping_add),
        ("min", "u16x2") => |a, b| halves(a, b, u16::min),
        ("max", "u16x2") => |a, b| halves(a, b, u16::max),
        ("min", "s16x2") => |a, b| halves(a, b, |a, b| (a as i16).min(b as i16) as u16),
        ("max", "s16x2") => |a, b| halves(a, b, |a, b| (a as i16).max(b as i16) as u16),
        ("add", _) => by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_add(of(b)).bits())?,
        ("sub", _) => by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_sub(of(b)).bits())?,
        ("mul", _) if has("lo") => by_type!(Binary: ty, |T| |a, b| of::<T>(a).wrapping_mul(of(b)).bits())?,
        ("mul", _) if has("hi") => {
            by_type!(Binary: ty, |T, W| |a, b| (((W::from(of::<T>(a)) * W::from(of::<T>(b))) >> T::BITS) as T).bits())?
        }
        ("mul", _) if has("wide") => {
            by_type!(Binary: ty, |T, W| |a, b| (W::from(of::<T>(a)) * W::from(of::<T>(b))).bits())?
        }
        ("mul24", "u32") => |a, b| product24(a & 0xff_ffff, b & 0xff_ffff, false),
        ("mul24", "s32") => |a, b| product24(extend24(a), extend24(b), false),
        ("div", _) => by_type!(Binary: ty, |T| |a, b| match of::<T>(b) {
            0 => u64::MAX >> (64 - T::BITS),
            b => of::<T>(a).wrapping_div(b).bits(),
        })?,
        ("rem", _) => by_type!(Binary: ty, |T| |a, b| match of::<T>(b) {
            0 => a,
            b => of::<T>(a).wrapping_rem(b).bits(),
        })?,
        ("min", _) => by_type!(Binary: ty, |T| |a, b| of::<T>(a).min(of(b)).bits())?,
        ("max", _) => by_type!(Binary: ty, |T| |a, b| of::<T>(a).max(of(b)).bits())?,
        ("and", _) => |a, b| a & b,
        ("or", _) => |a, b| a | b,
        ("xor", _) => |a, b| a ^ b,
        // Shift amounts above the width are clamped to it.
        ("shl", _) => {
            by_type!(Binary: ty, |T| |a, b| of::<T>(a).checked_shl(b as u32).map_or(0, Bits::bits))?
        }
        ("shr", "s16") => |a, b| (of::<i16>(a) >> (b as u32).min(15)).bits(),
        ("shr", "s32") => |a, b| (of::<i32>(a) >> (b as u32).min(31)).bits(),
        ("shr", "s64") => |a, b| (of::<i64>(a) >> (b as u32).min(63)).bits(),
        ("shr", _) => {
            by_type!(Binary: ty, |T| |a, b| of::<T>(a).checked_shr(b as u32).map_or(0, Bits::bits))?
        }
        ("bmsk", "b32") => |a, b| {
            let wrap = has_wrap(b);
            mask_of(a, wrap)
        },
        ("szext", "u32") => |a, b| if b >= 32 { a } else { a & ((1 << b) - 1) },
        ("szext", "s32") => |a, b| match b {
            0 => 0,
            1..32 => ((a as i32) << (32 - b) >> (32 - b)).bits(),
            _ => a,
        },
        _ => return None,
    })
}

fn has_wrap(b: u64) -> u64 {
    b.min(32)
}

fn mask_of(a: u64, count: u64) -> u64 {
    if a >= 32 { 0 } else { (((1u64 << count) - 1) << a) & 0xffff_ffff }
}

fn halves(a: u64, b: u64, f: fn(u16, u16) -> u16) -> u64 {
    u64::from(f(a as u16, b as u16)) | u64::from(f((a >> 16) as u16, (b >> 16) as u16)) << 16
}

fn extend24(a: u64) -> u64 {
    ((a << 40) as i64 >> 40) as u64
}

fn product24(a: u64, b: u64, hi: bool) -> u64 {
    let product = a.wrapping_mul(b);
    if hi { product >> 16 & 0xffff_ffff } else { product & 0xffff_ffff }
}

pub fn ternary(words: &[&str]) -> Option<Ternary> {
    let (first, ty) = (words[0], *words.last()?);
    let has = |word| words.contains(&word);
    Some(match (first, ty) {
        ("mad", _) if has("lo") => {
            by_type!(Ternary: ty, |T| |a, b, c| of::<T>(a).wrapping_mul(of(b)).wrapping_add(of(c)).bits())?
        }
        ("mad", _) if has("hi") => by_type!(Ternary: ty, |T, W| |a, b, c| {
            let high = ((W::from(of::<T>(a)) * W::from(of::<T>(b))) >> T::BITS) as T;
            high.wrapping_add(of(c)).bits()
        })?,
        ("mad", _) if has("wide") => {
            by_type!(Ternary: ty, |T, W| |a, b, c| (W::from(of::<T>(a)) * W::from(of::<T>(b))).wrapping_add(W::from_bits(c)).bits() & wide_mask(T::BITS))?
        }
        ("mad24", "u32") => |a, b, c| (product24(a & 0xff_ffff, b & 0xff_ffff, false) + c) & 0xffff_ffff,
        ("mad24", "s32") => |a, b, c| (product24(extend24(a), extend24(b), false) + c) & 0xffff_ffff,
        ("sad", _) => {
            by_type!(Ternary: ty, |T| |a, b, c| T::from_bits(of::<T>(a).abs_diff(of(b)).into_bits()).wrapping_add(of(c)).bits())?
        }
        ("prmt", "b32") => match words.get(2) {
            None => permute,
            Some(_) => return permute_mode(words[1]).or(permute_mode(words[2])),
        },
        ("shf", "b32") => match (has("l"), has("clamp")) {
            (true, true) => |a, b, c| funnel_left(a, b, c.min(32)),
            (true, false) => |a, b, c| funnel_left(a, b, c & 31),
            (false, true) => |a, b, c| funnel_right(a, b, c.min(32)),
            (false, false) => |a, b, c| funnel_right(a, b, c & 31),
        },
        ("bfe", "u32") => |a, b, c| extract(a, b, c, 32, false),
        ("bfe", "s32") => |a, b, c| extract(a, b, c, 32, true),
        ("bfe", "u64") => |a, b, c| extract(a, b, c, 64, false),
        ("bfe", "s64") => |a, b, c| extract(a, b, c, 64, true),
        ("dp4a", _) => match (words[1], words[2]) {
            ("u32", "u32") => |a, b, c| dot4(a, b, c, false, false),
            ("s32", "u32") => |a, b, c| dot4(a, b, c, true, false),
            ("u32", "s32") => |a, b, c| dot4(a, b, c, false, true),
            _ => |a, b, c| dot4(a, b, c, true, true),
        },
        ("fns", "b32") => find_nth_set,
        _ => return None,
    })
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

fn permute_mode(mode: &str) -> Option<Ternary> {
    fn select(a: u64, b: u64, of: impl Fn(u64) -> u64) -> u64 {
        let bytes = a & 0xffff_ffff | b << 32;
        (0..4).fold(0, |all, i| all | (bytes >> (8 * (of(i) & 7)) & 0xff) << (8 * i))
    }
    Some(match mode {
        "f4e" => |a, b, c| select(a, b, |i| (c & 3) + i),
        "b4e" => |a, b, c| select(a, b, |i| (c & 3).wrapping_sub(i)),
        "rc8" => |a, b, c| select(a, b, |_| c & 3),
        "ecl" => |a, b, c| select(a, b, |i| i.max(c & 3)),
        "ecr" => |a, b, c| select(a, b, |i| i.min(c & 3)),
        "rc16" => |a, b, c| select(a, b, |i| (c & 1) * 2 + (i & 1)),
        _ => return None,
    })
}

fn funnel_left(a: u64, b: u64, n: u64) -> u64 {
    (((b << 32 | a & 0xffff_ffff) << n) >> 32) & 0xffff_ffff
}

fn funnel_right(a: u64, b: u64, n: u64) -> u64 {
    ((b << 32 | a & 0xffff_ffff) >> n) & 0xffff_ffff
}

fn extract(a: u64, position: u64, len: u64, width: u32, signed: bool) -> u64 {
    let (position, len) = ((position & 0xff) as u32, (len & 0xff) as u32);
    let top = (position + len).min(width).saturating_sub(1);
    let sign = signed && len > 0 && a >> top & 1 == 1;
    let bit = |i: u32| if position + i < width && i < len { a >> (position + i) & 1 } else { sign.into() };
    (0..width).fold(0, |all, i| all | bit(i) << i)
}

/// Computes `bfi.b32` and `.b64`.
pub fn insert(from: u64, into: u64, position: u64, len: u64, width: u32) -> u64 {
    let (position, len) = ((position & 0xff) as u32, (len & 0xff) as u32);
    let mut result = into;
    for i in 0..len.min(width.saturating_sub(position)) {
        result = result & !(1 << (position + i)) | (from >> i & 1) << (position + i);
    }
    result
}

/// Computes `lop3.b32`.
pub fn logic3(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).filter(|i| table >> i & 1 == 1).fold(0, |all, i| {
        let pick = |value: u64, bit: u32| if i >> bit & 1 == 1 { value } else { !value };
        all | pick(a, 2) & pick(b, 1) & pick(c, 0)
    }) & 0xffff_ffff
}

fn dot4(a: u64, b: u64, c: u64, a_signed: bool, b_signed: bool) -> u64 {
    let byte = |value: u64, i: u32, signed: bool| {
        let byte = (value >> (8 * i)) as u8;
        if signed { i64::from(byte as i8) } else { i64::from(byte) }
    };
    let sum: i64 = (0..4).map(|i| byte(a, i, a_signed) * byte(b, i, b_signed)).sum();
    (c as i64).wrapping_add(sum) as u64 & 0xffff_ffff
}

fn find_nth_set(mask: u64, base: u64, offset: u64) -> u64 {
    let (mask, base, offset) = (mask as u32, base as i64, i64::from(offset as i32));
    let bits: Vec<i64> = (0..32).filter(|i| mask >> i & 1 == 1).collect();
    let found = match offset {
        0 => bits.into_iter().find(|bit| *bit == base),
        1.. => bits.into_iter().filter(|bit| *bit >= base).nth(offset as usize - 1),
        _ => bits.into_iter().rev().filter(|bit| *bit <= base).nth(offset.unsigned_abs() as usize - 1),
    };
    found.map_or(0xffff_ffff, |bit| bit as u64)
}

/// Returns the comparison of `setp` on integers.
pub fn test(comparison: &str, ty: &str) -> Option<Test> {
    Some(match comparison {
        "eq" => |a, b| a == b,
        "ne" => |a, b| a != b,
        "lt" | "lo" => by_type!(Test: ty, |T| |a, b| of::<T>(a) < of(b))?,
        "le" | "ls" => by_type!(Test: ty, |T| |a, b| of::<T>(a) <= of(b))?,
        "gt" | "hi" => by_type!(Test: ty, |T| |a, b| of::<T>(a) > of(b))?,
        "ge" | "hs" => by_type!(Test: ty, |T| |a, b| of::<T>(a) >= of(b))?,
        _ => return None,
    })
}
