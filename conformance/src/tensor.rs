//! Tensor maps as cases describe them: encoded by the driver for a GPU, and by the interpreter for itself.

use ptx_emu::tensor::TensorMap;

/// The data that one copy moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// A box of this many elements in each dimension.
    Tile(Vec<u32>),
    /// Columns of pixels.
    Im2col {
        /// The lower corner of the bounding box.
        lower: Vec<i32>,
        /// The upper corner of the bounding box.
        upper: Vec<i32>,
        /// Channels of a pixel.
        channels: u32,
        /// Pixels of a column.
        pixels: u32,
    },
    /// Columns along W (`im2col::w`, `im2col::w::128`).
    Im2colW {
        /// The lower corner in W.
        lower: i32,
        /// The upper corner in W.
        upper: i32,
        /// Channels of a pixel.
        channels: u32,
        /// Pixels of a column.
        pixels: u32,
        /// True for `im2col::w::128`.
        w128: bool,
    },
}

/// A tensor map. The numbers of interleave, swizzle and fill are those of `CUtensorMapInterleave` and its like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    /// The offset of the tensor in the memory of the case.
    pub at: usize,
    /// The number of the element type in `tensormap.replace` (9.7.9.28).
    pub element: u8,
    /// The number of the interleave layout.
    pub interleave: u8,
    /// The number of the swizzle.
    pub swizzle: u8,
    /// The number of what fills elements beyond the tensor.
    pub fill: u8,
    /// The elements in each dimension.
    pub dims: Vec<u32>,
    /// The strides of all dimensions but the first, in bytes.
    pub strides: Vec<u64>,
    /// What one copy moves.
    pub mode: Mode,
    /// Element strides.
    pub steps: Vec<u32>,
}

/// Bytes of an element of each type.
pub const ELEMENT_BYTES: [usize; 13] = [1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4];

/// Returns the bytes of a step along dimension 0: those of an element, or of a slice of channels.
fn unit(element: u8, interleave: u8) -> usize {
    match interleave {
        0 => ELEMENT_BYTES[usize::from(element)],
        by => 16 * usize::from(by),
    }
}

impl Map {
    /// Returns the map of a packed tensor that is copied by boxes.
    pub fn tiled(element: u8, dims: &[u32], boxes: &[u32]) -> Self {
        Self::sliced(element, 0, dims, boxes)
    }

    /// Returns the map of a packed tensor, interleaved unless `interleave` is 0. The dimensions of an interleaved tensor are W,
    /// H, D, the slices of channels, and the images; a box has channels in place of slices.
    pub fn sliced(element: u8, interleave: u8, dims: &[u32], boxes: &[u32]) -> Self {
        let mut stride = unit(element, interleave) as u64;
        let mut strides = Vec::new();
        for dim in &dims[..dims.len() - 1] {
            stride = (stride * u64::from(*dim)).next_multiple_of(16);
            strides.push(stride);
        }
        Self {
            at: 0,
            element,
            interleave,
            swizzle: 0,
            fill: 0,
            dims: dims.into(),
            strides,
            mode: Mode::Tile(boxes.into()),
            steps: vec![1; dims.len()],
        }
    }

    /// Returns the bytes of a step along dimension 0.
    pub fn unit(&self) -> usize {
        unit(self.element, self.interleave)
    }

    /// Returns the bytes of the tensor.
    pub fn bytes(&self) -> usize {
        match self.strides.last() {
            Some(stride) => *stride as usize * self.dims[self.dims.len() - 1] as usize,
            None => (self.unit() * self.dims[0] as usize).next_multiple_of(16),
        }
    }

    /// Returns the number of the element type in `CUtensorMapDataType`, which has another order.
    pub fn data_type(&self) -> u32 {
        match self.element {
            // `.f32.ftz`, `.f64`, `.bf16`.
            8 => 10,
            9 => 8,
            10 => 9,
            same => same.into(),
        }
    }

    /// Returns the interpreter's map for memory at an address.
    pub fn emulated(&self, memory: u64) -> TensorMap {
        let mut map = TensorMap {
            address: memory + self.at as u64,
            rank: self.dims.len() as u8,
            element: self.element,
            interleave: self.interleave,
            swizzle: self.swizzle,
            fill: self.fill,
            ..TensorMap::default()
        };
        map.dims[..self.dims.len()].copy_from_slice(&self.dims);
        map.strides[..self.strides.len()].copy_from_slice(&self.strides);
        for (to, from) in map.steps.iter_mut().zip(&self.steps) {
            *to = *from as u8;
        }
        match &self.mode {
            Mode::Tile(boxes) => {
                for (to, from) in map.boxes.iter_mut().zip(boxes) {
                    *to = *from as u16;
                }
            }
            Mode::Im2col { lower, upper, channels, pixels } => {
                map.im2col = true;
                map.boxes[..2].copy_from_slice(&[*channels as u16, *pixels as u16]);
                for i in 0..lower.len() {
                    (map.lower[i], map.upper[i]) = (lower[i] as i8, upper[i] as i8);
                }
            }
            Mode::Im2colW { lower, upper, channels, pixels, .. } => {
                map.im2col = true;
                map.boxes[..2].copy_from_slice(&[*channels as u16, *pixels as u16]);
                (map.lower[0], map.upper[0]) = (*lower as i8, *upper as i8);
            }
        }
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_and_the_interpreter_have_the_same_element_types() {
        for element in 0..13 {
            let map = Map::tiled(element, &[16], &[16]);
            assert_eq!(ptx_emu::tensor::elemtype(map.data_type()), element);
        }
    }
}
