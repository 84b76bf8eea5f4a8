//! Products of matrices: the types of their elements, where the lanes of a warp hold them, and how sums are rounded (PTX ISA
//! 9.7.14, 9.7.15).

use rustc_apfloat::Round;

use crate::numbers::float::{self, Format, Function, Modifiers};
use crate::numbers::narrow::Narrow;

/// The type of an element of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    Float(Format),
    /// `.tf32`: an `.f32` whose low 13 bits are ignored.
    Tf32,
    Narrow(Narrow),
    Integer {
        bits: u32,
        signed: bool,
    },
}

impl Element {
    /// Returns the type that a word names.
    pub fn named(word: &str) -> Option<Self> {
        let integer = |bits, signed| Self::Integer { bits, signed };
        Some(match word {
            "f16" => Self::Float(Format::F16),
            "bf16" => Self::Float(Format::Bf16),
            "f32" => Self::Float(Format::F32),
            "f64" => Self::Float(Format::F64),
            "tf32" => Self::Tf32,
            "e4m3" => Self::Float(Format::E4m3),
            "e5m2" => Self::Float(Format::E5m2),
            "s32" => integer(32, true),
            "s8" => integer(8, true),
            "u8" => integer(8, false),
            "s4" => integer(4, true),
            "u4" => integer(4, false),
            "b1" => integer(1, false),
            _ => return Narrow::named(word).map(Self::Narrow),
        })
    }

    /// Returns the bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            Self::Float(format) => format.bits(),
            Self::Tf32 => 32,
            Self::Narrow(narrow) => narrow.bits(),
            Self::Integer { bits, .. } => bits,
        }
    }

    /// Returns the exact value. Bits above those of the type are ignored.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::Float(format) => format.to_f64(bits & format.mask()),
            Self::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            Self::Narrow(narrow) => narrow.value(bits),
            Self::Integer { bits: width, signed } => {
                let shift = 64 - width;
                if signed {
                    ((bits << shift) as i64 >> shift) as f64
                } else {
                    (bits << shift >> shift) as f64
                }
            }
        }
    }

    /// Returns the exact value of an element in a byte of its own: 4 bits are in the middle of it, 6 bits at its lower end (9.7.14.5.14).
    pub fn value_in_byte(self, byte: u64) -> f64 {
        self.value(if self.bits() == 4 { byte >> 2 } else { byte })
    }

    /// Returns the bits of a sum: of floats rounded to the nearest value, of integers wrapped or, with `.satfinite`, clamped.
    pub fn of_sum(self, sum: f64, satfinite: bool) -> u64 {
        match self {
            Self::Float(format) if sum.is_nan() => format.nan(),
            Self::Float(format) => format.from_f64(sum),
            // A conversion to `i32` clamps. A sum of integers has less than 53 bits.
            _ if satfinite => u64::from(sum as i32 as u32),
            _ => u64::from(sum as i64 as u32),
        }
    }
}

/// What a pair of elements adds to a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    Product,
    /// `.xor.popc` of bits. `.and.popc` is the product of bits.
    Xor,
}

/// Returns `c` plus the terms of pairs of elements. The terms are exact: no type but `.f64` has more than 24 significant bits. The
/// sum is that of `.f64`, so it is exact for integers, and for floats each addition has an error of 2^-53 of its result. A sum of
/// `.f64` is a chain of `fma` with this rounding (`chain`).
pub fn sum(c: f64, pairs: impl Iterator<Item = (f64, f64)>, term: Term, chain: Option<Round>) -> f64 {
    pairs.fold(c, |sum, (a, b)| match (term, chain) {
        (Term::Xor, _) => sum + (a - b).abs(),
        (Term::Product, Some(Round::NearestTiesToEven)) => a.mul_add(b, sum),
        (Term::Product, Some(round)) => {
            let modifiers = Modifiers { round, ..Modifiers::NEAREST };
            f64::from_bits(float::compute(
                Function::Fma,
                Format::F64,
                [a, b, sum].map(f64::to_bits),
                &modifiers,
            ))
        }
        (Term::Product, None) => sum + a * b,
    })
}

/// Returns the group of four lanes of a lane, and the lane's place there.
fn quad(lane: usize) -> (usize, usize) {
    (lane / 4, lane % 4)
}

/// Returns the row and the column of an element of a lane's fragment of A. `rows` is 8 or 16, `per` the number of elements of a
/// register, and `i` the element's place in the registers. With B's columns for rows, the fragment of B is that of eight rows.
pub fn place_in_a(rows: usize, per: usize, lane: usize, i: usize) -> (usize, usize) {
    let (group, place) = quad(lane);
    let (register, element) = (i / per, i % per);
    let (row, chunk) = match rows {
        16 => (group + 8 * (register % 2), register / 2),
        _ => (group, register),
    };
    (row, 4 * per * chunk + per * place + element)
}

/// Returns the row and the column of an element of a lane's fragment of C or D.
pub fn place_in_c(rows: usize, lane: usize, i: usize) -> (usize, usize) {
    let (group, place) = quad(lane);
    match rows {
        16 => (group + 8 * (i / 2 % 2), 8 * (i / 4) + 2 * place + i % 2),
        _ => (group, 2 * place + i % 2),
    }
}

/// A multiplicand or an accumulator of `mma.m8n8k4` of `.f16`, of which each four lanes and the four lanes 16 above have their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfQuads {
    /// A by rows, or B by columns: the element's own row or column comes first.
    Along,
    /// A by columns, or B by rows.
    Across,
    /// C and D of `.f16`.
    Half,
    /// C and D of `.f32`.
    Single,
}

/// Returns which of the four products a lane belongs to, and the row and the column of an element of its fragment. Of B, that is
/// the column and the row.
pub fn place_in_quads(what: OfQuads, lane: usize, i: usize) -> (usize, (usize, usize)) {
    let (low, upper) = (lane % 4, 4 * (lane / 16));
    let place = match what {
        OfQuads::Along => (low + upper, i),
        OfQuads::Across => (i + upper, low),
        OfQuads::Half => (low + upper, i),
        OfQuads::Single => ((lane & 1) + (i & 2) + upper, (i & 4) + (lane & 2) + (i & 1)),
    };
    (lane % 16 / 4, place)
}

/// Returns the lane that holds the metadata of a group of elements of a row of a sparse A with `groups` groups, and the place of
/// the group's four bits in the lane's word. `is_wide`: the elements have 16 or more bits. `selector` chooses among the lanes of
/// four.
pub fn metadata(groups: usize, is_wide: bool, selector: usize, row: usize, group: usize) -> (usize, usize) {
    let (lane, upper) = (4 * (row % 8), row / 8);
    match (groups, is_wide) {
        (4, _) => (lane + selector % 4, 16 * upper + 4 * group),
        (8, true) => (lane + 2 * (selector % 2) + group / 4, 16 * upper + 4 * (group % 4)),
        (8, false) => (lane + 2 * (selector % 2) + upper, 4 * group),
        _ => (lane + 2 * (group / 8) + upper, 4 * (group % 8)),
    }
}

/// Returns the lane that has the scale factors of a row of A, if `thread` selects two lanes of each four (9.7.14.3).
pub fn lane_of_scale_a(row: usize, thread: usize) -> usize {
    4 * (row % 8) + 2 * thread + row / 8
}

/// Returns the lane that has the scale factors of a column of B, if `thread` selects a lane of each four.
pub fn lane_of_scale_b(column: usize, thread: usize) -> usize {
    4 * column + thread
}

/// How the metadata of a sparse matrix names elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sparsity {
    /// Two of four elements.
    TwoOfFour,
    /// One of two elements (`.tf32`).
    OneOfTwo,
    /// Two of four pairs of elements (4 bits).
    Pairs,
}

impl Sparsity {
    pub fn of(element: Element) -> Self {
        match element.bits() {
            32 => Self::OneOfTwo,
            4 => Self::Pairs,
            _ => Self::TwoOfFour,
        }
    }

    /// Returns the number of elements that four bits of metadata stand for.
    pub fn group(self) -> usize {
        match self {
            Self::TwoOfFour => 4,
            Self::OneOfTwo => 2,
            Self::Pairs => 8,
        }
    }

    /// Returns where the elements of a group belong, or `None` for metadata that the ISA does not allow (9.7.14.6.1). With
    /// `ordered`, the indices increase.
    pub fn places(self, bits: u32, ordered: bool) -> Option<Vec<usize>> {
        let (first, second) = ((bits & 3) as usize, (bits >> 2 & 3) as usize);
        match self {
            Self::OneOfTwo => match bits & 15 {
                0b0100 => Some(vec![0]),
                0b1110 => Some(vec![1]),
                _ => None,
            },
            _ if first == second || ordered && first > second => None,
            Self::TwoOfFour => Some(vec![first, second]),
            Self::Pairs => Some(vec![2 * first, 2 * first + 1, 2 * second, 2 * second + 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_bits_and_upper_bits_do_not_count() {
        assert_eq!(Element::named("s4").unwrap().value(0xf8), -8.0);
        assert_eq!(Element::Tf32.value(0x3f80_1fff), 1.0);
    }

    #[test]
    fn sums_of_integers_wrap_or_are_clamped() {
        let s32 = Element::named("s32").unwrap();
        let above = f64::from(i32::MAX) + 2.0;
        assert_eq!((s32.of_sum(above, false), s32.of_sum(above, true)), (0x8000_0001, 0x7fff_ffff));
        assert_eq!((s32.of_sum(-1.0, false), s32.of_sum(-3e9, true)), (0xffff_ffff, 0x8000_0000));
    }

    #[test]
    fn each_sum_of_doubles_is_rounded_as_the_instruction_says() {
        let tiny = 2f64.powi(-60);
        let of = |round| sum(1.0, [(tiny, 1.0), (-tiny, 1.0)].into_iter(), Term::Product, Some(round));
        let (up, down) = (1.0 + f64::EPSILON, 1.0 - f64::EPSILON / 2.0);
        assert_eq!(of(Round::NearestTiesToEven), 1.0);
        assert_eq!(of(Round::TowardPositive), up);
        assert_eq!((of(Round::TowardNegative), of(Round::TowardZero)), (down, down));
    }

    /// Each element of a matrix is in one place.
    #[test]
    fn fragments_hold_each_element_once() {
        let all = |rows: usize, columns: usize, place: &dyn Fn(usize, usize) -> (usize, usize)| {
            let of_lane = rows * columns / 32;
            let places = (0..32).flat_map(|lane| (0..of_lane).map(move |i| (lane, i)));
            let mut places: Vec<_> = places.map(|(lane, i)| place(lane, i)).collect();
            places.sort();
            let expected: Vec<_> =
                (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))).collect();
            assert_eq!(places, expected);
        };
        for (rows, columns, per) in
            [(16, 16, 2), (16, 8, 2), (16, 4, 1), (16, 32, 4), (8, 128, 32), (8, 4, 1)]
        {
            all(rows, columns, &|lane, i| place_in_a(rows, per, lane, i));
        }
        all(16, 256, &|lane, i| place_in_c(16, lane, i));
        all(8, 8, &|lane, i| place_in_c(8, lane, i));
        for (groups, is_wide, selectors) in
            [(4, true, 4), (8, true, 2), (8, false, 2), (16, false, 1), (4, false, 4)]
        {
            let mut places = Vec::new();
            for selector in 0..selectors {
                for (row, group) in (0..16).flat_map(|row| (0..groups).map(move |group| (row, group))) {
                    places.push(metadata(groups, is_wide, selector, row, group));
                }
            }
            places.sort();
            let expected: Vec<_> = (0..32).flat_map(|lane| (0..8).map(move |i| (lane, 4 * i))).collect();
            assert_eq!(places, expected, "{groups} groups");
        }
        for (what, of_lane) in
            [(OfQuads::Along, 4), (OfQuads::Across, 4), (OfQuads::Half, 8), (OfQuads::Single, 8)]
        {
            let places = (0..32).flat_map(|lane| (0..of_lane).map(move |i| place_in_quads(what, lane, i)));
            let mut places: Vec<_> = places.collect();
            places.sort();
            places.dedup();
            assert_eq!(places.len(), 32 * of_lane, "{what:?}");
        }
    }

    #[test]
    fn metadata_names_the_places_of_elements() {
        assert_eq!(Sparsity::TwoOfFour.places(0b1100, true), Some(vec![0, 3]));
        assert_eq!(Sparsity::TwoOfFour.places(0b0011, true), None);
        assert_eq!(Sparsity::TwoOfFour.places(0b0011, false), Some(vec![3, 0]));
        assert_eq!(Sparsity::TwoOfFour.places(0b0101, false), None);
        assert_eq!(Sparsity::OneOfTwo.places(0b1110, true), Some(vec![1]));
        assert_eq!(Sparsity::OneOfTwo.places(0b0001, true), None);
        assert_eq!(Sparsity::Pairs.places(0b1001, true), Some(vec![2, 3, 4, 5]));
    }
}
