//! Memory: allocations, copies, fills.

use cudarc::driver::sys::CUresult::*;
use ptx_emu::device::Device;

use crate::boundary::{Host, Pages, Plain, Result, fail};
use crate::driver::Driver;

/// Bytes of the device: few enough for the machine that emulates it.
pub const TOTAL: usize = 16 << 30;

/// Where a copy reads or writes.
#[derive(Debug, Clone, core::marker::Copy, PartialEq, Eq)]
pub enum Place {
    Host(usize),
    Device(u64),
}

/// A place, with the bytes from a row to the next, and from a plane to the next.
#[derive(Debug, Clone, core::marker::Copy, PartialEq, Eq)]
pub struct Side {
    pub place: Place,
    pub row: usize,
    pub plane: usize,
}

/// A copy of rows of bytes.
#[derive(Debug, Clone)]
pub struct Copy {
    pub from: Side,
    pub to: Side,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
}

impl Copy {
    pub fn linear(to: Place, from: Place, bytes: usize) -> Self {
        let side = |place| Side { place, row: 0, plane: 0 };
        Self { from: side(from), to: side(to), width: bytes, height: 1, depth: 1 }
    }

    pub fn perform(&self, device: &mut Device) -> Result {
        if self.width == 0 {
            return Ok(());
        }
        for z in 0..self.depth {
            for y in 0..self.height {
                let by = |side: Side| z * side.plane + y * side.row;
                let content = read(device, self.from.place, by(self.from), self.width)?;
                write(device, self.to.place, by(self.to), &content)?;
            }
        }
        Ok(())
    }
}

fn outside<T>(address: u64, bytes: usize) -> Result<T> {
    let why = format!("{bytes} bytes at {address:#x} are in no allocation of the device");
    fail(CUDA_ERROR_INVALID_VALUE, why)
}

fn read(device: &Device, place: Place, by: usize, bytes: usize) -> Result<Vec<u8>> {
    match place {
        Place::Host(address) => Host(address.wrapping_add(by)).read(bytes),
        Place::Device(address) => {
            let mut content = vec![0; bytes];
            match device.read(address.wrapping_add(by as u64), &mut content) {
                Some(()) => Ok(content),
                None => outside(address, bytes),
            }
        }
    }
}

fn write(device: &mut Device, place: Place, by: usize, content: &[u8]) -> Result {
    match place {
        Place::Host(address) => Host(address.wrapping_add(by)).write(content),
        Place::Device(address) => match device.write(address.wrapping_add(by as u64), content) {
            Some(()) => Ok(()),
            None => outside(address, content.len()),
        },
    }
}

/// A fill of rows with an element of 1, 2 or 4 bytes.
#[derive(Debug, Clone)]
pub struct Fill {
    pub address: u64,
    pub pitch: usize,
    pub element: Vec<u8>,
    pub width: usize,
    pub height: usize,
}

impl Fill {
    pub fn perform(&self, device: &mut Device) -> Result {
        if !self.address.is_multiple_of(self.element.len() as u64) {
            return Err(CUDA_ERROR_INVALID_VALUE.into());
        }
        if self.width == 0 {
            return Ok(());
        }
        let row = self.element.repeat(self.width);
        (0..self.height).try_for_each(|y| write(device, Place::Device(self.address), y * self.pitch, &row))
    }
}

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
    /// A place by an address that is the program's or the device's.
    pub fn place(&self, address: u64) -> Place {
        match self.allocation(address) {
            Some(_) => Place::Device(address),
            None => Place::Host(address as usize),
        }
    }

    /// The start and the bytes of the allocation that an address is in.
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
        TOTAL.saturating_sub(self.allocations.values().sum())
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

#[cfg(test)]
mod tests {
    use super::*;

    fn device(bytes: &[u8]) -> (Device, u64) {
        let mut device = Device::new();
        let address = device.allocate(bytes.len());
        device.write(address, bytes).unwrap();
        (device, address)
    }

    fn content(device: &Device, address: u64, bytes: usize) -> Vec<u8> {
        let mut content = vec![0; bytes];
        device.read(address, &mut content).unwrap();
        content
    }

    #[test]
    fn rows_are_copied_by_their_pitches() {
        let (mut device, address) = device(&[9; 12]);
        let host: Vec<u8> = (0..8).collect();
        let from = Side { place: Place::Host(host.as_ptr().expose_provenance()), row: 4, plane: 8 };
        let to = Side { place: Place::Device(address + 1), row: 6, plane: 12 };
        Copy { from, to, width: 3, height: 2, depth: 1 }.perform(&mut device).unwrap();
        assert_eq!(content(&device, address, 12), [9, 0, 1, 2, 9, 9, 9, 4, 5, 6, 9, 9]);
        let beyond = Copy::linear(Place::Device(address + 4), Place::Device(address), 9);
        assert_eq!(beyond.perform(&mut device).unwrap_err().code, CUDA_ERROR_INVALID_VALUE);
        let null = Copy::linear(Place::Device(address), Place::Host(0), 9);
        assert_eq!(null.perform(&mut device).unwrap_err().code, CUDA_ERROR_INVALID_VALUE);
    }

    #[test]
    fn fills_write_whole_elements() {
        let (mut device, address) = device(&[0; 12]);
        let fill = Fill { address, pitch: 6, element: vec![1, 2], width: 2, height: 2 };
        fill.perform(&mut device).unwrap();
        assert_eq!(content(&device, address, 12), [1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 0, 0]);
        assert!(Fill { address: address + 1, ..fill }.perform(&mut device).is_err());
    }
}
