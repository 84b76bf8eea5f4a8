//! Floating-point arithmetic and conversions beside a judge that computes exactly, in integers of any size, and rounds once.

use crate::numbers::float::{self, Format, Function, Modifiers};
use num_bigint::{BigInt, BigUint, Sign};
use rustc_apfloat::Round;

const ROUNDS: [Round; 4] =
    [Round::NearestTiesToEven, Round::TowardZero, Round::TowardNegative, Round::TowardPositive];
const ARITHMETIC: [Format; 4] = [Format::F16, Format::Bf16, Format::F32, Format::F64];
/// The formats of conversions. `.e4m3`, which has no infinity, is a test of its own.
const ALL: [Format; 5] = [Format::E5m2, Format::F16, Format::Bf16, Format::F32, Format::F64];

/// Returns the bits of the fraction and of the exponent.
fn layout(format: Format) -> (u32, u32) {
    match format {
        Format::E4m3 => (3, 4),
        Format::E5m2 => (2, 5),
        Format::F16 => (10, 5),
        Format::Bf16 => (7, 8),
        Format::F32 => (23, 8),
        Format::F64 => (52, 11),
    }
}

/// A value: `magnitude * 2^exponent`, with a sign that a zero has too.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Nan,
    Infinite(bool),
    Finite { negative: bool, magnitude: BigUint, exponent: i64 },
}
use Value::{Finite, Infinite, Nan};

fn finite(negative: bool, magnitude: impl Into<BigUint>, exponent: i64) -> Value {
    Finite { negative, magnitude: magnitude.into(), exponent }
}

fn value(format: Format, bits: u64) -> Value {
    let (fraction, exponents) = layout(format);
    let negative = bits >> (fraction + exponents) & 1 == 1;
    let field = bits >> fraction & ((1 << exponents) - 1);
    let low = bits & ((1 << fraction) - 1);
    let bias = (1i64 << (exponents - 1)) - 1;
    let is_special = match format {
        Format::E4m3 => field == 15 && low == 7,
        _ => field == (1 << exponents) - 1,
    };
    match (is_special, field) {
        (true, _) if low == 0 => Infinite(negative),
        (true, _) => Nan,
        (false, 0) => finite(negative, low, 1 - bias - i64::from(fraction)),
        (false, _) => finite(negative, low | 1 << fraction, field as i64 - bias - i64::from(fraction)),
    }
}

/// Returns the integer that `magnitude * 2^-shift` rounds to. `more`: the value is a little above the magnitude.
fn round_integer(negative: bool, magnitude: &BigUint, shift: i64, more: bool, round: Round) -> BigUint {
    if shift <= 0 {
        assert!(!more, "the judge has too few bits");
        return magnitude << (-shift) as u64;
    }
    let kept = magnitude >> shift as u64;
    let rest = magnitude - (&kept << shift as u64);
    let half = BigUint::from(1u8) << (shift - 1) as u64;
    let is_zero = rest == BigUint::ZERO && !more;
    let up = match round {
        Round::NearestTiesToEven => rest > half || rest == half && (more || kept.bit(0)),
        Round::TowardPositive => !is_zero && !negative,
        Round::TowardNegative => !is_zero && negative,
        _ => false,
    };
    kept + u8::from(up)
}

/// Rounds a value that is not zero to a format, once.
fn rounded(
    format: Format,
    negative: bool,
    magnitude: &BigUint,
    exponent: i64,
    more: bool,
    round: Round,
) -> u64 {
    let (fraction, exponents) = layout(format);
    let bias = (1i64 << (exponents - 1)) - 1;
    let top = exponent + magnitude.bits() as i64 - 1;
    // The exponent of the last place. Below the normal numbers, it stays.
    let place = top.max(1 - bias) - i64::from(fraction);
    let kept = round_integer(negative, magnitude, place - exponent, more, round);
    let kept = u64::try_from(kept).expect("the result has the bits of the format");
    let bits = (((place + i64::from(fraction) + bias - 1) as u64) << fraction) + kept;
    let infinity = ((1u64 << exponents) - 1) << fraction;
    let overflows = match format {
        Format::E4m3 => bits > 0x7e,
        _ => bits >= infinity,
    };
    let to_infinity = match round {
        Round::NearestTiesToEven => true,
        Round::TowardPositive => !negative,
        Round::TowardNegative => negative,
        _ => false,
    };
    let bits = match (overflows, to_infinity) {
        (false, _) => bits,
        // A conversion to `.e4m3` has `.satfinite`.
        (true, _) if format == Format::E4m3 => 0x7e,
        (true, true) => infinity,
        (true, false) => infinity - 1,
    };
    bits | u64::from(negative) << (fraction + exponents)
}

/// Returns whether `.ftz` makes a result zero: whether it is below the normal numbers when its exponent has no end.
fn is_tiny(
    format: Format,
    negative: bool,
    magnitude: &BigUint,
    exponent: i64,
    more: bool,
    round: Round,
) -> bool {
    let (fraction, exponents) = layout(format);
    let least = 2 - (1i64 << (exponents - 1));
    let place = exponent + magnitude.bits() as i64 - 1 - i64::from(fraction);
    let kept = round_integer(negative, magnitude, place - exponent, more, round);
    place + (kept.bits() as i64 - 1) < least
}

/// The result of the judge: bits, or any NaN.
fn judged(format: Format, result: (Value, bool), round: Round, ftz: bool) -> Option<u64> {
    let (fraction, exponents) = layout(format);
    let sign = |negative: bool| u64::from(negative) << (fraction + exponents);
    match result {
        (Nan, _) => None,
        (Infinite(negative), _) if format == Format::E4m3 => Some(sign(negative) | 0x7e),
        (Infinite(negative), _) => Some(sign(negative) | ((1 << exponents) - 1) << fraction),
        (Finite { negative, magnitude, .. }, false) if magnitude == BigUint::ZERO => Some(sign(negative)),
        (Finite { negative, magnitude, exponent }, more) => {
            if ftz && is_tiny(format, negative, &magnitude, exponent, more, round) {
                return Some(sign(negative));
            }
            Some(rounded(format, negative, &magnitude, exponent, more, round))
        }
    }
}

fn negate(value: Value) -> Value {
    match value {
        Nan => Nan,
        Infinite(negative) => Infinite(!negative),
        Finite { negative, magnitude, exponent } => finite(!negative, magnitude, exponent),
    }
}

fn add(a: Value, b: Value, round: Round) -> Value {
    let signed = |negative, magnitude: BigUint| {
        BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, magnitude)
    };
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(a), Infinite(b)) if a != b => Nan,
        (Infinite(a), _) | (_, Infinite(a)) => Infinite(a),
        (
            Finite { negative: a, magnitude: x, exponent: e },
            Finite { negative: b, magnitude: y, exponent: f },
        ) => {
            let least = e.min(f);
            let sum = signed(a, x << (e - least) as u64) + signed(b, y << (f - least) as u64);
            let negative = match sum.sign() {
                Sign::NoSign if a == b => a,
                Sign::NoSign => round == Round::TowardNegative,
                sign => sign == Sign::Minus,
            };
            finite(negative, sum.magnitude().clone(), least)
        }
    }
}

fn multiply(a: Value, b: Value) -> Value {
    match (a, b) {
        (Nan, _) | (_, Nan) => Nan,
        (Infinite(a), Infinite(b)) => Infinite(a != b),
        (Infinite(a), Finite { negative, magnitude, .. })
        | (Finite { negative, magnitude, .. }, Infinite(a)) => {
            if magnitude == BigUint::ZERO {
                Nan
            } else {
                Infinite(a != negative)
            }
        }
        (
            Finite { negative: a, magnitude: x, exponent: e },
            Finite { negative: b, magnitude: y, exponent: f },
        ) => finite(a != b, x * y, e + f),
    }
}

/// Returns the quotient, and whether it is a little more.
fn divide(a: Value, b: Value) -> (Value, bool) {
    let result = match (a, b) {
        (Nan, _) | (_, Nan) | (Infinite(_), Infinite(_)) => Nan,
        (Infinite(a), Finite { negative, .. }) => Infinite(a != negative),
        (Finite { negative, .. }, Infinite(b)) => finite(negative != b, 0u8, 0),
        (
            Finite { negative: a, magnitude: x, exponent: e },
            Finite { negative: b, magnitude: y, exponent: f },
        ) => {
            let is_zero = [&x, &y].map(|magnitude| *magnitude == BigUint::ZERO);
            match is_zero {
                [true, true] => Nan,
                [false, true] => Infinite(a != b),
                _ => {
                    let scaled = x << 200u64;
                    let quotient = &scaled / &y;
                    let more = &quotient * &y != scaled;
                    return (finite(a != b, quotient, e - f - 200), more);
                }
            }
        }
    };
    (result, false)
}

fn root(a: Value) -> (Value, bool) {
    match a {
        Finite { negative, ref magnitude, .. } if *magnitude == BigUint::ZERO => {
            (finite(negative, 0u8, 0), false)
        }
        Infinite(false) => (Infinite(false), false),
        Finite { negative: false, magnitude, exponent } => {
            let shift = 200 + exponent.rem_euclid(2);
            let scaled = magnitude << shift as u64;
            let root = scaled.sqrt();
            let more = &root * &root != scaled;
            (finite(false, root, (exponent - shift) / 2), more)
        }
        _ => (Nan, false),
    }
}

/// Edges of a format, and random numbers, many of which have near exponents.
struct Inputs {
    format: Format,
    edges: Vec<u64>,
    state: u64,
}

impl Inputs {
    fn new(format: Format) -> Self {
        let (fraction, exponents) = layout(format);
        let one = ((1u64 << (exponents - 1)) - 1) << fraction;
        let infinity = ((1u64 << exponents) - 1) << fraction;
        let least = 1u64 << fraction;
        let mut edges =
            vec![0, 1, 2, 3, least - 1, least, least + 1, one - 1, one, one + 1, one + least, infinity - 1];
        edges.extend([
            infinity - least,
            one + least + 1,
            one | least >> 1,
            least >> 1,
            least | 1,
            least << 1,
        ]);
        if format != Format::E4m3 {
            edges.extend([infinity, infinity | least >> 1, infinity | 1]);
        }
        let sign = 1 << (fraction + exponents);
        let negative: Vec<u64> = edges.iter().map(|bits| bits | sign).collect();
        edges.extend(negative);
        Self { format, edges, state: 0x9e37_79b9_7f4a_7c15 }
    }

    fn random(&mut self) -> u64 {
        // xorshift64.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    fn next(&mut self) -> u64 {
        let (fraction, exponents) = layout(self.format);
        let any = self.random();
        let bits = any & (u64::MAX >> (63 - fraction - exponents));
        match self.random() % 4 {
            0 => self.edges[any as usize % self.edges.len()],
            // Near one.
            1 => {
                let field = (1u64 << (exponents - 1)) - 2 + any % 3;
                bits & !(((1 << exponents) - 1) << fraction) | field << fraction
            }
            // Of few bits, so that results lie on ties.
            2 => bits & !((1 << (fraction / 2)) - 1),
            _ => bits,
        }
    }
}

fn check(format: Format, bits: u64, judged: Option<u64>, what: impl Fn() -> String) {
    match judged {
        None => assert!(format.is_nan(bits), "{}: {bits:#x}, not NaN", what()),
        Some(right) => assert_eq!(bits, right, "{}: {bits:#x}, not {right:#x}", what()),
    }
}

fn flush(format: Format, bits: u64) -> u64 {
    let (fraction, exponents) = layout(format);
    let is_subnormal = bits >> fraction & ((1 << exponents) - 1) == 0;
    if is_subnormal { bits & 1 << (fraction + exponents) } else { bits }
}

#[test]
fn arithmetic_rounds_the_exact_result_once() {
    use Function::{Add, Div, Fma, Mul, Rcp, Sqrt, Sub};
    for format in ARITHMETIC {
        let mut inputs = Inputs::new(format);
        for round in ROUNDS {
            for i in 0..6000 {
                let ftz = i % 2 == 1 && [Format::F16, Format::F32].contains(&format);
                let given = [inputs.next(), inputs.next(), inputs.next()];
                let flushed = if ftz { given.map(|bits| flush(format, bits)) } else { given };
                let [a, b, c] = flushed.map(|bits| value(format, bits));
                let function = [Add, Sub, Mul, Fma, Div, Sqrt, Rcp][i / 2 % 7];
                let exact = match function {
                    Add => (add(a, b, round), false),
                    Sub => (add(a, negate(b), round), false),
                    Mul => (multiply(a, b), false),
                    Fma => (add(multiply(a, b), c, round), false),
                    Div => divide(a, b),
                    Sqrt => root(a),
                    _ => divide(finite(false, 1u8, 0), a),
                };
                let modifiers = Modifiers { round, ftz, ..Modifiers::NEAREST };
                // The approximations of `.f64` have `.ftz`, and no rounding.
                let bits = float::compute(function, format, given, &modifiers);
                let right = judged(format, exact, round, ftz);
                check(format, bits, right, || {
                    format!("{function:?} {format:?} {round:?} ftz {ftz} of {given:x?}")
                });
            }
        }
    }
}

#[test]
fn conversions_between_formats_round_once() {
    for from in ALL.into_iter().chain([Format::E4m3]) {
        for to in ALL.into_iter().filter(|to| *to != from) {
            let mut inputs = Inputs::new(from);
            for round in ROUNDS {
                for _ in 0..600 {
                    let given = inputs.next();
                    let right = judged(to, (value(from, given), false), round, false);
                    let bits = float::convert(from, to, given, round);
                    check(to, bits, right, || format!("{from:?} to {to:?} {round:?} of {given:#x}"));
                }
            }
        }
    }
}

#[test]
fn conversions_to_f8_saturate() {
    for from in [Format::F16, Format::F32] {
        for to in [Format::E4m3, Format::E5m2] {
            let mut inputs = Inputs::new(from);
            for _ in 0..4000 {
                let given = inputs.next();
                let largest = if to == Format::E4m3 { 0x7e } else { 0x7b };
                let right = match judged(to, (value(from, given), false), Round::NearestTiesToEven, false) {
                    Some(bits) if bits & 0x7f > largest => Some(bits & 0x80 | largest),
                    right => right,
                };
                if from.is_nan(given) {
                    continue;
                }
                let bits = float::satfinite(to, float::convert(from, to, given, Round::NearestTiesToEven));
                check(to, bits, right, || format!("{from:?} to {to:?} of {given:#x}"));
            }
        }
    }
}

#[test]
fn conversions_to_f32_with_ftz_round_before_they_flush() {
    let mut inputs = Inputs::new(Format::F64);
    for round in ROUNDS {
        for i in 0..4000 {
            let mut given = inputs.next();
            if i % 2 == 0 {
                // Just below the least normal number of `.f32`, and near it.
                given = given & 0x800f_ffff_ffff_ffff | (1023 - 128 + given % 4) << 52;
                given |= if i % 4 == 0 { 0xf_ffff_e000_0000 } else { 0 };
            }
            let right = judged(Format::F32, (value(Format::F64, given), false), round, true);
            let bits = float::convert_flushed(Format::F64, Format::F32, given, round);
            check(Format::F32, bits, right, || format!("{round:?} of {given:#x}"));
        }
    }
}

#[test]
fn conversions_of_integers_round_once_and_clamp() {
    for format in ARITHMETIC {
        let mut inputs = Inputs::new(format);
        for round in ROUNDS {
            for i in 0..2000 {
                let (bits, signed) = ([8, 16, 32, 64][i % 4], i / 4 % 2 == 0);
                // To an integer.
                let given = inputs.next();
                let (least, most) = if signed {
                    (-(BigInt::from(1) << (bits - 1)), (BigInt::from(1) << (bits - 1)) - 1)
                } else {
                    (BigInt::ZERO, (BigInt::from(1) << bits) - 1)
                };
                let integer = match value(format, given) {
                    Nan => None,
                    Infinite(negative) => Some(if negative { least } else { most }),
                    Finite { negative, magnitude, exponent } => {
                        let kept = BigInt::from(round_integer(negative, &magnitude, -exponent, false, round));
                        Some((if negative { -kept } else { kept }).clamp(least, most))
                    }
                };
                let mask = u64::MAX >> (64 - bits);
                let right = match integer {
                    Some(integer) => i128::try_from(integer).unwrap() as u64 & mask,
                    None if format == Format::F64 || bits == 64 => 1 << (bits - 1),
                    None => 0,
                };
                let result = float::to_integer(format, given, bits, signed, round);
                assert_eq!(result, right, "{format:?} {given:#x} to {bits} bits, signed {signed}, {round:?}");
                // From an integer.
                let any = inputs.random() >> (inputs.random() % 64);
                let (negative, magnitude) =
                    if signed { ((any as i64) < 0, (any as i64).unsigned_abs()) } else { (false, any) };
                let right = judged(format, (finite(negative, magnitude, 0), false), round, false);
                let result = float::from_integer(format, any, signed, round);
                check(format, result, right, || {
                    format!("{any:#x}, signed {signed}, to {format:?} {round:?}")
                });
            }
        }
    }
}
