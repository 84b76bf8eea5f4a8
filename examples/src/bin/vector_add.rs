//! Adds two vectors.

use examples::expected::{self, compare};

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let (x, y): (Vec<f32>, Vec<f32>) = (0..1000u16).map(|i| (f32::from(i), 0.5)).unzip();
    let sums = gpu.vector_add(&x, &y)?;
    compare(&sums, &expected::sums(&x, &y))?;
    println!("999 + 0.5 = {}", sums[999]);
    Ok(())
}
