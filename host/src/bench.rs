//! Benchmarks of kernels, timed by events on the device.
//!
//! The `main` of a file in `benches`, with `harness = false` in `Cargo.toml`:
//!
//! ```no_run
//! # mod kernels {
//! #     use ptx::global::{Global, GlobalElementsMut};
//! #     use ptx::group::Cta;
//! #     #[ptx::kernel(threads = 256)]
//! #     pub fn scale(cta: Cta, a: f32, x: Global<f32>, y: GlobalElementsMut<f32>) { }
//! # }
//! # fn images() -> ptx_host::Kernels<'static> { panic!("the build makes this function") }
//! fn main() -> std::process::ExitCode {
//!     ptx_host::bench::main(|bench| {
//!         // In a program: `ptx_host::kernels!()`.
//!         let scale = images().load(bench.context())?.kernel(kernels::scale)?;
//!         let n = 1 << 26;
//!         let x = bench.stream().alloc_zeros::<f32>(n)?;
//!         let mut y = bench.stream().alloc_zeros::<f32>(n)?;
//!         bench.time("scale", &scale, n as u32 / 256, (2.0, &x, &mut y), 2 * size_of::<f32>() * n)?;
//!         Ok(())
//!     })
//! }
//! ```
//!
//! `cargo bench` prints a line for each kernel, and `cargo ptx bench` a table with the instructions, which it compares with an
//! earlier one.

mod measure;
mod row;

use std::env;
use std::error::Error as StdError;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream};
use ptx::launch::{Kernel as Description, SafeKernel};

pub use self::measure::{Times, alternate, capture, median};
use self::row::Row;
use crate::error::check;
use crate::{Error, Grid, Kernel, KernelArguments, Launcher, Result};

/// The variable that names the file for the results, which `cargo ptx bench` reads: a line of JSON for each kernel.
const RESULTS: &str = "PTX_BENCH_RESULTS";

/// Times kernels on a stream of its own, and prints a line for each.
#[derive(Debug)]
pub struct Bench {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    filters: Vec<String>,
    repetitions: usize,
    timeout: Duration,
    /// False in a test, which runs each kernel once.
    is_timed: bool,
}

/// Runs the benchmarks of a program, with the words of its command line as filters: a benchmark runs if its name contains one of
/// them.
///
/// `cargo bench` passes the option `--bench`. Without the option, as `cargo test --benches` starts the program, each kernel runs
/// once, and a machine without a GPU is no error.
pub fn main(benches: impl FnOnce(&mut Bench) -> Result<(), Box<dyn StdError>>) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let is_timed = arguments.iter().any(|argument| argument == "--bench");
    let result = match filters(arguments) {
        Ok(filters) => match crate::open(0).and_then(|context| Bench::of(&context)) {
            Ok(bench) => benches(&mut Bench { filters, is_timed, ..bench }),
            Err(error) if error.is_no_gpu() && !is_timed => {
                println!("skipped: {error}");
                Ok(())
            }
            Err(error) => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the words that are no options.
fn filters(arguments: Vec<String>) -> Result<Vec<String>, String> {
    let unknown = |argument: &&String| argument.starts_with('-') && *argument != "--bench";
    match arguments.iter().find(unknown) {
        Some(option) => Err(format!(
            "unknown option `{option}`: a benchmark takes words, which choose kernels by their names"
        )),
        None => Ok(arguments.into_iter().filter(|argument| argument != "--bench").collect()),
    }
}

impl Bench {
    /// Makes the benchmarks of a device, which time and do not choose by words.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the driver makes no stream.
    pub fn of(context: &Arc<CudaContext>) -> Result<Self> {
        let stream = check(context.new_stream(), || "making the stream of a benchmark".into())?;
        Ok(Self {
            context: context.clone(),
            stream,
            filters: Vec::new(),
            repetitions: 50,
            timeout: Duration::from_secs(60),
            is_timed: true,
        })
    }

    /// Returns the context, to load kernels in.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// Returns the stream that kernels are timed on. Memory of any stream of the context can be passed to them.
    #[must_use]
    pub fn stream(&self) -> Arc<CudaStream> {
        self.stream.clone()
    }

    /// Sets the number of samples of each kernel: 50 by default, of a millisecond each.
    pub fn repetitions(&mut self, repetitions: usize) {
        self.repetitions = repetitions;
    }

    /// Times a kernel: the median of the samples, each of so many launches that it takes a millisecond.
    ///
    /// Kernel, grid and arguments are those of [`Launcher::launch`]. `bytes` are what a launch reads and writes, to be compared with
    /// a copy that reads and writes as much; 0 for a kernel that is not bound by memory.
    ///
    /// The launches follow one another on the same memory. Memory that a launch must not find as the last one left it is in a
    /// [`Reset`](crate::Reset), which sets it before each launch. The time is without the resets: it is that of resets and launches
    /// in turn, less that of as many resets alone. The line that is printed says how long the resets take. Where they take longer
    /// than the kernel, the time is less exact, as their own times vary. [`Reset::timed`](crate::Reset::timed) makes a reset a part
    /// of the time, and of what `bytes` count. What the memory holds at the end is what a reset or a launch has left.
    ///
    /// # Errors
    ///
    /// As [`Launcher::launch`]; [`Error::Timeout`] if the kernel hangs; [`Error::Resets`] if the resets hide the kernel's time.
    pub fn time<'a, K, A>(
        &'a self,
        name: &str,
        launcher: &Launcher<K>,
        grid: impl Into<Grid>,
        arguments: A,
        bytes: usize,
    ) -> Result<()>
    where
        K: SafeKernel,
        A: KernelArguments<'a, K::Parameters, Kernel>,
    {
        // SAFETY: the kernel is safe.
        unsafe { self.time_unsafe(name, launcher, grid, arguments, bytes) }
    }

    /// Times a kernel that is an `unsafe fn`, as [`time`](Self::time) does.
    ///
    /// # Errors
    ///
    /// As [`time`](Self::time).
    ///
    /// # Safety
    ///
    /// The `# Safety` section of the kernel holds at each of the launches, which follow one another.
    pub unsafe fn time_unsafe<'a, K, A>(
        &'a self,
        name: &str,
        launcher: &Launcher<K>,
        grid: impl Into<Grid>,
        arguments: A,
        bytes: usize,
    ) -> Result<()>
    where
        K: Description,
        A: KernelArguments<'a, K::Parameters, Kernel>,
    {
        if !self.is_chosen(name) {
            return Ok(());
        }
        let kernel = launcher.function();
        let times = launcher.with_arguments(&*self.stream, grid, arguments, |config, arguments| {
            kernel.check_typed(&arguments)?;
            // SAFETY: the launch has the kernel's shape and arguments of its types (`with_arguments`), and the caller keeps its
            // `# Safety`. The arguments keep the memory in use, and `launcher` the module loaded, until `alternate` has waited for
            // the work, or the work hangs.
            let put = || unsafe { kernel.launch_with(config, &arguments) };
            let untimed = || {
                let resets = arguments.guards().iter().filter_map(|memory| memory.reset.as_ref());
                resets.filter(|reset| !reset.is_timed)
            };
            // SAFETY: as for `put`.
            let reset = || untimed().try_for_each(|reset| unsafe { reset.put(&self.stream) });
            if !self.is_timed {
                put()?;
                crate::wait(&self.stream, self.timeout)?;
                return Ok(None);
            }
            let traffic = (bytes > 0).then_some(bytes);
            let with_resets: [&dyn Fn() -> Result<()>; 2] = [&put, &reset];
            let works = if untimed().next().is_some() { &with_resets[..] } else { &with_resets[..1] };
            // SAFETY: as for `put`; after an error, the memory's own stream waits for this stream (`InUse`).
            unsafe { alternate(&self.stream, works, traffic, self.repetitions, self.timeout).map(Some) }
        })?;
        let Some(Times { seconds, copy }) = times else {
            println!("{name}: ran once");
            return Ok(());
        };
        let (kernel_and_resets, resets) = (seconds[0], seconds.get(1).copied());
        let seconds = without(name, kernel_and_resets, resets)?;
        let row =
            Row { name, kernel: K::NAME, seconds, resets, bytes, copy, attributes: kernel.attributes() };
        println!("{row}");
        let device = check(self.context.name(), || "reading the device's name".into())?;
        self.save(&row.json(&device))
    }

    fn is_chosen(&self, name: &str) -> bool {
        self.filters.is_empty() || self.filters.iter().any(|filter| name.contains(filter))
    }

    /// Adds a line to the file of results, if there is one.
    fn save(&self, line: &str) -> Result<()> {
        let Some(path) = env::var_os(RESULTS) else { return Ok(()) };
        let file = std::fs::File::options().append(true).create(true).open(&path);
        let written = file.and_then(|mut file| writeln!(file, "{line}"));
        written.map_err(|cause| Error::Write { path: path.into(), cause })
    }
}

/// Returns the time of a launch without its resets.
fn without(name: &str, all: f64, resets: Option<f64>) -> Result<f64> {
    let Some(resets) = resets else { return Ok(all) };
    let seconds = all - resets;
    if seconds <= 0.0 {
        return Err(Error::Resets { benchmark: name.into(), with_kernel: all, alone: resets });
    }
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_are_no_part_of_the_time_and_do_not_hide_it() {
        assert_eq!(without("k", 3.0, None).unwrap(), 3.0);
        assert_eq!(without("k", 3.0, Some(1.0)).unwrap(), 2.0);
        let hidden = without("k", 2e-6, Some(2.5e-6)).unwrap_err().to_string();
        assert!(hidden.starts_with("the time of `k` is lost in that of its resets"), "{hidden}");
        assert!(hidden.contains("2.00 µs with the kernel and 2.50 µs without it"), "{hidden}");
    }

    #[test]
    fn words_choose_and_options_are_refused() {
        let of = |words: &[&str]| filters(words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(of(&["axpy", "--bench"]).unwrap(), ["axpy"]);
        assert!(of(&["--compare"]).unwrap_err().starts_with("unknown option `--compare`"));
    }
}
