//! Checks of the matrix products on tensor cores, of numbers whose products and sums are exact.

use anyhow::{Result, ensure};
use ptx::qualifier::n::{N128, N192, N256};
use ptx::{bf16, f16};
use ptx_host::Tensor;

use crate::check::Check;
use crate::device::Device;
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Makes the table of instances: of each, its name, its type arguments, and the seeds on an emulated device.
macro_rules! instances {
    ($( $name:ident: $T:ident $N:ident $W:literal $STAGES:literal, $emulated:expr; )*) => {
        /// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
        pub const KERNELS: &[&str] = &[$( stringify!($name) ),*];

        $(
            fn $name<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
                let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm::<$T, $N, $W, $STAGES>)?;
                product::<$T, D>(device, seed, |grid, [a, b, c], [in_a, in_b], out, k| {
                    let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
                    device.launch(&kernel, grid, (a.tensor(in_a), b.tensor(in_b), c.tensor(out), k, 2))
                })
            }
        )*

        pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
            let runs: &[(Run<D>, &[u32])] = &[$( ($name::<D>, $emulated) ),*];
            seeded(options, KERNELS.iter().zip(runs).map(|(name, (run, emulated))| ((*name, *run), *emulated)))
        }
    };
}
instances! {
    gemm_bf16_N256_2_4: bf16 N256 2 4, &[0, 1, 2, 3];
    gemm_bf16_N192_2_4: bf16 N192 2 4, &[2, 3];
    gemm_bf16_N128_2_6: bf16 N128 2 6, &[2, 3];
    gemm_bf16_N128_1_8: bf16 N128 1 8, &[2, 3];
    gemm_f16_N256_2_4: f16 N256 2 4, &[2];
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

    fn elements<T: Half>(&self, seed: u32) -> Vec<T> {
        let words = input(seed, self.rows * self.pitch);
        let element = |(i, word): (usize, u32)| {
            let inside = i % self.pitch < self.columns;
            T::nearest(if inside { f64::from(word % 9) - 4.0 } else { f64::NAN })
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

/// Runs launches of a product, with a grid, the matrices, the memory of the factors and of the product, and k.
fn product<T: Half, D: Device>(
    device: &D,
    seed: u32,
    launch: impl Fn(u32, &[Matrix; 3], [&D::Memory<T>; 2], &mut D::Memory<T>, u32) -> Result<()>,
) -> Result<()> {
    let [m, n, k] = extents(seed);
    let matrices = [Matrix::new(m, k), Matrix::new(n, k), Matrix::new(m, n)];
    let [a, b, c] = &matrices;
    let (of_a, of_b) = (a.elements::<T>(2 * seed), b.elements::<T>(2 * seed + 1));
    let (in_a, in_b) = (device.memory(&of_a)?, device.memory(&of_b)?);
    for grid in [1, 3] {
        let mut out = device.memory(&vec![T::nearest(f64::NAN); m * c.pitch])?;
        launch(grid, &matrices, [&in_a, &in_b], &mut out, k as u32)?;
        let got = device.to_vec(&out)?;
        for row in 0..m {
            for column in 0..n {
                let products = (0..k).map(|i| of_a[row * a.pitch + i].wide() * of_b[column * b.pitch + i].wide());
                let want = T::nearest(products.sum::<f64>() + 0.0).wide();
                let got = got[row * c.pitch + column].wide();
                ensure!(
                    got == want,
                    "{m} x {n} x {k}, {grid} blocks: the element in row {row} and column {column} is {got}, want {want}"
                );
            }
        }
    }
    Ok(())
}
