//! Checks of the kernels in half precision, against models on the host in double precision.

use anyhow::{Context as _, Result, ensure};
use ptx::{bf16, f16};
use ptx_host::Matrix;
use ptx_host::cudarc::driver::{DeviceRepr, ValidAsZeroBits};
use rayon::prelude::*;

use crate::check::Check;
use crate::device::{Device, Element};
use crate::kernels::input;
use crate::library_checks::{Run, seeded, small_floats, whole};
use crate::options::Options;

/// Names of the kernels. The images are `<name>-*.ptx` and `<name>-*.cubin`.
pub const KERNELS: [&str; 14] = [
    "add_rms_norm_f16_128_4",
    "add_rms_norm_f16_256_2",
    "add_rms_norm_f16_512_2",
    "add_rms_norm_f16_512_4",
    "add_rms_norm_bf16_128_4",
    "add_rms_norm_bf16_256_2",
    "add_rms_norm_bf16_512_2",
    "add_rms_norm_bf16_512_4",
    "int4_matrix_vector_f16",
    "int4_matrix_vector_bf16",
    "rotary_embedding",
    "embedding_gather",
    "embedding_scatter_add",
    "layer_norm_backward",
];

/// Seeds of each of [`KERNELS`] on an emulated device: for less than a vector of each thread, and for several. Those of the
/// scatter have tokens that two blocks share.
const EMULATED: [&[u32]; 14] = [
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[4, 2, 3, 1, 0],
    &[1, 3, 0],
    &[1, 3, 0],
    &[3, 1, 0],
    &[3, 2, 0],
    &[7, 1, 0],
    &[5, 3, 0],
];

/// Returns the check of each of [`KERNELS`] for one seed.
fn runs<D: Device>() -> [Run<D>; 14] {
    [
        add_rms_norm_f16_128_4,
        add_rms_norm_f16_256_2,
        add_rms_norm_f16_512_2,
        add_rms_norm_f16_512_4,
        add_rms_norm_bf16_128_4,
        add_rms_norm_bf16_256_2,
        add_rms_norm_bf16_512_2,
        add_rms_norm_bf16_512_4,
        int4_matrix_vector_f16,
        int4_matrix_vector_bf16,
        rotary_embedding,
        embedding_gather,
        embedding_scatter_add,
        layer_norm_backward,
    ]
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    seeded(options, KERNELS.into_iter().zip(runs::<D>()).zip(EMULATED))
}

/// A type of half precision.
pub trait Half: Element + DeviceRepr + ValidAsZeroBits + Send + Sync {
    /// Half of the greatest distance of adjacent numbers, relative to them.
    const ERROR: f64;
    /// Rounds to the nearest number.
    fn nearest(x: f64) -> Self;
    fn wide(self) -> f64;
}

macro_rules! halves {
    ($( $T:ident $bits:literal )*) => { $(
        impl Half for $T {
            const ERROR: f64 = 1.0 / (1_u32 << $bits) as f64;
            fn nearest(x: f64) -> Self {
                $T::from_f64(x)
            }
            fn wide(self) -> f64 {
                self.to_f64()
            }
        }
    )* };
}
halves! { f16 11 bf16 8 }

/// Returns halves between -1 and 1.
pub fn small_halves<T: Half>(seed: u32, n: usize) -> Vec<T> {
    small_floats(seed, n).into_par_iter().map(|x| T::nearest(x.into())).collect()
}

/// Fails unless each element is the expected one, rounded to `T`, within a relative error of 2^-16 before the rounding.
pub fn check_rounded<T: Half>(got: &[T], want: impl IntoIterator<Item = f64>) -> Result<()> {
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let tolerance = want.abs() * (T::ERROR + 1.0 / 65536.0) + 1e-7;
        ensure!((got.wide() - want).abs() <= tolerance, "element {i} is {}, want {want}", got.wide());
    }
    Ok(())
}

/// Returns the sums of two rows, and the sums divided by their root mean square, times the weights.
pub fn added_and_normalized<T: Half>(
    x: &[T],
    residual: &[T],
    weights: &[T],
    epsilon: f32,
) -> (Vec<T>, Vec<f64>) {
    let sums: Vec<T> = x.iter().zip(residual).map(|(x, y)| T::nearest(x.wide() + y.wide())).collect();
    let mean = sums.iter().map(|x| x.wide().powi(2)).sum::<f64>() / sums.len() as f64;
    let scale = 1.0 / (mean + f64::from(epsilon)).sqrt();
    let normalized = sums.iter().zip(weights).map(|(x, weight)| x.wide() * scale * weight.wide()).collect();
    (sums, normalized)
}

/// Makes a check for each instance of a kernel.
macro_rules! instances {
    ($( $check:ident $T:ident $($N:literal)*; )* |$device:ident, $kernel:ident, $seed:ident| $module:ident::$name:ident, $run:block) => { $(
        fn $check<D: Device>($device: &D, loaded: &D::Loaded, $seed: u32) -> Result<()> {
            type T = $T;
            /// The constants of the instance.
            #[allow(dead_code, reason = "a kernel may have none")]
            const CONSTANTS: &[usize] = &[$($N),*];
            let $kernel = D::entry(loaded, ptx_kernels::$module::$name::<T $(, $N)*>)?;
            $run
        }
    )* };
}

instances! {
    add_rms_norm_f16_128_4 f16 128 4;
    add_rms_norm_f16_256_2 f16 256 2;
    add_rms_norm_f16_512_2 f16 512 2;
    add_rms_norm_f16_512_4 f16 512 4;
    add_rms_norm_bf16_128_4 bf16 128 4;
    add_rms_norm_bf16_256_2 bf16 256 2;
    add_rms_norm_bf16_512_2 bf16 512 2;
    add_rms_norm_bf16_512_4 bf16 512 4;
    |device, kernel, seed| add_rms_norm::add_rms_norm, {
        const EPSILON: f32 = 1e-3;
        const OF_WARP: usize = 256 * CONSTANTS[1];
        const OF_CTA: usize = 8 * CONSTANTS[0] * CONSTANTS[1];
        // Rows of a warp, with a vector and with all; rows of a CTA.
        const COLUMNS: [usize; 5] = [8, OF_WARP, OF_WARP + 8, OF_CTA / 2 + 8, OF_CTA];
        let (rows, columns) = (1 + seed as usize * 5 % 7, COLUMNS[seed as usize % COLUMNS.len()]);
        let (x, residual): (Vec<T>, Vec<T>) =
            (small_halves(seed, rows * columns), small_halves(seed + 1, rows * columns));
        let weights: Vec<T> = small_halves(seed + 2, columns);
        let (of_x, factors) = (device.memory(&x)?, device.memory(&weights)?);
        for grid in [1, 3, 2 * rows as u32] {
            let (mut sums, mut output) = (device.memory(&residual)?, device.memory(&vec![T::NAN; x.len()])?);
            let [m, n] = [rows as u32, columns as u32];
            let of_twin =
                (D::address(&of_x), D::address(&sums), D::address(&factors), D::address(&output), m, n, EPSILON);
            let (from, old) = (Matrix::new(D::read(&of_x), m, n), Matrix::new(D::write(&mut sums), m, n));
            let arguments =
                (from, old, D::read(&factors), Matrix::new(D::write(&mut output), m, n), m, n, EPSILON);
            // SAFETY: the rows are packed, their length is a multiple of eight, and there is a weight for each column.
            unsafe { kernel.launch(device, grid, arguments, of_twin)? };
            let (sums, output) = (device.to_vec(&sums)?, device.to_vec(&output)?);
            for row in 0..rows {
                let of_row = row * columns..(row + 1) * columns;
                let (want, normalized) =
                    added_and_normalized(&x[of_row.clone()], &residual[of_row.clone()], &weights, EPSILON);
                let of = || format!("row {row} of {rows} of {columns} columns, {grid} blocks");
                ensure!(sums[of_row.clone()] == want, "the sums of {} are wrong", of());
                check_rounded(&output[of_row], normalized).with_context(of)?;
            }
        }
        Ok(())
    }
}

/// Weights of four bits with a scale for each 128 of a row.
pub struct Quantized<T> {
    /// A word has the weights of eight columns.
    pub words: Vec<u32>,
    pub scales: Vec<T>,
    columns: usize,
}

impl<T: Half> Quantized<T> {
    pub fn new(seed: u32, rows: usize, columns: usize) -> Self {
        Self {
            words: input(seed, rows * columns / 8),
            scales: small_halves(seed + 1, rows * columns / 128),
            columns,
        }
    }

    /// Returns the scaled weights of a row.
    fn row(&self, row: usize) -> impl Iterator<Item = f64> {
        (row * self.columns..(row + 1) * self.columns).map(|i| {
            // Columns 0, 2, 4 and 6 of eight are in the low half of the word, 1, 3, 5 and 7 in the high half.
            let nibble = self.words[i / 8] >> (4 * (i % 8 / 2) + 16 * (i % 2)) & 15;
            (f64::from(nibble) - 8.0) * self.scales[i / 128].wide()
        })
    }

    /// Fails unless `got` is the product of a row and `x`.
    pub fn check(&self, row: usize, x: &[T], got: T) -> Result<()> {
        let terms = || self.row(row).zip(x).map(|(weight, x)| weight * x.wide());
        let (want, magnitude) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        let tolerance = want.abs() * T::ERROR + 1e-5 * magnitude + 1e-7;
        ensure!((got.wide() - want).abs() <= tolerance, "row {row} is {}, want {want}", got.wide());
        Ok(())
    }
}

instances! {
    int4_matrix_vector_f16 f16;
    int4_matrix_vector_bf16 bf16;
    |device, kernel, seed| int4_matrix_vector::int4_matrix_vector, {
        // As many rows as a warp takes at once, fewer and more; one and several rounds of a warp.
        let (rows, columns) = (1 + seed as usize * 11 % 71, 1024 * [1, 2, 3, 5][seed as usize % 4]);
        let weights = Quantized::<T>::new(seed, rows, columns);
        let x: Vec<T> = small_halves(seed + 2, columns);
        let (words, scales) = (device.memory(&weights.words)?, device.memory(&weights.scales)?);
        let vector = device.memory(&x)?;
        for grid in [1, 3] {
            let mut output = device.memory(&vec![T::NAN; rows])?;
            let [m, n] = [rows as u32, columns as u32];
            let of_twin =
                (D::address(&words), D::address(&scales), D::address(&vector), D::address(&output), m, n);
            let (of_words, of_scales) =
                (Matrix::new(D::read(&words), m, n / 8), Matrix::new(D::read(&scales), m, n / 128));
            let arguments = (of_words, of_scales, D::read(&vector), D::write(&mut output));
            // SAFETY: the rows are packed, and have a multiple of 1024 weights.
            unsafe { kernel.launch(device, grid, arguments, of_twin)? };
            for (row, got) in device.to_vec(&output)?.into_iter().enumerate() {
                weights
                    .check(row, &x, got)
                    .with_context(|| format!("{rows} rows of {columns}, {grid} blocks"))?;
            }
        }
        Ok(())
    }
}

/// Returns the cosines and sines of the angles of positions, 64 each.
pub fn angles(positions: usize) -> [Vec<bf16>; 2] {
    let of = |f: fn(f64) -> f64| -> Vec<bf16> {
        let angle = |i: usize| (i / 64) as f64 * 10_000_f64.powf(-((i % 64) as f64) / 64.0);
        (0..64 * positions).map(|i| bf16::from_f64(f(angle(i)))).collect()
    };
    [of(f64::cos), of(f64::sin)]
}

/// Fails unless each head of `got` is that of `x`, rotated by the angles of the position.
pub fn check_rotated(x: &[bf16], position: usize, angles: &[Vec<bf16>; 2], got: &[bf16]) -> Result<()> {
    let [cosines, sines] = angles.each_ref().map(|all| &all[64 * position..][..64]);
    for (head, (x, got)) in x.chunks(128).zip(got.chunks(128)).enumerate() {
        for i in 0..64 {
            let [a, b, cosine, sine] = [x[i], x[i + 64], cosines[i], sines[i]].map(f64::from);
            for (got, (p, q)) in [(got[i], (a * cosine, -b * sine)), (got[i + 64], (b * cosine, a * sine))] {
                let tolerance = (p + q).abs() * bf16::ERROR + 1e-6 * (p.abs() + q.abs()) + 1e-7;
                let distance = (f64::from(got) - (p + q)).abs();
                ensure!(distance <= tolerance, "angle {i} of head {head} gives {got}, want {}", p + q);
            }
        }
    }
    Ok(())
}

fn rotary_embedding<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::rotary_embedding::rotary_embedding)?;
    const POSITIONS: usize = 50;
    // Fewer vectors than threads, as many, and more.
    let (tokens, columns) = (1 + seed as usize * 5 % 7, 128 * [1, 16, 17, 40, 71][seed as usize % 5]);
    let x: Vec<bf16> = small_halves(seed, tokens * columns);
    let positions: Vec<u32> = input(seed, tokens).into_iter().map(|word| word % POSITIONS as u32).collect();
    let angles = angles(POSITIONS);
    let (source, of_tokens) = (device.memory(&x)?, device.memory(&positions)?);
    let [cosines, sines] = [device.memory(&angles[0])?, device.memory(&angles[1])?];
    for grid in [1, 3] {
        let mut output = device.memory(&vec![bf16::NAN; x.len()])?;
        let [m, n] = [tokens as u32, columns as u32];
        let of_twin = (
            D::address(&of_tokens),
            D::address(&cosines),
            D::address(&sines),
            D::address(&source),
            D::address(&output),
            m,
            n,
        );
        let of_angles = |memory| Matrix::new(D::read(memory), POSITIONS as u32, 64);
        let (from, to) = (Matrix::new(D::read(&source), m, n), Matrix::new(D::write(&mut output), m, n));
        let arguments = (D::read(&of_tokens), of_angles(&cosines), of_angles(&sines), from, to, m, n);
        // SAFETY: the rows are packed whole heads, and each position has angles.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        for (token, got) in device.to_vec(&output)?.chunks(columns).enumerate() {
            check_rotated(&x[token * columns..][..columns], positions[token] as usize, &angles, got)
                .with_context(|| format!("token {token} of {tokens} of {columns} columns, {grid} blocks"))?;
        }
    }
    Ok(())
}

/// A table, and tokens whose rows are read or added to, for a seed. The elements are small integers.
struct Table {
    rows: usize,
    columns: usize,
    table: Vec<bf16>,
    tokens: Vec<u32>,
}

impl Table {
    fn new(seed: u32) -> Self {
        // Fewer vectors than threads, as many, as many as a round has, and more.
        let (rows, columns) = (1 + seed as usize * 7 % 23, 8 * [1, 128, 512, 700][seed as usize % 4]);
        let tokens = input(seed, 1 + seed as usize * 5 % 13);
        Table {
            rows,
            columns,
            table: whole_halves(seed, rows * columns),
            tokens: tokens.into_iter().map(|token| token % rows as u32).collect(),
        }
    }

    fn row(&self, row: usize) -> std::ops::Range<usize> {
        row * self.columns..(row + 1) * self.columns
    }
}

/// Returns integers from -8 to 7. Sums of a dozen of them are exact.
fn whole_halves(seed: u32, n: usize) -> Vec<bf16> {
    whole(seed, n).into_iter().map(bf16::from_f32).collect()
}

fn embedding_gather<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::embedding::embedding_gather)?;
    let all = Table::new(seed);
    let want: Vec<bf16> =
        all.tokens.iter().flat_map(|token| all.table[all.row(*token as usize)].to_vec()).collect();
    let (tokens, table) = (device.memory(&all.tokens)?, device.memory(&all.table)?);
    for grid in [1, 3] {
        let mut output = device.memory(&vec![bf16::NAN; want.len()])?;
        let [m, n] = [all.tokens.len() as u32, all.columns as u32];
        let of_twin = (D::address(&tokens), D::address(&table), D::address(&output), m, n);
        let from = Matrix::new(D::read(&table), all.rows as u32, n);
        let arguments = (D::read(&tokens), from, Matrix::new(D::write(&mut output), m, n));
        // SAFETY: the rows are packed whole vectors, and each token has a row of the table.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        let of = || format!("{m} tokens of {n} columns, {grid} blocks");
        ensure!(device.to_vec(&output)? == want, "the rows of {} are wrong", of());
    }
    Ok(())
}

fn embedding_scatter_add<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::embedding::embedding_scatter_add)?;
    let all = Table::new(seed);
    let gradients = whole_halves(seed + 1, all.tokens.len() * all.columns);
    let mut want = all.table.clone();
    for (token, gradient) in all.tokens.iter().zip(gradients.chunks(all.columns)) {
        let row = want[all.row(*token as usize)].iter_mut();
        row.zip(gradient).for_each(|(sum, x)| *sum = bf16::from_f32(sum.to_f32() + x.to_f32()));
    }
    let (tokens, of_rows) = (device.memory(&all.tokens)?, device.memory(&gradients)?);
    for grid in [1, 3] {
        let mut table = device.memory(&all.table)?;
        let [m, n] = [all.tokens.len() as u32, all.columns as u32];
        let of_twin = (D::address(&tokens), D::address(&of_rows), D::address(&table), m, n);
        let from = Matrix::new(D::read(&of_rows), m, n);
        let arguments = (D::read(&tokens), from, D::write(&mut table));
        // SAFETY: the rows are packed whole vectors, and each token has a row of the table.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        let of = || format!("{m} tokens of {n} columns, {grid} blocks");
        ensure!(device.to_vec(&table)? == want, "the table of {} is wrong", of());
    }
    Ok(())
}

/// The gradients of a layer norm in double precision.
pub struct Gradients {
    /// About the mean, and about the reciprocal of the standard deviation, of each row.
    pub means: Vec<f32>,
    pub scales: Vec<f32>,
    pub dweights: Vec<f64>,
    pub dbias: Vec<f64>,
}

impl Gradients {
    pub fn new(dy: &[bf16], x: &[bf16], columns: usize) -> Self {
        Self::with(dy, x, columns, |mean, scale| (mean, scale))
    }

    /// As [`new`](Self::new), with numbers near the mean and the deviation, by which the sums of columns are exact, in whatever
    /// order blocks add them.
    fn exact(dy: &[bf16], x: &[bf16], columns: usize) -> Self {
        Self::with(dy, x, columns, |mean, scale| ((8.0 * mean).round() / 8.0, scale.log2().round().exp2()))
    }

    fn with(dy: &[bf16], x: &[bf16], columns: usize, near: impl Fn(f64, f64) -> (f64, f64)) -> Self {
        let mut all =
            Self { means: vec![], scales: vec![], dweights: vec![0.0; columns], dbias: vec![0.0; columns] };
        for (dy, x) in dy.chunks(columns).zip(x.chunks(columns)) {
            let mean = x.iter().map(|x| f64::from(*x)).sum::<f64>() / columns as f64;
            let variance = x.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / columns as f64;
            let (mean, scale) = near(mean, (variance + 1e-3).sqrt().recip());
            let (mean, scale) = (mean as f32, scale as f32);
            all.means.push(mean);
            all.scales.push(scale);
            let sums = all.dweights.iter_mut().zip(&mut all.dbias);
            for ((of_weight, of_bias), (dy, x)) in sums.zip(dy.iter().zip(x)) {
                *of_weight += f64::from(*dy) * (f64::from(*x) - f64::from(mean)) * f64::from(scale);
                *of_bias += f64::from(*dy);
            }
        }
        all
    }

    /// Fails unless `got` is the gradient of a row of x.
    pub fn check_row(&self, row: usize, [dy, x, weights, got]: [&[bf16]; 4]) -> Result<()> {
        let (mean, scale, n) = (f64::from(self.means[row]), f64::from(self.scales[row]), x.len() as f64);
        let normalized: Vec<f64> = x.iter().map(|x| (f64::from(*x) - mean) * scale).collect();
        let of: Vec<f64> = dy.iter().zip(weights).map(|(dy, w)| f64::from(*dy) * f64::from(*w)).collect();
        let sum = of.iter().sum::<f64>() / n;
        let product = of.iter().zip(&normalized).map(|(of, x)| of * x).sum::<f64>() / n;
        for (i, got) in got.iter().enumerate() {
            let want = scale * (of[i] - sum - normalized[i] * product);
            let magnitude = scale * (of[i].abs() + sum.abs() + (normalized[i] * product).abs() + 0.01);
            let tolerance = want.abs() * bf16::ERROR + 1e-5 * magnitude;
            ensure!((f64::from(*got) - want).abs() <= tolerance, "dx[{row}][{i}] is {got}, want {want}");
        }
        Ok(())
    }

    /// Fails unless these are the sums of columns over `rows` rows, as they were added to `before`.
    pub fn check_sums(&self, rows: usize, before: f32, dweights: &[f32], dbias: &[f32]) -> Result<()> {
        for (what, got, want) in [("dweights", dweights, &self.dweights), ("dbias", dbias, &self.dbias)] {
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                let want = want + f64::from(before);
                // Floats that add up to `rows` at most, rounded at each addition.
                let tolerance = 1e-6 * (rows as f64 + 8.0);
                ensure!((f64::from(*got) - want).abs() <= tolerance, "{what}[{i}] is {got}, want {want}");
            }
        }
        Ok(())
    }
}

fn layer_norm_backward<D: Device>(device: &D, loaded: &D::Loaded, seed: u32) -> Result<()> {
    let kernel = D::entry(loaded, ptx_kernels::layer_norm_backward::layer_norm_backward)?;
    // Fewer vectors than threads, as many, more, and the maximum.
    let (rows, columns) = (1 + seed as usize * 5 % 13, 8 * [1, 100, 255, 256, 300, 512][seed as usize % 6]);
    let n = rows * columns;
    let (dy, x) = (whole_halves(seed, n), whole_halves(seed + 1, n));
    let weights: Vec<bf16> = small_halves(seed + 2, columns);
    let all = Gradients::exact(&dy, &x, columns);
    let [of_dy, of_x, factors] = [device.memory(&dy)?, device.memory(&x)?, device.memory(&weights)?];
    let (means, scales) = (device.memory(&all.means)?, device.memory(&all.scales)?);
    for grid in [1, 3, 2 * rows as u32] {
        let mut dx = device.memory(&vec![bf16::NAN; n])?;
        let [mut dweights, mut dbias] =
            [device.memory(&vec![1.5_f32; columns])?, device.memory(&vec![1.5; columns])?];
        let mut tickets = device.memory(&[0_u64])?;
        let [m, n] = [rows as u32, columns as u32];
        let of_twin = (
            D::address(&of_dy),
            D::address(&of_x),
            D::address(&means),
            D::address(&scales),
            D::address(&factors),
            D::address(&dx),
            D::address(&dweights),
            D::address(&dbias),
            D::address(&tickets),
            m,
            n,
        );
        let arguments = (
            Matrix::new(D::read(&of_dy), m, n),
            Matrix::new(D::read(&of_x), m, n),
            D::read(&means),
            D::read(&scales),
            D::read(&factors),
            Matrix::new(D::write(&mut dx), m, n),
            D::write(&mut dweights),
            D::write(&mut dbias),
            D::write(&mut tickets),
            m,
            n,
        );
        // SAFETY: the rows are packed whole vectors, and each row and each column has its number.
        unsafe { kernel.launch(device, grid, arguments, of_twin)? };
        let of = || format!("{rows} rows of {columns}, {grid} blocks");
        let got = device.to_vec(&dx)?;
        for row in 0..rows {
            let of_row = row * columns..(row + 1) * columns;
            let rows = [&dy[of_row.clone()], &x[of_row.clone()], &weights[..], &got[of_row]];
            all.check_row(row, rows).with_context(of)?;
        }
        all.check_sums(rows, 1.5, &device.to_vec(&dweights)?, &device.to_vec(&dbias)?).with_context(of)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_norm_has_a_root_mean_square_of_one() {
        let [x, residual, ones] = [[3.0, 0.5], [0.0, -4.5], [1.0, 1.0]].map(|row| row.map(f16::from_f32));
        let (sums, normalized) = added_and_normalized(&x, &residual, &ones, 0.0);
        assert_eq!(sums, [3.0, -4.0].map(f16::from_f32));
        assert!((normalized.iter().map(|x| x * x).sum::<f64>() - 2.0).abs() < 1e-12, "{normalized:?}");
    }

    #[test]
    fn an_element_may_have_the_error_of_its_rounding() {
        let [x, next] = [1.0, 1.0 + 1.0 / 128.0].map(bf16::from_f32);
        assert!(check_rounded(&[x], [1.0 + 1.0 / 256.0]).is_ok());
        assert!(check_rounded(&[next], [1.0]).is_err());
    }

    #[test]
    fn weights_are_nibbles_less_eight_times_a_scale() {
        let columns = 128;
        let weights = Quantized { words: vec![0xfedc_ba98; 16], scales: vec![f16::from_f32(0.5)], columns };
        // The low half of the word has 8, 9, 10 and 11, for even columns.
        assert_eq!(weights.row(0).take(8).collect::<Vec<_>>(), [0.0, 2.0, 0.5, 2.5, 1.0, 3.0, 1.5, 3.5]);
        let x = vec![f16::ONE; columns];
        assert!(weights.check(0, &x, f16::from_f32(16.0 * 14.0)).is_ok());
        assert!(weights.check(0, &x, f16::from_f32(16.0 * 14.0 + 1.0)).is_err());
    }

    #[test]
    fn position_0_is_not_rotated() {
        let x: Vec<bf16> = small_halves(1, 256);
        let angles = angles(2);
        assert!(check_rotated(&x, 0, &angles, &x).is_ok());
        assert!(check_rotated(&x, 1, &angles, &x).is_err());
    }

    #[test]
    fn the_gradient_of_a_row_is_across_ones_and_across_the_row() {
        let (dy, x): (Vec<bf16>, Vec<bf16>) = (small_halves(1, 8), small_halves(2, 8));
        let all = Gradients::new(&dy, &x, 8);
        let ones = [bf16::ONE; 8];
        assert!(all.check_row(0, [&ones, &x, &ones, &[bf16::ZERO; 8]]).is_ok());
        assert!(all.check_row(0, [&dy, &x, &ones, &[bf16::ZERO; 8]]).is_err());
        let dbias: Vec<f32> = dy.iter().map(|dy| dy.to_f32() + 1.0).collect();
        let dweights: Vec<f32> = all.dweights.iter().map(|x| *x as f32 + 1.0).collect();
        assert!(all.check_sums(1, 1.0, &dweights, &dbias).is_ok());
        assert!(all.check_sums(1, 0.0, &dweights, &dbias).is_err());
    }
}
