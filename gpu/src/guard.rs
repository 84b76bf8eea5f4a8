//! The comparison of an output with what is expected.

use anyhow::{Result, bail, ensure};

/// A word that no kernel computes, in memory before a launch.
pub const POISON: u32 = 0xdead_beef;

/// Compares words with the expected words.
pub fn compare_words(words: &[u32], expected: &[u32]) -> Result<()> {
    let n = expected.len();
    ensure!(words.len() == n, "the kernel's output has {} words, not {n}", words.len());
    let wrong: Vec<_> = (0..n).filter(|&i| words[i] != expected[i]).collect();
    match wrong.first() {
        None => Ok(()),
        Some(&i) => bail!(
            "{} of {n} words are wrong; the first is out[{i}]: got {:#x}, want {:#x}",
            wrong.len(),
            words[i],
            expected[i]
        ),
    }
}

/// Compares floats with the expected floats, bit by bit.
pub fn compare_floats(floats: &[f32], expected: &[f32]) -> Result<()> {
    let bits = |floats: &[f32]| floats.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    compare_words(&bits(floats), &bits(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wrong_word_is_told() {
        compare_words(&[1, 2, 3], &[1, 2, 3]).unwrap();
        let error = compare_words(&[1, 7, 8], &[1, 2, 3]).unwrap_err().to_string();
        assert_eq!(error, "2 of 3 words are wrong; the first is out[1]: got 0x7, want 0x2");
        assert!(compare_words(&[1], &[1, 2]).is_err());
        assert!(compare_floats(&[0.0], &[-0.0]).is_err());
    }
}
