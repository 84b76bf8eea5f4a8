//! Launches: the driver's checks, the runs, and the effect of their findings.

use std::io::Write as _;

use cudarc::driver::sys::CUlaunchAttributeID::*;
use cudarc::driver::sys::CUresult::{self, *};
use ptx_emu::{FaultKind, LaunchError, Report, Rule};

use crate::boundary::{In, Plain, Result, fail, say};
use crate::driver::{Driver, Function, Handle, Launch};
use crate::interrupt::Noted;
use ptx_emu::limits::{self, *};

/// A requested launch: `CUlaunchConfig`, with its attributes.
#[derive(Debug, Clone)]
pub struct Request {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub cluster: Option<[u32; 3]>,
    pub dynamic_shared: u32,
    pub cooperative: bool,
    pub programmatic: bool,
    pub stream: Handle,
}

impl Request {
    /// Returns a request for a launch without attributes.
    pub fn new(grid: [u32; 3], block: [u32; 3], dynamic_shared: u32, stream: Handle) -> Self {
        Self { grid, block, cluster: None, dynamic_shared, cooperative: false, programmatic: false, stream }
    }
}

/// `CUlaunchAttribute`, whose identifier may be any number.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Attribute {
    id: u32,
    pad: u32,
    value: [u32; 16],
}

impl Plain for Attribute {}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    stream: Handle,
    attributes: In<Attribute>,
    count: u32,
}

impl Plain for Config {}

impl Config {
    pub fn request(self) -> Result<Request> {
        let Self { grid, block, dynamic_shared, stream, .. } = self;
        let mut request = Request::new(grid, block, dynamic_shared, stream);
        for attribute in self.attributes.list(self.count as usize)? {
            let [first, second, third, ..] = attribute.value;
            if attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION as u32 {
                request.cluster = Some([first, second, third]);
            } else if attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE as u32 {
                request.cooperative = first != 0;
            } else if attribute.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION as u32 {
                request.programmatic = first != 0;
            }
            // The other attributes affect time, and change no result.
        }
        Ok(request)
    }
}

fn product(extents: [u32; 3]) -> u64 {
    extents.iter().map(|extent| u64::from(*extent)).product()
}

impl Function {
    pub fn max_threads(&self) -> u32 {
        let required = self.attributes.required_block.map(product);
        let most = required.or(self.attributes.max_threads).unwrap_or(THREADS_PER_BLOCK.into());
        most.min(THREADS_PER_BLOCK.into()) as u32
    }

    /// Returns the number of blocks that a multiprocessor runs at the same time.
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic_shared: u64) -> u32 {
        if threads == 0 || threads > self.max_threads() {
            return 0;
        }
        limits::blocks_per_multiprocessor(threads, u64::from(self.attributes.static_shared) + dynamic_shared)
    }

    /// Returns the number of clusters that the device runs at the same time.
    pub fn active_clusters(&self, request: &Request) -> Result<u32> {
        let cluster = self.cluster(request)?;
        let threads = product(request.block).min(u32::MAX.into()) as u32;
        let blocks = self.blocks_per_multiprocessor(threads, request.dynamic_shared.into());
        Ok(blocks * MULTIPROCESSORS / product(cluster) as u32)
    }

    /// Returns the cluster of a launch.
    fn cluster(&self, request: &Request) -> Result<[u32; 3]> {
        let required = self.attributes.required_cluster;
        let Some(cluster) = request.cluster.or(required) else {
            if self.attributes.explicit_cluster {
                return fail(
                    CUDA_ERROR_INVALID_CLUSTER_SIZE,
                    "the kernel needs a cluster, and the launch names none",
                );
            }
            return Ok([1; 3]);
        };
        if required.is_some_and(|required| required != cluster) {
            let why = format!("a cluster of {cluster:?}, but the kernel is for {required:?}");
            return fail(CUDA_ERROR_INVALID_CLUSTER_SIZE, why);
        }
        let most = if self.large_clusters { LARGEST_CLUSTER } else { PORTABLE_CLUSTER };
        let blocks = product(cluster);
        if blocks == 0 || blocks > most.into() {
            let why =
                format!("a cluster of {cluster:?} has {blocks} blocks; this kernel may have 1 to {most}");
            return fail(CUDA_ERROR_INVALID_CLUSTER_SIZE, why);
        }
        Ok(cluster)
    }

    /// Checks a launch as the driver does, and returns its cluster.
    pub fn accept(&self, request: &Request) -> Result<[u32; 3]> {
        let Request { grid, block, dynamic_shared, .. } = *request;
        let refuse = |why: String| fail(CUDA_ERROR_INVALID_VALUE, format!("`{}`: {why}", self.label()));
        let within = |extents: [u32; 3], most: [u32; 3]| {
            extents.iter().zip(most).all(|(extent, most)| (1..=most).contains(extent))
        };
        if !within(grid, GRID) || !within(block, BLOCK) {
            return refuse(format!("a grid of {grid:?} and blocks of {block:?}"));
        }
        if product(block) > self.max_threads().into() {
            return refuse(format!(
                "blocks of {block:?}, but there are {} threads at most",
                self.max_threads()
            ));
        }
        if let Some(required) = self.attributes.required_block.filter(|required| *required != block) {
            return refuse(format!("blocks of {block:?}, but the kernel is for {required:?}"));
        }
        if dynamic_shared > self.max_dynamic_shared {
            let most = self.max_dynamic_shared;
            return refuse(format!(
                "{dynamic_shared} bytes of dynamic shared memory, but {most} are allowed"
            ));
        }
        let cluster = self.cluster(request)?;
        if grid.iter().zip(cluster).any(|(grid, cluster)| !grid.is_multiple_of(cluster)) {
            return refuse(format!("a grid of {grid:?} is not made of clusters of {cluster:?}"));
        }
        if request.cooperative {
            let resident = u64::from(self.active_clusters(request)?) * product(cluster);
            if product(grid) > resident {
                let why = format!("`{}`: {} blocks, but {resident} run at once", self.label(), product(grid));
                return fail(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, why);
            }
        }
        Ok(cluster)
    }

    /// Returns the bytes of the parameters: from an array of pointers to each, or as a whole from `extra`.
    pub fn parameters(&self, values: In<In<u8>>, extra: In<usize>) -> Result<Vec<u8>> {
        let parameters = &self.attributes.parameters;
        if !values.is_null() || extra.is_null() {
            let mut list = Vec::new();
            for (index, parameter) in parameters.iter().enumerate() {
                list.push(values.at(index)?.list(parameter.bytes as usize)?);
            }
            let list: Vec<&[u8]> = list.iter().map(Vec::as_slice).collect();
            return Ok(ptx_emu::lay_out(parameters, &list));
        }
        // `extra` has pairs of a name and a pointer, up to the name 0. Name 1 is for the bytes, name 2 for their number.
        let (mut bytes, mut count, mut at) = (None, None, 0);
        loop {
            match extra.at(at)? {
                0 => break,
                1 => bytes = Some(crate::boundary::Host(extra.at(at + 1)?)),
                2 => count = Some(crate::boundary::Host(extra.at(at + 1)?)),
                other => {
                    return fail(CUDA_ERROR_INVALID_VALUE, format!("`extra` has the unknown name {other}"));
                }
            }
            at += 2;
        }
        let (Some(bytes), Some(count)) = (bytes, count) else {
            return fail(CUDA_ERROR_INVALID_VALUE, "`extra` lacks the parameters or their size");
        };
        let count = count.read(size_of::<usize>())?;
        let count = usize::from_ne_bytes(count.try_into().unwrap_or_default());
        let needed = parameters.last().map_or(0, |last| (last.offset + last.bytes) as usize);
        if count < needed {
            return fail(
                CUDA_ERROR_INVALID_VALUE,
                format!("{count} bytes of parameters, but the kernel has {needed}"),
            );
        }
        bytes.read(count)
    }
}

impl Driver {
    /// Runs a kernel under each schedule. Fails with the error of the kernel or of a finding.
    pub fn run(&mut self, launch: &Launch) -> std::result::Result<(), CUresult> {
        let schedules =
            self.environment.seed..self.environment.seed.saturating_add(self.environment.schedules);
        let before = (self.environment.schedules > 1).then(|| self.device.clone());
        let mut first = None;
        for schedule in schedules {
            if let (Some(before), Some(_)) = (&before, &first) {
                self.device.clone_from(before);
            }
            self.run_once(launch, schedule, first.is_none())?;
            match &first {
                None if before.is_some() => first = Some((schedule, self.device.clone())),
                None => {}
                Some(_) if self.asks_for_open_values(launch) => {}
                Some((other, device)) => {
                    if let Some(address) = self.device.difference(device) {
                        say(format_args!(
                            "`{}`: the byte at {address:#x} differs between the schedules {other} and {schedule}",
                            self.label(launch)
                        ));
                        self.tell(CUDA_ERROR_LAUNCH_FAILED)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn asks_for_open_values(&self, launch: &Launch) -> bool {
        let module = self.functions.get(launch.function).and_then(|of| self.modules.get(of.module));
        module.is_ok_and(|module| module.module.asks_for_open_values())
    }

    fn label(&self, launch: &Launch) -> String {
        self.functions.get(launch.function).map_or_else(|_| "?".into(), |function| function.label().into())
    }

    /// Returns the error of a finding, if findings fail a launch.
    fn tell(&self, error: CUresult) -> std::result::Result<(), CUresult> {
        if self.environment.findings_fail { Err(error) } else { Ok(()) }
    }

    fn run_once(
        &mut self,
        launch: &Launch,
        schedule: u64,
        prints: bool,
    ) -> std::result::Result<(), CUresult> {
        let label = self.label(launch);
        let Ok(module) = self.functions.get(launch.function).and_then(|of| self.modules.get(of.module))
        else {
            say(format_args!("the module of a kernel in a graph is unloaded"));
            return Err(CUDA_ERROR_INVALID_HANDLE);
        };
        let options = self.environment.options(schedule);
        let noted = Noted::new();
        let report = self.device.launch(&module.module, &label, &launch.shape, &options);
        drop(noted);
        let report = report.map_err(|error: LaunchError| {
            say(error);
            CUDA_ERROR_INVALID_VALUE
        })?;
        if prints {
            let mut stdout = std::io::stdout().lock();
            // If the program has closed its output, the text is lost.
            let _ = stdout.write_all(report.printed.as_bytes()).and_then(|()| stdout.flush());
        }
        if let (Some(path), Some(trace)) = (&self.environment.trace, &report.trace) {
            // The launch does not fail because of its trace.
            if let Err(error) = std::fs::write(path, trace.to_json()) {
                say(format_args!("the trace cannot be written to {}: {error}", path.display()));
            }
        }
        self.judge(&report, &label, schedule)
    }

    fn judge(&self, report: &Report, label: &str, schedule: u64) -> std::result::Result<(), CUresult> {
        for finding in &report.findings {
            say(format_args!("schedule {schedule}: {finding}"));
        }
        if let Some(fault) = &report.fault {
            say(format_args!("schedule {schedule}: `{label}` fails: {fault}"));
            return Err(match fault.kind {
                FaultKind::Address => CUDA_ERROR_ILLEGAL_ADDRESS,
                FaultKind::Misaligned => CUDA_ERROR_MISALIGNED_ADDRESS,
                FaultKind::Instruction => CUDA_ERROR_ILLEGAL_INSTRUCTION,
                FaultKind::Assert => CUDA_ERROR_ASSERT,
                FaultKind::Limit | FaultKind::Interrupt => CUDA_ERROR_LAUNCH_TIMEOUT,
                _ => CUDA_ERROR_LAUNCH_FAILED,
            });
        }
        // A grid in a deadlock has not done its work, so the launch fails in any case.
        if report.findings.iter().any(|finding| finding.rule == Rule::Deadlock) {
            return Err(CUDA_ERROR_LAUNCH_TIMEOUT);
        }
        if report.findings.is_empty() { Ok(()) } else { self.tell(CUDA_ERROR_LAUNCH_FAILED) }
    }
}
