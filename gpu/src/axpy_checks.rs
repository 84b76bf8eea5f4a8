//! Checks of `axpy_bulk`: results for many lengths and seeds and for a file, refused launches, and bandwidth.

use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::cudarc::driver::{CudaSlice, PinnedHostSlice};
use serde_json::json;

use crate::axpy_bulk::{AxpyBulk, Error as LaunchError, Shape};
use crate::check::{Check, Finding, Gpu};
use crate::data;
use crate::entry::Loaded;
use crate::image::{self, Image};
use crate::options::Options;

/// Largest length: 1 GiB per array, and an incomplete tile.
const LARGE: usize = (1 << 28) + 5;
/// Largest length with `--quick`: many rounds of all stages.
const QUICK: usize = (1 << 24) + 5;
/// Largest length on an emulated device: several rounds of all stages of its blocks.
const EMULATED: usize = (1 << 15) + 5;
/// Multiprocessors of an emulated device that the launches use.
const EMULATED_MULTIPROCESSORS: u32 = 2;
/// Lengths around zero, a tile and a power of two.
const LENGTHS: [usize; 12] = [0, 1, 2, 3, 4, 5, 4092, 4095, 4096, 4097, 8191, 1 << 20];
/// Elements before and after each array that must stay unchanged.
const GUARD: usize = 1024;
/// A NaN. An element that is read by mistake makes the result NaN; an element that is overwritten has other bits.
const GUARD_BITS: u32 = 0x7fc0_dead;
/// Starts of x and y, in elements past a 256-byte boundary. All are multiples of 16 bytes.
const OFFSETS: [(usize, usize); 3] = [(0, 0), (4, 12), (60, 8)];
const MAX_OFFSET: usize = 64;

pub fn list(options: &Options) -> Result<Vec<Check>> {
    let shape = Shape { ctas_per_sm: options.ctas_per_sm, ..Shape::SHIPPED };
    image::for_each(options, "axpy_bulk", |image| list_for(options, &image, shape))
}

fn list_for(options: &Options, image: &Image, shape: Shape) -> Vec<Check> {
    let name = |task: &str| format!("axpy_bulk/{task}/{}", image.label);
    let multiprocessors = options.emulated.then_some(EMULATED_MULTIPROCESSORS);
    let load = {
        let image = image.path.clone();
        move |gpu: &Gpu| load(gpu, &image, "axpy_bulk", shape, multiprocessors)
    };
    let seeds = options.seeds();
    let largest = match options {
        _ if options.emulated => EMULATED,
        _ if options.quick => QUICK,
        _ => LARGE,
    };
    let long = if options.emulated { 1 << 12 } else { largest };
    let (repetitions, min_ratio) = (options.repetitions(), options.min_ratio);

    let mut checks = vec![
        Check::new(name("refusals"), options, {
            let load = load.clone();
            move |gpu| check_refusals(gpu, &load(gpu)?)
        }),
        Check::new(name("lengths"), options, {
            let load = load.clone();
            move |gpu| check_lengths(gpu, &load(gpu)?, largest, long)
        }),
        Check::new(name("seeds"), options, {
            let load = load.clone();
            move |gpu| check_seeds(gpu, &load(gpu)?, largest, seeds)
        })
        .at_least(crate::check::OVERHEAD + (options.timeout() + Duration::from_secs(10)) * seeds),
    ];
    if let Some(file) = options.file.clone() {
        let load = load.clone();
        checks.push(Check::new(name("file"), options, move |gpu| check_file(gpu, &load(gpu)?, &file)));
    }
    if options.emulated || image.build() != image::SHIPPED {
        return checks;
    }
    checks.push(Check::new(name("bandwidth"), options, move |gpu| {
        let speed = Speed::measure(gpu, &load(gpu)?, repetitions)?;
        ensure!(speed.ratio() >= min_ratio, "{speed} is below the required ratio of {min_ratio}");
        Ok(speed.into())
    }));
    checks
}

/// Checks the results, then measures the bandwidth. The sweep calls this function for each variant.
pub fn check_and_measure(
    gpu: &Gpu,
    image: &Path,
    name: &str,
    shape: Shape,
    repetitions: usize,
) -> Result<Finding> {
    let kernel = load(gpu, image, name, shape, None)?;
    check_lengths(gpu, &kernel, QUICK, QUICK)?;
    let speed = Speed::measure(gpu, &kernel, repetitions)?;
    Ok(speed.into())
}

/// Loads the kernel for a device with `multiprocessors` multiprocessors, or else for this device.
fn load(gpu: &Gpu, image: &Path, name: &str, shape: Shape, multiprocessors: Option<u32>) -> Result<AxpyBulk> {
    let multiprocessors = multiprocessors.map_or_else(|| gpu.multiprocessors(), Ok)?;
    let is_twin = image.to_string_lossy().contains("-nvcc.");
    let kernel = Loaded::read(gpu, image, is_twin)?.kernel_by_name(name)?;
    // The variants of a sweep have launches of any block, and so the parameters of the twin.
    let takes_addresses = is_twin || name != "axpy_bulk";
    // SAFETY: `./x` gives this file name to the kernel built with this shape.
    Ok(unsafe { AxpyBulk::new(kernel, takes_addresses, shape, multiprocessors) })
}

/// Position of the arrays of a run.
#[derive(Clone, Copy)]
struct Place {
    n: usize,
    x_offset: usize,
    y_offset: usize,
}

impl Place {
    fn aligned(n: usize) -> Self {
        Self { n, x_offset: 0, y_offset: 0 }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "n = {}, x and y {} and {} elements past the alignment",
            self.n, self.x_offset, self.y_offset
        )
    }
}

/// Host and device buffers for runs of up to a fixed number of elements.
struct Bench<'a> {
    gpu: &'a Gpu,
    kernel: &'a AxpyBulk,
    x: CudaSlice<f32>,
    y: CudaSlice<f32>,
    host_x: Pinned,
    host_y: Pinned,
    result: Pinned,
}

/// Page-locked memory that is never freed: freeing would wait for a kernel that hangs, and the process ends with its check.
type Pinned = ManuallyDrop<PinnedHostSlice<f32>>;

fn pinned(gpu: &Gpu, len: usize) -> Result<Pinned> {
    // The host reads this memory too, so it is not write-combined. The driver cannot allocate zero elements. SAFETY: the next
    // line fills the memory.
    let mut memory = unsafe { gpu.context.alloc_pinned_with_flags(len.max(1), 0)? };
    memory.as_mut_slice()?.fill(0.0);
    Ok(ManuallyDrop::new(memory))
}

impl<'a> Bench<'a> {
    fn new(gpu: &'a Gpu, kernel: &'a AxpyBulk, longest: usize) -> Result<Self> {
        let with_guards = longest + 2 * GUARD;
        Ok(Self {
            gpu,
            kernel,
            x: gpu.stream.alloc_zeros(with_guards + MAX_OFFSET)?,
            y: gpu.stream.alloc_zeros(with_guards + MAX_OFFSET)?,
            host_x: pinned(gpu, longest)?,
            host_y: pinned(gpu, longest)?,
            result: pinned(gpu, with_guards)?,
        })
    }

    fn run_random(&mut self, place: Place, seed: u64) -> Result<()> {
        data::fill_random(&mut self.host_x.as_mut_slice()?[..place.n], 2 * seed);
        data::fill_random(&mut self.host_y.as_mut_slice()?[..place.n], 2 * seed + 1);
        self.run(place, data::random(seed)).with_context(|| format!("{place}, seed {seed}"))
    }

    /// Runs the kernel on `host_x` and `host_y`, then checks every result and every element that must stay unchanged.
    fn run(&mut self, place: Place, a: f32) -> Result<()> {
        let n = place.n;
        let (x_start, y_start) = (GUARD + place.x_offset, GUARD + place.y_offset);
        let (host_x, host_y) = (&self.host_x.as_slice()?[..n], &self.host_y.as_slice()?[..n]);
        upload_guarded(self.gpu, &mut self.x, x_start, host_x)?;
        upload_guarded(self.gpu, &mut self.y, y_start, host_y)?;

        let x = self.x.slice(x_start..x_start + n);
        let mut y = self.y.slice_mut(y_start..y_start + n);
        self.kernel.launch(&self.gpu.stream, a, &x, &mut y, n)?;
        // The copies from page-locked memory are under way until this wait returns.
        self.gpu.wait()?;

        let result = &mut self.result.as_mut_slice()?[..n + 2 * GUARD];
        let guarded = self.y.slice(y_start - GUARD..y_start + n + GUARD);
        self.gpu.stream.memcpy_dtoh(&guarded, result)?;
        self.gpu.wait()?;
        check_guards(result, n)?;
        data::check_axpy(a, host_x, host_y, &result[GUARD..GUARD + n])
    }
}

fn guards() -> [f32; GUARD] {
    [f32::from_bits(GUARD_BITS); GUARD]
}

fn upload_guarded(gpu: &Gpu, memory: &mut CudaSlice<f32>, start: usize, values: &[f32]) -> Result<()> {
    let end = start + values.len();
    gpu.stream.memcpy_htod(&guards(), &mut memory.slice_mut(start - GUARD..start))?;
    gpu.stream.memcpy_htod(values, &mut memory.slice_mut(start..end))?;
    gpu.stream.memcpy_htod(&guards(), &mut memory.slice_mut(end..end + GUARD))?;
    Ok(())
}

/// Fails if the kernel wrote an element outside the `n` results.
fn check_guards(result: &[f32], n: usize) -> Result<()> {
    let spoilt = (0..GUARD).chain(GUARD + n..result.len()).find(|&i| result[i].to_bits() != GUARD_BITS);
    match spoilt {
        None => Ok(()),
        Some(i) => bail!("y[{}] of {n} was written: it holds {}", i as isize - GUARD as isize, result[i]),
    }
}

/// Checks lengths up to `largest`: those below `long` at several positions.
fn check_lengths(gpu: &Gpu, kernel: &AxpyBulk, largest: usize, long: usize) -> Result<Finding> {
    let lengths = lengths(kernel.shape(), kernel.round_len(), largest);
    let mut bench = Bench::new(gpu, kernel, largest)?;
    let mut runs = 0;
    for &n in &lengths {
        let places = OFFSETS.map(|(x_offset, y_offset)| Place { n, x_offset, y_offset });
        // The largest lengths take most of the time, and their position changes nothing.
        for &place in if n >= long { &places[..1] } else { &places[..] } {
            runs += 1;
            bench.run_random(place, runs)?;
        }
    }
    Ok(format!("{} lengths from 0 to {largest}, {runs} runs, every element right", lengths.len()).into())
}

/// Returns the fixed lengths, and lengths at and next to multiples of this kernel's tiles, rounds and stages.
fn lengths(shape: Shape, round: usize, largest: usize) -> Vec<usize> {
    let (tile, ring) = (shape.tile_len(), round * shape.stages as usize);
    let around = [tile, 2 * tile, round, ring, ring + round].into_iter().flat_map(|n| [n - 1, n, n + 1]);
    let mut lengths: Vec<_> = LENGTHS.into_iter().chain(around).filter(|&n| n < largest).collect();
    lengths.push(largest);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn check_seeds(gpu: &Gpu, kernel: &AxpyBulk, n: usize, seeds: u32) -> Result<Finding> {
    let mut bench = Bench::new(gpu, kernel, n)?;
    for seed in 1..=seeds {
        bench.run_random(Place::aligned(n), 1000 + u64::from(seed))?;
    }
    Ok(format!("{seeds} seeds of {n} elements, every element right").into())
}

fn check_file(gpu: &Gpu, kernel: &AxpyBulk, path: &Path) -> Result<Finding> {
    const A: f32 = 1.5;
    let x = data::read_floats(path)?;
    let n = x.len();
    let mut bench = Bench::new(gpu, kernel, n)?;
    bench.host_x.as_mut_slice()?[..n].copy_from_slice(&x);
    let y = &mut bench.host_y.as_mut_slice()?[..n];
    y.copy_from_slice(&x);
    y.rotate_left(n / 3);
    bench.run(Place::aligned(n), A)?;
    let result = &bench.result.as_slice()?[GUARD..GUARD + n];
    let nans = result.iter().filter(|value| value.is_nan()).count();
    let infinite = result.iter().filter(|value| value.is_infinite()).count();
    let sum: f64 = result.iter().filter(|value| value.is_finite()).map(|&value| f64::from(value)).sum();
    Ok(Finding {
        detail: format!("{n} floats of {}, every element right; {nans} NaN", path.display()),
        data: json!({ "elements": n, "nan": nans, "infinite": infinite, "sum_of_finite": sum }),
    })
}

fn check_refusals(gpu: &Gpu, kernel: &AxpyBulk) -> Result<Finding> {
    const N: usize = 4096;
    let x = gpu.stream.clone_htod(&[1.0f32; N + 4])?;
    let mut y = gpu.stream.clone_htod(&[2.0f32; N + 4])?;
    let mut refuse = |x_start: usize, y_start: usize, n: usize| -> Result<LaunchError> {
        let x = x.slice(x_start..x_start + N);
        match kernel.launch(&gpu.stream, 3.0, &x, &mut y.slice_mut(y_start..y_start + N), n) {
            Ok(()) => bail!(
                "x at element {x_start}, y at {y_start}, n = {n} was launched; the launch must be refused"
            ),
            Err(refusal) => Ok(refusal),
        }
    };
    for off in 1..4 {
        for (x_start, y_start) in [(off, 0), (0, off), (off, off)] {
            let refusal = refuse(x_start, y_start, N)?;
            ensure!(
                matches!(refusal, LaunchError::Misaligned { .. }),
                "refused with another error: {refusal}"
            );
        }
    }
    let refusal = refuse(0, 0, N + 1)?;
    ensure!(matches!(refusal, LaunchError::TooShort { .. }), "refused with another error: {refusal}");
    gpu.wait()?;
    ensure!(gpu.stream.clone_dtoh(&y)? == [2.0; N + 4], "a refused launch changed y");
    Ok("misaligned x or y and a too large n are refused, y is unchanged".to_owned().into())
}

/// Bandwidths of the kernel and of a device-to-device copy, measured alternately.
struct Speed {
    /// Bandwidth of each repetition in GB/s; bytes read and bytes written count.
    axpy: Vec<f64>,
    copy: Vec<f64>,
    registers: u32,
    local_bytes: u32,
}

impl Speed {
    fn measure(gpu: &Gpu, kernel: &AxpyBulk, repetitions: usize) -> Result<Self> {
        const WARM_UP: usize = 5;
        const WORD: usize = size_of::<f32>();
        let n = LARGE;
        // The kernel reads two arrays and writes one. A copy of one and a half arrays moves the same number of bytes, to within
        // 16.
        let copied = (3 * n / 2).next_multiple_of(4);
        let stream = &gpu.stream;
        let mut host = pinned(gpu, n)?;
        data::fill_random(host.as_mut_slice()?, 1);
        let x = stream.clone_htod(&*host)?;
        let (mut from, mut to) = (stream.alloc_zeros::<f32>(copied)?, stream.alloc_zeros::<f32>(copied)?);
        stream.memcpy_dtod(&x, &mut from.slice_mut(0..n))?;
        stream.memcpy_dtod(&x.slice(..copied - n), &mut from.slice_mut(n..copied))?;
        // `as_mut_slice` waits for the copy from the page-locked memory.
        data::fill_random(host.as_mut_slice()?, 2);
        let mut y = stream.clone_htod(&*host)?;

        let mut times = Vec::with_capacity(repetitions);
        for repetition in 0..WARM_UP + repetitions {
            let start = gpu.record()?;
            kernel.launch(stream, 0.5, &x.as_view(), &mut y.as_view_mut(), n)?;
            let middle = gpu.record()?;
            stream.memcpy_dtod(&from, &mut to)?;
            let end = gpu.record()?;
            if repetition >= WARM_UP {
                times.push((start, middle, end));
            }
        }
        gpu.wait()?;

        let rate = |bytes: usize, milliseconds: f32| bytes as f64 / f64::from(milliseconds) / 1e6;
        let used = kernel.kernel().attributes();
        let mut speed = Self {
            axpy: Vec::new(),
            copy: Vec::new(),
            registers: used.registers,
            local_bytes: used.local_bytes,
        };
        for (start, middle, end) in times {
            speed.axpy.push(rate(3 * n * WORD, start.elapsed_ms(&middle)?));
            speed.copy.push(rate(2 * copied * WORD, middle.elapsed_ms(&end)?));
        }
        Ok(speed)
    }

    fn ratio(&self) -> f64 {
        data::median(&self.axpy) / data::median(&self.copy)
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.1} GB/s, copy {:.1} GB/s, ratio {:.4} (medians of {})",
            data::median(&self.axpy),
            data::median(&self.copy),
            self.ratio(),
            self.axpy.len()
        )
    }
}

impl From<Speed> for Finding {
    fn from(speed: Speed) -> Self {
        Self {
            detail: speed.to_string(),
            data: json!({
                "ratio": speed.ratio(),
                "axpy_gbs": data::median(&speed.axpy),
                "copy_gbs": data::median(&speed.copy),
                "registers": speed.registers,
                "local_bytes": speed.local_bytes,
                "axpy_samples": speed.axpy,
                "copy_samples": speed.copy,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bars_lengths_are_all_run() {
        let lengths = lengths(Shape::SHIPPED, 132 * 4096, LARGE);
        for n in [0, 1, 3, 4095, 4096, 4097, 1 << 20, LARGE] {
            assert!(lengths.contains(&n), "{n}");
        }
        assert!(
            lengths.contains(&(132 * 4096 * 3 + 1)),
            "a length just above all stages of all blocks is missing"
        );
        assert!(lengths.is_sorted() && lengths.last() == Some(&LARGE));
    }

    #[test]
    fn offsets_keep_the_alignment_that_bulk_copies_need() {
        for (x, y) in OFFSETS {
            assert!(x % 4 == 0 && y % 4 == 0 && x.max(y) <= MAX_OFFSET);
        }
    }

    #[test]
    fn a_touched_guard_is_found_on_either_side() {
        let mut result = [guards().as_slice(), &[1.0, 2.0], &guards()].concat();
        check_guards(&result, 2).unwrap();
        result[GUARD + 2] = 0.0;
        assert_eq!(check_guards(&result, 2).unwrap_err().to_string(), "y[2] of 2 was written: it holds 0");
        result[GUARD - 1] = 5.0;
        assert_eq!(check_guards(&result, 2).unwrap_err().to_string(), "y[-1] of 2 was written: it holds 5");
    }
}
