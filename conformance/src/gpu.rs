//! Runs cases on a GPU. A child process runs the cases one after another. If one faults or hangs, another child continues.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write as _};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use flate2::read::GzDecoder;
use ptx_host::cudarc::driver::sys::{self, CUtensorMap};
use ptx_host::cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr as _};
use ptx_host::{JitOptions, Kernel, LaunchConfig, Module, TensorMap};

use crate::case::{Case, Extra, Run, Shape};
use crate::suite::{self, Place};
use crate::tensor::{Map, Mode};

/// The end of a run on the GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// The run ended with this memory.
    Memory(Vec<u8>),
    /// The launch was refused, or the kernel is missing.
    Refused(String),
    /// The kernel faulted.
    Fault(String),
    /// The kernel did not end in time.
    Timeout,
    /// Nothing ran, for this reason.
    NotRun(&'static str),
}

/// The number of bytes after the memory of a case, which no kernel may write.
const GUARD: usize = 4096;
const GUARD_BYTE: u8 = 0xa5;

/// A message of a child: its kind, the place, and bytes.
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

/// The options of a child process.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of the forms.
    pub forms: PathBuf,
    /// The folder of the modules.
    pub modules: PathBuf,
    /// The number of the GPU.
    pub device: usize,
    /// The time after which a run counts as hanging.
    pub timeout: Duration,
    /// Parts of names of cases: only cases with one of them run.
    pub filter: Vec<String>,
}

struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    memory: CudaSlice<u8>,
}

/// Runs cases in this process, beginning at a place, and writes their results to the standard output. Does not return.
pub fn child(options: &Options, start: Place) -> ! {
    let place = Place { run: usize::MAX, ..start };
    let code = match run_from(options, start) {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("{error:#}");
            i32::from(Frame::write(REFUSED, place, format!("{error:#}").as_bytes()).is_err()) + 1
        }
    };
    leave(code)
}

/// Ends the process without destructors and exit handlers: those of the driver wait for a kernel that hangs.
pub(crate) fn leave(code: i32) -> ! {
    // SAFETY: `_exit` has no requirement.
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
                Ended::Timeout | Ended::NotRun(_) => (TIMEOUT, &[][..]),
            };
            Frame::write(kind, place, bytes)?;
            if matches!(ended, Ended::Fault(_) | Ended::Timeout) {
                // The context is of no more use, and dropping its memory would wait for the kernel.
                leave(0);
            }
        }
    }
    Frame::write(DONE, start, &[])
}

/// Reads a cubin, which the bundle contains in compressed form.
pub(crate) fn read_module(path: &Path) -> Result<Vec<u8>> {
    let file = File::open(path).with_context(|| {
        format!("cannot read {}: make the folder with `./x conformance --bundle`", path.display())
    })?;
    let mut image = Vec::new();
    GzDecoder::new(file)
        .read_to_end(&mut image)
        .with_context(|| format!("cannot unpack {}", path.display()))?;
    Ok(image)
}

/// Returns true if the filter is empty, or the name of the case contains a part of it.
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
                None if error.downcast_ref::<RefusedMap>().is_some() => Ended::Refused(format!("{error:#}")),
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
            // SAFETY: the kernel takes the address of its memory, which lives in `self.memory` until the wait below. All
            // accesses of the kernel are in bounds: the interpreter has run it on memory of this length.
            Extra::Nothing => unsafe { kernel.launch(&self.stream, &config, (address,))? },
            Extra::Map(map) => {
                let map = encode(&self.context, map, address)?;
                // SAFETY: as above; the tensor of the map lies inside the memory.
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

/// The context of the error of a refused tensor map: no kernel was launched.
#[derive(Debug)]
struct RefusedMap;

impl fmt::Display for RefusedMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the driver refuses the tensor map")
    }
}

/// Encodes a tensor map. The cases break no rule of the driver, so a refusal is recorded as it is.
fn encode(context: &CudaContext, map: &Map, memory: u64) -> Result<TensorMap> {
    let dims: Vec<u64> = map.dims.iter().map(|dim| u64::from(*dim)).collect();
    let address = (memory + map.at as u64) as *mut std::ffi::c_void;
    let rank = dims.len();
    ensure!(
        map.strides.len() + 1 == rank && map.steps.len() == rank,
        "a tensor map of {rank} dimensions: {map:?}"
    );
    // SAFETY: the documentation of `Map` states the numbers of the enumerations, and the driver's enumerations have them all.
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
    // SAFETY: the arrays have `rank` dimensions, boxes and steps, `rank - 1` strides and `rank - 2` corners; the lengths of
    // strides and steps are checked above, those of boxes and corners below. The driver writes the 128 bytes of `encoded`.
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
    result.result().context(RefusedMap)?;
    Ok(encoded)
}

/// The number of hangs and faults of a row after which its other runs are left out: each costs the start of a process.
const ENOUGH: usize = 8;
/// The time that a process may take to end.
const EXIT: Duration = Duration::from_secs(10);

/// Runs the cases, and passes the end of each run to `record`.
///
/// # Errors
///
/// If no process can be started, or if the first one reports that it cannot run cases.
pub fn run_all(
    options: &Options,
    cases: &BTreeMap<Place, Case<'_>>,
    record: impl FnMut(Place, Ended),
) -> Result<()> {
    // A child reports its first run once it has opened the device and loaded a module.
    let limit = options.timeout + Duration::from_secs(30);
    let next = cases.keys().next().copied();
    let mut runner = Runner { cases, limit, next, failures: HashMap::new(), record };
    runner.run(|place| spawn(options, place))
}

/// A runner that starts one child after another.
struct Runner<'c, 'f, R> {
    cases: &'c BTreeMap<Place, Case<'f>>,
    /// The longest time without a message from a child.
    limit: Duration,
    /// The first run that has not ended.
    next: Option<Place>,
    /// The number of hangs and faults of each row.
    failures: HashMap<(&'c str, &'c str), usize>,
    record: R,
}

/// The failure of a child.
enum Failure {
    /// The child failed in a run, whose end is recorded.
    Run,
    /// The child reported this error.
    Error(String),
    /// The child failed between two runs, without a message.
    Silent(&'static str),
}

impl<R: FnMut(Place, Ended)> Runner<'_, '_, R> {
    fn run(&mut self, mut spawn: impl FnMut(Place) -> Result<(Child, Receiver<Frame>)>) -> Result<()> {
        // The number of successive failures of children to begin a run.
        let mut idle = 0;
        while let Some(start) = self.next {
            let (mut child, frames) = spawn(start)?;
            let failure = self.follow(&mut child, &frames);
            end(&mut child);
            if self.next != Some(start) {
                idle = 0;
            }
            let why = match failure {
                None => self.next.map(|_| String::from("the process ended before its last run")),
                Some(Failure::Run) => None,
                Some(Failure::Error(why)) if self.cases.keys().next() == Some(&start) && idle == 0 => {
                    bail!("the process that runs the cases fails: {why}")
                }
                Some(Failure::Error(why)) => Some(why),
                Some(Failure::Silent(why)) => Some(why.to_owned()),
            };
            let (Some(why), Some(place)) = (why, self.next) else { continue };
            idle += 1;
            // A second child tries the run again. After two runs that no child begins, the others are left out.
            if idle % 2 == 0 {
                self.ends(
                    place,
                    Ended::Fault(format!("two processes in succession did not begin it: {why}")),
                );
            }
            if idle == 4 {
                self.leave_out("no process begins a run any more", |_| true);
            }
        }
        Ok(())
    }

    /// Records the results of a child, until the child completes its runs or fails.
    fn follow(&mut self, child: &mut Child, frames: &Receiver<Frame>) -> Option<Failure> {
        let mut current = None;
        let mut error = None;
        loop {
            let silent = match frames.recv_timeout(self.limit) {
                Ok(frame) if frame.kind == DONE => return None,
                Ok(frame) if frame.kind == STARTS => {
                    current = Some(frame.place);
                    continue;
                }
                Ok(frame) => {
                    let text = || String::from_utf8_lossy(&frame.bytes).into_owned();
                    if frame.place.run == u32::MAX as usize {
                        error = Some(text());
                        continue;
                    }
                    let ended = match frame.kind {
                        MEMORY => Ended::Memory(frame.bytes),
                        REFUSED => Ended::Refused(text()),
                        FAULT => Ended::Fault(text()),
                        _ => Ended::Timeout,
                    };
                    current = None;
                    if self.ends(frame.place, ended) {
                        return Some(Failure::Run);
                    }
                    continue;
                }
                Err(silent) => silent,
            };
            let hangs = silent == RecvTimeoutError::Timeout;
            return Some(match (current, error) {
                (Some(place), _) => {
                    self.ends(place, if hangs { Ended::Timeout } else { Ended::Fault(end_of(child)) });
                    Failure::Run
                }
                (None, Some(error)) => Failure::Error(error),
                (None, None) if hangs => Failure::Silent("the process hangs before a run"),
                (None, None) => Failure::Silent("the process ends before a run"),
            });
        }
    }

    /// Records the end of a run, and leaves out the rest of its row if enough runs failed. Returns true if the child ends too.
    fn ends(&mut self, place: Place, ended: Ended) -> bool {
        let fails = matches!(ended, Ended::Fault(_) | Ended::Timeout);
        let case = self.cases.get(&Place { run: 0, ..place });
        let row = case.map(|case| (case.form.family.as_str(), case.form.row.as_str()));
        let expected = case.is_some_and(|case| case.runs[place.run].fault.is_some());
        let counts = fails && !(expected && matches!(ended, Ended::Fault(_)));
        (self.record)(place, ended);
        self.next = self.behind(place);
        if let Some(row) = row.filter(|_| counts) {
            let count = self.failures.entry(row).or_default();
            *count += 1;
            if *count == ENOUGH {
                self.leave_out("too many runs of the row hang or fault", |case| {
                    (case.form.family.as_str(), case.form.row.as_str()) == row
                });
            }
        }
        fails
    }

    /// Leaves out the next runs, while `of` accepts their cases.
    fn leave_out(&mut self, why: &'static str, of: impl Fn(&Case<'_>) -> bool) {
        while let Some(place) = self.next
            && self.cases.get(&Place { run: 0, ..place }).is_some_and(&of)
        {
            (self.record)(place, Ended::NotRun(why));
            self.next = self.behind(place);
        }
    }

    /// Returns the run after a run: the next run of the case, or the first run of the next case.
    fn behind(&self, place: Place) -> Option<Place> {
        let first = Place { run: 0, ..place };
        match self.cases.get(&first) {
            Some(case) if place.run + 1 < case.runs.len() => Some(Place { run: place.run + 1, ..place }),
            _ => self.cases.range((Bound::Excluded(first), Bound::Unbounded)).next().map(|(place, _)| *place),
        }
    }
}

/// Ends a process. A process that hangs does not end by itself; any other has ended, or is about to end.
fn end(child: &mut Child) {
    let _ = child.kill();
    status(child);
}

/// Waits for the end of a process, for [`EXIT`] at most: the driver may keep a process whose kernel hangs.
fn status(child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(None) if start.elapsed() < EXIT => std::thread::sleep(Duration::from_millis(10)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

/// Describes how a process ended, after its output has ended.
fn end_of(child: &mut Child) -> String {
    match status(child) {
        Some(status) => format!("the process ended with {status}"),
        None => String::from("the process hangs at its end"),
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::form::Form;

    /// The behavior of a child at a run.
    #[derive(Clone, Copy, PartialEq)]
    enum Does {
        Ends,
        Hangs,
        /// The child hangs without a message, before the run (`Silent`) or in it.
        Silent,
        SilentInIt,
        /// The child ends, before the run (`Dies`) or in it.
        Dies,
        DiesInIt,
    }
    use Does::*;

    fn form(row: &str) -> Form {
        Form { family: "f".into(), row: row.into(), text: "nop".into(), target: "sm_90a".into() }
    }

    /// Runs cases of one run each. `rows` has the behavior of children at each. Returns the ends, and the number of children.
    fn run(rows: &[(&str, &[Does])]) -> (Vec<Ended>, usize) {
        let forms: Vec<(Form, Does)> =
            rows.iter().flat_map(|(row, does)| does.iter().map(|does| (form(row), *does))).collect();
        let place = |form| Place { form, case: 0, run: 0 };
        let cases: BTreeMap<Place, Case<'_>> = forms
            .iter()
            .enumerate()
            .map(|(i, (form, _))| {
                let run = Run { name: String::new(), memory: Vec::new(), extra: Extra::Nothing, fault: None };
                let (kernel, shape) = (String::new(), Shape::new(1, 32));
                let case = Case { form, variant: "", kernel, shape, regions: Vec::new(), runs: vec![run] };
                (place(i), case)
            })
            .collect();
        let ended = RefCell::new(Vec::new());
        let children = RefCell::new(0);
        let mut runner = Runner {
            cases: &cases,
            limit: Duration::from_millis(200),
            next: Some(Place::FIRST),
            failures: HashMap::new(),
            record: |at: Place, end| {
                assert_eq!(at.form, ended.borrow().len(), "each run ends once, in order");
                ended.borrow_mut().push(end);
            },
        };
        let spawned = runner.run(|start| {
            *children.borrow_mut() += 1;
            let (sender, receiver) = mpsc::channel();
            let send = |kind, form| {
                sender.send(Frame { kind, place: place(form), bytes: Vec::new() }).unwrap();
            };
            let lives = Command::new("sleep").arg("60").spawn().unwrap();
            for (i, (_, does)) in forms.iter().enumerate().skip(start.form) {
                if ![Silent, Dies].contains(does) {
                    send(STARTS, i);
                }
                match does {
                    Ends => send(MEMORY, i),
                    Hangs => {
                        send(TIMEOUT, i);
                        // Messages of a child after a failure are ignored.
                        send(STARTS, i + 1);
                        return Ok((lives, receiver));
                    }
                    Silent | SilentInIt => {
                        std::mem::forget(sender);
                        return Ok((lives, receiver));
                    }
                    Dies | DiesInIt => {
                        end(&mut { lives });
                        return Ok((Command::new("false").spawn().unwrap(), receiver));
                    }
                }
            }
            send(DONE, 0);
            Ok((lives, receiver))
        });
        spawned.unwrap();
        drop(runner);
        (ended.into_inner(), children.into_inner())
    }

    fn ok() -> Ended {
        Ended::Memory(Vec::new())
    }

    #[test]
    fn another_child_goes_on_behind_a_hang_and_behind_a_death() {
        let (ended, children) = run(&[("a", &[Ends, Hangs, Ends, SilentInIt, DiesInIt, Ends])]);
        let died = Ended::Fault("the process ended with exit status: 1".into());
        assert_eq!(ended, [ok(), Ended::Timeout, ok(), Ended::Timeout, died, ok()]);
        assert_eq!(children, 4);
    }

    #[test]
    fn a_run_that_two_children_do_not_begin_has_failed() {
        let (ended, children) = run(&[("a", &[Ends, Silent, Ends, Dies, Ends])]);
        assert!(matches!(&ended[1], Ended::Fault(why) if why.contains("hangs before a run")), "{ended:?}");
        assert!(matches!(&ended[3], Ended::Fault(why) if why.contains("ends before a run")), "{ended:?}");
        assert_eq!((&ended[2], &ended[4], children), (&ok(), &ok(), 5));
    }

    #[test]
    fn no_child_is_started_any_more_when_two_runs_are_not_begun() {
        let (ended, children) = run(&[("a", &[Ends, Silent, Silent, Ends]), ("b", &[Ends])]);
        assert!(matches!(ended[3..], [Ended::NotRun(_), Ended::NotRun(_)]), "{ended:?}");
        assert_eq!(children, 4);
    }

    #[test]
    fn a_row_of_hangs_is_left_and_the_next_one_runs() {
        let (ended, children) = run(&[("a", &[Hangs; 20]), ("b", &[Ends, Hangs])]);
        assert!(ended[..ENOUGH].iter().all(|end| *end == Ended::Timeout), "{ended:?}");
        assert!(ended[ENOUGH..20].iter().all(|end| matches!(end, Ended::NotRun(_))), "{ended:?}");
        assert_eq!((&ended[20], &ended[21], children), (&ok(), &Ended::Timeout, ENOUGH + 1));
    }
}
