//! Checks of `axpy_bulk`: results for many lengths and seeds and for a file, refused launches, and bandwidth.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use ptx_host::bench::median;
use serde_json::json;

use crate::axpy_bulk::{Array, AxpyBulk, Error as LaunchError};
use crate::check::{self, Check, Finding};
use crate::data;
use crate::device::Device;
use crate::gpu::Gpu;
use crate::image::{self, Image, NVCC};
use crate::memory::address;
use crate::options::Options;
use crate::shape::Shape;

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
const GUARD_VALUE: f32 = f32::from_bits(0x7fc0_dead);
/// Starts of x and y, in elements past a 256-byte boundary. All are multiples of 16 bytes.
const OFFSETS: [(usize, usize); 3] = [(0, 0), (4, 12), (60, 8)];

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    check::for_each(options, "axpy_bulk", |image| list_for(options, &image))
}

fn shape(options: &Options) -> Shape {
    Shape { ctas_per_sm: options.ctas_per_sm, ..Shape::SHIPPED }
}

fn list_for<D: Device>(options: &Options, image: &Image) -> Vec<Check<D>> {
    let name = |task: &str| format!("axpy_bulk/{task}/{}", image.label);
    let multiprocessors = options.is_emulated().then_some(EMULATED_MULTIPROCESSORS);
    let load = {
        let (image, shape) = (image.clone(), shape(options));
        move |device: &D| {
            let multiprocessors = multiprocessors.map_or_else(|| device.multiprocessors(), Ok)?;
            load(device, &image, "axpy_bulk", shape, multiprocessors)
        }
    };
    let seeds = options.seeds();
    let largest = match options {
        _ if options.is_emulated() => EMULATED,
        _ if options.quick => QUICK,
        _ => LARGE,
    };
    let long = if options.is_emulated() { 1 << 12 } else { largest };
    let mut checks = vec![
        Check::new(name("refusals"), options, {
            let load = load.clone();
            move |device: &D| check_refusals(device, &load(device)?)
        }),
        Check::new(name("lengths"), options, {
            let load = load.clone();
            move |device: &D| check_lengths(device, &load(device)?, largest, long)
        }),
        Check::new(name("seeds"), options, {
            let load = load.clone();
            move |device: &D| check_seeds(device, &load(device)?, largest, seeds)
        })
        .at_least(crate::check::OVERHEAD + (options.timeout() + Duration::from_secs(10)) * seeds),
    ];
    if let Some(file) = options.file.clone() {
        let load = load.clone();
        let run = move |device: &D| check_file(device, &load(device)?, &file);
        checks.push(Check::new(name("file"), options, run));
    }
    checks
}

/// Makes the checks of the bandwidth, which a GPU alone has.
pub fn bandwidth(options: &Options) -> Result<Vec<Check>> {
    let (shape, repetitions, min_ratio) = (shape(options), options.repetitions(), options.min_ratio);
    check::for_each(options, "axpy_bulk", |image| {
        if options.is_emulated() || image.build() != image::SHIPPED {
            return Vec::new();
        }
        vec![Check::new(format!("axpy_bulk/bandwidth/{}", image.label), options, move |gpu: &Gpu| {
            let kernel = load(gpu, &image, "axpy_bulk", shape, gpu.multiprocessors()?)?;
            let speed = Speed::measure(gpu, &kernel, repetitions)?;
            ensure!(speed.ratio() >= min_ratio, "{speed} is below the required ratio of {min_ratio}");
            Ok(speed.into())
        })]
    })
}

/// Checks the results, then measures the bandwidth. The sweep calls this function for each variant.
pub fn check_and_measure(
    gpu: &Gpu,
    image: &Image,
    name: &str,
    shape: Shape,
    repetitions: usize,
) -> Result<Finding> {
    let kernel = load(gpu, image, name, shape, gpu.multiprocessors()?)?;
    check_lengths(gpu, &kernel, QUICK, QUICK)?;
    let speed = Speed::measure(gpu, &kernel, repetitions)?;
    Ok(speed.into())
}

/// Loads the kernel for a launch on this number of multiprocessors.
fn load<D: Device>(
    device: &D,
    image: &Image,
    name: &str,
    shape: Shape,
    multiprocessors: u32,
) -> Result<AxpyBulk<D>> {
    let kernel = D::function(&device.load(image)?, name)?;
    // The variants of a sweep have launches of any block, and so the parameters of the twin.
    let takes_addresses = image.build() == NVCC || name != "axpy_bulk";
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

/// Runs the kernel on pseudorandom arrays.
fn run_random<D: Device>(device: &D, kernel: &AxpyBulk<D>, place: Place, seed: u64) -> Result<()> {
    let (mut x, mut y) = (vec![0.0; place.n], vec![0.0; place.n]);
    data::fill_random(&mut x, 2 * seed);
    data::fill_random(&mut y, 2 * seed + 1);
    let result = run(device, kernel, place, data::random(seed), &x, &y);
    result.map(drop).with_context(|| format!("{place}, seed {seed}"))
}

/// Runs the kernel on these arrays, checks every result and every element that must stay unchanged, and returns the results.
fn run<D: Device>(
    device: &D,
    kernel: &AxpyBulk<D>,
    place: Place,
    a: f32,
    x: &[f32],
    y: &[f32],
) -> Result<Vec<f32>> {
    let n = place.n;
    let upload = |offset: usize, values: &[f32]| {
        device.memory(&[&guards()[..], &vec![GUARD_VALUE; offset], values, &guards()].concat())
    };
    let (from, to) = (upload(place.x_offset, x)?, upload(place.y_offset, y)?);
    let array = |name, memory, offset: usize| Array {
        name,
        address: D::address(memory) + ((GUARD + offset) * size_of::<f32>()) as u64,
        len: n,
    };
    let arrays = (array("x", &from, place.x_offset), array("y", &to, place.y_offset));
    // SAFETY: both arrays are memory of this function, and nothing else uses them.
    unsafe { kernel.launch(device, a, arrays.0, arrays.1, n)? };
    let mut result = device.to_vec(&to)?;
    result.drain(..place.y_offset);
    check_guards(&result, n)?;
    let result = result[GUARD..GUARD + n].to_vec();
    data::check_axpy(a, x, y, &result)?;
    Ok(result)
}

fn guards() -> [f32; GUARD] {
    [GUARD_VALUE; GUARD]
}

/// Fails if the kernel wrote an element outside the `n` results.
fn check_guards(result: &[f32], n: usize) -> Result<()> {
    let is_spoilt = |&i: &usize| result[i].to_bits() != GUARD_VALUE.to_bits();
    match (0..GUARD).chain(GUARD + n..result.len()).find(is_spoilt) {
        None => Ok(()),
        Some(i) => bail!("y[{}] of {n} was written: it holds {}", i as isize - GUARD as isize, result[i]),
    }
}

/// Checks lengths up to `largest`: those below `long` at several positions.
fn check_lengths<D: Device>(
    device: &D,
    kernel: &AxpyBulk<D>,
    largest: usize,
    long: usize,
) -> Result<Finding> {
    let lengths = lengths(kernel.shape(), kernel.round_len(), largest);
    let mut runs = 0;
    for &n in &lengths {
        let places = OFFSETS.map(|(x_offset, y_offset)| Place { n, x_offset, y_offset });
        // The largest lengths take most of the time, and their position changes nothing.
        for &place in if n >= long { &places[..1] } else { &places[..] } {
            runs += 1;
            run_random(device, kernel, place, runs)?;
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

fn check_seeds<D: Device>(device: &D, kernel: &AxpyBulk<D>, n: usize, seeds: u32) -> Result<Finding> {
    for seed in 1..=seeds {
        run_random(device, kernel, Place::aligned(n), 1000 + u64::from(seed))?;
    }
    Ok(format!("{seeds} seeds of {n} elements, every element right").into())
}

fn check_file<D: Device>(device: &D, kernel: &AxpyBulk<D>, path: &Path) -> Result<Finding> {
    const A: f32 = 1.5;
    let x = data::read_floats(path)?;
    let n = x.len();
    let mut y = x.clone();
    y.rotate_left(n / 3);
    let result = run(device, kernel, Place::aligned(n), A, &x, &y)?;
    let nans = result.iter().filter(|value| value.is_nan()).count();
    let infinite = result.iter().filter(|value| value.is_infinite()).count();
    let sum: f64 = result.iter().filter(|value| value.is_finite()).map(|&value| f64::from(value)).sum();
    Ok(Finding {
        detail: format!("{n} floats of {}, every element right; {nans} NaN", path.display()),
        data: json!({ "elements": n, "nan": nans, "infinite": infinite, "sum_of_finite": sum }),
    })
}

fn check_refusals<D: Device>(device: &D, kernel: &AxpyBulk<D>) -> Result<Finding> {
    const N: usize = 4096;
    let x = device.memory(&[1.0f32; N + 4])?;
    let y = device.memory(&[2.0f32; N + 4])?;
    let refuse = |x_start: u64, y_start: u64, n: usize| -> Result<LaunchError> {
        let array = |name, memory, start| Array { name, address: D::address(memory) + 4 * start, len: N };
        let arrays = (array("x", &x, x_start), array("y", &y, y_start));
        // SAFETY: both arrays are memory of this function, and nothing else uses them.
        match unsafe { kernel.launch(device, 3.0, arrays.0, arrays.1, n) } {
            Ok(()) => bail!(
                "x at element {x_start}, y at {y_start}, n = {n} was launched; the launch must be refused"
            ),
            Err(error) => error.downcast(),
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
    ensure!(device.to_vec(&y)? == [2.0; N + 4], "a refused launch changed y");
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
    fn measure(gpu: &Gpu, kernel: &AxpyBulk<Gpu>, repetitions: usize) -> Result<Self> {
        const WARM_UP: usize = 5;
        const WORD: usize = size_of::<f32>();
        let n = LARGE;
        // The kernel reads two arrays and writes one. A copy of one and a half arrays moves the same number of bytes, to within
        // 16.
        let copied = (3 * n / 2).next_multiple_of(4);
        let stream = &gpu.stream;
        let mut host = vec![0.0; n];
        data::fill_random(&mut host, 1);
        let x = stream.clone_htod(&host)?;
        let (mut from, mut to) = (stream.alloc_zeros::<f32>(copied)?, stream.alloc_zeros::<f32>(copied)?);
        stream.memcpy_dtod(&x, &mut from.slice_mut(0..n))?;
        stream.memcpy_dtod(&x.slice(..copied - n), &mut from.slice_mut(n..copied))?;
        data::fill_random(&mut host, 2);
        let y = stream.clone_htod(&host)?;
        let array = |name, memory| Array { name, address: address(memory), len: n };
        let arrays = (array("x", &x), array("y", &y));

        let mut times = Vec::with_capacity(repetitions);
        for repetition in 0..WARM_UP + repetitions {
            let start = gpu.record()?;
            // SAFETY: both arrays are memory of this function, and all work is on one stream.
            unsafe { kernel.launch(gpu, 0.5, arrays.0, arrays.1, n)? };
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
        median(&self.axpy) / median(&self.copy)
    }
}

impl std::fmt::Display for Speed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.1} GB/s, copy {:.1} GB/s, ratio {:.4} (medians of {})",
            median(&self.axpy),
            median(&self.copy),
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
                "axpy_gbs": median(&speed.axpy),
                "copy_gbs": median(&speed.copy),
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
            assert!(x % 4 == 0 && y % 4 == 0);
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
