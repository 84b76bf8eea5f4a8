//! The words around an output that no kernel may write, and the comparison of an output with what is expected.

use anyhow::{Result, bail, ensure};

/// Content of `out` and of the guard words around it before the launch.
pub const POISON: u32 = 0xdead_beef;
pub const GUARD: usize = 64;

/// Compares `out` with the expected words, and checks the guards.
pub fn compare(got: &[u32], expected: &[u32]) -> Result<()> {
    compare_words(between(got, expected.len())?, expected)
}

/// Returns the `n` words of `out` that are between the guards, and checks the guards.
pub fn between(got: &[u32], n: usize) -> Result<&[u32]> {
    ensure!(got.len() == n + 2 * GUARD, "the kernel's output has {} words, not {}", got.len(), n + 2 * GUARD);
    let (before, rest) = got.split_at(GUARD);
    let (words, after) = rest.split_at(n);
    ensure!(before.iter().chain(after).all(|&word| word == POISON), "words around out[0..{n}] were written");
    Ok(words)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn with_guards(words: &[u32]) -> Vec<u32> {
        [&[POISON; GUARD], words, &[POISON; GUARD]].concat()
    }

    #[test]
    fn wrong_words_and_touched_guards_are_found() {
        compare(&with_guards(&[1, 2, 3]), &[1, 2, 3]).unwrap();
        let error = compare(&with_guards(&[1, 7, 8]), &[1, 2, 3]).unwrap_err().to_string();
        assert_eq!(error, "2 of 3 words are wrong; the first is out[1]: got 0x7, want 0x2");
        let mut touched = with_guards(&[1]);
        touched[GUARD + 1] = 0;
        assert!(compare(&touched, &[1]).is_err());
        assert!(compare(&[1], &[1]).is_err());
    }
}
