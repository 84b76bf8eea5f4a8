//! Compares the memory after two runs of a case.

use ptx_emu::float::Format;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Compare, Region};

/// An element that differs, with the inputs of its thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub region: String,
    pub element: usize,
    pub expected: String,
    pub found: String,
    /// The bytes of the region from this element on, as far as [`SHOWN`], in hexadecimal.
    pub expected_bytes: String,
    pub found_bytes: String,
    /// The elements of the same number in the other regions, as before the run.
    pub inputs: Vec<(String, String)>,
    /// All differences of the region are NaNs of other bits.
    pub only_nan: bool,
    /// Elements of the region that differ.
    pub count: usize,
}

/// A little-endian number in hexadecimal.
fn shown(bytes: &[u8]) -> String {
    bytes.iter().rev().fold(String::from("0x"), |text, byte| text + &format!("{byte:02x}"))
}

/// Bytes of a region that a difference shows.
pub const SHOWN: usize = 2048;

/// The bytes of a region from an element on, in their order.
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

/// Whether a float is within the stated error of the exact one.
fn is_close(format: Format, relative: f64, absolute: f64, expected: u64, found: u64) -> bool {
    let (exact, value) = (format.to_f64(expected), format.to_f64(found));
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

/// The elements of a region that differ.
fn differing(region: &Region, compare: Compare, expected: &[u8], found: &[u8]) -> Vec<usize> {
    let chunks = |bytes: &[u8]| bytes.chunks(region.element).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (expected, found) = (chunks(expected), chunks(found));
    let each = |equal: &dyn Fn(&[u8], &[u8]) -> bool| {
        let pairs = expected.iter().zip(&found).enumerate();
        pairs.filter(|(_, (expected, found))| !equal(expected, found)).map(|(i, _)| i).collect()
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
        Compare::Close { format, relative, absolute } => {
            let bytes = (format.bits() / 8) as usize;
            each(&|expected, found| {
                let lanes = expected.chunks(bytes).zip(found.chunks(bytes));
                lanes.into_iter().all(|(a, b)| is_close(format, relative, absolute, word(a), word(b)))
            })
        }
    }
}

/// Whether both are NaNs of some format of this size.
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
