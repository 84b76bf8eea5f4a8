//! Computes the softmax of the rows of a matrix.

use examples::expected::{self, compare_rounded};

fn main() -> examples::Result<()> {
    let gpu = examples::Gpu::open()?;
    let matrix = [[0.0, 1.0, 2.0, 3.0], [5.0, 5.0, 5.0, 5.0]].concat();
    let output = gpu.softmax(&matrix, 4)?;
    compare_rounded(&output, &expected::softmax(&matrix, 4))?;
    for row in output.chunks(4) {
        println!("{row:.4?}");
    }
    Ok(())
}
