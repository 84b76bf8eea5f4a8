//! Tensor maps: the driver's checks, and the bytes that the interpreter reads.

use cudarc::driver::sys::CUresult::{CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED};
use ptx_emu::tensor::{TensorMap, elemtype, swizzle};

use crate::boundary::{In, Result, fail};

/// Bytes of an element, by `CUtensorMapDataType`.
const ELEMENTS: [u64; 13] = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4];
const IS_FLOAT: [bool; 13] =
    [false, false, false, false, false, false, true, true, true, true, true, true, true];

/// The arguments that tiled maps and im2col maps have in common.
pub struct Common {
    pub element: u32,
    pub rank: u32,
    pub address: u64,
    pub dims: In<u64>,
    pub strides: In<u64>,
    pub steps: In<u32>,
    pub interleave: u32,
    pub swizzle: u32,
    pub fill: u32,
}

fn refuse<T>(why: impl Into<String>) -> Result<T> {
    fail(CUDA_ERROR_INVALID_VALUE, why)
}

/// Returns an array whose first elements are these values.
fn first<T: Copy + Default, const N: usize>(values: impl IntoIterator<Item = T>) -> [T; N] {
    let mut array = [T::default(); N];
    array.iter_mut().zip(values).for_each(|(element, value)| *element = value);
    array
}

impl Common {
    /// Checks what the API asks of every map. Returns a map without a box, and the bytes of an element.
    fn encode(&self) -> Result<(TensorMap, u64)> {
        let rank = self.rank as usize;
        let Some(size) = ELEMENTS.get(self.element as usize).copied() else {
            return refuse(format!("elements of type {}, which the device does not know", self.element));
        };
        if !(1..=5).contains(&rank) {
            return refuse(format!("a tensor of {rank} dimensions; there are 1 to 5"));
        }
        if self.address == 0 || !self.address.is_multiple_of(16) {
            return refuse(format!("the address {:#x} is no multiple of 16", self.address));
        }
        let dims = self.dims.list(rank)?;
        if let Some(dim) = dims.iter().find(|dim| !(1..=1 << 32).contains(*dim)) {
            return refuse(format!("a dimension of {dim} elements; there are 1 to 2^32"));
        }
        let strides = if rank > 1 { self.strides.list(rank - 1)? } else { Vec::new() };
        if let Some(stride) = strides.iter().find(|s| !s.is_multiple_of(16) || **s == 0 || **s >= 1 << 40) {
            return refuse(format!("a stride of {stride} bytes; it must be a multiple of 16 below 2^40"));
        }
        let steps = self.steps.list(rank)?;
        if let Some(step) = steps.iter().find(|step| !(1..=8).contains(*step)) {
            return refuse(format!("an element stride of {step}; there are 1 to 8"));
        }
        if self.fill > 1 || (self.fill == 1 && !IS_FLOAT[self.element as usize]) {
            return refuse(format!("fill mode {} for elements of type {}", self.fill, self.element));
        }
        if self.swizzle > 6 {
            return refuse(format!("swizzle mode {}, which the device does not know", self.swizzle));
        }
        let (swizzle, atomicity) = swizzle(self.swizzle);
        if self.interleave > 0 {
            return fail(CUDA_ERROR_NOT_SUPPORTED, "interleaved tensors are not emulated");
        }
        let map = TensorMap {
            address: self.address,
            rank: rank as u8,
            element: elemtype(self.element),
            interleave: 0,
            swizzle,
            fill: self.fill as u8,
            atomicity,
            im2col: false,
            // The map stores 2^32 as 0.
            dims: first(dims.iter().map(|dim| *dim as u32)),
            boxes: [0; 5],
            steps: first(steps.iter().map(|step| *step as u8)),
            strides: first(strides),
            lower: [0; 3],
            upper: [0; 3],
        };
        Ok((map, size))
    }

    /// Checks the bytes of a row of the box.
    fn check_row(&self, bytes: u64) -> Result {
        if !bytes.is_multiple_of(16) {
            return refuse(format!("a row of the box has {bytes} bytes; it must be a multiple of 16"));
        }
        let most = [u64::MAX, 32, 64, 128, 128, 128, 128][self.swizzle as usize];
        if bytes > most {
            return refuse(format!("a row of the box has {bytes} bytes; this swizzle takes {most} at most"));
        }
        Ok(())
    }

    pub fn tiled(&self, boxes: In<u32>) -> Result<[u8; 128]> {
        let (mut map, size) = self.encode()?;
        let boxes = boxes.list(self.rank as usize)?;
        if let Some(extent) = boxes.iter().find(|extent| !(1..=256).contains(*extent)) {
            return refuse(format!("a box of {extent} elements in one dimension; there are 1 to 256"));
        }
        self.check_row(u64::from(boxes[0]) * size)?;
        map.boxes = first(boxes.iter().map(|extent| *extent as u16));
        Ok(map.to_bytes())
    }

    pub fn im2col(&self, lower: In<i32>, upper: In<i32>, channels: u32, pixels: u32) -> Result<[u8; 128]> {
        let (mut map, size) = self.encode()?;
        if self.rank < 3 {
            return refuse(format!("an im2col map of rank {}; it has 3 to 5", self.rank));
        }
        if !(1..=256).contains(&channels) || !(1..=1024).contains(&pixels) {
            return refuse(format!(
                "{channels} channels and {pixels} pixels; there are 1 to 256 and 1 to 1024"
            ));
        }
        self.check_row(u64::from(channels) * size)?;
        let spatial = self.rank as usize - 2;
        // A corner has 16 bits in all: 16, 8 or 5 for each of one, two or three dimensions.
        let most = 1 << [15, 7, 4][spatial - 1];
        let (lower, upper) = (lower.list(spatial)?, upper.list(spatial)?);
        if let Some(corner) = lower.iter().chain(&upper).find(|corner| !(-most..most).contains(*corner)) {
            return refuse(format!(
                "a corner of the pixels' box at {corner}; it is {} to {}",
                -most,
                most - 1
            ));
        }
        map.im2col = true;
        map.boxes = first([channels as u16, pixels as u16]);
        let narrow = |corners: &[i32]| {
            corners.iter().map(|corner| i8::try_from(*corner)).collect::<std::result::Result<Vec<_>, _>>()
        };
        let (Ok(lower), Ok(upper)) = (narrow(&lower), narrow(&upper)) else {
            return refuse("a corner of the pixels' box beyond -128 to 127 is not emulated");
        };
        (map.lower, map.upper) = (first(lower), first(upper));
        Ok(map.to_bytes())
    }
}
