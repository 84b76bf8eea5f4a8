//! Checks of the matrix products on tensor cores, of numbers whose products and sums are exact.

use anyhow::{Result, ensure};
use ptx::bf16;
use ptx_host::Tensor;

use crate::check::Check;
use crate::device::Device;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 1] = ["gemm"];

/// Seeds of each of [`KERNELS`] on an emulated device.
const EMULATED: [&[u32]; 1] = [&[0, 1, 2, 3]];

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let runs: [Run<D>; 1] = [gemm];
    seeded(options, KERNELS.into_iter().zip(runs).zip(EMULATED))
}

/// A matrix of small whole numbers, row by row, with rows of a multiple of 16 bytes and NaN behind them.
struct Matrix {
    rows: usize,
    columns: usize,
    pitch: usize,
}

impl Matrix {
    fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, pitch: columns.next_multiple_of(8) }
    }

    fn elements(&self, seed: u32) -> Vec<bf16> {
        let words = input(seed, self.rows * self.pitch);
        let element = |(i, word): (usize, u32)| {
            let inside = i % self.pitch < self.columns;
            if inside { bf16::from_f32((word % 9) as f32 - 4.0) } else { bf16::NAN }
        };
        words.into_iter().enumerate().map(element).collect()
    }

    /// Returns the matrix in `memory` as an argument of a typed launch.
    fn tensor<M>(&self, memory: M) -> Tensor<M, 2> {
        Tensor::new(memory, [self.columns as u64, self.rows as u64]).strides(&[2 * self.pitch as u64])
    }
}

/// The extents m, n and k of a seed: a block, parts of a block, several blocks, and several steps along k.
fn extents(seed: u32) -> [usize; 3] {
    const FIRST: [[usize; 3]; 6] =
        [[128, 256, 64], [1, 1, 1], [130, 300, 200], [300, 700, 513], [64, 8, 1030], [257, 513, 65]];
    let seed = seed as usize;
    FIRST.get(seed).copied().unwrap_or([1 + seed * 37 % 300, 1 + seed * 53 % 560, 1 + seed * 71 % 300])
}

fn gemm<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm)?;
    let [m, n, k] = extents(seed);
    let [a, b, c] = [Matrix::new(m, k), Matrix::new(n, k), Matrix::new(m, n)];
    let (of_a, of_b) = (a.elements(2 * seed), b.elements(2 * seed + 1));
    let [in_a, in_b] = [&of_a, &of_b].map(|elements| device.memory(elements));
    let (in_a, in_b) = (in_a?, in_b?);
    for grid in [1, 3] {
        let mut out = device.memory(&vec![bf16::NAN; m * c.pitch])?;
        let tensors = (a.tensor(D::read(&in_a)), b.tensor(D::read(&in_b)), c.tensor(D::write(&mut out)), k as u32);
        device.launch(&kernel, grid, tensors)?;
        let got = device.to_vec(&out)?;
        for row in 0..m {
            for column in 0..n {
                let products = (0..k).map(|i| of_a[row * a.pitch + i].to_f32() * of_b[column * b.pitch + i].to_f32());
                let want = bf16::from_f32(products.sum::<f32>() + 0.0);
                let got = got[row * c.pitch + column];
                ensure!(
                    got == want,
                    "{m} x {n} x {k}, {grid} blocks: the element in row {row} and column {column} is {got}, want {want}"
                );
            }
        }
    }
    Ok(())
}
