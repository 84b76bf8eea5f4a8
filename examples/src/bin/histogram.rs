//! Counts the low bytes of words, in clusters of thread blocks.

use examples::expected::{self, compare};

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let words: Vec<u32> = (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761) >> 24).collect();
    let counts = gpu.histogram(&words)?;
    compare(&counts, &expected::counts_of_low_bytes(&words))?;
    println!("byte 7: {} of {}", counts[7], counts.iter().sum::<u32>());
    Ok(())
}
