//! Checks of the kernels of library quality, against models on the host. Matrix products use small integers, whose sums are exact
//! in any order.

use anyhow::{Context as _, Result, ensure};
use ptx_host::{Grid, Matrix};

use crate::check::{self, Check, Finding};
use crate::data;
use crate::device::Device;
use crate::guard::{compare_floats, compare_words};
use crate::kernels::input;
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 7] = [
    "axpy",
    "byte_histogram",
    "rms_norm",
    "row_softmax",
    "matrix_vector",
    "matrix_product",
    "launch_dependent",
];

/// Seeds of each of [`KERNELS`] on an emulated device: for less than a vector, for a whole block, and for several rounds.
const EMULATED: [&[u32]; 7] =
    [&[4, 9, 10], &[4, 9, 10], &[0, 2, 5], &[0, 2, 5], &[0, 2, 5], &[0, 1], &[3, 7, 9]];

/// Checks a kernel for one seed.
pub type Run<D> = fn(&D, &<D as Device>::Loaded, u32) -> Result<()>;

/// Returns the check of each of [`KERNELS`] for one seed.
fn runs<D: Device>() -> [Run<D>; 7] {
    [axpy, byte_histogram, rms_norm, row_softmax, matrix_vector, matrix_product, launch_dependent]
}

const SEEDS: u32 = 30;

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    seeded(options, KERNELS.into_iter().zip(runs::<D>()).zip(EMULATED))
}

/// Makes the checks of kernels: of each, the name, the check for a seed, and the seeds on an emulated device.
pub fn seeded<D: Device>(
    options: &Options,
    kernels: impl Iterator<Item = ((&'static str, Run<D>), &'static [u32])>,
) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for ((kernel, run), emulated) in kernels {
        let seeds = options.seeds_of(SEEDS, emulated);
        checks.extend(check::for_each(options, kernel, |image| {
            let seeds = image.seeds(options, &seeds);
            vec![Check::new(format!("{kernel}/{}", image.label), options, move |device: &D| {
                let loaded = device.load(&image)?;
                device.on_queue(|device| {
                    for &seed in &seeds {
                        run(device, &loaded, seed).with_context(|| format!("seed {seed}"))?;
                    }
                    Ok(Finding::from(format!("{} seeds", seeds.len())))
                })
            })]
        })?);
    }
    Ok(checks)
}

/// Returns the length for a seed: first lengths around those of vectors, blocks and grids, then a different one per seed.
pub fn length(seed: u32) -> usize {
    const LENGTHS: [usize; 12] = [0, 1, 3, 4, 5, 15, 16, 17, 1023, 1024, 16 * 256 * 5 + 1, 100_003];
    LENGTHS.get(seed as usize).copied().unwrap_or(seed as usize * 7919 % 60_013)
}

fn axpy<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::axpy::axpy)?;
    let (n, a) = (length(seed), data::random(seed.into()));
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    data::fill_random(&mut x, u64::from(2 * seed));
    data::fill_random(&mut y, u64::from(2 * seed + 1));
    let source = device.memory(&x)?;
    for grid in [1, 3, (n / 4 / 256) as u32 + 1] {
        let mut output = device.memory(&y)?;
        let of_twin = (a, D::address(&source), D::address(&output), n as u64);
        let arguments = (a, D::read(&source), D::write(&mut output), n);
        // SAFETY: x and y have `n` elements each, are aligned and do not overlap.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        data::check_axpy(a, &x, &y, &device.to_vec(&output)?)
            .with_context(|| format!("n = {n}, {grid} blocks"))?;
    }
    Ok(())
}

fn byte_histogram<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::byte_histogram::byte_histogram)?;
    let n = length(seed);
    let mut bytes: Vec<u8> = input(seed, n / 4 + 8).into_iter().flat_map(u32::to_le_bytes).collect();
    if seed % 3 == 1 {
        // All threads then increment the same two bins.
        bytes.iter_mut().for_each(|byte| *byte |= 0xfe);
    }
    let mut expected: Vec<u32> = (0..256).collect();
    bytes[..n].iter().for_each(|byte| expected[usize::from(*byte)] += 1);
    let source = device.memory(&bytes[..n])?;
    for grid in [1, 3, 8] {
        let mut output = device.memory(&(0..256).collect::<Vec<u32>>())?;
        let of_twin = (D::address(&source), D::address(&output), n as u64);
        let arguments = (D::read(&source), D::write(&mut output));
        // SAFETY: the input has `n` bytes at an aligned address, and the output has 256 words.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        compare_words(&device.to_vec(&output)?, &expected)
            .with_context(|| format!("n = {n}, {grid} blocks"))?;
    }
    Ok(())
}

/// Launches four grids, each of which may start before the grid before it has ended, and reads what that grid writes.
fn launch_dependent<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::launch::launch_dependent)?;
    let grid = Grid::new(5).programmatic();
    let mut expected = input(seed, length(seed));
    let n = expected.len();
    let mut outputs = [device.memory(&expected)?, device.memory(&vec![0; n])?];
    for _ in 0..4 {
        let [source, output] = &mut outputs;
        let of_twin = (D::address(source), D::address(output), n as u32);
        let arguments = (D::read(source), D::write(output), n as u32);
        // SAFETY: both buffers have `n` words. Only the grids of this function access them, and each grid waits for the previous
        // one.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        (0..).zip(&mut expected).for_each(|(i, word)| *word = word.wrapping_mul(3).wrapping_add(i));
        outputs.swap(0, 1);
    }
    compare_words(&device.to_vec(&outputs[0])?, &expected).with_context(|| format!("n = {n}"))
}

/// Returns integers from -8 to 7, as floats.
pub fn whole(seed: u32, n: usize) -> Vec<f32> {
    input(seed, n).into_iter().map(|word| (word % 16) as f32 - 8.0).collect()
}

/// Returns the softmax of a row in double precision.
pub fn softmax(row: &[f32]) -> Vec<f64> {
    let greatest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f64> = row.iter().map(|x| (f64::from(*x) - f64::from(greatest)).exp()).collect();
    let sum: f64 = powers.iter().sum();
    powers.into_iter().map(|power| power / sum).collect()
}

fn rms_norm<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    const EPSILON: f32 = 1e-3;
    let kernel = D::entry(loaded, ptx_kernels::rms_norm::rms_norm)?;
    // Fewer vectors than threads, as many, more, an uneven share per thread, and the maximum.
    const COLUMNS: [usize; 8] = [4, 8, 100, 1020, 1024, 1028, 4096, 8192];
    let (rows, columns) = (1 + seed as usize * 5 % 17, COLUMNS[seed as usize % COLUMNS.len()]);
    let (x, weights) = (small_floats(seed, rows * columns), small_floats(seed + 1, columns));
    let (source, factors) = (device.memory(&x)?, device.memory(&weights)?);
    for grid in [1, 3, 2 * rows as u32] {
        let mut output = device.memory(&vec![f32::NAN; x.len()])?;
        let [m, n] = [rows as u32, columns as u32];
        let of_twin = (D::address(&source), D::address(&factors), D::address(&output), m, n, EPSILON);
        let from = Matrix::new(D::read(&source), m, n);
        let to = Matrix::new(D::write(&mut output), m, n);
        let arguments = (from, D::read(&factors), to, m, n, EPSILON);
        // SAFETY: the rows are packed, their length is a multiple of four, and there is a weight for each column.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        let got = device.to_vec(&output)?;
        for (row, (x, got)) in x.chunks(columns).zip(got.chunks(columns)).enumerate() {
            let want = rms_normalized(x, &weights, EPSILON);
            for (column, (got, want)) in got.iter().zip(want).enumerate() {
                ensure!(
                    (f64::from(*got) - want).abs() <= 1e-5 * want.abs(),
                    "{rows} rows of {columns}, {grid} blocks: element {column} of row {row} is {got}, want {want}"
                );
            }
        }
    }
    Ok(())
}

/// Returns floats between -1 and 1.
pub fn small_floats(seed: u32, n: usize) -> Vec<f32> {
    input(seed, n).into_iter().map(|word| word as i32 as f32 / (1u32 << 31) as f32).collect()
}

/// Returns a row divided by its root mean square, times the weights.
pub fn rms_normalized(x: &[f32], weights: &[f32], epsilon: f32) -> impl Iterator<Item = f64> {
    let mean = x.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / x.len() as f64;
    let scale = 1.0 / (mean + f64::from(epsilon)).sqrt();
    x.iter().zip(weights).map(move |(x, weight)| f64::from(*x) * scale * f64::from(*weight))
}

fn row_softmax<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::row_softmax::row_softmax)?;
    // Fewer vectors than threads, as many, more, and an uneven share per thread.
    const COLUMNS: [usize; 8] = [4, 8, 100, 1020, 1024, 1028, 4096, 12_000];
    let (rows, columns) = (1 + seed as usize * 5 % 17, COLUMNS[seed as usize % COLUMNS.len()]);
    // With an offset, the exponentials overflow unless the kernel subtracts the maximum.
    let offset = if seed % 2 == 1 { 1000.0 } else { 0.0 };
    let x: Vec<f32> = input(seed, rows * columns)
        .into_iter()
        .map(|word| word.cast_signed() as f32 / (1 << 28) as f32 + offset)
        .collect();
    let source = device.memory(&x)?;
    for grid in [1, 3, 2 * rows as u32] {
        let mut output = device.memory(&vec![f32::NAN; x.len()])?;
        let [m, n] = [rows as u32, columns as u32];
        let of_twin = (D::address(&source), D::address(&output), m, n);
        let to = D::write(&mut output);
        let arguments = (Matrix::new(D::read(&source), m, n), Matrix::new(to, m, n), m, n);
        let with_row = Grid::new(grid).dynamic_shared(4 * n);
        // SAFETY: the rows are packed, their length is a multiple of four, and shared memory holds one row.
        unsafe { kernel.launch(device, with_row, arguments, of_twin)? };
        let got = device.to_vec(&output)?;
        for (row, (x, got)) in x.chunks(columns).zip(got.chunks(columns)).enumerate() {
            for (column, (got, want)) in got.iter().zip(softmax(x)).enumerate() {
                ensure!(
                    (f64::from(*got) - want).abs() <= 1e-5 * want,
                    "{rows} rows of {columns}, {grid} blocks: element {column} of row {row} is {got}, want {want}"
                );
            }
        }
    }
    Ok(())
}

/// Returns the product of packed matrices of `m` by `k` and `k` by `n` elements.
fn product(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    let element = |i: usize| -> f32 { (0..k).map(|j| a[i / n * k + j] * b[j * n + i % n]).sum() };
    // An empty sum is -0.0 in Rust.
    (0..m * n).map(|i| element(i) + 0.0).collect()
}

fn matrix_vector<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::matrix_vector::matrix_vector)?;
    // Fewer vectors than lanes, as many, and up to several rounds of four vectors per lane plus an incomplete round.
    const COLUMNS: [usize; 10] = [4, 64, 124, 128, 132, 384, 512, 516, 1024, 1700];
    let (rows, columns) = (1 + seed as usize * 11 % 59, COLUMNS[seed as usize % COLUMNS.len()]);
    let (a, x) = (whole(2 * seed, rows * columns), whole(2 * seed + 1, columns));
    let expected = product(&a, &x, [rows, columns, 1]);
    let (matrix, vector) = (device.memory(&a)?, device.memory(&x)?);
    for grid in [1, 3, rows as u32] {
        let mut output = device.memory(&vec![f32::NAN; rows])?;
        let [m, n] = [rows as u32, columns as u32];
        let of_twin = (D::address(&matrix), D::address(&vector), D::address(&output), m, n);
        let to = D::write(&mut output);
        let arguments = (Matrix::new(D::read(&matrix), m, n), D::read(&vector), to, m, n);
        // SAFETY: the matrix is packed, the input vector is as long as a row, and the output vector as long as a column.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        compare_floats(&device.to_vec(&output)?, &expected)
            .with_context(|| format!("{rows} rows of {columns}, {grid} blocks"))?;
    }
    Ok(())
}

fn matrix_product<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::matrix_product::matrix_product)?;
    let seed_of = |n: u32| (seed / n % 3) as usize;
    let (m, n) = (128 * (1 + seed_of(1)), 128 * (1 + seed_of(3)));
    let k = [16, 32, 48, 144, 80][seed as usize % 5];
    let (a, b) = (whole(2 * seed, m * k), whole(2 * seed + 1, k * n));
    let expected = product(&a, &b, [m, k, n]);
    let (left, right) = (device.memory(&a)?, device.memory(&b)?);
    let mut output = device.memory(&vec![f32::NAN; m * n])?;
    let [rows, columns, depth] = [m as u32, n as u32, k as u32];
    let of_twin = (D::address(&left), D::address(&right), D::address(&output), rows, columns, depth);
    let left = Matrix::new(D::read(&left), rows, depth);
    let right = Matrix::new(D::read(&right), depth, columns);
    let product = Matrix::new(D::write(&mut output), rows, columns);
    let arguments = (left, right, product, rows, columns, depth);
    // SAFETY: the matrices are packed, and the output has a multiple of 128 rows and columns.
    unsafe { kernel.launch(device, (columns / 128, rows / 128), arguments, of_twin)? };
    compare_floats(&device.to_vec(&output)?, &expected).with_context(|| format!("{m} × {k} times {k} × {n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_matrices_is_one() {
        let have = product(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0], [2, 2, 2]);
        assert_eq!(have, [19.0, 22.0, 43.0, 50.0]);
        assert_eq!(product(&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0], [2, 2, 1]), [17.0, 39.0]);
        let none = product(&[], &[], [1, 0, 2]);
        assert!(none.len() == 2 && none.iter().all(|sum| sum.to_bits() == 0), "{none:?}");
    }

    #[test]
    fn a_softmax_is_of_its_row_and_adds_up_to_one() {
        let shares = softmax(&[1000.0, 1000.0, 1000.0 + 2.0_f32.ln()]);
        assert!(shares.iter().zip([0.25, 0.25, 0.5]).all(|(have, want)| (have - want).abs() < 1e-4));
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
