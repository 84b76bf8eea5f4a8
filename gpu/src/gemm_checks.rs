//! Checks of the matrix products on tensor cores, of numbers whose products and sums are exact.

use anyhow::{Result, ensure};
use ptx::math::convert;
use ptx::qualifier::n::{N128, N192, N256};
use ptx::{bf16, f16};
use ptx_host::Tensor;
use ptx_kernels::gemm::E4m3;

use crate::check::Check;
use crate::device::{Device, Element};
use crate::half_checks::Half;
use crate::kernels::input;
use crate::library_checks::{Run, seeded};
use crate::options::Options;

/// Makes the table of instances: of each, its name, its type arguments, and the seeds on an emulated device.
macro_rules! instances {
    ($( $name:ident: $T:ident $O:ident $N:ident $W:literal $STAGES:literal, $emulated:expr; )*) => {
        /// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
        pub const KERNELS: &[&str] = &[$( stringify!($name), )* "gemm_tn"];

        $(
            #[allow(non_snake_case, reason = "the name of the instance")]
            fn $name<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
                let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm::<$T, $O, $N, $W, $STAGES>)?;
                product::<$T, $O, D>(device, seed, false, |grid, [a, b, c], [in_a, in_b], out, scale, k| {
                    let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
                    let scales = (D::read(scale), D::read(scale));
                    let tensors = (a.tensor::<$T, _>(in_a), b.tensor::<$T, _>(in_b), c.tensor::<$O, _>(out));
                    device.launch(&kernel, grid, (tensors.0, tensors.1, tensors.2, scales.0, scales.1, k, 2))
                })
            }
        )*

        pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
            let runs: &[(Run<D>, &[u32])] = &[$( ($name::<D>, $emulated), )* (gemm_tn::<D>, &[2, 3])];
            seeded(options, KERNELS.iter().zip(runs).map(|(name, (run, emulated))| ((*name, *run), *emulated)))
        }
    };
}
instances! {
    gemm_bf16_bf16_N256_2_4: bf16 bf16 N256 2 4, &[0, 1, 2, 3];
    gemm_bf16_bf16_N192_2_4: bf16 bf16 N192 2 4, &[2, 3];
    gemm_bf16_bf16_N128_2_6: bf16 bf16 N128 2 6, &[2, 3];
    gemm_bf16_bf16_N128_1_8: bf16 bf16 N128 1 8, &[2, 3];
    gemm_f16_f16_N256_2_4: f16 f16 N256 2 4, &[2];
    gemm_E4m3_bf16_N256_2_4: E4m3 bf16 N256 2 4, &[2, 3];
}

/// The product of factors whose rows lie along k.
fn gemm_tn<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::kernel(loaded, ptx_kernels::gemm::gemm_tn)?;
    product::<bf16, bf16, D>(device, seed, true, |grid, [a, b, c], [in_a, in_b], out, scale, k| {
        // The kernel has no scale.
        ensure!(device.to_vec(scale)?.iter().all(|scale| *scale == 1.0));
        let (in_a, in_b, out) = (D::read(in_a), D::read(in_b), D::write(out));
        let tensors = (a.tensor::<bf16, _>(in_a), b.tensor::<bf16, _>(in_b), c.tensor::<bf16, _>(out), k);
        device.launch(&kernel, grid, tensors)
    })
}

/// An element of a factor.
trait Factor: Element {
    fn of(whole: f64) -> Self;
}
impl Factor for bf16 {
    fn of(whole: f64) -> Self {
        bf16::from_f64(whole)
    }
}
impl Factor for f16 {
    fn of(whole: f64) -> Self {
        f16::from_f64(whole)
    }
}
impl Factor for E4m3 {
    fn of(whole: f64) -> Self {
        convert(whole as f32)
    }
}

/// A matrix of small whole numbers, row by row, with rows of a multiple of 16 bytes and NaN behind them.
struct Matrix {
    rows: usize,
    columns: usize,
    pitch: usize,
}

impl Matrix {
    fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, pitch: columns.next_multiple_of(16) }
    }

    fn elements(&self, seed: u32) -> Vec<f64> {
        let words = input(seed, self.rows * self.pitch);
        let element = |(i, word): (usize, u32)| {
            let inside = i % self.pitch < self.columns;
            if inside { f64::from(word % 9) - 4.0 } else { f64::NAN }
        };
        words.into_iter().enumerate().map(element).collect()
    }

    /// Returns the matrix in `memory` as an argument of a typed launch.
    fn tensor<T, M>(&self, memory: M) -> Tensor<M, 2> {
        let stride = (size_of::<T>() * self.pitch) as u64;
        Tensor::new(memory, [self.columns as u64, self.rows as u64]).strides(&[stride])
    }
}

/// The extents m, n and k of a seed: a block, parts of a block, several blocks, and several steps along k.
fn extents(seed: u32) -> [usize; 3] {
    const FIRST: [[usize; 3]; 6] =
        [[128, 256, 64], [1, 1, 1], [130, 300, 200], [300, 700, 513], [64, 8, 1030], [257, 513, 65]];
    let seed = seed as usize;
    FIRST.get(seed).copied().unwrap_or([1 + seed * 37 % 300, 1 + seed * 53 % 560, 1 + seed * 71 % 300])
}

/// Runs launches of a product, with a grid, the matrices, the memory of the factors and of the product, a scale, and k.
fn product<T: Factor, O: Half, D: Device>(
    device: &D,
    seed: u32,
    along_k: bool,
    launch: impl Fn(u32, &[Matrix; 3], [&D::Memory<T>; 2], &mut D::Memory<O>, &D::Memory<f32>, u32) -> Result<()>,
) -> Result<()> {
    let [m, n, k] = extents(seed);
    // Whether the rows of the factors lie along k.
    let factor = |rows| if along_k { Matrix::new(k, rows) } else { Matrix::new(rows, k) };
    let matrices = [factor(m), factor(n), Matrix::new(m, n)];
    let [a, b, c] = &matrices;
    let (of_a, of_b) = (a.elements(2 * seed), b.elements(2 * seed + 1));
    let memory = |elements: &[f64]| device.memory(&elements.iter().map(|x| T::of(*x)).collect::<Vec<_>>());
    let (in_a, in_b) = (memory(&of_a)?, memory(&of_b)?);
    let at = |matrix: &Matrix, row: usize, i: usize| {
        if along_k { i * matrix.pitch + row } else { row * matrix.pitch + i }
    };
    let scales: [&[f32]; 2] = if along_k { [&[], &[]] } else { [&[], &[0.5]] };
    for (grid, scale) in [1, 3].into_iter().zip(scales) {
        let mut out = device.memory(&vec![O::nearest(f64::NAN); m * c.pitch])?;
        launch(grid, &matrices, [&in_a, &in_b], &mut out, &device.memory(scale)?, k as u32)?;
        // Both factors have the scale.
        let scale = scale.iter().map(|scale| f64::from(scale * scale)).product::<f64>();
        let got = device.to_vec(&out)?;
        for row in 0..m {
            for column in 0..n {
                let products = (0..k).map(|i| of_a[at(a, row, i)] * of_b[at(b, column, i)]);
                let want = O::nearest(scale * products.sum::<f64>() + 0.0).wide();
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
