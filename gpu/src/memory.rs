//! Device memory.

use ptx::launch::{RawMatrix, RawSlice};
use ptx_host::cudarc::driver::DevicePtr;
use ptx_host::{Argument, Arguments, ByName, Kernel, NoPadding, TensorMap};

/// Returns the address of device memory, for a launch that takes a `u64`. All work is on one stream, so the memory is freed after
/// the launch if it lives when the launch is put on the stream.
pub fn address<T>(memory: &impl DevicePtr<T>) -> u64 {
    memory.device_ptr(memory.stream()).0
}

/// Returns the bytes of a handle of device memory, for a launch by name.
pub fn slice<T>(memory: &impl DevicePtr<T>) -> RawSlice<T> {
    RawSlice { base: address(memory) as *mut T, len: memory.len() }
}

/// Returns the bytes of a handle of a matrix, for a launch by name.
pub fn matrix<T>(memory: &impl DevicePtr<T>, rows: usize, columns: usize) -> RawMatrix<T> {
    RawMatrix { base: address(memory) as *mut T, rows: rows as u32, columns: columns as u32 }
}

/// The bytes of a handle of a tensor in 2 dimensions that a kernel writes, for a launch by name.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct TensorMut {
    map: TensorMap,
    /// The boxes that the tensor has in each dimension.
    boxes: [u32; 2],
    zeros: [u32; 14],
}

impl TensorMut {
    pub fn new(map: TensorMap, boxes: [usize; 2]) -> Self {
        Self { map, boxes: boxes.map(|boxes| boxes as u32), zeros: [0; 14] }
    }
}

// SAFETY: the fields have 192 bytes, a multiple of the alignment.
unsafe impl NoPadding for TensorMut {}

// SAFETY: a parameter by name has no contract.
unsafe impl<'a> Argument<'a, ByName, Kernel> for TensorMut {
    fn pass(self, arguments: &mut Arguments<'_, 'a, Kernel>) -> ptx_host::Result<()> {
        arguments.push::<Self, Self>(self);
        Ok(())
    }
}
