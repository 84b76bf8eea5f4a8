//! Compares the memory after two runs of a case.

use ptx_emu::Format;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Compare, Region};

/// An element that differs, with the inputs of its thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The region of the element.
    pub region: String,
    /// The number of the element in its region.
    pub element: usize,
    /// The value in the interpreter.
    pub expected: String,
    /// The value on the GPU.
    pub found: String,
    /// The bytes of the region, beginning with this element, at most [`SHOWN`], in hexadecimal.
    pub expected_bytes: String,
    /// The bytes on the GPU, from the same element on.
    pub found_bytes: String,
    /// The elements of the same number in the other regions, before the run.
    pub inputs: Vec<(String, String)>,
    /// True if all differences of the region are between NaNs with different bits.
    pub only_nan: bool,
    /// Elements of the region that differ.
    pub count: usize,
}

/// Returns a little-endian number in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().rev().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}"))
}

/// The most bytes of a region that a difference shows.
pub const SHOWN: usize = 2048;

/// Returns the bytes of a region in their order, beginning with an element, in hexadecimal.
fn dumped(region: &Region, memory: &[u8], first: usize) -> String {
    let from = region.at + first * region.element;
    let to = (region.at + region.bytes).min(from + SHOWN);
    memory[from..to].iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    let len = bytes.len().min(8);
    word[..len].copy_from_slice(&bytes[..len]);
    u64::from_le_bytes(word)
}

/// Returns true if a float is within the stated error of the exact one.
fn is_close(format: Format, relative: f64, absolute: f64, expected: u64, found: u64) -> bool {
    let (exact, value) = (format.to_f64(expected), format.to_f64(found));
    if exact.is_nan() && value.is_nan() && format != Format::F64 {
        return true;
    }
    if exact.is_nan()
        || exact.is_infinite()
        || value.is_nan()
        || value.is_infinite()
        || exact == 0.0 && absolute == 0.0
    {
        return expected == found;
    }
    // The interpreter has rounded the exact result to the format.
    let place = (format.to_f64(expected + 1) - exact).abs();
    let rounding = if place.is_finite() { place / 2.0 } else { 0.0 };
    (value - exact).abs() <= (relative * exact.abs()).max(absolute) + rounding
}

/// Returns the position of a float in the order of all floats that are not NaN.
fn rank(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & (format.mask() >> 1)) as i64;
    if bits >> (format.bits() - 1) & 1 == 0 { magnitude } else { -magnitude }
}

/// Returns true if two floats are at most `count` places apart, or both NaN.
fn are_near(format: Format, count: u64, a: u64, b: u64) -> bool {
    match (format.is_nan(a), format.is_nan(b)) {
        (false, false) => rank(format, a).abs_diff(rank(format, b)) <= count,
        (a, b) => a == b,
    }
}

/// Returns true if one element is equal by a comparison.
pub fn is_same(compare: Compare, expected: &[u8], found: &[u8]) -> bool {
    let bytes = expected.len();
    let region = Region { name: String::new(), at: 0, bytes, element: bytes, compare: Some(compare) };
    expected == found && compare != Compare::Holds || differing(&region, compare, expected, found).is_empty()
}

/// Returns the elements of a region that differ.
fn differing(region: &Region, compare: Compare, expected: &[u8], found: &[u8]) -> Vec<usize> {
    let chunks = |bytes: &[u8]| bytes.chunks(region.element).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (expected, found) = (chunks(expected), chunks(found));
    let each = |equal: &dyn Fn(&[u8], &[u8]) -> bool| {
        let pairs = expected.iter().zip(&found).enumerate();
        pairs.filter(|(_, (expected, found))| !equal(expected, found)).map(|(i, _)| i).collect()
    };
    let each_float = |format: Format, equal: &dyn Fn(u64, u64) -> bool| {
        let bytes = (format.bits() / 8) as usize;
        each(&|expected, found| {
            let mut lanes = expected.chunks(bytes).zip(found.chunks(bytes));
            lanes.all(|(expected, found)| equal(word(expected), word(found)))
        })
    };
    match compare {
        Compare::Equal => each(&|expected, found| expected == found),
        Compare::Opaque => Vec::new(),
        Compare::Holds => each(&|expected, found| word(expected) == 1 && word(found) == 1),
        Compare::Unordered => {
            let sorted = |list: &Vec<Vec<u8>>| {
                let mut list = list.clone();
                list.sort();
                list
            };
            let (expected, found) = (sorted(&expected), sorted(&found));
            (0..expected.len()).filter(|i| expected[*i] != found[*i]).collect()
        }
        Compare::Float(format) => each_float(format, &|a, b| a == b || format.is_nan(a) && format.is_nan(b)),
        Compare::Close { format, relative, absolute } => {
            each_float(format, &|a, b| is_close(format, relative, absolute, a, b))
        }
        Compare::Places { format, count } => each_float(format, &|a, b| are_near(format, count, a, b)),
    }
}

/// Returns true if both are NaNs of some format of this size.
fn are_nans(expected: &[u8], found: &[u8]) -> bool {
    let formats: &[Format] = match expected.len() {
        2 => &[Format::F16, Format::Bf16],
        4 => &[Format::F32, Format::F16, Format::Bf16],
        8 => &[Format::F64, Format::F32, Format::F16, Format::Bf16],
        _ => return false,
    };
    formats.iter().any(|format| {
        let bytes = (format.bits() / 8) as usize;
        let mut lanes = expected.chunks(bytes).zip(found.chunks(bytes));
        lanes.all(|(a, b)| a == b || format.is_nan(word(a)) && format.is_nan(word(b)))
    })
}

/// Compares memory with that of the interpreter. `before` is the memory before the run.
pub fn compare(case: &Case<'_>, before: &[u8], expected: &[u8], found: &[u8]) -> Vec<Difference> {
    let mut differences = Vec::new();
    for region in &case.regions {
        let (ours, theirs) = (&expected[region.range()], &found[region.range()]);
        if ours == theirs && region.compare != Some(Compare::Holds) {
            continue;
        }
        let compare = region.compare.unwrap_or(Compare::Equal);
        let list = differing(region, compare, ours, theirs);
        let Some(first) = list.first().copied() else { continue };
        let element = |region: &Region, memory: &[u8], i: usize| {
            let at = region.at + i * region.element;
            memory.get(at..(at + region.element).min(region.at + region.bytes)).unwrap_or_default().to_vec()
        };
        let of_thread = |other: &&Region| {
            other.name != region.name && (other.bytes / other.element > first || other.bytes == other.element)
        };
        let inputs = case.regions.iter().filter(|other| before.len() >= other.at + other.bytes);
        let inputs = inputs.filter(of_thread).map(|other| {
            let i = if other.bytes == other.element { 0 } else { first };
            (other.name.clone(), shown(&element(other, before, i)))
        });
        let only_nan =
            list.iter().all(|i| are_nans(&element(region, expected, *i), &element(region, found, *i)));
        differences.push(Difference {
            region: region.name.clone(),
            element: first,
            expected: shown(&element(region, expected, first)),
            found: shown(&element(region, found, first)),
            expected_bytes: dumped(region, expected, first),
            found_bytes: dumped(region, found, first),
            inputs: inputs.collect(),
            only_nan,
            count: list.len(),
        });
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if a region of one element is equal by a comparison.
    fn same<const N: usize>(compare: Compare, expected: [u8; N], found: [u8; N]) -> bool {
        is_same(compare, &expected, &found)
    }

    #[test]
    fn any_nan_stands_for_another_and_for_nothing_else() {
        let [quiet, signaling, infinity] =
            [0x7ff8_0000_0000_0000, 0xfff0_0000_0000_0001, 0x7ff0_0000_0000_0000].map(u64::to_le_bytes);
        assert!(same(Compare::Float(Format::F64), quiet, signaling));
        assert!(!same(Compare::Float(Format::F64), quiet, infinity));
        assert!(!same(Compare::Float(Format::F64), 1f64.to_le_bytes(), 1f64.next_up().to_le_bytes()));
        // Each lane of a packed type is compared by itself.
        assert!(same(
            Compare::Float(Format::F16),
            0x3c00_7fffu32.to_le_bytes(),
            0x3c00_fe00u32.to_le_bytes()
        ));
        assert!(!same(
            Compare::Float(Format::F16),
            0x3c00_7fffu32.to_le_bytes(),
            0x3c01_7fffu32.to_le_bytes()
        ));
        let close = |format| Compare::Close { format, relative: 0.5, absolute: 0.0 };
        assert!(same(close(Format::F32), 0x7fff_ffffu32.to_le_bytes(), 0xffc0_0000u32.to_le_bytes()));
        assert!(!same(close(Format::F32), 0x7fff_ffffu32.to_le_bytes(), 1f32.to_le_bytes()));
        assert!(!same(close(Format::F64), quiet, signaling));
    }

    #[test]
    fn places_count_floats_between_two() {
        let two = Compare::Places { format: Format::F32, count: 2 };
        let f32 = |value: f32| value.to_le_bytes();
        let least = f32::from_bits(1);
        assert!(same(two, f32(least), f32(-least)));
        assert!(!same(two, f32(least), f32(f32::from_bits(4))));
        assert!(same(two, f32(f32::MAX), f32(f32::INFINITY)));
        assert!(same(two, f32(f32::NAN), f32(-f32::NAN)) && !same(two, f32(f32::NAN), f32(f32::INFINITY)));
    }
}
