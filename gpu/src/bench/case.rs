//! A case of a benchmark, and how it is timed.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use ptx_host::bench::alternate;
use ptx_host::cudarc::driver::{CudaSlice, CudaStream, result};
use ptx_host::{Kernel, KernelArgs, LaunchConfig};
use serde_json::{Value, json};

use crate::entry::Loaded;
use crate::gpu::Gpu;
use crate::image;
use crate::memory::address;

/// A kernel with data of one size.
pub struct Case {
    /// Name of the kernel. Its images are `<kernel>-O3.cubin` and `<kernel>-nvcc.cubin`.
    pub kernel: &'static str,
    /// Name of the case among the cases of one kernel.
    pub variant: &'static str,
    /// The reason why the case does not use the whole GPU or much data, or an empty string.
    pub note: &'static str,
    pub run: Box<Run>,
}

pub type Run = dyn Fn(&Bench) -> Result<Timing>;

impl Case {
    /// A case without a note.
    pub fn new(
        kernel: &'static str,
        variant: &'static str,
        run: impl Fn(&Bench) -> Result<Timing> + 'static,
    ) -> Self {
        Self { kernel, variant, note: "", run: Box::new(run) }
    }
}

/// A GPU, the existing images of a kernel, and the number of repetitions.
pub struct Bench<'a> {
    pub gpu: &'a Gpu,
    /// The folder of the images.
    pub dir: &'a Path,
    /// The Rust image, if there is one, then the CUDA C++ image.
    pub sides: Vec<Side>,
    pub repetitions: usize,
}

pub struct Side {
    pub label: &'static str,
    pub loaded: Loaded,
}

/// Loads the existing images of a kernel.
pub fn sides(gpu: &Gpu, dir: &Path, kernel: &str) -> Result<Vec<Side>> {
    let mut sides = Vec::new();
    for (label, build) in [(RUST, image::SHIPPED), (TWIN, image::NVCC)] {
        let image = dir.join(format!("{kernel}-{build}.cubin"));
        if image.exists() {
            sides.push(Side { label, loaded: Loaded::read(gpu, &image, label == TWIN)? });
        }
    }
    ensure!(
        sides.iter().any(|side| side.label == TWIN),
        "no {kernel}-nvcc.cubin in {}; make a bundle with `./x bundle --bench DIR`, and give the folder with --dir",
        dir.display()
    );
    Ok(sides)
}

pub const RUST: &str = "rust";
pub const TWIN: &str = "cpp";

/// Median times of a case, in seconds per launch.
pub struct Timing {
    pub rust: Option<f64>,
    pub twin: f64,
    /// Bytes that a launch reads and writes, and the time of a device-to-device copy with the same traffic.
    pub copy: Option<(usize, f64)>,
}

impl Timing {
    /// Returns the time to judge: the Rust kernel's, or the twin's if there is no Rust kernel.
    pub fn time(&self) -> f64 {
        self.rust.unwrap_or(self.twin)
    }

    pub fn data(&self, note: &str) -> Value {
        json!({
            "rust_us": self.rust.map(|time| time * 1e6),
            "cpp_us": self.twin * 1e6,
            "ratio": self.rust.map(|time| time / self.twin),
            "gbs": self.copy.map(|(bytes, _)| bytes as f64 / self.time() / 1e9),
            "of_copy": self.copy.map(|(_, time)| time / self.time()),
            "cpp_of_copy": self.copy.map(|(_, time)| time / self.twin),
            "note": note,
        })
    }
}

impl std::fmt::Display for Timing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.rust {
            Some(rust) => write!(
                f,
                "{:.1} µs, C++ {:.1} µs, ratio {:.4}",
                rust * 1e6,
                self.twin * 1e6,
                rust / self.twin
            )?,
            None => write!(f, "C++ {:.1} µs", self.twin * 1e6)?,
        }
        self.copy.map_or(Ok(()), |(_, time)| write!(f, ", {:.4} of the copy's bytes/s", time / self.time()))
    }
}

/// A launch that can be put on the stream repeatedly.
pub struct Launch<'a> {
    pub label: &'static str,
    pub put: Box<dyn Fn() -> ptx_host::Result<()> + 'a>,
}

impl<'a> Launch<'a> {
    /// Returns launches that put the launches of all steps on the stream, in their order. The steps have the same sides.
    pub fn one_after_the_other(steps: Vec<Vec<Launch<'a>>>) -> Vec<Launch<'a>> {
        let mut sides: Vec<(&'static str, Vec<Launch<'a>>)> = Vec::new();
        for launch in steps.into_iter().flatten() {
            match sides.iter_mut().find(|(label, _)| *label == launch.label) {
                Some((_, of_side)) => of_side.push(launch),
                None => sides.push((launch.label, vec![launch])),
            }
        }
        let all = |(label, steps): (_, Vec<Launch<'a>>)| Launch {
            label,
            put: Box::new(move || steps.iter().try_for_each(|step| (step.put)())),
        };
        sides.into_iter().map(all).collect()
    }
}

/// Device memory that only launches of its owner use.
pub trait Zeroed {
    /// Returns the address and the number of bytes.
    fn bytes(&self) -> (u64, usize);
}

impl<T> Zeroed for CudaSlice<T> {
    fn bytes(&self) -> (u64, usize) {
        (address(self), self.num_bytes())
    }
}

impl Bench<'_> {
    /// Returns the bench of another kernel, for a case of several.
    pub fn of(&self, kernel: &str) -> Result<Bench<'_>> {
        Ok(Bench { sides: sides(self.gpu, self.dir, kernel)?, ..*self })
    }

    /// Returns the launches, each of which first sets all bytes of these memories to 0.
    pub fn zeroing<'l>(&'l self, launches: Vec<Launch<'l>>, memories: &[&'l dyn Zeroed]) -> Vec<Launch<'l>> {
        // A capture of the stream must not ask for an address: `cudarc` then waits for an event from before the capture.
        let memories: Vec<_> = memories.iter().map(|memory| memory.bytes()).collect();
        let stream = self.gpu.stream.cu_stream();
        let zeroing = |Launch { label, put }| {
            let memories = memories.clone();
            let zero_and_put = move || {
                for &(address, bytes) in &memories {
                    // SAFETY: the memory has so many bytes and lives as long as the launches, which alone use it, on one stream.
                    let done = unsafe { result::memset_d8_async(address, 0, bytes, stream) };
                    done.map_err(|error| ptx_host::Error::Cuda {
                        doing: "setting memory to zero".into(),
                        cause: error.into(),
                    })?;
                }
                put()
            };
            Launch { label, put: Box::new(zero_and_put) }
        };
        launches.into_iter().map(zeroing).collect()
    }

    /// Makes the same launch for each side, with the bytes of the kernel's parameters, and with the arguments of the twin.
    ///
    /// # Safety
    ///
    /// The `# Safety` section of [`ptx_host::Kernel::launch`] holds each time that a launch is put on the stream.
    pub unsafe fn launches<A, T>(
        &self,
        kernel: &str,
        config: &LaunchConfig,
        arguments: A,
        of_twin: T,
    ) -> Result<Vec<Launch<'_>>>
    where
        A: for<'a> KernelArgs<'a> + Copy + 'static,
        T: for<'a> KernelArgs<'a> + Copy + 'static,
    {
        // SAFETY: `# Safety` of this function.
        let put = move |kernel: &Kernel, stream: &CudaStream, config: &LaunchConfig| unsafe {
            kernel.launch(stream, config, arguments)
        };
        // SAFETY: as above.
        unsafe { self.launches_by(kernel, config, put, of_twin) }
    }

    /// Makes the same launch for each side: that of the kernel by `put`.
    ///
    /// # Safety
    ///
    /// `put` is sound each time that a launch is put on the stream, and so are the arguments of the twin.
    pub unsafe fn launches_by<T: for<'a> KernelArgs<'a> + Copy + 'static>(
        &self,
        kernel: &str,
        config: &LaunchConfig,
        put: impl Fn(&Kernel, &CudaStream, &LaunchConfig) -> ptx_host::Result<()> + Copy + 'static,
        of_twin: T,
    ) -> Result<Vec<Launch<'_>>> {
        let mut launches = Vec::new();
        for side in &self.sides {
            let kernel = side.loaded.kernel_by_name(kernel)?;
            let (stream, config, is_twin) = (&self.gpu.stream, *config, side.label == TWIN);
            launches.push(Launch {
                label: side.label,
                put: Box::new(move || {
                    match is_twin {
                        // SAFETY: `# Safety` of this function.
                        true => unsafe { kernel.launch(stream, &config, of_twin) },
                        false => put(&kernel, stream, &config),
                    }
                }),
            });
        }
        Ok(launches)
    }

    /// Times the launches alternately, beside a copy that reads and writes `traffic` bytes.
    pub fn time(&self, launches: &[Launch], traffic: Option<usize>) -> Result<Timing> {
        let puts: Vec<&dyn Fn() -> ptx_host::Result<()>> =
            launches.iter().map(|launch| &*launch.put as _).collect();
        let Gpu { stream, timeout, .. } = self.gpu;
        // SAFETY: a launch is sound each time (`launches`), and its memory is freed on this stream.
        let times = unsafe { alternate(stream, &puts, traffic, self.repetitions, *timeout)? };
        let of = |label| Some(times.seconds[launches.iter().position(|launch| launch.label == label)?]);
        Ok(Timing { rust: of(RUST), twin: of(TWIN).unwrap_or(f64::NAN), copy: traffic.zip(times.copy) })
    }

    /// Sets all bits of `memory`: each float is a NaN.
    pub fn fill_with_nan<T>(&self, memory: &mut CudaSlice<T>) -> Result<()> {
        let stream = &self.gpu.stream;
        // SAFETY: `memory` has `memory.num_bytes()` bytes and is borrowed exclusively.
        unsafe { result::memset_d8_async(address(memory), 0xff, memory.num_bytes(), stream.cu_stream())? };
        Ok(())
    }
}

/// Fails unless every launch leaves the same result, which `result_of` returns.
pub fn same_results<T: PartialEq>(
    launches: &[Launch],
    mut result_of: impl FnMut(&Launch) -> Result<T>,
) -> Result<()> {
    let mut first: Option<T> = None;
    for launch in launches {
        let result = result_of(launch).context(launch.label)?;
        match &first {
            Some(first) => ensure!(*first == result, "the results of {RUST} and {TWIN} differ"),
            None => first = Some(result),
        }
    }
    Ok(())
}
