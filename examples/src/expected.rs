//! What the kernels have to compute, by plain code for the CPU: in double precision, where a kernel rounds.

use std::fmt::Display;

use crate::Result;

/// Compares the elements of a result.
///
/// # Errors
///
/// If the lengths differ, or an element does: the error names the first one.
pub fn compare<T: Copy + Display + PartialEq>(got: &[T], want: &[T]) -> Result<()> {
    compare_by(got, want, |got, want| got == want)
}

/// Compares the elements of a result, which may be off by a part of 10⁵.
///
/// # Errors
///
/// If the lengths differ, or an element does: the error names the first one.
pub fn compare_rounded(got: &[f32], want: &[f64]) -> Result<()> {
    compare_by(got, want, |got, want| (f64::from(got) - want).abs() <= 1e-5 * want.abs() + 1e-12)
}

fn compare_by<T: Copy + Display, W: Copy + Display>(
    got: &[T],
    want: &[W],
    is_right: impl Fn(T, W) -> bool,
) -> Result<()> {
    if got.len() != want.len() {
        return Err(format!("{} elements in place of {}", got.len(), want.len()).into());
    }
    match got.iter().zip(want).position(|(got, want)| !is_right(*got, *want)) {
        Some(at) => Err(format!("element {at} of {} is {}, not {}", got.len(), got[at], want[at]).into()),
        None => Ok(()),
    }
}

/// Returns numbers that look random, in 0..1.
#[must_use]
pub fn numbers(len: usize) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32
    };
    (0..len).map(|_| next()).collect()
}

/// Returns small whole numbers, whose sums are exact in any order.
#[must_use]
pub fn whole_numbers(len: usize) -> Vec<f32> {
    (0..len).map(|i| (i * i % 7) as f32 - 1.0).collect()
}

/// Returns a matrix of numbers between -20 and 20.
#[must_use]
pub fn matrix(rows: usize, columns: usize) -> Vec<f32> {
    numbers(rows * columns).into_iter().map(|x| 40.0 * x - 20.0).collect()
}

/// Returns words that look random.
#[must_use]
pub fn words(len: usize) -> Vec<u32> {
    numbers(len).into_iter().map(f32::to_bits).collect()
}

/// Returns the sums of the elements of `x` and `y`.
#[must_use]
pub fn sums(x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

/// Returns a·`x` + `y`, rounded once.
#[must_use]
pub fn axpy(a: f32, x: &[f32], y: &[f32]) -> Vec<f32> {
    x.iter().zip(y).map(|(x, y)| a.mul_add(*x, *y)).collect()
}

/// Returns the softmax of each row.
#[must_use]
pub fn softmax(matrix: &[f32], columns: usize) -> Vec<f64> {
    let of_row = |row: &[f32]| {
        let greatest = row.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f64> = row.iter().map(|x| f64::from(x - greatest).exp()).collect();
        let sum: f64 = powers.iter().sum();
        powers.into_iter().map(move |power| power / sum)
    };
    matrix.chunks(columns).flat_map(of_row).collect()
}

/// Returns each row, divided by the root of the mean of its squares and `epsilon`, times `weights`.
#[must_use]
pub fn normalized(matrix: &[f32], weights: &[f32], epsilon: f64) -> Vec<f64> {
    let of_row = |row: &[f32]| {
        let mean = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / row.len() as f64;
        let scaled = row.iter().zip(weights).map(move |(x, weight)| f64::from(*x) * f64::from(*weight));
        scaled.map(|x| x / (mean + epsilon).sqrt()).collect::<Vec<_>>()
    };
    matrix.chunks(weights.len()).flat_map(of_row).collect()
}

/// Returns how often each low byte occurs in the words.
#[must_use]
pub fn counts_of_low_bytes(words: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; 256];
    words.iter().for_each(|word| counts[(word % 256) as usize] += 1);
    counts
}

/// Returns the transposed matrix.
#[must_use]
pub fn transposed(matrix: &[f32], width: usize) -> Vec<f32> {
    (0..width).flat_map(|column| matrix.iter().skip(column).step_by(width).copied()).collect()
}

/// Returns each element twice, with its neighbors added.
#[must_use]
pub fn smoothed(x: &[f32]) -> Vec<f32> {
    let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
    (0..x.len()).map(|i| at(i.wrapping_sub(1)) + 2.0 * at(i) + at(i + 1)).collect()
}

/// Returns for each word the sum of all words up to it, wrapping.
#[must_use]
pub fn scanned(words: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, word: &u32| {
        *sum = sum.wrapping_add(*word);
        Some(*sum)
    };
    words.iter().scan(0, add).collect()
}

/// Returns for each word the sum of all words before it, wrapping.
#[must_use]
pub fn sums_before(words: &[u32]) -> Vec<u32> {
    scanned(words).iter().zip(words).map(|(sum, word)| sum.wrapping_sub(*word)).collect()
}

/// Returns the matrix times the vector `x`.
#[must_use]
pub fn product(matrix: &[f32], x: &[f32]) -> Vec<f32> {
    let of_row = |row: &[f32]| row.iter().zip(x).map(|(a, x)| a * x).sum();
    matrix.chunks(x.len()).map(of_row).collect()
}

/// Returns the sums of [`kernels::accumulate_sums`]: 288 threads, each with 96 accumulators.
#[must_use]
pub fn accumulated(x: &[f32]) -> Vec<f64> {
    let of_thread = |thread: usize| {
        let mine = || x.iter().skip(thread).step_by(288).map(|x| f64::from(*x));
        (0..96).map(f64::from).map(|k| (k + 1.0) * mine().map(|x| x + k).sum::<f64>()).sum()
    };
    (0..288).map(of_thread).collect()
}

#[test]
fn the_first_wrong_element_is_named() {
    assert!(compare(&[1, 2], &[1, 2]).is_ok() && compare_rounded(&[1.0], &[1.000_001]).is_ok());
    let said = |result: Result<()>| result.unwrap_err().to_string();
    assert_eq!(said(compare(&[1, 5, 6], &[1, 2, 3])), "element 1 of 3 is 5, not 2");
    assert_eq!(said(compare(&[1], &[1, 2])), "1 elements in place of 2");
    assert_eq!(said(compare_rounded(&[1.0, f32::NAN], &[1.0, 2.0])), "element 1 of 2 is NaN, not 2");
}
