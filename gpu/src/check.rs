//! What a check is, and the list of all checks.

use std::time::Duration;

use anyhow::{Result, bail};
use ptx_host::{Device, Stream};
use serde_json::Value;

use crate::cli::Options;
use crate::{axpy_checks, host_checks, kernels, library_checks, math_checks, suite, tensor_checks};

/// Time allowed for a check besides its launches: driver start, test data, copies.
pub const OVERHEAD: Duration = Duration::from_secs(90);

/// The function of a check.
pub type Run = dyn Fn(&Gpu) -> Result<Finding>;

/// A check, which runs in its own process.
pub struct Check {
    pub name: String,
    /// Time after which the process is killed and the check counts as hung.
    pub limit: Duration,
    pub run: Box<Run>,
}

/// The result of a check that passed.
#[derive(Debug, Default)]
pub struct Finding {
    pub detail: String,
    /// Numbers for the JSON report.
    pub data: Value,
}

impl From<String> for Finding {
    fn from(detail: String) -> Self {
        Self { detail, data: Value::Null }
    }
}

/// A device, a stream, and the timeout of a launch.
pub struct Gpu {
    pub device: Device,
    pub stream: Stream,
    pub timeout: Duration,
}

impl Gpu {
    pub fn open(options: &Options) -> Result<Self> {
        let device = Device::open(options.device)?;
        let stream = Stream::new(&device)?;
        Ok(Self { device, stream, timeout: options.timeout() })
    }

    pub fn wait(&self) -> ptx_host::Result<()> {
        self.stream.wait(self.timeout)
    }
}

impl Check {
    /// Makes a check with the usual time limit.
    pub fn new(
        name: impl Into<String>,
        options: &Options,
        run: impl Fn(&Gpu) -> Result<Finding> + 'static,
    ) -> Self {
        Self { name: name.into(), limit: OVERHEAD + options.timeout(), run: Box::new(run) }
    }

    /// Makes a check that fails, because a file that it needs is missing.
    pub fn missing(name: impl Into<String>, options: &Options, problem: String) -> Self {
        Self::new(name, options, move |_| bail!("{problem}"))
    }
}

/// Returns all checks.
pub fn all(options: &Options) -> Result<Vec<Check>> {
    let mut checks = host_checks::list(options);
    checks.extend(axpy_checks::list(options)?);
    checks.extend(kernels::list(options)?);
    checks.extend(library_checks::list(options)?);
    checks.extend(math_checks::list(options)?);
    checks.extend(tensor_checks::list(options)?);
    checks.extend(suite::list(options, suite::SUITES)?);
    Ok(checks)
}

/// Returns the checks whose names contain one of `parts`, or all checks if `parts` is empty.
pub fn select(checks: Vec<Check>, parts: &[String]) -> Result<Vec<Check>> {
    if let Some(unknown) = parts.iter().find(|part| !checks.iter().any(|check| check.name.contains(*part))) {
        bail!("no check has `{unknown}` in its name; `--list` shows the names");
    }
    let wanted = |check: &Check| parts.is_empty() || parts.iter().any(|part| check.name.contains(part));
    Ok(checks.into_iter().filter(wanted).collect())
}
