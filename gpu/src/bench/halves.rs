//! Benchmarks of kernels in half precision, each checked against the CPU.

use anyhow::{Context as _, Result};
use ptx::{bf16, f16};
use ptx_host::LaunchConfig;
use ptx_host::cudarc::driver::CudaSlice;

use super::case::{Bench, Case, Timing};
use crate::device::Device as _;
use crate::half_checks::{Half, added_and_normalized, check_rounded, small_halves};
use crate::memory::{address, matrix, slice};

pub fn cases() -> Vec<Case> {
    let case = |kernel, variant, run: fn(&Bench) -> Result<Timing>| Case {
        kernel,
        variant,
        note: "",
        run: Box::new(run),
    };
    vec![
        case("add_rms_norm_f16", "8192", |bench| add_rms_norm::<f16>(bench, "add_rms_norm_f16", 1 << 13)),
        case("add_rms_norm_bf16", "1024", |bench| add_rms_norm::<bf16>(bench, "add_rms_norm_bf16", 1 << 10)),
        case("add_rms_norm_bf16", "4096", |bench| add_rms_norm::<bf16>(bench, "add_rms_norm_bf16", 1 << 12)),
        case("add_rms_norm_bf16", "8192", |bench| add_rms_norm::<bf16>(bench, "add_rms_norm_bf16", 1 << 13)),
        case("add_rms_norm_bf16", "16384", |bench| add_rms_norm::<bf16>(bench, "add_rms_norm_bf16", 1 << 14)),
    ]
}

/// Copies halves to the GPU. `cudarc` knows them as words.
fn on_gpu<T: Half>(bench: &Bench, halves: &[T]) -> Result<CudaSlice<u16>> {
    let words: Vec<u16> = halves.iter().map(|x| x.bits()).collect();
    Ok(bench.gpu.stream.clone_htod(&words)?)
}

fn of_gpu<T: Half>(bench: &Bench, memory: &CudaSlice<u16>) -> Result<Vec<T>> {
    Ok(bench.gpu.stream.clone_dtoh(memory)?.into_iter().map(T::of_bits).collect())
}

fn add_rms_norm<T: Half>(bench: &Bench, kernel: &str, columns: usize) -> Result<Timing> {
    const EPSILON: f32 = 1e-3;
    let rows = (1 << 26) / columns;
    let stream = &bench.gpu.stream;
    let (x, residual): (Vec<T>, Vec<T>) = (small_halves(1, rows * columns), small_halves(2, rows * columns));
    let weights: Vec<T> = small_halves(3, columns);
    let (of_x, factors) = (on_gpu(bench, &x)?, on_gpu(bench, &weights)?);
    let old = on_gpu(bench, &residual)?;
    let (mut sums, mut output) = (stream.clone_dtod(&old)?, stream.clone_dtod(&old)?);
    let [m, n] = [rows as u32, columns as u32];
    let arguments = (
        matrix(&of_x, rows, columns),
        matrix(&sums, rows, columns),
        slice(&factors),
        matrix(&output, rows, columns),
        m,
        n,
        EPSILON,
    );
    let of_twin = (address(&of_x), address(&sums), address(&factors), address(&output), m, n, EPSILON);
    // SAFETY: the rows are packed, their length is a multiple of eight, and there is a weight for each column.
    let launches = unsafe { bench.launches(kernel, &LaunchConfig::new(m, 256), arguments, of_twin)? };
    for launch in &launches {
        stream.memcpy_dtod(&old, &mut sums)?;
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got: Vec<T> = of_gpu(bench, &output)?;
        for row in (0..rows).step_by(997) {
            let of_row = row * columns..(row + 1) * columns;
            let (x, residual) = (&x[of_row.clone()], &residual[of_row.clone()]);
            let (_, want) = added_and_normalized(x, residual, &weights, EPSILON);
            check_rounded::<T>(&got[of_row], want).with_context(|| format!("{}: row {row}", launch.label))?;
        }
    }
    bench.time(&launches, Some(4 * size_of::<T>() * rows * columns))
}
