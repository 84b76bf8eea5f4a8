//! Benchmarks of kernels in half precision, each checked against the CPU.

use anyhow::{Context as _, Result, ensure};
use ptx::{bf16, f16};
use ptx_host::LaunchConfig;
use ptx_kernels::add_rms_norm::{instance_of, rows_of_cta};

use super::case::{Bench, Case, Timing};
use crate::device::Device as _;
use crate::half_checks::{
    Gradients, Half, Quantized, added_and_normalized, angles, check_rotated, check_rounded, small_halves,
};
use crate::memory::{address, matrix, slice};

pub fn cases() -> Vec<Case> {
    vec![
        Case::new("add_rms_norm_f16_128_4", "1024", |bench| {
            add_rms_norm::<f16>(bench, "add_rms_norm_f16_128_4", 1 << 10)
        }),
        Case::new("add_rms_norm_f16_256_2", "4096", |bench| {
            add_rms_norm::<f16>(bench, "add_rms_norm_f16_256_2", 1 << 12)
        }),
        Case::new("add_rms_norm_f16_512_2", "8192", |bench| {
            add_rms_norm::<f16>(bench, "add_rms_norm_f16_512_2", 1 << 13)
        }),
        Case::new("add_rms_norm_f16_512_4", "16384", |bench| {
            add_rms_norm::<f16>(bench, "add_rms_norm_f16_512_4", 1 << 14)
        }),
        Case::new("add_rms_norm_bf16_128_4", "1024", |bench| {
            add_rms_norm::<bf16>(bench, "add_rms_norm_bf16_128_4", 1 << 10)
        }),
        Case::new("add_rms_norm_bf16_256_2", "2048", |bench| {
            add_rms_norm::<bf16>(bench, "add_rms_norm_bf16_256_2", 1 << 11)
        }),
        Case::new("add_rms_norm_bf16_256_2", "4096", |bench| {
            add_rms_norm::<bf16>(bench, "add_rms_norm_bf16_256_2", 1 << 12)
        }),
        Case::new("add_rms_norm_bf16_512_2", "8192", |bench| {
            add_rms_norm::<bf16>(bench, "add_rms_norm_bf16_512_2", 1 << 13)
        }),
        Case::new("add_rms_norm_bf16_512_4", "16384", |bench| {
            add_rms_norm::<bf16>(bench, "add_rms_norm_bf16_512_4", 1 << 14)
        }),
        Case::new("int4_matrix_vector_f16", "", |bench| {
            int4_matrix_vector::<f16>(bench, "int4_matrix_vector_f16")
        }),
        Case::new("int4_matrix_vector_bf16", "", |bench| {
            int4_matrix_vector::<bf16>(bench, "int4_matrix_vector_bf16")
        }),
        Case::new("rotary_embedding", "", rotary_embedding),
        Case::new("embedding_gather", "", |bench| embedding(bench, false)),
        Case::new("embedding_scatter_add", "", |bench| embedding(bench, true)),
        Case::new("layer_norm_backward", "", layer_norm_backward),
    ]
}

fn add_rms_norm<T: Half>(bench: &Bench, kernel: &str, columns: usize) -> Result<Timing> {
    const EPSILON: f32 = 1e-3;
    let rows = (1 << 26) / columns;
    let stream = &bench.gpu.stream;
    let (x, residual): (Vec<T>, Vec<T>) = (small_halves(1, rows * columns), small_halves(2, rows * columns));
    let weights: Vec<T> = small_halves(3, columns);
    let (of_x, factors) = (stream.clone_htod(&x)?, stream.clone_htod(&weights)?);
    let old = stream.clone_htod(&residual)?;
    let (mut sums, mut output) = (stream.clone_dtod(&old)?, stream.clone_dtod(&old)?);
    let [m, n] = [rows as u32, columns as u32];
    let instance = instance_of(n).context("the rows are too long")?;
    let config = LaunchConfig::new(m.div_ceil(rows_of_cta(instance, n)), instance.0);
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
    let launches = unsafe { bench.launches(kernel, &config, arguments, of_twin)? };
    for launch in &launches {
        stream.memcpy_dtod(&old, &mut sums)?;
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got: Vec<T> = stream.clone_dtoh(&output)?;
        for row in (0..rows).step_by(997) {
            let of_row = row * columns..(row + 1) * columns;
            let (x, residual) = (&x[of_row.clone()], &residual[of_row.clone()]);
            let (_, want) = added_and_normalized(x, residual, &weights, EPSILON);
            check_rounded::<T>(&got[of_row], want).with_context(|| format!("{}: row {row}", launch.label))?;
        }
    }
    bench.time(&launches, Some(4 * size_of::<T>() * rows * columns))
}

fn int4_matrix_vector<T: Half>(bench: &Bench, kernel: &str) -> Result<Timing> {
    const ROWS: usize = 1 << 15;
    const COLUMNS: usize = 1 << 14;
    let stream = &bench.gpu.stream;
    let weights = Quantized::<T>::new(1, ROWS, COLUMNS);
    let x: Vec<T> = small_halves(3, COLUMNS);
    let words = stream.clone_htod(&weights.words)?;
    let (scales, vector) = (stream.clone_htod(&weights.scales)?, stream.clone_htod(&x)?);
    let mut output = stream.alloc_zeros::<T>(ROWS)?;
    let arguments = (
        matrix(&words, ROWS, COLUMNS / 8),
        matrix(&scales, ROWS, COLUMNS / 128),
        slice(&vector),
        slice(&output),
    );
    let [m, n] = [ROWS as u32, COLUMNS as u32];
    let of_twin = (address(&words), address(&scales), address(&vector), address(&output), m, n);
    // Each CTA has eight warps, and each warp four rows.
    let config = LaunchConfig::new(m / 32, 256);
    // SAFETY: the rows are packed, and have a multiple of 1024 weights.
    let launches = unsafe { bench.launches(kernel, &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        for (row, got) in stream.clone_dtoh(&output)?.into_iter().enumerate().step_by(97) {
            weights.check(row, &x, got).context(launch.label)?;
        }
    }
    bench.time(&launches, Some(ROWS * COLUMNS / 2 + size_of::<T>() * ROWS * COLUMNS / 128))
}

fn rotary_embedding(bench: &Bench) -> Result<Timing> {
    const TOKENS: usize = 1 << 15;
    const COLUMNS: usize = 1 << 12;
    const POSITIONS: usize = 1 << 12;
    let stream = &bench.gpu.stream;
    let x: Vec<bf16> = small_halves(1, TOKENS * COLUMNS);
    let angles = angles(POSITIONS);
    let positions: Vec<u32> = (0..TOKENS as u32).map(|token| token % POSITIONS as u32).collect();
    let (source, of_tokens) = (stream.clone_htod(&x)?, stream.clone_htod(&positions)?);
    let (cosines, sines) = (stream.clone_htod(&angles[0])?, stream.clone_htod(&angles[1])?);
    let mut output = stream.alloc_zeros::<bf16>(TOKENS * COLUMNS)?;
    let [m, n] = [TOKENS as u32, COLUMNS as u32];
    let arguments = (
        slice(&of_tokens),
        matrix(&cosines, POSITIONS, 64),
        matrix(&sines, POSITIONS, 64),
        matrix(&source, TOKENS, COLUMNS),
        matrix(&output, TOKENS, COLUMNS),
        m,
        n,
    );
    let of_twin =
        (address(&of_tokens), address(&cosines), address(&sines), address(&source), address(&output), m, n);
    // A CTA per token.
    let config = LaunchConfig::new(m, 128);
    // SAFETY: the rows are packed whole heads, and each position has angles.
    let launches = unsafe { bench.launches("rotary_embedding", &config, arguments, of_twin)? };
    for launch in &launches {
        bench.fill_with_nan(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got: Vec<bf16> = stream.clone_dtoh(&output)?;
        for token in (0..TOKENS).step_by(997) {
            let row = token * COLUMNS..(token + 1) * COLUMNS;
            check_rotated(&x[row.clone()], positions[token] as usize, &angles, &got[row])
                .with_context(|| format!("{}: token {token}", launch.label))?;
        }
    }
    bench.time(&launches, Some(2 * size_of::<bf16>() * TOKENS * COLUMNS))
}

/// Times the gathering of rows, or the addition to rows.
fn embedding(bench: &Bench, adds: bool) -> Result<Timing> {
    const ROWS: usize = 1 << 15;
    const COLUMNS: usize = 1 << 12;
    let stream = &bench.gpu.stream;
    // Each row is a token once, in another order, so the result does not depend on it.
    let tokens: Vec<u32> = (0..ROWS as u32).map(|i| i * 12_347 % ROWS as u32).collect();
    let x: Vec<bf16> = small_halves(1, ROWS * COLUMNS);
    let (of_tokens, source) = (stream.clone_htod(&tokens)?, stream.clone_htod(&x)?);
    let mut output = stream.alloc_zeros::<bf16>(ROWS * COLUMNS)?;
    let [m, n] = [ROWS as u32, COLUMNS as u32];
    let of_twin = (address(&of_tokens), address(&source), address(&output), m, n);
    let config = LaunchConfig::new(m, 128);
    let (tokens_and_rows, to) = ((slice(&of_tokens), matrix(&source, ROWS, COLUMNS)), &output);
    // SAFETY: the rows are packed whole vectors, and each token has a row.
    let launches = unsafe {
        if adds {
            let arguments = (tokens_and_rows.0, tokens_and_rows.1, slice(to));
            bench.launches("embedding_scatter_add", &config, arguments, of_twin)?
        } else {
            let arguments = (tokens_and_rows.0, tokens_and_rows.1, matrix(to, ROWS, COLUMNS));
            bench.launches("embedding_gather", &config, arguments, of_twin)?
        }
    };
    for launch in &launches {
        stream.memset_zeros(&mut output)?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got: Vec<bf16> = stream.clone_dtoh(&output)?;
        for (i, token) in tokens.iter().map(|token| *token as usize).enumerate().step_by(97) {
            let (from, to) = if adds { (i, token) } else { (token, i) };
            let [want, got] =
                [(&x, from), (&got, to)].map(|(all, row)| &all[row * COLUMNS..(row + 1) * COLUMNS]);
            ensure!(want == got, "{}: row {to} is wrong", launch.label);
        }
    }
    bench.time(&launches, Some((2 + usize::from(adds)) * size_of::<bf16>() * ROWS * COLUMNS))
}

fn layer_norm_backward(bench: &Bench) -> Result<Timing> {
    const ROWS: usize = 1 << 14;
    const COLUMNS: usize = 1 << 12;
    let stream = &bench.gpu.stream;
    let (dy, x): (Vec<bf16>, Vec<bf16>) = (small_halves(1, ROWS * COLUMNS), small_halves(2, ROWS * COLUMNS));
    let weights: Vec<bf16> = small_halves(3, COLUMNS);
    let all = Gradients::new(&dy, &x, COLUMNS);
    let (of_dy, of_x, factors) =
        (stream.clone_htod(&dy)?, stream.clone_htod(&x)?, stream.clone_htod(&weights)?);
    let (means, scales) = (stream.clone_htod(&all.means)?, stream.clone_htod(&all.scales)?);
    let mut dx = stream.alloc_zeros::<bf16>(ROWS * COLUMNS)?;
    let mut sums = [stream.alloc_zeros::<f32>(COLUMNS)?, stream.alloc_zeros::<f32>(COLUMNS)?];
    let tickets = stream.alloc_zeros::<u64>(1)?;
    let [m, n] = [ROWS as u32, COLUMNS as u32];
    let arguments = (
        matrix(&of_dy, ROWS, COLUMNS),
        matrix(&of_x, ROWS, COLUMNS),
        slice(&means),
        slice(&scales),
        slice(&factors),
        matrix(&dx, ROWS, COLUMNS),
        slice(&sums[0]),
        slice(&sums[1]),
        slice(&tickets),
        m,
        n,
    );
    let of_twin = (
        address(&of_dy),
        address(&of_x),
        address(&means),
        address(&scales),
        address(&factors),
        address(&dx),
        address(&sums[0]),
        address(&sums[1]),
        address(&tickets),
        m,
        n,
    );
    // A multiprocessor has registers for one CTA.
    let config = LaunchConfig::new(bench.gpu.multiprocessors()?, 512);
    // SAFETY: the rows are packed whole vectors, each row and each column has its number, and `zeroing` lets the tickets begin with 0.
    let launches = unsafe { bench.launches("layer_norm_backward", &config, arguments, of_twin)? };
    let launches = bench.zeroing(launches, &[&tickets]);
    for launch in &launches {
        bench.fill_with_nan(&mut dx)?;
        sums.iter_mut().try_for_each(|sums| stream.memset_zeros(sums))?;
        (launch.put)()?;
        bench.gpu.wait()?;
        let got: Vec<bf16> = stream.clone_dtoh(&dx)?;
        for row in (0..ROWS).step_by(97) {
            let of_row = row * COLUMNS..(row + 1) * COLUMNS;
            let rows = [&dy[of_row.clone()], &x[of_row.clone()], &weights[..], &got[of_row]];
            all.check_row(row, rows).context(launch.label)?;
        }
        let [dweights, dbias] = [stream.clone_dtoh(&sums[0])?, stream.clone_dtoh(&sums[1])?];
        all.check_sums(ROWS, 0.0, &dweights, &dbias).context(launch.label)?;
    }
    bench.time(&launches, Some(3 * size_of::<bf16>() * ROWS * COLUMNS))
}
