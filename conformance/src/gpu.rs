//! Runs cases on a GPU. A child process runs them one after another; when one faults or hangs, another child goes on behind it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::GzDecoder;
use ptx_host::cudarc::driver::sys::{self, CUtensorMap};
use ptx_host::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr as _};
use ptx_host::{JitOptions, Kernel, LaunchConfig, Module, TensorMap};

use crate::case::{Case, Extra, Run, Shape};
use crate::suite::{self, Place};
use crate::tensor::{Map, Mode};

/// How a run ended on the GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// With this memory.
    Memory(Vec<u8>),
    /// The launch was refused, or the kernel is missing.
    Refused(String),
    /// The kernel faulted.
    Fault(String),
    /// The kernel did not end in time.
    Timeout,
}

/// Bytes behind the memory of a case, which no kernel may write.
const GUARD: usize = 4096;
const GUARD_BYTE: u8 = 0xa5;

/// What a child writes: its kind, the place, and bytes.
#[derive(Debug)]
struct Frame {
    kind: u8,
    place: Place,
    bytes: Vec<u8>,
}

const STARTS: u8 = 0;
const MEMORY: u8 = 1;
const REFUSED: u8 = 2;
const FAULT: u8 = 3;
const TIMEOUT: u8 = 4;
const DONE: u8 = 5;

impl Frame {
    fn write(kind: u8, place: Place, bytes: &[u8]) -> Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(&[kind])?;
        for number in [place.form, place.case, place.run, bytes.len()] {
            out.write_all(&(number as u32).to_le_bytes())?;
        }
        out.write_all(bytes)?;
        Ok(out.flush()?)
    }

    fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        let mut number = || {
            let mut bytes = [0; 4];
            from.read_exact(&mut bytes)?;
            Ok::<_, io::Error>(u32::from_le_bytes(bytes) as usize)
        };
        let place = Place { form: number()?, case: number()?, run: number()? };
        let mut bytes = vec![0; number()?];
        from.read_exact(&mut bytes)?;
        Ok(Self { kind: kind[0], place, bytes })
    }
}

/// What a child process gets.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of the forms.
    pub forms: PathBuf,
    /// The folder of the modules.
    pub modules: PathBuf,
    pub device: usize,
    pub timeout: Duration,
    pub filter: Vec<String>,
}

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
}

/// Runs cases in this process, from a place on, and writes what they do to the standard output. Does not return.
pub fn child(options: &Options, start: Place) -> ! {
    let place = Place { run: usize::MAX, ..start };
    let code = match run_from(options, start) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error:#}");
            i32::from(Frame::write(REFUSED, place, format!("{error:#}").as_bytes()).is_err()) + 1
        }
    };
    // SAFETY: the process ends here. `_exit` skips the driver's exit handlers, which would wait for a kernel that hangs.
    unsafe { libc::_exit(code) }
}

fn run_from(options: &Options, start: Place) -> Result<()> {
    let forms = crate::form::read(&options.forms)?;
    let context = ptx_host::open(options.device)?;
    let capability = context.compute_capability()?;
    ensure!(
        capability == (9, 0),
        "the modules are for compute capability 9.0, and the device has {capability:?}"
    );
    let stream = context.default_stream();
    let memory = stream.alloc_zeros::<u8>(1 << 20)?;
    let mut gpu = Gpu { context, stream, memory };
    let mut loaded: Option<(String, Module)> = None;
    for (place, case) in suite::from(&forms, start) {
        if !is_wanted(&case, &options.filter) {
            continue;
        }
        let name = suite::module_name(place);
        if loaded.as_ref().is_none_or(|(other, _)| *other != name) {
            let image = read_module(&options.modules.join(format!("{name}.cubin.gz")))?;
            loaded =
                Some((name.clone(), Module::from_bytes(&gpu.context, &name, image, &JitOptions::default())?));
        }
        let Some((_, module)) = &loaded else { continue };
        let kernel = module.kernel_by_name(&suite::kernel_name(place, &case));
        let skip = if place == (Place { run: 0, ..start }) { start.run } else { 0 };
        for (i, run) in case.runs.iter().enumerate().skip(skip) {
            let place = Place { run: i, ..place };
            Frame::write(STARTS, place, &[])?;
            let ended = match &kernel {
                Ok(kernel) => gpu.run(&case, run, kernel, options.timeout),
                Err(error) => Ended::Refused(error.to_string()),
            };
            let (kind, bytes) = match &ended {
                Ended::Memory(bytes) => (MEMORY, bytes.as_slice()),
                Ended::Refused(text) => (REFUSED, text.as_bytes()),
                Ended::Fault(text) => (FAULT, text.as_bytes()),
                Ended::Timeout => (TIMEOUT, &[][..]),
            };
            Frame::write(kind, place, bytes)?;
            if matches!(ended, Ended::Fault(_) | Ended::Timeout) {
                // The context is of no use any more.
                return Ok(());
            }
        }
    }
    Frame::write(DONE, start, &[])
}

/// Reads a cubin, which the bundle has compressed.
fn read_module(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| {
        format!("cannot read {}: make the folder with `./x conformance --bundle`", path.display())
    })?;
    let mut image = Vec::new();
    GzDecoder::new(file)
        .read_to_end(&mut image)
        .with_context(|| format!("cannot unpack {}", path.display()))?;
    Ok(image)
}

pub fn is_wanted(case: &Case<'_>, filter: &[String]) -> bool {
    let name = case.name();
    filter.is_empty() || filter.iter().any(|part| name.contains(part))
}

fn config(shape: Shape) -> LaunchConfig {
    let dim = |[x, y, z]: [u32; 3]| (x, y, z);
    let config = LaunchConfig::new(dim(shape.grid), dim(shape.block)).dynamic_shared(shape.dynamic_shared);
    if shape.is_cluster() { config.cluster(dim(shape.cluster)) } else { config }
}

impl Gpu {
    fn run(&mut self, case: &Case<'_>, run: &Run, kernel: &Kernel, timeout: Duration) -> Ended {
        match self.launch(case, run, kernel, timeout) {
            Ok(mut memory) => {
                let guard = memory.split_off(run.memory.len());
                match guard.iter().position(|byte| *byte != GUARD_BYTE) {
                    Some(at) => Ended::Refused(format!("wrote byte {at} behind the memory")),
                    None => Ended::Memory(memory),
                }
            }
            Err(error) => match error.downcast_ref::<ptx_host::Error>() {
                Some(ptx_host::Error::Timeout { .. }) => Ended::Timeout,
                Some(ptx_host::Error::Launch { .. } | ptx_host::Error::Signature { .. }) => {
                    Ended::Refused(format!("{error:#}"))
                }
                _ => Ended::Fault(format!("{error:#}")),
            },
        }
    }

    fn launch(&mut self, case: &Case<'_>, run: &Run, kernel: &Kernel, timeout: Duration) -> Result<Vec<u8>> {
        let mut content = run.memory.clone();
        content.resize(run.memory.len() + GUARD, GUARD_BYTE);
        if self.memory.len() < content.len() {
            self.memory = self.stream.alloc_zeros(content.len().next_power_of_two())?;
        }
        self.stream.memcpy_htod(&content, &mut self.memory.slice_mut(..content.len()))?;
        let address = {
            let (address, _guard) = self.memory.device_ptr(&self.stream);
            address
        };
        let config = config(case.shape);
        match &run.extra {
            // SAFETY: the kernel takes the address of its memory, which lives in `self.memory` until the wait below. All its accesses are
            // inside: the interpreter has run it on memory of this length.
            Extra::Nothing => unsafe { kernel.launch(&self.stream, &config, (address,))? },
            Extra::Map(map) => {
                let map = encode(&self.context, map, address)?;
                // SAFETY: as above; the map is of a tensor inside of the memory.
                unsafe { kernel.launch(&self.stream, &config, (address, map))? }
            }
            Extra::Multicast(_) => bail!("no multicast objects on this machine"),
        }
        ptx_host::wait(&self.stream, timeout)?;
        self.stream.memcpy_dtoh(&self.memory.slice(..content.len()), &mut content)?;
        ptx_host::wait(&self.stream, timeout)?;
        Ok(content)
    }
}

/// Encodes a tensor map. The cases break no rule of the driver, so its verdict is taken as it is.
fn encode(context: &CudaContext, map: &Map, memory: u64) -> Result<TensorMap> {
    let dims: Vec<u64> = map.dims.iter().map(|dim| u64::from(*dim)).collect();
    let address = (memory + map.at as u64) as *mut std::ffi::c_void;
    let rank = dims.len();
    ensure!(
        map.strides.len() + 1 == rank && map.steps.len() == rank,
        "a tensor map of {rank} dimensions: {map:?}"
    );
    // SAFETY: the numbers of the enumerations are those of the map's documentation, and the driver has them all.
    let (element, interleave, swizzle, fill) = unsafe {
        (
            std::mem::transmute::<u32, sys::CUtensorMapDataType>(map.data_type()),
            std::mem::transmute::<u32, sys::CUtensorMapInterleave>(map.interleave.into()),
            std::mem::transmute::<u32, sys::CUtensorMapSwizzle>(map.swizzle.into()),
            std::mem::transmute::<u32, sys::CUtensorMapFloatOOBfill>(map.fill.into()),
        )
    };
    let promotion = sys::CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE;
    context.bind_to_thread()?;
    let mut encoded = TensorMap { opaque: [0; 16] };
    let to = (&raw mut encoded).cast::<CUtensorMap>();
    let (strides, steps) = (map.strides.as_ptr(), map.steps.as_ptr());
    // SAFETY: the arrays have `rank` dimensions, boxes and steps, `rank - 1` strides and `rank - 2` corners; the lengths of the first
    // ones are checked above, the others below. The driver writes the 128 bytes of `encoded`.
    #[rustfmt::skip]
    let result = unsafe {
        match &map.mode {
            Mode::Tile(boxes) => {
                ensure!(boxes.len() == rank, "a box of {} dimensions", boxes.len());
                sys::cuTensorMapEncodeTiled(
                    to, element, rank as u32, address, dims.as_ptr(), strides, boxes.as_ptr(), steps,
                    interleave, swizzle, promotion, fill,
                )
            }
            Mode::Im2col { lower, upper, channels, pixels } => {
                ensure!(lower.len() + 2 == rank && upper.len() + 2 == rank, "corners of {} dimensions", lower.len());
                sys::cuTensorMapEncodeIm2col(
                    to, element, rank as u32, address, dims.as_ptr(), strides, lower.as_ptr(), upper.as_ptr(), *channels, *pixels, steps,
                    interleave, swizzle, promotion, fill,
                )
            }
            Mode::Im2colW { .. } => bail!("`im2col::w` needs compute capability 10.0"),
        }
    };
    result.result().context("the driver refuses the tensor map")?;
    Ok(encoded)
}

/// Runs the wanted cases, and passes how each run ended to `record`. `runs` has the number of runs of each case.
pub fn run_all(
    options: &Options,
    runs: &BTreeMap<Place, usize>,
    mut record: impl FnMut(Place, Ended),
) -> Result<()> {
    // A child reports its first run once it has opened the device and loaded a module.
    let limit = options.timeout + Duration::from_secs(60);
    let mut start = Place::FIRST;
    loop {
        let (mut child, frames) = spawn(options, start)?;
        let mut current: Option<Place> = None;
        let mut problem = None;
        let done = loop {
            match frames.recv_timeout(limit) {
                Ok(frame) if frame.kind == DONE => break true,
                Ok(frame) if frame.kind == STARTS => current = Some(frame.place),
                // The child itself fails.
                Ok(frame) if frame.place.run == u32::MAX as usize => {
                    problem = Some(String::from_utf8_lossy(&frame.bytes).into_owned());
                }
                Ok(frame) => {
                    let text = || String::from_utf8_lossy(&frame.bytes).into_owned();
                    let ended = match frame.kind {
                        MEMORY => Ended::Memory(frame.bytes),
                        REFUSED => Ended::Refused(text()),
                        FAULT => Ended::Fault(text()),
                        _ => Ended::Timeout,
                    };
                    record(frame.place, ended);
                    start = behind(frame.place, runs);
                    current = None;
                }
                Err(RecvTimeoutError::Disconnected) => break false,
                Err(RecvTimeoutError::Timeout) => {
                    child.kill()?;
                    let Some(place) = current.take() else {
                        bail!("the process that runs the cases hangs at its start")
                    };
                    record(place, Ended::Timeout);
                    start = behind(place, runs);
                    break false;
                }
            }
        };
        if let Some(place) = current {
            // The process ended in the middle of a run.
            let status = child.wait()?;
            record(place, Ended::Fault(format!("the process ended with {status}")));
            start = behind(place, runs);
            problem = None;
        }
        if let Some(problem) = problem {
            bail!("the process that runs the cases fails: {problem}");
        }
        if done || runs.range(Place { run: 0, ..start }..).next().is_none() {
            return Ok(());
        }
    }
}

/// The place behind one: the next run of the case, or the next case.
fn behind(place: Place, runs: &BTreeMap<Place, usize>) -> Place {
    match runs.get(&Place { run: 0, ..place }) {
        Some(count) if place.run + 1 < *count => Place { run: place.run + 1, ..place },
        _ => Place { case: place.case + 1, run: 0, ..place },
    }
}

fn spawn(options: &Options, start: Place) -> Result<(Child, Receiver<Frame>)> {
    let program = std::env::current_exe().context("cannot find the file of this program")?;
    let path = |path: &Path| path.as_os_str().to_owned();
    let mut command = Command::new(program);
    command.arg("gpu").arg("--child").arg(start.to_string());
    command.arg("--forms").arg(path(&options.forms)).arg("--modules").arg(path(&options.modules));
    command.arg("--device").arg(options.device.to_string());
    command.arg("--timeout").arg(options.timeout.as_secs().to_string()).args(&options.filter);
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cannot start a process")?;
    let mut stdout = BufReader::new(child.stdout.take().context("the process has no output")?);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        while let Ok(frame) = Frame::read(&mut stdout) {
            if sender.send(frame).is_err() {
                return;
            }
        }
    });
    Ok((child, receiver))
}
