//! Formats of at most 8 bits beside `.e4m3` and `.e5m2` (PTX ISA 5.2.3, 5.2.4): none has an infinity.

use rustc_apfloat::Round;

use crate::numbers::float::{self, Format, Modifiers};

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Narrow {
    /// `.e2m1`, `.e2m3` and `.e3m2` have no NaN.
    E2m1,
    E2m3,
    E3m2,
    /// `.ue8m0`: a power of two.
    Ue8m0,
    /// `.ue4m3` and `.ue5m3` have no sign. The upper bit of `.ue4m3` is ignored.
    Ue4m3,
    Ue5m3,
    /// `.s2f6`: an integer of 64ths.
    S2f6,
}

use Narrow::{E2m1, E2m3, E3m2, S2f6, Ue4m3, Ue5m3, Ue8m0};

impl Narrow {
    /// Returns the format that a word names.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "e2m1" => E2m1,
            "e2m3" => E2m3,
            "e3m2" => E3m2,
            "ue8m0" => Ue8m0,
            "ue4m3" => Ue4m3,
            "ue5m3" => Ue5m3,
            "s2f6" => S2f6,
            _ => return None,
        })
    }

    /// Returns the bits of the exponent and of the fraction.
    fn layout(self) -> (u32, u32) {
        match self {
            E2m1 => (2, 1),
            E2m3 => (2, 3),
            E3m2 => (3, 2),
            Ue8m0 => (8, 0),
            Ue4m3 => (4, 3),
            Ue5m3 => (5, 3),
            S2f6 => (0, 6),
        }
    }

    fn has_sign(self) -> bool {
        matches!(self, E2m1 | E2m3 | E3m2 | S2f6)
    }

    /// Returns the number of bits.
    pub fn bits(self) -> u32 {
        match self {
            E2m1 => 4,
            E2m3 | E3m2 => 6,
            _ => 8,
        }
    }

    /// Returns the bits that an element of a packed register takes.
    pub fn place(self) -> u32 {
        if self == E2m1 { 4 } else { 8 }
    }

    fn bias(self) -> i32 {
        match self {
            Ue8m0 => 127,
            _ => (1 << (self.layout().0 - 1)) - 1,
        }
    }

    /// Returns the NaN of a format that has one.
    fn nan(self) -> Option<u64> {
        match self {
            Ue8m0 | Ue5m3 => Some(0xff),
            Ue4m3 => Some(0x7f),
            _ => None,
        }
    }

    /// Returns the largest value.
    fn largest(self) -> u64 {
        match self {
            S2f6 => 0x7f,
            _ => self.nan().map_or((1 << (self.bits() - 1)) - 1, |nan| nan - 1),
        }
    }

    /// Returns the exact value. Bits above those of the format are ignored.
    pub fn value(self, bits: u64) -> f64 {
        let (exponents, fraction) = self.layout();
        let magnitude = bits & ((1 << (exponents + fraction)) - 1);
        match self {
            S2f6 => return f64::from(bits as i8) / 64.0,
            Ue8m0 if Some(magnitude) != self.nan() => return (f64::from(magnitude as i32) - 127.0).exp2(),
            _ if Some(magnitude) == self.nan() => return f64::NAN,
            _ => {}
        }
        let (field, low) = ((magnitude >> fraction) as i32, (magnitude & ((1 << fraction) - 1)) as f64);
        let (leading, field) = if field == 0 { (0.0, 1) } else { (1.0, field) };
        let value = (leading + low / f64::from(1 << fraction)) * f64::from(field - self.bias()).exp2();
        let is_negative = self.has_sign() && bits >> (exponents + fraction) & 1 == 1;
        if is_negative { -value } else { value }
    }

    /// Returns the bits of a value that is rounded. One that is too large becomes the largest with `satfinite`, and where the format
    /// has no NaN, which NaN becomes too. A format without a sign drops it.
    pub fn rounded(self, value: f64, round: Round, satfinite: bool) -> u64 {
        if value.is_nan() {
            return self.nan().unwrap_or(self.largest());
        }
        // The rounding of a magnitude.
        let round = match (round, self.has_sign() && value.is_sign_negative()) {
            (Round::TowardPositive, true) | (Round::TowardNegative, false) => Round::TowardZero,
            (Round::TowardNegative, true) => Round::TowardPositive,
            (round, _) => round,
        };
        let magnitude = value.abs();
        if self == S2f6 {
            let number = integral((magnitude * 64.0).min(128.0), round) as i32;
            return (if value < 0.0 { -number } else { number.min(127) }) as u8 as u64;
        }
        let (_, fraction) = self.layout();
        let exponent = exponent(magnitude);
        let bits = match self {
            _ if magnitude.is_infinite() => u64::MAX,
            // There is no zero: what is less than the least becomes it.
            Ue8m0 if exponent < -self.bias() => 0,
            Ue8m0 => {
                let is_between = magnitude != f64::from(exponent).exp2();
                (exponent + self.bias()) as u64 + u64::from(is_between && round == Round::TowardPositive)
            }
            _ => {
                let least = 1 - self.bias();
                let exponent = exponent.max(least);
                let number = integral(magnitude / f64::from(exponent - fraction as i32).exp2(), round);
                (((exponent - least) as u64) << fraction) + number as u64
            }
        };
        let bits = match self.nan() {
            _ if bits <= self.largest() => bits,
            Some(nan) if !satfinite && (magnitude.is_infinite() || round != Round::TowardZero) => nan,
            _ => self.largest(),
        };
        bits | if value.is_sign_negative() { self.sign() } else { 0 }
    }

    /// Returns the bit of the sign of a format that has one.
    fn sign(self) -> u64 {
        if self.has_sign() { 1 << (self.bits() - 1) } else { 0 }
    }
}

/// Returns the exponent of a value that is not negative: of zero, less than that of any other.
fn exponent(magnitude: f64) -> i32 {
    (magnitude.to_bits() >> 52) as i32 - 1023
}

/// Rounds a value that is not negative and less than 2^53 to an integer.
fn integral(value: f64, round: Round) -> f64 {
    match round {
        Round::TowardPositive => value.ceil(),
        Round::NearestTiesToEven => value.round_ties_even(),
        _ => value.floor(),
    }
}

/// The format of an element of a packed conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Float(Format),
    Narrow(Narrow),
}

impl Element {
    /// Returns the bits that an element takes in a register.
    pub fn place(self) -> u32 {
        match self {
            Self::Float(format) => format.bits(),
            Self::Narrow(narrow) => narrow.place(),
        }
    }

    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::Float(format) => format.to_f64(bits & format.mask()),
            Self::Narrow(narrow) => narrow.value(bits),
        }
    }

    /// Returns the bits of the fraction, and the least normal number.
    fn precision(self) -> (u32, f64) {
        match self {
            Self::Float(format) => format.precision(),
            Self::Narrow(narrow) => (narrow.layout().1, f64::from(1 - narrow.bias()).exp2()),
        }
    }

    /// Converts a value to a packed element. `random`: random bits, and their number, for `.rs`.
    pub fn converted(
        self,
        value: f64,
        modifiers: &Modifiers,
        satfinite: bool,
        random: Option<(u64, u32)>,
    ) -> u64 {
        let (value, round) = match random {
            Some(random) => (with_random(value, self.precision(), random), Round::TowardZero),
            None => (value, modifiers.round),
        };
        match self {
            Self::Float(format) => {
                let bits = match value.is_nan() {
                    true => format.nan(),
                    false => float::convert(Format::F64, format, value.to_bits(), round),
                };
                let bits = if satfinite && !value.is_nan() { float::satfinite(format, bits) } else { bits };
                float::clamp(format, bits, modifiers)
            }
            Self::Narrow(narrow) => {
                let (bits, sign) = (narrow.rounded(value, round, satfinite), narrow.sign());
                let clears = modifiers.relu && bits & sign != 0 || modifiers.pzo && bits == sign;
                if clears { 0 } else { bits }
            }
        }
    }
}

/// Adds `count` random bits below the last place of a value with this precision (PTX ISA 9.7.9.21).
fn with_random(value: f64, (fraction, least): (u32, f64), (random, count): (u64, u32)) -> f64 {
    if !value.is_finite() {
        return value;
    }
    // Below the least normal number, the last place stays.
    let place = exponent(value.abs().max(least)) - fraction as i32 - count as i32;
    (value.abs() + random as f64 * f64::from(place).exp2()).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAREST: Modifiers = Modifiers::NEAREST;

    #[test]
    fn formats_have_their_values() {
        let values =
            |format: Narrow, all: u64| -> Vec<f64> { (0..all).map(|bits| format.value(bits)).collect() };
        assert_eq!(values(E2m1, 8), [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]);
        assert_eq!(values(E2m1, 16)[9..], [-0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0]);
        assert_eq!((values(E3m2, 32)[1], values(E3m2, 32)[31]), (0.0625, 28.0));
        assert_eq!((values(E2m3, 32)[1], values(E2m3, 32)[31]), (0.125, 7.5));
        assert_eq!([0, 127, 254].map(|bits| Ue8m0.value(bits)), [2f64.powi(-127), 1.0, 2f64.powi(127)]);
        assert_eq!([0x38, 0xb9, 0x7e].map(|bits| Ue4m3.value(bits)), [1.0, 1.125, 448.0]);
        assert_eq!([0x01, 0x78, 0xfe].map(|bits| Ue5m3.value(bits)), [2f64.powi(-17), 1.0, 114688.0]);
        assert_eq!([0x7f, 0x80, 0xff].map(|bits| S2f6.value(bits)), [1.984375, -2.0, -0.015625]);
        assert!(Ue8m0.value(0xff).is_nan() && Ue4m3.value(0x7f).is_nan() && Ue5m3.value(0xff).is_nan());
    }

    /// Beside a search among all values of the format.
    #[test]
    fn values_are_rounded_to_their_neighbors() {
        for format in [E2m1, E2m3, E3m2, Ue5m3, S2f6] {
            let count = 1u64 << format.bits();
            let all = (0..count).filter(|bits| Some(*bits) != format.nan() && *bits != format.sign());
            let mut all: Vec<(f64, u64)> = all.map(|bits| (format.value(bits), bits)).collect();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            for pair in all.windows(2) {
                let ((low, of_low), (high, of_high)) = (pair[0], pair[1]);
                let same = |bits: u64, expected: u64| format.value(bits) == format.value(expected);
                for (part, nearest) in [(0.25, of_low), (0.75, of_high)] {
                    let value = low + part * (high - low);
                    let zero = if value < 0.0 { of_high } else { of_low };
                    assert!(
                        same(format.rounded(value, Round::NearestTiesToEven, true), nearest),
                        "{format:?} {value}"
                    );
                    assert!(same(format.rounded(value, Round::TowardZero, true), zero), "{format:?} {value}");
                    assert!(
                        same(format.rounded(value, Round::TowardPositive, true), of_high),
                        "{format:?} {value}"
                    );
                }
                let even = format.rounded((low + high) / 2.0, Round::NearestTiesToEven, true);
                assert!(
                    even & 1 == 0 && (same(even, of_low) || same(even, of_high)),
                    "{format:?} {low} {high}"
                );
                assert!(same(format.rounded(low, Round::TowardZero, true), of_low));
            }
        }
    }

    #[test]
    fn what_no_format_has_becomes_the_largest_or_nan() {
        let nearest = |format: Narrow, value: f64, satfinite| {
            format.rounded(value, Round::NearestTiesToEven, satfinite)
        };
        for format in [E2m1, E2m3, E3m2] {
            let largest = format.largest();
            assert_eq!(nearest(format, f64::NAN, true), largest);
            assert_eq!(nearest(format, -f64::NAN, true), largest);
            assert_eq!(nearest(format, f64::NEG_INFINITY, true), largest | format.sign());
            assert_eq!(nearest(format, 1000.0, true), largest);
            assert_eq!(nearest(format, -0.0, true), format.sign());
        }
        assert_eq!([f64::NAN, 3.0, -3.0].map(|value| nearest(S2f6, value, true)), [0x7f, 0x7f, 0x80]);
        assert_eq!([1e9, -1e9].map(|value| nearest(Ue5m3, value, true)), [0xfe, 0xfe]);
        assert_eq!([1e9, f64::NAN, f64::INFINITY].map(|value| nearest(Ue5m3, value, false)), [0xff; 3]);
        assert_eq!(Ue5m3.rounded(1e9, Round::TowardZero, false), 0xfe);
        let power = |value: f64, round, satfinite| Ue8m0.rounded(value, round, satfinite);
        for (value, down, up) in
            [(1.0, 127, 127), (-1.5, 127, 128), (0.0, 0, 0), (1e-45, 0, 0), (1.5 * 2f64.powi(-127), 0, 1)]
        {
            assert_eq!(power(value, Round::TowardZero, false), down, "{value}");
            assert_eq!(power(value, Round::TowardPositive, false), up, "{value}");
        }
        let large = 1.5 * 2f64.powi(127);
        assert_eq!(
            [true, false].map(|satfinite| power(large, Round::TowardPositive, satfinite)),
            [0xfe, 0xff]
        );
        assert_eq!([true, false].map(|satfinite| power(large, Round::TowardZero, satfinite)), [0xfe, 0xfe]);
        assert_eq!(
            [true, false].map(|satfinite| power(f64::INFINITY, Round::TowardZero, satfinite)),
            [0xfe, 0xff]
        );
        assert_eq!(power(f64::NAN, Round::TowardZero, true), 0xff);
    }

    #[test]
    fn relu_and_pzo_concern_the_sign() {
        let convert = |element: Element, value, relu, pzo| {
            element.converted(value, &Modifiers { relu, pzo, ..NEAREST }, true, None)
        };
        for element in [Element::Narrow(E2m1), Element::Float(Format::E4m3), Element::Float(Format::F16)] {
            let sign = convert(element, -0.0, false, false);
            assert_ne!(sign, 0);
            assert_eq!(
                [(true, false), (false, true)].map(|(relu, pzo)| convert(element, -0.0, relu, pzo)),
                [0, 0]
            );
            assert_eq!(convert(element, -1.0, true, false), 0);
            assert_eq!(convert(element, -1.0, false, true) & sign, sign);
        }
        assert_eq!(convert(Element::Narrow(S2f6), -1.0, true, false), 0);
    }

    #[test]
    fn random_bits_carry_where_they_and_the_dropped_bits_reach_a_place() {
        let half = Element::Float(Format::F16);
        let f16 =
            |value: f64, random: u64| half.value(half.converted(value, &NEAREST, false, Some((random, 13))));
        let place = 2f64.powi(-10);
        let between = 1.0 + 0.25 * place;
        // A quarter of a place and three quarters make one.
        assert_eq!([f16(between, 0), f16(between, 0x17ff), f16(between, 0x1800)], [1.0, 1.0, 1.0 + place]);
        assert_eq!(f16(-between, 0x1fff), -(1.0 + place));
        assert_eq!(f16(2.0 - 0.25 * place, 0x1fff), 2.0);
        // Exact values, infinities and NaN stay.
        assert_eq!(f16(1.5, 0x1fff), 1.5);
        assert_eq!(f16(f64::INFINITY, 0x1fff), f64::INFINITY);
        assert!(f16(f64::NAN, 0).is_nan());
        // The last place of subnormal values is that of the least normal one.
        let least = 2f64.powi(-24);
        assert_eq!([f16(0.25 * least, 0x17ff), f16(0.25 * least, 0x1800)], [0.0, least]);
        let e2m1 = |value: f64, random: u64| {
            Element::Narrow(E2m1).converted(value, &NEAREST, true, Some((random, 16)))
        };
        assert_eq!(
            [e2m1(2.25, 0xbfff), e2m1(2.25, 0xc000), e2m1(5.9, 0xffff), e2m1(-9.0, 0)],
            [4, 5, 7, 0xf]
        );
    }
}
