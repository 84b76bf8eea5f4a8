//! Adds two vectors.

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let (x, y): (Vec<f32>, Vec<f32>) = (0..1000u16).map(|i| (f32::from(i), 0.5)).unzip();
    println!("999 + 0.5 = {}", gpu.vector_add(&x, &y)?[999]);
    Ok(())
}
