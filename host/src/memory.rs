//! Device memory (`cuMemAlloc`) and pinned host memory (`cuMemHostAlloc`).
//!
//! A copy between host and device is synchronous. The copy runs after all work that was put on the device's streams before.

use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::{self, NonNull};

use bytemuck::Pod;
use cudarc::driver::sys::{self, CUdeviceptr};

use crate::error::check;
use crate::{Device, Error, Result, Stream};

/// The device address of a `T`, as a kernel argument (`CUdeviceptr`). Owns and borrows nothing.
#[repr(transparent)]
pub struct DevicePtr<T> {
    address: CUdeviceptr,
    to: PhantomData<fn() -> T>,
}

impl<T> DevicePtr<T> {
    /// Returns the address as a number.
    #[must_use]
    pub fn address(self) -> u64 {
        self.address
    }
}

impl<T> Clone for DevicePtr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DevicePtr<T> {}

impl<T> fmt::Debug for DevicePtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DevicePtr({:#x})", self.address)
    }
}

/// Owned global memory for `len` values. Dropping waits for all work on the device; if the device hangs, the memory leaks.
pub struct DeviceBuffer<T: Pod> {
    device: Device,
    address: CUdeviceptr,
    len: usize,
    holds: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    /// Allocates memory of unspecified content, aligned to at least 256 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if there is not enough memory.
    pub fn alloc(device: &Device, len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        device.bind()?;
        let mut address = 0;
        // The driver refuses an allocation of 0 bytes.
        // SAFETY: `address` is valid for a write, and `bind` made the context current.
        check(unsafe { sys::cuMemAlloc_v2(&mut address, bytes.max(1)) }, || {
            format!("allocating {bytes} bytes on {}", device.info().name)
        })?;
        Ok(Self { device: device.clone(), address, len, holds: PhantomData })
    }

    /// Allocates memory and copies `values` into it.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] as [`DeviceBuffer::alloc`], or if the copy fails.
    pub fn from_slice(device: &Device, values: &[T]) -> Result<Self> {
        let mut buffer = Self::alloc(device, values.len())?;
        buffer.as_mut_slice().upload(values)?;
        Ok(buffer)
    }

    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the buffer has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Borrows the whole buffer.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice { device: &self.device, address: self.address, len: self.len, holds: PhantomData }
    }

    /// Borrows the whole buffer mutably.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut { all: self.as_slice() }
    }

    /// Borrows a range of elements. The range's address is aligned to an element, not to 256 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] if the range does not lie in the buffer.
    pub fn slice(&self, range: Range<usize>) -> Result<DeviceSlice<'_, T>> {
        self.as_slice().slice(range)
    }

    /// Borrows a range of elements mutably. Alignment as of [`slice`](Self::slice).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] if the range does not lie in the buffer.
    pub fn slice_mut(&mut self, range: Range<usize>) -> Result<DeviceSliceMut<'_, T>> {
        self.as_slice().slice(range).map(|all| DeviceSliceMut { all })
    }
}

impl<T: Pod> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBuffer({:#x}, {} elements)", self.address, self.len)
    }
}

impl<T: Pod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.device.settle() {
            // SAFETY: `alloc` allocated the memory, and only this drop frees it. `settle` waited for all work that could use it.
            let _ = unsafe { sys::cuMemFree_v2(self.address) };
        }
    }
}

/// A borrowed range of a [`DeviceBuffer`], as `&[T]` on the host.
pub struct DeviceSlice<'a, T: Pod> {
    device: &'a Device,
    address: CUdeviceptr,
    len: usize,
    holds: PhantomData<&'a T>,
}

impl<T: Pod> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Pod> Copy for DeviceSlice<'_, T> {}

impl<'a, T: Pod> DeviceSlice<'a, T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the slice has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first element, as a kernel argument.
    #[must_use]
    pub fn as_ptr(&self) -> DevicePtr<T> {
        DevicePtr { address: self.address, to: PhantomData }
    }

    /// Borrows a part of the slice.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] if the range does not lie in the slice.
    pub fn slice(&self, range: Range<usize>) -> Result<DeviceSlice<'a, T>> {
        check_range(&range, self.len)?;
        let address = self.address + (range.start * size_of::<T>()) as u64;
        Ok(DeviceSlice { address, len: range.len(), ..*self })
    }

    pub(crate) fn device(&self) -> &'a Device {
        self.device
    }

    /// Copies the elements to `to`, and waits for the copy (`cuMemcpyDtoH`).
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `to` has another length. [`Error::Cuda`], which may report the failure of an earlier kernel.
    pub fn download(&self, to: &mut [T]) -> Result<()> {
        check_len(self.len, to.len())?;
        self.device.bind()?;
        let bytes = size_of_val(to);
        // SAFETY: source and destination have `bytes` bytes each: `check_len`. `T: Pod`, so any bits are a value.
        check(unsafe { sys::cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), self.address, bytes) }, || {
            format!("copying {bytes} bytes from the device")
        })
    }

    /// Copies the elements to a new vector.
    ///
    /// # Errors
    ///
    /// As [`DeviceSlice::download`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = vec![T::zeroed(); self.len];
        self.download(&mut values)?;
        Ok(values)
    }
}

/// A mutably borrowed range of a [`DeviceBuffer`], as `&mut [T]` on the host.
pub struct DeviceSliceMut<'a, T: Pod> {
    all: DeviceSlice<'a, T>,
}

impl<T: Pod> DeviceSliceMut<'_, T> {
    /// Returns the number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len
    }

    /// Returns true if the slice has no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.len == 0
    }

    /// Borrows the same elements for reading.
    #[must_use]
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        self.all
    }

    /// Returns the address of the first element, as a kernel argument.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> DevicePtr<T> {
        self.all.as_ptr()
    }

    /// Copies `from` to the elements, and waits for the copy (`cuMemcpyHtoD`).
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the lengths differ. [`Error::Cuda`], which may report the failure of an earlier kernel.
    pub fn upload(&mut self, from: &[T]) -> Result<()> {
        check_len(from.len(), self.all.len)?;
        self.all.device.bind()?;
        let bytes = size_of_val(from);
        // SAFETY: source and destination have `bytes` bytes each: `check_len`.
        check(unsafe { sys::cuMemcpyHtoD_v2(self.all.address, from.as_ptr().cast(), bytes) }, || {
            format!("copying {bytes} bytes to the device")
        })
    }

    /// Sets every element to `value`.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`], which may report the failure of an earlier kernel.
    pub fn fill(&mut self, value: T) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        self.all.slice(0..1).map(|all| DeviceSliceMut { all })?.upload(&[value])?;
        // Each round copies the filled elements behind themselves: the driver's memset takes elements of 1, 2 and 4 bytes only.
        let mut filled = 1;
        while filled < self.len() {
            let more = filled.min(self.len() - filled);
            let (from, to) = (self.all.slice(0..more)?, self.all.slice(filled..filled + more)?);
            copy_on(ptr::null_mut(), from, to)?;
            filled += more;
        }
        Ok(())
    }

    /// Puts a copy from other device memory on `stream` (`cuMemcpyDtoDAsync`). Does not wait for the copy.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the lengths differ. [`Error::Cuda`] if the driver refuses the copy.
    pub fn copy_from(&mut self, from: DeviceSlice<'_, T>, stream: &Stream) -> Result<()> {
        copy_on(stream.handle(), from, self.all)
    }
}

fn copy_on<T: Pod>(stream: sys::CUstream, from: DeviceSlice<'_, T>, to: DeviceSlice<'_, T>) -> Result<()> {
    check_len(from.len, to.len)?;
    to.device.bind()?;
    let bytes = to.len * size_of::<T>();
    // SAFETY: both sides have `bytes` bytes of device memory: `check_len`. They do not overlap: a caller holds one side
    // exclusively or passes disjoint parts. Freeing either side waits for the copy: `settle`.
    check(unsafe { sys::cuMemcpyDtoDAsync_v2(to.address, from.address, bytes, stream) }, || {
        format!("copying {bytes} bytes on the device")
    })
}

/// Page-locked (pinned) host memory, a `[T]` that copies to and from the device at the full speed of the bus.
pub struct PinnedBuffer<T: Pod> {
    device: Device,
    address: NonNull<T>,
    len: usize,
}

// SAFETY: the buffer owns its memory, as a `Vec<T>` does.
unsafe impl<T: Pod + Send> Send for PinnedBuffer<T> {}
// SAFETY: `&PinnedBuffer<T>` gives `&[T]` only.
unsafe impl<T: Pod + Sync> Sync for PinnedBuffer<T> {}

impl<T: Pod> PinnedBuffer<T> {
    /// Allocates memory for `len` values and fills it with zeros.
    ///
    /// # Errors
    ///
    /// [`Error::Cuda`] if the system cannot lock that much memory.
    pub fn zeroed(device: &Device, len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?.max(1);
        device.bind()?;
        let mut address: *mut c_void = ptr::null_mut();
        // SAFETY: `address` is valid for a write, and `bind` made the context current.
        check(unsafe { sys::cuMemHostAlloc(&mut address, bytes, 0) }, || {
            format!("allocating {bytes} bytes of page-locked host memory")
        })?;
        // SAFETY: the driver allocated `bytes` bytes at `address`, and nothing else uses them yet.
        unsafe { ptr::write_bytes(address.cast::<u8>(), 0, bytes) };
        let address = NonNull::new(address.cast()).unwrap_or(NonNull::dangling());
        Ok(Self { device: device.clone(), address, len })
    }
}

impl<T: Pod> Deref for PinnedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: `address` points to `len` initialised values, page-aligned, that live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for PinnedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as in `deref`; `&mut self` makes the access exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), self.len) }
    }
}

impl<T: Pod> fmt::Debug for PinnedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PinnedBuffer({} elements)", self.len)
    }
}

impl<T: Pod> Drop for PinnedBuffer<T> {
    fn drop(&mut self) {
        if self.device.settle() {
            // SAFETY: `zeroed` allocated the memory, and only this drop frees it. `settle` waited for all copies.
            let _ = unsafe { sys::cuMemFreeHost(self.address.as_ptr().cast()) };
        }
    }
}

fn bytes_of<T>(len: usize) -> Result<usize> {
    const { assert!(size_of::<T>() > 0, "a buffer cannot hold elements of size 0") };
    let size = size_of::<T>();
    len.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or(Error::TooLarge { len, size })
}

fn check_range(range: &Range<usize>, len: usize) -> Result<()> {
    if range.start <= range.end && range.end <= len {
        return Ok(());
    }
    Err(Error::OutOfBounds { start: range.start, end: range.end, len })
}

fn check_len(from: usize, to: usize) -> Result<()> {
    if from == to { Ok(()) } else { Err(Error::LengthMismatch { from, to }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_must_lie_inside() {
        check_range(&(0..4), 4).unwrap();
        check_range(&(4..4), 4).unwrap();
        for range in [0..5, 5..5, Range { start: 3, end: 2 }] {
            assert!(check_range(&range, 4).is_err(), "{range:?}");
        }
        assert_eq!(
            check_range(&(2..5), 4).unwrap_err().to_string(),
            "elements 2..5 are not inside a device buffer of 4 elements"
        );
    }

    #[test]
    fn sizes_do_not_overflow() {
        assert_eq!(bytes_of::<f32>(3).unwrap(), 12);
        assert!(bytes_of::<f32>(usize::MAX / 2).is_err());
        assert!(bytes_of::<u8>(usize::MAX).is_err());
    }

    #[test]
    fn copies_need_equal_lengths() {
        check_len(3, 3).unwrap();
        assert!(check_len(3, 4).unwrap_err().to_string().contains("3 elements into 4"));
    }
}
