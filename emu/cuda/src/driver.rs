//! The state of the driver: contexts, modules, streams, events, graphs. A handle is a number that is never used twice.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::thread::ThreadId;
use std::time::Instant;

use cudarc::driver::sys::CUresult::{self, *};
use ptx_emu::Device;

use crate::boundary::{HostFunction, Pages, Result, fail};
use crate::copy::{Copy, Fill};
use crate::environment::Environment;
use ptx_emu::limits::SHARED_WITHOUT_OPT_IN;

/// CUDA 13.5, whose newest PTX is 9.5.
pub const VERSION: (u32, u32) = (13, 5);

/// The first bytes of a cubin and of a fat binary.
pub const BINARIES: [&[u8]; 2] = [b"\x7fELF", &[0x50, 0xed, 0x55, 0xba]];

pub type Handle = usize;

thread_local! {
    /// The contexts of the thread. The last one is current.
    static CONTEXTS: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
}

/// Objects by their handles.
#[derive(Debug)]
pub struct Table<T>(BTreeMap<Handle, T>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> Table<T> {
    pub fn get(&self, handle: Handle) -> Result<&T> {
        self.0.get(&handle).ok_or_else(|| CUDA_ERROR_INVALID_HANDLE.into())
    }

    pub fn get_mut(&mut self, handle: Handle) -> Result<&mut T> {
        self.0.get_mut(&handle).ok_or_else(|| CUDA_ERROR_INVALID_HANDLE.into())
    }

    pub fn insert(&mut self, handle: Handle, value: T) {
        self.0.insert(handle, value);
    }

    pub fn remove(&mut self, handle: Handle) -> Result<T> {
        self.0.remove(&handle).ok_or_else(|| CUDA_ERROR_INVALID_HANDLE.into())
    }

    pub fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.0.iter().map(|(handle, value)| (*handle, value))
    }
}

#[derive(Debug, Default)]
pub struct Context {
    pub flags: u32,
    pub limits: BTreeMap<u32, usize>,
    /// The error of a failed kernel, which every later call returns.
    pub error: Option<CUresult>,
}

#[derive(Debug)]
pub struct Module {
    pub context: Handle,
    pub module: ptx_emu::Module,
    /// `CU_JIT_MAX_REGISTERS`.
    pub max_registers: Option<u32>,
}

#[derive(Debug)]
pub struct Function {
    pub module: Handle,
    pub name: CString,
    pub attributes: ptx_emu::Attributes,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`.
    pub max_dynamic_shared: u32,
    pub carveout: i32,
    /// `CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED`.
    pub large_clusters: bool,
}

impl Function {
    pub fn label(&self) -> std::borrow::Cow<'_, str> {
        self.name.to_string_lossy()
    }
}

#[derive(Debug)]
pub struct Stream {
    pub context: Handle,
    pub flags: u32,
    pub priority: i32,
}

/// A stream that can be captured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamKey {
    Made(Handle),
    Legacy,
    PerThread(ThreadKey),
}

pub type ThreadKey = u64;

/// A capture in progress.
#[derive(Debug)]
pub struct Capture {
    pub origin: StreamKey,
    pub work: Vec<Work>,
}

#[derive(Debug)]
pub struct Event {
    pub has_time: bool,
    pub recorded: Option<Instant>,
    /// The capture that recorded the event last.
    pub capture: Option<Handle>,
}

/// A launch that the driver has accepted.
#[derive(Debug, Clone)]
pub struct Launch {
    pub function: Handle,
    pub shape: ptx_emu::Launch,
}

/// An operation of a stream. A graph is a list of operations.
#[derive(Debug, Clone)]
pub enum Work {
    Launch(Launch),
    Copy(Copy),
    Fill(Fill),
    Call(HostFunction),
}

#[derive(Debug, Default)]
pub struct Driver {
    pub initialized: bool,
    pub environment: Environment,
    next: Handle,
    threads: Vec<ThreadId>,
    pub device: Device,
    pub primary: Option<Handle>,
    pub primary_count: usize,
    pub primary_flags: u32,
    pub contexts: Table<Context>,
    pub modules: Table<Module>,
    pub functions: Table<Function>,
    pub streams: Table<Stream>,
    pub events: Table<Event>,
    pub graphs: Table<Vec<Work>>,
    pub executables: Table<Vec<Work>>,
    pub captures: Table<Capture>,
    /// The capture of each captured stream.
    pub captured: BTreeMap<StreamKey, Handle>,
    /// Memory pools, with the values of their attributes.
    pub pools: Table<BTreeMap<u32, u64>>,
    pub default_pool: Option<Handle>,
    pub current_pool: Option<Handle>,
    /// Bytes of each allocation of the device.
    pub allocations: BTreeMap<u64, usize>,
    pub pinned: BTreeMap<usize, Pages>,
    /// The stream whose last work is a kernel for which nothing has waited: a programmatic launch may overlap with it.
    pub running: Option<Handle>,
}

impl Driver {
    /// Reads the environment. The program sees no device if the environment hides it.
    pub fn init(&mut self) -> Result {
        self.environment = Environment::read()?;
        if self.environment.hidden {
            return Err(CUDA_ERROR_NO_DEVICE.into());
        }
        self.initialized = true;
        Ok(())
    }

    pub fn new_handle(&mut self) -> Handle {
        // Small numbers name the default streams.
        self.next += 16;
        self.next + 0x1000
    }

    /// Returns the context of the calling thread. Fails if a kernel has failed in the context.
    pub fn context(&self) -> Result<Handle> {
        let current = current_context()?.ok_or(CUDA_ERROR_INVALID_CONTEXT)?;
        let context = self.contexts.get(current).map_err(|_| CUDA_ERROR_CONTEXT_IS_DESTROYED)?;
        context.error.map_or(Ok(current), |error| Err(error.into()))
    }

    pub fn new_context(&mut self, flags: u32) -> Handle {
        let handle = self.new_handle();
        self.contexts.insert(handle, Context { flags, ..Context::default() });
        handle
    }

    pub fn destroy_context(&mut self, context: Handle) -> Result {
        self.contexts.remove(context).map_err(|_| CUDA_ERROR_INVALID_CONTEXT)?;
        self.streams.0.retain(|_, stream| stream.context != context);
        let modules: Vec<_> =
            self.modules.iter().filter(|(_, module)| module.context == context).map(|(m, _)| m).collect();
        modules.into_iter().try_for_each(|module| self.unload(module))
    }

    /// Returns the key and the context of the stream of a handle.
    pub fn stream(&mut self, handle: Handle) -> Result<(StreamKey, Handle)> {
        let current = self.context()?;
        Ok(match handle {
            0 | 1 => (StreamKey::Legacy, current),
            2 => (StreamKey::PerThread(self.thread()), current),
            _ => (StreamKey::Made(handle), self.streams.get(handle)?.context),
        })
    }

    fn thread(&mut self) -> ThreadKey {
        let id = std::thread::current().id();
        let known = self.threads.iter().position(|thread| *thread == id);
        known.unwrap_or_else(|| {
            self.threads.push(id);
            self.threads.len() - 1
        }) as ThreadKey
    }

    /// Fails if the stream is captured, because the function has no place in a graph.
    pub fn not_captured(&mut self, stream: Handle) -> Result {
        let (key, _) = self.stream(stream)?;
        if self.captured.contains_key(&key) {
            return Err(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED.into());
        }
        Ok(())
    }

    /// Loads an image: PTX for this device or an older one.
    pub fn load(&mut self, image: &[u8], max_registers: Option<u32>) -> Result<Handle> {
        let context = self.context()?;
        if BINARIES.iter().any(|start| image.starts_with(start)) {
            let why = "the image holds machine code, and the emulated device runs PTX alone; load the PTX";
            return fail(CUDA_ERROR_NO_BINARY_FOR_GPU, why);
        }
        let module = match self.device.load(&String::from_utf8_lossy(image)) {
            Ok(module) => module,
            Err(error) => return fail(CUDA_ERROR_INVALID_PTX, error.to_string()),
        };
        let checked = check_version(module.version()).and_then(|()| check_target(module.target()));
        if let Err(failure) = checked {
            self.device.unload(module);
            return Err(failure);
        }
        let handle = self.new_handle();
        self.modules.insert(handle, Module { context, module, max_registers });
        Ok(handle)
    }

    pub fn unload(&mut self, module: Handle) -> Result {
        let removed = self.modules.remove(module)?;
        self.functions.0.retain(|_, function| function.module != module);
        self.device.unload(removed.module);
        Ok(())
    }

    /// Returns the handle of a kernel, which is the same at each call.
    pub fn function(&mut self, module: Handle, name: &str) -> Result<Handle> {
        let known = self.functions.iter().find(|(_, f)| f.module == module && f.label() == name);
        if let Some((handle, _)) = known {
            return Ok(handle);
        }
        let attributes = self.modules.get(module)?.module.attributes(name).ok_or(CUDA_ERROR_NOT_FOUND)?;
        let handle = self.new_handle();
        let max_dynamic_shared = SHARED_WITHOUT_OPT_IN.saturating_sub(attributes.static_shared);
        let name = CString::new(name).map_err(|_| CUDA_ERROR_NOT_FOUND)?;
        let function =
            Function { module, name, attributes, max_dynamic_shared, carveout: -1, large_clusters: false };
        self.functions.insert(handle, function);
        Ok(handle)
    }

    pub fn default_pool(&mut self) -> Handle {
        if let Some(pool) = self.default_pool {
            return pool;
        }
        let pool = self.new_handle();
        self.pools.insert(pool, BTreeMap::new());
        self.default_pool = Some(pool);
        pool
    }
}

fn check_version(version: &str) -> Result {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let found = (major.trim().parse().unwrap_or(u32::MAX), minor.trim().parse().unwrap_or(u32::MAX));
    // CUDA 13.n has PTX 9.n.
    let newest = (VERSION.0 - 4, VERSION.1);
    if found <= newest {
        return Ok(());
    }
    let why = format!(
        "PTX of version {version}, but the newest that the driver knows is {}.{}",
        newest.0, newest.1
    );
    fail(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, why)
}

/// Checks a target. PTX runs on its target and on newer ones; PTX for `sm_90a` only on compute capability 9.0.
fn check_target(target: &str) -> Result {
    let name = target.split(',').next().unwrap_or_default().trim();
    let number = name.trim_start_matches("sm_").trim_end_matches(['a', 'f']);
    let runs = match number.parse::<u32>() {
        Ok(90) => true,
        Ok(number) => number < 90 && !name.ends_with(['a', 'f']),
        Err(_) => false,
    };
    if runs {
        return Ok(());
    }
    fail(CUDA_ERROR_INVALID_PTX, format!("PTX for {name}, but the emulated device is of sm_90a"))
}

fn current_context() -> Result<Option<Handle>> {
    with_contexts(|contexts| contexts.last().copied())
}

/// Calls a function with the contexts of the thread. Fails while the thread ends.
pub fn with_contexts<R>(use_them: impl FnOnce(&mut Vec<Handle>) -> R) -> Result<R> {
    CONTEXTS
        .try_with(|contexts| use_them(&mut contexts.borrow_mut()))
        .map_err(|_| CUDA_ERROR_INVALID_CONTEXT.into())
}

/// Fails with the message that a feature is not emulated.
pub fn unsupported(what: &str) -> Result {
    fail(CUDA_ERROR_NOT_SUPPORTED, format!("{what} is not emulated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_of_newer_targets_and_versions_is_refused() {
        for target in ["sm_50", "sm_75, debug", "sm_90", "sm_90a"] {
            check_target(target).unwrap();
        }
        for target in ["sm_100", "sm_100a", "sm_100f", "sm_120", "sm_", "90x"] {
            assert!(check_target(target).unwrap_err().why.unwrap().contains("sm_90a"), "{target}");
        }
        for version in ["6.0", "8.7", "9.0", "9.5"] {
            check_version(version).unwrap();
        }
        for version in ["9.6", "10.0", "99.0", "x"] {
            assert!(check_version(version).unwrap_err().why.unwrap().contains("9.5"), "{version}");
        }
    }
}
