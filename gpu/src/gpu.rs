//! A GPU: its context, a stream, and its properties.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use ptx_host::cudarc::driver::sys::{CUdevice_attribute as Attribute, CUevent_flags};
use ptx_host::cudarc::driver::{CudaContext, CudaEvent, CudaGraph, CudaStream};
use serde_json::{Value, json};

use crate::options::Options;

/// A context, a stream, and the timeout of a launch.
pub struct Gpu {
    pub context: Arc<CudaContext>,
    pub stream: Arc<CudaStream>,
    pub timeout: Duration,
}

impl Gpu {
    pub fn open(options: &Options) -> Result<Self> {
        let context = ptx_host::open(options.device)?;
        // This stream can be captured. As the only stream, it orders all work without events, which would be timed too.
        let stream = context.per_thread_stream();
        Ok(Self { context, stream, timeout: options.timeout() })
    }

    /// Returns a GPU with a stream of its own: typed launches take no per-thread stream.
    pub fn with_stream(&self) -> Result<Self> {
        Ok(Self { context: self.context.clone(), stream: self.context.new_stream()?, timeout: self.timeout })
    }

    pub fn wait(&self) -> ptx_host::Result<()> {
        ptx_host::wait(&self.stream, self.timeout)
    }

    /// Records an event with timing on the stream.
    pub fn record(&self) -> Result<CudaEvent> {
        Ok(self.stream.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?)
    }

    /// Captures the work that `work` puts on the stream as a graph; the work does not run.
    pub fn capture(&self, work: impl FnOnce() -> Result<()>) -> Result<CudaGraph> {
        let (graph, done) = ptx_host::bench::capture(&self.stream, work)?;
        done?;
        Ok(graph?)
    }
}

/// Properties of a device, for the reports.
#[derive(Debug, Clone)]
pub struct DeviceInfo {
    pub name: String,
    /// CUDA version that the driver supports.
    pub driver: String,
    pub compute_capability: (i32, i32),
    pub multiprocessors: u32,
    pub l2_bytes: u32,
    pub max_shared_bytes: u32,
}

impl DeviceInfo {
    pub fn of(context: &CudaContext) -> Result<Self> {
        let get = |attribute| context.attribute(attribute).map(i32::unsigned_abs);
        let driver = ptx_host::driver_version()?;
        Ok(Self {
            name: context.name()?,
            driver: format!("{}.{}", driver.0, driver.1),
            compute_capability: context.compute_capability()?,
            multiprocessors: get(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            l2_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
            max_shared_bytes: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        })
    }

    /// Returns the properties for the JSON report.
    pub fn data(&self) -> Value {
        json!({
            "name": self.name,
            "driver": self.driver,
            "compute_capability": self.compute_capability,
            "multiprocessors": self.multiprocessors,
            "l2_bytes": self.l2_bytes,
            "max_shared_bytes": self.max_shared_bytes,
        })
    }
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, driver, compute_capability: (major, minor), multiprocessors, .. } = self;
        write!(f, "{name} (sm_{major}{minor}, {multiprocessors} SMs), CUDA {driver}")
    }
}
