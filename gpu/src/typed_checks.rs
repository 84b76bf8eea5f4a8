//! Checks of kernels that are launched by their types: `tests/device/launch`, `tests/device/print`, and the examples.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use ptx_host::cudarc::driver::sys::CUlimit;
use ptx_host::{Kernels, LoadedKernels, Matrix, Tensor};

use crate::check::{Check, Finding, Gpu};
use crate::checked_checks::with_output;
use crate::image;
use crate::kernels::input;
use crate::library_checks::{small_floats, softmax};
use crate::options::Options;

type Run = fn(&Gpu, &LoadedKernels) -> Result<()>;

/// The crates, with a check of each kernel.
const CRATES: [(&str, &[(&str, Run)]); 3] = [
    (
        "launch",
        &[("axpy", axpy), ("blur", blur), ("copy_boxes", copy_boxes), ("add_rows", add_rows), ("fill", fill)],
    ),
    (
        "print",
        &[
            ("print_in_a_branch", print_in_a_branch),
            ("print_all", print_all),
            ("panic_at_an_index", panic_at_an_index),
        ],
    ),
    (
        "examples",
        &[
            ("add_vectors", add_vectors),
            ("softmax_rows", softmax_rows),
            ("transpose", transpose),
            ("count_bytes", count_bytes),
            ("accumulate_sums", accumulate_sums),
        ],
    ),
];

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (name, kernels) in CRATES {
        checks.extend(image::for_each_of_crate(options, name, |image| {
            let of = |&(kernel, run): &(&'static str, Run)| {
                let path = image.path.clone();
                Check::new(format!("{name}/{}/{kernel}", image.label), options, move |gpu| {
                    let gpu = &gpu.with_stream()?;
                    run(gpu, &load(gpu, &path)?)?;
                    Ok(Finding::default())
                })
            };
            kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
}

fn load(gpu: &Gpu, path: &Path) -> Result<LoadedKernels> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    if path.to_string_lossy().contains("-O0.") {
        // Functions that are not inlined need more than the 1024 bytes of stack that the driver gives each thread if ptxas cannot
        // compute the size.
        gpu.context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, 64 << 10)?;
    }
    let (name, images) = (path.to_str().context("a path in UTF-8")?, [("sm_90a", &bytes[..])]);
    // SAFETY: `./x` gives this file name to the output of `ptx-link` for the crate.
    let kernels = unsafe { Kernels::new(name, &images) };
    Ok(kernels.load(&gpu.context)?)
}

/// Lengths around those of vectors, tiles and grids.
const LENGTHS: [usize; 6] = [1, 5, 1023, 1024, 3584, 9000];

fn axpy(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let axpy = kernels.kernel(launch::axpy)?;
    for len in LENGTHS {
        let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
        let (x, mut y) = (gpu.stream.clone_htod(&x)?, gpu.stream.clone_htod(&vec![1.0f32; len])?);
        axpy.launch(&gpu.stream, 2, (2.0, &x, &mut y))?;
        gpu.wait()?;
        let got = gpu.stream.clone_dtoh(&y)?;
        ensure!((0..).zip(got).all(|(i, y)| y == 2.0 * i as f32 + 1.0), "wrong for {len} elements");
    }
    Ok(())
}

/// Checks a struct by value, and a grid of two dimensions.
fn blur(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let weights = launch::Weights { scale: 0.5, taps: [1.0, 2.0, 3.0, 4.0, 5.0], wraps: true };
    let x: Vec<f32> = (0..300).map(|i| (i % 17) as f32).collect();
    let (from, mut to) = (gpu.stream.clone_htod(&x)?, gpu.stream.alloc_zeros::<f32>(x.len())?);
    kernels.kernel(launch::blur)?.launch(&gpu.stream, (2, 2), (weights, &from, &mut to))?;
    gpu.wait()?;
    let tap = |i: usize| (0..5).map(|tap| (tap + 1) as f32 * x[(i + tap) % x.len()]).sum::<f32>();
    let want: Vec<f32> = (0..x.len()).map(|i| 0.5 * tap(i)).collect();
    ensure!(gpu.stream.clone_dtoh(&to)? == want, "a sum is wrong");
    Ok(())
}

fn copy_boxes(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    // The last boxes reach over the end of both dimensions.
    let x: Vec<f32> = (0..40 * 68).map(|i| i as f32).collect();
    let (from, mut to) = (gpu.stream.clone_htod(&x)?, gpu.stream.alloc_zeros::<f32>(x.len())?);
    let maps = (Tensor::new(&from, [68, 40]), Tensor::new(&mut to, [68, 40]));
    kernels.kernel(launch::copy_boxes)?.launch(&gpu.stream, 3, maps)?;
    gpu.wait()?;
    ensure!(gpu.stream.clone_dtoh(&to)? == x, "the copy differs");
    Ok(())
}

fn add_rows(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let stream = &gpu.stream;
    let (rows, mut doubled) = (stream.clone_htod(&[1u32; 8 * 256])?, stream.alloc_zeros::<u32>(8 * 256)?);
    let (mut sums, mut count) = (stream.clone_htod(&[10u32; 256])?, stream.alloc_zeros::<u64>(1)?);
    let (from, to) = (Matrix::new(&rows, 8, 256), Matrix::new(&mut doubled, 8, 256));
    kernels.kernel(launch::add_rows)?.launch(stream, 4, (from, &mut sums, &mut count, to))?;
    gpu.wait()?;
    ensure!(stream.clone_dtoh(&count)? == [8], "the rows were not counted");
    let sums = stream.clone_dtoh(&sums)?;
    ensure!((0u32..).zip(sums).all(|(i, sum)| sum == 10 + 4 * i), "a sum is wrong");
    Ok(())
}

fn fill(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let mut words = gpu.stream.alloc_zeros::<u32>(1000)?;
    let address = crate::memory::address(&words);
    // SAFETY: the memory has 1000 words, and only this grid uses them.
    unsafe { kernels.kernel(launch::fill)?.launch_unsafe(&gpu.stream, 3, (address, 900, 7))? };
    gpu.wait()?;
    let got = gpu.stream.clone_dtoh(&words.slice_mut(..))?;
    ensure!(got[..900] == [7; 900] && got[900..] == [0; 100], "a word is wrong");
    Ok(())
}

/// Runs kernels that print, and compares the text.
fn expect_output(gpu: &Gpu, launch: impl FnOnce() -> ptx_host::Result<()>, want: &str) -> Result<()> {
    let (result, text) = with_output(|| {
        launch()?;
        gpu.wait()?;
        // The driver writes what kernels print when the host synchronizes; querying an event is not enough.
        gpu.stream.synchronize()?;
        anyhow::Ok(())
    })?;
    result?;
    ensure!(text == want, "printed {text:?}, not {want:?}");
    Ok(())
}

fn print_in_a_branch(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(print::print_in_a_branch)?;
    expect_output(gpu, || kernel.launch(&gpu.stream, 1, (1.5,)), "1.500 in CTA 0\n")
}

fn print_all(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    const TEXT: &str = "\
-5 fb 251 0x0041 177773        65 65       |
9223372036854775979 80000000000000AB 0x80000000000000ab -9223372036854775637 18446744073709551615
0.25 0.25 0.25 2.500000e-01 0.25 0.25     0.250|0.250    |+0000.250
true false true   |   true|Aé√|A  |
a name   a name|{} 100 %
0x1234 0x0 0x0000000000abcdef
";
    let kernel = kernels.kernel(print::print_all)?;
    expect_output(gpu, || kernel.launch(&gpu.stream, 1, (-5, 65, 1 << 63 | 0xab, 0.25, true)), TEXT)
}

fn panic_at_an_index(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(print::panic_at_an_index)?;
    let values = gpu.stream.alloc_zeros::<u32>(1)?;
    let (result, text) = with_output(|| {
        kernel.launch(&gpu.stream, 1, (&values, 0))?;
        gpu.wait()
    })?;
    ensure!(result.is_err(), "the kernel did not trap; it printed {text:?}");
    ensure!(text.contains("print/src/lib.rs:"), "the place is not in {text:?}");
    Ok(())
}

fn add_vectors(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(example_kernels::add_vectors)?;
    for len in LENGTHS {
        let (x, y) = (small_floats(1, len), small_floats(2, len));
        let (left, right) = (gpu.stream.clone_htod(&x)?, gpu.stream.clone_htod(&y)?);
        let mut sum = gpu.stream.alloc_zeros::<f32>(len)?;
        kernel.launch(&gpu.stream, 3, (&left, &right, &mut sum))?;
        gpu.wait()?;
        let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        ensure!(gpu.stream.clone_dtoh(&sum)? == want, "wrong for {len} elements");
    }
    Ok(())
}

fn softmax_rows(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(example_kernels::softmax_rows)?;
    for (rows, columns) in [(1, 4), (3, 1024), (5, 1028)] {
        let x: Vec<f32> = small_floats(3, (rows * columns) as usize).into_iter().map(|x| 20.0 * x).collect();
        let (from, mut to) = (gpu.stream.clone_htod(&x)?, gpu.stream.alloc_zeros::<f32>(x.len())?);
        let matrices = (Matrix::new(&from, rows, columns), Matrix::new(&mut to, rows, columns));
        kernel.launch(&gpu.stream, 2, matrices)?;
        gpu.wait()?;
        let got = gpu.stream.clone_dtoh(&to)?;
        for (x, got) in x.chunks(columns as usize).zip(got.chunks(columns as usize)) {
            let near = |(got, want): (&f32, f64)| (f64::from(*got) - want).abs() <= 1e-5 * want + 1e-12;
            ensure!(got.iter().zip(softmax(x)).all(near), "wrong for {rows} rows of {columns}");
        }
    }
    Ok(())
}

fn transpose(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(example_kernels::transpose)?;
    for (width, height) in [(4, 4), (32, 32), (36, 100)] {
        let x = small_floats(4, width * height);
        let (from, mut to) = (gpu.stream.clone_htod(&x)?, gpu.stream.alloc_zeros::<f32>(x.len())?);
        let extents = [width as u64, height as u64];
        let maps = (Tensor::new(&from, extents), Tensor::new(&mut to, [extents[1], extents[0]]));
        kernel.launch(&gpu.stream, 3, maps)?;
        gpu.wait()?;
        let want: Vec<f32> = (0..x.len()).map(|i| x[i % height * width + i / height]).collect();
        ensure!(gpu.stream.clone_dtoh(&to)? == want, "wrong for {width} by {height}");
    }
    Ok(())
}

fn count_bytes(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let kernel = kernels.kernel(example_kernels::count_bytes)?;
    for len in [1, 127, 5000] {
        let words = input(5, len);
        let mut want = vec![0u32; 256];
        words.iter().for_each(|word| want[(word % 256) as usize] += 1);
        let (words, mut counts) = (gpu.stream.clone_htod(&words)?, gpu.stream.alloc_zeros::<u32>(256)?);
        kernel.launch(&gpu.stream, 8, (&words, &mut counts))?;
        gpu.wait()?;
        ensure!(gpu.stream.clone_dtoh(&counts)? == want, "wrong for {len} words");
    }
    Ok(())
}

fn accumulate_sums(gpu: &Gpu, kernels: &LoadedKernels) -> Result<()> {
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let (from, mut to) = (gpu.stream.clone_htod(&x)?, gpu.stream.alloc_zeros::<f32>(288)?);
    kernels.kernel(example_kernels::accumulate_sums)?.launch(&gpu.stream, 1, (&from, &mut to))?;
    gpu.wait()?;
    for (thread, sum) in gpu.stream.clone_dtoh(&to)?.into_iter().enumerate() {
        let of_thread: Vec<f32> = x.iter().copied().skip(thread).step_by(288).collect();
        let want: f32 =
            (0..96).map(|k| (k + 1) as f32 * of_thread.iter().map(|x| x + k as f32).sum::<f32>()).sum();
        ensure!((sum - want).abs() <= 1e-5 * want, "thread {thread}: {sum} for {want}");
    }
    Ok(())
}
