//! The boundary to C: the pointers that C passes, and the functions of the program that the driver calls.
//!
//! Rust code cannot make the pointers of this module. Each comes from C as an argument of an exported function, or lies in memory
//! that such an argument points to. The driver's API asks for the following, and every block of `unsafe` here rests on it.
//!
//! # Safety
//!
//! 1. A pointer to one value is null, or valid for a read or a write of the value, as the function reads or writes it.
//! 2. A pointer to an array or to memory is null, or valid in the same way for the number of elements that the other arguments
//!    state, until the function returns; if the stream is captured, until the last launch of the graph.
//! 3. A text is null, or ends in NUL. An image is null, an ELF file, or a text.
//! 4. A function may be called with the arguments that the API states.

use std::cell::Cell;
use std::ffi::{CStr, c_char};
use std::fmt;
use std::io::Write as _;
use std::ptr;

use cudarc::driver::sys::CUresult::{self, *};

/// The reason why a call fails.
#[derive(Debug)]
pub struct Failure {
    pub code: CUresult,
    /// The details that the code does not state. They go to stderr.
    pub why: Option<String>,
}

impl From<CUresult> for Failure {
    fn from(code: CUresult) -> Self {
        Self { code, why: None }
    }
}

pub type Result<T = ()> = std::result::Result<T, Failure>;

/// Fails with a reason.
pub fn fail<T>(code: CUresult, why: impl Into<String>) -> Result<T> {
    Err(Failure { code, why: Some(why.into()) })
}

/// Writes a line to stderr, and ignores an error.
pub fn say(line: impl fmt::Display) {
    let _ = writeln!(std::io::stderr(), "ptx-emu: {line}");
}

thread_local! {
    /// True while the thread runs a function of the program for a stream. Such a function may not call the driver.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if the thread runs a function of the program for a stream.
pub fn is_in_host_function() -> bool {
    IN_HOST_FUNCTION.get()
}

/// The place where a function writes a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Out<T> {}

impl<T> Out<T> {
    pub fn put(self, value: T) -> Result {
        if self.0.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        // SAFETY: clause 1 of the module's `# Safety`. The alignment is unknown.
        unsafe { self.0.write_unaligned(value) };
        Ok(())
    }

    /// Writes a result that the program may not want.
    pub fn put_if_wanted(self, value: T) -> Result {
        if self.0.is_null() { Ok(()) } else { self.put(value) }
    }

    /// Reads the value at the place.
    pub fn get(self) -> Result<T>
    where
        T: Plain,
    {
        In(self.0.cast_const()).get()
    }

    /// Returns the same place with another type.
    pub fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// Writes the elements of an array, which has room for them.
    pub fn put_all(self, values: impl IntoIterator<Item = T>) -> Result {
        for (i, value) in values.into_iter().enumerate() {
            // SAFETY: clause 2 of the module's `# Safety`.
            Out(if self.0.is_null() { self.0 } else { unsafe { self.0.add(i) } }).put(value)?;
        }
        Ok(())
    }
}

/// A value or an array that a function reads.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for In<T> {}

/// A type of which every sequence of bytes is a value.
pub trait Plain: Copy {}
impl Plain for i32 {}
impl Plain for u8 {}
impl<const N: usize> Plain for [u8; N] {}
impl Plain for u32 {}
impl Plain for u64 {}
impl Plain for usize {}
impl<T> Plain for In<T> {}
impl<T> Plain for Out<T> {}
impl Plain for Host {}

impl<T: Plain> In<T> {
    pub fn null() -> Self {
        Self(ptr::null())
    }

    /// Returns the same place with another type.
    pub fn cast<U>(self) -> In<U> {
        In(self.0.cast())
    }

    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub fn get(self) -> Result<T> {
        self.at(0)
    }

    /// Reads an element of an array.
    pub fn at(self, index: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        // SAFETY: clauses 1 and 2 of the module's `# Safety`. The alignment is unknown.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }

    pub fn list(self, count: usize) -> Result<Vec<T>> {
        (0..count).map(|index| self.at(index)).collect()
    }
}

/// A pointer to a text.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Text(*const c_char);

impl Plain for Text {}

impl Text {
    pub fn get(self) -> Result<String> {
        if self.0.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        // SAFETY: clause 3 of the module's `# Safety`.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_string_lossy().into_owned())
    }

    /// Reads a text up to its NUL, or of a binary file only the one of `starts` with which it begins. No start has a NUL.
    pub fn image(self, starts: &[&[u8]]) -> Result<Vec<u8>> {
        if self.0.is_null() {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        // SAFETY: clause 3 of the module's `# Safety`. `all` stops at the first byte that differs, such as the NUL of a text.
        let byte_at = |i| unsafe { self.0.cast::<u8>().add(i).read() };
        let begins = |start: &&&[u8]| start.iter().enumerate().all(|(i, byte)| byte_at(i) == *byte);
        match starts.iter().find(begins) {
            Some(start) => Ok(start.to_vec()),
            None => Ok(self.get()?.into_bytes()),
        }
    }
}

/// An address in the memory of the program. A graph may keep the address.
#[repr(transparent)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host(pub usize);

impl Host {
    pub fn read(self, bytes: usize) -> Result<Vec<u8>> {
        if self.0 == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        let mut content = vec![0; bytes];
        // SAFETY: clause 2 of the module's `# Safety`. C exposes every pointer.
        unsafe {
            ptr::copy_nonoverlapping(ptr::with_exposed_provenance::<u8>(self.0), content.as_mut_ptr(), bytes);
        }
        Ok(content)
    }

    pub fn write(self, content: &[u8]) -> Result {
        if self.0 == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        // SAFETY: clause 2 of the module's `# Safety`. C exposes every pointer.
        unsafe {
            ptr::copy_nonoverlapping(
                content.as_ptr(),
                ptr::with_exposed_provenance_mut(self.0),
                content.len(),
            );
        }
        Ok(())
    }
}

/// A function of the program, which a stream calls.
#[derive(Debug, Clone, Copy)]
pub enum HostFunction {
    /// `CUhostFn`, with its argument.
    Plain(Option<extern "C" fn(usize)>, usize),
    /// `CUstreamCallback`, with the stream and its argument.
    Callback(Option<extern "C" fn(usize, CUresult, usize)>, usize, usize),
}

impl HostFunction {
    pub fn run(self) {
        IN_HOST_FUNCTION.set(true);
        match self {
            Self::Plain(Some(function), argument) => function(argument),
            Self::Callback(Some(function), stream, argument) => function(stream, CUDA_SUCCESS, argument),
            _ => {}
        }
        IN_HOST_FUNCTION.set(false);
    }
}

/// Page-locked memory: pages of the program.
#[derive(Debug)]
pub struct Pages {
    start: *mut u8,
    layout: std::alloc::Layout,
}

// SAFETY: the pages are owned memory that any thread may free. Accesses go through the exposed address, under `# Safety` of the module.
unsafe impl Send for Pages {}

impl Pages {
    /// Allocates pages. Returns `None` if there is no memory, or if `bytes` is 0.
    pub fn new(bytes: usize) -> Option<Self> {
        let layout = std::alloc::Layout::from_size_align(bytes, 4096).ok().filter(|_| bytes > 0)?;
        // SAFETY: the size of the layout is not 0.
        let start = unsafe { std::alloc::alloc_zeroed(layout) };
        (!start.is_null()).then_some(Self { start, layout })
    }

    pub fn address(&self) -> usize {
        self.start.expose_provenance()
    }

    pub fn bytes(&self) -> usize {
        self.layout.size()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `new` allocated the pages with this layout. The program frees memory when it no longer uses it.
        unsafe { std::alloc::dealloc(self.start, self.layout) };
    }
}

/// A constant text that C reads.
pub type StaticText = *const c_char;
