//! The memory of a backend that arguments borrow.

use crate::Function;

/// A region of a backend's memory, in use until `guard` is dropped, after the launch.
#[derive(Debug)]
pub struct Region<G> {
    /// The address on the device.
    pub address: u64,
    /// The number of elements.
    pub len: usize,
    /// The guard that keeps the memory in use.
    pub guard: G,
}

/// Memory that a kernel may read: for CUDA, a reference to a `CudaSlice` or a view of one.
///
/// # Safety
///
/// The region has `len` initialized elements. Until the launch has ended, the region stays allocated, and nothing writes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory of `{T}` for a kernel",
    label = "not a `&CudaSlice<{T}>` or a view of one; in the interpreter, not a `&ptx_emu::Slice<{T}>`",
    note = "`stream.clone_htod(…)` of `cudarc` makes such memory, in the interpreter `gpu.slice(…)`"
)]
pub unsafe trait Memory<'a, F: Function, T> {
    /// Borrows the region for a launch on `queue`.
    ///
    /// # Errors
    ///
    /// The reason why the queue cannot use the memory.
    fn lend(self, queue: &'a F::Queue) -> Result<Region<F::Guard<'a>>, String>;
}

/// Memory that a kernel may write: for CUDA, a `&mut` to a `CudaSlice` or a view of one.
///
/// # Safety
///
/// Until the launch has ended, nothing else accesses the region.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not memory of `{T}` that a kernel may write",
    label = "not a `&mut CudaSlice<{T}>` or a `&mut CudaViewMut<{T}>`; in the interpreter, not a `&mut ptx_emu::Slice<{T}>`",
    note = "`stream.clone_htod(…)` of `cudarc` makes such memory, in the interpreter `gpu.slice(…)`"
)]
pub unsafe trait MemoryMut<'a, F: Function, T>: Memory<'a, F, T> {}
