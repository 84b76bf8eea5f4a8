//! Computes the softmax of the rows of a matrix.

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let matrix = [[0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 5.0, 5.0]].concat();
    for row in gpu.softmax(&matrix, 4)?.chunks(4) {
        println!("{row:.4?}");
    }
    Ok(())
}
