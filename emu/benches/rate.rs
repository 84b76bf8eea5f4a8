//! `cargo bench -p ptx-emu`: thread-instructions a second on one processor, unchecked and checked, of `axpy` and `axpy_bulk` of
//! `kernels/` and of two kernels that nvcc has compiled; and the memory of a grid that fills the device. The rates are those of
//! the processor's time: other programs do not count.

use std::error::Error;
use std::time::Instant;

use ptx_emu::{Device, Launch, Options, Schedule, lay_out};
use xtask::device::{Arch, Build};

/// A kernel with its dynamic shared memory.
const KERNELS: [(&str, u32); 2] = [("axpy", 0), ("axpy_bulk", 57360 + 128)];
const THREADS: u32 = 256;
const SCHEDULES: u64 = 8;
/// Blocks that a device has at a time.
const RESIDENT: u32 = 132;

fn main() -> Result<(), Box<dyn Error>> {
    // `cargo test` runs benchmarks too, to see that they run.
    let (n, schedules) =
        if std::env::args().any(|word| word == "--bench") { (200_000, SCHEDULES) } else { (5000, 1) };
    let ptx = Build::new("kernels", Arch::Sm90a).run().map_err(|error| format!("{error:#}"))?.text;
    for kernel in KERNELS {
        for check in [false, true] {
            let (mut instructions, mut seconds) = (0, 0.0);
            for number in 0..schedules {
                let (executed, took) = run(&ptx, kernel, 4, n, &options(number, check))?;
                instructions += executed;
                seconds += took;
            }
            let what = if check { "checked" } else { "unchecked" };
            println!(
                "{:10} {what:10} {:6.1} million thread-instructions a second",
                kernel.0,
                instructions as f64 / seconds / 1e6
            );
        }
    }
    for kernel in ["vector_add", "matrix_product"] {
        for check in [false, true] {
            let (instructions, seconds) = run_nvcc(kernel, n, check)?;
            let what = if check { "checked" } else { "unchecked" };
            println!(
                "{kernel:14} {what:10} {:6.1} million thread-instructions a second",
                instructions as f64 / seconds / 1e6
            );
        }
    }
    for kernel in KERNELS {
        run(&ptx, kernel, RESIDENT, 5 * n, &options(0, true))?;
        let most = peak().map_or("unknown".into(), |kib| format!("{:.2} GB", kib as f64 * 1024.0 / 1e9));
        println!("{:10} {RESIDENT} blocks of {THREADS} threads, checked: {most} of memory at most", kernel.0);
    }
    Ok(())
}

fn options(number: u64, check: bool) -> Options {
    Options { schedule: Schedule::of(number), check, ..Options::default() }
}

/// Runs a kernel on `n` elements, and returns its instructions and the seconds that they took.
fn run(
    ptx: &str,
    (kernel, dynamic_shared): (&str, u32),
    blocks: u32,
    n: usize,
    options: &Options,
) -> Result<(u64, f64), Box<dyn Error>> {
    let mut device = Device::new();
    let module = device.load(ptx)?;
    let mut upload = |factor: f32| {
        let bytes: Vec<u8> = (0..n).flat_map(|i| (factor * i as f32).to_le_bytes()).collect();
        let address = device.allocate(bytes.len());
        device.write(address, &bytes).map(|()| address).ok_or("the memory is allocated")
    };
    let (x, y) = (upload(1.0)?, upload(2.0)?);
    let slice = |address: u64| [address, n as u64].map(u64::to_le_bytes).concat();
    let arguments = [&3f32.to_le_bytes()[..], &slice(x), &slice(y), &(n as u64).to_le_bytes()];
    let params = lay_out(module.parameters(kernel).ok_or("the module has the kernel")?, &arguments);
    let launch = Launch { dynamic_shared, params, ..Launch::new(blocks, THREADS) };
    let start = (Instant::now(), processor_time());
    let report = device.launch(&module, kernel, &launch, options)?;
    let wall = start.0.elapsed().as_secs_f64();
    let seconds = start.1.zip(processor_time()).map_or(wall, |(start, end)| (end - start) as f64 / 1e9);
    let mut got = vec![0; 4 * n];
    device.read(y, &mut got).ok_or("the memory is allocated")?;
    let is_right = |(i, bytes): (usize, &[u8])| bytes == (3.0 * i as f32 + 2.0 * i as f32).to_le_bytes();
    if !report.is_clean() || !got.chunks(4).enumerate().all(is_right) {
        return Err(format!("{kernel} is wrong: {report}").into());
    }
    Ok((report.instructions, seconds))
}

/// Runs a kernel of `nvcc.ptx` on about `n` elements, and returns its instructions and the seconds that they took.
fn run_nvcc(kernel: &str, n: usize, check: bool) -> Result<(u64, f64), Box<dyn Error>> {
    let mut device = Device::new();
    let module = device.load(include_str!("nvcc.ptx"))?;
    let extent = n.isqrt().next_multiple_of(64) / 4;
    let (elements, last, shape) = match kernel {
        "vector_add" => (n, n, Launch::new((n as u32).div_ceil(256), 256)),
        _ => {
            let tiles = extent as u32 / 16;
            let launch = Launch { grid: [tiles, tiles, 1], block: [16, 16, 1], ..Launch::new(1, 1) };
            (extent * extent, extent, launch)
        }
    };
    let ones: Vec<u8> = (0..elements).flat_map(|_| 1f32.to_le_bytes()).collect();
    let memory: [u64; 3] = std::array::from_fn(|_| device.allocate(ones.len()));
    for address in memory {
        device.write(address, &ones).ok_or("the memory is allocated")?;
    }
    let [a, b, c] = memory.map(u64::to_le_bytes);
    let arguments = [&a[..], &b, &c, &(last as u32).to_le_bytes()];
    let params = lay_out(module.parameters(kernel).ok_or("the module has the kernel")?, &arguments);
    let start = (Instant::now(), processor_time());
    let report = device.launch(&module, kernel, &Launch { params, ..shape }, &options(0, check))?;
    let wall = start.0.elapsed().as_secs_f64();
    let seconds = start.1.zip(processor_time()).map_or(wall, |(start, end)| (end - start) as f64 / 1e9);
    let mut got = vec![0; ones.len()];
    device.read(memory[2], &mut got).ok_or("the memory is allocated")?;
    let wanted = if kernel == "vector_add" { 2.0 } else { extent as f32 };
    if !report.is_clean() || got.chunks(4).any(|bytes| bytes != wanted.to_le_bytes()) {
        return Err(format!("{kernel} is wrong: {report}").into());
    }
    Ok((report.instructions, seconds))
}

/// The nanoseconds that this process has run.
fn processor_time() -> Option<u64> {
    std::fs::read_to_string("/proc/self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// The most memory that this process has had, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}
