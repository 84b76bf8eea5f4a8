//! Memory: allocations, and the translation of the driver's copies of rows.

use cudarc::driver::sys::CUresult::*;
use ptx_emu::limits::GLOBAL_MEMORY;

use crate::boundary::{Pages, Plain, Result, fail};
use crate::copy::{Copy, Place, Side};
use crate::driver::Driver;

/// `CUDA_MEMCPY3D`, whose kinds of memory may be any number. Its arrays are not emulated.
#[repr(C)]
#[derive(Clone, core::marker::Copy)]
pub struct Copy3d {
    from: End3d,
    to: End3d,
    width: usize,
    height: usize,
    depth: usize,
}

#[repr(C)]
#[derive(Clone, core::marker::Copy)]
struct End3d {
    x: usize,
    y: usize,
    z: usize,
    level: usize,
    kind: u32,
    host: usize,
    device: u64,
    array: usize,
    reserved: usize,
    pitch: usize,
    height: usize,
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, core::marker::Copy)]
pub struct Copy2d {
    from: End2d,
    to: End2d,
    width: usize,
    height: usize,
}

#[repr(C)]
#[derive(Clone, core::marker::Copy)]
struct End2d {
    x: usize,
    y: usize,
    kind: u32,
    host: usize,
    device: u64,
    array: usize,
    pitch: usize,
}

impl Plain for Copy3d {}
impl Plain for Copy2d {}

impl From<Copy2d> for Copy3d {
    fn from(Copy2d { from, to, width, height }: Copy2d) -> Self {
        let end = |End2d { x, y, kind, host, device, array, pitch }: End2d| End3d {
            x,
            y,
            z: 0,
            level: 0,
            kind,
            host,
            device,
            array,
            reserved: 0,
            pitch,
            height: 0,
        };
        Self { from: end(from), to: end(to), width, height, depth: 1 }
    }
}

impl Driver {
    /// Returns the place of an address in the memory of the program or of the device.
    pub fn place(&self, address: u64) -> Place {
        match self.allocation(address) {
            Some(_) => Place::Device(address),
            None => Place::Host(address as usize),
        }
    }

    /// Returns the start and the bytes of the allocation that contains an address.
    pub fn allocation(&self, address: u64) -> Option<(u64, usize)> {
        let (start, bytes) = self.allocations.range(..=address).next_back()?;
        (address - start < *bytes as u64).then_some((*start, *bytes))
    }

    /// Translates a copy of rows.
    pub fn copy3d(&self, copy: Copy3d) -> Result<Copy> {
        let side = |end: End3d| {
            // CU_MEMORYTYPE_HOST, DEVICE and UNIFIED.
            let place = match end.kind {
                1 => Place::Host(end.host),
                2 => Place::Device(end.device),
                4 => self.place(end.device),
                kind => {
                    return fail(
                        CUDA_ERROR_INVALID_VALUE,
                        format!("a copy of memory of type {kind} is not emulated"),
                    );
                }
            };
            let row = if end.pitch == 0 { end.x + copy.width } else { end.pitch };
            if copy.width > row {
                return fail(CUDA_ERROR_INVALID_VALUE, format!("rows of {} bytes, {row} apart", copy.width));
            }
            let plane = row * if end.height == 0 { end.y + copy.height } else { end.height };
            let by = end.z * plane + end.y * row + end.x;
            let place = match place {
                Place::Host(address) => Place::Host(address + by),
                Place::Device(address) => Place::Device(address + by as u64),
            };
            Ok(Side { place, row, plane })
        };
        let Copy3d { from, to, width, height, depth } = copy;
        Ok(Copy { from: side(from)?, to: side(to)?, width, height, depth })
    }

    pub fn free_bytes(&self) -> usize {
        GLOBAL_MEMORY.saturating_sub(self.allocations.values().sum())
    }

    pub fn allocate(&mut self, bytes: usize) -> Result<u64> {
        self.context()?;
        if bytes == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        if bytes > self.free_bytes() {
            let why = format!("{bytes} bytes, but the emulated device has {} left", self.free_bytes());
            return fail(CUDA_ERROR_OUT_OF_MEMORY, why);
        }
        let address = self.device.allocate(bytes);
        if address == 0 {
            return fail(
                CUDA_ERROR_OUT_OF_MEMORY,
                format!("{bytes} bytes, for which this machine has no memory"),
            );
        }
        self.allocations.insert(address, bytes);
        Ok(address)
    }

    pub fn free(&mut self, address: u64) -> Result {
        self.context()?;
        if address == 0 {
            return Ok(());
        }
        if self.allocations.remove(&address).is_none() {
            return fail(CUDA_ERROR_INVALID_VALUE, format!("{address:#x} is no allocation of the device"));
        }
        self.device.free(address);
        Ok(())
    }

    pub fn allocate_pinned(&mut self, bytes: usize) -> Result<usize> {
        self.context()?;
        if bytes == 0 {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        let pages = Pages::new(bytes).ok_or(CUDA_ERROR_OUT_OF_MEMORY)?;
        let address = pages.address();
        self.pinned.insert(address, pages);
        Ok(address)
    }
}
