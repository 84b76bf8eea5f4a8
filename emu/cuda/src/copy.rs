//! Copies and fills of memory of the program and of the device.

use cudarc::driver::sys::CUresult::*;
use ptx_emu::Device;

use crate::boundary::{Host, Result, fail};

/// The place where a copy reads or writes.
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
