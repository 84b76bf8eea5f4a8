//! Checks of kernels that are launched by their types: `tests/device/launch`, `tests/device/print`, and the examples.

use anyhow::{Result, ensure};
use ptx_host::bench::Bench;
use ptx_host::cudarc::driver::CudaSlice;
use ptx_host::{Matrix, Reset, Tensor};

use crate::check::{self, Check, Finding};
use crate::device::Device;
use crate::entry::Loaded;
use crate::gpu::Gpu;
use crate::host_checks::expect_error;
use crate::kernels::input;
use crate::library_checks::{small_floats, softmax};
use crate::options::Options;
use crate::output::with_output;

type Run<D> = fn(&D, &<D as Device>::Loaded) -> Result<()>;

/// A crate, with the check of each of its kernels.
type Crate<D> = (&'static str, Vec<(&'static str, Run<D>)>);

/// Returns the crates.
fn crates<D: Device>() -> [Crate<D>; 3] {
    [
        (
            "launch",
            vec![
                ("axpy", axpy),
                ("blur", blur),
                ("copy_boxes", copy_boxes),
                ("add_rows", add_rows),
                ("fill", fill),
            ],
        ),
        (
            "print",
            vec![
                ("print_in_a_branch", print_in_a_branch),
                ("print_all", print_all),
                ("panic_at_an_index", panic_at_an_index),
            ],
        ),
        (
            "examples",
            vec![
                ("add_vectors", add_vectors),
                ("softmax_rows", softmax_rows),
                ("transpose", transpose),
                ("count_bytes", count_bytes),
                ("accumulate_sums", accumulate_sums),
            ],
        ),
    ]
}

pub fn list<D: Device>(options: &Options) -> Result<Vec<Check<D>>> {
    let mut checks = Vec::new();
    for (name, kernels) in crates::<D>() {
        checks.extend(check::for_each_of_crate(options, name, |image| {
            let of = |&(kernel, run): &(&'static str, Run<D>)| {
                let image = image.clone();
                Check::new(format!("{name}/{}/{kernel}", image.label), options, move |device: &D| {
                    let loaded = device.load(&image)?;
                    device.on_queue(|device| run(device, &loaded))?;
                    Ok(Finding::default())
                })
            };
            kernels.iter().map(of).collect()
        })?);
    }
    Ok(checks)
}

/// Returns the checks that need a driver.
pub fn of_driver(options: &Options) -> Result<Vec<Check>> {
    check::for_each_of_crate(options, "launch", |image| {
        let of = |name: &str, run: fn(&Gpu, &Loaded) -> Result<Finding>| {
            let image = image.clone();
            Check::new(format!("launch/{}/{name}", image.label), options, move |gpu: &Gpu| {
                run(gpu, &gpu.load(&image)?)
            })
        };
        vec![of("bench", bench), of("resets", resets)]
    })
}

/// Checks that launches in a bench are ordered with other work on their memory, which is another stream's.
fn bench(gpu: &Gpu, loaded: &Loaded) -> Result<Finding> {
    let axpy = Gpu::kernel(loaded, launch::axpy)?;
    let stream = gpu.context.new_stream()?;
    let (x, mut y) = (stream.clone_htod(&[1.0f32; 4096])?, stream.alloc_zeros::<f32>(4096)?);
    let mut bench = Bench::of(&gpu.context)?;
    bench.repetitions(20);
    let time = || bench.time("axpy", &axpy, 2, (1.0, &x, &mut y), 3 * 4 * 4096);
    let (timed, text) = with_output(time)?;
    timed?;
    ensure!(text.starts_with("axpy: ") && text.contains(" of a copy, "), "the line is {text:?}");
    let got = stream.clone_dtoh(&y)?;
    // Two launches for the size of a batch, and a batch for each sample and for five more.
    let count = got[0];
    ensure!(got.iter().all(|&y| y == count), "the launches differ in their elements");
    ensure!(count >= 27.0 && (count - 2.0) % 25.0 == 0.0, "{count} launches have run");
    Ok(format!("{count} launches").into())
}

/// Checks that memory is set before each launch, in a launch and in a bench, and that the line of the bench says so. The detail
/// has the times of a kernel that needs no reset, which resets must not change.
fn resets(gpu: &Gpu, loaded: &Loaded) -> Result<Finding> {
    /// So few that a sample on a GPU has hundreds of launches.
    const N: usize = 256;
    const GRID: u32 = 1;
    let axpy = Gpu::kernel(loaded, launch::axpy)?;
    // The memory is another stream's than that of the launches.
    let (stream, launches) = (gpu.context.new_stream()?, gpu.context.new_stream()?);
    let (x, first) = (stream.clone_htod(&[1.0f32; N])?, stream.clone_htod(&[7.0f32; N])?);
    let mut y = stream.clone_htod(&[100.0f32; N])?;
    let holds = |y: &CudaSlice<f32>, values: &[f32]| -> Result<()> {
        let got = stream.clone_dtoh(y)?;
        ensure!(got.iter().all(|&y| y == got[0]), "the launches differ in their elements");
        ensure!(values.contains(&got[0]), "y holds {}, want one of {values:?}", got[0]);
        Ok(())
    };

    for _ in 0..2 {
        axpy.launch(&launches, GRID, (1.0, &x, Reset::to_zero(&mut y)))?;
        holds(&y, &[1.0])?;
        axpy.launch(&launches, GRID, (1.0, &x, Reset::to_copy(&mut y, &first)))?;
        holds(&y, &[8.0])?;
    }
    axpy.launch(&launches, GRID, (1.0, &x, Reset::to_zero(&mut y.slice_mut(..N / 2))))?;
    let got = stream.clone_dtoh(&y)?;
    ensure!(got[..N / 2] == [1.0; N / 2] && got[N / 2..] == [8.0; N / 2], "another part of y was reset");

    let short = axpy.launch(&launches, GRID, (1.0, &x, Reset::to_copy(&mut y, &first.slice(1..))));
    let lengths = [format!("(`y`) has {N} elements"), format!("is reset to a copy of {}", N - 1)];
    expect_error(short, &["argument 2", &lengths[0], &lengths[1]])?;
    let of_reset = Reset::to_copy(Reset::to_zero(&mut y), &first);
    expect_error(axpy.launch(&launches, GRID, (1.0, &x, of_reset)), &["(`y`) is a reset of a reset"])?;
    let (none, mut none_mut) = (x.slice(..0), y.slice_mut(..0));
    axpy.launch(&launches, GRID, (1.0, &none, Reset::to_zero(&mut none_mut)))?;

    let mut bench = Bench::of(&gpu.context)?;
    bench.repetitions(20);
    let mut lines = Vec::new();
    let mut line = |(timed, text): (ptx_host::Result<()>, String), has_resets: bool| -> Result<()> {
        timed?;
        ensure!(text.contains(" µs of resets") == has_resets, "the line is {text:?}");
        lines.push(text.trim_end().to_owned());
        Ok(())
    };
    let traffic = 3 * size_of::<f32>() * N;
    line(with_output(|| bench.time("plain", &axpy, GRID, (1.0, &x, &mut y), traffic))?, false)?;
    // The last work on the memory may be the resets alone.
    let zero = |y| bench.time("zero", &axpy, GRID, (1.0, &x, Reset::to_zero(y)), traffic);
    line(with_output(|| zero(&mut y))?, true)?;
    holds(&y, &[0.0, 1.0])?;
    let copy = |y| bench.time("copy", &axpy, GRID, (1.0, &x, Reset::to_copy(y, &first)), traffic);
    line(with_output(|| copy(&mut y))?, true)?;
    holds(&y, &[7.0, 8.0])?;
    let timed = |y| bench.time("timed", &axpy, GRID, (1.0, &x, Reset::to_copy(y, &first).timed()), traffic);
    line(with_output(|| timed(&mut y))?, false)?;
    holds(&y, &[8.0])?;
    Ok(lines.join("; ").into())
}

/// Lengths around those of vectors, tiles and grids.
const LENGTHS: [usize; 6] = [1, 5, 1023, 1024, 3584, 9000];

fn axpy<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let axpy = D::kernel(loaded, launch::axpy)?;
    for len in LENGTHS {
        let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
        let (x, mut y) = (device.memory(&x)?, device.memory(&vec![1.0f32; len])?);
        device.launch(&axpy, 2, (2.0, D::read(&x), D::write(&mut y)))?;
        let got = device.to_vec(&y)?;
        ensure!((0..).zip(got).all(|(i, y)| y == 2.0 * i as f32 + 1.0), "wrong for {len} elements");
    }
    Ok(())
}

/// Checks a struct by value, and a grid of two dimensions.
fn blur<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let weights = launch::Weights { scale: 0.5, taps: [1.0, 2.0, 3.0, 4.0, 5.0], wraps: true };
    let x: Vec<f32> = (0..300).map(|i| (i % 17) as f32).collect();
    let (from, mut to) = (device.memory(&x)?, device.memory(&vec![0.0; x.len()])?);
    device.launch(&D::kernel(loaded, launch::blur)?, (2, 2), (weights, D::read(&from), D::write(&mut to)))?;
    let tap = |i: usize| (0..5).map(|tap| (tap + 1) as f32 * x[(i + tap) % x.len()]).sum::<f32>();
    let want: Vec<f32> = (0..x.len()).map(|i| 0.5 * tap(i)).collect();
    ensure!(device.to_vec(&to)? == want, "a sum is wrong");
    Ok(())
}

fn copy_boxes<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    // The last boxes reach over the end of both dimensions.
    let x: Vec<f32> = (0..40 * 68).map(|i| i as f32).collect();
    let (from, mut to) = (device.memory(&x)?, device.memory(&vec![0.0; x.len()])?);
    let maps = (Tensor::new(D::read(&from), [68, 40]), Tensor::new(D::write(&mut to), [68, 40]));
    device.launch(&D::kernel(loaded, launch::copy_boxes)?, 3, maps)?;
    ensure!(device.to_vec(&to)? == x, "the copy differs");
    Ok(())
}

fn add_rows<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let (rows, mut doubled) = (device.memory(&[1u32; 8 * 256])?, device.memory(&vec![0_u32; 8 * 256])?);
    let (mut sums, mut count) = (device.memory(&[10u32; 256])?, device.memory(&[0_u64])?);
    let (from, to) = (Matrix::new(D::read(&rows), 8, 256), Matrix::new(D::write(&mut doubled), 8, 256));
    device.launch(
        &D::kernel(loaded, launch::add_rows)?,
        4,
        (from, D::write(&mut sums), D::write(&mut count), to),
    )?;
    ensure!(device.to_vec(&count)? == [8], "the rows were not counted");
    let sums = device.to_vec(&sums)?;
    ensure!((0u32..).zip(sums).all(|(i, sum)| sum == 10 + 4 * i), "a sum is wrong");
    Ok(())
}

fn fill<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let words = device.memory(&[0_u32; 1000])?;
    let address = D::address(&words);
    let kernel = D::kernel(loaded, launch::fill)?;
    // SAFETY: the memory has 1000 words, and only this grid uses them.
    device.end(unsafe { kernel.launch_unsafe(device.queue(), 3, (address, 900, 7)) })?;
    let got = device.to_vec(&words)?;
    ensure!(got[..900] == [7; 900] && got[900..] == [0; 100], "a word is wrong");
    Ok(())
}

/// Runs kernels that print, and compares the text.
fn expect_output<D: Device>(device: &D, launch: impl FnOnce() -> Result<()>, want: &str) -> Result<()> {
    let (result, text) = device.printed(launch)?;
    result?;
    ensure!(text == want, "printed {text:?}, not {want:?}");
    Ok(())
}

fn print_in_a_branch<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, print::print_in_a_branch)?;
    expect_output(device, || device.launch(&kernel, 1, (1.5,)), "1.500 in CTA 0\n")
}

fn print_all<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    const TEXT: &str = "\
-5 fb 251 0x0041 177773        65 65       |
9223372036854775979 80000000000000AB 0x80000000000000ab -9223372036854775637 18446744073709551615
0.25 0.25 0.25 2.500000e-01 0.25 0.25     0.250|0.250    |+0000.250
true false true   |   true|Aé√|A  |
a name   a name|{} 100 %
0x1234 0x0 0x0000000000abcdef
";
    let kernel = D::kernel(loaded, print::print_all)?;
    expect_output(device, || device.launch(&kernel, 1, (-5, 65, 1 << 63 | 0xab, 0.25, true)), TEXT)
}

fn panic_at_an_index<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, print::panic_at_an_index)?;
    let values = device.memory(&[0_u32])?;
    let (result, text) = device.printed(|| device.launch(&kernel, 1, (D::read(&values), 0)))?;
    ensure!(result.is_err(), "the kernel did not trap; it printed {text:?}");
    ensure!(text.contains("print/src/lib.rs:"), "the place is not in {text:?}");
    Ok(())
}

fn add_vectors<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, example_kernels::add_vectors)?;
    for len in LENGTHS {
        let (x, y) = (small_floats(1, len), small_floats(2, len));
        let (left, right) = (device.memory(&x)?, device.memory(&y)?);
        let mut sum = device.memory(&vec![0.0; len])?;
        device.launch(&kernel, 3, (D::read(&left), D::read(&right), D::write(&mut sum)))?;
        let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        ensure!(device.to_vec(&sum)? == want, "wrong for {len} elements");
    }
    Ok(())
}

fn softmax_rows<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, example_kernels::softmax_rows)?;
    for (rows, columns) in [(1, 4), (3, 1024), (5, 1028)] {
        let x: Vec<f32> = small_floats(3, (rows * columns) as usize).into_iter().map(|x| 20.0 * x).collect();
        let (from, mut to) = (device.memory(&x)?, device.memory(&vec![0.0; x.len()])?);
        let matrices =
            (Matrix::new(D::read(&from), rows, columns), Matrix::new(D::write(&mut to), rows, columns));
        device.launch(&kernel, 2, matrices)?;
        let got = device.to_vec(&to)?;
        for (x, got) in x.chunks(columns as usize).zip(got.chunks(columns as usize)) {
            let near = |(got, want): (&f32, f64)| (f64::from(*got) - want).abs() <= 1e-5 * want + 1e-12;
            ensure!(got.iter().zip(softmax(x)).all(near), "wrong for {rows} rows of {columns}");
        }
    }
    Ok(())
}

fn transpose<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, example_kernels::transpose)?;
    for (width, height) in [(4, 4), (32, 32), (36, 100)] {
        let x = small_floats(4, width * height);
        let (from, mut to) = (device.memory(&x)?, device.memory(&vec![0.0; x.len()])?);
        let extents = [width as u64, height as u64];
        let maps =
            (Tensor::new(D::read(&from), extents), Tensor::new(D::write(&mut to), [extents[1], extents[0]]));
        device.launch(&kernel, 3, maps)?;
        let want: Vec<f32> = (0..x.len()).map(|i| x[i % height * width + i / height]).collect();
        ensure!(device.to_vec(&to)? == want, "wrong for {width} by {height}");
    }
    Ok(())
}

fn count_bytes<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let kernel = D::kernel(loaded, example_kernels::count_bytes)?;
    for len in [1, 127, 5000] {
        let words = input(5, len);
        let mut want = vec![0u32; 256];
        words.iter().for_each(|word| want[(word % 256) as usize] += 1);
        let (words, mut counts) = (device.memory(&words)?, device.memory(&vec![0_u32; 256])?);
        device.launch(&kernel, 8, (D::read(&words), D::write(&mut counts)))?;
        ensure!(device.to_vec(&counts)? == want, "wrong for {len} words");
    }
    Ok(())
}

fn accumulate_sums<D: Device>(device: &D, loaded: &D::Loaded) -> Result<()> {
    let x: Vec<f32> = (0..1000u16).map(f32::from).collect();
    let (from, mut to) = (device.memory(&x)?, device.memory(&vec![0.0; 288])?);
    device.launch(
        &D::kernel(loaded, example_kernels::accumulate_sums)?,
        1,
        (D::read(&from), D::write(&mut to)),
    )?;
    for (thread, sum) in device.to_vec(&to)?.into_iter().enumerate() {
        let of_thread: Vec<f32> = x.iter().copied().skip(thread).step_by(288).collect();
        let want: f32 =
            (0..96).map(|k| (k + 1) as f32 * of_thread.iter().map(|x| x + k as f32).sum::<f32>()).sum();
        ensure!((sum - want).abs() <= 1e-5 * want, "thread {thread}: {sum} for {want}");
    }
    Ok(())
}
