//! Transposes a matrix by tensor copies.

use examples::expected::{self, compare};

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let (width, height) = (8, 4);
    let matrix: Vec<f32> = (0..width * height).map(|i| i as f32).collect();
    let output = gpu.transpose(&matrix, width, height)?;
    compare(&output, &expected::transposed(&matrix, width as usize))?;
    for row in output.chunks(height as usize) {
        println!("{row:2}", row = row.iter().map(|x| format!("{x:4}")).collect::<String>());
    }
    Ok(())
}
