//! Test data, the reference result of axpy, and the comparison.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use rayon::prelude::*;

const CHUNK: usize = 1 << 16;

/// Fills `values` with random floats of both signs, from 2^-16 to 2^16. Sums round; nothing overflows or is subnormal.
pub fn fill_random(values: &mut [f32], seed: u64) {
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(i, chunk)| {
        let mut random = generator(seed, i as u64);
        for pair in chunk.chunks_mut(2) {
            let bits = random.u64(..);
            for (value, bits) in pair.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
                *value = moderate(bits);
            }
        }
    });
}

/// Returns one random float with the distribution of [`fill_random`].
pub fn random(seed: u64) -> f32 {
    moderate(generator(seed, u64::MAX).u32(..))
}

fn generator(seed: u64, stream: u64) -> fastrand::Rng {
    // An odd multiplier spreads adjacent seeds and streams over all 64 bits.
    fastrand::Rng::with_seed((seed ^ stream.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Keeps sign and mantissa, and maps five bits of the exponent to 2^-16 ..= 2^15.
fn moderate(bits: u32) -> f32 {
    let exponent = 127 - 16 + (bits >> 23 & 31);
    f32::from_bits(bits & 0x807f_ffff | exponent << 23)
}

/// Fails unless `got` is `a`·`x` + `y`, rounded once. The error names the first wrong element and the number of wrong ones.
pub fn check_axpy(a: f32, x: &[f32], y: &[f32], got: &[f32]) -> Result<()> {
    ensure!(x.len() == got.len() && y.len() == got.len(), "the arrays to compare have different lengths");
    let wrong = got
        .par_chunks(CHUNK)
        .zip(x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK)))
        .enumerate()
        .filter_map(|(chunk, (got, (x, y)))| {
            let (first, count) = count_wrong(a, x, y, got)?;
            Some((chunk * CHUNK + first, count))
        })
        .reduce_with(|left, right| (left.0.min(right.0), left.1 + right.1));
    let Some((i, count)) = wrong else { return Ok(()) };
    let want = a.mul_add(x[i], y[i]);
    anyhow::bail!(
        "{count} of {} elements are wrong; the first is y[{i}]: got {} ({:#010x}), want {want} ({:#010x}) \
         = fma({a}, {}, {})",
        got.len(),
        got[i],
        got[i].to_bits(),
        want.to_bits(),
        x[i],
        y[i],
    )
}

/// Returns the first wrong element and the number of wrong elements, or `None` if all are right.
fn count_wrong(a: f32, x: &[f32], y: &[f32], got: &[f32]) -> Option<(usize, usize)> {
    let is_wrong = |i: &usize| !same(got[*i], a.mul_add(x[*i], y[*i]));
    let first = (0..got.len()).find(is_wrong)?;
    Some((first, (first..got.len()).filter(is_wrong).count()))
}

/// Returns true if the bits are equal or both values are NaN. The payload of a NaN result is not defined.
fn same(left: f32, right: f32) -> bool {
    left.to_bits() == right.to_bits() || left.is_nan() && right.is_nan()
}

/// Reads a file of little-endian floats.
pub fn read_floats(path: &Path) -> Result<Vec<f32>> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    parse_floats(&bytes).with_context(|| format!("{} is not an array of f32", path.display()))
}

fn parse_floats(bytes: &[u8]) -> Result<Vec<f32>> {
    let (words, rest) = bytes.as_chunks();
    ensure!(
        rest.is_empty(),
        "its size of {} bytes is not a multiple of 4; truncate it to {} bytes or give another file",
        bytes.len(),
        bytes.len() - rest.len()
    );
    Ok(words.iter().map(|&word| f32::from_le_bytes(word)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_data_is_moderate_varied_and_repeatable() {
        let mut values = vec![0.0; 2 * CHUNK + 3];
        fill_random(&mut values, 7);
        assert!(values.iter().all(|v| (2f32.powi(-16)..2f32.powi(16)).contains(&v.abs())));
        let distinct: std::collections::HashSet<_> = values.iter().map(|v| v.to_bits()).collect();
        assert!(distinct.len() > values.len() * 99 / 100, "{} distinct", distinct.len());
        assert!(values.iter().any(|v| *v < 0.0) && values.iter().any(|v| *v > 0.0));

        let mut again = vec![0.0; values.len()];
        fill_random(&mut again, 7);
        assert_eq!(values, again);
        fill_random(&mut again, 8);
        let equal = values.iter().zip(&again).filter(|(left, right)| left == right).count();
        assert!(equal < 100, "{equal} equal elements under another seed");
    }

    fn case() -> (f32, Vec<f32>, Vec<f32>, Vec<f32>) {
        let (mut x, mut y) = (vec![0.0; CHUNK + 5], vec![0.0; CHUNK + 5]);
        fill_random(&mut x, 1);
        fill_random(&mut y, 2);
        let a = random(3);
        let got = x.iter().zip(&y).map(|(x, y)| a.mul_add(*x, *y)).collect();
        (a, x, y, got)
    }

    #[test]
    fn right_results_pass() {
        let (a, x, y, got) = case();
        check_axpy(a, &x, &y, &got).unwrap();
        check_axpy(a, &[], &[], &[]).unwrap();
    }

    #[test]
    fn every_wrong_bit_is_found_and_the_first_is_shown() {
        let (a, x, y, mut got) = case();
        for i in [CHUNK + 4, CHUNK - 1] {
            got[i] = f32::from_bits(got[i].to_bits() ^ 1);
        }
        let error = check_axpy(a, &x, &y, &got).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("2 of {} elements are wrong; the first is y[65535]", CHUNK + 5)),
            "{error}"
        );
    }

    #[test]
    fn rounding_twice_is_wrong() {
        let (a, x, y, _) = case();
        let twice: Vec<f32> = x.iter().zip(&y).map(|(x, y)| a * x + y).collect();
        assert!(check_axpy(a, &x, &y, &twice).is_err());
    }

    #[test]
    fn nan_matches_nan_but_zeroes_keep_their_sign() {
        assert!(same(f32::NAN, -f32::from_bits(0x7f80_0001)));
        assert!(!same(f32::NAN, 1.0));
        assert!(!same(0.0, -0.0));
    }

    #[test]
    fn floats_are_little_endian_and_whole() {
        assert_eq!(parse_floats(&[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]).unwrap(), [1.0, -2.0]);
        assert!(parse_floats(&[]).unwrap().is_empty());
        assert_eq!(
            parse_floats(&[0; 7]).unwrap_err().to_string(),
            "its size of 7 bytes is not a multiple of 4; truncate it to 4 bytes or give another file"
        );
    }
}
