//! Benchmarks of kernels on floats, each checked against the CPU.

use anyhow::{Result, ensure};
use ptx_host::LaunchConfig;
use ptx_host::cudarc::driver::CudaSlice;

use super::case::{Bench, Case, Timing};
use crate::data;
use crate::device::Device as _;
use crate::kernels::input;
use crate::library_checks::{rms_normalized, small_floats};
use crate::memory::{address, matrix, slice};
use crate::shape::Shape;

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("axpy_bulk", "", axpy_bulk),
        Case::new("axpy", "", axpy),
        Case::new("byte_histogram", "", byte_histogram),
        Case::new("rms_norm", "", rms_norm),
        Case::new("row_softmax", "", row_softmax),
        Case::new("matrix_vector", "", matrix_vector),
        Case::new("matrix_product", "", matrix_product),
    ]
}

fn axpy_bulk(bench: &Bench) -> Result<Timing> {
    let shape = Shape::SHIPPED;
    let config = LaunchConfig::new(shape.ctas_per_sm * bench.gpu.multiprocessors()?, shape.threads);
    axpy_as(bench, "axpy_bulk", config.dynamic_shared(shape.dynamic_shared_bytes()))
}

fn axpy(bench: &Bench) -> Result<Timing> {
    // With a vector of four elements per thread, the grid covers the arrays.
    axpy_as(bench, "axpy", LaunchConfig::new((AXPY / 4 / 256) as u32, 256))
}

/// Half a gigabyte per array, and an incomplete vector.
const AXPY: usize = (1 << 27) + 5;

fn axpy_as(bench: &Bench, kernel: &str, config: LaunchConfig) -> Result<Timing> {
    const A: f32 = 0.5;
    let stream = &bench.gpu.stream;
    let (mut x, mut y) = (vec![0.0; AXPY], vec![0.0; AXPY]);
    data::fill_random(&mut x, 1);
    data::fill_random(&mut y, 2);
    let source = stream.clone_htod(&x)?;
    let mut output = stream.alloc_zeros::<f32>(AXPY)?;
    let arguments = (A, slice(&source), slice(&output), AXPY as u64);
    let of_twin = (A, address(&source), address(&output), AXPY as u64);
    // SAFETY: x and y have `n` elements each, are aligned and do not overlap.
    let launches = unsafe { bench.launches(kernel, &config, arguments, of_twin)? };
    for launch in &launches {
        stream.memcpy_htod(&y, &mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        data::check_axpy(A, &x, &y, &stream.clone_dtoh(&output)?)?;
    }
    bench.time(&launches, Some(3 * size_of::<f32>() * AXPY))
}

fn byte_histogram(bench: &Bench) -> Result<Timing> {
    const BYTES: usize = (1 << 29) + 5;
    let stream = &bench.gpu.stream;
    let words = input(1, BYTES.div_ceil(4));
    let bytes: &[u8] = &bytemuck::cast_slice(&words)[..BYTES];
    let mut expected = vec![0_u32; 256];
    bytes.iter().for_each(|byte| expected[*byte as usize] += 1);
    let source = stream.clone_htod(bytes)?;
    let mut output = stream.alloc_zeros::<u32>(256)?;
    let arguments = (slice(&source), slice(&output));
    let of_twin = (address(&source), address(&output), BYTES as u64);
    let config = LaunchConfig::new(8 * bench.gpu.multiprocessors()?, 256);
    // SAFETY: the input has `n` bytes at an aligned address, and the output has 256 words.
    let launches = unsafe { bench.launches("byte_histogram", &config, arguments, of_twin)? };
    for launch in &launches {
        stream.memcpy_htod(&[0; 256], &mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        ensure!(stream.clone_dtoh(&output)? == expected, "{}: the counts are wrong", launch.label);
    }
    bench.time(&launches, Some(BYTES))
}

/// Fails if `got` differs from `want` by more than `tolerance`.
fn check_close(what: &str, got: f32, want: f64, tolerance: f64) -> Result<()> {
    ensure!(
        (f64::from(got) - want).abs() <= tolerance,
        "{what} is {got}, want {want} to within {tolerance:e}"
    );
    Ok(())
}

fn row_softmax(bench: &Bench) -> Result<Timing> {
    const ROWS: usize = 1 << 14;
    const COLUMNS: usize = 1 << 13;
    let stream = &bench.gpu.stream;
    let x: Vec<f32> = small_floats(1, ROWS * COLUMNS).into_iter().map(|x| 8.0 * x).collect();
    let source = stream.clone_htod(&x)?;
    let mut output = stream.alloc_zeros::<f32>(ROWS * COLUMNS)?;
    let (from, to) = (matrix(&source, ROWS, COLUMNS), matrix(&output, ROWS, COLUMNS));
    let arguments = (from, to, ROWS as u32, COLUMNS as u32);
    let of_twin = (address(&source), address(&output), ROWS as u32, COLUMNS as u32);
    let config = LaunchConfig::new(ROWS as u32, 256).dynamic_shared(4 * COLUMNS as u32);
    // SAFETY: the rows are packed, their length is a multiple of four, and shared memory holds one row.
    let launches = unsafe { bench.launches("row_softmax", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got = stream.clone_dtoh(&output)?;
        ensure!(!got.iter().any(|y| y.is_nan()), "{}: at least one element was not written", launch.label);
        for row in (0..ROWS).step_by(997) {
            let of_row = row * COLUMNS..(row + 1) * COLUMNS;
            let powers: Vec<f64> = x[of_row.clone()].iter().map(|x| f64::from(*x).exp()).collect();
            let sum: f64 = powers.iter().sum();
            for (i, (got, power)) in got[of_row].iter().zip(&powers).enumerate() {
                check_close(&format!("element {i} of row {row}"), *got, power / sum, 1e-5 * power / sum)?;
            }
        }
    }
    bench.time(&launches, Some(2 * size_of::<f32>() * ROWS * COLUMNS))
}

fn rms_norm(bench: &Bench) -> Result<Timing> {
    const ROWS: usize = 1 << 14;
    const COLUMNS: usize = 1 << 13;
    const EPSILON: f32 = 1e-3;
    let stream = &bench.gpu.stream;
    let (x, weights) = (small_floats(1, ROWS * COLUMNS), small_floats(2, COLUMNS));
    let (source, factors) = (stream.clone_htod(&x)?, stream.clone_htod(&weights)?);
    let mut output = stream.alloc_zeros::<f32>(ROWS * COLUMNS)?;
    let arguments = (
        matrix(&source, ROWS, COLUMNS),
        slice(&factors),
        matrix(&output, ROWS, COLUMNS),
        ROWS as u32,
        COLUMNS as u32,
        EPSILON,
    );
    let of_twin =
        (address(&source), address(&factors), address(&output), ROWS as u32, COLUMNS as u32, EPSILON);
    let config = LaunchConfig::new(ROWS as u32, 256);
    // SAFETY: the rows are packed, their length is a multiple of four, and there is a weight for each column.
    let launches = unsafe { bench.launches("rms_norm", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got = stream.clone_dtoh(&output)?;
        for row in (0..ROWS).step_by(997) {
            let of_row = row * COLUMNS..(row + 1) * COLUMNS;
            let want = rms_normalized(&x[of_row.clone()], &weights, EPSILON);
            for (i, (got, want)) in got[of_row].iter().zip(want).enumerate() {
                check_close(&format!("element {i} of row {row}"), *got, want, 1e-5 * want.abs())?;
            }
        }
    }
    bench.time(&launches, Some(2 * size_of::<f32>() * ROWS * COLUMNS))
}

fn matrix_vector(bench: &Bench) -> Result<Timing> {
    const ROWS: usize = 1 << 14;
    const COLUMNS: usize = 1 << 13;
    let stream = &bench.gpu.stream;
    let (a, x) = (small_floats(1, ROWS * COLUMNS), small_floats(2, COLUMNS));
    let (of_a, vector) = (stream.clone_htod(&a)?, stream.clone_htod(&x)?);
    let mut output = stream.alloc_zeros::<f32>(ROWS)?;
    let arguments =
        (matrix(&of_a, ROWS, COLUMNS), slice(&vector), slice(&output), ROWS as u32, COLUMNS as u32);
    let of_twin = (address(&of_a), address(&vector), address(&output), ROWS as u32, COLUMNS as u32);
    // Each CTA has eight warps, and each warp one row.
    let config = LaunchConfig::new((ROWS / 8) as u32, 256);
    // SAFETY: the matrix is packed, the input vector is as long as a row, and the output vector as long as a column.
    let launches = unsafe { bench.launches("matrix_vector", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        for (row, got) in stream.clone_dtoh(&output)?.into_iter().enumerate() {
            let terms = a[row * COLUMNS..(row + 1) * COLUMNS].iter().zip(&x);
            let want = terms.map(|(a, x)| f64::from(*a) * f64::from(*x)).sum();
            check_close(&format!("row {row}"), got, want, 1e-3)?;
        }
    }
    bench.time(&launches, Some(size_of::<f32>() * ROWS * COLUMNS))
}

fn matrix_product(bench: &Bench) -> Result<Timing> {
    const SIDE: usize = 4096;
    let stream = &bench.gpu.stream;
    let (a, b) = (small_floats(1, SIDE * SIDE), small_floats(2, SIDE * SIDE));
    let (left, right) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut output = stream.alloc_zeros::<f32>(SIDE * SIDE)?;
    let side = SIDE as u32;
    let square = |memory: &CudaSlice<f32>| matrix(memory, SIDE, SIDE);
    let arguments = (square(&left), square(&right), square(&output), side, side, side);
    let of_twin = (address(&left), address(&right), address(&output), side, side, side);
    let config = LaunchConfig::new((side / 128, side / 128), 256);
    // SAFETY: the matrices are packed and square, and their side is a multiple of 128.
    let launches = unsafe { bench.launches("matrix_product", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got = stream.clone_dtoh(&output)?;
        ensure!(!got.iter().any(|c| c.is_nan()), "{}: at least one element was not written", launch.label);
        // A sample with every position in a tile, spread over the tiles.
        for (row, column) in (0..SIDE).map(|i| (i, i * 2053 % SIDE)) {
            let terms = (0..SIDE).map(|k| f64::from(a[row * SIDE + k]) * f64::from(b[k * SIDE + column]));
            check_close(
                &format!("element {column} of row {row}"),
                got[row * SIDE + column],
                terms.sum(),
                1e-3,
            )?;
        }
    }
    bench.time(&launches, None)
}
