//! A C library that launches kernels of `ptx` on the memory and the stream of its caller. A program in another language, such as
//! `bench/compare/tensor_compare.py` with PyTorch, loads it to compare kernels in one process.
//!
//! Each function returns null, or the text of an error, which is valid until the thread's next call. Kernels run in the primary
//! context of the device, which the CUDA runtime uses too, and stay loaded until the process ends.

mod call;
mod kernels;

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fs, ptr, slice};

use anyhow::{Context as _, Result, anyhow};
use ptx_host::cudarc::driver::CudaContext;
use ptx_host::{Kernels, LoadedKernels};

use self::call::Call;
pub use self::call::PtxMemory;
use self::kernels::{KERNELS, Kernel, Launch};

/// The target of the images, as `./x bundle` makes them.
const TARGET: &str = "sm_90a";

/// A loaded kernel.
struct Loaded {
    kernel: &'static Kernel,
    context: Arc<CudaContext>,
    launch: Box<Launch>,
}

/// What the process has opened and loaded. A handle is an index into the kernels.
struct State {
    contexts: BTreeMap<u32, Arc<CudaContext>>,
    loaded: Vec<Arc<Loaded>>,
}

static STATE: Mutex<State> = Mutex::new(State { contexts: BTreeMap::new(), loaded: Vec::new() });

fn with_state<R>(run: impl FnOnce(&mut State) -> R) -> R {
    run(&mut STATE.lock().unwrap_or_else(PoisonError::into_inner))
}

impl State {
    /// Returns the context of the device. A launch needs the one that its kernel was loaded in, so each device is opened once.
    fn context(&mut self, device: u32) -> Result<Arc<CudaContext>> {
        Ok(match self.contexts.entry(device) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => place.insert(ptx_host::open(device as usize)?).clone(),
        })
    }
}

/// Returns the kernels that the library can load, as JSON: a list of objects with the name, the operation, the variant, the memory
/// (names and element types) and the names of the numbers.
#[unsafe(no_mangle)]
pub extern "C" fn ptx_kernels() -> *const c_char {
    static TEXT: OnceLock<CString> = OnceLock::new();
    TEXT.get_or_init(|| c_text(kernels::description().to_string())).as_ptr()
}

/// Writes the number, in the list of [`ptx_kernels()`], of the instance of `gemm` that a model takes for the fastest: of a product
/// m × k by k × n of elements of this type, on so many multiprocessors.
///
/// # Safety
///
/// `element` is text that ends with a NUL, and `chosen` is valid for a write.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_chosen_gemm(
    element: *const c_char,
    m: u32,
    n: u32,
    k: u32,
    multiprocessors: u32,
    chosen: *mut u32,
) -> *const c_char {
    told(|| {
        // SAFETY: `element` is text that ends with a NUL: `# Safety`.
        let element = unsafe { CStr::from_ptr(element).to_str()? };
        let number = kernels::chosen(element, [m, n, k], multiprocessors)?;
        // SAFETY: `chosen` is valid for a write: `# Safety`.
        unsafe { chosen.write(u32::try_from(number)?) };
        Ok(())
    })
}

/// Loads a kernel from an image, a cubin or PTX, and writes its handle.
///
/// # Safety
///
/// `kernel` and `image` are text that ends with a NUL, and `handle` is valid for a write. The image is of this repository's
/// `kernels/` and was made by `ptx-link`, and if it is a cubin, by ptxas from that. So are the images of the kernel's parts, whose
/// files have the name of the part in place of that of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_load(
    kernel: *const c_char,
    image: *const c_char,
    device: u32,
    handle: *mut u32,
) -> *const c_char {
    told(|| {
        // SAFETY: both are text that ends with a NUL: `# Safety`.
        let (name, path) = unsafe { (CStr::from_ptr(kernel).to_str()?, CStr::from_ptr(image).to_str()?) };
        let known = || KERNELS.iter().map(|kernel| kernel.name).collect::<Vec<_>>().join(", ");
        let kernel = KERNELS.iter().find(|kernel| kernel.name == name);
        let kernel =
            kernel.with_context(|| format!("the library has no kernel `{name}`; it has {}", known()))?;
        let loaded = with_state(|state| {
            let context = state.context(device)?;
            let load = |path: &str| -> Result<LoadedKernels> {
                let bytes = fs::read(path).with_context(|| format!("cannot read the image {path}"))?;
                let images = [(TARGET, &bytes[..])];
                // SAFETY: the image is what `ptx-link` made: `# Safety`.
                Ok(unsafe { Kernels::new(path, &images) }.load(&context)?)
            };
            let (folder, file) = path.rsplit_once('/').unwrap_or((".", path));
            let part = |part: &&str| load(&format!("{folder}/{}", file.replace(name, part)));
            let parts = kernel.parts.iter().map(part).collect::<Result<Vec<_>>>()?;
            let launch = (kernel.load)(&load(path)?, &parts)?;
            state.loaded.push(Arc::new(Loaded { kernel, context, launch }));
            u32::try_from(state.loaded.len() - 1).context("too many kernels are loaded")
        })?;
        // SAFETY: `handle` is valid for a write: `# Safety`.
        unsafe { handle.write(loaded) };
        Ok(())
    })
}

/// Launches a loaded kernel on a stream of its device: `CUstream`, null for the legacy default stream.
///
/// # Safety
///
/// 1. `memory` and `numbers` point to so many values.
/// 2. The stream is one of the primary context of the kernel's device, and lives until the kernel has ended.
/// 3. Until the kernel has ended, each memory is allocated in that context and initialized. Nothing else accesses the memory that
///    the kernel writes, nor does it overlap other memory of the call, and nothing writes the rest.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptx_launch(
    handle: u32,
    memory: *const PtxMemory,
    memories: usize,
    numbers: *const u64,
    count: usize,
    stream: *mut c_void,
) -> *const c_char {
    told(|| {
        let loaded = with_state(|state| state.loaded.get(handle as usize).cloned());
        let Loaded { kernel, context, launch } =
            &*loaded.with_context(|| format!("no kernel is loaded with the handle {handle}"))?;
        // SAFETY: clause 2 of `# Safety`. Work on the stream follows in order.
        let stream = unsafe { context.wrap_borrowed_stream(stream.cast()) };
        // SAFETY: clauses 1 and 3 of `# Safety`.
        let call = unsafe { Call::new(kernel, array(memory, memories), array(numbers, count))? };
        launch(&stream, call).with_context(|| format!("launching {}", kernel.name))
    })
}

/// Returns the values of an array of C, whose address may be null if it is empty.
///
/// # Safety
///
/// `values` points to `count` values.
unsafe fn array<'a, T>(values: *const T, count: usize) -> &'a [T] {
    // SAFETY: `# Safety` of this function.
    if count == 0 { &[] } else { unsafe { slice::from_raw_parts(values, count) } }
}

thread_local! {
    /// The error that the thread's last call returned.
    static ERROR: RefCell<CString> = RefCell::default();
}

/// Runs a function of the library. Returns null, or the text of the error or panic.
fn told(run: impl FnOnce() -> Result<()>) -> *const c_char {
    let panicked = |panic: Box<dyn Any + Send>| Err(anyhow!("the library panicked: {}", message(&*panic)));
    match catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(panicked) {
        Ok(()) => ptr::null(),
        Err(error) => ERROR.with_borrow_mut(|text| {
            *text = c_text(format!("{error:#}"));
            text.as_ptr()
        }),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

/// Returns the text for C, without the NULs that may be in it.
fn c_text(text: String) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}
